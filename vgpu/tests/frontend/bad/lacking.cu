//! exit 1
//! 9: error: .*cudaMallocMipmappedArray.*is unavailable: not supported by the virtual GPU
//! 10: error: .*cudaGraphicsMapResources.*is unavailable: not supported by the
//! 11: error: .*cudaLogsCurrent.*is unavailable: not supported by the vir
int main()
{
    cudaMipmappedArray_t array;

    cudaMallocMipmappedArray(&array, nullptr, 1);
    cudaGraphicsMapResources(1, nullptr, nullptr);
    cudaLogsCurrent(nullptr, 0);
    return 0;
}
