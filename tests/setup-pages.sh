#!/bin/sh
# setup-pages.sh: what the page tests need: Chromium, Firefox, Node and npm
# (packages.sh says when they are installed), and from npm axe, which is fetched
# once. CHROMIUM, FIREFOX and NODE name others than those on PATH.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/packages.sh

missing=
command -v "${CHROMIUM:-chromium}" >/dev/null 2>&1 || missing="$missing chromium"
command -v "${FIREFOX:-firefox-esr}" >/dev/null 2>&1 ||
    missing="$missing firefox-esr"
command -v "${NODE:-node}" >/dev/null 2>&1 || missing="$missing nodejs"
command -v npm >/dev/null 2>&1 || missing="$missing npm"
# shellcheck disable=SC2086
packages_need "the page tests" $missing

# As slides/package-lock.json, this one is checked and names no place.
cd tests/pages || exit 2
cmp -s package-lock.json node_modules/.lock && exit
npm ci --no-audit --no-fund --loglevel=error && cp package-lock.json \
    node_modules/.lock || {
    echo "npm ci failed; it needs the network, once" >&2
    exit 2
}
