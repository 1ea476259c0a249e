/*
 * actor.h: who makes the accesses of an operation, for reports; a part of rt.h.
 */
#ifndef VGPU_RUNTIME_ACTOR_H
#define VGPU_RUNTIME_ACTOR_H

/* @what is for people. */
enum vgpu_does vgpu_op_does(const struct vgpu_op *op);
struct vgpu_actor vgpu_op_actor(const struct vgpu_op *op, const char *what);

#define VGPU_WHAT 112 /* bytes of a node's name */
/* @actor is a node of the graph that @call's thread launches just now. @text
 * has room for its name, and stays the caller's. */
void vgpu_actor_of_graph(struct vgpu_actor *actor, const struct vgpu_call *call,
                         char text[VGPU_WHAT]);

#endif
