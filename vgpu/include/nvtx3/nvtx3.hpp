/*
 * nvtx3/nvtx3.hpp: NVTX for C++: a range that ends with its scope.
 *
 * Differs: of event attributes only the message is looked at.
 */
#ifndef NVTX3_HPP
#define NVTX3_HPP

#include <string>

#include "nvToolsExt.h"
#include "vgpu/caller.h"

extern "C" void vgpu_call_site(const void *pc);

namespace nvtx3
{

struct rgb {
    rgb(unsigned, unsigned, unsigned)
    {
    }
};

struct scoped_range {
    /* Out of line: the range begins where the program makes it. */
    template <class... More>
    __attribute__((noinline)) explicit scoped_range(const char *message,
                                                    const More &...)
    {
        vgpu_call_site(VGPU_CALLER());
        nvtxRangePushA(message);
    }
    template <class... More>
    explicit scoped_range(const std::string &message, const More &...)
        : scoped_range(message.c_str())
    {
    }
    scoped_range(const scoped_range &) = delete;
    scoped_range &operator=(const scoped_range &) = delete;
    ~scoped_range()
    {
        nvtxRangePop();
    }
};

inline void mark(const char *message)
{
    nvtxMarkA(message);
}

} // namespace nvtx3

#define NVTX3_FUNC_RANGE()                                                     \
    const ::nvtx3::scoped_range nvtx3_function_range                           \
    {                                                                          \
        __func__                                                               \
    }

#endif
