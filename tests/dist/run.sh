#!/bin/bash
# run.sh: what make dist and make student-repo make: the same each time, without
# solutions, and of use where only g++ and make are. BARE= names the root of a
# bare Debian to try it in, too. Prints TAP, then `N passed, N failed`.
set -u
unset MAKEFLAGS MFLAGS MAKELEVEL # of the make that called this
cd "$(dirname "$0")/../.." || exit 2
. tests/tap.sh
root=$PWD
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
tap=$root/build/dist.tap
mkdir -p build

# A repository with one commit: what is here, committed or not.
make_repository() {
    mkdir "$tmp/repo" && tools/sources '*' '.*' | tar cf - -T - |
        tar xf - -C "$tmp/repo" && cd "$tmp/repo" && git init -q . &&
        git add -A && git -c user.name=T -c user.email=t@localhost \
            commit -qm test
}

# The same commit, from another folder, by another user's habits.
check_bytes() {
    (make_repository && tools/dist build) >"$tmp/out" 2>"$tmp/err"
    ok "the archives are made"
    made=$tmp/repo/build/dist
    version=$(cat VERSION)
    name=cuda-streams-lab-$version
    (cd "$made" && sha256sum -c --quiet SHA256SUMS &&
        [ "$(wc -l <SHA256SUMS)" = 6 ]) >"$tmp/out" 2>"$tmp/err"
    ok "their sums are theirs"
    git clone -q "$tmp/repo" "$tmp/again" && (cd "$tmp/again" && umask 077 &&
        touch README.md && TZ=Asia/Tokyo LC_ALL=C.UTF-8 tools/dist build) \
        >"$tmp/out" 2>"$tmp/err" &&
        cmp "$made/SHA256SUMS" "$tmp/again/build/dist/SHA256SUMS"
    ok "another clone of the commit gives the same bytes"
    for one in "$name" "$name-student" "vgpu-$(cat vgpu/VERSION)"; do
        TZ=UTC tar tvf "$made/$one.tar.xz" >"$tmp/out" &&
            [ "$(awk '{ print $2, $4, $5 }' "$tmp/out" | sort -u | wc -l)" \
                = 1 ] && grep -q ' 0/0 ' "$tmp/out" &&
            ! grep -qv '^-rwxr-xr-x\|^-rw-r--r--' "$tmp/out" &&
            tar tf "$made/$one.tar.xz" | LC_ALL=C sort -c
        ok "$one: sorted, of one time, of nobody"
        gzip -dc "$made/$one.tar.gz" | cmp - <(xz -dc "$made/$one.tar.xz") \
            >"$tmp/out" 2>&1
        ok "... and the same as .tar.gz"
        tar xf "$made/$one.tar.xz" -C "$tmp"
    done
    diff <(cd "$tmp/repo" && git ls-files | LC_ALL=C sort) \
        <(cd "$tmp/$name" && find . -type f | sed 's|^\./||' |
            LC_ALL=C sort) >"$tmp/out" 2>&1
    ok "the teachers' has all that is committed"
}

# solution_lines FILE...: where lines of solutions stand in them.
solution_lines() {
    local lab pairs=()
    for lab in solutions/*/; do
        lab=$(basename "$lab")
        mkdir -p "$tmp/solved/$lab" "$tmp/begun"
        tools/skeleton --solution "solutions/$lab/lab.cu" \
            >"$tmp/solved/$lab/lab.cu"
        tools/skeleton "solutions/$lab/lab.cu" >"$tmp/begun/$lab.cu"
        pairs+=("$tmp/solved/$lab/lab.cu" "$tmp/begun/$lab.cu")
    done
    awk -f tests/dist/leaks.awk "${pairs[@]}" -- "$@"
}

check_contents() {
    local student=$tmp/$name-student
    [ ! -e "$student/solutions" ] && [ ! -e "$student/tests" ] &&
        [ ! -e "$student/.git" ] &&
        [ "$(ls "$student/skeletons")" = \
            "$(cd labs && ls -d [0-9]*_* | sed 's/$/.cu/')" ]
    ok "the students' has skeletons and no solutions, tests, history"
    ! grep -rlE '(teachers>|<teachers|// *solution>|^ *//\|)' "$student" \
        --include='*.cu' --include='*.md' --include=Makefile >"$tmp/out"
    ok "... no markers"
    solution_lines "$tmp/solved/08_uneven_chunks/lab.cu" | grep -q 08_
    ok "a solution's lines are found where they are"
    # Of a lab and of its skeleton apart, one is enough.
    solution_lines $(find "$student" -type f ! -name hints.md \
        ! -path '*/skeletons/*') | sed "s|^$student/||; s|:.*||" | sort -u \
        >"$tmp/out"
    sed -n '/make test-dist. looks/,$s/^| `\([^`]*\)` |.*/\1/p' \
        docs/students-copy.md | sort | diff - "$tmp/out" >"$tmp/err"
    ok "a solution's lines stand where docs/students-copy.md says, only"
    (cd "$student" && "$root/tools/check-links" $(find . -name '*.md' \
        ! -name mistakes.md)) >"$tmp/out" 2>"$tmp/err" && [ ! -s "$tmp/out" ]
    ok "... its links lead somewhere"
    # In code, and in lines that are code: "make" is a word, too.
    sed -n 's/^\([a-z][a-z0-9 -]*\):.*/\1/p' "$student/Makefile" |
        tr ' ' '\n' >"$tmp/targets"
    (cd "$student" && grep -rnoE '(`|^    )make [a-z][a-z0-9-]*' \
        --include='*.md' . | grep -vE 'make lab[0-9N]*$' | while read -r line; do
        grep -qx "${line##* }" "$tmp/targets" || echo "$line"
    done) >"$tmp/out"
    [ -s "$tmp/targets" ] && [ ! -s "$tmp/out" ]
    ok "... each command that its pages name is there"
    grep -oh 'tools/[a-z][a-z-]*' "$student/Makefile" | sort -u |
        while read -r file; do
            [ -e "$student/$file" ] || echo "$file"
        done >"$tmp/out"
    [ ! -s "$tmp/out" ] && ! grep -q 'tests/[a-z]*/\?[a-z]*\.sh' \
        "$student/Makefile"
    ok "... its Makefile calls what is there"
}

# use_it NAME FOLDER COMMAND...: what students do in it, where COMMAND leads.
use_it() {
    local where=$1 place=$2
    shift 2
    "$@" make demo >"$tmp/out" 2>"$tmp/err" </dev/null &&
        grep -q 'in chunks' "$tmp/out" && grep -q 'vgpu: hazard' "$tmp/out" &&
        [ -s "$place/build/demo/hazard.html" ]
    ok "$where: make demo"
    "$@" make lab08 >"$tmp/out" 2>"$tmp/err" </dev/null &&
        grep -q 'Kernels' "$tmp/out" && [ -s "$place/build/lab08.html" ]
    ok "$where: make lab08"
    "$@" make grade LAB=08 >"$tmp/out" 2>"$tmp/err" </dev/null &&
        grep -q 'attempt 1' "$tmp/out" &&
        grep -q '"passed": false' "$place/build/results/08.json"
    ok "$where: make grade, the skeleton does not pass"
    "$@" make quiz LAB=08 >"$tmp/out" 2>"$tmp/err" < <(yes a | head -n 40) &&
        [ -s "$place/build/state/quiz/08" ]
    ok "$where: make quiz"
    cp "$tmp/solved/08_uneven_chunks/lab.cu" "$place/labs/08_uneven_chunks/"
    "$@" make grade LAB=08 >"$tmp/out" 2>"$tmp/err" </dev/null &&
        grep -q '"passed": true' "$place/build/results/08.json"
    ok "$where: make grade, a solution passes"
    "$@" make solution LAB=08 >"$tmp/out" 2>"$tmp/err" </dev/null
    [ $? -ne 0 ] && grep -q 'no solutions' "$tmp/err" &&
        "$@" make reset LAB=08 >"$tmp/out" 2>"$tmp/err" </dev/null &&
        cmp -s "$place/labs/08_uneven_chunks/lab.cu" \
            "$place/skeletons/08_uneven_chunks.cu"
    ok "$where: make solution has none, make reset has the skeleton"
    "$@" make sweep LAB=08 >"$tmp/out" 2>"$tmp/err" </dev/null
    [ $? -ne 0 ] && grep -q 'this copy has no solution to show' "$tmp/out" &&
        ! grep -q 'No such file' "$tmp/err"
    ok "$where: make sweep of a skeleton has nothing to show instead"
}

# On PATH only what a Debian always has, and what g++ and make bring.
use_in_clean_place() {
    local program
    if ! command -v dpkg-query >/dev/null; then
        skip "in a clean environment" "which programs are a bare Debian's: \
this is none"
        return
    fi
    mkdir "$tmp/bin" "$tmp/home"
    for program in $(dpkg-query -W -f '${Package} ${Essential}\n' |
        awk '$2 == "yes" { print $1 }' | xargs dpkg-query -L mawk coreutils \
        2>/dev/null | grep -E '^(/usr)?/bin/[^/]+$'); do
        ln -sf "$(command -v "${program##*/}")" "$tmp/bin/"
    done
    for program in awk cc gcc g++ make as ld ar objcopy; do
        ln -sf "$(command -v $program)" "$tmp/bin/"
    done
    rm -f "$tmp/bin/perl"*
    cd "$tmp/$name-student" || return
    use_it "clean environment" "$PWD" env -i PATH="$tmp/bin" HOME="$tmp/home" \
        TERM=dumb
    cd "$root" || exit
}

# The virtual GPU, where nothing of the course is: its own quicker suites, and some
# of the longer ones.
use_vgpu_alone() {
    cd "$tmp/vgpu-$(cat vgpu/VERSION)" || return
    mkdir build && ln -s "$root/build/packages" build # fetched once
    tests/setup.sh >"$tmp/out" 2>"$tmp/err" &&
        CFLAGS='-O0 -g' tests/run.sh unit cli >"$tmp/out" 2>"$tmp/err" &&
        tests/conformance/run.sh event_wait memset_values \
            >>"$tmp/out" 2>>"$tmp/err"
    ok "the virtual GPU is built and tested alone"
    ! grep -rnE '(^|[^a-z/])(labs|solutions|grader|common|timeline)/' \
        --include=*.[ch] --include=Makefile --exclude-dir=tests . >"$tmp/out"
    ok "... and names no folder of the course"
    cd "$root" || exit
}

use_in_bare_root() {
    if [ -z "${BARE:-}" ]; then
        skip "in a bare Debian" "BARE= names no root"
        return
    fi
    inside=$(mktemp -d "$BARE/tmp/students.XXXXXX") || return
    trap 'rm -rf "$inside"' EXIT # of the pipe's shell, which this is in
    tar xf "$made/$name-student.tar.xz" -C "$inside" --strip-components=1 &&
        [ ! -e "$BARE/usr/bin/clang" ] && [ ! -e "$BARE/usr/bin/python3" ]
    ok "bare Debian: it is bare"
    # /proc is mounted for what runs there, and for nobody else.
    bare=(unshare --mount --fork sh -c '
        mount -t proc proc "$1/proc" && shift && exec "$@"' sh "$BARE"
        env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=dumb
        chroot "$BARE" sh -c 'cd "$0" && exec "$@"' "/tmp/${inside##*/}")
    use_it "bare Debian" "$inside" "${bare[@]}"
    mkdir -p "$inside/gs"/{source,submission,results} &&
        (cd "$tmp/repo" && make -s gradescope LAB=05) >"$tmp/out" 2>"$tmp/err" &&
        unzip -q "$made/gradescope-05.zip" -d "$inside/gs/source" &&
        cp "$tmp/solved/05_default_stream/lab.cu" \
            solutions/05_default_stream/flags "$inside/gs/submission" &&
        for step in source/setup.sh source/run_autograder; do
            "${bare[@]}" env AUTOGRADER="/tmp/${inside##*/}/gs" "gs/$step" \
                >"$tmp/out" 2>"$tmp/err" </dev/null || break
        done && grep -q '^  "score": 100,$' "$inside/gs/results/results.json"
    ok "bare Debian: Gradescope's autograder, lab 05 with its flags"
}

check_repository() {
    local to="$tmp/a class"
    (cd "$tmp/repo" && make student-repo DIR="$to") >"$tmp/out" 2>"$tmp/err" &&
        diff -r --exclude=.git "$to" "$tmp/$name-student" >"$tmp/out" 2>&1
    ok "make student-repo has the files of the students' archive"
    git clone -q "$to" "$tmp/cloned" && [ "$(git -C "$tmp/cloned" rev-list \
        --all --count)" = 1 ] && [ -z "$(git -C "$to" status --porcelain)" ]
    ok "... and one commit"
    git -C "$to" cat-file --batch-check --batch-all-objects |
        awk '$2 == "blob" { print $1 }' | sort >"$tmp/out"
    git -C "$to" ls-tree -r HEAD | awk '{ print $3 }' | sort -u |
        cmp -s - "$tmp/out"
    ok "... in which there is nothing else"
    (cd "$tmp/repo" && tools/dist --student "$to") >"$tmp/out" 2>"$tmp/err"
    [ $? = 2 ] && grep -q 'is there already' "$tmp/err"
    ok "a folder that is there is left alone"
    (cd "$tmp/repo" && tools/dist --student "") >"$tmp/out" 2>"$tmp/err"
    [ $? = 2 ] && [ "$(wc -l <"$tmp/err")" = 1 ]
    ok "no folder: one line"
    (cd "$tmp/$name" && tools/dist build) >"$tmp/out" 2>"$tmp/err"
    [ $? = 2 ] && grep -q 'needs the git repository' "$tmp/err"
    ok "without git: one line"
    (cd "$tmp/again" && echo '# teachers>' >>Makefile && git -c user.name=T \
        -c user.email=t@localhost commit -qam open && rm -rf build &&
        tools/dist build) >"$tmp/out" 2>"$tmp/err"
    [ $? = 2 ] && grep -q 'Makefile: markers' "$tmp/err" &&
        [ ! -e "$tmp/again/build" ]
    ok "a marker that is not closed: no archive"
}

skip() { # NAME WHY
    count=$((count + 1))
    echo "ok $count - $1 # SKIP $2"
}

{
    check_bytes
    check_contents
    check_repository
    use_vgpu_alone
    use_in_clean_place
    use_in_bare_root
    echo "1..$count"
} | tee "$tap"
tap_sum "$tap"
