/*
 * pinned_vector.cu: a C++ container whose memory is pinned. A reading, for
 * those who write C++; the labs do without it. On a GPU, from the project's
 * folder:
 *
 *     nvcc -O2 -arch=native -Icommon labs/03_pinned_memory/pinned_vector.cu \
 *         common/helper.cu -o build/pinned_vector && build/pinned_vector
 *
 * On the virtual one: build/bin/vgpucc in place of nvcc.
 */
#include <cstdio>
#include <vector>

#include "check.h"
#include "helper.h"

enum { ENTRIES = 100000 };

static int taken; // so many times was memory pinned

/* What std::vector asks of an allocator: take, give back, be comparable. */
template <class T>
struct pinned_allocator {
    typedef T value_type;

    pinned_allocator() = default;
    template <class U>
    pinned_allocator(const pinned_allocator<U> &)
    {
    }

    T *allocate(size_t count)
    {
        T *memory;

        CHECK(cudaMallocHost(&memory, count * sizeof(T)));
        taken++;
        return memory;
    }
    // May run in a destructor, which must not fail.
    void deallocate(T *memory, size_t) noexcept
    {
        cudaFreeHost(memory);
    }
};

/* Any of them gives back what any other took. */
template <class T, class U>
bool operator==(const pinned_allocator<T> &, const pinned_allocator<U> &)
{
    return true;
}
template <class T, class U>
bool operator!=(const pinned_allocator<T> &, const pinned_allocator<U> &)
{
    return false;
}

typedef std::vector<uint64_t, pinned_allocator<uint64_t>> pinned_vector;

/* Entry by entry, with room for all of them from the start or not. */
static void fill(const char *name, bool reserve)
{
    struct host_timer timer;
    pinned_vector vector;

    taken = 0;
    host_timer_start(&timer);
    if (reserve)
        vector.reserve(ENTRIES);
    for (uint64_t i = 0; i < ENTRIES; i++)
        vector.push_back(i);
    printf("%-10s pinned %2d times %9.3f ms\n", name, taken,
           host_timer_stop(&timer));
}

int main(void)
{
    cudaPointerAttributes attributes;
    pinned_vector vector(ENTRIES);

    CHECK(cudaPointerGetAttributes(&attributes, vector.data()));
    printf("memory is %s\n",
           attributes.type == cudaMemoryTypeHost ? "pinned" : "pageable");
    fill("grown", false);
    fill("reserved", true);
    return 0;
}
