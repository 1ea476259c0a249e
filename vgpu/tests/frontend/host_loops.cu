// Device memory in a host's loop ends the program, reports or not.
#include <stdio.h>
#include <stdlib.h>

static int total(const int *values, int n)
{
    int sum = 0;

    for (int i = 0; i < n; i++)
        sum += values[i]; // touched
    return sum;
}

int main(int argc, char **argv)
{
    int *host, *device;

    cudaMallocHost(&host, 64 * sizeof *host);
    cudaMalloc(&device, 64 * sizeof *device);
    for (int i = 0; argc > 1 && i < 64; i++)
        device[i] = atoi(argv[1]); // written
    for (int i = 0; i < 64; i++)
        host[i] = 1;
    cudaMemcpy(device, host, 64 * sizeof *host, cudaMemcpyDefault);
    printf("%d\n", total(host, 64));
    fflush(stdout);
    printf("%d\n", total(device, 64));
    return 0;
}
