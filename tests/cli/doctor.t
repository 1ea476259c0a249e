#!/bin/bash
# doctor.t: make doctor and make watch
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
root=$PWD
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
unset NO_COLOR CUDA_HOME VGPU_CXX CC MAKE MAKEFLAGS MAKELEVEL MFLAGS
run() {
    "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
    rc=$?
}
has() { grep -q -- "$1" "$tmp/out"; }

# ---- doctor ----

run tools/doctor
[ $rc -eq 0 ] && [ ! -s "$tmp/err" ] && has '^The labs run on the ' &&
    has 'C compiler' && has 'CUDA Toolkit' && has 'driver'
ok 'what is here, and which backend is used'
has "$(printf '\033')"
[ $? -eq 1 ]
ok 'no colour into a file'

# A copy without build/, with a PATH that has only what is put there.
place=$tmp/place
mkdir -p "$place" "$tmp/bin"
cp -R tools "$place"
for tool in awk basename cat cksum cp cut date df dirname grep head id ls \
    make mkdir mktemp nproc rm sed sh sleep tail tr uname unshare; do
    path=$(command -v $tool) && ln -s "$path" "$tmp/bin/$tool"
done
mkdir "$tmp/home" # a CUDA_HOME without anything
doctor() { run env PATH="$tmp/bin" CUDA_HOME="$tmp/home" "$@" \
    "$place/tools/doctor" build "${backend:-auto}"; }
doctor
[ $rc -eq 1 ] && [ ! -s "$tmp/err" ] && has 'NO .*C compiler' &&
    has 'apt install build-essential' && has 'NO .*C++ compiler' &&
    has 'No backend works here'
ok 'without compilers: what to install, status 1'
for tool in cc gcc g++ as ld; do
    path=$(command -v $tool) && ln -s "$path" "$tmp/bin/$tool"
done
if [ ! -x /usr/local/cuda/bin/nvcc ]; then
    doctor
    has 'no nvcc on PATH'
    ok 'no toolkit'
fi
doctor
[ $rc -eq 0 ] && has 'not built yet; make tools' && has '^The labs run on the'
ok 'with compilers, nothing built yet'
if ! grep -q ' ok .*driver' "$tmp/out"; then
    has 'The labs run on the virtual GPU' && has 'no NVIDIA driver\|driver'
    ok 'no driver: the virtual GPU, and why'
    backend=cuda
    doctor
    [ $rc -eq 0 ] && has 'BACKEND=cuda cannot be had'
    ok 'BACKEND=cuda without a GPU'
    unset backend
fi
doctor VGPU_CXX=false-compiler
[ $rc -eq 0 ] || has 'No backend works'
has 'none works: false-compiler'
ok 'VGPU_CXX names what is not there'
printf '#!/bin/sh\necho "Cuda compilation tools, release 11.8, V11.8.89"\n' \
    >"$tmp/bin/nvcc" && chmod +x "$tmp/bin/nvcc"
doctor
has 'NO .*CUDA Toolkit.*release 11.8' && has '12 or newer'
ok 'a toolkit that is too old'
rm "$tmp/bin/make"
doctor
[ $rc -eq 1 ] && has 'NO .*GNU Make not found'
ok 'no make'
ln -s "$(command -v make)" "$tmp/bin/make"
[ ! -e "$place/build" ]
ok 'doctor leaves nothing behind'
: >"$place/build"
doctor
[ $rc -eq 1 ] && has 'NO .*build/.*cannot be written'
ok 'build/ cannot be written'
rm -f "$place/build"
run env PATH="$tmp/bin" TMPDIR=/nonexistent "$place/tools/doctor"
[ $rc -ne 0 ] && [ "$(cat "$tmp/out" "$tmp/err" | wc -l)" -eq 1 ] &&
    grep -q TMPDIR "$tmp/err"
ok 'no temporary folder'

# ---- watch ----

if [ ! -x build/bin/results ]; then
    echo "1..$count"
    exit 0
fi
lab=08_uneven_chunks
mkdir -p "$place/labs" "$place/build/bin"
cp -R "labs/$lab" "$place/labs"
cp build/bin/results "$place/build/bin"
cat >"$place/build/bin/grade" <<'END'
#!/bin/sh
grep -q slow "labs/$5/lab.cu" && exec sleep 50.371
grep -q broken "labs/$5/lab.cu" && { echo "grade: it cannot" >&2; exit 2; }
passed=false score=20 status=1
grep -q TODO "labs/$5/lab.cu" || passed=true score=100 status=0
printf '{"labs": [{"lab": "%s", "backend": "vgpu", "passed": %s, "score": %s,
 "max_score": 100, "eta": 0.8, "speedup": 1.9, "checks": [{"name": "fast",
 "passed": %s, "line": "seen", "diagnosis": "seen. TODO 1 is open.",
 "diagnosis_id": "x", "read": "What to do"}]}]}\n' \
    "$5" $passed $score $passed >"$4"
exit $status
END
chmod +x "$place/build/bin/grade"
cd "$place" || exit 1
file=labs/$lab/lab.cu
echo '// TODO 1: begin' >$file
tools/watch build vgpu 08 >"$tmp/out" 2>"$tmp/err" </dev/null &
watch=$!
until_has() { # TEXT: within 20 seconds
    local n=0
    until has "$1"; do
        [ $((n += 1)) -lt 200 ] || return 1
        sleep 0.1
    done
}
until_has 'not passed: 20 of 100' && until_has 'TODO 1 is open' &&
    until_has 'Read: labs/08'
ok 'watch: graded at the start, in three lines'
echo '// done' >$file.new && mv $file.new $file
until_has ' passed: 100 of 100, 1.90x as fast'
ok 'watch: saved under another name and moved: graded again'
rm $file
sleep 1.5
echo '// broken' >$file
until_has 'grade: it cannot'
ok 'watch: gone for a while, then one that cannot be graded'
touch $file
sleep 1.5
[ "$(grep -c '^[0-9][0-9]:' "$tmp/out")" -eq 3 ]
ok 'watch: the same content is not graded again'
[ "$(tools/progress show $lab)" = "$lab yes 2 100 100 0.800 passed 100" ]
ok 'watch: attempts are counted'
echo '// slow' >$file
sleep 1.5
kill -TERM $watch
wait $watch
[ $? -eq 0 ] && has 'No longer watching' && [ ! -s "$tmp/err" ] &&
    ! grep -qs '50[.]371' /proc/[0-9]*/cmdline
ok 'watch: ends cleanly in the middle of a grade'
if script -qec true /dev/null >/dev/null 2>&1; then
    echo '// TODO 1: begin' >$file
    : >"$tmp/out"
    # The key is pressed when the grade is there, and the terminal stays open
    # until the answer is: no fixed time is enough on a busy machine.
    {
        until_has 'Read: labs/08'
        printf '\003'
        until_has 'No longer watching'
    } | script -qfec "exec sh tools/watch build vgpu 8" /dev/null \
        >"$tmp/out" 2>"$tmp/err"
    [ $? -eq 0 ] && has 'not passed: 20 of 100' && has 'No longer watching'
    ok 'watch: Ctrl-C in a terminal'
fi
echo "1..$count"
