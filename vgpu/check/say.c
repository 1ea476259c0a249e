/*
 * say.c: what the checker tells people, on stderr
 *
 * On a terminal a line ends where the window does, at a space, and goes on
 * below its own text: a terminal would cut in the middle of a word. In a file
 * or a pipe a line stays whole, so that grep finds it.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "check_state.h"

MY_PART(say);

#define BELOW  10 /* a line that begins with blanks: below its text */
#define BEHIND 6  /* any other: behind "vgpu: " */

/* Colour only where a person looks, and none if NO_COLOR is set (no-
 * color.org). */
void say_init(void)
{
    const char *no_colour = getenv("NO_COLOR");

    if (!isatty(STDERR_FILENO))
        return;
    my->colour = !(no_colour && *no_colour);
    my->width = 80;
#ifdef TIOCGWINSZ /* a page in a browser has no columns */
    struct winsize size = {0};

    ioctl(STDERR_FILENO, TIOCGWINSZ, &size);
    if (size.ws_col >= 40)
        my->width = size.ws_col;
#endif
}

/* A word with the blanks before it, which a new line takes the place of. */
static void say_word(const char *text, int blanks, int length)
{
    if (my->column == 0) {
        my->below = blanks ? BELOW : BEHIND;
    } else if (blanks && my->column + blanks + length > my->width) {
        fputc('\n', stderr);
        my->column = 0;
        blanks = my->below;
    }
    fprintf(stderr, "%*s%.*s", blanks, "", length, text);
    my->column += blanks + length;
}

/* Whole where it is not cut: other processes may write there, too. */
void say(const char *format, ...)
{
    char text[2048];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (!my->width) {
        fputs(text, stderr);
        return;
    }
    for (const char *at = text; *at;) {
        const int blanks = (int)strspn(at, " ");
        const int length = (int)strcspn(at + blanks, " \n");

        if (blanks + length > 0)
            say_word(at + blanks, blanks, length);
        at += blanks + length;
        if (*at == '\n') {
            fputc('\n', stderr);
            my->column = 0;
            at++;
        }
    }
}

void say_loudly(const char *word)
{
    fputs(my->colour ? "\033[1;31m" : "", stderr);
    say("%s", word);
    fputs(my->colour ? "\033[0m" : "", stderr);
}

bool vgpu_line_same(uint64_t a, uint64_t b)
{
    const char *file_a = NULL, *file_b = NULL;
    const int line = vgpu_line_find(a, &file_a);

    return line && line == vgpu_line_find(b, &file_b) && file_a && file_b &&
           !strcmp(file_a, file_b);
}

/* "?" and not nothing: who prints it need not ask. */
char *vgpu_line_format(uint64_t pc, char *text, size_t size)
{
    const char *file;
    int line = vgpu_line_find(pc, &file);

    if (line)
        snprintf(text, size, "%s:%d", file, line);
    else
        snprintf(text, size, "?");
    return text;
}
