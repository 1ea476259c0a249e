/*
 * diagnose.h: makes the host compiler's messages fit the student's file.
 *
 * The compiler sees rewritten text: lines are right, columns are not. So it
 * is told to print neither columns nor source, and each message that names a
 * line gets that line of the source below it.
 */
#ifndef VGPU_DIAGNOSE_H
#define VGPU_DIAGNOSE_H

#include "buf.h"

/* Flags for compiling rewritten text. */
void diagnose_add_flags(struct list *command, int clang);

/* Print messages, one a line, to stderr. @messages may be NULL. */
void diagnose_messages(const char *messages);

#endif
