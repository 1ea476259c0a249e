/*
 * watcher.h: the machine's own time, and waiting by it.
 */
#ifndef VGPU_WATCHER_H
#define VGPU_WATCHER_H

#include <stdint.h>
#include <pthread.h>

#define VGPU_PATIENCE_NS INT64_C(2000000000)
#define VGPU_LOOK_NS     1000000
#define VGPU_IDLE_NS     100000000 /* where no host function is queued */

int64_t vgpu_real_ns(void);
int64_t vgpu_used_ns(void); /* of the processor, by the calling thread */
void vgpu_real_sleep(int64_t ns);
int vgpu_real_yield(void);
/* One of the runtime's own: who waits at it for a time does so by the clock
 * that nobody sets. */
void vgpu_real_cond_init(pthread_cond_t *condition);
/* pthread_cond_wait; where others run meanwhile it ends after @ns at the
 * latest, so that the caller can see to them. */
void vgpu_real_wait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                    int64_t ns);

#endif
