/* atomic_library.c: atomic accesses that the device library makes */
#include "access.h"

void vgpu_check_atomic(const volatile void *at, size_t bytes, uint64_t pc)
{
    switch (bytes) {
    case 2:
        access_note(at, 2, SET_ATOMIC, pc);
        break;
    case 4:
        access_note(at, 4, SET_ATOMIC, pc);
        break;
    default:
        access_note(at, 8, SET_ATOMIC, pc);
    }
}
