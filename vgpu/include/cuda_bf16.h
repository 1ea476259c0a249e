/* cuda_bf16.h: bfloat16 is not part of the virtual GPU. */
#error "cuda_bf16.h: bfloat16 is not supported by the virtual GPU"
