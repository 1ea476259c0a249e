// Functions of the host with loops: each is there with call-backs and without.
#include <assert.h>
#include <stdio.h>
#include <string>
#include <vector>

struct matrix {
    int width;
    float *elements;
};
enum order { UP, DOWN };

static int calls;

// Parameters that the body assigns to, references, objects by value.
static float sum(const float *values, int n)
{
    float total = 0;

    while (n-- > 0)
        total += *values++;
    return total;
}
void scale(std::vector<float> &values, const float &by, unsigned &changed)
{
    for (size_t i = 0; i < values.size(); i++, changed++)
        values[i] *= by;
}
static matrix filled(matrix m, float with = 1.0f)
{
    for (int i = 0; i < m.width * m.width; i++)
        m.elements[i] = with;
    m.width = -m.width;
    return m;
}

// What a lambda has otherwise than a function.
static bool sorted(const int *values, int n, order way)
{
    static int asked = 0;

    asked++;
    for (int i = 1; i < n; i++)
        if (way == UP ? values[i - 1] > values[i] : values[i - 1] < values[i])
            return false;
    calls = asked;
    assert(calls > 0);
    return true;
}
const char *spelled(int n)
{
    static std::string text;

    text.clear();
    for (; n > 0; n--)
        text += 'a';
    return text.c_str();
}
static int &largest(int (&values)[4])
{
    int at = 0;

    for (int i = 1; i < 4; i++)
        at = values[i] > values[at] ? i : at;
    return values[at];
}
template <class T, int N>
static T dot(const T *a, const T *b)
{
    T result = 0;

    for (int i = 0; i < N; i++)
        result += a[i] * b[i];
    return result;
}
static unsigned long long paths(int right, int down)
{
    unsigned long long all = 0;

    if (!right || !down)
        return 1;
    do
        all += paths(right, --down);
    while (down);
    return all + paths(right - 1, 0) * 0;
}
extern "C" void count_up(int *values, int n, int first)
{
    for (int i = 0; i < n; i++)
        values[i] = first++;
}
inline auto deduced(int n)
{
    int result = 1;

    for (; n; n--)
        result *= n;
    return result;
}

__global__ void twice(float *values)
{
    values[threadIdx.x] *= 2;
}

int main()
{
    std::vector<float> values(64, 1.5f);
    float cells[9];
    int numbers[4] = {3, 9, 4, 1};
    unsigned changed = 0;
    float *shared;
    matrix m = {3, cells};

    cudaMallocManaged(&shared, 64 * sizeof *shared);
    for (int i = 0; i < 64; i++)
        shared[i] = i;
    twice<<<1, 64>>>(shared);
    cudaDeviceSynchronize();
    scale(values, 2, changed);
    printf("%.1f %.1f %u\n", sum(shared, 64), sum(values.data(), 64), changed);
    printf("%d %d ", filled(m).width, m.width);
    printf("%.1f\n", sum(cells, 9));
    largest(numbers) = 0;
    printf("%d ", sorted(numbers, 4, UP));
    printf("%d ", sorted(numbers, 0, DOWN));
    printf("%d\n", calls);
    count_up(numbers, 4, 7);
    printf("%s %d ", spelled(3), sorted(numbers, 4, UP));
    printf("%d\n", calls);
    printf("%d %llu %d\n", dot<int, 4>(numbers, numbers), paths(4, 3),
           deduced(5));
    cudaFree(shared);
    return 0;
}
