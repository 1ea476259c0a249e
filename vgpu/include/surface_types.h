/* surface_types.h: for programs that name it; what it has is in
 * cuda_runtime.h. */
#ifndef __SURFACE_TYPES_H__
#define __SURFACE_TYPES_H__

#include "cuda_runtime.h"

#endif
