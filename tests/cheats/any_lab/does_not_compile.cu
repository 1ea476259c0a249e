// expect: does-not-compile
// No program at all.
#include "lab.h"

void decrypt_in_chunks(
