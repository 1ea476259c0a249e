#!/bin/sh
# setup-pages.sh: what the page tests need: Chromium, Firefox, Node and npm
# (packages.sh says when they are installed). CHROMIUM, FIREFOX, NODE and NPM
# name others than those on PATH.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/packages.sh

missing=
command -v "${CHROMIUM:-chromium}" >/dev/null 2>&1 || missing="$missing chromium"
command -v "${FIREFOX:-firefox-esr}" >/dev/null 2>&1 ||
    missing="$missing firefox-esr"
command -v "${NODE:-node}" >/dev/null 2>&1 || missing="$missing nodejs"
command -v "${NPM:-npm}" >/dev/null 2>&1 || missing="$missing npm"
# shellcheck disable=SC2086
packages_need "the page tests" $missing
