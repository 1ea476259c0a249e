#!/bin/bash
# kept.t: what is kept of green test runs, and that a change of anything that a
# suite depends on makes it run again. Prints TAP.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
unset KEPT KEPT_STATE
export KEPT_HOME=$tmp/home HOME=$tmp
suites=$(awk '!/^ *(#|$|@)/ { sub(/\*/, "08", $1); print $1 }' tests/inputs)
git rev-parse HEAD >/dev/null 2>&1 || {
    echo "1..0 # SKIP no git here: nothing is kept"
    exit 0
}

# ---- a tree of its own, with a suite that counts its runs ---------------------

mkdir "$tmp/tree" "$tmp/bin"
cp -R --parents tests/kept.sh tests/tap.sh "$tmp/tree"
cd "$tmp/tree" || exit 1
printf '%s\n' '@both a' 'count @both sub/%*' 'lab-* @both labs/%_*' >tests/inputs
mkdir -p sub labs/01_x labs/02_y
echo 1 | tee a b sub/c labs/01_x/d >labs/02_y/e
cat >count.sh <<'END'
echo x >>"$RUNS"
echo "ok 1 - one"
[ ! -e "$RUNS.bad" ] || { echo "not ok 2 - two"; exit 1; }
echo "1..1"
END
commit() {
    git add -A && git -c user.name=a -c user.email=a@b.c commit -qm "$1"
}
git init -q && commit first
export RUNS=$tmp/runs

# suite [NAME]: what a run says; how often it has run: $tmp/runs.
suite() {
    bash -c '. tests/kept.sh; kept_begin; kept "$1" bash count.sh; s=$?
        kept_end; exit $s' _ "${1:-count}" >"$tmp/out" 2>"$tmp/err"
}
# runs N: has it run so often?
runs() { [ "$(wc -l <"$tmp/runs")" = "$1" ]; }

suite && runs 1 && grep -qx 'ok 1 - one' "$tmp/out"
ok 'what is new is run'
suite && runs 1 && grep -qx 'ok 1 - one # SKIP kept' "$tmp/out"
ok 'what was green is not run again, and says so'
KEPT=0 suite && runs 2 && grep -qx 'ok 1 - one' "$tmp/out"
ok 'KEPT=0 runs it'
echo 2 >b && suite && runs 2
ok 'a file that it does not depend on changes nothing'
git checkout -q b
echo 2 >a && suite && runs 3 && suite && runs 4
ok 'one that it does makes it run, and a changed tree keeps nothing'
commit second && suite && runs 5 && suite && runs 5
ok '... a clean one does'
echo 1 >a && suite && runs 5
ok 'what was kept is there when all is as it was'
git checkout -q a
echo 1 >sub/new && suite && runs 6
ok 'so does a file that is new'
rm sub/new
chmod +x a && suite && runs 7
ok '... one that can be run now'
git checkout -q a
rm sub/c && suite && runs 8
ok '... one that is gone'
git checkout -q sub
printf '#!/bin/sh\necho a compiler of another version\n' >"$tmp/bin/gcc"
chmod +x "$tmp/bin/gcc"
PATH=$tmp/bin:$PATH suite && runs 9
ok '... another compiler'
CFLAGS=-O3 suite && runs 10
ok '... other options'
touch "$tmp/runs.bad"
echo 3 >a && commit third
! suite && runs 11 && ! suite && runs 12
ok 'what fails is run each time, and its status is kept'
rm "$tmp/runs.bad"
suite lab-01 && runs 13 && echo 2 >labs/02_y/e && suite lab-01 && runs 13 &&
    echo 2 >labs/01_x/d && suite lab-01 && runs 14
ok 'a lab depends on its own files'
git checkout -q labs
suite unknown && suite unknown && runs 16
ok 'a suite that tests/inputs does not know is run'
rm -rf .git && suite && runs 17 && [ ! -s "$tmp/err" ]
ok 'without git all is run'
cd - >/dev/null || exit 1

# ---- tests/inputs -------------------------------------------------------------

. tests/kept.sh
kept_begin
for name in $suites; do
    specs=$(kept_inputs "$name")
    none=$(for one in $specs; do
        case $one in
        :!*) one=${one#:!} ;;
        esac
        [ -n "$(kept_git ls-files -- "$one" | head -n 1)" ] || echo "$one"
    done)
    echo "$name: $none" >"$tmp/log"
    # A lab has flags or not.
    [ -n "$specs" ] && [ -z "$(echo "$none" | grep -v '/flags$')" ]
    ok "inputs of $name are there"
    # Of each input the hash is in the key: another one is another key.
    kept_files "$name" >"$tmp/files"
    key=$(kept_key "$name")
    cp "$KEPT_STATE/index" "$tmp/index"
    shuf -n 2 --random-source=tests/inputs "$tmp/files" |
        while read -r mode _ _ file; do
            kept_git update-index --cacheinfo \
                "$mode,$(git hash-object tests/inputs | tr 0-9a-f 1-9a-f0),$file" ||
                exit
            [ "$(kept_key "$name")" != "$key" ] || echo "$file"
            cp "$tmp/index" "$KEPT_STATE/index"
        done >"$tmp/log" 2>&1
    [ ! -s "$tmp/log" ] && [ "$(kept_key "$name")" = "$key" ]
    ok "... and a change of one makes it run"
done
kept_end
echo "1..$count"
