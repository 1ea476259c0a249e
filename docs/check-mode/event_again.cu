// One event is recorded in two streams before anybody waits for it.
int main()
{
    cudaStream_t stream[3];
    cudaEvent_t event;

    for (cudaStream_t &one : stream)
        cudaStreamCreate(&one);
    cudaEventCreate(&event);
    cudaEventRecord(event, stream[0]); // this record is lost
    cudaEventRecord(event, stream[1]);
    cudaStreamWaitEvent(stream[2], event, 0);
    cudaDeviceSynchronize();
    cudaEventDestroy(event);
    for (cudaStream_t one : stream)
        cudaStreamDestroy(one);
}
