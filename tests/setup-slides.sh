#!/bin/sh
# setup-slides.sh: what building and testing the slides needs: Node, npm,
# Chromium, fonts, poppler and aspell (packages.sh says when they are
# installed). CHROMIUM and NODE name others than those on PATH.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/packages.sh

packages_for "${CHROMIUM:-chromium}" chromium
packages_for "${NODE:-node}" nodejs
packages_for npm npm
packages_for pdfinfo poppler-utils
packages_for aspell aspell aspell-en
for font in dejavu:fonts-dejavu-core liberation:fonts-liberation; do
    ls -d /usr/share/fonts/truetype/"${font%:*}"* >/dev/null 2>&1 ||
        missing="$missing ${font#*:}"
done
# shellcheck disable=SC2086
packages_need "the slides' tests" $missing
