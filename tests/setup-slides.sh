#!/bin/sh
# setup-slides.sh: what building and testing the slides needs: Node, npm,
# Chromium, fonts, poppler and aspell (packages.sh has how). CHROMIUM and NODE name
# others than those on PATH.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/packages.sh

packages_for "${CHROMIUM:-chromium}" chromium
packages_for "${NODE:-node}" nodejs
packages_for npm npm
packages_for pdfinfo poppler-utils
packages_for aspell aspell aspell-en
packages_for '/usr/share/fonts/truetype/dejavu*' fonts-dejavu-core
packages_for '/usr/share/fonts/truetype/liberation*' fonts-liberation
packages_need "the slides' tests"
