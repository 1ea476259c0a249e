/* out.c: text that grows in memory and reaches its file whole or not at all
 *
 * Everything is made in memory first. A picture that a page or a slide shows is
 * never half there, not even while make draws it anew beside a browser; and a
 * writer needs no check after each line, since a failure is remembered.
 */
#define _POSIX_C_SOURCE 200809L
#include "out.h"

#include "utf8.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Room for more bytes and a terminator, doubled: a long text is copied a few
 * times, and not once for each line. */
static bool reserve(struct out *o, size_t more)
{
    size_t need = o->length + more + 1, room = o->room ? o->room : 4096;

    if (o->failed)
        return false;
    while (room < need)
        room *= 2;
    if (room == o->room)
        return true;

    char *text = realloc(o->data, room);

    if (!text) {
        o->failed = true;
        return false;
    }
    o->data = text;
    o->room = room;
    return true;
}

void tl_out_bytes(struct out *o, const char *bytes, size_t len)
{
    if (!reserve(o, len))
        return;
    if (len > 0)
        memcpy(o->data + o->length, bytes, len);
    o->length += len;
    o->data[o->length] = '\0';
}

void tl_out_text(struct out *o, const char *text)
{
    tl_out_bytes(o, text, strlen(text));
}

/* Without a limit: the text is formatted twice, first for its length. */
void tl_out_vprint(struct out *o, const char *format, va_list args)
{
    va_list again;
    int len;

    va_copy(again, args);
    len = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (len < 0 || !reserve(o, (size_t)len))
        return;
    vsnprintf(o->data + o->length, (size_t)len + 1, format, args);
    o->length += (size_t)len;
}

void tl_out_print(struct out *o, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    tl_out_vprint(o, format, args);
    va_end(args);
}

void tl_out_repeat(struct out *o, const char *text, size_t times)
{
    while (times-- > 0)
        tl_out_text(o, text);
}

/* Trace files hold names from foreign programs, and a terminal obeys what it
 * is sent: nothing of that must arrive. What is not UTF-8 becomes U+FFFD, so
 * that the result always is. */
void tl_out_escaped(struct out *o, const char *text,
                    const char *(*special)(char c))
{
    while (*text) {
        size_t len = tl_utf8_length(text, UTF8_TERMINATED);
        const char *other = len == 1 ? special(*text) : NULL;

        if (len == 0) {
            tl_out_text(o, "\xef\xbf\xbd");
            len = 1;
        } else if (len == 2 && text[0] == '\xc2' &&
                   (unsigned char)text[1] < 0xa0) {
            tl_out_text(o, "?"); /* U+0080 to U+009F control terminals, too */
        } else if (other) {
            tl_out_text(o, other);
        } else {
            tl_out_bytes(o, text, len);
        }
        text += len;
    }
}

/* Of ASCII; tl_out_escaped() has dealt with the control characters beyond. */
static const char *plain_special(char c)
{
    return c < 0x20 || c == 0x7f ? "?" : NULL;
}

static const char *xml_special(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    }
    return plain_special(c);
}

/* With the "<", which JSON would allow, a text could end the <script> that it
 * stands in. */
static const char *json_special(char c)
{
    switch (c) {
    case '"':
        return "\\\"";
    case '\\':
        return "\\\\";
    case '<':
        return "\\u003c";
    case '\n':
        return "\\n";
    case '\t':
        return "\\t";
    }
    return plain_special(c);
}

void tl_out_plain(struct out *o, const char *text)
{
    tl_out_escaped(o, text, plain_special);
}

void tl_out_xml(struct out *o, const char *text)
{
    tl_out_escaped(o, text, xml_special);
}

void tl_out_json(struct out *o, const char *text)
{
    tl_out_text(o, "\"");
    tl_out_escaped(o, text, json_special);
    tl_out_text(o, "\"");
}

/* A signal may interrupt it, and a pipe may take a part. */
static bool write_all(int fd, const struct out *o)
{
    for (size_t done = 0; done < o->length;) {
        ssize_t got = write(fd, o->data + done, o->length - done);

        if (got < 0 && errno != EINTR)
            return false;
        if (got > 0)
            done += (size_t)got;
    }
    return true;
}

/* A device or a pipe cannot be replaced by a file of the same name. */
static bool write_direct(const struct out *o, const char *path)
{
    FILE *file = fopen(path, "w");

    if (!file)
        return false;

    bool good = write_all(fileno(file), o);

    return fclose(file) == 0 && good;
}

/* In the same folder, because only within a file system a rename is one step.
 * mkstemp() makes a file for its owner alone: it gets the rights that fopen()
 * would have given. errno tells of the first failure, not of the tidying.
 */
static bool write_renamed(const struct out *o, const char *path)
{
    size_t room = strlen(path) + sizeof ".XXXXXX";
    char *name = malloc(room);
    mode_t mask = umask(0);

    umask(mask);
    if (!name)
        return false;
    snprintf(name, room, "%s.XXXXXX", path);

    int fd = mkstemp(name);
    bool good = fd >= 0;

    if (good) {
        good = fchmod(fd, 0666 & ~mask) == 0 && write_all(fd, o);
        good = close(fd) == 0 && good && rename(name, path) == 0;
        if (!good) {
            int why = errno;

            unlink(name);
            errno = why;
        }
    }
    free(name);
    return good;
}

/* What is not there yet is a regular file to come; what is there and no regular
 * file, such as /dev/stdout, stays what it is.
 */
bool tl_out_write(const struct out *o, const char *path)
{
    struct stat info;

    if (o->failed) {
        errno = ENOMEM;
        return false;
    }
    if (strcmp(path, "-") == 0)
        return fflush(stdout) == 0 && write_all(STDOUT_FILENO, o);
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode))
        return write_direct(o, path);
    return write_renamed(o, path);
}

void tl_out_free(struct out *o)
{
    free(o->data);
    *o = (struct out){0};
}
