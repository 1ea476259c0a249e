#!/bin/bash
# run.sh: docs/notebook/streams.ipynb from its first cell to its last, in a clone of
# what is here: with the labs' skeletons, and with their solutions in place of what a
# student would write. Prints TAP, then `N passed, N failed`.
set -u
unset MAKEFLAGS MFLAGS MAKELEVEL # of the make that called this
cd "$(dirname "$0")/../.." || exit 2
. tests/tap.sh
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
tap=$PWD/build/notebook.tap
mkdir -p build
export PYDEVD_DISABLE_FILE_VALIDATION=1
export HOME=$tmp/home IPYTHONDIR=$tmp/ipython JUPYTER_CONFIG_DIR=$tmp/jupyter
mkdir -p "$HOME"

# A repository with one commit: what is here, committed or not.
make_repository() {
    mkdir "$tmp/repo" && tools/sources '*' '.*' | tar cf - -T - |
        tar xf - -C "$tmp/repo" && commit
}
commit() {
    (cd "$tmp/repo" && git init -q . && git add -A &&
        git -c user.name=T -c user.email=t@localhost commit -qm test)
}

# execute NAME: its outputs become $tmp/NAME.txt, as they stand below the cells.
execute() {
    mkdir "$tmp/$1" && cp docs/notebook/streams.ipynb "$tmp/$1" &&
        (cd "$tmp/$1" && STREAMS_LAB=file://$tmp/repo timeout 900 \
            jupyter-nbconvert --to notebook --execute --log-level ERROR \
            --ExecutePreprocessor.timeout=600 --output out streams.ipynb) \
            >"$tmp/out" 2>"$tmp/err" &&
        jq -r '.cells[].outputs // [] | .[] |
            ((.text // []) | add // ""), ((.data["image/svg+xml"] // []) | add // "")' \
            "$tmp/$1/out.ipynb" | sed 's/\x1b\[[0-9;]*m//g; s/\r$//' >"$tmp/$1.txt"
}

{
    jq -e '[.cells[] | select(.cell_type == "code") |
            (.outputs == []) and (.execution_count == null)] | all' \
        docs/notebook/streams.ipynb >"$tmp/out"
    ok "the notebook has no output of anybody's"
    make_repository >"$tmp/out" 2>"$tmp/err" && execute skeleton
    ok "all of its cells run"
    grep -q '^vgpucc ' "$tmp/skeleton.txt" &&
        [ "$(grep -c 'the last entry is' "$tmp/skeleton.txt")" = 2 ] &&
        [ "$(grep -c '^vgpu: hazard' "$tmp/skeleton.txt")" = 1 ]
    ok "a hazard without the event, and none with it"
    [ "$(grep -c 'TODO 1 is the first that is still open' \
        "$tmp/skeleton.txt")" -ge 4 ] &&
        [ "$(grep -c 'not passed' "$tmp/skeleton.txt")" = 2 ] &&
        [ "$(grep -c '<svg' "$tmp/skeleton.txt")" = 2 ]
    ok "labs as they are given: timelines, and what is open"
    for lab in 07_chunked_overlap 08_uneven_chunks; do
        cp solutions/$lab/lab.cu "$tmp/repo/labs/$lab/"
    done
    commit >"$tmp/out" 2>"$tmp/err" && execute solved &&
        [ "$(grep -c '^ *passed: 100 of 100' "$tmp/solved.txt")" = 2 ]
    ok "labs that are done pass"
    echo "1..$count"
} | tee "$tap"
tap_sum "$tap"
