#!/bin/sh
# setup-style.sh: what the test of style needs: Node and npm (packages.sh says
# when they are installed). NODE and NPM name others than those on PATH.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/packages.sh

missing=
command -v "${NODE:-node}" >/dev/null 2>&1 || missing="$missing nodejs"
command -v "${NPM:-npm}" >/dev/null 2>&1 || missing="$missing npm"
# shellcheck disable=SC2086
packages_need "the test of style" $missing
