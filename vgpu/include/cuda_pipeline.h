/* cuda_pipeline.h: the functions; the classes, of libcu++, are not there. */
#ifndef _CUDA_PIPELINE_H_
#define _CUDA_PIPELINE_H_

#include "cuda_pipeline_primitives.h"

#endif
