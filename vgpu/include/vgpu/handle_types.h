/*
 * handle_types.h: kernels and libraries as handles, where the driver's calls
 * are asked for, what atomics a link can do. Included by driver_types.h.
 *
 * Source: Runtime API, "Data types used by CUDA Runtime"; names and values are
 * those of CUDA 13.
 */
#ifndef VGPU_HANDLE_TYPES_H
#define VGPU_HANDLE_TYPES_H

typedef struct CUfunc_st *cudaFunction_t;
typedef struct CUkern_st *cudaKernel_t;
typedef struct CUlib_st *cudaLibrary_t;

#define cudaEnableDefault                0x0
#define cudaEnableLegacyStream           0x1
#define cudaEnablePerThreadDefaultStream 0x2

enum cudaDriverEntryPointQueryResult {
    cudaDriverEntryPointSuccess = 0,
    cudaDriverEntryPointSymbolNotFound = 1,
    cudaDriverEntryPointVersionNotSufficent = 2,
};

enum cudaJitOption {
    cudaJitMaxRegisters = 0,
    cudaJitThreadsPerBlock = 1,
    cudaJitWallTime = 2,
    cudaJitInfoLogBuffer = 3,
    cudaJitInfoLogBufferSizeBytes = 4,
    cudaJitErrorLogBuffer = 5,
    cudaJitErrorLogBufferSizeBytes = 6,
    cudaJitOptimizationLevel = 7,
    cudaJitFallbackStrategy = 10,
    cudaJitGenerateDebugInfo = 11,
    cudaJitLogVerbose = 12,
    cudaJitGenerateLineInfo = 13,
    cudaJitCacheMode = 14,
    cudaJitPositionIndependentCode = 30,
    cudaJitMinCtaPerSm = 31,
    cudaJitMaxThreadsPerBlock = 32,
    cudaJitOverrideDirectiveValues = 33,
};

enum cudaLibraryOption {
    cudaLibraryHostUniversalFunctionAndDataTable = 0,
    cudaLibraryBinaryIsPreserved = 1,
};

enum cudaAtomicOperation {
    cudaAtomicOperationIntegerAdd = 0,
    cudaAtomicOperationIntegerMin = 1,
    cudaAtomicOperationIntegerMax = 2,
    cudaAtomicOperationIntegerIncrement = 3,
    cudaAtomicOperationIntegerDecrement = 4,
    cudaAtomicOperationAnd = 5,
    cudaAtomicOperationOr = 6,
    cudaAtomicOperationXOR = 7,
    cudaAtomicOperationExchange = 8,
    cudaAtomicOperationCAS = 9,
    cudaAtomicOperationFloatAdd = 10,
    cudaAtomicOperationFloatMin = 11,
    cudaAtomicOperationFloatMax = 12,
};

enum cudaAtomicOperationCapability {
    cudaAtomicCapabilitySigned = 1 << 0,
    cudaAtomicCapabilityUnsigned = 1 << 1,
    cudaAtomicCapabilityReduction = 1 << 2,
    cudaAtomicCapabilityScalar32 = 1 << 3,
    cudaAtomicCapabilityScalar64 = 1 << 4,
    cudaAtomicCapabilityScalar128 = 1 << 5,
    cudaAtomicCapabilityVector32x4 = 1 << 6,
};

#endif
