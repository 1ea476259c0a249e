# tap.sh: the virtual GPU's, for tests of the course, too.
. vgpu/tests/tap.sh
