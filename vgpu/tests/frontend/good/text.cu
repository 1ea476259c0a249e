/* Text that only looks like CUDA: strings, comments, shifts, literals. */
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

/* k<<<1, 2>>>(3); __global__ __shared__ */
// k<<<1, 2>>>(3); "not a string

static const char *raw = R"(k<<<1, 2>>>(x); " // __global__
 second line \)";
static const char *raw_named = u8R"end(a)" b)end"
                                    "joined";

enum class color : unsigned char { red = 1 << 2, green = 0x1'0 };

struct stream {
    int v;
    stream &operator<<(int a)
    {
        v += a;
        return *this;
    }
    template <class T>
    stream &operator<<(T *)
    {
        v += 1000;
        return *this;
    }
};

template <class T>
struct wrap {
    T value;
};

template <int N>
struct number {
    static const int value = N;
};

constexpr int shifted = 1 << 2 << 1 >> 1;
int values[] = {1 << 0, 1 << 1, (1 << 2) >> 1};
int joined = 1 + \ // as nvcc takes it: without the comment, two lines of one
             2;
int shared_total = 0, global_count = 0, device_id = 0;
long separated = 1'000'000 + 0b1010'1010 + 0x1p4 + 1.5e+3;

struct bits {
    unsigned a : 3, b : 5;
    int : 0;
    int c = 4;
};

union either {
    int i;
    float f;
};

static int (*function_table[])(int) = {
    [](int a) { return a << 1; },
    [](int a) -> int { return a >> 1; },
};

auto adder = [](auto a, auto b) { return a + b; };

struct base {
    virtual ~base() = default;
    virtual int run() const = 0;
    base() = default;
    base(const base &) = delete;
};

struct derived final : public base {
    std::vector<std::vector<int>> rows;
    derived() : base(), rows{{1, 2}, {3}} {}
    int run() const noexcept override
    {
        int sum = 0;
        for (const auto &row : rows)
            for (int v : row)
                sum += v;
        return sum;
    }
    explicit operator bool() const { return !rows.empty(); }
    int operator()(int a) const { return a + 1; }
    int operator[](int a) const { return a + 2; }
    bool operator<(const derived &) const { return true; }
};

int try_block(int a)
try {
    if (a > 2)
        throw a;
    return a;
} catch (int e) {
    return e * 2;
}

auto trailing(int a) -> decltype(a + 1)
{
    return a + 1;
}

int (*returns_function(int a))(int)
{
    return function_table[a & 1];
}

int main()
{
    stream s = {0};
    number<(8 >> 2)> two;
    wrap<wrap<wrap<int>>> nested = {{{3}}};
    wrap<wrap<int>>*p = nullptr;
    derived d;
    bool less = two.value < 3 && 4 > nested.value.value.value;
    int n = 64, c = 'a', q = '"', r = '\'', t = '\\';
    const char *tricky = "k<<<1, 2>>>(\"x\"); // /* \\";

    s << 1 << 2;
    s.operator<< <int>(&n);
    n >>= 2;
    n <<= 1;
    std::cout << raw << '\n' << raw_named << std::endl << tricky << "\n";
    std::cout << (n >> 1) << " " << s.v << " " << (p == nullptr) << less
              << "\n";
    printf("%d %d %d %d %d %ld\n", shifted, values[2], (int)color::green,
           joined + shared_total + global_count + device_id, two.value,
           separated);
    printf("%d %d %d %d %d %d %d %d\n", d.run(), try_block(2), try_block(3),
           trailing(1), returns_function(0)(4), returns_function(1)(4),
           adder(1, 2), d(1) + d[1] + (d < d) + bool(d));
    printf("%d %d\n", c + q + r + t, ({ int z = 3; z + 1; }));
    return 0;
}
