// Codes of calls that fail: argument N runs the case N. Below 50 the program
// looks at the code, takes it, or drops it on purpose, and nothing is said of
// it; from 50 on its line is told (tests/frontend/run.sh).
#include <cstdio>
#include <cstdlib>

#define MUCH (1ull << 50)
#define CHECK(x)                                                               \
    do {                                                                       \
        cudaError_t e = (x);                                                   \
        if (e != cudaSuccess) {                                                \
            fprintf(stderr, "%s\n", cudaGetErrorString(e));                    \
            exit(1);                                                           \
        }                                                                      \
    } while (0)
#define CHECK_IF(x)                                                            \
    if (cudaSuccess != (x)) {                                                  \
        fprintf(stderr, "bad\n");                                              \
        exit(1);                                                               \
    }
#define CHECK_LINE(x) check((x), __LINE__)
#define CHECK_LAST(x)                                                          \
    do {                                                                       \
        x;                                                                     \
        CHECK(cudaGetLastError());                                             \
    } while (0)
#define VALUE(x) ({ x; })

__global__ void kernel(int *p)
{
    p[threadIdx.x] = 1;
}

static void check(cudaError_t e, int line)
{
    if (e) {
        printf("line %d\n", line);
        exit(3);
    }
}

static cudaError_t checked(cudaError_t e)
{
    if (e != cudaSuccess)
        puts("bad");
    return e;
}

template <class T>
static void check_any(T e)
{
    if (e)
        exit(1);
}

// Names of the program's own.
struct cudaWatch {
    cudaWatch(int)
    {
    }
    cudaWatch();
};
cudaWatch::cudaWatch()
{
}

static void cudaMine(int)
{
}

static cudaError_t cudaTried()
{
    void *p;
    cudaError_t e = cudaMalloc(&p, MUCH);

    if (e)
        puts("tried");
    return e;
}

// The launch fails as the copy did, and the capture's end tells of both.
static int spoiled()
{
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaError_t e;

    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    (void)cudaStreamSynchronize(stream);
    kernel<<<1, 5, 0, stream>>>(0);
    e = cudaStreamEndCapture(stream, &graph);
    CHECK(cudaStreamDestroy(stream));
    return e != cudaSuccess;
}

static int looked(int number, void *p)
{
    cudaError_t e = cudaSuccess;
    auto make = [&] { return cudaMalloc(&p, MUCH); };

    switch (number) {
    case 0: CHECK(cudaMalloc(&p, MUCH)); break;
    case 1: CHECK_IF(cudaMalloc(&p, MUCH)); break;
    case 2: CHECK_LINE(cudaMalloc(&p, MUCH)); break;
    case 3: checked(cudaMalloc(&p, MUCH)); break;
    case 4: CHECK_LAST(cudaMalloc(&p, MUCH)); break;
    case 5: return VALUE(cudaMalloc(&p, MUCH)) ? 1 : 0;
    case 6: check_any(cudaMalloc(&p, MUCH)); break;
    case 7: if (cudaMalloc(&p, MUCH)) return 5; break;
    case 8: return cudaMalloc(&p, MUCH) == cudaSuccess ? 0 : 1;
    case 9: for (; cudaMalloc(&p, MUCH) == 0;) ; break;
    case 10: while (cudaMalloc(&p, MUCH)) return 1; break;
    case 11: (void)cudaMalloc(&p, MUCH); break;
    case 12: cudaTried(); break;
    case 13: e = cudaMalloc(&p, MUCH); return e != cudaSuccess;
    case 14: kernel<<<1, 5000>>>(0); CHECK(cudaGetLastError()); break;
    case 15: kernel<<<1, 5000>>>(0); CHECK(cudaPeekAtLastError()); break;
    case 16: cudaMalloc(&p, MUCH); CHECK(cudaGetLastError()); break;
    case 17: kernel<<<1, 5>>>(0); CHECK(cudaDeviceSynchronize()); break;
    case 18: return make();
    case 20: e = cudaMalloc(&p, MUCH); puts("later"); if (e) return 1; break;
    case 21: { bool good = !cudaMalloc(&p, MUCH); return !good; }
    case 22: switch (cudaMalloc(&p, MUCH)) { default: return 1; }
    case 23: cudaMalloc(&p, MUCH) == cudaSuccess || (exit(1), 0); break;
    case 24: cudaMalloc(&p, MUCH) ? exit(1) : (void)0; break;
    case 25: if (cudaLaunchKernel((void *)kernel, 1, 5000, &p)) return 1; break;
    case 26: return spoiled();
    case 19: try { if (cudaMalloc(&p, MUCH)) throw 1; } catch (int) { }
    }
    return 0;
}

static void ignored(int number, void *p)
{
    void *arguments[] = {&p};
    auto make = [&] { cudaMalloc(&p, MUCH); };

    switch (number) {
    case 50: cudaMalloc(&p, MUCH + 50); break;
    case 51: if (p) puts(""); else cudaMallocHost(&p, MUCH); break;
    case 52: kernel<<<1, 5000>>>(0); break;
    case 53: kernel<<<1, 5001>>>(0); CHECK(cudaDeviceSynchronize()); break;
    case 54: ::cudaMalloc(&p, MUCH + 54); break;
    case 55: make(); break;
    case 56: kernel<<<1, 5>>>(0); cudaDeviceSynchronize(); break;
    case 57: cudaLaunchKernel((void *)kernel, 1, 5000, arguments); break;
    case 58: cudaSetDevice(17); break;
    case 59: cudaMemcpyAsync(p, p, 8, (cudaMemcpyKind)9, 0); break;
    }
}

int main(int, char **arguments)
{
    const int number = atoi(arguments[1]);
    cudaWatch watch(2);

    cudaFree(0);
    cudaMine(1);
    ignored(number, nullptr);
    return looked(number, nullptr);
}
