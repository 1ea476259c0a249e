/* source.c: what a student's text may not tell the compiler: see source.h */
#include "build/source.h"

#include <string.h>

#include "base/files.h"

enum { LARGEST_FILE = 2 << 20 };

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r';
}

/* Take out every backslash that a line goes on behind, as a compiler does. */
static void join_lines(struct out *text)
{
    char *to = text->data;

    for (const char *at = text->data; at && *at;) {
        const char *end = at + 1;

        while (*at == '\\' && is_blank(*end))
            end++;
        if (*at == '\\' && *end == '\n')
            at = end + 1;
        else
            *to++ = *at++;
    }
    if (to)
        *to = '\0';
}

/* Blanks and comments. */
static const char *skip_blanks(const char *at)
{
    for (;;) {
        const char *end = NULL;

        while (is_blank(*at))
            at++;
        if (at[0] == '/' && at[1] == '*')
            end = strstr(at + 2, "*/");
        if (end == NULL)
            return at;
        at = end + 2;
    }
}

/* `# 1 "file"` or `#line 1 "file"`, behind the `#`. */
static bool is_marker(const char *at)
{
    at = skip_blanks(at);
    return (*at >= '0' && *at <= '9') || strncmp(at, "line", 4) == 0;
}

/* A line that begins so; comments may stand before, and end in that line. */
static bool has_marker(const char *text)
{
    bool begins = true; /* only blanks and comments in this line so far */

    for (const char *at = text; *at; at++) {
        const bool digraph = at[0] == '%' && at[1] == ':';

        if (begins && (*at == '#' || digraph) && is_marker(at + 1 + digraph))
            return true;
        if (*at == '\n' || (at[0] == '*' && at[1] == '/'))
            begins = true;
        else if (!is_blank(*at) && !(*at == '/' && begins))
            begins = false;
    }
    return false;
}

static bool is_refused(const char *path, bool is_header, struct out *messages)
{
    OWNED_TEXT text = {0};
    const char *why = NULL;

    if (text_read_file(&text, path, LARGEST_FILE) && text.data) {
        const bool binary = memchr(text.data, '\0', text.length) != NULL;

        join_lines(&text);
        if (binary)
            why = "it is no plain text, or in UTF-16: save it as UTF-8";
        else if (strchr(text.data, '\r') && !strchr(text.data, '\n'))
            why = "its lines end in CR alone: save it with LF";
        else if (strstr(text.data, "grader/drivers"))
            why = "it names \"grader/drivers\": those files are the grader's";
        else if (has_marker(text.data))
            why = "#line and line markers are the compiler's";
        else if (strstr(text.data, "system_header") ||
                 (is_header && strstr(text.data, "_Pragma")))
            why = "only the system has system headers";
        else if (strstr(text.data, "init_priority"))
            why = "when something is made before main is not for it to say";
    }
    if (why)
        text_printf(messages, "%s: %s\n", path, why);
    return why != NULL;
}

bool source_is_refused(const char *file, struct out *messages)
{
    OWNED_TEXT headers = files_beside(file, ".h .cuh .hpp");
    bool refused = is_refused(file, false, messages);

    for (const char *path = NULL;
         !refused && (path = files_next(&headers, path));)
        refused = is_refused(path, true, messages);
    return refused;
}
