#include "parts.h"

#include <vector>

int four(int a)
{
    std::vector<int> v(4, a);
    int sum = 0;

    for (int x : v)
        sum += x;
    return sum;
}
