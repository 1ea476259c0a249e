# packages.sh: the virtual GPU's, for tests of the course, too. Read with
# ". tests/packages.sh" from the root of the repository.
# shellcheck shell=sh
packages_unpack=vgpu/tests/unpack.sh
. vgpu/tests/packages.sh
