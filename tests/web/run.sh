#!/bin/bash
# run.sh [NAME...]: the site in Chromium and in Firefox without a window. NAME:
# some of tests/web/NAME.test.mjs. BROWSERS=firefox for one of the two, SITE for
# another folder than build/web. Output is kept in build/web-logs/, pictures in
# build/web-shots/. Ends with one line `N passed, N failed`.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/tap.sh
logs=build/web-logs
rm -rf "$logs" && mkdir -p "$logs" || exit 2
[ -f "${SITE:-build/web}/index.html" ] || {
    echo "test-web: there is no site yet: make web" >&2
    exit 2
}

# One log for each file and browser: one that ends early, without its plan or
# with a bad status, is a failure.
[ $# -gt 0 ] || set -- $(cd tests/web && ls *.test.mjs | sed 's/\.test\.mjs$//')
for name; do
    for browser in ${BROWSERS:-chromium firefox}; do
        log=$logs/$name-$browser.tap
        timeout "${LIMIT:-900}" "${NODE:-node}" "tests/web/$name.test.mjs" \
            "$browser" >"$log" 2>&1
        status=$?
        cat "$log"
        if [ $status != 0 ] && ! grep -q '^not ok' "$log"; then
            echo "not ok - $name in $browser ended with status $status" |
                tee -a "$log"
            echo "1..1" >>"$log"
        fi
    done
done
cat "$logs"/*.tap >"$logs/all"
tap_sum "$logs/all"
