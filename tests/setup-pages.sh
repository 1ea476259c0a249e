#!/bin/sh
# setup-pages.sh: what the page tests need: Chromium and Node. Installs them
# from Debian's packages as root (or with sudo without a password), else names
# them. CHROMIUM and NODE name others than those on PATH.
set -u
missing=
command -v "${CHROMIUM:-chromium}" >/dev/null 2>&1 || missing="$missing chromium"
command -v "${NODE:-node}" >/dev/null 2>&1 || missing="$missing nodejs"
[ -n "$missing" ] || exit 0

install="apt-get install -y --no-install-recommends$missing"
sudo=
[ "$(id -u)" = 0 ] || sudo='sudo -n'
if ! command -v apt-get >/dev/null 2>&1 ||
    { [ -n "$sudo" ] && ! $sudo true 2>/dev/null; }; then
    echo "the page tests need:$missing; run: $install" >&2
    exit 2
fi
echo "installing$missing"
log=$(mktemp) || exit 2
export DEBIAN_FRONTEND=noninteractive
if ! { $sudo apt-get update && $sudo $install; } >"$log" 2>&1; then
    tail -n 5 "$log" >&2
    rm -f "$log"
    echo "could not install; run by hand: $install" >&2
    exit 2
fi
rm -f "$log"
