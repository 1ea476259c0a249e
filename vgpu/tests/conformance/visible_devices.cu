// recorded: not yet
// gpus: 2
/*
 * visible_devices.cu: which devices a program sees with CUDA_VISIBLE_DEVICES,
 * and in which order: the code of cudaGetDeviceCount, the count, and which of
 * the machine's first two devices each is.
 * Source: programming guide, "CUDA Environment Variables"; observed.
 */
#include "fact.h"
#include <sys/mman.h>

enum { ID = 32 };

/* Learnt in a child: this process makes no call. */
static char (*ids)[ID];

static void learn(void)
{
    for (int d = 0; d < 2; d++)
        MUST(cudaDeviceGetPCIBusId(ids[d], ID, d));
}

static const char *name_of(int device)
{
    char id[ID];

    MUST(cudaDeviceGetPCIBusId(id, ID, device));
    return !strcmp(id, ids[0]) ? "first" : !strcmp(id, ids[1]) ? "second" : "?";
}

static void look(void)
{
    int count = -1;
    const cudaError_t error = cudaGetDeviceCount(&count);

    printf("seen=%d,%d", (int)error, count);
    for (int d = 0; !error && d < count && d < 2; d++)
        printf(",%s", name_of(d));
    putchar('\n');
    if (error) {
        fact_last("latched");
        fact_error("set_device", cudaSetDevice(0));
        fact_error("malloc", cudaFree(NULL));
    }
}

static void ask(const char *text)
{
    fact("visible=%s", text);
    setenv("CUDA_VISIBLE_DEVICES", text, 1);
    fact_in_child("child", look);
}

/* Set by the program itself, before its first call and after it. */
static void set_before(void)
{
    setenv("CUDA_VISIBLE_DEVICES", "1", 1);
    look();
}

static void set_after(void)
{
    int count = 0;

    MUST(cudaGetDeviceCount(&count));
    setenv("CUDA_VISIBLE_DEVICES", "", 1);
    fact_error("after_the_first_call", cudaGetDeviceCount(&count));
    fact_yes("as_many_as_before", count >= 2);
}

static void versions(void)
{
    int version = 0;

    setenv("CUDA_VISIBLE_DEVICES", "", 1);
    fact_error("runtime_version", cudaRuntimeGetVersion(&version));
    fact_error("driver_version", cudaDriverGetVersion(&version));
    fact_error("name_of_current", cudaGetDevice(&version));
    fact_error("launch", (fact_spin<<<1, 1>>>(1, NULL), cudaGetLastError()));
}

static void count_devices(void)
{
    int count = 0;

    cudaGetDeviceCount(&count);
    *(int *)ids = count;
}

int main(void)
{
    static const char *const texts[] = {
        "0",  "1",    "1,0", "0,0", "-1",   "0,-1,1", "1,7,0", "7,0",
        "",   " ",    "0,",  ",0",  "none", "0,x",    "01",    "1x",
        " 1", "0, 1", "0 1", "0x1", "GPU-", "GPU-00"};

    ids = (char(*)[ID])mmap(NULL, 4096, PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    fact_in_child("count", count_devices);
    if (*(int *)ids < 2) {
        puts("skipped: needs 2 GPUs");
        return FACT_SKIP;
    }
    fact_in_child("ids", learn);
    for (const char *text : texts)
        ask(text);
    unsetenv("CUDA_VISIBLE_DEVICES");
    fact_in_child("set_before", set_before);
    fact_in_child("set_after", set_after);
    fact_in_child("versions", versions);
    return 0;
}
