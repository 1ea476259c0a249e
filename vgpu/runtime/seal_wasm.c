/*
 * seal_wasm.c: seal.c where a program's code cannot be changed anyway.
 */
#include "rt.h"

void vgpu_seal_program(void)
{
}
