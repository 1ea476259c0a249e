/* lab.cu: any number of entries in any number of streams. */
#include "lab.h"

#include "check.h"
#include "cipher.h"
#include "helper.h"

void decrypt_in_chunks(uint64_t *data_host, uint64_t *data_device,
                       uint64_t num_entries, uint64_t num_iters,
                       const cudaStream_t *streams, uint64_t num_streams)
{
    // solution>
    // Rounded up, so that num_streams chunks reach the last entry.
    const uint64_t chunk = sdiv(num_entries, num_streams);
    //| // TODO 1: this rounds down: 3 streams get 3 of 10 entries each, and
    //| // the tenth gets lost. Choose a chunk with which all of them arrive.
    //| const uint64_t chunk = num_entries / num_streams;
    // <solution

    for (uint64_t s = 0; s < num_streams; s++) {
        const uint64_t lower = s * chunk;

        // solution>
        // Compare before subtracting: past the end, the difference of two
        // unsigned numbers is not negative but huge.
        if (lower >= num_entries)
            break;

        const uint64_t upper = min(lower + chunk, num_entries);
        const uint64_t width = upper - lower;
        //| // TODO 2: how many entries does this chunk really have? The last
        //| // one may be shorter, and some streams may get none at all: for
        //| // those, queue nothing.
        //| const uint64_t width = 0;
        // <solution

        // solution>
        // The stream keeps these three in order. Nothing orders them with
        // the other streams' chunks, and that is what lets them overlap.
        //| // TODO 3: queue this chunk's three operations in its own stream:
        //| // copy in (here it is), decrypt (decrypt_gpu, see cipher.h) and
        //| // copy back. All three start at lower and take width entries.
        //| (void)num_iters; // delete this line: the kernel needs it
        // <solution
        CHECK(cudaMemcpyAsync(data_device + lower, data_host + lower,
                              width * sizeof(uint64_t), cudaMemcpyHostToDevice,
                              streams[s]));
        // solution>
        decrypt_gpu<<<decrypt_blocks(width), DECRYPT_THREADS, 0, streams[s]>>>(
            data_device + lower, width, num_iters);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpyAsync(data_host + lower, data_device + lower,
                              width * sizeof(uint64_t), cudaMemcpyDeviceToHost,
                              streams[s]));
        // <solution
    }

    // solution>
    // So far everything is only queued, and the caller reads data_host next.
    for (uint64_t s = 0; s < num_streams; s++)
        CHECK(cudaStreamSynchronize(streams[s]));
    //| // TODO 4: the caller reads data_host as soon as this function returns.
    //| // What has to have happened by then?
    // <solution
}
