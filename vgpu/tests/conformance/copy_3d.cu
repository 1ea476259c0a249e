/*
 * copy_3d.cu: a 3D copy moves a box, at a position, between pitched blocks.
 * Source: Runtime API, Memory Management, cudaMemcpy3D.
 */
#include "fact.h"

enum { W = 4, H = 3, D = 2 };

static unsigned char source[W * H * D];
static unsigned char back[W * H * D];

static void show(const char *key)
{
    printf("%s=", key);
    for (size_t i = 0; i < sizeof(back); i++)
        printf("%02x", back[i]);
    putchar('\n');
}

static struct cudaPitchedPtr host_block(unsigned char *bytes)
{
    return make_cudaPitchedPtr(bytes, W, W, H);
}

static cudaError_t copy(struct cudaPitchedPtr to, struct cudaPos to_pos,
                        struct cudaPitchedPtr from, struct cudaPos from_pos,
                        struct cudaExtent extent, enum cudaMemcpyKind kind)
{
    struct cudaMemcpy3DParms parms;

    memset(&parms, 0, sizeof(parms));
    parms.dstPtr = to;
    parms.dstPos = to_pos;
    parms.srcPtr = from;
    parms.srcPos = from_pos;
    parms.extent = extent;
    parms.kind = kind;
    return cudaMemcpy3D(&parms);
}

int main(void)
{
    const struct cudaPos origin = make_cudaPos(0, 0, 0);
    const struct cudaExtent whole = make_cudaExtent(W, H, D);
    struct cudaPitchedPtr device;
    struct cudaPitchedPtr narrow;

    for (size_t i = 0; i < sizeof(source); i++)
        source[i] = (unsigned char)(i + 1);
    MUST(cudaMalloc3D(&device, whole));
    fact_error("memset_3d.error", cudaMemset3D(device, 0xaa, whole));
    fact_error("to_host.error", copy(host_block(back), origin, device, origin,
                                     whole, cudaMemcpyDeviceToHost));
    show("after_memset");
    fact_error("to_device.error", copy(device, origin, host_block(source),
                                       origin, whole, cudaMemcpyHostToDevice));
    MUST(copy(host_block(back), origin, device, origin, whole,
              cudaMemcpyDefault));
    show("whole_block");
    MUST(cudaMemset3D(device, 0, whole));
    fact_error("box_to_position.error",
               copy(device, make_cudaPos(1, 1, 1), host_block(source), origin,
                    make_cudaExtent(2, 2, 1), cudaMemcpyHostToDevice));
    MUST(copy(host_block(back), origin, device, origin, whole,
              cudaMemcpyDeviceToHost));
    show("box_at_1_1_1");
    memset(back, 0, sizeof(back));
    MUST(copy(device, origin, host_block(source), origin, whole,
              cudaMemcpyHostToDevice));
    MUST(copy(host_block(back), origin, device, make_cudaPos(2, 0, 1),
              make_cudaExtent(2, 3, 1), cudaMemcpyDeviceToHost));
    show("box_from_2_0_1");
    fact_error("empty_extent.error",
               copy(device, origin, host_block(source), origin,
                    make_cudaExtent(0, H, D), cudaMemcpyHostToDevice));
    cudaGetLastError();
    narrow = host_block(source);
    narrow.pitch = W - 1;
    fact_error("width_above_pitch.error", copy(device, origin, narrow, origin,
                                               whole, cudaMemcpyHostToDevice));
    fact_last("width_above_pitch.latched");
    return 0;
}
