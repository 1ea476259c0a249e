#ifndef PARTS_H
#define PARTS_H

#ifdef __cplusplus
extern "C" {
#endif
int three(int a);
#ifdef __cplusplus
}
void two(int *x);
int four(int a);
#endif

#endif
