// A texture object is destroyed while a kernel may still run.
__global__ void load(cudaTextureObject_t texture, float *to)
{
    *to = tex1Dfetch<float>(texture, 0);
}

int main()
{
    cudaResourceDesc resource = {};
    cudaTextureDesc how = {};
    cudaTextureObject_t texture;
    float *device;

    cudaMalloc(&device, 4096);
    cudaMemset(device, 0, 4096);
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = device;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = 2048;
    cudaCreateTextureObject(&texture, &resource, &how, nullptr);
    load<<<1, 1>>>(texture, device + 600);
    cudaDestroyTextureObject(texture); // cudaDeviceSynchronize() is missing
    cudaFree(device);
}
