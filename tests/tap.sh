# tap.sh: for tests that are shell scripts: what they print (TAP). Source it
# from the root of the repository. Ends with: echo "1..$count"
count=0

# ok NAME: the last command's status decides. Where it failed, what it said
# follows, if it was kept in out, err or log of the folder $tmp.
ok() {
    local status=$? said
    count=$((count + 1))
    [ $status -eq 0 ] || printf 'not '
    echo "ok $count - $1"
    [ $status -eq 0 ] || [ -z "${tmp:-}" ] || for said in out err log; do
        [ ! -f "$tmp/$said" ] || sed 's/^/# /' "$tmp/$said" | head -n 60
    done
}
