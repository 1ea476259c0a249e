# tap.sh: for tests that are shell scripts: what they print (TAP). A test that
# sources it ends with: echo "1..$count"
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

# tap_of NAME COMMAND...: what a test says. One that ends ahead of its plan, or with
# a status and no failure to show for it, has failed.
tap_of() {
    local name=$1 said status
    shift
    said=$(mktemp) || return
    "$@" >"$said" 2>&1
    status=$?
    echo "# $name"
    cat "$said"
    grep -q '^1\.\.[0-9]' "$said" &&
        { [ $status -eq 0 ] || grep -q '^not ok' "$said"; } ||
        printf '%s\n' "not ok - $name ended with status $status" 1..1
    rm -f "$said"
}

# tap_sum FILE: what a whole suite said, as `N passed, N failed`, as CI reads it.
# A test that is planned and not there is a failure, which the status says. What is
# known not to hold (TODO) is no failure and never counts as passed.
tap_sum() {
    awk '/^(not )?ok .*# TODO/ { todo++; next }
        /^ok / { if (/# SKIP/) skipped++; else passed++; next }
        /^not ok / { failed++; next }
        /^1\.\.[0-9]/ { plan += substr($0, 4) }
        END {
            if (plan != passed + failed + skipped + todo) failed++
            printf "%d passed, %d failed", passed, failed
            if (skipped) printf ", %d skipped", skipped
            print todo ? sprintf(", %d to do", todo) : ""
            exit failed > 0
        }' "$1"
}
