/* lab.cu: one host thread, several GPUs. */
#include "lab.h"

#include "check.h"
#include "cipher.h"
#include "helper.h"

struct part part_of_gpu(uint64_t num_entries, uint64_t num_gpus, uint64_t gpu)
{
    struct part part;

    // solution>
    // Rounded up, so that num_gpus parts reach the last entry.
    const uint64_t most = sdiv(num_entries, num_gpus);

    // Never past the end: a difference of unsigned numbers would be huge.
    part.lower = min(gpu * most, num_entries);
    part.width = min(most, num_entries - part.lower);
    //| // TODO 1: this rounds down: 3 GPUs get 3 of 10 entries each, and the
    //| // tenth gets lost. Let the parts reach the last entry, and no further:
    //| // the last part may be shorter, and some GPUs may get no entry at all.
    //| part.width = num_entries / num_gpus;
    //| part.lower = gpu * part.width;
    // <solution
    return part;
}

void memory_create(uint64_t **data_gpu, uint64_t num_entries, uint64_t num_gpus)
{
    int before;

    // The caller has a current device too, and goes on with it.
    CHECK(cudaGetDevice(&before));
    for (uint64_t g = 0; g < num_gpus; g++) {
        const struct part part = part_of_gpu(num_entries, num_gpus, g);

        // solution>
        // cudaMalloc knows nothing of g: it takes the current device's memory.
        CHECK(cudaSetDevice((int)g));
        CHECK(cudaMalloc(&data_gpu[g], part.width * sizeof(uint64_t)));
        //| // TODO 2: take memory for this part, on GPU g.
        //| (void)part; // delete this line
        //| data_gpu[g] = NULL;
        // <solution
    }
    CHECK(cudaSetDevice(before));
}

void memory_destroy(uint64_t **data_gpu, uint64_t num_gpus)
{
    // solution>
    // A pointer knows its device, so the current one does not matter here.
    for (uint64_t g = 0; g < num_gpus; g++)
        CHECK(cudaFree(data_gpu[g]));
    //| // TODO 3: give the memory back, on every GPU.
    //| (void)data_gpu; // delete these two lines
    //| (void)num_gpus;
    // <solution
}

void decrypt_on_gpus(uint64_t *data_host, uint64_t *const *data_gpu,
                     uint64_t num_entries, uint64_t num_iters,
                     uint64_t num_gpus)
{
    // solution>
    int before;

    CHECK(cudaGetDevice(&before));
    // <solution
    for (uint64_t g = 0; g < num_gpus; g++) {
        const struct part part = part_of_gpu(num_entries, num_gpus, g);
        const size_t bytes = part.width * sizeof(uint64_t);

        if (part.width == 0)
            continue;
        // solution>
        // Nothing here waits: while this GPU works, the next one gets its
        // part. Each device has a default stream of its own, and these three
        // are in that of the current one, in this order.
        CHECK(cudaSetDevice((int)g));
        CHECK(cudaMemcpyAsync(data_gpu[g], data_host + part.lower, bytes,
                              cudaMemcpyHostToDevice));
        decrypt_gpu<<<decrypt_blocks(part.width), DECRYPT_THREADS>>>(
            data_gpu[g], part.width, num_iters);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpyAsync(data_host + part.lower, data_gpu[g], bytes,
                              cudaMemcpyDeviceToHost));
        //| // TODO 4: queue this part's work on GPU g: copy in, decrypt
        //| // (decrypt_gpu, see cipher.h), copy back. The host must not wait
        //| // here, or the next GPU has nothing to do. Where does the part
        //| // begin in the host's memory? And where in the GPU's?
        //| (void)data_host; // delete these four lines
        //| (void)data_gpu;
        //| (void)num_iters;
        //| (void)bytes;
        // <solution
    }

    // solution>
    // Here each call waits for one device, the current one.
    for (uint64_t g = 0; g < num_gpus; g++) {
        CHECK(cudaSetDevice((int)g));
        CHECK(cudaDeviceSynchronize());
    }
    CHECK(cudaSetDevice(before));
    //| // TODO 5: the caller reads data_host as soon as this function returns.
    //| // Which GPUs have to be done by then?
    //|
    //| // TODO 6: which device is current now, and which one was it when the
    //| // function was called? memory_create shows a way.
    // <solution
}
