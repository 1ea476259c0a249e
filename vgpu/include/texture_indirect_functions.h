/* texture_indirect_functions.h: for programs that name it; what it has is in
 * cuda_runtime.h. */
#ifndef __TEXTURE_INDIRECT_FUNCTIONS_H__
#define __TEXTURE_INDIRECT_FUNCTIONS_H__

#include "cuda_runtime.h"

#endif
