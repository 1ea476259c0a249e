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
    { printf 'expect: some-id\nfrom: solution\nWords.\n\n'; cat; } \
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
        [ "$(cat err)" = "$dir/$1.diff:$2" ]
}

difference nothing </dev/null
gives nothing ''
ok 'no hunk: the solution itself, less the comment that opens it'
difference in_a_function <<'END'
@@ later
-    b++;
+    b--;
END
gives in_a_function '/^int later(int a)$/,$s/b++/b--/'
ok 'lines that stand twice, in the function that is named'
difference in_a_struct <<'END'
@@ pair
     int b;
+    int c;
END
gives in_a_struct '/^    int b;/a\    int c;'
ok 'in a struct'
difference deletes <<'END'
@@ first
-    int b = a;
-
@@ later
-    b++;
END
gives deletes '/^static/,/^}/{/int b/,/^$/d}
/^int later(int a)$/,$s/b++;//
/^    $/d'
ok 'hunks that only delete'
difference around <<'END'
@@
+#include <top.h>
 #include "lab.h"
@@ later
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
@@ later
-    b = 7;
END
refuses elsewhere '5: hunk 1: its old lines are not in later'
ok 'a hunk that is nowhere is named'
difference twice <<'END'
@@
 #include "lab.h"
+#include "more.h"
@@
-    return b;
END
refuses twice '8: hunk 2: its old lines are 2 times in the base, behind hunk 1'
ok '... one that is at two places'
difference backwards <<'END'
@@ later
-    b++;
@@ first
-    b++;
END
refuses backwards '7: hunk 2: its old lines are not in first, behind hunk 1'
ok '... one that is ahead of the hunk before'
difference no_function <<'END'
@@ last
-    b++;
END
refuses no_function '5: hunk 1: there is no function last'
ok '... one of a function that is not there'
difference no_place <<'END'
@@ first
+    b = 0;
END
refuses no_place '5: hunk 1: no old line says where it belongs'
ok '... one that only adds'
: >$dir/empty.diff
run empty
[ $rc -eq 1 ] && [ ! -s out ] && grep -q 'does not begin with "expect: "' err
ok 'an empty file'
printf 'expect: a\nWords.\n\n' >$dir/no_from.diff
refuses no_from '2: "from: solution" or "from: skeleton" is missing'
ok 'no line "from:"'
difference other_line <<'END'
@@ first
 b
? c
END
refuses other_line '7: this line begins neither with " " nor "-" nor "+"'
ok 'a line of no kind'
tools/submission $dir/nothing.diff $dir/twice.diff $dir/deletes.diff >out 2>err
[ $? -eq 1 ] && [ ! -s out ] && [ "$(wc -l <err)" -eq 1 ] &&
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

# Back: with a line around it that says where it is.
difference in_a_function <<'END'
@@ later
-    b++;
+    b -= 2;
     return b;
END
for name in in_a_function in_a_struct around; do
    run $name
    tools/submission --difference $made/$name.cu >log 2>err
    diff log $dir/$name.diff >err
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
sed -i '/^int later(int a)$/,$s/^    return b/    b += 0;\n&/' \
    solutions/42_small/lab.cu
rm -rf build
tools/submission --refresh $dir/in_a_function.diff $dir/around.diff >out 2>err
[ $? -eq 1 ] && grep -q 'in_a_function.diff:5: hunk 1: .* not in later' err
ok 'the solution has changed: a difference that does not apply is left'
sed -i '/^     return b/d' $dir/in_a_function.diff
tools/submission --refresh $dir/in_a_function.diff $dir/around.diff >out 2>err
[ $? -eq 0 ] && [ "$(cat out)" = $dir/in_a_function.diff ] &&
    grep -q '^     b += 0;' $dir/in_a_function.diff
ok '... and what does apply shows the lines that are around it now'
echo "1..$count"
