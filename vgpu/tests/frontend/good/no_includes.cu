// What nvcc's programs have without including any header.
extern "C" int puts(const char *);

__global__ void scale(float *x, int n, float a)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        x[i] = min(max(a * x[i], -1.0f), fmaxf(sqrtf(9.0f), 2.0f));
}

static int sum(std::initializer_list<int> list)
{
    int s = 0;

    for (int x : list)
        s += x;
    return s;
}

int main()
{
    const size_t n = 32;
    float *x = static_cast<float *>(malloc(n * sizeof *x)), *device;
    std::pair<int, int> p = {1, 2};
    int a = 3, b = std::move(a);
    timespec t;

    memset(x, 0, n * sizeof *x);
    x[3] = 7;
    cudaMalloc(&device, n * sizeof *x);
    cudaMemcpy(device, x, n * sizeof *x, cudaMemcpyHostToDevice);
    scale<<<1, 32>>>(device, n, 2.0f);
    cudaMemcpy(x, device, n * sizeof *x, cudaMemcpyDeviceToHost);
    std::swap(p.first, p.second);
    clock_gettime(CLOCK_MONOTONIC, &t);
    if (x[3] != 3 || sum({1, 2, b}) != 6 || p.first != 2 || INT_MAX < 0 ||
        std::max(a, b) != 3 || std::abs(-1.5) != 1.5 || !isdigit('1') ||
        abs(-2) != 2 || pow(2, 3) != 8 || clock() < 0 || UINT_MAX == 0 ||
        strcmp("a", "a") || atoi("12") != 12)
        exit(EXIT_FAILURE);
    free(x);
    puts("all there");
    return 0;
}
