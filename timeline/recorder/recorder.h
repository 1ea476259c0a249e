/* recorder.h: what nvtx.c asks of the recorder
 *
 * Each may be called by any thread of the program, before its first CUDA call,
 * too. Handles are the program's; one that is none has no name.
 */
#ifndef RECORDER_RECORDER_H
#define RECORDER_RECORDER_H

#include <stddef.h>

/* Return: the number to end it with, 0 where nothing is recorded. */
size_t recorder_begin_range(const char *name);
void recorder_end_range(size_t range);

void recorder_name_stream(void *stream, const char *name);
void recorder_name_event(void *event, const char *name);

#endif
