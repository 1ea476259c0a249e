/*
 * cooperative_groups/memcpy_async.h: a copy by all threads of a group.
 *
 * Differs: the bytes are there when the call returns; who reads them before
 * wait is not caught.
 */
#ifndef VGPU_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#define VGPU_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H

#include "../cooperative_groups.h"

namespace cooperative_groups
{

template <class Group, class T, class U>
VGPU_GROUP void memcpy_async(const Group &group, T *dst, const U *src,
                             size_t bytes)
{
    const size_t count = bytes / sizeof(T);

    for (size_t i = group.thread_rank(); i < count; i += group.size())
        dst[i] = reinterpret_cast<const T *>(src)[i];
}

template <class Group>
VGPU_GROUP void wait(const Group &group)
{
    group.sync();
}
template <unsigned int Stages, class Group>
VGPU_GROUP void wait_prior(const Group &group)
{
    group.sync();
}

} // namespace cooperative_groups

#endif
