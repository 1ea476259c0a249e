/* host_defines.h: __align__, for programs that name the file. */
#ifndef VGPU_HOST_DEFINES_H
#define VGPU_HOST_DEFINES_H

#include "vector_types.h"

#endif
