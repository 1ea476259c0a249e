#!/bin/bash
# run.sh [NAME...]: the site in Chromium and in Firefox without a window, beside
# each other. NAME: some of tests/web/NAME.test.mjs. BROWSERS=firefox for one of
# the two, SITE for another folder than build/web. Output is kept in
# build/web-logs/, pictures in build/web-shots/. Ends with one line
# `N passed, N failed`.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/tap.sh
logs=build/web-logs
rm -rf "$logs" && mkdir -p "$logs" || exit 2
[ -f "${SITE:-build/web}/index.html" ] || {
    echo "test-web: there is no site yet: make web" >&2
    exit 2
}

# run NAME BROWSER. One log for each: one that ends early, without its plan or
# with a bad status, is a failure.
run() {
    local log=$logs/$1-$2.tap begin=$SECONDS status
    timeout "${LIMIT:-900}" "${NODE:-node}" "tests/web/$1.test.mjs" "$2" \
        >"$log" 2>&1
    status=$?
    if [ $status != 0 ] && ! grep -q '^not ok' "$log"; then
        echo "not ok - $1 in $2 ended with status $status" >>"$log"
        echo "1..1" >>"$log"
    fi
    echo "# $1 in $2: $((SECONDS - begin)) s" >>"$log"
    cat "$log"
}

[ $# -gt 0 ] || set -- $(cd tests/web && ls *.test.mjs | sed 's/\.test\.mjs$//')
"${NODE:-node}" tests/web/mocked.mjs || exit 2 # what both browsers take
for browser in ${BROWSERS:-chromium firefox}; do
    for name; do
        [ "$name" = budgets ] || run "$name" "$browser"
    done &
done
wait
# What it measures is measured alone.
for name; do
    [ "$name" != budgets ] || for browser in ${BROWSERS:-chromium firefox}; do
        run budgets "$browser"
    done
done
cat "$logs"/*.tap >"$logs/all"
tap_sum "$logs/all"
