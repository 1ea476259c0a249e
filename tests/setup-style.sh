#!/bin/sh
# setup-style.sh: what the tests of style and of formats need: Node and npm
# (packages.sh has how). NODE and NPM name others than those on PATH.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/packages.sh

packages_for "${NODE:-node}" nodejs
packages_for "${NPM:-npm}" npm
packages_need "the tests of style and of formats"
