/* host_config.h: for programs that name it; cuda_runtime.h has it all. */
#ifndef __HOST_CONFIG_H__
#define __HOST_CONFIG_H__

#include "cuda_runtime.h"

#endif
