#!/bin/sh
# setup-pages.sh: what the page tests need: Chromium, Firefox, Node and npm
# (packages.sh has how). CHROMIUM, FIREFOX, NODE and NPM name others than those on
# PATH.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/packages.sh

packages_for "${CHROMIUM:-chromium}" chromium
packages_for "${FIREFOX:-firefox-esr}" firefox-esr
packages_for "${NODE:-node}" nodejs
packages_for "${NPM:-npm}" npm
packages_need "the page tests"
