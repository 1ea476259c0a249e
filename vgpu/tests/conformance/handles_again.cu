/*
 * handles_again.cu: does the handle of a destroyed stream come again for the
 * one that is made next, and after two were destroyed, that of the last one or
 * of the first one? Its number (cudaStreamGetId) does not.
 * Source: observed.
 */
#include "fact.h"

typedef void *make_fn(void);
typedef void end_fn(void *);

static void ask(const char *name, make_fn *make, end_fn *end)
{
    void *first = make(), *second, *third;

    end(first);
    second = make();
    fact("%s.again=%s", name, second == first ? "yes" : "no");
    third = make();
    end(second);
    end(third);
    first = make();
    fact("%s.of_two=%s", name,
         first == third    ? "last"
         : first == second ? "first"
                           : "neither");
    end(first);
}

static void numbers(void)
{
    unsigned long long before, after;
    cudaStream_t a, b;
    unsigned flags;

    MUST(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    MUST(cudaStreamGetId(a, &before));
    MUST(cudaStreamDestroy(a));
    MUST(cudaStreamCreate(&b));
    MUST(cudaStreamGetId(b, &after));
    MUST(cudaStreamGetFlags(b, &flags));
    fact_yes("other_flags.same_handle", a == b);
    fact_yes("other_flags.same_number", before == after);
    fact_int("other_flags.flags", flags);
    MUST(cudaStreamDestroy(b));
}

#define MAKE(type, ...)                                                        \
    [] {                                                                       \
        type made;                                                             \
                                                                               \
        MUST(__VA_ARGS__);                                                     \
        return (void *)made;                                                   \
    }
#define END(type, call) [](void *made) { MUST(call((type)made)); }

int main(void)
{
    fact_warm_up();
    ask("stream", MAKE(cudaStream_t, cudaStreamCreate(&made)),
        END(cudaStream_t, cudaStreamDestroy));
    ask(
        "busy_stream",
        [] {
            cudaStream_t made;

            MUST(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking));
            fact_slow_ms(made, 2);
            return (void *)made;
        },
        END(cudaStream_t, cudaStreamDestroy));
    MUST(cudaDeviceSynchronize());
    numbers();
    return 0;
}
