//! exit 1
//! 19: error: .*cuBLAS is not supported by the virtual GPU
#include <cublas_v2.h>
#include <stdio.h>

static const char *in_words(cublasStatus_t status)
{
    return status == CUBLAS_STATUS_SUCCESS ? "success" : "failure";
}

__global__ void k()
{
}

int main()
{
    cublasHandle_t handle;
    k<<<1, 1>>>();
    cublasStatus_t status = cublasCreate(&handle);
    puts(in_words(status));
    return 0;
}
