// The host waits for an event before its record.
int main()
{
    cudaStream_t stream;
    cudaEvent_t event;

    cudaStreamCreate(&stream);
    cudaEventCreate(&event);
    cudaEventSynchronize(event);
    cudaEventRecord(event, stream);
    cudaStreamSynchronize(stream);
    cudaEventDestroy(event);
    cudaStreamDestroy(stream);
}
