/*
 * grow.h: arrays that grow. For all parts of the virtual GPU; programs do not
 * see it.
 */
#ifndef VGPU_GROW_H
#define VGPU_GROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/*
 * Room in @array, whose address is at @at, for one more than @count.
 * @room  for how many there is; doubled where that is too little. NULL: for
 *        those that there are
 * @each  bytes of one
 * Return: false without memory; then nothing has changed.
 */
static inline bool vgpu_grow(void *at, size_t count, size_t *room, size_t each)
{
    size_t wanted = count + 1;
    void *array;

    if (room && count < *room)
        return true;
    if (room)
        wanted = *room ? 2 * *room : 32;
    memcpy(&array, at, sizeof array);
    array = realloc(array, wanted * each);
    if (!array)
        return false;
    memcpy(at, &array, sizeof array);
    if (room)
        *room = wanted;
    return true;
}

#define VGPU_GROW(array, count, room)                                          \
    vgpu_grow(&(array), (count), (room), sizeof *(array))

#endif
