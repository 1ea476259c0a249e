// A kernel follows a pointer that was never set.
struct list {
    int *items;
};

__global__ void store(list *l)
{
    l->items[0] = 1;
}

int main()
{
    list *l;

    cudaMalloc(&l, sizeof *l); // nobody sets l->items
    store<<<1, 1>>>(l);
    return cudaDeviceSynchronize() != cudaSuccess;
}
