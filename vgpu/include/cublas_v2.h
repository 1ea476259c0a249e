/*
 * cublas_v2.h: for programs that name cuBLAS and do not use it, such as those
 * whose common header turns its errors into words. Types and constants are as
 * in the cuBLAS manual; a call that would run is refused, with its line.
 */
#ifndef CUBLAS_V2_H_
#define CUBLAS_V2_H_
#define CUBLAS_API_H_

#include "cuda_runtime_api.h"

typedef struct cublasContext *cublasHandle_t;

typedef enum {
    CUBLAS_STATUS_SUCCESS = 0,
    CUBLAS_STATUS_NOT_INITIALIZED = 1,
    CUBLAS_STATUS_ALLOC_FAILED = 3,
    CUBLAS_STATUS_INVALID_VALUE = 7,
    CUBLAS_STATUS_ARCH_MISMATCH = 8,
    CUBLAS_STATUS_MAPPING_ERROR = 11,
    CUBLAS_STATUS_EXECUTION_FAILED = 13,
    CUBLAS_STATUS_INTERNAL_ERROR = 14,
    CUBLAS_STATUS_NOT_SUPPORTED = 15,
    CUBLAS_STATUS_LICENSE_ERROR = 16,
} cublasStatus_t;

typedef enum {
    CUBLAS_OP_N = 0,
    CUBLAS_OP_T = 1,
    CUBLAS_OP_C = 2,
} cublasOperation_t;

typedef enum {
    CUBLAS_FILL_MODE_LOWER = 0,
    CUBLAS_FILL_MODE_UPPER = 1,
    CUBLAS_FILL_MODE_FULL = 2,
} cublasFillMode_t;

typedef enum {
    CUBLAS_DIAG_NON_UNIT = 0,
    CUBLAS_DIAG_UNIT = 1,
} cublasDiagType_t;

typedef enum {
    CUBLAS_SIDE_LEFT = 0,
    CUBLAS_SIDE_RIGHT = 1,
} cublasSideMode_t;

typedef enum {
    CUBLAS_POINTER_MODE_HOST = 0,
    CUBLAS_POINTER_MODE_DEVICE = 1,
} cublasPointerMode_t;

typedef enum {
    CUBLAS_DEFAULT_MATH = 0,
    CUBLAS_TENSOR_OP_MATH = 1,
    CUBLAS_PEDANTIC_MATH = 2,
    CUBLAS_TF32_TENSOR_OP_MATH = 3,
} cublasMath_t;

typedef enum {
    CUBLAS_GEMM_DEFAULT = -1,
    CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99,
} cublasGemmAlgo_t;

#ifdef __cplusplus
/* Not "unavailable", which a function that nobody calls could not name. */
#define VGPU_NO_CUBLAS(name)                                                   \
    extern "C" cublasStatus_t name(...)                                        \
        __attribute__((error("cuBLAS is not supported by the virtual GPU")));
#define VGPU_NO_BLAS(name)                                                     \
    VGPU_NO_CUBLAS(cublasS##name)                                              \
    VGPU_NO_CUBLAS(cublasD##name)                                              \
    VGPU_NO_CUBLAS(cublasC##name)                                              \
    VGPU_NO_CUBLAS(cublasZ##name)

VGPU_NO_CUBLAS(cublasCreate)
VGPU_NO_CUBLAS(cublasDestroy)
VGPU_NO_CUBLAS(cublasGetVersion)
VGPU_NO_CUBLAS(cublasSetStream)
VGPU_NO_CUBLAS(cublasGetStream)
VGPU_NO_CUBLAS(cublasSetMathMode)
VGPU_NO_CUBLAS(cublasSetPointerMode)
VGPU_NO_CUBLAS(cublasGetPointerMode)
VGPU_NO_CUBLAS(cublasSetVector)
VGPU_NO_CUBLAS(cublasGetVector)
VGPU_NO_CUBLAS(cublasSetMatrix)
VGPU_NO_CUBLAS(cublasGetMatrix)
VGPU_NO_CUBLAS(cublasSetVectorAsync)
VGPU_NO_CUBLAS(cublasGetVectorAsync)
VGPU_NO_CUBLAS(cublasSetMatrixAsync)
VGPU_NO_CUBLAS(cublasGetMatrixAsync)
VGPU_NO_CUBLAS(cublasIsamax)
VGPU_NO_CUBLAS(cublasIdamax)
VGPU_NO_CUBLAS(cublasIsamin)
VGPU_NO_CUBLAS(cublasIdamin)
VGPU_NO_CUBLAS(cublasSdot)
VGPU_NO_CUBLAS(cublasDdot)
VGPU_NO_CUBLAS(cublasSasum)
VGPU_NO_CUBLAS(cublasDasum)
VGPU_NO_CUBLAS(cublasSnrm2)
VGPU_NO_CUBLAS(cublasDnrm2)
VGPU_NO_CUBLAS(cublasHgemm)
VGPU_NO_CUBLAS(cublasGemmEx)
VGPU_NO_CUBLAS(cublasSgemmEx)
VGPU_NO_CUBLAS(cublasGemmStridedBatchedEx)
VGPU_NO_BLAS(axpy)
VGPU_NO_BLAS(copy)
VGPU_NO_BLAS(scal)
VGPU_NO_BLAS(swap)
VGPU_NO_BLAS(gemv)
VGPU_NO_BLAS(trsv)
VGPU_NO_BLAS(symv)
VGPU_NO_BLAS(gemm)
VGPU_NO_BLAS(gemmBatched)
VGPU_NO_BLAS(gemmStridedBatched)
VGPU_NO_BLAS(symm)
VGPU_NO_BLAS(syrk)
VGPU_NO_BLAS(trmm)
VGPU_NO_BLAS(trsm)
VGPU_NO_BLAS(geam)
VGPU_NO_BLAS(dgmm)
VGPU_NO_BLAS(getrfBatched)
VGPU_NO_BLAS(getriBatched)
VGPU_NO_CUBLAS(cublasSger)
VGPU_NO_CUBLAS(cublasDger)

#undef VGPU_NO_BLAS
#undef VGPU_NO_CUBLAS
#endif

#endif
