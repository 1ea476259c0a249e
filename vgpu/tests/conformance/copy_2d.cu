/*
 * copy_2d.cu: a 2D copy moves width bytes of each row and leaves the rest of
 * the pitch alone; a width above a pitch is error 1
 * (observed; of a 3D copy it is 12).
 * Source: Runtime API, Memory Management, cudaMemcpy2D.
 */
#include "fact.h"

enum { WIDTH = 5, ROWS = 3, HOST_PITCH = 8 };

static unsigned char source[ROWS * HOST_PITCH];
static unsigned char back[ROWS * HOST_PITCH];

static void show(const char *key, const unsigned char *bytes, int count)
{
    printf("%s=", key);
    for (int i = 0; i < count; i++)
        printf("%02x", bytes[i]);
    putchar('\n');
}

static void round_trip(void *memory, size_t pitch)
{
    for (int i = 0; i < ROWS * HOST_PITCH; i++)
        source[i] = (unsigned char)(i + 1);
    memset(back, 0xee, sizeof(back));
    MUST(cudaMemset2D(memory, pitch, 0, HOST_PITCH, ROWS));
    fact_error("to_device.error",
               cudaMemcpy2D(memory, pitch, source, HOST_PITCH, WIDTH, ROWS,
                            cudaMemcpyHostToDevice));
    fact_error("to_host.error",
               cudaMemcpy2D(back, HOST_PITCH, memory, pitch, WIDTH, ROWS,
                            cudaMemcpyDeviceToHost));
    show("width_only", back, sizeof(back));
    MUST(cudaMemcpy2D(back, HOST_PITCH, memory, pitch, HOST_PITCH, ROWS,
                      cudaMemcpyDefault));
    show("device_padding_untouched", back, sizeof(back));
}

static void errors(void *memory, size_t pitch)
{
    fact_error("width_above_host_pitch.invalid_pitch",
               cudaMemcpy2D(memory, pitch, source, HOST_PITCH, HOST_PITCH + 1,
                            1, cudaMemcpyHostToDevice));
    fact_last("width_above_host_pitch.latched");
    fact_error("width_above_device_pitch.error",
               cudaMemcpy2D(memory, 4, source, HOST_PITCH, WIDTH, 1,
                            cudaMemcpyHostToDevice));
    fact_last("width_above_device_pitch.latched");
    fact_error("width_0.error", cudaMemcpy2D(memory, pitch, source, HOST_PITCH,
                                             0, ROWS, cudaMemcpyHostToDevice));
    fact_error("height_0.error",
               cudaMemcpy2D(memory, pitch, source, HOST_PITCH, WIDTH, 0,
                            cudaMemcpyHostToDevice));
    fact_error("null_destination.error",
               cudaMemcpy2D(NULL, pitch, source, HOST_PITCH, WIDTH, ROWS,
                            cudaMemcpyHostToDevice));
    fact_last("null_destination.latched");
    fact_error("bad_kind.error",
               cudaMemcpy2D(memory, pitch, source, HOST_PITCH, WIDTH, ROWS,
                            (enum cudaMemcpyKind)99));
    fact_last("bad_kind.latched");
}

int main(void)
{
    void *memory = NULL;
    void *other = NULL;
    size_t pitch = 0;
    size_t other_pitch = 0;

    MUST(cudaMallocPitch(&memory, &pitch, HOST_PITCH, ROWS));
    MUST(cudaMallocPitch(&other, &other_pitch, 700, ROWS));
    round_trip(memory, pitch);
    errors(memory, pitch);

    MUST(cudaMemset2D(other, other_pitch, 0x77, HOST_PITCH, ROWS));
    fact_error("device_to_device_async.error",
               cudaMemcpy2DAsync(other, other_pitch, memory, pitch, WIDTH, ROWS,
                                 cudaMemcpyDeviceToDevice, 0));
    MUST(cudaMemcpy2D(back, HOST_PITCH, other, other_pitch, HOST_PITCH, ROWS,
                      cudaMemcpyDeviceToHost));
    show("device_to_device", back, sizeof(back));
    memset(back, 0, sizeof(back));
    fact_error("host_to_host.error",
               cudaMemcpy2D(back, HOST_PITCH, source, HOST_PITCH, 2, ROWS,
                            cudaMemcpyHostToHost));
    show("host_to_host", back, sizeof(back));
    return 0;
}
