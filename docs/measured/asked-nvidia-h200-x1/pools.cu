/* pools.cu: see README.md. */
#include "../asked_pools.h"
int main()
{
    setup();
    void *p = nullptr, *q = nullptr, *d = nullptr;
    int n = 0;
    MUST(cudaGetDeviceCount(&n));
    unsigned long long v;
    int iv;
    for (int a = 0; a < 14; a++) {
        v = 77;
        cudaError_t e = cudaMemPoolGetAttribute(pool, (cudaMemPoolAttr)a, &v);
        printf("get_attr_%d=%d,%llu\n", a, e, v);
        (void)cudaGetLastError();
    }
    for (int a = 0; a < 14; a++)
        for (unsigned long long w : {0ull, 1ull, 2ull}) {
            v = w;
            cudaError_t e =
                cudaMemPoolSetAttribute(pool, (cudaMemPoolAttr)a, &v);
            v = 0;
            cudaError_t e2 =
                cudaMemPoolGetAttribute(pool, (cudaMemPoolAttr)a, &v);
            printf("set_attr_%d_to_%llu=%d back=%d,%llu\n", a, w, e, e2, v);
            (void)cudaGetLastError();
        }
    iv = 1;
    for (int a = 1; a < 4; a++)
        MUST(cudaMemPoolSetAttribute(pool, (cudaMemPoolAttr)a, &iv));
    v = 0;
    MUST(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &v));
    cudaMemPool_t cur;
    C("setpool_null", cudaDeviceSetMemPool(0, nullptr));
    C("setpool_99", cudaDeviceSetMemPool(99, pool));
    C("getpool_null", cudaDeviceGetMemPool(nullptr, 0));
    C("getpool_99", cudaDeviceGetMemPool(&cur, 99));
    C("getdefault_null", cudaDeviceGetDefaultMemPool(nullptr, 0));
    C("getdefault_m1", cudaDeviceGetDefaultMemPool(&cur, -1));
    cudaMemPool_t hp = mk("host", props(1, 2, 0, 0, 0)),
                  hn = mk("numa", props(1, 3, 0, 0, 0)),
                  dp = mk("dev", props(1, 1, 0, 0, 0));
    C("setpool_host", cudaDeviceSetMemPool(0, hp));
    C("setpool_numa", cudaDeviceSetMemPool(0, hn));
    MUST(cudaDeviceSetMemPool(0, pool));
    /* host pools */
    for (int w = 0; w < 2; w++) {
        cudaMemPool_t m = w ? hn : hp;
        const char *nm = w ? "numa" : "host";
        char *x, *y;
        MUST(cudaMallocFromPoolAsync((void **)&x, 4096, m, s));
        MUST(cudaMallocFromPoolAsync((void **)&y, 100, m, s));
        MUST(cudaStreamSynchronize(s));
        printf("%s_dist=%lld\n", nm, (long long)(y - x));
        for (int a = 5; a < 9; a++) {
            v = 0;
            cudaError_t e = cudaMemPoolGetAttribute(m, (cudaMemPoolAttr)a, &v);
            printf("%s_attr_%d=%d,%llu\n", nm, a, e, v);
        }
        cudaPointerAttributes at;
        memset(&at, 0, sizeof at);
        cudaError_t e = cudaPointerGetAttributes(&at, x);
        printf("%s_ptr=%d type=%d dev=%d devp=%d hostp=%d\n", nm, e, at.type,
               at.device, at.devicePointer == x, at.hostPointer == x);
        unsigned fl = 99;
        e = cudaHostGetFlags(&fl, x);
        printf("%s_hostflags=%d,%u\n", nm, e, fl);
        (void)cudaGetLastError();
        void *hd = nullptr;
        e = cudaHostGetDevicePointer(&hd, x, 0);
        printf("%s_hostdevp=%d,%d\n", nm, e, hd == x);
        (void)cudaGetLastError();
        x[0] = 3;
        printf("%s_cpu=%d\n", nm, x[0]);
        int z = 0;
        C("host_copy_from", cudaMemcpyAsync(&z, x, 4, cudaMemcpyDefault, s));
        MUST(cudaMalloc(&d, MB));
        spin<<<1, 1, 0, s>>>(20);
        C("host_to_dev",
          cudaMemcpyAsync(d, x, 4096, cudaMemcpyHostToDevice, s));
        K("host_to_dev_busy", cudaStreamQuery(s) != cudaSuccess);
        (void)cudaGetLastError();
        spin<<<1, 1, 0, s>>>(20);
        C("dev_to_host",
          cudaMemcpyAsync(x, d, 4096, cudaMemcpyDeviceToHost, s));
        K("dev_to_host_busy", cudaStreamQuery(s) != cudaSuccess);
        (void)cudaGetLastError();
        MUST(cudaStreamSynchronize(s));
        C("memset_host", cudaMemsetAsync(x, 5, 16, s));
        C("memset_sync", cudaStreamSynchronize(s));
        printf("memset_seen=%d\n", x[0]);
        for (int lt = 0; lt < 5; lt++)
            for (int id : {0, 1, 5}) {
                cudaMemLocation l = {(cudaMemLocationType)lt, id};
                cudaMemAccessFlags f = (cudaMemAccessFlags)9;
                e = cudaMemPoolGetAccess(&f, m, &l);
                printf("%s_access_%d_%d=%d,%d\n", nm, lt, id, e, f);
                (void)cudaGetLastError();
            }
        cudaMemAccessDesc ds;
        memset(&ds, 0, sizeof ds);
        ds.location.type = cudaMemLocationTypeDevice;
        ds.flags = cudaMemAccessFlagsProtReadWrite;
        C("set_access_dev_rw", cudaMemPoolSetAccess(m, &ds, 1));
        {
            cudaMemAccessFlags f = (cudaMemAccessFlags)9;
            e = cudaMemPoolGetAccess(&f, m, &ds.location);
            printf("%s_access_after=%d,%d\n", nm, e, f);
        }
        put<<<1, 1, 0, s>>>((int *)x, 99);
        C("kernel_after_access", cudaStreamSynchronize(s));
        printf("%s_kernel_wrote=%d\n", nm, *(int *)x);
        ds.location.type = cudaMemLocationTypeHost;
        C("set_access_host_rw", cudaMemPoolSetAccess(m, &ds, 1));
        ds.flags = cudaMemAccessFlagsProtNone;
        C("set_access_host_none", cudaMemPoolSetAccess(m, &ds, 1));
        ds.location.type = cudaMemLocationTypeHostNuma;
        C("set_access_numa_none", cudaMemPoolSetAccess(m, &ds, 1));
        ds.location.type = cudaMemLocationTypeDevice;
        C("set_access_dev_none", cudaMemPoolSetAccess(m, &ds, 1));
        C("cudaFreeHost_of_it", cudaFreeHost(x));
        C("cudaFree_of_it", cudaFree(y));
        C("freeasync_after", cudaFreeAsync(x, s));
        C("freeasync_twice", cudaFreeAsync(x, s));
        MUST(cudaDeviceSynchronize());
        v = 0;
        MUST(cudaMemPoolGetAttribute(m, cudaMemPoolAttrReservedMemCurrent, &v));
        K("host_held_after", v);
        MUST(cudaMemPoolTrimTo(m, 0));
        MUST(cudaMemPoolGetAttribute(m, cudaMemPoolAttrReservedMemCurrent, &v));
        K("host_held_trim", v);
        C("big", cudaMallocFromPoolAsync((void **)&x, 33 * MB, m, s));
        MUST(cudaMemPoolGetAttribute(m, cudaMemPoolAttrReservedMemCurrent, &v));
        K("host_held_33m", v);
        C("give", cudaFreeAsync(x, s));
        MUST(cudaDeviceSynchronize());
        C("destroy", cudaMemPoolDestroy(m));
    }
    /* access of device pools */
    cudaMemAccessDesc ds[2];
    memset(ds, 0, sizeof ds);
    ds[0].location.type = cudaMemLocationTypeDevice;
    ds[0].flags = cudaMemAccessFlagsProtReadWrite;
    C("acc_self_rw", cudaMemPoolSetAccess(dp, ds, 1));
    ds[0].flags = cudaMemAccessFlagsProtRead;
    C("acc_self_r", cudaMemPoolSetAccess(dp, ds, 1));
    ds[0].flags = cudaMemAccessFlagsProtNone;
    C("acc_self_none", cudaMemPoolSetAccess(dp, ds, 1));
    ds[0].flags = (cudaMemAccessFlags)2;
    C("acc_self_2", cudaMemPoolSetAccess(dp, ds, 1));
    ds[0].flags = (cudaMemAccessFlags)7;
    C("acc_self_7", cudaMemPoolSetAccess(dp, ds, 1));
    ds[0].flags = cudaMemAccessFlagsProtReadWrite;
    C("acc_count_0", cudaMemPoolSetAccess(dp, ds, 0));
    C("acc_null_pool", cudaMemPoolSetAccess(nullptr, ds, 1));
    ds[0].location.id = 99;
    C("acc_dev_99", cudaMemPoolSetAccess(dp, ds, 1));
    ds[0].location.type = cudaMemLocationTypeHost;
    ds[0].location.id = 0;
    C("acc_host_on_dev", cudaMemPoolSetAccess(dp, ds, 1));
    ds[0].location.type = cudaMemLocationTypeNone;
    C("acc_none_loc", cudaMemPoolSetAccess(dp, ds, 1));
    for (int lt = 0; lt < 5; lt++)
        for (int id : {0, 1, 99}) {
            cudaMemLocation l = {(cudaMemLocationType)lt, id};
            cudaMemAccessFlags f = (cudaMemAccessFlags)9;
            cudaError_t e = cudaMemPoolGetAccess(&f, dp, &l);
            printf("dev_access_%d_%d=%d,%d\n", lt, id, e, f);
            (void)cudaGetLastError();
        }
    cudaMemLocation l0 = {cudaMemLocationTypeDevice, 0};
    cudaMemAccessFlags f0;
    C("getacc_null_pool", cudaMemPoolGetAccess(&f0, nullptr, &l0));
    if (n > 1) {
        ds[0].location.type = cudaMemLocationTypeDevice;
        ds[0].location.id = 1;
        cudaMemPool_t p1;
        MUST(cudaDeviceGetDefaultMemPool(&p1, 1));
        C("setpool_other_dev", cudaDeviceSetMemPool(0, p1));
        for (int fl : {0, 1, 2, 3}) {
            ds[0].flags = (cudaMemAccessFlags)fl;
            cudaError_t e = cudaMemPoolSetAccess(dp, ds, 1);
            cudaMemAccessFlags f = (cudaMemAccessFlags)9;
            cudaError_t e2 = cudaMemPoolGetAccess(&f, dp, &ds[0].location);
            printf("peer_set_%d=%d get=%d,%d\n", fl, e, e2, f);
            (void)cudaGetLastError();
        }
        cudaStream_t s1;
        MUST(cudaSetDevice(1));
        MUST(cudaStreamCreate(&s1));
        spin<<<1, 1, 0, s1>>>(1);
        MUST(cudaDeviceSynchronize());
        C("from_pool0_in_stream1", cudaMallocFromPoolAsync(&p, 4096, dp, s1));
        put<<<1, 1, 0, s1>>>((int *)p, 5);
        C("kernel_on_1", cudaStreamSynchronize(s1));
        C("free_in_stream1", cudaFreeAsync(p, s1));
        C("malloc_in_stream0_cur1", cudaMallocAsync(&p, 4096, s));
        cudaPointerAttributes at;
        MUST(cudaPointerGetAttributes(&at, p));
        K("its_device", at.device);
        C("free_in_other_devices_stream", cudaFreeAsync(p, s1));
        C("sync1", cudaStreamSynchronize(s1));
        C("peer_enabled_default_pool", cudaDeviceEnablePeerAccess(0, 0));
        {
            cudaMemAccessFlags f = (cudaMemAccessFlags)9;
            cudaError_t e = cudaMemPoolGetAccess(&f, pool, &ds[0].location);
            printf("peer_enabled_pool_access=%d,%d\n", e, f);
        }
        MUST(cudaSetDevice(0));
        C("live_then_access", cudaMallocFromPoolAsync(&p, 4096, dp, s));
        MUST(cudaStreamSynchronize(s));
        ds[0].flags = cudaMemAccessFlagsProtNone;
        C("revoke_with_live", cudaMemPoolSetAccess(dp, ds, 1));
        MUST(cudaFreeAsync(p, s));
        MUST(cudaDeviceSynchronize());
    }
    /* frees */
    MUST(cudaMallocAsync(&p, 4096, s));
    C("free_interior", cudaFreeAsync((char *)p + 16, s));
    C("cudaFree_interior", cudaFree((char *)p + 16));
    C("free1", cudaFreeAsync(p, s));
    C("cudaFree_after_freeasync", cudaFree(p));
    MUST(cudaDeviceSynchronize());
    C("cudaFree_after_sync", cudaFree(p));
    C("freeasync_after_sync", cudaFreeAsync(p, s));
    {
        cudaPointerAttributes at;
        cudaError_t e = cudaPointerGetAttributes(&at, p);
        printf("attr_after_free=%d,%d,%d\n", e, at.type, at.device);
    }
    MUST(cudaMallocHost(&q, 64));
    C("freeasync_pinned", cudaFreeAsync(q, s));
    MUST(cudaFreeHost(q));
    MUST(cudaMallocManaged(&q, 64));
    C("freeasync_managed", cudaFreeAsync(q, s));
    C("sync_man", cudaStreamSynchronize(s));
    C("cudaFree_managed_again", cudaFree(q));
    C("freeasync_bad_stream_null_ptr", cudaFreeAsync(nullptr, t));
    C("host_malloc_null_pool", cudaMallocFromPoolAsync(&p, 16, nullptr, s));
    C("from_pool_null_out", cudaMallocFromPoolAsync(nullptr, 16, dp, s));
    C("from_pool_0", cudaMallocFromPoolAsync(&p, 0, dp, s));
    K("from_pool_0_null", p == nullptr);
    p = &p;
    C("too_much", cudaMallocAsync(&p, 1ull << 50, s));
    K("too_much_ptr_null", p == nullptr);
    p = &p;
    C("all_ones", cudaMallocAsync(&p, ~0ull, s));
    /* reset */
    v = 5 * MB;
    MUST(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &v));
    iv = 0;
    MUST(
        cudaMemPoolSetAttribute(pool, cudaMemPoolReuseAllowOpportunistic, &iv));
    MUST(cudaMallocAsync(&p, MB, s));
    MUST(cudaDeviceSetMemPool(0, dp));
    cudaMemPool_t old = pool;
    C("reset", cudaDeviceReset());
    MUST(cudaDeviceGetDefaultMemPool(&pool, 0));
    K("default_same_handle", old == pool);
    MUST(cudaDeviceGetMemPool(&cur, 0));
    K("current_default", cur == pool);
    v = 9;
    MUST(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &v));
    K("threshold_after_reset", v);
    iv = 9;
    MUST(
        cudaMemPoolGetAttribute(pool, cudaMemPoolReuseAllowOpportunistic, &iv));
    K("opp_after_reset", iv);
    for (int a = 5; a < 9; a++) {
        v = 9;
        MUST(cudaMemPoolGetAttribute(pool, (cudaMemPoolAttr)a, &v));
        printf("after_reset_attr_%d=%llu\n", a, v);
    }
    C("old_memory_free", cudaFree(p));
    return 0;
}
