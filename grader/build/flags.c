/* flags.c: compiler options that a student sets for a lab that allows some */
#include "build/flags.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "vgpu/input_file.h"

enum { LARGEST_FLAGS = 4096 };

/* ---- the file ------------------------------------------------------------ */

static char *find_file(const char *file)
{
    const char *const slash = strrchr(file, '/');
    const char *const name = slash ? slash + 1 : file;
    const char *const dot = strrchr(name, '.');
    char *const own = text_format(
        "%.*s.flags", dot ? (int)(dot - file) : (int)strlen(file), file);

    if (access(own, F_OK) == 0)
        return own;
    free(own);
    return text_format("%.*sflags", (int)(name - file), file);
}

/* ---- what is allowed ----------------------------------------------------- */

/* Is @word this one of the allowed options? */
static bool fits(const char *word, const char *option, size_t length)
{
    if (length >= 2 && option[length - 1] == '*' && option[length - 2] == '=')
        return strncmp(word, option, length - 1) == 0 && word[length - 1] &&
               strspn(word + length - 1, "0123456789") + length - 1 ==
                   strlen(word);
    return strlen(word) == length && strncmp(word, option, length) == 0;
}

/* Is @word, or with @joined "@word=", the beginning of one? */
static bool is_allowed(const char *word, const char *allowed, bool joined)
{
    for (const char *at = allowed ? allowed : ""; *at;) {
        const size_t length = strcspn(at, " ");
        const size_t name = strlen(word);

        if (joined ? length > name && at[name] == '=' &&
                         strncmp(at, word, name) == 0
                   : fits(word, at, length))
            return true;
        at += length;
        at += *at == ' ';
    }
    return false;
}

/* ---- one line ------------------------------------------------------------ */

/* "--default-stream per-thread" and "--default-stream=per-thread" are one. */
static bool take_line(struct flags *flags, char *text, const char *path,
                      int line, const char *allowed, struct out *messages)
{
    char *state = NULL, *word, *value, *whole;

    text[strcspn(text, "#")] = '\0';
    for (word = strtok_r(text, " \t\r", &state); word;
         word = strtok_r(NULL, " \t\r", &state)) {
        value = is_allowed(word, allowed, true)
                    ? strtok_r(NULL, " \t\r", &state)
                    : NULL;
        whole = value ? text_format("%s=%s", word, value) : strdup(word);
        if (!is_allowed(whole, allowed, false) || flags->count == MAX_FLAGS) {
            text_printf(messages,
                        "%s:%d: %.60s: this lab does not allow that option"
                        "%s%s\n",
                        path, line, whole, allowed ? "; it allows " : "",
                        allowed ? allowed : "");
            free(whole);
            return false;
        }
        flags->words[flags->count++] = whole;
    }
    return true;
}

bool flags_read(struct flags *flags, const char *file, const char *allowed,
                struct out *messages)
{
    OWNED char *path = find_file(file);
    OWNED_TEXT text = {0};
    bool good = true;
    int line = 0;

    memset(flags, 0, sizeof *flags);
    if (!text_read_file(&text, path, LARGEST_FLAGS)) {
        good = !allowed || errno == ENOENT || errno == ENOTDIR;
        if (!good)
            text_printf(messages, "%s: %s\n", path, input_file_words(errno));
    } else if (text.length > LARGEST_FLAGS) {
        text_printf(messages, "%s: larger than 4 KiB\n", path);
        good = false;
    } else {
        char *rest = text.data, *at;

        while (good && (at = strsep(&rest, "\n")))
            good = take_line(flags, at, path, ++line, allowed, messages);
    }
    return good;
}

void flags_free(struct flags *flags)
{
    for (int i = 0; i < flags->count; i++)
        free(flags->words[i]);
    memset(flags, 0, sizeof *flags);
}
