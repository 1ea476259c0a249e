// An event is never destroyed.
int main()
{
    cudaEvent_t event;

    cudaEventCreate(&event);
    cudaEventRecord(event);
    cudaEventSynchronize(event); // cudaEventDestroy(event) is missing
}
