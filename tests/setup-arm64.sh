#!/bin/sh
# setup-arm64.sh: a compiler for 64-bit ARM and an emulator to run what it
# makes (packages.sh has how the tests come by it).
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/packages.sh

packages_for aarch64-linux-gnu-gcc gcc-aarch64-linux-gnu
packages_for aarch64-linux-gnu-g++ g++-aarch64-linux-gnu
packages_for qemu-aarch64 qemu-user
packages_need "the tests for 64-bit ARM"
