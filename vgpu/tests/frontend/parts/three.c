#include "parts.h"

int three(int a)
{
    int class = a;

    return class * 3;
}
