#!/bin/bash
# similarity.t: make similarity with a stand-in for Dolos, of the same interface:
# who is compared, without what, and what is written. And without Dolos.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
root=$PWD
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
unset OUT DOLOS NODE
out=$tmp/class
mkdir -p "$out/08/ann" "$out/08/b+20b" "$out/08/cy" "$out/08/gone"
printf 'student,lab,status,score,json,version\n%s\n%s\n%s\n%s\n' \
    '"ann","08",passed,1,"08/ann.json",""' \
    '"b, ""b""","08",passed,1,"08/b+20b.json",""' \
    '"cy","08",passed,1,"08/cy.json",""' \
    '"none","08",not graded,,"",""' >"$out/08/grades.csv"
for who in ann b+20b cy gone; do
    echo "text of ${who%%+*}" >"$out/08/$who/lab.cu"
done
run() {
    OUT=$out tools/similarity build "$@" >"$tmp/out" 2>"$tmp/err"
    rc=$?
}
DOLOS=$tmp/none run 08
[ $rc -eq 2 ] && [ ! -s "$tmp/out" ] && [ "$(wc -l <"$tmp/err")" -eq 1 ] &&
    grep -q "npm --prefix $tmp/none install @dodona/dolos-lib" "$tmp/err"
ok 'without Dolos: one line, and how to get it'
if ! command -v node >/dev/null; then
    echo "1..$count"
    exit 0
fi
lib=$tmp/dolos/node_modules/@dodona/dolos-lib
mkdir -p "$lib/dist"
echo '{"type": "module"}' >"$lib/package.json"
cat >"$lib/dist/index.js" <<'END'
export class File {
  constructor(path, content) { this.path = path; this.content = content; }
}
export class Dolos {
  constructor(options) { this.language = options.language; }
  async analyze(files, name, ignored) {
    if (this.language !== "cpp" || !ignored.content.includes("TODO 1")) {
      throw new Error("not as it should be called");
    }
    const pair = (a, b, similarity, longest) =>
      ({leftFile: files[a], rightFile: files[b], similarity, longest});
    console.error(files.map((file) => file.content.trim()).join(", "));
    return {allPairs: () => [pair(0, 1, 0.25, 9), pair(1, 2, 0.96875, 51),
      pair(0, 2, 0.25, 10)]};
  }
}
END
export DOLOS=$tmp/dolos
run 08
[ $rc -eq 0 ] && grep -qx 'text of ann, text of b, text of cy' "$tmp/err"
ok 'those who have a grade are compared, without what students begin with'
diff "$out/08/similarity.csv" - >"$tmp/log" <<'END'
similarity,longest,student,other
0.969,51,"b, ""b""","cy"
0.250,10,"ann","cy"
0.250,9,"ann","b, ""b"""
END
ok 'a table, the most similar first'
grep -qx ' *0.969 *51  b, "b", cy' "$tmp/out"
ok '... and the pairs for a person'
cp "$out/08/grades.csv" "$tmp/kept"
mkdir "$out/08/dan" "$out/08/eve" && cp "$out/08/cy/lab.cu" "$out/08/dan/" &&
    tools/skeleton solutions/08_uneven_chunks/lab.cu >"$out/08/eve/lab.cu" &&
    mkdir "$out/08/fay" && cp "$out/08/eve/lab.cu" "$out/08/fay/"
for who in dan eve fay; do
    echo "\"$who\",\"08\",passed,1,\"08/$who.json\",\"\"" >>"$out/08/grades.csv"
done
run 08
[ $rc -eq 0 ] && grep -qx 'the same file: cy, dan' "$tmp/out" &&
    grep -qx 'the same file, what students begin with: eve, fay' "$tmp/out" &&
    grep -q '^text of ann, text of b, text of cy, /\* lab' "$tmp/err" &&
    [ "$(sort "$out/08/same_files.csv" | cut -d, -f 2 | paste -sd' ')" = \
        '"cy" "dan" "eve" "fay" student' ]
ok 'equal files are one to compare, and groups of "the same file"'
mv "$tmp/kept" "$out/08/grades.csv"
run 99
[ $rc -eq 2 ] && grep -q "no lab '99'" "$tmp/err"
ok 'an unknown lab: one line'
run '07 08'
[ $rc -eq 2 ] && grep -q 'no .*/07/grades.csv' "$tmp/err" &&
    grep -q '^lab 08: 3 submissions' "$tmp/out"
ok 'a lab that was not graded is named, the other one is done'
head -n 2 "$out/08/grades.csv" >"$tmp/one" && mv "$tmp/one" "$out/08/grades.csv"
run 08
[ $rc -eq 2 ] && [ "$(cat "$tmp/err")" = 'similarity: lab 08 has 1 submissions' ]
ok 'one submission: nothing to compare'
echo "1..$count"
