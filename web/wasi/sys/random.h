/* sys/random.h: random bytes of the browser, as getentropy() has them */
#ifndef WEB_WASI_SYS_RANDOM_H
#define WEB_WASI_SYS_RANDOM_H

#include <sys/types.h>
#include <unistd.h>

static inline ssize_t getrandom(void *to, size_t bytes, unsigned flags)
{
    (void)flags;
    return getentropy(to, bytes) == 0 ? (ssize_t)bytes : -1;
}

#endif
