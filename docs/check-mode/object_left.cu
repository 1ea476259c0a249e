// A texture object is never destroyed.
int main()
{
    cudaResourceDesc resource = {};
    cudaTextureDesc how = {};
    cudaTextureObject_t texture;
    float *device;

    cudaMalloc(&device, 4096);
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = device;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = 4096;
    cudaCreateTextureObject(&texture, &resource, &how, nullptr);
    cudaFree(device); // cudaDestroyTextureObject(texture) is missing
}
