// A capture is begun and never ended.
int main()
{
    cudaStream_t s;

    cudaStreamCreate(&s);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    cudaStreamDestroy(s);
    return 0;
}
