// expect: does-not-compile
// The function is not there.
#include "lab.h"
