/*
 * handle.h: which handles are alive, which the program has destroyed, and which
 * it has yet to destroy
 */
#ifndef VGPU_HANDLE_H
#define VGPU_HANDLE_H

#include <stdint.h>

enum vgpu_handle_kind {
    VGPU_HANDLE_NONE,
    VGPU_HANDLE_STREAM,
    VGPU_HANDLE_EVENT,
    VGPU_HANDLE_GRAPH,
    VGPU_HANDLE_GRAPH_EXEC,
    VGPU_HANDLE_NODE,
    VGPU_HANDLE_USER_OBJECT,
    VGPU_HANDLE_ARRAY,
};

/* Return: 0, or -1 without memory. */
int vgpu_handle_add(const void *handle, enum vgpu_handle_kind kind);
void vgpu_handle_remove(const void *handle);
enum vgpu_handle_kind vgpu_handle_find(const void *handle);
/* A graph or an executable graph, made at @pc, that the program is to destroy;
 * 0: is to no more. All no more; those left are told. The first line counts. */
void vgpu_handle_made(const void *handle, uint64_t pc);
void vgpu_handle_reset(void);
void vgpu_handle_warn(void);
/* The program has destroyed it, at @pc; where it did so last, or 0. */
void vgpu_handle_ended(const void *handle, uint64_t pc);
uint64_t vgpu_handle_end(const void *handle);

#endif
