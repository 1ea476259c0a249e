/* host_defines.h: __align__, for programs that name the file. */
#ifndef __HOST_DEFINES_H__
#define __HOST_DEFINES_H__

#include "vector_types.h"

#endif
