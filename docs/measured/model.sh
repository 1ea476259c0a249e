#!/bin/bash
# model.sh: where the time of a round of grade-class goes, and how that grows: what
# docs/class.md calculates with
#
#     docs/measured/model.sh [N...] >docs/measured/model.txt
#
# One grading of lab 08's solution, in parts. Then rounds of N (1000 10000)
# submissions with a grader that does nothing, so that what is left is the round
# itself: reading the class, make, rows, the tables. Sizes do not depend on the
# machine; times do, so nothing else should run: the load is noted beside them.
#
#     SIZES=1 docs/measured/model.sh [N...] >docs/measured/model-sizes.txt
#
# Sizes and memory alone, which any machine may measure at any time.
set -u
cd "$(dirname "$0")/../.." || exit 1
make -s tools || exit 1
[ $# -gt 0 ] || set -- 1000 10000
unset MAKEFLAGS MFLAGS MAKELEVEL LIMIT FORCE OUT
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
root=$PWD cores=$(nproc)
echo "# Where the time of a round goes"
echo "commit  $(git rev-parse --short HEAD 2>/dev/null)"
echo "date    $(date +%F)"
echo "machine $cores cores, $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo |
    head -n 1)"
echo "command ${SIZES:+SIZES=1 }docs/measured/model.sh $*"

# took COMMAND...: its seconds, and the most memory of a process of it, in MB (of
# less than 16 it says nothing: that is what the measuring takes).
took() {
    python3 - "$@" <<'END'
import resource, subprocess, sys, time
began = time.monotonic()
done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL)
print("%8.2f s %6.0f MB" % (time.monotonic() - began, resource.getrusage(
    resource.RUSAGE_CHILDREN).ru_maxrss / 1024))
sys.exit(done.returncode > 1)
END
}
say() { # NAME COMMAND...
    local name=$1
    shift
    set -- "$(took "$@")"
    if [ -n "${SIZES:-}" ]; then
        printf '%-34s %8s\n' "$name" "${1##* s }"
    else
        printf '%-34s %s (load %s)\n' "$name" "$1" \
            "$(cut -d ' ' -f 1 /proc/loadavg)"
    fi
}

printf '\n## One grading, lab 08, the virtual GPU\n\n'
tools/skeleton --solution solutions/08_uneven_chunks/lab.cu >"$tmp/lab.cu"
echo '#error no more' | cat - "$tmp/lab.cu" >"$tmp/no.cu"
say 'the whole grading' build/bin/grade --backend vgpu --file "$tmp/lab.cu" 08
say 'compiling the student'\''s file' build/bin/vgpucc -O2 -std=c++17 -Icommon \
    -Ilabs/08_uneven_chunks -c "$tmp/lab.cu" -o "$tmp/lab.o"
say 'a file that does not compile' build/bin/grade --backend vgpu --file \
    "$tmp/no.cu" 08
mkdir "$tmp/one" && cp "$tmp/lab.cu" "$tmp/one/ann.cu"
OUT=$tmp/made tools/grade-class build vgpu 08 "$tmp/one" >/dev/null
printf '%-34s %8d bytes, %d files\n' 'what it leaves' "$(find "$tmp/made/08" \
    -type f ! -name .tools ! -name grades.csv -printf '%s\n' |
    awk '{ n += $1 } END { print n }')" "$(find "$tmp/made/08" -type f \
    ! -name .tools ! -name grades.csv | wc -l)"
printf '%-34s %8d bytes\n' 'its row of the table' \
    "$(sed 1d "$tmp/made/grades.csv" | wc -c)"
tar -cf "$tmp/tools.tar" --exclude='*.a.lock' build/bin build/lib \
    build/obj/vgpu/grade common grader/drivers labs tools vgpu/include VERSION \
    2>/dev/null
printf '%-34s %8d bytes\n' 'the tools for a node, packed' \
    "$(stat -c %s "$tmp/tools.tar")"

# ---- the round alone ------------------------------------------------------------

place=$tmp/place
mkdir -p "$place/labs" "$place/build/bin" "$place/common" "$place/solutions" &&
    cp -R labs/08_uneven_chunks "$place/labs/" && cp -R tools "$place/" &&
    cp build/bin/results "$place/build/bin/" && cp "$tmp/made/08/ann.json" \
    "$place/grade.json" || exit 1
cat >"$place/build/bin/grade" <<END
#!/bin/sh
exec cp "$place/grade.json" "\$6"
END
chmod +x "$place/build/bin/grade"
for n; do
    printf '\n## A round of %d, with a grader that does nothing\n\n' "$n"
    in=$tmp/in$n out=$tmp/out$n
    mkdir "$in" && awk -v n="$n" -v place="$in" '{ text = text $0 "\n" }
        END {
            for (i = 0; i < n; i++) {
                file = sprintf("%s/student%07d.cu", place, i)
                printf "%s// %d\n", text, i >file
                close(file)
            }
        }' "$tmp/lab.cu"
    round() { # NAME
        OUT=$out JOBS=$cores say "$1" \
            "$place/tools/grade-class" build vgpu 08 "$in"
    }
    mkdir -p "$out/08/" "$out/.round"
    say 'reading the class' "$place/build/bin/results" plan "$out" "$in" \
        08_uneven_chunks
    printf '%-34s %8d bytes\n' 'rules for make' "$(stat -c %s "$out/.round/rules")"
    touch "$out/08/.tools"
    say 'make finds out what is to be done' make -s -n -k -r -C "$out" -f \
        .round/rules
    say 'the tables' env -C "$place" "$place/build/bin/results" collect "$out"
    rm -rf "$out"
    [ -n "${SIZES:-}" ] || {
        round "the round, $cores at a time"
        round 'the same call, nothing to do'
    }
    rm -rf "$in" "$out"
done
cd "$root" || exit 1
