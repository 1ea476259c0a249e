/*
 * stream_attributes.cu: attributes of a stream are kept and copied; those that
 * a stream has not are refused.
 * Source: Runtime API, Stream Management, cudaStreamSetAttribute; programming
 * guide, "L2 Access Management".
 */
#include "fact.h"

int main(void)
{
    cudaStreamAttrValue value, back;
    cudaStream_t a, b;
    void *memory;

    memset(&value, 0, sizeof value);
    MUST(cudaMalloc(&memory, 4096));
    MUST(cudaStreamCreate(&a));
    MUST(cudaStreamCreate(&b));
    fact_error("window_at_first.error",
               cudaStreamGetAttribute(a, cudaStreamAttributeAccessPolicyWindow,
                                      &back));
    fact_int("window_at_first.bytes",
             (long long)back.accessPolicyWindow.num_bytes);
    value.accessPolicyWindow.base_ptr = memory;
    value.accessPolicyWindow.num_bytes = 4096;
    value.accessPolicyWindow.hitRatio = 0.5f;
    value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    value.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
    fact_error("set_window.error",
               cudaStreamSetAttribute(a, cudaStreamAttributeAccessPolicyWindow,
                                      &value));
    fact_error("copy.error", cudaStreamCopyAttributes(b, a));
    MUST(cudaStreamGetAttribute(b, cudaStreamAttributeAccessPolicyWindow,
                                &back));
    fact_yes("copied.base", back.accessPolicyWindow.base_ptr == memory);
    fact_int("copied.bytes", (long long)back.accessPolicyWindow.num_bytes);
    fact_int("copied.hit", back.accessPolicyWindow.hitProp);
    fact_error("policy_at_first.error",
               cudaStreamGetAttribute(
                   a, cudaStreamAttributeSynchronizationPolicy, &back));
    fact_int("policy_at_first", back.syncPolicy);
    fact_error(
        "cooperative.error",
        cudaStreamGetAttribute(a, cudaLaunchAttributeCooperative, &back));
    fact_last("cooperative.latched");
    fact_error("reset_l2.error", cudaCtxResetPersistingL2Cache());
    MUST(cudaStreamDestroy(a));
    MUST(cudaStreamDestroy(b));
    MUST(cudaFree(memory));
    return 0;
}
