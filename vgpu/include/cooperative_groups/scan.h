/* cooperative_groups/scan.h: for each thread, what those up to it make. */
#ifndef VGPU_COOPERATIVE_GROUPS_SCAN_H
#define VGPU_COOPERATIVE_GROUPS_SCAN_H

#include "reduce.h"

namespace cooperative_groups
{

template <class Group, class T, class Operation>
VGPU_GROUP T inclusive_scan(const Group &group, T value, Operation &&operation)
{
    for (unsigned int delta = 1; delta < group.size(); delta *= 2) {
        const T before = group.shfl_up(value, delta);

        if (group.thread_rank() >= delta)
            value = operation(before, value);
    }
    return value;
}
template <class Group, class T>
VGPU_GROUP T inclusive_scan(const Group &group, T value)
{
    return inclusive_scan(group, value, plus<T>());
}

/* The first has nothing before it: 0. */
template <class Group, class T, class Operation>
VGPU_GROUP T exclusive_scan(const Group &group, T value, Operation &&operation)
{
    const T before = group.shfl_up(inclusive_scan(group, value, operation), 1);

    return group.thread_rank() ? before : T();
}
template <class Group, class T>
VGPU_GROUP T exclusive_scan(const Group &group, T value)
{
    return exclusive_scan(group, value, plus<T>());
}

} // namespace cooperative_groups

#endif
