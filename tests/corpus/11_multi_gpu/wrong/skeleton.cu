// expect: open-todo
// As it is handed out.
/* lab.cu: one host thread, several GPUs. */
#include "lab.h"

#include "check.h"
#include "cipher.h"
#include "helper.h"

struct part part_of_gpu(uint64_t num_entries, uint64_t num_gpus, uint64_t gpu)
{
    struct part part;

    // TODO 1: this rounds down: 3 GPUs get 3 of 10 entries each, and the
    // tenth gets lost. Let the parts reach the last entry, and no further:
    // the last part may be shorter, and some GPUs may get no entry at all.
    part.width = num_entries / num_gpus;
    part.lower = gpu * part.width;
    return part;
}

void memory_create(uint64_t **data_gpu, uint64_t num_entries, uint64_t num_gpus)
{
    int before;

    // The caller has a current device too, and goes on with it.
    CHECK(cudaGetDevice(&before));
    for (uint64_t g = 0; g < num_gpus; g++) {
        const struct part part = part_of_gpu(num_entries, num_gpus, g);

        // TODO 2: take memory for this part, on GPU g.
        (void)part; // delete this line
        data_gpu[g] = NULL;
    }
    CHECK(cudaSetDevice(before));
}

void memory_destroy(uint64_t **data_gpu, uint64_t num_gpus)
{
    // TODO 3: give the memory back, on every GPU.
    (void)data_gpu; // delete these two lines
    (void)num_gpus;
}

void decrypt_on_gpus(uint64_t *data_host, uint64_t *const *data_gpu,
                     uint64_t num_entries, uint64_t num_iters,
                     uint64_t num_gpus)
{
    for (uint64_t g = 0; g < num_gpus; g++) {
        const struct part part = part_of_gpu(num_entries, num_gpus, g);
        const size_t bytes = part.width * sizeof(uint64_t);

        if (part.width == 0)
            continue;
        // TODO 4: queue this part's work on GPU g: copy in, decrypt
        // (decrypt_gpu, see cipher.h), copy back. The host must not wait
        // here, or the next GPU has nothing to do. Where does the part
        // begin in the host's memory? And where in the GPU's?
        (void)data_host; // delete these four lines
        (void)data_gpu;
        (void)num_iters;
        (void)bytes;
    }

    // TODO 5: the caller reads data_host as soon as this function returns.
    // Which GPUs have to be done by then?

    // TODO 6: which device is current now, and which one was it when the
    // function was called? memory_create shows a way.
}
