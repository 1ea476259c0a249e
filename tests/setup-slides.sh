#!/bin/sh
# setup-slides.sh: what building and testing the slides needs: Node, npm,
# Chromium, fonts, poppler and aspell. Installs them from Debian's packages as
# root (or with sudo without a password), else names them. CHROMIUM and NODE
# name others than those on PATH.
set -u
missing=
need() { # COMMAND PACKAGE...
    command -v "$1" >/dev/null 2>&1 && return
    shift
    missing="$missing $*"
}
need "${CHROMIUM:-chromium}" chromium
need "${NODE:-node}" nodejs
need npm npm
need pdfinfo poppler-utils
need aspell aspell aspell-en
for font in dejavu:fonts-dejavu-core liberation:fonts-liberation; do
    ls -d /usr/share/fonts/truetype/"${font%:*}"* >/dev/null 2>&1 ||
        missing="$missing ${font#*:}"
done
[ -n "$missing" ] || exit 0

install="apt-get install -y --no-install-recommends$missing"
sudo=
[ "$(id -u)" = 0 ] || sudo='sudo -n'
if ! command -v apt-get >/dev/null 2>&1 ||
    { [ -n "$sudo" ] && ! $sudo true 2>/dev/null; }; then
    echo "the slides' tests need:$missing; run: $install" >&2
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
