/* cuda_fp16.h: half precision is not part of the virtual GPU. */
#error "cuda_fp16.h: half precision is not supported by the virtual GPU"
