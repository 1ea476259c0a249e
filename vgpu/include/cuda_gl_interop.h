/*
 * cuda_gl_interop.h: for programs that name it. A call that shares something
 * with OpenGL is refused where it is used (vgpu/api.def).
 */
#ifndef __CUDA_GL_INTEROP_H__
#define __CUDA_GL_INTEROP_H__

#include "cuda_runtime_api.h"

#endif
