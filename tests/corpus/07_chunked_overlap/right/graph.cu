// expect: passed
// The chunks as the nodes of a graph, built and launched once.
#include "lab.h"

#include "check.h"
#include "cipher.h"

uint64_t *host_memory_new(uint64_t num_entries)
{
    uint64_t *memory;

    // A copy from pageable memory holds the host, and then the next chunk
    // is queued too late to overlap with it.
    CHECK(cudaMallocHost(&memory, num_entries * sizeof(uint64_t)));
    return memory;
}

void host_memory_free(uint64_t *memory)
{
    CHECK(cudaFreeHost(memory));
}

void decrypt_in_chunks(uint64_t *data_host, uint64_t *data_device,
                       uint64_t num_entries, uint64_t num_iters,
                       const cudaStream_t *streams, uint64_t num_streams)
{
    const uint64_t chunk = num_entries / num_streams;

    const size_t bytes = chunk * sizeof(uint64_t);
    cudaGraph_t graph;
    cudaGraphExec_t exec;

    CHECK(cudaGraphCreate(&graph, 0));
    for (uint64_t s = 0; s < num_streams; s++) {
        uint64_t *const host = data_host + s * chunk;
        uint64_t *device = data_device + s * chunk;
        uint64_t num_chunk = chunk, iters = num_iters;
        void *arguments[] = {&device, &num_chunk, &iters};
        struct cudaKernelNodeParams kernel = {};
        cudaGraphNode_t in, run, out;

        // The stream keeps these three in order. Nothing orders them with
        // the other streams' chunks, and that is what lets them overlap.
        kernel.func = (void *)decrypt_gpu;
        kernel.gridDim = dim3(decrypt_blocks(chunk));
        kernel.blockDim = dim3(DECRYPT_THREADS);
        kernel.kernelParams = arguments;
        CHECK(cudaGraphAddMemcpyNode1D(&in, graph, NULL, 0, device, host, bytes,
                                       cudaMemcpyHostToDevice));
        CHECK(cudaGraphAddKernelNode(&run, graph, &in, 1, &kernel));
        CHECK(cudaGraphAddMemcpyNode1D(&out, graph, &run, 1, host, device,
                                       bytes, cudaMemcpyDeviceToHost));
    }

    // Not in the loop: there, each chunk would wait for the one before it.
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, streams[0]));
    CHECK(cudaStreamSynchronize(streams[0]));
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
}
