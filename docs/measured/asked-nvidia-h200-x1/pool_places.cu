/* pool_places.cu: see README.md. */
#include "../asked_pools.h"
int main()
{
    setup();
    void *p = nullptr, *q = nullptr;
    cudaMemPool_t dp, cur;
    unsigned long long v;
    {
        cudaMemPoolProps x = props(1, 1, 0, 0, 0);
        MUST(cudaMemPoolCreate(&dp, &x));
    }
    /* export */
    {
        int fd = -1;
        C("export_no_handles",
          cudaMemPoolExportToShareableHandle(
              &fd, dp, cudaMemHandleTypePosixFileDescriptor, 0));
        C("export_default",
          cudaMemPoolExportToShareableHandle(
              &fd, pool, cudaMemHandleTypePosixFileDescriptor, 0));
        cudaMemPool_t ep = mk("posix", props(1, 1, 0, 1, 0));
        C("export_flags_1",
          cudaMemPoolExportToShareableHandle(
              &fd, ep, cudaMemHandleTypePosixFileDescriptor, 1));
        C("export_wrong_type", cudaMemPoolExportToShareableHandle(
                                   &fd, ep, cudaMemHandleTypeFabric, 0));
        C("export_none", cudaMemPoolExportToShareableHandle(
                             &fd, ep, cudaMemHandleTypeNone, 0));
        C("export", cudaMemPoolExportToShareableHandle(
                        &fd, ep, cudaMemHandleTypePosixFileDescriptor, 0));
        K("export_fd_ok", fd >= 0);
        cudaMemPool_t im = nullptr;
        C("import", cudaMemPoolImportFromShareableHandle(
                        &im, (void *)(size_t)fd,
                        cudaMemHandleTypePosixFileDescriptor, 0));
        C("import_bad_fd", cudaMemPoolImportFromShareableHandle(
                               &cur, (void *)(size_t)999,
                               cudaMemHandleTypePosixFileDescriptor, 0));
        cudaMemPoolPtrExportData ed;
        MUST(cudaMallocFromPoolAsync(&p, 4096, ep, s));
        C("export_ptr", cudaMemPoolExportPointer(&ed, p));
        void *ip = nullptr;
        if (im) {
            C("import_ptr", cudaMemPoolImportPointer(&ip, im, &ed));
            C("take_from_imported", cudaMallocFromPoolAsync(&q, 16, im, s));
            C("trim_imported", cudaMemPoolTrimTo(im, 0));
            C("set_imported_current", cudaDeviceSetMemPool(0, im));
            v = 0;
            C("attr_imported",
              cudaMemPoolGetAttribute(im, cudaMemPoolAttrUsedMemCurrent, &v));
            C("free_imported", cudaFreeAsync(ip, s));
            C("free_imported_sync", cudaStreamSynchronize(s));
        }
        MUST(cudaDeviceSetMemPool(0, pool));
        void *m;
        MUST(cudaMallocAsync(&m, 16, s));
        C("export_ptr_default_pool", cudaMemPoolExportPointer(&ed, m));
        C("export_ptr_bad", cudaMemPoolExportPointer(&ed, &m));
        C("ipc_of_pool_memory", ({
              cudaIpcMemHandle_t ih;
              cudaIpcGetMemHandle(&ih, m);
          }));
    }
    {
        int dev;
        for (int lt = 0; lt < 5; lt++)
            for (int at = 0; at < 4; at++) {
                cudaMemLocation l = {(cudaMemLocationType)lt, 0};
                cudaMemPool_t a = nullptr, b = nullptr;
                cudaError_t e = cudaMemGetDefaultMemPool(
                                &a, &l, (cudaMemAllocationType)at),
                            f = cudaMemGetMemPool(&b, &l,
                                                  (cudaMemAllocationType)at);
                printf(
                    "mem_pool_loc_%d_type_%d=%d,%d same=%d device_default=%d\n",
                    lt, at, e, f, a == b, a == pool);
                (void)cudaGetLastError();
            }
        (void)dev;
        cudaMemLocation l = {cudaMemLocationTypeDevice, 0};
        C("set_mem_pool",
          cudaMemSetMemPool(&l, cudaMemAllocationTypePinned, dp));
        cudaMemPool_t b;
        MUST(cudaDeviceGetMemPool(&b, 0));
        K("set_seen", b == dp);
        C("set_mem_pool_managed_type",
          cudaMemSetMemPool(&l, cudaMemAllocationTypeManaged, dp));
        l.type = cudaMemLocationTypeHost;
        C("set_mem_pool_host",
          cudaMemSetMemPool(&l, cudaMemAllocationTypePinned, dp));
    }
    {
        cudaMemPoolProps x = props(2, 1, 0, 0, 0);
        cudaMemPool_t m;
        MUST(cudaMemPoolCreate(&m, &x));
        int *w = nullptr;
        C("managed_take", cudaMallocFromPoolAsync((void **)&w, 4096, m, s));
        C("managed_sync", cudaStreamSynchronize(s));
        cudaPointerAttributes a;
        cudaError_t e = cudaPointerGetAttributes(&a, w);
        printf("managed_attr=%d type=%d dev=%d devp=%d hostp=%d\n", e, a.type,
               a.device, a.devicePointer == w, a.hostPointer == w);
        if (w) {
            w[0] = 3;
            put<<<1, 1, 0, s>>>(w + 1, 4);
            C("managed_kernel", cudaStreamSynchronize(s));
            K("managed_seen", w[0] * 10 + w[1]);
            for (int k = 5; k < 9; k++) {
                v = 0;
                e = cudaMemPoolGetAttribute(m, (cudaMemPoolAttr)k, &v);
                printf("managed_pool_attr_%d=%d,%llu\n", k, e, v);
            }
            C("managed_free", cudaFreeAsync(w, s));
            C("managed_sync2", cudaStreamSynchronize(s));
        }
        C("managed_destroy", cudaMemPoolDestroy(m));
        (void)cur;
    }
    C("cap", cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    C("cap_destroy_pool", cudaMemPoolDestroy(dp));
    {
        cudaGraph_t g;
        C("cap_end", cudaStreamEndCapture(s, &g));
    }
    return 0;
}
