// Memory is registered and never unregistered.
#include <cstdlib>

int main()
{
    void *host = aligned_alloc(4096, 4096);

    cudaHostRegister(host, 4096, cudaHostRegisterDefault);
    cudaDeviceSynchronize(); // cudaHostUnregister(host) is missing
}
