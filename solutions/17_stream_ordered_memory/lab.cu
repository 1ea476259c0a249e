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

// solution>
/* Free the memory of the batch in @place when that batch is back. */
static void queue_free(const struct session *session, uint64_t place,
                       cudaStream_t stream)
{
    CHECK(cudaStreamWaitEvent(stream, session->back[place], 0));
    CHECK(cudaFreeAsync(session->device[place], stream));
}

// <solution
/* Batch b: in, decrypted, and back, each in a stream of its own. */
static void queue_batch(struct session *session, const struct job *job,
                        uint64_t b)
{
    uint64_t *const data = job->batches[b].data;
    const uint64_t num_entries = job->batches[b].num_entries;
    const size_t bytes = num_entries * sizeof *data;
    // solution>
    const uint64_t place = b % job->at_once; // and of batch b - at_once
    // <solution
    uint64_t *device;

    // solution>
    // In the stream that takes the next memory: so that is the same memory.
    if (b >= job->at_once)
        queue_free(session, place, job->in);
    CHECK(cudaMallocAsync(&device, bytes, job->in));
    session->device[place] = device;
    //| // TODO 1: take the memory in the order of a stream. Which stream is the
    //| // first to use it?
    //| // TODO 2: no more than at_once batches may have memory at a time. So
    //| // free that of an earlier batch here, in the stream that takes the
    //| // next. What does it have to wait for, and how does it learn of that?
    //| CHECK(cudaMalloc(&device, bytes));
    // <solution
    CHECK(
        cudaMemcpyAsync(device, data, bytes, cudaMemcpyHostToDevice, job->in));

    order(job->in, session->copied, job->work);
    decrypt_gpu<<<decrypt_blocks(num_entries), DECRYPT_THREADS, 0, job->work>>>(
        device, num_entries, job->num_iters);
    CHECK(cudaGetLastError());

    order(job->work, session->decrypted, job->back);
    CHECK(cudaMemcpyAsync(data, device, bytes, cudaMemcpyDeviceToHost,
                          job->back));
    // solution>
    CHECK(cudaEventRecord(session->back[place], job->back));
    //| // TODO 1: free it in the order of a stream. Which one is the last to
    //| // use it? Then the host need not wait for each batch any more.
    //| CHECK(cudaStreamSynchronize(job->back));
    //| CHECK(cudaFree(device));
    // <solution
}

void decrypt_round(struct session *session, const struct job *job)
{
    for (uint64_t b = 0; b < job->num_batches; b++)
        queue_batch(session, job, b);
    // solution>
    // The last batches, which no other one comes after.
    for (uint64_t p = 0; p < min(job->at_once, job->num_batches); p++)
        queue_free(session, p, job->in);
    // Everything ends in this stream: it has waited for all that is back.
    CHECK(cudaStreamSynchronize(job->in));
    //| // TODO 1: but the host has to wait once.
    // <solution
}

/* They only say who is next. Nobody asks them for the time. */
static void event_create(cudaEvent_t *event)
{
    CHECK(cudaEventCreateWithFlags(event, cudaEventDisableTiming));
}

void session_begin(struct session *session, uint64_t keep_bytes)
{
    // solution>
    int device;

    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetDefaultMemPool(&session->pool, device));
    // It is 0 at first: then the host empties the pool each time it waits.
    CHECK(cudaMemPoolSetAttribute(
        session->pool, cudaMemPoolAttrReleaseThreshold, &keep_bytes));
    //| // TODO 3: find the default pool of the current device. From one round
    //| // to the next it should keep as much as it may.
    //| (void)keep_bytes; // delete this line
    //| session->pool = NULL;
    // <solution

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
    // solution>
    // What the pool keeps, nobody else can have.
    CHECK(cudaMemPoolTrimTo(session->pool, 0));
    //| // TODO 4: the pool still has memory that somebody else could use.
    // <solution
}
