/*
 * symbols.h: one memory at two addresses, for symbols.c.
 */
#ifndef VGPU_SYMBOLS_H
#define VGPU_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>

/* The arena's pages are private: shared ones are put in their place, which can
 * be mapped a second time. Return: false without memory. */
bool vgpu_symbols_share(void *base, size_t bytes);
/* Has @place show what is at @base. Return: false where it is sealed. */
bool vgpu_symbols_show(void *place, void *base, size_t bytes);
/* The kernel is over. Return: whether @place shows it no longer. */
bool vgpu_symbols_take(void *base, const void *place, size_t bytes);

#endif
