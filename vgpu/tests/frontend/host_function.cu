// A host function's data, used by the host before it is waited for.
#include <cstdio>
#include <cstdlib>

struct job {
    int done;
    int other;
};

static void finish(void *data)
{
    ((job *)data)->done = 1;
}

static void give_back(void *data)
{
    delete (job *)data;
}

static void raise_flag(void *data)
{
    *(int *)data = 1;
}

int main()
{
    job *heap = (job *)calloc(1, sizeof *heap);
    int flag = 0;
    cudaStream_t stream;
    int early;

    cudaStreamCreate(&stream);
    cudaLaunchHostFunc(stream, finish, heap);
    cudaLaunchHostFunc(stream, raise_flag, &flag);
    heap->other = 2;
    early = heap->done; // hazard
    early += flag; // hazard
    cudaStreamSynchronize(stream);
    for (int i = 0; i < 3; i++)
        cudaLaunchHostFunc(stream, give_back, new job());
    cudaLaunchHostFunc(stream, finish, heap);
    cudaStreamSynchronize(stream);
    job *const gone = new job();
    cudaLaunchHostFunc(stream, finish, gone); // freed
    delete gone;
    cudaStreamSynchronize(stream);
    printf("%d %d %d\n", early, heap->done, flag);
    cudaStreamDestroy(stream);
    free(heap);
}
