#!/bin/sh
# setup-arm64.sh: a compiler for 64-bit ARM and an emulator to run what it
# makes (packages.sh says when they are installed).
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/packages.sh

missing=
for pair in aarch64-linux-gnu-gcc:gcc-aarch64-linux-gnu \
    aarch64-linux-gnu-g++:g++-aarch64-linux-gnu qemu-aarch64:qemu-user; do
    command -v "${pair%%:*}" >/dev/null 2>&1 || missing="$missing ${pair##*:}"
done
# shellcheck disable=SC2086
packages_need "the tests for 64-bit ARM" $missing
