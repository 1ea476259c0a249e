/* crt/math_functions.h: for programs that name it; cuda_runtime.h has it all.
 */
#ifndef __MATH_FUNCTIONS_H__
#define __MATH_FUNCTIONS_H__

#include "../cuda_runtime.h"

#endif
