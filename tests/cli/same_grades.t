# tools/same-grades: tells other verdicts, other words and other figures apart
root=$(cd "$(dirname "$0")/../.." && pwd)
there=$(mktemp -d) || exit 2
trap 'rm -rf "$there"' EXIT
cd "$there" || exit 2
# Two checkouts whose graders say what was laid down for them.
for tree in before after; do
    mkdir -p $tree/tools $tree/build/bin $tree/labs/01_a $tree/solutions/01_a
    cp "$root/tools/same-grades" $tree/tools
    echo skeleton >$tree/labs/01_a/lab.cu
    echo solution >$tree/solutions/01_a/lab.cu
    cat >$tree/build/bin/grade <<'EOF'
#!/bin/sh
# --backend vgpu --file TEXT --json JSON LAB
[ -s says ] && cat says >"$6" || echo "no $(cat "$4")" >&2
EOF
    chmod +x $tree/build/bin/grade
done
# says TREE SCORE ID WORDS SECONDS
says() {
    printf '%s\n' '{' "  \"seconds\": $5," "  \"score\": $2," \
        "  \"line\": \"$4\"," "  \"diagnosis_id\": \"$3\"" '}' >"$1/says"
}
says before 50 late '1.5x as fast' 1
n=0
# expect STATUS LINE NAME: after/tools/same-grades ends so, and says LINE.
expect() {
    n=$((n + 1))
    after/tools/same-grades before "${4:-.}" >out 2>&1
    if [ $? = "$1" ] && grep -q "^$2" out; then
        echo "ok $n - $3"
    else
        echo "not ok $n - $3"
        sed 's/^/# /' out
    fi
}
echo "1..8"
says after 50 late '1.5x as fast' 9
expect 0 '2 texts: 2 alike' "other seconds are nothing"
says after 50 late '1.6x as fast' 1
expect 0 'figures: labs/01_a/lab.cu' "other figures"
says after 50 late '1.5x so fast' 1
expect 1 'words: labs/01_a/lab.cu' "other words"
says after 49 late '1.5x as fast' 1
expect 1 'verdict: solutions/01_a/lab.cu' "another score"
says after 50 early '1.5x as fast' 1
expect 1 '2 texts: 0 alike.*another verdict in 2' "another mistake"
expect 1 '1 texts: 0 alike.*another verdict in 1' "a part of them" solutions/
rm after/says
expect 1 '> no solution' "a grader that gives no result"
expect 2 '.*before has no text' "nothing to compare is told" 'no such'
