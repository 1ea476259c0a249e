#!/bin/sh
# setup-pages.sh: what the page tests need: Chromium and Node (packages.sh says
# when they are installed). CHROMIUM and NODE name others than those on PATH.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/packages.sh

missing=
command -v "${CHROMIUM:-chromium}" >/dev/null 2>&1 || missing="$missing chromium"
command -v "${NODE:-node}" >/dev/null 2>&1 || missing="$missing nodejs"
# shellcheck disable=SC2086
packages_need "the page tests" $missing
