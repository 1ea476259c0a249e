/* turn_wasm.c: turn.c in a browser tab, which has no real GPU to wait for */
#include "cage/turn.h"

bool turn_begin(struct turn *turn, bool alone)
{
    (void)alone;
    turn->depth++;
    return true;
}

void turn_end(struct turn *turn)
{
    turn->depth--;
}

bool turn_take(int fd, bool alone, bool wait)
{
    (void)fd;
    (void)alone;
    (void)wait;
    return true;
}

unsigned turn_gpus(const char *visible, unsigned char gpus[], unsigned room)
{
    (void)visible;
    (void)gpus;
    (void)room;
    return 0;
}
