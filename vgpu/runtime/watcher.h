/*
 * watcher.h: the machine's own time, and waiting by it.
 */
#ifndef VGPU_WATCHER_H
#define VGPU_WATCHER_H

#include <stdint.h>
#include <pthread.h>

#define VGPU_PATIENCE_NS INT64_C(2000000000)
#define VGPU_LOOK_NS     1000000

int64_t vgpu_real_ns(void);
void vgpu_real_sleep(int64_t ns);
int vgpu_real_yield(void);
/* pthread_cond_wait; where others run meanwhile it ends after a tenth of a
 * second at the latest, so that the caller can see to them. */
void vgpu_real_wait(pthread_cond_t *condition, pthread_mutex_t *mutex);

#endif
