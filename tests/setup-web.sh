#!/bin/sh
# setup-web.sh: what the tests of the site need: what those of the pages do, and
# a driver for both browsers, from npm.
set -u
cd "$(dirname "$0")/.." || exit 2
tests/setup-pages.sh || exit 2
tools/npm-packages tests/web "fetching what drives the browsers, 60 MB, once"
