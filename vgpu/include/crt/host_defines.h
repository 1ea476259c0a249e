/* crt/host_defines.h: for programs that name it. */
#include "../host_defines.h"
