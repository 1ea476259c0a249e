/* builtin_types.h: CUDA's types, for programs that name the file. */
#ifndef VGPU_BUILTIN_TYPES_H
#define VGPU_BUILTIN_TYPES_H

#include "driver_types.h"
#include "vector_types.h"

#endif
