// Host code of many shapes: where calls may stand, work is handed over before.
// It only has to compile and to run as it would without.
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <tuple>
#include <vector>
#include <cstdio>
#include <cassert>
#include <algorithm>
int u(int);
int u2(int a, int b = u(1));
struct T {
    T(int a = u(3)) : x(u(a))
    {
    }
    ~T()
    {
        u(x);
    }
    int x;
    int get()
    {
        return u(x);
    }
    operator bool()
    {
        return u(1);
    }
    T *next()
    {
        return nullptr;
    }
};
template <class F>
auto timed(F &&f, int n = 3) -> decltype(f())
{
    auto t = std::chrono::steady_clock::now();
    (void)t;
    for (int i = 0; i + 1 < n; i++)
        f();
    return f();
}
enum class color { red, green };
static int sw(color c, int n)
{
    switch (int k = u(n); k) {
    case 0: {
        T t;
        return t.get();
    }
    case 1:
        u(2);
        [[fallthrough]];
    case 2:
        if (c == color::red)
            u(1);
        else if (T t{u(2)}; t)
            u(3);
        else
            return u(4);
        break;
    case 3:
        while (auto p = std::make_unique<T>(u(3))) {
            if (p->get())
                break;
            else
                continue;
        }
    default:
        do
            u(1);
        while (u(2) && n-- > 0);
    }
    return 0;
}
static int gt(int n)
{
again:
    T t(n);
    if (n-- > 0)
        goto again;
    for (int i = 0, j = u(3); i < j; i++, j -= u(1))
        if (i)
            u(i);
    for (auto x : {u(1), u(2)})
        u(x);
    for (auto &[k, v] : std::map<int, int>{{u(1), 2}})
        u(k + v);
    for (T *p = t.next(); p != nullptr; p = p->next())
        ;
    if (auto [a, b] = std::tuple<int, int>(u(1), 2); a)
        return b;
    if (T *p = t.next(); p && p->get())
        return 1;
    if (const auto *p = t.next())
        return p->x;
    if (std::vector<int> v(u(3)); v.size())
        u(1);
    while (int k = u(3) > 2 ? u(1) : u(2))
        if (k)
            break;
    return [&, n = u(2)]() mutable -> int {
        n++;
        return u(n);
    }();
}
template <class T, int N>
struct arr {
    T v[N];
    T &operator[](int i)
    {
        return v[u(i)];
    }
    arr() : v{}
    {
        for (auto &x : v)
            x = T(u(1));
    }
};
template <class... A>
int fold(A... a)
{
    return (u(a) + ...);
}
struct base {
    virtual int run() = 0;
    virtual ~base() = default;
};
struct derived : base {
    int run() override
    try {
        return u(1);
    } catch (...) {
        return u(2);
    }
};
static void th()
{
    std::thread t(u, 3), s([] { u(4); });
    t.join();
    s.join();
}
constexpr int ce(int a)
{
    return a > 1 ? ce(a - 1) : 1;
}
static_assert(ce(3) == 1);
static int macro(int a)
{
    return ({
        int r = u(a);
        if (r)
            u(r);
        r;
    });
}
#define CHECK(x)                                                               \
    do {                                                                       \
        cudaError_t e_ = (x);                                                  \
        if (e_ != cudaSuccess) {                                               \
            fprintf(stderr, "%s\n", cudaGetErrorString(e_));                   \
            exit(1);                                                           \
        }                                                                      \
    } while (0)
__global__ void k(int *p)
{
    if (p)
        *p = ce(3);
}
int u(int a)
{
    static int depth;
    return a > 3 || depth++ > 1000 ? 0 : a - 1;
}
int u2(int a, int b)
{
    return a + b;
}
int main(int argc, char **)
{
    [[maybe_unused]] int x = u(1);
    if (argc > 3)
        CHECK(cudaDeviceSynchronize());
    else
        k<<<1, 1>>>(nullptr);
    if (argc > 3)
        k<<<1, 1>>>(nullptr);
    else if (argc > 4) {
        k<<<1, 1>>>(nullptr);
    } else
        CHECK(cudaGetLastError());
    for (int i = 0; i < 2; i++)
        k<<<1, 1>>>(nullptr);
    for (int i = 0; i < 2; i++)
        CHECK(cudaDeviceSynchronize());
    while (cudaStreamQuery(0) == cudaErrorNotReady)
        ;
    arr<int, 3> a;
    a[0]++;
    derived d;
    base &b = d;
    b.run();
    std::function<int(int)> fs[2] = {u, [](int q) { return u(q); }};
    fs[0](1), fs[1](2);
    int (*fp)(int) = &u;
    (*fp)(1);
    int (T::*pm)() = &T::get;
    T t(1);
    (t.*pm)();
    assert(u(1) == 0 || u(2));
    if (u(1))
        ;
    else
        ;
    if constexpr (ce(2) == 1)
        u(1);
    else
        u(2);
    std::sort(a.v, a.v + 3, [](int p, int q) { return u(p) < u(q); });
    x += timed([&] { return u(x); }) + fold(1, 2, 3) + gt(2) +
         sw(color::red, 2) + sw(color::green, 3) + macro(2) + u2(1);
    x = x ? u(x) : throw u(2);
    try {
        if (u(2) > 100)
            throw T(1);
    } catch (const T &c) {
        u(c.x);
    } catch (...) {
        throw;
    }
    struct local {
        int y;
        local() : y(u(1))
        {
        }
        ~local()
        {
            u(2);
        }
        int go()
        {
            T z;
            return z.get();
        }
    } l;
    l.go();
    extern int later;
    (void)sizeof(u(1));
    (void)later;
    th();
    delete new T(u(1));
    auto pp = std::make_unique<T>(3);
lbl:
    u(1);
    if (x < -100)
        goto lbl;
    for (int i = 0; i < u(3); i++)
        u(i);
    u(3);
    puts("done");
    return x == 12345;
}
int later;
