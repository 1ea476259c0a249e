#!/bin/sh
# tools.t: skeletons, reset and hints, in a copy of the parts they need.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
cp -R tools labs solutions "$tmp" && mkdir "$tmp/timeline" &&
    cp timeline/palette.* "$tmp/timeline" || exit 1
cd "$tmp" || exit 1
rm -f labs/*/lab.cu.bak*
skeleton_of() { # TEXT [OPTION]: what the generator makes of it
    printf '%b' "$1" | tools/skeleton "${2:-}" 2>"$tmp/errors"
}
refused() { # TEXT MESSAGE: an error, and nothing printed
    out=$(skeleton_of "$1")
    [ $? -eq 1 ] && [ -z "$out" ] && grep -qF "$2" "$tmp/errors"
}

both='a\n  // solution>\n  b\n  //| c\n  //|\n  // <solution\nd\n'
[ "$(skeleton_of "$both")" = "$(printf 'a\n  c\n\nd')" ]
ok 'the skeleton gets what stands behind //|, indented alike'
[ "$(skeleton_of "$both" --solution)" = "$(printf 'a\n  b\nd')" ]
ok 'the solution gets the rest'
both='# a\n# solution>\n-b\n#| # TODO 1\n# <solution\n'
[ "$(skeleton_of "$both")" = "$(printf '# a\n# TODO 1')" ] &&
    [ "$(skeleton_of "$both" --solution)" = "$(printf '# a\n-b')" ]
ok 'so it is where # begins a comment'

refused 'a\n// solution>\nb\n' 'input:2: "solution>" is never closed'
ok 'an open region is refused'
refused '// <solution\n' 'input:1: "<solution" without "solution>"'
ok 'a close without an open is refused'
refused '// solution>\n// solution>\n// <solution\n' 'input:2: "solution>"'
ok 'a region inside a region is refused'
refused 'a\n//| b\n' 'input:2: "//|" outside a region'
ok 'a replacement outside a region is refused'
refused '//solution>\n' 'input:1: not a marker'
ok 'a misspelt marker is refused'
! tools/skeleton no-such-file >/dev/null 2>&1
ok 'a missing file is an error'

lab=labs/08_uneven_chunks
tools/skeleton solutions/08_uneven_chunks/lab.cu >fresh
cp fresh "$lab/lab.cu"
tools/reset-lab 08 >out && grep -q 'Nothing to do' out &&
    ! ls $lab/*.bak* >/dev/null 2>&1
ok 'resetting an untouched skeleton does nothing'
for work in one two three; do
    echo "$work" >$lab/lab.cu
    tools/reset-lab 8 >out || echo failed >>failures
done
[ ! -e failures ] && cmp -s fresh $lab/lab.cu &&
    [ "$(cat $lab/lab.cu.bak-* | sort | tr '\n' ' ')" = 'one three two ' ]
ok 'each reset keeps its own backup, within one second too'
echo work >$lab/lab.cu
echo '// solution>' >>solutions/08_uneven_chunks/lab.cu
! tools/reset-lab 08 >out 2>&1 && [ "$(cat $lab/lab.cu)" = work ]
ok 'without a skeleton, the file of the student stays'
cp fresh $lab/lab.cu
! tools/reset-lab 99 >out 2>&1 && grep -q 08_uneven_chunks out
ok 'an unknown lab is named, and so are the labs there are'

mkdir broken && printf '#!/bin/sh\nexit 127\n' >broken/awk && chmod +x broken/awk
for tool in 'hint 08' 'quiz 08' 'progress show' 'sweep build vgpu 08'; do
    # shellcheck disable=SC2086
    PATH=$tmp/broken:$PATH tools/$tool </dev/null >out 2>&1
    [ $? -eq 2 ] && [ "$(wc -l <out)" = 1 ] && grep -q 'needs awk' out ||
        echo "$tool" >>silent
done
[ ! -e silent ]
ok 'an awk that does not work is told in one line'
# The smallest awk there is, and whatever this machine calls awk.
mkdir small && printf '#!/bin/sh\nexec busybox awk "$@"\n' >small/awk &&
    chmod +x small/awk
cat >points <<'END'
device name=Tesla K20
point streams=1 gpus=1 student_ns=2e6 serial_ns=2e6 bound_ns=1e6 entries=10
point streams=2 gpus=1 student_ns=1e6 serial_ns=2e6 bound_ns=1e6 entries=10
point streams=2 gpus=2 student_ns=5e5 serial_ns=2e6 bound_ns=5e5 entries=10
END
mkdir -p build/bin && printf '#!/bin/sh\ncat points\n' >build/bin/grade &&
    chmod +x build/bin/grade
for path in "$tmp/small:$PATH" "$PATH"; do
    for tool in 'hint --all 08' 'progress show' 'sweep build vgpu 08' \
        'skeleton solutions/08_uneven_chunks/lab.cu'; do
        # shellcheck disable=SC2086
        PATH=$path tools/$tool </dev/null 2>&1
        echo "status $?"
    done >"awk.$((said = ${said:-0} + 1))"
    cat build/sweep_08.svg >>"awk.$said"
done
cmp -s awk.1 awk.2 && grep -q 'best: 0.500 ms' awk.1
ok 'busybox has an awk that will do'

first=$(tools/hint 08)
second=$(tools/hint 08)
echo "$first" | grep -q 'TODO 1, hint 1 of 3' &&
    echo "$second" | grep -q 'TODO 1, hint 2 of 3'
ok 'hints come one at a time'
grep -v 'TODO [12]:' fresh >$lab/lab.cu
tools/hint 08 | grep -q 'TODO 3, hint 1 of 3'
ok 'the hint is for the first TODO that is open'
tools/hint 08 2 | grep -q 'TODO 2, hint 1 of 3'
ok 'a hint for another TODO can be asked for'
tools/hint --reset 08 >out && tools/hint 08 1 | grep -q 'hint 1 of 3'
ok 'hints can start again'
grep -v TODO fresh >$lab/lab.cu
tools/hint 08 | grep -q 'No TODO comment is left' &&
    tools/hint 08 4 | grep -q 'TODO 4, hint 1 of 3'
ok 'no TODO is left: where to look, and hints when asked for by number'
cp fresh $lab/lab.cu
for n in 2 3 3; do
    tools/hint 08 >out
    grep -q "TODO 1, hint $n of 3" out || echo "no hint $n" >>awk.wrong
done
[ ! -f awk.wrong ] && grep -q 'last hint for TODO 1' out
ok 'hints end, and stay with the TODO that the grade names'
[ "$(tools/hint --all 08 | grep -c 'hint . of 3')" -eq 12 ]
ok 'all of them can be read at once'
! tools/hint 08 7 >out 2>&1
ok 'a TODO without hints is an error'

mkdir -p build slides/node_modules
touch build/made.md slides/node_modules/fetched.md slides/deck.md
tools/sources '*.md' '*.none' >out
grep -qx slides/deck.md out && grep -q '^labs/08.*/README.md$' out &&
    ! grep -e build -e node_modules out
ok 'without git, the sources are all files but those built or fetched'
echo "1..$count"
