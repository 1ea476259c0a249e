#!/bin/bash
# submission.t: does tools/submission make what a difference says, and nothing
# where it does not say where? On a small solution, in a copy.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$tmp/solutions/42_small" "$tmp/tests/corpus/42_small/wrong"
cp --parents tools/submission tools/skeleton tools/lab.sh "$tmp"
cd "$tmp" || exit 1
# What a file of before leaves is not what is looked for.
dir=tests/corpus/42_small/wrong
made=build/corpus/42_small/wrong
cat >solutions/42_small/lab.cu <<'END'
/* lab.cu: small.
 * Two lines. */
#include "lab.h"

struct pair {
    int a;
    int b;
};

int later(int a);

static int first(int a)
{
    int b = a;

    // solution>
    b++;
    //| // TODO 1: more
    // <solution
    return b;
}

int later(int a)
{
    int b = a;

    b++;
    return b;
}
END

# difference NAME: its head and, from standard input, its hunks.
difference() {
    { printf 'expect: some-id\nWords.\n'; cat; } \
        >"$dir/$1.diff"
}
run() { # NAME
    rm -f "$made/$1.cu"
    tools/submission "$dir/$1.diff" >out 2>err
    rc=$?
}
# gives NAME SCRIPT: the solution, as sed changes it.
gives() {
    { printf '// expect: some-id\n// Words.\n'
      tools/skeleton --solution solutions/42_small/lab.cu | sed 1,2d |
          sed "$2"; } >wanted
    run "$1"
    [ $rc -eq 0 ] && [ "$(cat out)" = "$made/$1.cu" ] && [ ! -s err ] &&
        diff "$made/$1.cu" wanted >log
}
# refuses NAME TEXT: nothing is made, and why is said.
refuses() {
    run "$1"
    [ $rc -eq 1 ] && [ ! -s out ] && [ ! -e "$made/$1.cu" ] &&
        grep -qF -e "$2" err
}

difference nothing </dev/null
gives nothing ''
ok 'no hunk: the solution itself, less the comment that opens it'
difference in_a_function <<'END'
@@ -21,3 +21,3 @@ later
 
-    b++;
+    b--;
     return b;
END
gives in_a_function '/^int later(int a)$/,$s/b++/b--/'
ok 'lines that stand twice, at the number that is named'
difference moved <<'END'
@@ -4,2 +4,3 @@
     int b;
+    int c;
 };
END
! gives moved '/^    int b;/a\    int c;' &&
    cmp -s $made/moved.cu wanted &&
    [ "$(cat err)" = "$dir/moved.diff: has moved: tools/submission --refresh $dir/moved.diff" ]
ok 'lines that have moved since, and a line that says so'
difference deletes <<'END'
@@ -11,5 +11,3 @@ first
 {
-    int b = a;
-
     b++;
     return b;
@@ -21,3 +19,2 @@ later

-    b++;
     return b;
END
gives deletes '/^static/,/^}/{/int b/,/^$/d}
/^int later(int a)$/,$s/b++;//
/^    $/d'
ok 'hunks that only delete, and an empty line without its space'
difference around <<'END'
@@ -1 +1,2 @@
+#include <top.h>
 #include "lab.h"
@@ -24 +25,3 @@
 }
+
+// The end.
END
gives around '1i#include <top.h>
$a\
\
// The end.'
ok 'new lines ahead of all and behind all'
printf '%s\n' 'expect: passed' 'also: other' 'from: skeleton' One. Two. \
    >$dir/head.diff
run head
[ $rc -eq 0 ] && [ "$(head -n 5 $made/head.cu)" = "// expect: passed
// also: other
// One.
// Two.
#include \"lab.h\"" ] && grep -q 'TODO 1' $made/head.cu
ok 'a second line "also:", more words, from the skeleton'
sed 's/$/\r/' $dir/in_a_function.diff >$dir/crlf.diff
gives crlf '/^int later(int a)$/,$s/b++/b--/'
ok 'lines that end as on Windows'
printf '%s' "$(cat $dir/around.diff)" >$dir/open_end.diff
gives open_end '1i#include <top.h>
$a\
\
// The end.'
ok 'no new line at the end'

difference elsewhere <<'END'
@@ -17,2 +17,2 @@ later
-    b = 7;
+    b = 8;
     return b;
END
refuses elsewhere 'does not apply: -    b = 7;'
ok 'a hunk that is nowhere is shown'
difference near <<'END'
@@ -17,3 +17,3 @@ later
 // Another line.
-    b++;
+    b--;
     return b;
END
refuses near 'does not apply: -    b++;'
ok '... one with another line around it'
difference cut <<'END'
@@ -17,3 +17,3 @@ later
 
-    b++;
END
refuses cut 'malformed patch'
ok '... one that says more than it has'
: >$dir/empty.diff
run empty
[ $rc -eq 1 ] && [ ! -s out ] && grep -q 'empty.diff: it is empty' err
ok 'an empty file'
printf 'Words.\n' >$dir/no_expect.diff
refuses no_expect 'it does not begin with "expect: "'
ok 'no line "expect:"'
tools/submission $dir/nothing.diff $dir/elsewhere.diff $dir/deletes.diff >out 2>err
[ $? -eq 1 ] && [ ! -s out ] && [ -s err ] &&
    [ -f $made/deletes.cu ]
ok 'one of several: the others are made, and no place is printed'
tools/submission $dir/missing.diff >out 2>err
[ $? -eq 1 ] && [ "$(cat err)" = "$dir/missing.diff is not there" ]
ok 'a file that is not there'

run in_a_function
sleep 0.01
touch before
sleep 0.01
tools/submission $dir/in_a_function.diff >out &&
    [ before -nt $made/in_a_function.cu ]
ok 'what is up to date is left alone'
echo --fast >$dir/in_a_function.flags
sed -i 's/b--/b -= 2/' $dir/in_a_function.diff
gives in_a_function '/^int later(int a)$/,$s/b++/b -= 2/' &&
    [ "$(cat $made/in_a_function.flags)" = --fast ]
ok 'what is not is made anew, with its compiler options'
rm $dir/in_a_function.flags
run in_a_function
[ ! -e $made/in_a_function.flags ]
ok '... and without them'

# Back: what is made is made again from it, and is as diff says it.
for name in in_a_function moved around; do
    run $name
    cp $made/$name.cu wanted
    tools/submission --difference $made/$name.cu >again.diff 2>err
    mv again.diff $dir/$name.diff
    run $name
    cmp -s wanted $made/$name.cu
    ok "the difference of $name.cu"
done
{ tail -n +3 $made/nothing.cu | sed 's/$/\r/'; } >$made/odd.cu
tools/submission --difference $made/odd.cu >out 2>err
[ $? -eq 1 ] && [ ! -s out ] && grep -q 'odd.cu has no difference' err
ok 'a file that no difference can give'
tail -n 3 $made/nothing.cu | sed '1i// expect: other-id' >$made/short.cu
tools/submission --difference $made/short.cu >out 2>err
[ $? -eq 0 ] && grep -q 'more than half of it; keep it whole' err
ok 'one that is better kept whole'
sed -i 's/^    return b/    b += 0;\n&/' solutions/42_small/lab.cu
rm -rf build
tools/submission --refresh $dir/in_a_function.diff $dir/around.diff >out 2>err
[ $? -eq 1 ] && grep -q 'in_a_function.diff: does not apply: ' err
ok 'the solution has changed: what does not apply is left'
[ "$(cat out)" = $dir/around.diff ] && grep -q '^@@ -26 ' $dir/around.diff
ok '... and what does has the new numbers'
echo "1..$count"
