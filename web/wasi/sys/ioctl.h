/* sys/ioctl.h: a tab has no terminal: asked for its size, ioctl() fails */
#ifndef WEB_WASI_SYS_IOCTL_H
#define WEB_WASI_SYS_IOCTL_H

#include_next <sys/ioctl.h>

#define TIOCGWINSZ 0x5413

struct winsize {
    unsigned short ws_row, ws_col, ws_xpixel, ws_ypixel;
};

#endif
