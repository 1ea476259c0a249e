/* builtin_types.h: CUDA's types, for programs that name the file. */
#ifndef __BUILTIN_TYPES_H__
#define __BUILTIN_TYPES_H__

#include "driver_types.h"
#include "vector_types.h"

#endif
