// expect: does-not-compile
// Takes the solution where it lies. The folder of the lab is on the path.
#include "../../solutions/08_uneven_chunks/lab.cu"
