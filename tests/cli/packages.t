#!/bin/bash
# packages.t: what tests lack is unpacked below build/packages, and runs from
# there; with INSTALL=1 it is installed; else a line says what to do. apt-get,
# sudo and id are stand-ins, in a clone that has the scripts alone.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
unset INSTALL CI NODE CHROMIUM FIREFOX NPM CC MAKEFLAGS MAKELEVEL MFLAGS

mkdir -p "$tmp/bin" "$tmp/bare" "$tmp/home" "$tmp/debs" "$tmp/a clone/tests"
clone=$tmp/a\ clone
mkdir -p "$clone/vgpu/tests" &&
    cp vgpu/tests/packages.sh vgpu/tests/unpack.sh "$clone/vgpu/tests" &&
    cp tests/packages.sh tests/setup*.sh "$clone/tests"
for tool in bash sh cat dirname env ls mktemp rm tail grep sed mkdir timeout \
    awk cp chmod cut dpkg-deb dpkg-query find flock gzip ln mv perl readlink \
    sort tar touch tr xargs; do
    path=$(command -v $tool) && ln -s "$path" "$tmp/bin/$tool" &&
        ln -s "$path" "$tmp/bare/$tool"
done
cat >"$tmp/bin/apt-get" <<END
#!/bin/sh
echo "apt-get \$*" | sed 's/ -q -c .*apt.conf / /' >>'$tmp/done'
case \$* in
*"\${FAILS:-no such word}"*) echo "E: no network"; exit 100 ;;
*--download-only*) cp '$tmp'/debs/*.deb build/packages/cache/archives/ ;;
esac
END
printf '#!/bin/sh\necho "${ID:-0}"\n' >"$tmp/bin/id"
printf '#!/bin/sh\n[ "$1" != -n ] || shift\n[ -z "${ASKS:-}" ] || exit 1\n%s' \
    "echo sudo >>'$tmp/done'; \"\$@\"" >"$tmp/bin/sudo"
chmod +x "$tmp/bin/apt-get" "$tmp/bin/id" "$tmp/bin/sudo"
ln -s "$tmp/bin/id" "$tmp/bare/id"

setup() { # [NAME=VALUE...] SCRIPT: without a terminal
    : >"$tmp/done"
    (cd "$clone" && env HOME="$tmp/home" PATH="$tmp/bin" "$@") \
        >"$tmp/out" 2>"$tmp/err" </dev/null
    rc=$?
}
installed() { # PACKAGE...: after an update, and nothing else was done
    printf 'apt-get update\napt-get install -y %s%s\n' \
        '--no-install-recommends ' "$*" | cmp -s - "$tmp/done"
}
fetched() { # PACKAGE...
    printf 'apt-get update\napt-get --download-only install %s\n' "$*" |
        cmp -s - "$tmp/done"
}
untouched() { [ ! -s "$tmp/done" ]; }
one_line() { [ "$(wc -l <"$tmp/err")" = 1 ] && grep -q "$1" "$tmp/err"; }
cross='gcc-aarch64-linux-gnu g++-aarch64-linux-gnu qemu-user'

# ---- unpacked -----------------------------------------------------------------

# deb COMMAND...: a package with a script that reads a file of its own, by the
# name that it would have, and these names for it.
deb() {
    local root=$tmp/package command
    rm -rf "$root" "$tmp"/debs/*.deb && mkdir -p "$root/DEBIAN" \
        "$root/usr/bin" "$root/usr/lib/the-cross" "$root/lib/the-cross"
    printf '%s\n' 'Package: the-cross' 'Version: 1' 'Architecture: all' \
        'Maintainer: nobody <nobody@localhost>' 'Description: none' \
        >"$root/DEBIAN/control"
    printf '#!/bin/sh\ntouch "%s/ran"\nexit 1\n' "$tmp" >"$root/DEBIAN/postinst"
    chmod 755 "$root/DEBIAN/postinst"
    echo 'its own words' >"$root/lib/the-cross/words"
    printf '#!/bin/sh\ncat "/usr/lib/the-cross/words"; echo "$# $2"\n' \
        >"$root/usr/bin/the-cross"
    chmod +x "$root/usr/bin/the-cross"
    for command; do
        ln -s /usr/bin/the-cross "$root/usr/bin/$command"
    done
    dpkg-deb -b "$root" "$tmp/debs/the-cross_1_all.deb" >/dev/null
}

if command -v dpkg-deb >/dev/null; then
    deb aarch64-linux-gnu-gcc aarch64-linux-gnu-g++ qemu-aarch64
    setup ID=1000 ASKS=1 tests/setup-arm64.sh
    # shellcheck disable=SC2086
    [ $rc -eq 0 ] && fetched $cross && [ ! -s "$tmp/err" ] &&
        [ "$(cat "$tmp/out")" = "fetching $cross into build/packages, once" ]
    ok 'nobody to ask, and not root: what is missing is fetched'
    [ "$("$clone/build/packages/bin/qemu-aarch64" a 'b c' 2>"$tmp/err")" = \
        $'its own words\n2 b c' ]
    ok '... and runs from where it lies, with files of its own'
    [ -z "$(ls -A "$tmp/home")" ] && [ ! -e "$tmp/ran" ] &&
        [ "$(ls -A "$clone")" = $'build\ntests\nvgpu' ]
    ok '... nothing else is changed'
    setup tests/setup-arm64.sh
    [ $rc -eq 0 ] && untouched && [ ! -s "$tmp/out" ] && [ ! -s "$tmp/err" ]
    ok '... and nothing is done or said again'

    rm -rf "$clone/build"
    deb aarch64-linux-gnu-gcc
    setup CI=true tests/setup-arm64.sh
    [ $rc -eq 2 ] && grep -q 'no aarch64-linux-gnu-g++ in these' "$tmp/err" &&
        tail -n 1 "$tmp/err" | grep -q "; run: apt-get install -y .* $cross\$"
    ok 'what was fetched does not have what is wanted: what to do'
    rm -rf "$clone/build"
    setup ID=1000 FAILS=download-only tests/setup-arm64.sh
    [ $rc -eq 2 ] && grep -q '^  E: no network$' "$tmp/err" &&
        tail -n 1 "$tmp/err" | grep -q "; run: sudo apt-get install -y .* $cross\$"
    ok 'without a network: why, and what to do'
    rm -rf "$clone/build"
    setup INSTALL=0 FAILS=update tests/setup.sh
    [ $rc -eq 2 ] && grep -q 'could not fetch .*clang clang-format .*jq' \
        "$tmp/err"
    ok 'the tests name all that they lack'
    rm -rf "$clone/build"
fi

# ---- what runs only installed ---------------------------------------------------

pages='chromium firefox-esr nodejs npm'
setup tests/setup-pages.sh
[ $rc -eq 2 ] && untouched && one_line "run: apt-get install .* $pages (INSTALL=1"
ok 'what runs only installed is not fetched: one line has the command'
setup ID=1000 tests/setup-pages.sh
[ $rc -eq 2 ] && untouched && one_line 'run: sudo apt-get install '
ok '... by sudo, for who is not root'
setup CI=true INSTALL=0 tests/setup-pages.sh
[ $rc -eq 2 ] && untouched
ok '... in CI too'
env PATH="$tmp/bare" INSTALL=1 "$clone/tests/setup-pages.sh" 2>"$tmp/err"
[ $? -eq 2 ] && one_line "need: $pages; install these"
ok 'without apt-get, the packages are named'

# ---- INSTALL=1 -------------------------------------------------------------------

# They are not there afterwards, since nothing is installed here.
setup INSTALL=1 tests/setup-pages.sh
# shellcheck disable=SC2086
installed $pages && [ "$(cat "$tmp/out")" = "installing $pages" ]
ok 'INSTALL=1 installs what is missing'
setup INSTALL=1 CHROMIUM=cat FIREFOX=cat NODE=cat NPM=cat tests/setup-pages.sh
[ $rc -eq 0 ] && untouched && [ ! -s "$tmp/out" ] && [ ! -s "$tmp/err" ]
ok 'nothing is done or said where nothing is missing'
setup INSTALL=1 FAILS=update tests/setup-pages.sh
[ $rc -eq 2 ] && grep -q 'could not install' "$tmp/err"
ok 'an installation that fails is an error'
setup INSTALL=1 ID=1000 tests/setup-pages.sh
[ "$(grep -c '^sudo$' "$tmp/done")" = 2 ]
ok 'who is not root installs by sudo'
setup INSTALL=1 ID=1000 ASKS=1 tests/setup-pages.sh
[ $rc -eq 2 ] && untouched && grep -q 'run: sudo apt-get install' "$tmp/err"
ok 'but not where sudo wants a password and nobody is there'
setup INSTALL=1 tests/setup-slides.sh
grep -q 'install.* npm poppler-utils aspell aspell-en fonts-' "$tmp/done" ||
    [ -e /usr/share/fonts/truetype/dejavu ]
ok 'what the slides lack'

! grep -q 'INSTALL=' <(sed '/^#/d; /^run test$/q' .ci/run) &&
    grep -qx '    *make test' README.md CONTRIBUTING.md
ok 'CI runs the command that is in the documents'
.ci/run nothing >"$tmp/out" 2>"$tmp/err"
[ $? -eq 2 ] && [ ! -s "$tmp/out" ] && [ "$(wc -l <"$tmp/err")" -eq 1 ] &&
    [ "$(sed -n 's/.*part: \[\(.*\)\].*/\1/p' .github/workflows/ci.yml |
        tr -d ,)" = "$(sed 's/.*parts: //' "$tmp/err")" ]
ok "a forge's jobs are the parts that it has"
echo "1..$count"
