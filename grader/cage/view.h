/*
 * view.h: a process in namespaces of its own, where the places of a fence are
 * all the files that there are, and what may only be read is read-only,
 * whatever the rights. What other fences refuse is not even there.
 */
#ifndef GRADER_VIEW_H
#define GRADER_VIEW_H

#include <stdbool.h>

#include "cage/fence.h"

/* Namespaces in which several processes may be, one after the other. */
struct cage_view;

/*
 * The view of these places; made once, and kept for the next with the same. In
 * there System V's objects, message queues and, unless the fence keeps sockets,
 * the network are its own, too.
 * Return: NULL where this machine does not let it, now or before.
 */
const struct cage_view *view_take(const struct fence *fence);

/* For the rest of this process, which has one thread, and all that it starts.
 * It is in the root folder then. Return: false where it could not. */
bool view_join(const struct cage_view *view);

/* Does this machine let it? */
bool view_is_there(void);

#endif
