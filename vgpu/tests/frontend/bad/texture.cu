//! exit 1
//! 3: error: .*texture
texture<float, 2, cudaReadModeElementType> t;
