//! exit 1
//! 5: error: vgpucc: texture memory is not supported
int main()
{
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();

    return format.x;
}
