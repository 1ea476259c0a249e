#!/bin/bash
# check_labs.t: does check-labs notice what it is for? In a damaged copy.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
for tool in grade results vgpucc; do
    if [ ! -x "build/bin/$tool" ]; then
        echo "1..0 # SKIP build/bin/$tool is not built"
        exit 0
    fi
done
place=$tmp/place
lab=08_uneven_chunks
mkdir -p "$place"/{labs,solutions,vgpu,build,slides}
echo '# A deck' >"$place/slides/$lab.md"
# With their times: what is compiled already needs not be again.
cp -Rp tools grader common "$place"
cp -Rp vgpu/include "$place/vgpu"
cp -Rp build/bin build/lib "$place/build"
[ ! -d build/obj/vgpu/grade ] || cp -Rp --parents build/obj/vgpu/grade "$place"
cp -Rp labs/$lab labs/README.md labs/mistakes.md "$place/labs"
cp -R solutions/$lab "$place/solutions"
# Its README shows a figure of another lab, and drawings of the decks.
cp -R --parents labs/07_chunked_overlap/figures slides/drawings "$place"
mkdir -p "$place"/tests/{corpus,cheats}
cp -R tests/corpus/$lab "$place/tests/corpus"
cp -R tests/cheats/$lab tests/cheats/any_lab "$place/tests/cheats"
cd "$place" || exit 1
tools/skeleton solutions/$lab/lab.cu >labs/$lab/lab.cu
# nvcc is slow, and vgpucc says the same here.
export CUDA_HOME=$tmp PATH=/usr/local/bin:/usr/bin:/bin
check() {
    tools/check-labs "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
    rc=$?
}
# The test that failed, and what it said: complains TEST TEXT
complains() {
    awk -v test="$1" '/^(not )?ok/ { here = /^not ok/ && index($0, test) }
                      here' "$tmp/out" | grep -qF -- "$2"
}

# The README's of other folders are not here.
sed -i 's/(\.\.\/[^)]*)/(README.md)/g; s/([01][0-9]_[^)]*)/(08_uneven_chunks\/README.md)/g' labs/README.md
sed -i 's/(\.\.\/[^)]*)/(README.md)/g' grader/README.md
check 08
[ $rc -eq 0 ] && [ ! -s "$tmp/err" ] && ! grep -q '^not ok' "$tmp/out" &&
    [ "$(tail -n 1 "$tmp/out")" = "1..$(grep -c '^ok' "$tmp/out")" ]
ok 'a lab that is as it should be'

cp -Rp labs solutions "$tmp"
mv slides/$lab.md "$tmp"
sed -i '/^## Further reading/d' labs/$lab/README.md
printf '%s\n' '[a](none.md) [b](README.md#no-such) [c][nowhere]' \
    '[d](#lab-08-uneven-chunks) `[e](code.md)` [f](https://example.org/x)' \
    '[g](../../actions/x)' >>labs/$lab/README.md
awk '/^### Almost/ && !n++ { next } { print }' "$tmp/labs/$lab/hints.md" \
    >labs/$lab/hints.md
awk '/^## Q2/ { q = 1 } /^## Q3/ { q = 0 } q && /^>/ { next }
     { print }' "$tmp/labs/$lab/quiz.md" |
    sed 's/^- \[ \] 64$/- [x] 64/' >labs/$lab/quiz.md
awk '/^Read: / && !n++ { print "Read: Nowhere"; next }
     { sub(/^## tail-kernel$/, "## kernel-of-the-tail"); print }
     END { print "\n## silent"
           print "\n## clang-alone\n\n<!-- no submission: only clang -->\n\nNo." }
    ' "$tmp/labs/$lab/mistakes.md" >labs/$lab/mistakes.md
sed -i 's|^    // solution>|&\n    int unused_here;|; s/sdiv(num_entries, /sdiv(0 + num_entries, /' \
    solutions/$lab/lab.cu
printf '// %081d\n' 1 >>solutions/$lab/lab.cu
sed -i 's/^All the work is done .*/All the work is done twice./
    s|right: one entry: .*|right: two entries: wrong/none.diff|' \
    tests/corpus/$lab/promises.txt
check 08
[ $rc -eq 1 ]
ok 'a lab with many mistakes'
complains 'has a deck' "slides/$lab.md is missing"
ok '... a deck'
complains 'README.md is complete' "no section 'Further reading'"
ok '... a section of README.md'
complains 'hints.md' 'TODO 1: 2 hints, not 3'
ok '... a step of a ladder'
complains 'quiz.md' 'Q2 explains nothing' &&
    complains 'quiz.md' 'Q1 has 2 right answers'
ok '... a question without an explanation, one that hides how many'
complains '80 columns' '84 columns'
ok '... a line that is too wide'
complains 'in step' 'Write it anew'
ok '... a skeleton that is not what the solution makes'
complains 'vgpucc and g++' 'unused_here'
ok '... a warning'
complains 'submissions apply' 'floor_division.diff: does not apply: -    const'
ok '... a submission that does not apply any more'
complains 'agree' 'no section "tail-kernel", which the rules return'
ok '... a name that has no words'
complains 'agree' '"kernel-of-the-tail" is returned by no rules' &&
    complains 'agree' '"silent" has no words'
ok '... words that are never shown, a section without any'
complains 'agree' 'a submission expects "tail-kernel", which has no section'
ok '... a submission that expects what there is not'
complains 'agree' 'no submission expects "kernel-of-the-tail"' &&
    ! complains 'agree' 'no submission expects "clang-alone"'
ok '... a name that no submission expects, but for good reason'
complains 'agree' 'README.md has no heading "Nowhere"'
ok '... a heading to read that is not in README.md'
complains 'lab.h has a case' 'no row for "All the work is done when' &&
    complains 'lab.h has a case' 'does not say "All the work is done twice."' &&
    complains 'lab.h has a case' 'no case "right: two entries"' &&
    complains 'lab.h has a case' 'wrong/none.diff does not exist'
ok '... a promise without a case, a row for none'
complains 'links' 'none.md is not there' &&
    complains 'links' 'README.md#no-such: no such heading' &&
    complains 'links' '[nowhere] is defined nowhere' &&
    complains 'links' '../../actions/x is not there' &&
    ! complains 'links' code.md && ! complains 'links' '#lab-08' &&
    ! complains 'links' example.org
ok '... links, but not those in code or to elsewhere'

rm -rf labs solutions && cp -Rp "$tmp/labs" "$tmp/solutions" .
mv "$tmp/$lab.md" slides
tools/skeleton --solution solutions/$lab/lab.cu >right
awk '/^    for/ && !n++ {
         print "    // solution>"
         print "    CHECK(cudaDeviceSynchronize());"
         print "    //| // TODO 1: nothing to do here"
         print "    // <solution" }
     { print }
     /cudaMemcpyDeviceToHost/ { back = 1 }
     back && /streams\[s\]/ { print "        CHECK(cudaDeviceSynchronize());"
                              back = 0 }' right >solutions/$lab/lab.cu
tools/skeleton solutions/$lab/lab.cu | grep -v DeviceSynchronize \
    >labs/$lab/lab.cu
cp labs/$lab/lab.cu skeleton
check 08
[ $rc -eq 1 ] && complains 'the solution passes' 'not passed'
ok 'a solution that does not pass'
complains 'the skeleton fails' 'TODO 1' || complains 'the skeleton fails' passes
ok 'a skeleton that has no open TODO to name'
check 99
[ $rc -eq 2 ] && grep -q "no lab '99'" "$tmp/err"
ok 'an unknown lab'
echo "1..$count"
