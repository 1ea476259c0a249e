#!/bin/bash
# gradescope.t: the autograder that make gradescope packs, in a folder laid out as
# /autograder is there; and what the files for GitHub and GitLab run
set -u
unset MAKEFLAGS MFLAGS MAKELEVEL
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
if ! command -v git >/dev/null || ! command -v unzip >/dev/null; then
    echo "1..0 # SKIP no git, or no unzip"
    exit 0
fi
mkdir "$tmp/repo" && tools/sources '*' '.*' | tar cf - -T - |
    tar xf - -C "$tmp/repo" && git -C "$tmp/repo" init -q &&
    git -C "$tmp/repo" add -A && git -C "$tmp/repo" -c user.name=T \
    -c user.email=t@localhost commit -qm test || exit 1
root=$tmp/autograder

# upload LABS: as Gradescope does, but the tools are those that are built here.
upload() {
    rm -rf "$root"
    mkdir -p "$root"/{source,submission,results}
    make -s -C "$tmp/repo" gradescope LAB="$1" >"$tmp/out" 2>"$tmp/err" &&
        unzip -q "$tmp/repo/build/dist/gradescope-${1// /-}.zip" \
            -d "$root/source" && mkdir "$root/source/build" &&
        cp -R build/bin build/lib "$root/source/build/"
}
hand_in() { # FILE...: to the folder; then it is graded
    rm -rf "$root"/{submission,results}/*
    [ $# -eq 0 ] || cp "$@" "$root/submission/"
    AUTOGRADER=$root "$root/source/run_autograder" >"$tmp/out" 2>"$tmp/err"
}
score() { # its whole score is this one
    grep -q "^  \"score\": $1,\$\|^{\"score\": $1," "$root/results/results.json"
}
solution() { # LAB
    tools/skeleton --solution "solutions/$1/lab.cu" >"$2"
}

upload 05 && [ -x "$root/source/setup.sh" ] && [ ! -e "$root/source/solutions" ]
ok "the archive has setup.sh and run_autograder, and no solutions"
solution 05_default_stream "$tmp/lab.cu"
cp solutions/05_default_stream/flags "$tmp/flags"
hand_in "$tmp/lab.cu" "$tmp/flags"
[ $? -eq 0 ] && score 100
ok "lab 05: the solution with its flags gets 100"
if perl -MJSON::PP -e 1 2>/dev/null; then
    perl tests/cli/parts/json_rules.pl gradescope \
        "$root/results/results.json" >"$tmp/out" 2>"$tmp/err"
    ok "... results.json keeps the rules of its specification"
else
    count=$((count + 1))
    echo "ok $count - results.json # SKIP no perl with JSON::PP"
fi
hand_in "$tmp/lab.cu"
! score 100 && grep -q '"status": "failed"' "$root/results/results.json"
ok "... without its flags it does not"
hand_in
score 0 && grep -q 'lab 05: no file: lab.cu is wanted' "$root/results/results.json"
ok "nothing handed in: 0, and why"
cp labs/05_default_stream/lab.cu "$tmp/other.cu"
printf 'a"b' >"$tmp/odd.cu"
hand_in "$tmp/odd.cu" "$tmp/other.cu"
no_score() { # WHY
    ! grep -q '"score"' "$root/results/results.json" &&
        grep -q "\"output\": \"lab 05: not graded: $1" "$root/results/results.json"
}
no_score 'more than one .cu file, .*odd.cu'
ok "two files, neither of them lab.cu: no score, and why"
cp "$tmp/odd.cu" "$tmp/cfile.c"
hand_in "$tmp/cfile.c"
no_score 'cfile.c is no submission: lab.cu is wanted'
ok "a file of another kind: no score, its name and the one that is wanted"
cp "$tmp/lab.cu" "$tmp/Lab05 (1).CU.txt" && cp "$tmp/flags" "$tmp/flags.txt"
hand_in "$tmp/Lab05 (1).CU.txt" "$tmp/flags.txt"
score 100
ok "a name as a browser leaves it is graded"
mv "$root/source/build/bin/grade" "$tmp/grade"
printf '#!/bin/sh\necho "grade: no memory" >&2\nexit 2\n' \
    >"$root/source/build/bin/grade"
chmod +x "$root/source/build/bin/grade"
hand_in "$tmp/lab.cu"
[ $? -eq 2 ] && [ ! -e "$root/results/results.json" ] &&
    grep -q 'lab 05 could not be graded: no memory' "$tmp/err"
ok "a grader that cannot work gives no grade"

upload "03 08"
solution 08_uneven_chunks "$tmp/08.cu"
hand_in "$tmp/08.cu"
score 100 && grep -q '03_pinned_memory: no file' "$root/results/results.json"
ok "two labs, one handed in: its points, and a word for the other"

# What they run, in a students' copy, in their order.
cd "$root/source" || exit 1
for site in github/grade.yml gitlab/gitlab-ci.yml; do
    grep -oE '(make tools|tools/grade-lab|make results) .*|make tools$' \
        "$tmp/repo/tools/sites/$site" >"$tmp/steps"
    [ "$(wc -l <"$tmp/steps")" = 3 ] &&
        LABS=08 sh "$tmp/steps" >"$tmp/out" 2>"$tmp/err" </dev/null &&
        grep -q '<failure' build/results/results.xml &&
        ! LABS=08 sh -c "$(sed -n 2p "$tmp/steps")" >"$tmp/out" 2>&1
    ok "$site: a skeleton does not pass"
    cp "$tmp/08.cu" labs/08_uneven_chunks/lab.cu
    LABS=08 sh -e "$tmp/steps" >"$tmp/out" 2>"$tmp/err" </dev/null &&
        ! grep -q '<failure' build/results/results.xml
    ok "$site: a solution does"
    cp skeletons/08_uneven_chunks.cu labs/08_uneven_chunks/lab.cu
done
make -s -C "$tmp/repo" gradescope LAB=99 >"$tmp/out" 2>"$tmp/err"
[ $? -ne 0 ] && grep -q "no lab '99'" "$tmp/err"
ok "no such lab: said in one line"
echo "1..$count"
