// recorded: not yet
/*
 * handles_again.cu: does the handle of what was destroyed come again for what
 * is made next, and after two were destroyed, the last one or the first one of
 * them? Its number (cudaStreamGetId) does not.
 * Source: observed.
 */
#include "fact.h"

static cudaStream_t idle;
static cudaGraph_t graph;

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
    MUST(cudaStreamCreate(&idle));
    MUST(cudaGraphCreate(&graph, 0));
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
    ask("event", MAKE(cudaEvent_t, cudaEventCreate(&made)),
        END(cudaEvent_t, cudaEventDestroy));
    ask("event_without_time",
        MAKE(cudaEvent_t,
             cudaEventCreateWithFlags(&made, cudaEventDisableTiming)),
        END(cudaEvent_t, cudaEventDestroy));
    ask("graph", MAKE(cudaGraph_t, cudaGraphCreate(&made, 0)),
        END(cudaGraph_t, cudaGraphDestroy));
    ask("node",
        MAKE(cudaGraphNode_t, cudaGraphAddEmptyNode(&made, graph, NULL, 0)),
        END(cudaGraphNode_t, cudaGraphDestroyNode));
    ask("exec", MAKE(cudaGraphExec_t, cudaGraphInstantiate(&made, graph, 0)),
        END(cudaGraphExec_t, cudaGraphExecDestroy));
    ask("memory", MAKE(void *, cudaMalloc(&made, 4096)), END(void *, cudaFree));
    ask("large_memory", MAKE(void *, cudaMalloc(&made, 4 << 20)),
        END(void *, cudaFree));
    ask("pinned", MAKE(void *, cudaMallocHost(&made, 4096)),
        END(void *, cudaFreeHost));
    numbers();
    return 0;
}
