/* fcntl.h: seals of memory files: in a tab nobody else has their descriptor */
#ifndef WEB_WASI_FCNTL_H
#define WEB_WASI_FCNTL_H

#include_next <fcntl.h>

enum {
    F_ADD_SEALS = 1033,
    F_SEAL_SEAL = 1,
    F_SEAL_SHRINK = 2,
    F_SEAL_GROW = 4,
};

#endif
