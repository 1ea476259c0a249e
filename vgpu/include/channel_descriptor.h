/* channel_descriptor.h: for programs that name it; what it has is in
 * cuda_runtime.h. */
#ifndef __CHANNEL_DESCRIPTOR_H__
#define __CHANNEL_DESCRIPTOR_H__

#include "cuda_runtime.h"

#endif
