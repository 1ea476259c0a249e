/*
 * batch_boxes.cu: boxes of pointers and arrays that cudaMemcpy3DBatchAsync
 * copies, and what it refuses.
 * Source: Runtime API, cudaMemcpy3DBatchAsync; codes observed.
 */
#include "fact.h"

enum { BYTES = 4096, WIDTH = 16, HEIGHT = 8 };

static unsigned char *device, *pinned;
static cudaArray_t array, wide;
static cudaStream_t stream;

static cudaMemcpy3DBatchOp box(size_t width, size_t height, size_t depth)
{
    cudaMemcpy3DBatchOp op;

    memset(&op, 0, sizeof op);
    op.src.type = op.dst.type = cudaMemcpyOperandTypePointer;
    op.src.op.ptr.ptr = pinned;
    op.dst.op.ptr.ptr = device;
    op.extent = make_cudaExtent(width, height, depth);
    op.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    return op;
}

static void tell(const char *key, cudaMemcpy3DBatchOp op)
{
    fact_error(key, cudaMemcpy3DBatchAsync(1, &op, 0, stream));
    cudaGetLastError();
}

static void arguments(void)
{
    cudaMemcpy3DBatchOp op = box(64, 2, 1);

    tell("plain", op);
    fact_error("flags_1", cudaMemcpy3DBatchAsync(1, &op, 1, stream));
    fact_error("count_0", cudaMemcpy3DBatchAsync(0, &op, 0, stream));
    fact_error("no_boxes", cudaMemcpy3DBatchAsync(1, NULL, 0, stream));
    fact_error("legacy", cudaMemcpy3DBatchAsync(1, &op, 0, 0));
    fact_error("per_thread",
               cudaMemcpy3DBatchAsync(1, &op, 0, cudaStreamPerThread));
    cudaGetLastError();
    tell("width_0", box(0, 2, 1));
    tell("height_0", box(64, 0, 1));
    tell("depth_0", box(64, 2, 0));
    tell("beyond_the_end", box(BYTES, 2, 1));
    for (int order = 0; order <= 4; order += 4) {
        op.srcAccessOrder = (cudaMemcpySrcAccessOrder)order;
        tell(order ? "order_4" : "order_0", op);
    }
    for (int type = 0; type <= 3; type += 3) {
        op = box(64, 2, 1);
        op.src.type = (cudaMemcpy3DOperandType)type;
        tell(type ? "type_3" : "type_0", op);
    }
    op = box(64, 2, 1);
    op.src.op.ptr.rowLength = 63;
    tell("row_shorter_than_box", op);
    op = box(64, 2, 1);
    op.src.op.ptr.layerHeight = 1;
    tell("layer_lower_than_box", op);
    op = box(64, 2, 1);
    op.src.op.ptr.ptr = NULL;
    tell("no_source", op);
    op = box(64, 2, 1);
    op.flags = 2;
    tell("box_flags_2", op);
}

/* Rows and layers further apart than the box is wide and high. */
static void values(void)
{
    cudaMemcpy3DBatchOp op = box(2, 2, 2);
    unsigned char seen[16];

    op.src.op.ptr.rowLength = 16;
    op.src.op.ptr.layerHeight = 3;
    op.dst.op.ptr.rowLength = 3;
    MUST(cudaMemset(device, 0, BYTES));
    MUST(cudaDeviceSynchronize());
    tell("apart", op);
    MUST(cudaStreamSynchronize(stream));
    MUST(cudaMemcpy(seen, device, sizeof seen, cudaMemcpyDefault));
    printf("apart.bytes=");
    for (int i = 0; i < 12; i++)
        printf(i ? " %d" : "%d", seen[i]);
    printf("\n");
}

static void arrays(void)
{
    cudaMemcpy3DBatchOp op = box(8, 4, 1);
    int seen[8];

    op.dst.type = cudaMemcpyOperandTypeArray;
    memset(&op.dst.op, 0, sizeof op.dst.op);
    op.dst.op.array.array = array;
    op.dst.op.array.offset.x = 8;
    op.dst.op.array.offset.y = 2;
    tell("to_array", op);
    op.src.op.ptr.rowLength = 7;
    tell("to_array.row_7", op);
    op.src.op.ptr.rowLength = 8;
    tell("to_array.row_8", op);
    op.src.op.ptr.rowLength = 0;
    op.dst.op.array.offset.x = 9;
    tell("to_array.beyond_x", op);
    op.dst.op.array.offset.x = 0;
    op.dst.op.array.offset.y = 5;
    tell("to_array.beyond_y", op);

    op = box(8, 1, 1);
    op.src.type = cudaMemcpyOperandTypeArray;
    memset(&op.src.op, 0, sizeof op.src.op);
    op.src.op.array.array = array;
    op.src.op.array.offset.x = 8;
    op.src.op.array.offset.y = 2;
    tell("from_array", op);
    MUST(cudaStreamSynchronize(stream));
    MUST(cudaMemcpy(seen, device, sizeof seen, cudaMemcpyDefault));
    fact("from_array.values=%08x %08x", seen[0], seen[7]);

    op.dst.type = cudaMemcpyOperandTypeArray;
    memset(&op.dst.op, 0, sizeof op.dst.op);
    op.dst.op.array.array = array;
    tell("array_to_array", op);
    op.dst.op.array.array = wide;
    tell("array_to_array.other_element", op);
}

int main(void)
{
    const cudaChannelFormatDesc one = cudaCreateChannelDesc<int>();
    const cudaChannelFormatDesc four = cudaCreateChannelDesc<int4>();
    cudaGraph_t graph;
    cudaMemcpy3DBatchOp op;

    MUST(cudaMalloc((void **)&device, BYTES));
    MUST(cudaMallocHost((void **)&pinned, BYTES));
    for (int i = 0; i < BYTES; i++)
        pinned[i] = (unsigned char)i;
    MUST(cudaMallocArray(&array, &one, WIDTH, HEIGHT));
    MUST(cudaMallocArray(&wide, &four, WIDTH, HEIGHT));
    MUST(cudaStreamCreate(&stream));
    arguments();
    values();
    arrays();
    op = box(64, 2, 1);
    MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    tell("captured", op);
    fact_error("captured.end", cudaStreamEndCapture(stream, &graph));
    fact_error("end", cudaDeviceSynchronize());
    return 0;
}
