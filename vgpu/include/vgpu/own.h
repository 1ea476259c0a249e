/*
 * own.h: variables that each host thread has of its own. In a browser, where
 * host threads are contexts of one thread, they lie together and change places
 * with those of the thread that ran before (runtime/threads_wasm.c).
 */
#ifndef VGPU_OWN_H
#define VGPU_OWN_H

#ifdef __wasm__
#define VGPU_OWN      __attribute__((section("vgpu_threads")))
#define VGPU_OWN_NEAR /* where VGPU_OWN is in the library or the program */
#else
#define VGPU_OWN      __thread
#define VGPU_OWN_NEAR __attribute__((tls_model("initial-exec")))
#endif

#endif
