#!/bin/bash
# sites.t: what make classroom50 and make prairielearn pack, unpacked as there is
# said and run as those sites run it
set -u
unset MAKEFLAGS MFLAGS MAKELEVEL
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
here=$PWD
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
for tool in git unzip python3; do
    command -v $tool >/dev/null || {
        echo "1..0 # SKIP no $tool"
        exit 0
    }
done
mkdir "$tmp/repo" && tools/sources '*' '.*' | tar cf - -T - |
    tar xf - -C "$tmp/repo" || exit 1
# Who packs it has done the lab, and committed that.
five=05_default_stream
cp solutions/$five/lab.cu solutions/$five/flags "$tmp/repo/labs/$five" &&
    git -C "$tmp/repo" init -q &&
    git -C "$tmp/repo" add -A && git -C "$tmp/repo" -c user.name=T \
    -c user.email=t@localhost commit -qm test || exit 1

# What is built there are the tools that are built here.
mkdir "$tmp/bin"
cat >"$tmp/bin/make" <<END_OF_MAKE
#!/bin/sh
case "\$* " in
*' -C '*' tools ')
    mkdir -p "\$3/build" && cp -R "$here/build/bin" "$here/build/lib" "\$3/build/"
    exit ;;
esac
exec $(command -v make) "\$@"
END_OF_MAKE
chmod +x "$tmp/bin/make"
pack() { # SITE LABS FOLDER
    mkdir -p "$3"
    make -s -C "$tmp/repo" "$1" LAB="$2" >"$tmp/out" 2>"$tmp/err" &&
        unzip -q "$tmp/repo/build/dist/$1-${2// /-}.zip" -d "$3"
}
solution() { # LAB FILE
    tools/skeleton --solution "solutions/$1/lab.cu" >"$2"
}
rules() { # FORMAT FILE
    if perl -MJSON::PP -e 1 2>/dev/null; then
        perl tests/cli/parts/json_rules.pl "$1" "$2" >"$tmp/out" 2>"$tmp/err"
    else
        python3 -m json.tool "$2" >/dev/null
    fi
}

# ---- Classroom 50 ----------------------------------------------------------------

bundle=$tmp/autograders/lab05 work=$tmp/checkout
pack classroom50 05 "$bundle" && [ -f "$bundle/autograder.py" ] &&
    ! tar -tzf "$bundle/grader.tar.gz" | grep -q '^solutions/\|^tests/'
ok 'Classroom 50: autograder.py and a grader, without solutions'
for file in lab.cu flags; do
    tar -xzOf "$bundle/grader.tar.gz" "labs/$five/$file" |
        cmp - <(tools/skeleton "solutions/$five/$file") || break
done
ok "... the skeleton's $file, and not that of who packs it"
mkdir "$work" && git -C "$work" init -q
submit() { # as the runner does
    git -C "$work" add -A && GIT_COMMITTER_DATE='2026-03-01T12:00:00Z' git -C \
        "$work" -c user.name=S -c user.email=s@localhost commit -qm work \
        --allow-empty && rm -f "$work/result.json" && (cd "$work" &&
        CLASSROOM=cs1 ASSIGNMENT=lab05 OWNER=ann SUBMISSION_TAG=submit/x \
            COMMIT_URL=https://c RELEASE_URL=https://r PATH=$tmp/bin:$PATH \
            python3 "$bundle/autograder.py" >"$tmp/out" 2>"$tmp/err")
}
result() { # TEXT: its whole has this member
    grep -q "^  $1,\{0,1\}\$" "$work/result.json"
}
solution 05_default_stream "$work/lab.cu"
cp solutions/05_default_stream/flags "$work/"
submit && result '"score": 100' && result '"max-score": 100' &&
    rules classroom50 "$work/result.json"
ok '... the solution of lab 05 with its flags gets 100, by the rules of result/v1'
result '"datetime": "2026-03-01T12:00:00Z"' && result '"classroom": "cs1"' &&
    result '"owner": "ann"' && grep -q '"graded_at": "2' "$work/result.json"
ok "... with the commit's time, and whose it is"
rm "$work/flags"
submit && ! result '"score": 100'
ok '... without the flags it does not'
git -C "$work" rm -q --cached lab.cu && rm "$work/lab.cu"
submit && result '"score": 0' && grep -q 'lab 05: no file: lab.cu' "$work/result.json" &&
    rules classroom50 "$work/result.json"
ok '... without a file: 0, and why'
echo x >"$work/cfile.c"
submit
[ $? -eq 1 ] && [ ! -e "$work/result.json" ] &&
    grep -q '^::error::.*cfile.c is no submission: lab.cu is wanted' "$tmp/err"
ok '... with a file of another kind: no grade, its name and the one that is wanted'
mv "$bundle/grader.tar.gz" "$tmp/"
submit
[ $? -eq 1 ] && [ ! -e "$work/result.json" ] && grep -q '^::error::' "$tmp/err"
ok '... a grader that cannot work: no grade, and a status that says so'

# ---- PrairieLearn ----------------------------------------------------------------

course=$tmp/course grade=$tmp/grade
pack prairielearn '03 08' "$course" && [ -f \
    "$course/serverFilesCourse/cuda_streams_lab/Containerfile" ] &&
    pack prairielearn 05 "$tmp/other" &&
    ! tar -tzf "$course"/serverFilesCourse/*/grader.tar.gz | grep -q '^solutions/'
ok 'PrairieLearn: a question and the grader, without solutions'
question=$course/questions/cuda_streams_lab_03-08
rules prairielearn_info "$question/info.json" &&
    rules prairielearn_info "$tmp/other/questions/cuda_streams_lab_05/info.json" &&
    ! cmp -s <(grep uuid "$question/info.json") \
        <(grep uuid "$tmp/other/questions/cuda_streams_lab_05/info.json")
ok '... info.json keeps the rules of its schema, each question its own uuid'
grep -q 'file-names="03.cu,08.cu"' "$question/question.html" &&
    grep -q 'file-names="lab.cu,flags"' "$tmp"/other/questions/*/question.html &&
    ! grep -q @ "$question/question.html" "$question/info.json"
ok '... question.html asks for the files'
hand_in() { # FILE...: laid out and run as there
    rm -rf "$grade" && mkdir -p "$grade/student" &&
        cp -R "$course/serverFilesCourse" "$grade/" &&
        cp -R "$question/tests" "$grade/" || return 1
    [ $# -eq 0 ] || cp "$@" "$grade/student/"
    entry=$(sed -n 's|.*"entrypoint": "/grade\(.*\)",|\1|p' "$question/info.json")
    GRADE=$grade TREE=$tmp/none PATH=$tmp/bin:$PATH \
        "$grade$entry" >"$tmp/out" 2>"$tmp/err"
}
solution 08_uneven_chunks "$tmp/08.cu"
hand_in "$tmp/08.cu" && rules prairielearn "$grade/results/results.json" &&
    grep -q '"score": 0.5,' "$grade/results/results.json" &&
    grep -q '03_pinned_memory: no file' "$grade/results/results.json"
ok '... one of two labs handed in: half of it, by the rules of results.json'
hand_in && rules prairielearn "$grade/results/results.json" &&
    grep -q '"gradable": false' "$grade/results/results.json" &&
    grep -q 'lab 03: no file' "$grade/results/results.json"
ok '... nothing handed in: it is not gradable, and why'
make -s -C "$tmp/repo" prairielearn LAB=99 >"$tmp/out" 2>"$tmp/err"
[ $? -ne 0 ] && grep -q "no lab '99'" "$tmp/err"
ok 'no such lab: one line'
echo "1..$count"
