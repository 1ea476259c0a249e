#!/bin/bash
# steps.t: no TODO that is done takes points away, in whatever order they are
# done. Labs whose skeletons work: each TODO alone, and each one after those
# before it. LABS=09_cipher_overlap: the third of that kind, which takes longest.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
unset VGPU_DEVICE

# points LAB "1 2": the score of that.
points() {
    tools/skeleton --done "$2" "solutions/$1/lab.cu" >"$tmp/lab.cu"
    build/bin/grade --backend vgpu --file "$tmp/lab.cu" --json "$tmp/json" \
        "${1%%_*}" >"$tmp/out" 2>&1
    sed -n 's/^ *"score": \([0-9]*\).*/\1/p' "$tmp/json" | head -n 1
}
for lab in ${LABS:-03_pinned_memory 07_chunked_overlap}; do
    # The first of each region: what stands in one is done at once.
    todos=$(awk '/^ *\/\/ solution>/ { new = 1 }
        new && /\/\/ TODO/ { sub(/.*TODO /, ""); print $0 + 0; new = 0 }' \
        "solutions/$lab/lab.cu" | sort -nu)
    first=$(points $lab '')
    before=$first so_far=
    for todo in $todos; do
        now=$(points $lab "$todo")
        [ -n "$now" ] && [ "$now" -ge "$first" ]
        ok "$lab, TODO $todo alone: ${now:-none}, before it $first"
        so_far="$so_far $todo"
        [ "$so_far" = " $todo" ] || now=$(points $lab "$so_far")
        [ -n "$now" ] && [ "$now" -ge "$before" ]
        ok "$lab, TODO$so_far: ${now:-none}, before it $before"
        before=$now
    done
    [ "$before" = 100 ]
    ok "$lab: all of them are the solution"
done
echo "1..$count"
