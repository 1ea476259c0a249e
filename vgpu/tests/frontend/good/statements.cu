/* Control flow keeps its meaning when costs are counted. */
#include <cstdio>
#include <vector>

static int loops(int n)
{
    int sum = 0;

    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            if (j & 1)
                sum += j;
            else
                sum -= 1;
    for (;;)
        if (sum++ > 40)
            break;
    while (sum > 30)
        sum--;
    while (sum-- > 20)
        ;
    do
        sum++;
    while (sum < 25);
    do {
        if (sum == 26)
            continue;
        sum += 2;
    } while (sum < 30);
    for (int i = 0; i < 3; ++i)
        ;
    return sum;
}

static int dangling(int a, int b)
{
    if (a)
        for (int i = 0; i < 2; i++)
            if (b)
                return 1;
            else
                return 2;
    else
        return 3;
    return 4;
}

static int choose(int v)
{
    int r = 0;

    switch (v) {
    case 0:
        r += 1;
        /* fall through */
    case 1:
    case 2:
        r += 10;
        break;
    case 3: {
        int w = v * 2;
        r += w;
        break;
    }
    case 4 ? 5 : 6:
        for (int i = 0; i < v; i++)
            r += i;
        break;
    default:
        r = -1;
    }
    return r;
}

static int labels(int n)
{
    int i = 0;

again:
    i++;
    if (i < n)
        goto again;
    for (int k = 0; k < 10; k++) {
        if (k == 5)
            goto out;
        i += k;
    }
out:
    return i;
}

/* Duff's device jumps into the middle of a loop. */
static int duff(int count)
{
    int done = 0, n = (count + 3) / 4;

    switch (count % 4) {
    case 0:
        do {
            done++;
    case 3:
            done++;
    case 2:
            done++;
    case 1:
            done++;
        } while (--n > 0);
    }
    return done;
}

static constexpr int factorial(int n)
{
    int r = 1;

    for (int i = 2; i <= n; i++)
        r *= i;
    return r;
}
static_assert(factorial(5) == 120, "constexpr functions stay constexpr");

template <int N>
static int if_constexpr()
{
    if constexpr (N > 3)
        return N * 2;
    else if constexpr (N == 2)
        return N * 3;
    else
        return N;
}

static int ranges()
{
    std::vector<int> v = {1, 2, 3};
    int sum = 0;

    for (int x : v)
        sum += x;
    for (auto &x : v) {
        x *= 2;
        sum += x;
    }
    for (int x : {4, 5})
        sum += x;
    if (int y = sum; y > 3)
        sum++;
    switch (int z = sum; z) {
    default:
        sum += z > 0;
    }
    return sum;
}

static int local_types()
{
    struct point {
        int x, y;
        int sum() const
        {
            return x + y;
        }
    } p = {1, 2};
    enum kind { A = 1 << 1, B };
    typedef struct {
        int z;
    } other;
    other o = {B};
    auto [a, b] = p;
    int table[2][2] = {{1, 2}, {3, 4}};

    return p.sum() + A + o.z + a + b + table[1][0];
}

static int lambdas(int n)
{
    auto outer = [n](int a) {
        auto inner = [&] {
            int s = 0;
            for (int i = 0; i < a; i++)
                s += n;
            return s;
        };
        return inner() + inner();
    };
    auto generic = [](auto x) { return x + 1; };
    auto counter = [k = 0]() mutable { return ++k; };
    int list[] = {1, 2, 3};
    constexpr auto square = [](int x) constexpr { return x * x; };
    static_assert(square(3) == 9, "");

    counter();
    return outer(2) + generic(1) + counter() + list[n > 2 ? 0 : 1] +
           [](int q) { return q; }(square(2));
}

static int tries(int n)
{
    try {
        for (int i = 0; i < n; i++)
            if (i == 3)
                throw i;
    } catch (const char *) {
        return -1;
    } catch (...) {
        return 1;
    }
    return 0;
}

__global__ void on_device(int *out, int n)
{
    int sum = 0;

    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (j == 2)
                continue;
            else
                sum += j;
    do
        sum--;
    while (sum > 50);
    switch (n) {
    case 5:
        sum += 100;
        break;
    default:
        sum = 0;
    }
    *out = sum;
}

int main()
{
    int *out;

    printf("%d\n", loops(10));
    printf("%d %d %d\n", dangling(1, 1), dangling(1, 0), dangling(0, 1));
    for (int v = 0; v < 7; v++)
        printf("%d ", choose(v));
    printf("\n%d %d\n", labels(4), duff(11));
    printf("%d %d %d\n", if_constexpr<5>(), if_constexpr<2>(),
           if_constexpr<1>());
    printf("%d %d %d %d %d\n", ranges(), local_types(), lambdas(3), tries(2),
           tries(5));
    cudaMallocManaged(&out, sizeof *out);
    on_device<<<1, 1>>>(out, 5);
    cudaDeviceSynchronize();
    printf("%d\n", *out);
    cudaFree(out);
    return 0;
}
