/* cooperative_groups/reduce.h: one value of all threads of a group. */
#ifndef VGPU_COOPERATIVE_GROUPS_REDUCE_H
#define VGPU_COOPERATIVE_GROUPS_REDUCE_H

#include "../cooperative_groups.h"

namespace cooperative_groups
{

#define VGPU_OPERATION(name, expression)                                       \
    template <class T = void>                                                  \
    struct name {                                                              \
        VGPU_GROUP T operator()(T a, T b) const                                \
        {                                                                      \
            return expression;                                                 \
        }                                                                      \
    };

VGPU_OPERATION(plus, a + b)
VGPU_OPERATION(less, b < a ? b : a)
VGPU_OPERATION(greater, a < b ? b : a)
VGPU_OPERATION(bit_and, a &b)
VGPU_OPERATION(bit_or, a | b)
VGPU_OPERATION(bit_xor, a ^ b)
#undef VGPU_OPERATION

/* Neighbours first, in every lane alike: sums of floating point come out the
 * same for all. */
template <unsigned int Size, class Parent, class T, class Operation>
VGPU_GROUP T reduce(const thread_block_tile<Size, Parent> &group, T value,
                    Operation &&operation)
{
    for (unsigned int lanes = Size / 2; lanes; lanes /= 2)
        value = operation(value, group.shfl_xor(value, lanes));
    return value;
}

template <class T, class Operation>
VGPU_GROUP T reduce(const coalesced_group &group, T value,
                    Operation &&operation)
{
    T result = group.shfl(value, 0);

    for (unsigned int i = 1; i < group.size(); i++)
        result = operation(result, group.shfl(value, i));
    return result;
}

} // namespace cooperative_groups

#endif
