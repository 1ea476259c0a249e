/*
 * version_relations.cu: the runtime reports the toolkit it was built from,
 * and the driver supports at least that.
 * Source: Runtime API, Version Management.
 */
#include "fact.h"

int main(void)
{
    int driver = 0;
    int runtime = 0;

    fact_error("runtime.error", cudaRuntimeGetVersion(&runtime));
    fact_error("driver.error", cudaDriverGetVersion(&driver));
    fact_yes("runtime_equals_header", runtime == CUDART_VERSION);
    fact_yes("runtime_is_12_or_newer", runtime >= 12000);
    fact_yes("driver_major_not_below_runtime_major",
             driver / 1000 >= runtime / 1000);
    fact_yes("runtime_is_1000_major_plus_10_minor", runtime % 10 == 0);
    fact_error("runtime_null.error", cudaRuntimeGetVersion(NULL));
    fact_last("runtime_null.latched");
    fact_error("driver_null.error", cudaDriverGetVersion(NULL));
    fact_last("driver_null.latched");
    return 0;
}
