/* lab.cu: batches of any size, each in memory that streams take and free */
#include "lab.h"

#include "check.h"
#include "cipher.h"
#include "helper.h"

/* What is queued in @later from now on waits for all that is in @first now. */
static void order(cudaStream_t first, cudaEvent_t event, cudaStream_t later)
{
    CHECK(cudaEventRecord(event, first));
    CHECK(cudaStreamWaitEvent(later, event, 0));
}

/* Batch b: in, decrypted, and back, each in a stream of its own. */
static void queue_batch(struct session *session, const struct job *job,
                        uint64_t b)
{
    uint64_t *const data = job->batches[b].data;
    const uint64_t num_entries = job->batches[b].num_entries;
    const size_t bytes = num_entries * sizeof *data;
    uint64_t *device;

    // TODO 1: take the memory in the order of a stream. Which stream is the
    // first to use it?
    // TODO 2: no more than at_once batches may have memory at a time. So
    // free that of an earlier batch here, in the stream that takes the
    // next. What does it have to wait for, and how does it learn of that?
    CHECK(cudaMalloc(&device, bytes));
    CHECK(
        cudaMemcpyAsync(device, data, bytes, cudaMemcpyHostToDevice, job->in));

    order(job->in, session->copied, job->work);
    decrypt_gpu<<<decrypt_blocks(num_entries), DECRYPT_THREADS, 0, job->work>>>(
        device, num_entries, job->num_iters);
    CHECK(cudaGetLastError());

    order(job->work, session->decrypted, job->back);
    CHECK(cudaMemcpyAsync(data, device, bytes, cudaMemcpyDeviceToHost,
                          job->back));
    // TODO 1: free it in the order of a stream. Which one is the last to
    // use it? Then the host need not wait for each batch any more.
    CHECK(cudaStreamSynchronize(job->back));
    CHECK(cudaFree(device));
}

void decrypt_round(struct session *session, const struct job *job)
{
    for (uint64_t b = 0; b < job->num_batches; b++)
        queue_batch(session, job, b);
    // TODO 1: but the host has to wait once.
}

/* They only say who is next. Nobody asks them for the time. */
static void event_create(cudaEvent_t *event)
{
    CHECK(cudaEventCreateWithFlags(event, cudaEventDisableTiming));
}

void session_begin(struct session *session, uint64_t keep_bytes)
{
    // TODO 3: find the default pool of the current device. From one round
    // to the next it should keep as much as it may.
    (void)keep_bytes; // delete this line
    session->pool = NULL;

    event_create(&session->copied);
    event_create(&session->decrypted);
    for (int i = 0; i < MAX_AT_ONCE; i++)
        event_create(&session->back[i]);
}

void session_end(struct session *session)
{
    for (int i = 0; i < MAX_AT_ONCE; i++)
        CHECK(cudaEventDestroy(session->back[i]));
    CHECK(cudaEventDestroy(session->decrypted));
    CHECK(cudaEventDestroy(session->copied));
    // TODO 4: the pool still has memory that somebody else could use.
}
