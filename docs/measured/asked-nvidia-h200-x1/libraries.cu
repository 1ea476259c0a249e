/* libraries.cu: see README.md. */
#include "../asked_codes.h"
// Second asking: what a library that was loaded from wrong text says
// afterwards; handles after unload and reset; numbers of atomics; names.
#include <sys/wait.h>
#include <unistd.h>
#define HEAD ".version 8.0\n.target sm_80\n.address_size 64\n"
static const char good[] =
    HEAD ".visible .global .align 4 .u32 cell = 7;\n.visible .entry one()\n{ "
         "ret; }\n.visible .entry two(.param .u32 x)\n{ ret; }\n";
static cudaError_t load(cudaLibrary_t *l, const void *t)
{
    return cudaLibraryLoadData(l, t, nullptr, nullptr, 0, nullptr, nullptr, 0);
}
static void after(const char *k, const char *text)
{
    cudaLibrary_t l = nullptr;
    cudaKernel_t kn = nullptr;
    unsigned n = 99;
    void *p;
    size_t b;
    std::string s(k);
    C(s + " load", load(&l, text));
    C(s + " count", cudaLibraryGetKernelCount(&n, l));
    K(s + " n", n);
    C(s + " kernel", cudaLibraryGetKernel(&kn, l, "x"));
    if (kn) {
        C(s + " launch",
          cudaLaunchKernel((const void *)kn, dim3(1), dim3(1), nullptr, 0, 0));
        C(s + " sync", cudaDeviceSynchronize());
    }
    C(s + " global", cudaLibraryGetGlobal(&p, &b, l, "cell"));
    C(s + " unload", cudaLibraryUnload(l));
}
static void part(int i)
{
    cudaLibrary_t l = nullptr;
    cudaKernel_t k = nullptr, k2 = nullptr;
    unsigned u = 99;
    void *p;
    size_t n;
    MUST(cudaFree(0));
    if (i == 0) {
        after("good", HEAD ".visible .global .align 4 .u32 cell;\n.visible "
                           ".entry x() { ret; }\n");
        after("empty", "");
        after("garbage", "hello, world\n");
        after("header", HEAD);
        after("syntax", HEAD ".visible .entry x() { nosuch.u32 %r1; ret; }\n");
        after("version", ".version 9.9\n.target sm_80\n.address_size "
                         "64\n.visible .entry x() { ret; }\n");
        after(
            "no version",
            ".target sm_80\n.address_size 64\n.visible .entry x() { ret; }\n");
        after("sm_100", ".version 8.7\n.target sm_100\n.address_size "
                        "64\n.visible .entry x() { ret; }\n");
        after("sm_90a", ".version 8.7\n.target sm_90a\n.address_size "
                        "64\n.visible .entry x() { ret; }\n");
        after("sm_30", ".version 6.0\n.target sm_30\n.address_size "
                       "64\n.visible .entry x() { ret; }\n");
        after("32", ".version 8.0\n.target sm_80\n.address_size 32\n.visible "
                    ".entry x() { ret; }\n");
        after("unresolved", HEAD ".extern .func nowhere();\n.visible .entry "
                                 "x() { call nowhere; ret; }\n");
    } else if (i == 1) {
        MUST(load(&l, good));
        MUST(cudaLibraryGetKernel(&k, l, "one"));
        C("count null", cudaLibraryGetKernelCount(nullptr, l));
        cudaKernel_t ks[4] = {};
        C("enumerate 0", cudaLibraryEnumerateKernels(ks, 0, l));
        C("enumerate 1", cudaLibraryEnumerateKernels(ks, 1, l));
        K("second kept", ks[1] == nullptr);
        C("enumerate 3", cudaLibraryEnumerateKernels(ks, 3, l));
        C("both null", cudaLibraryGetGlobal(nullptr, nullptr, l, "cell"));
        C("kernel empty", cudaLibraryGetKernel(&k2, l, ""));
        C("get kernel of kernel_t", cudaGetKernel(&k2, (const void *)k));
        cudaFuncAttributes a;
        C("attributes", cudaFuncGetAttributes(&a, (const void *)k));
        P("ptx, bin", a.ptxVersion, a.binaryVersion);
        int nb = -1;
        C("occupancy", cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                           &nb, (const void *)k, 32, 0));
        K("blocks", nb);
        cudaStream_t s;
        MUST(cudaStreamCreate(&s));
        cudaGraph_t g;
        cudaStreamCaptureStatus st;
        MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
        cudaLibrary_t l2 = nullptr;
        C("capture load", load(&l2, good));
        C("capture kernel", cudaLibraryGetKernel(&k2, l2, "two"));
        C("capture global", cudaLibraryGetGlobal(&p, &n, l, "cell"));
        C("capture launch",
          cudaLaunchKernel((const void *)k, dim3(1), dim3(1), nullptr, 0, s));
        MUST(cudaStreamIsCapturing(s, &st));
        K("status", st);
        C("capture end", cudaStreamEndCapture(s, &g));
        spin<<<1, 1, 0, s>>>(MS(20), 0, 0);
        C("load busy", load(&l2, good));
        MUST(cudaLibraryGetKernel(&k2, l2, "one"));
        K("busy kernel", busy(s));
        C("global busy", cudaLibraryGetGlobal(&p, &n, l2, "cell"));
        K("busy global", busy(s));
        C("unload busy", cudaLibraryUnload(l2));
        K("busy unload", busy(s));
        MUST(cudaStreamSynchronize(s));
        C("reset", cudaDeviceReset());
        C("count after reset", cudaLibraryGetKernelCount(&u, l));
        C("launch after reset",
          cudaLaunchKernel((const void *)k, dim3(1), dim3(1), nullptr, 0, 0));
        C("sync", cudaDeviceSynchronize());
        C("unload", cudaLibraryUnload(l));
    } else if (i == 2) {
        MUST(load(&l, good));
        MUST(cudaLibraryGetKernel(&k, l, "one"));
        MUST(cudaLibraryUnload(l));
        C("count of unloaded", cudaLibraryGetKernelCount(&u, l));
        C("unload twice", cudaLibraryUnload(l));
    } else if (i == 3) {
        C("count of null", cudaLibraryGetKernelCount(&u, nullptr));
        C("kernel of null", cudaLibraryGetKernel(&k, nullptr, "one"));
        C("unload null", cudaLibraryUnload(nullptr));
    } else if (i == 4) {
        MUST(load(&l, good));
        C("kernel name null", cudaLibraryGetKernel(&k, l, nullptr));
    } else {
        MUST(load(&l, good));
        MUST(cudaLibraryGetKernel(&k, l, "one"));
        MUST(cudaLibraryUnload(l));
        C("launch of unloaded",
          cudaLaunchKernel((const void *)k, dim3(1), dim3(1), nullptr, 0, 0));
        C("sync", cudaDeviceSynchronize());
    }
}
int main()
{
    for (int i = 0; i < 6; i++) {
        fflush(stdout);
        pid_t pid = fork();
        if (!pid) {
            part(i);
            fflush(stdout);
            _exit(0);
        }
        int st;
        waitpid(pid, &st, 0);
        printf("-- part %d ended %d %d\n", i,
               WIFEXITED(st) ? WEXITSTATUS(st) : -1,
               WIFSIGNALED(st) ? WTERMSIG(st) : 0);
    }
    return 0;
}
