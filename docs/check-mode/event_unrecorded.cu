// A stream waits for an event before the event is recorded.
int main()
{
    cudaStream_t a, b;
    cudaEvent_t event;

    cudaStreamCreate(&a);
    cudaStreamCreate(&b);
    cudaEventCreate(&event);
    cudaStreamWaitEvent(b, event); // the two lines
    cudaEventRecord(event, a);     // are in the wrong order
    cudaDeviceSynchronize();
    cudaEventDestroy(event);
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
}
