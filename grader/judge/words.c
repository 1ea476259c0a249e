/* words.c: what a student reads of a mistake that rules only name */
#include "judge/words.h"

#include <stdlib.h>
#include <string.h>

#include "case/case.h"

enum { LARGEST_FILE = 1 << 20, LONGEST_KEY = 40 };

/* An editor on Windows ends lines in its own way. */
static void read_lines(struct out *text, const char *path)
{
    size_t kept = 0;

    if (!text_read_file(text, path, LARGEST_FILE))
        return;
    for (size_t i = 0; i < text->length; i++)
        if (text->data[i] != '\r')
            text->data[kept++] = text->data[i];
    text->data[kept] = '\0';
    text->length = kept;
}

void words_read(struct words *words, const char *root, const char *lab)
{
    OWNED char *const own = text_format("%s/labs/%s/mistakes.md", root, lab);
    OWNED char *const common = text_format("%s/labs/mistakes.md", root);

    /* Without a file the names have to do: a grade is never lost for it. */
    read_lines(&words->own, own);
    read_lines(&words->common, common);
}

void words_free(struct words *words)
{
    tl_out_free(&words->own);
    tl_out_free(&words->common);
}

/* ---- what stands for a word in braces ------------------------------------ */

/* Where the values come from. Each but @words may be missing. */
struct source {
    const char *values; /* "at=lab.cu:3\nleft=4" */
    const struct case_run *run;
    const struct words *words;
};

static bool add_field(struct out *text, const char *fields, char between,
                      const char *key)
{
    size_t length;
    const char *const value = text_find_field(fields, key, between, &length);

    if (value)
        text_add(text, value, length);
    return value != NULL;
}

static bool add_from_case(struct out *text, const struct case_run *run,
                          const char *key)
{
    const struct api_error *const error = &run->error;
    const char *const word = strcmp(key, "at") == 0      ? error->at
                             : strcmp(key, "call") == 0  ? error->call
                             : strcmp(key, "error") == 0 ? error->name
                             : strcmp(key, "shown") == 0 ? error->shown
                             : strcmp(key, "why") == 0   ? error->why
                                                         : "";

    if (*word)
        text_printf(text, "%s", word);
    else if (strcmp(key, "todo") == 0)
        text_printf(text, "%d", run->evidence->first_todo);
    else if (strcmp(key, "code") == 0)
        text_printf(text, "%d", run->code);
    else if (strcmp(key, "no_hazard") == 0)
        text_printf(text, "%s", run->virtual_run ? ", no hazard" : "");
    else if (case_has(run, key))
        text_printf(text, "%s", case_text(run, key));
    else
        return add_field(text, run->params, ' ', key);
    return true;
}

/* "- {key}: words" ahead of the first section. */
static bool add_from_list(struct out *text, const char *file, const char *key)
{
    const size_t length = strlen(key);

    for (const char *at = file; at && strncmp(at, "## ", 3) != 0;
         at = strchr(at, '\n'), at += at != NULL)
        if (strncmp(at, "- {", 3) == 0 && strncmp(at + 3, key, length) == 0 &&
            strncmp(at + 3 + length, "}: ", 3) == 0) {
            at += 3 + length + 3;
            text_add(text, at, strcspn(at, "\n"));
            return true;
        }
    return false;
}

static bool add_word(struct out *text, const struct source *source,
                     const char *key)
{
    return add_field(text, source->values, '\n', key) ||
           (source->run && add_from_case(text, source->run, key)) ||
           (source->words &&
            (add_from_list(text, text_string(&source->words->own), key) ||
             add_from_list(text, text_string(&source->words->common), key)));
}

/* @key may end with a form: "student_ns:ms", "rows:s". */
static bool add_formed(struct out *text, const struct source *source, char *key)
{
    char *const colon = strchr(key, ':');
    OWNED_TEXT plain = {0};
    bool known;

    if (colon == NULL)
        return add_word(text, source, key);
    *colon = '\0';
    known = add_word(&plain, source, key);
    *colon = ':';
    if (strcmp(colon, ":u") == 0)
        text_printf(text, "%llu", strtoull(text_string(&plain), NULL, 10));
    else if (strtoll(text_string(&plain), NULL, 10) == INT64_MIN)
        text_printf(text, "not a number of");
    else if (strcmp(colon, ":ms") == 0 || strcmp(colon, ":ms4") == 0)
        text_printf(text, "%.*f", colon[3] ? 4 : 3,
                    strtod(text_string(&plain), NULL) / 1e6);
    else if (strcmp(colon, ":s") == 0 || strcmp(colon, ": each") == 0)
        text_printf(text, "%s",
                    strcmp(text_string(&plain), "1") == 0 ? "" : colon + 1);
    else
        known = false;
    return known;
}

static void fill(struct out *text, const char *line, size_t length,
                 const struct source *source)
{
    const char *const end = line + length;

    while (line < end) {
        const size_t left = (size_t)(end - line);
        const size_t plain = strcspn(line, "{");
        const size_t key = strspn(line + (*line == '{'),
                                  "abcdefghijklmnopqrstuvwxyz_0123456789: ");
        char name[LONGEST_KEY];

        if (*line != '{' || line[1 + key] != '}' || key >= sizeof name) {
            const size_t take = *line == '{' ? 1 : plain;

            text_add(text, line, take < left ? take : left);
            line += take;
            continue;
        }
        memcpy(name, line + 1, key);
        name[key] = '\0';
        if (!add_formed(text, source, name))
            text_add(text, line, key + 2);
        line += key + 2;
    }
}

void words_fill(struct out *text, const char *line, const char *values,
                const struct case_run *run)
{
    fill(text, line, strlen(line),
         &(struct source){.values = values, .run = run});
}

/* ---- a section ----------------------------------------------------------- */

/* Return: what follows the title, or NULL. */
static const char *find_section(const char *file, const char *name)
{
    const size_t length = strlen(name);

    for (const char *at = strstr(file, "## "); at;
         at = strstr(at + 1, "\n## ")) {
        at += *at == '\n';
        if (strncmp(at + 3, name, length) == 0 && at[3 + length] == '\n')
            return at + 3 + length + 1;
    }
    return NULL;
}

/* Lines that an editor wrapped are one sentence after the other again. */
static void tell(const char *section, const struct source *source,
                 struct out *sentence, struct out *read)
{
    static const char read_word[] = "Read: ";

    while (*section && strncmp(section, "## ", 3) != 0) {
        const size_t line = strcspn(section, "\n");

        if (strncmp(section, read_word, sizeof read_word - 1) == 0) {
            fill(read, section + sizeof read_word - 1,
                 line - (sizeof read_word - 1), source);
        } else if (line > 0 && strncmp(section, "<!--", 4) != 0) {
            if (sentence->length > 0)
                text_add(sentence, " ", 1);
            fill(sentence, section, line, source);
        }
        section += line;
        section += *section == '\n';
    }
}

bool words_find(const struct words *words, const struct finding *finding,
                const struct case_run *run, struct out *sentence,
                struct out *read)
{
    const struct source source = {finding->values, run, words};
    const char *section = find_section(text_string(&words->own), finding->id);

    if (section == NULL)
        section = find_section(text_string(&words->common), finding->id);
    if (section == NULL) {
        text_printf(sentence, "%s", finding->id);
        return false;
    }
    tell(section, &source, sentence, read);
    if (read->length == 0)
        text_printf(read, "What to do");
    return true;
}
