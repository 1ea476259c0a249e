/*
 * error_names.cu: the name and the description of every common error code.
 * Source: Runtime API, Error Handling.
 */
#include "fact.h"

static const int codes[] = {
    0,   1,   2,   3,   4,   9,   12,  13,  16,  17,  20,  21,  34,
    35,  52,  98,  100, 101, 200, 201, 205, 206, 208, 209, 214, 215,
    217, 219, 220, 400, 401, 500, 600, 700, 701, 702, 704, 705, 708,
    709, 710, 711, 712, 713, 714, 715, 716, 717, 718, 719, 720, 800,
    801, 900, 901, 902, 903, 904, 905, 906, 907, 908, 909, 910, 999,
};

int main(void)
{
    for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
        cudaError_t error = (cudaError_t)codes[i];

        fact("name.%d=%s", codes[i], cudaGetErrorName(error));
        fact("string.%d=%s", codes[i], cudaGetErrorString(error));
    }
    fact("name.unknown=%s", cudaGetErrorName((cudaError_t)123456));
    fact("string.unknown=%s", cudaGetErrorString((cudaError_t)123456));
    fact_last("latched_by_unknown");
    return 0;
}
