/*
 * input_file.h: a file that somebody else may have put there
 *
 *     FILE *in = input_file_read(path, 1 << 20);
 *
 * A name may lead to a folder, to a pipe that nobody writes to, or to a device
 * that never ends. Whoever reads a file by name opens it here.
 */
#ifndef VGPU_INPUT_FILE_H
#define VGPU_INPUT_FILE_H

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* errno of what is there and no file; input_file_words() has words for it. */
#define INPUT_FILE_NONE ESPIPE

/* Words for an errno of this header. */
static inline const char *input_file_words(int error)
{
    return error == INPUT_FILE_NONE || error == EISDIR ? "not a regular file"
                                                       : strerror(error);
}

/* Return: is @fd a file of @most bytes or fewer? Else errno is EISDIR,
 * INPUT_FILE_NONE or EFBIG. */
static inline int input_file_is(int fd, long long most)
{
    struct stat info;

    if (fstat(fd, &info) != 0)
        return 0;
    if (!S_ISREG(info.st_mode))
        errno = S_ISDIR(info.st_mode) ? EISDIR : INPUT_FILE_NONE;
    else if (info.st_size > most)
        errno = EFBIG;
    else
        return 1;
    return 0;
}

/* A file grows: who reads it counts, all the same. O_NONBLOCK: or a pipe would
 * keep this call waiting. Return: a descriptor, or -1 with errno. */
static inline int input_file_open(const char *path, long long most)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    int error;

    if (fd < 0 || input_file_is(fd, most))
        return fd;
    error = errno;
    close(fd);
    errno = error;
    return -1;
}

/* Return: NULL with errno. */
static inline FILE *input_file_read(const char *path, long long most)
{
    const int fd = input_file_open(path, most);
    FILE *const file = fd < 0 ? NULL : fdopen(fd, "rb");

    if (fd >= 0 && file == NULL)
        close(fd);
    return file;
}

#endif
