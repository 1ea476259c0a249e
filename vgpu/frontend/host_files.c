/* host_files.c: whole files, of every form of the host */
#include "host.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

int host_read_file(const char *path, struct buf *out)
{
    FILE *file = fopen(path, "re");
    char chunk[4096];
    size_t size;

    if (!file)
        return -1;
    while ((size = fread(chunk, 1, sizeof chunk, file)))
        buf_add(out, chunk, size);
    fclose(file);
    return 0;
}

/* fclose, too, may find the disk full. */
int host_write_file(const char *path, const char *data, size_t size)
{
    FILE *file = fopen(path, "we");
    bool failed;

    if (!file)
        return -1;
    failed = size && fwrite(data, 1, size, file) != size;
    return fclose(file) || failed ? -1 : 0;
}

const char *host_temp_header(const char *name)
{
    static const char *dir;
    struct buf path = {0};

    if (!dir)
        mkdir(dir = host_temp_file(".headers"), 0700);
    for (const char *at = name; (at = strchr(at, '/')); at++) {
        struct buf folder = {0};

        buf_printf(&folder, "%s/%.*s", dir, (int)(at - name), name);
        if (mkdir(folder.data, 0700))
            buf_free(&folder);
        else
            host_temp_add(folder.data);
    }
    buf_printf(&path, "%s/%s", dir, name);
    host_write_file(host_temp_add(path.data), "", 0);
    return dir;
}
