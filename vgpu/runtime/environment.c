/*
 * environment.c: what CUDA's own settings say, beside VGPU_*: which of the
 * machine's devices a program sees, and in which order, and whether its
 * launches wait for their end.
 *
 * A driver reads them at the program's first call, so a program may set them
 * itself before; changed later they do nothing.
 *
 * Source: guide, "CUDA Environment Variables"; observed (conformance:
 * visible_devices, launch_blocking).
 */
#include "rt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { UUID_BYTES = 16 };

/* The machine as VGPU_DEVICE and VGPU_COUNT describe it. */
static struct vgpu_profile machine[VGPU_MAX_DEVICES];
static uint32_t machine_links[VGPU_MAX_DEVICES];
static int machine_count;

static bool settled;

void vgpu_environment_uuid(int place, char bytes[UUID_BYTES])
{
    memset(bytes, 0, UUID_BYTES);
    snprintf(bytes, UUID_BYTES, "%02u-virtual-gpu", (unsigned)place % 100u);
}

/* "GPU-" and as many of a UUID's digits as tell the device from the others.
 * Return: its place; -1: none, or several. */
static int find_uuid(const char *text, size_t length)
{
    int found = -1;

    for (int d = 0; d < machine_count; d++) {
        char bytes[UUID_BYTES], name[48];
        size_t at = (size_t)snprintf(name, sizeof name, "GPU-");

        vgpu_environment_uuid(d, bytes);
        for (int i = 0; i < UUID_BYTES; i++)
            at += (size_t)snprintf(name + at, sizeof name - at, "%s%02x",
                                   i == 4 || i == 6 || i == 8 || i == 10 ? "-"
                                                                         : "",
                                   (unsigned)(unsigned char)bytes[i]);
        if (length > at || strncasecmp(text, name, length))
            continue;
        if (found >= 0)
            return -1;
        found = d;
    }
    return found;
}

/* A number as strtol reads it, whatever is behind it. */
static int find_number(const char *text)
{
    char *end;
    const long place = strtol(text, &end, 10);

    return end > text && place >= 0 && place < machine_count ? (int)place : -1;
}

/* Those before the first word that names none. All words are what the first one
 * is, UUIDs or numbers. Return: how many; -1: one is named twice, an error of
 * the whole list. */
static int select_devices(const char *text, int places[VGPU_MAX_DEVICES])
{
    const bool by_uuid = !strncmp(text, "GPU-", 4) && text[4];
    int count = 0;

    for (;;) {
        const size_t length = strcspn(text, ",");
        const int place = by_uuid ? find_uuid(text, length) : find_number(text);

        if (place < 0)
            return count;
        for (int i = 0; i < count; i++)
            if (places[i] == place)
                return -1;
        places[count++] = place;
        if (!text[length] || count == VGPU_MAX_DEVICES)
            return count;
        text += length + 1;
    }
}

/* Device 0 stays in its place for what looks at the current device, also where
 * the program sees none. */
static void show(const char *visible)
{
    int places[VGPU_MAX_DEVICES];
    int count = visible ? select_devices(visible, places) : machine_count;

    vgpu_rt.no_device = count > 0   ? cudaSuccess
                        : count < 0 ? cudaErrorInvalidDevice
                                    : cudaErrorNoDevice;
    if (!visible || count <= 0)
        for (int d = 0; d < machine_count; d++)
            places[d] = d;
    vgpu_rt.device_count = count > 0 ? count : 1;
    for (int d = 0; d < vgpu_rt.device_count; d++) {
        vgpu_rt.profiles[d] = machine[places[d]];
        vgpu_rt.devices[d].place = places[d];
        vgpu_rt.links[d] = 0;
        for (int p = 0; p < vgpu_rt.device_count; p++)
            vgpu_rt.links[d] |= (machine_links[places[d]] >> places[p] & 1)
                                << p;
    }
}

/* The text that the devices were chosen by, or NULL. */
static char *shown;

static bool same_text(const char *a, const char *b)
{
    return a && b ? !strcmp(a, b) : a == b;
}

static void read_visible(void)
{
    const char *const visible = getenv("CUDA_VISIBLE_DEVICES");

    free(shown);
    shown = visible ? strdup(visible) : NULL;
    show(shown);
}

int vgpu_environment_start(void)
{
    machine_count = vgpu_rt.device_count;
    memcpy(machine, vgpu_rt.profiles, sizeof machine);
    memcpy(machine_links, vgpu_rt.links, sizeof machine_links);
    vgpu_rt.host = &machine[0];
    read_visible();
    return machine_count;
}

/* The program has set it itself: nothing has run as yet on any device. */
static void show_again(void)
{
    if (same_text(shown, getenv("CUDA_VISIBLE_DEVICES")))
        return;
    read_visible();
    vgpu_time_free(vgpu_rt.time);
    vgpu_state_time();
}

/* The runtime goes before what was made before it: a static object outlives it,
 * whose destructor gets this error and nothing else. */
static void unload(void)
{
    vgpu_rt.unloaded = true;
}

void vgpu_environment_settle(void)
{
    const char *blocking, *loading;

    if (settled)
        return;
    settled = true;
    atexit(unload);
    blocking = getenv("CUDA_LAUNCH_BLOCKING");
    loading = getenv("CUDA_MODULE_LOADING");
    vgpu_rt.launch_blocking = blocking && strtol(blocking, NULL, 10) == 1;
    vgpu_rt.lazy_loading = loading && !strcmp(loading, "LAZY");
    vgpu_rt.eager_loading = loading && !strcmp(loading, "EAGER");
    show_again();
}
