#!/bin/bash
# packages.t: the tests install packages where somebody said yes, else they
# name them. apt-get, sudo and id are stand-ins that only tell of themselves.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
unset INSTALL CI NODE CHROMIUM FIREFOX NPM CC MAKEFLAGS MAKELEVEL MFLAGS

mkdir "$tmp/bin" "$tmp/bare"
for tool in bash sh cat dirname env ls mktemp rm tail timeout script; do
    path=$(command -v $tool) && ln -s "$path" "$tmp/bin/$tool" &&
        ln -s "$path" "$tmp/bare/$tool"
done
printf '#!/bin/sh\necho "apt-get $*" >>%s\n[ "$1" != "${FAILS:-}" ]\n' \
    "$tmp/done" >"$tmp/bin/apt-get"
printf '#!/bin/sh\necho "${ID:-0}"\n' >"$tmp/bin/id"
printf '#!/bin/sh\n[ "$1" != -n ] || exit ${ASKS:-0}\necho sudo >>%s\n"$@"\n' \
    "$tmp/done" >"$tmp/bin/sudo"
chmod +x "$tmp/bin/apt-get" "$tmp/bin/id" "$tmp/bin/sudo"
ln -s "$tmp/bin/id" "$tmp/bare/id"

setup() { # [NAME=VALUE...] SCRIPT: without a terminal
    : >"$tmp/done"
    env PATH="$tmp/bin" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
    rc=$?
}
at_terminal() { # ANSWER [NAME=VALUE...] SCRIPT
    local answer=$1
    shift
    : >"$tmp/done"
    echo "$answer" | env PATH="$tmp/bin" timeout 20 script -qec \
        "env $*" /dev/null >"$tmp/out" 2>"$tmp/err"
    rc=$?
}
installed() { # PACKAGE...: after an update, and nothing else was done
    printf 'apt-get update\napt-get install -y %s%s\n' \
        '--no-install-recommends ' "$*" | cmp -s - "$tmp/done"
}
untouched() { [ ! -s "$tmp/done" ]; }

setup tests/setup-pages.sh
[ $rc -eq 2 ] && untouched &&
    grep -q ': apt-get install .* chromium firefox-esr nodejs npm$' "$tmp/err" &&
    grep -q 'INSTALL=1' "$tmp/err"
ok 'nobody to ask: the command is named, nothing is installed'
setup INSTALL=1 tests/setup-pages.sh
[ $rc -eq 0 ] && installed chromium firefox-esr nodejs npm &&
    [ "$(cat "$tmp/out")" = 'installing chromium firefox-esr nodejs npm' ]
ok 'INSTALL=1 installs what is missing'
setup CI=true tests/setup-pages.sh
[ $rc -eq 0 ] && installed chromium firefox-esr nodejs npm
ok 'so does CI'
setup CI=true INSTALL=0 tests/setup-pages.sh
[ $rc -eq 2 ] && untouched
ok 'INSTALL=0 forbids it, in CI too'
setup CI=false tests/setup-pages.sh
[ $rc -eq 2 ] && untouched
ok 'CI=false is no CI'
setup INSTALL=1 CHROMIUM=cat FIREFOX=cat NODE=cat NPM=cat tests/setup-pages.sh
[ $rc -eq 0 ] && untouched && [ ! -s "$tmp/out" ] && [ ! -s "$tmp/err" ]
ok 'nothing is done or said where nothing is missing'
setup INSTALL=1 FAILS=update tests/setup-pages.sh
[ $rc -eq 2 ] && grep -q 'could not install' "$tmp/err"
ok 'an installation that fails is an error'

setup INSTALL=1 ID=1000 tests/setup-pages.sh
[ $rc -eq 0 ] && [ "$(grep -c '^sudo$' "$tmp/done")" = 2 ]
ok 'who is not root installs by sudo'
setup INSTALL=1 ID=1000 ASKS=1 tests/setup-pages.sh
[ $rc -eq 2 ] && untouched && grep -q 'run: sudo apt-get install' "$tmp/err"
ok 'but not where sudo wants a password and nobody is there'
env PATH="$tmp/bare" INSTALL=1 tests/setup-pages.sh 2>"$tmp/err"
[ $? -eq 2 ] &&
    grep -q 'need: chromium firefox-esr nodejs npm; install these' "$tmp/err"
ok 'without apt-get, the packages are named'

if command -v script >/dev/null; then
    at_terminal y tests/setup-pages.sh
    [ $rc -eq 0 ] && installed chromium firefox-esr nodejs npm &&
        grep -q 'Install them now, as root' "$tmp/out"
    ok 'a person is asked, and may say yes'
    for answer in n '' x; do
        at_terminal "$answer" tests/setup-pages.sh
        [ $rc -eq 2 ] && untouched && grep -q 'run: apt-get' "$tmp/out"
        ok "or something else ('$answer')"
    done
    at_terminal y ID=1000 ASKS=1 tests/setup-pages.sh
    [ $rc -eq 0 ] && [ "$(grep -c '^sudo$' "$tmp/done")" = 2 ]
    ok 'who can type a password may use sudo'
fi

: >"$tmp/done"
setup INSTALL=1 CC=false tests/setup.sh
[ $rc -eq 0 ] && grep -q 'install.* clang clang-format .*libcmocka-dev' \
    "$tmp/done"
ok 'the tests name all that they lack'
setup INSTALL=1 tests/setup-slides.sh
[ $rc -eq 0 ] && grep -q 'install.* npm poppler-utils aspell aspell-en' \
    "$tmp/done"
ok 'so do those of the slides'
setup INSTALL=1 tests/setup-arm64.sh
[ $rc -eq 0 ] && installed gcc-aarch64-linux-gnu g++-aarch64-linux-gnu \
    qemu-user
ok 'and those for 64-bit ARM'
grep -q '^export INSTALL=${INSTALL-1}$' .ci/run
ok 'what CI runs installs what it lacks without a question'
echo "1..$count"
