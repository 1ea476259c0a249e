/*
 * libraries.cu: kernels and variables that are loaded from PTX text, found by
 * name, and launched by their handles.
 * Source: Runtime API, Library Management; codes observed.
 */
#include "fact.h"

#define HEAD ".version 8.0\n.target sm_80\n.address_size 64\n"

static const char text[] =
    HEAD ".visible .global .align 4 .u32 cell = 7;\n"
         ".visible .const .align 8 .b8 table[24];\n"
         ".visible .global .attribute(.managed) .align 8 .u64 shared_cell;\n"
         "// p[i] = v + i for each thread of the grid\n"
         ".visible .entry store(.param .u64 p, .param .u32 v)\n{\n"
         ".reg .b32 %r<7>;\n.reg .b64 %rd<5>;\n"
         "ld.param.u64 %rd1, [p];\nld.param.u32 %r1, [v];\n"
         "cvta.to.global.u64 %rd2, %rd1;\nmov.u32 %r2, %ctaid.x;\n"
         "mov.u32 %r3, %ntid.x;\nmov.u32 %r4, %tid.x;\n"
         "mad.lo.s32 %r5, %r2, %r3, %r4;\nmul.wide.u32 %rd3, %r5, 4;\n"
         "add.s64 %rd4, %rd2, %rd3;\nadd.s32 %r6, %r1, %r5;\n"
         "st.global.u32 [%rd4], %r6;\nret;\n}\n"
         "// the sum of 1 to n, in a loop\n"
         ".visible .entry sum(.param .u64 p, .param .u32 n)\n{\n"
         ".reg .pred %p<2>;\n.reg .b32 %r<4>;\n.reg .b64 %rd<2>;\n"
         "ld.param.u64 %rd1, [p];\nld.param.u32 %r1, [n];\nmov.u32 %r2, 0;\n"
         "LOOP:\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra DONE;\n"
         "add.u32 %r2, %r2, %r1;\nsub.u32 %r1, %r1, 1;\nbra LOOP;\n"
         "DONE:\nst.global.u32 [%rd1], %r2;\nret;\n}\n"
         "// what a block's threads have stored, the other way round\n"
         ".visible .entry turn(.param .u64 p)\n.maxntid 64, 1, 1\n{\n"
         ".shared .align 4 .b8 kept[256];\n"
         ".reg .b32 %r<8>;\n.reg .b64 %rd<4>;\n.reg .f32 %f<3>;\n"
         "mov.u32 %r1, %tid.x;\nmov.u32 %r2, kept;\nshl.b32 %r3, %r1, 2;\n"
         "add.s32 %r4, %r2, %r3;\ncvt.rn.f32.u32 %f1, %r1;\n"
         "st.shared.f32 [%r4], %f1;\nbar.sync 0;\nmov.u32 %r5, 252;\n"
         "sub.s32 %r5, %r5, %r3;\nadd.s32 %r6, %r2, %r5;\n"
         "ld.shared.f32 %f2, [%r6];\ncvt.rzi.u32.f32 %r7, %f2;\n"
         "ld.param.u64 %rd1, [p];\nmul.wide.u32 %rd2, %r1, 4;\n"
         "add.s64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], %r7;\nret;\n}\n"
         "// the variable, once for each thread\n"
         ".visible .entry bump()\n{\n.reg .b32 %r<2>;\n"
         "atom.global.add.u32 %r1, [cell], 1;\nret;\n}\n";

static cudaLibrary_t library;
static int *place;

static cudaError_t load(cudaLibrary_t *to, const char *from)
{
    return cudaLibraryLoadData(to, from, NULL, NULL, 0, NULL, NULL, 0);
}

static cudaKernel_t find(const char *name)
{
    cudaKernel_t kernel = NULL;

    MUST(cudaLibraryGetKernel(&kernel, library, name));
    return kernel;
}

static void names(void)
{
    static const char *const all[] = {"bump", "store", "sum", "turn"};
    cudaKernel_t kernels[8] = {}, kernel = NULL, again = NULL;
    unsigned count = 99;

    fact_error("count", cudaLibraryGetKernelCount(&count, library));
    fact_int("count.is", count);
    fact_error("enumerate", cudaLibraryEnumerateKernels(kernels, 8, library));
    for (const char *wanted : all) {
        int times = 0;

        for (int i = 0; i < 4; i++) {
            const char *name = NULL; /* they come in no order */

            MUST(cudaFuncGetName(&name, (const void *)kernels[i]));
            times += !strcmp(name, wanted);
        }
        fact("enumerate.%s=%d", wanted, times);
    }
    fact_yes("enumerate.no_more", !kernels[4]);
    fact_error("kernel", cudaLibraryGetKernel(&kernel, library, "store"));
    fact_error("kernel.again", cudaLibraryGetKernel(&again, library, "store"));
    fact_yes("kernel.same", kernel == again);
    fact_error("kernel.unknown",
               cudaLibraryGetKernel(&again, library, "nothing"));
    fact_error("kernel.of_a_variable",
               cudaLibraryGetKernel(&again, library, "cell"));
    cudaGetLastError();
}

static void launches(void)
{
    int seen[64], value = 5, n = 100;
    void *args[] = {&place, &value}, *rounds[] = {&place, &n};

    fact_error("store", cudaLaunchKernel((const void *)find("store"), dim3(2),
                                         dim3(32), args, 0, 0));
    fact_error("store.end", cudaDeviceSynchronize());
    MUST(cudaMemcpy(seen, place, sizeof seen, cudaMemcpyDefault));
    fact("store.values=%d %d", seen[0], seen[63]);
    fact_error("sum", cudaLaunchKernel((const void *)find("sum"), dim3(1),
                                       dim3(1), rounds, 0, 0));
    MUST(cudaMemcpy(seen, place, sizeof seen, cudaMemcpyDefault));
    fact_int("sum.value", seen[0]);
    fact_error("turn", cudaLaunchKernel((const void *)find("turn"), dim3(1),
                                        dim3(64), args, 0, 0));
    MUST(cudaMemcpy(seen, place, sizeof seen, cudaMemcpyDefault));
    fact("turn.values=%d %d", seen[0], seen[63]);
    fact_error("turn.too_many",
               cudaLaunchKernel((const void *)find("turn"), dim3(1), dim3(65),
                                args, 0, 0));
    cudaGetLastError();
}

static void variables(void)
{
    void *at = NULL, *managed = NULL;
    size_t bytes = 99;
    int value = 0;

    fact_error("global", cudaLibraryGetGlobal(&at, &bytes, library, "cell"));
    fact_int("global.bytes", (long long)bytes);
    MUST(cudaMemcpy(&value, at, sizeof value, cudaMemcpyDefault));
    fact_int("global.value", value);
    fact_error("bump", cudaLaunchKernel((const void *)find("bump"), dim3(1),
                                        dim3(32), NULL, 0, 0));
    MUST(cudaMemcpy(&value, at, sizeof value, cudaMemcpyDefault));
    fact_int("bump.value", value);
    fact_error("global.bytes_only",
               cudaLibraryGetGlobal(NULL, &bytes, library, "table"));
    fact_int("global.table.bytes", (long long)bytes);
    fact_error("global.unknown",
               cudaLibraryGetGlobal(&at, &bytes, library, "nothing"));
    fact_error("global.of_a_kernel",
               cudaLibraryGetGlobal(&at, &bytes, library, "store"));
    fact_error("managed",
               cudaLibraryGetManaged(&managed, &bytes, library, "shared_cell"));
    fact_int("managed.bytes", (long long)bytes);
    fact_error("managed.of_a_global",
               cudaLibraryGetManaged(&managed, &bytes, library, "cell"));
    fact_error("unified",
               cudaLibraryGetUnifiedFunction(&at, library, "nothing"));
    cudaGetLastError();
}

static void attributes(void)
{
    cudaFuncAttributes a;

    MUST(cudaFuncGetAttributes(&a, (const void *)find("turn")));
    fact("turn.attributes=%zu %d %d %d", a.sharedSizeBytes,
         a.maxThreadsPerBlock, a.ptxVersion, a.maxDynamicSharedSizeBytes);
    for (int i = 0; i < 3; i++) {
        size_t offset = 99, bytes = 99;
        const cudaError_t error = cudaFuncGetParamInfo(
            (const void *)find("store"), i, &offset, &bytes);

        fact("store.parameter.%d=%d %zu %zu", i, (int)error, offset, bytes);
    }
    cudaGetLastError();
}

int main(void)
{
    cudaLibrary_t other = NULL;

    fact_error("load", load(&library, text));
    MUST(cudaMalloc((void **)&place, 64 * sizeof(int)));
    fact_error("load.again", load(&other, text));
    fact_yes("load.again.same", other == library);
    fact_error("unload.other", cudaLibraryUnload(other));
    fact_error("load.nowhere", load(NULL, text));
    fact_error("load.nothing", load(&other, NULL));
    fact_error("load.no_file",
               cudaLibraryLoadFromFile(&other, "/nonexistent/x.ptx", NULL, NULL,
                                       0, NULL, NULL, 0));
    cudaGetLastError();
    names();
    launches();
    variables();
    attributes();
    fact_error("unload", cudaLibraryUnload(library));
    fact_error("end", cudaDeviceSynchronize());
    return 0;
}
