// A copy between devices names the wrong one.
// run: VGPU_COUNT=2
int main()
{
    int *here, *there;

    cudaSetDevice(1);
    cudaMalloc(&there, 4);
    cudaSetDevice(0);
    cudaMalloc(&here, 4);
    cudaMemset(here, 0, 4);
    cudaMemcpyPeer(there, 0, here, 0, 4); // there is on device 1
    cudaDeviceSynchronize();
    cudaFree(there);
    cudaFree(here);
}
