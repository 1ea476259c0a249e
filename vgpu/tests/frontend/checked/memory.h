#include <stddef.h>
#ifdef __cplusplus
extern "C"
#endif
void read_elsewhere(void *to, const void *from, size_t bytes);
