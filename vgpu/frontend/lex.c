/*
 * lex.c: tokens of preprocessed C++, of the user's own text only.
 *
 * The preprocessor's line markers say which file a line comes from and whether
 * that is a system header; lines of others are not read at all. That makes a
 * program that includes half of the standard library as quick to rewrite as its
 * own hundred lines.
 */
#include "lex.h"

#include <stdlib.h>
#include <string.h>

#include "buf.h"

struct scan {
    struct lex *lex;
    const char *start, *at, *end;
    const char *own_dir;
    int line;
    int file; /* -1 before the first marker */
    bool parallel, openmp;
    unsigned char collapse;
};

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\f' || c == '\v' || c == '\r';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Bytes of UTF-8 count as letters. */
static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '$' || (unsigned char)c >= 0x80;
}

static bool is_word(char c)
{
    return is_letter(c) || is_digit(c);
}

/* ---- words --------------------------------------------------------------- */

static const struct known {
    const char *spelling;
    unsigned sets;
} known[] = {
#define SIGN(NAME, SPELLING, SETS) [W_##NAME] = {SPELLING, SETS},
#define WORD(SPELLING, SETS)       [W_##SPELLING] = {#SPELLING, SETS},
#include "words.def"
};

bool lex_in(int word, unsigned sets)
{
    return word < W_OTHER && (known[word].sets & sets);
}

/* The slot that has the name, or an empty one. */
static int *name_slot(const struct lex *lex, const char *name, int length)
{
    unsigned at = 2166136261u;

    for (int i = 0; i < length; i++)
        at = (at ^ (unsigned char)name[i]) * 16777619u;
    for (;; at++) {
        int *slot = &lex->slots[at & (lex->num_slots - 1)];
        const struct lex_name *here = &lex->names[*slot];

        if (!*slot || (here->length == length &&
                       !memcmp(here->text, name, (size_t)length)))
            return slot;
    }
}

/* At most half of the slots are used. */
static void make_room(struct lex *lex)
{
    if (2 * (unsigned)lex->num_names < lex->num_slots)
        return;
    free(lex->slots);
    lex->num_slots *= 2;
    lex->slots = buf_alloc(lex->num_slots * sizeof *lex->slots);
    lex->names =
        buf_resize(lex->names, lex->num_slots / 2 * sizeof *lex->names);
    for (int i = W_BEFORE_WORDS + 1; i < lex->num_names; i++)
        *name_slot(lex, lex->names[i].text, lex->names[i].length) = i;
}

/* The number of a name, made when it is new. */
static int find_name(struct lex *lex, const char *name, int length)
{
    int *slot = name_slot(lex, name, length);

    if (*slot)
        return *slot;
    make_room(lex);
    lex->names[lex->num_names] = (struct lex_name){name, length, 0};
    *name_slot(lex, name, length) = lex->num_names;
    return lex->num_names++;
}

static void add_known(struct lex *lex)
{
    lex->num_names = W_BEFORE_WORDS + 1;
    lex->num_slots = 1024;
    lex->slots = buf_alloc(lex->num_slots * sizeof *lex->slots);
    lex->names = buf_alloc(lex->num_slots / 2 * sizeof *lex->names);
    while (lex->num_names < W_OTHER) {
        const char *name = known[lex->num_names].spelling;

        find_name(lex, name, (int)strlen(name));
    }
}

/* ---- line markers and pragmas -------------------------------------------- */

static const char *line_end(const struct scan *s, const char *at)
{
    const char *nl = memchr(at, '\n', (size_t)(s->end - at));

    return nl ? nl : s->end;
}

static const char *skip_spaces(const char *at, const char *end)
{
    while (at < end && is_space(*at))
        at++;
    return at;
}

/* The virtual GPU's own headers are no user's text: nothing in them is
 * rewritten or counted. */
static bool is_own(const struct scan *s, const char *name, int length)
{
    size_t dir = s->own_dir ? strlen(s->own_dir) : 0;

    return dir && (size_t)length > dir + 2 &&
           !memcmp(name + 1, s->own_dir, dir) && name[dir + 1] == '/';
}

/* The index of the file in a line marker, made when it is new. */
static int find_file(struct scan *s, const char *name, int length, bool system)
{
    struct lex *lex = s->lex;
    const int number = find_name(lex, name, length);

    if (!lex->names[number].file) {
        BUF_ROOM(lex->files, lex->num_files);
        lex->files[lex->num_files++] =
            (struct lex_file){.name = name,
                              .length = length,
                              .user = !system && !is_own(s, name, length) &&
                                      !(length > 2 && name[1] == '<'),
                              .entered_from = s->file,
                              .entered_line = s->line};
        lex->names[number].file = lex->num_files;
    }
    return lex->names[number].file - 1;
}

/* `# 12 "file" 1 3`. Return: false if the line at @s->at is none. */
static bool read_marker(struct scan *s)
{
    const char *end = line_end(s, s->at);
    const char *at = skip_spaces(s->at + 1, end);
    const char *name;
    int line = 0;
    bool system = false;

    if (end - at > 4 && !memcmp(at, "line", 4))
        at = skip_spaces(at + 4, end);
    if (at == end || !is_digit(*at))
        return false;
    for (; at < end && is_digit(*at); at++)
        line = line < 100000000 ? line * 10 + (*at - '0') : line;
    at = skip_spaces(at, end);
    if (at == end || *at != '"')
        return false;
    for (name = at++; at < end && *at != '"'; at++)
        at += *at == '\\' && at + 1 < end;
    if (at >= end)
        return false;
    for (const char *flag = at + 1; flag < end; flag++)
        system |= *flag == '3';
    s->file = find_file(s, name, (int)(at + 1 - name), system);
    s->line = line - 1; /* the marker's newline adds one */
    s->at = end;
    return true;
}

static bool word_is(const char *at, const char *end, const char *word)
{
    size_t length = strlen(word);

    return (size_t)(end - at) >= length && !memcmp(at, word, length);
}

static bool has_word(const char *at, const char *end, const char *word)
{
    for (; at < end; at++)
        if (word_is(at, end, word))
            return true;
    return false;
}

/* How many nested loops `collapse(N)` makes one; what is no plain number may be
 * any. */
static unsigned char collapsed(const char *at, const char *end)
{
    while (at < end && !word_is(at, end, "collapse"))
        at++;
    if (at == end)
        return 0;
    at = skip_spaces(at + strlen("collapse"), end);
    at = skip_spaces(at + (at < end), end);
    return at < end && is_digit(*at) ? (unsigned char)(*at - '0') : 9;
}

/* Noted, not cut out: the text that tokens point into stays as it is, and
 * rewriting blanks it later. */
static void drop_text(struct scan *s, const char *end)
{
    struct lex *lex = s->lex;

    BUF_ROOM(lex->dropped, lex->num_dropped);
    lex->dropped[lex->num_dropped].text = s->at;
    lex->dropped[lex->num_dropped++].length = (int)(end - s->at);
}

/* After the preprocessor only pragmas are left. Those for nvcc alone would draw
 * a warning from the host compiler and are blanked; those of OpenMP shape what
 * follows and are noted with the next token. */
static void read_directive(struct scan *s)
{
    const char *end = line_end(s, s->at);
    const char *at = skip_spaces(s->at + 1, end);

    if (!word_is(at, end, "pragma")) {
        s->at = end;
        return;
    }
    at = skip_spaces(at + 6, end);
    if (word_is(at, end, "unroll") || word_is(at, end, "nounroll") ||
        word_is(at, end, "nv_") || word_is(at, end, "hd_warning_disable"))
        drop_text(s, end);
    if (word_is(at, end, "omp") &&
        (has_word(at, end, "parallel") || has_word(at, end, "task")))
        s->parallel = true;
    s->openmp |= word_is(at, end, "omp");
    if (s->openmp)
        s->collapse = collapsed(at, end);
    s->at = end;
}

/* ---- tokens -------------------------------------------------------------- */

/* A newline ends a literal that nobody closed, so that one lost quote does not
 * swallow the rest of the file. */
static const char *quoted_end(const char *at, const char *end, char quote)
{
    for (; at < end && *at != quote && *at != '\n'; at++)
        if (*at == '\\' && at + 1 < end && at[1] != '\n')
            at++;
    return at < end && *at == quote ? at + 1 : at;
}

/* R"delimiter( ... )delimiter" from the opening quote. */
static const char *raw_end(const char *at, const char *end)
{
    const char *delimiter = at + 1;
    const char *open = delimiter;
    size_t length;

    while (open < end && *open != '(' && open - delimiter <= 16)
        open++;
    if (open == end || *open != '(')
        return quoted_end(at + 1, end, '"');
    length = (size_t)(open - delimiter);
    for (at = open + 1; (size_t)(end - at) >= length + 2; at++)
        if (*at == ')' && !memcmp(at + 1, delimiter, length) &&
            at[length + 1] == '"')
            return at + length + 2;
    return end;
}

/* A literal at @at whose prefix (u8R, L, ...) has @prefix bytes. */
static const char *literal_end(const char *at, int prefix, const char *end)
{
    const char *quote = at + prefix;
    const char *past;

    if (prefix && quote[-1] == 'R' && *quote == '"')
        past = raw_end(quote, end);
    else
        past = quoted_end(quote + 1, end, *quote);
    while (past < end && is_word(*past))
        past++; /* a user-defined suffix */
    return past;
}

static bool is_literal_prefix(const char *at, int length)
{
    static const char *const prefixes[] = {"u8",  "u",  "U",  "L", "R",
                                           "u8R", "uR", "UR", "LR"};

    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if ((int)strlen(prefixes[i]) == length &&
            !memcmp(prefixes[i], at, length))
            return true;
    return false;
}

/* A number may hold signs behind its exponent's letter, and single quotes
 * between digits. */
static const char *number_end(const char *at, const char *end)
{
    for (at++; at < end; at++) {
        if ((*at == '+' || *at == '-') && strchr("eEpP", at[-1]))
            continue;
        if (*at == '\'' && at + 1 < end && is_word(at[1]))
            continue;
        if (!is_word(*at) && *at != '.')
            break;
    }
    return at;
}

/* The sign at @s->at: the longest that fits, as C++ has it, but `<<<` only
 * where a launch may be: not in `operator<<<T>`; `<< <` is the same, as an
 * editor may have made it and nvcc takes it. `>>` is never one token here,
 * since two templates may end in it. Return: its end. */
static const char *read_sign(const struct scan *s, int *word)
{
    const struct lex *lex = s->lex;
    const char *third = s->at + 2;

    while (third < s->end && (*third == ' ' || *third == '\t'))
        third++;
    if (word_is(s->at, s->end, "<<") && word_is(third, s->end, "<") &&
        !(lex->count && lex->tokens[lex->count - 1].word == W_operator)) {
        *word = W_LAUNCH;
        return third + 1;
    }
    for (*word = W_LAUNCH + 1; *word < W_BEFORE_WORDS; ++*word)
        if (*s->at == *known[*word].spelling &&
            word_is(s->at, s->end, known[*word].spelling))
            return s->at + strlen(known[*word].spelling);
    *word = *s->at;
    return s->at + 1;
}

/* A token may hold newlines: raw strings do. */
static void add_token(struct scan *s, enum lex_kind kind, int word,
                      const char *past)
{
    struct lex *lex = s->lex;
    struct lex_token *token;

    if (lex->count + 1 >= lex->capacity) {
        lex->capacity = lex->capacity ? lex->capacity * 2 : 1024;
        lex->tokens = buf_resize(lex->tokens,
                                 (size_t)lex->capacity * sizeof *lex->tokens);
    }
    token = &lex->tokens[lex->count];
    token->text = s->at;
    token->length = (int)(past - s->at);
    token->word = word;
    token->line = s->line;
    token->file = s->file;
    token->match = -1;
    token->kind = (unsigned char)kind;
    token->glued = lex->count > 0 && token[-1].text + token[-1].length == s->at;
    token->parallel = s->parallel;
    token->openmp = s->openmp;
    token->collapse = s->collapse;
    s->parallel = s->openmp = false;
    s->collapse = 0;
    lex->count += kind != LEX_END;
    for (; s->at < past; s->at++)
        s->line += *s->at == '\n';
}

/* Kinds by the first character; a name may turn out to be a literal's
 * prefix. */
static void read_token(struct scan *s)
{
    const char *past = s->at;
    const char c = *s->at;
    int word = W_NONE;

    if (is_letter(c)) {
        while (past < s->end && is_word(*past))
            past++;
        if (past < s->end && (*past == '"' || *past == '\'') &&
            is_literal_prefix(s->at, (int)(past - s->at))) {
            int kind = *past == '"' ? LEX_STRING : LEX_CHAR;

            past = literal_end(s->at, (int)(past - s->at), s->end);
            add_token(s, kind, word, past);
        } else {
            word = find_name(s->lex, s->at, (int)(past - s->at));
            add_token(s, LEX_NAME, word, past);
        }
    } else if (is_digit(c) ||
               (c == '.' && s->end - s->at > 1 && is_digit(s->at[1]))) {
        add_token(s, LEX_NUMBER, word, number_end(s->at, s->end));
    } else if (c == '"' || c == '\'') {
        add_token(s, c == '"' ? LEX_STRING : LEX_CHAR, word,
                  literal_end(s->at, 0, s->end));
    } else {
        past = read_sign(s, &word);
        add_token(s, LEX_PUNCT, word, past);
    }
}

/* Comments are gone after -E, except with -C. Return: false if it is none. */
static bool skip_comment(struct scan *s)
{
    if (word_is(s->at, s->end, "//")) {
        s->at = line_end(s, s->at);
        return true;
    }
    if (!word_is(s->at, s->end, "/*"))
        return false;
    for (s->at += 2; s->at < s->end && !word_is(s->at, s->end, "*/"); s->at++)
        s->line += *s->at == '\n';
    s->at += s->at < s->end ? 2 : 0;
    return true;
}

/* A backslash that ends its line now that the comment behind it is gone: for
 * nvcc, which reads preprocessed text like any other, it joins two lines; for
 * g++ it is an error. Return: false if it is none. */
static bool skip_continuation(struct scan *s)
{
    const char *past = skip_spaces(s->at + 1, s->end);

    if (*s->at != '\\' || past == s->end || *past != '\n')
        return false;
    drop_text(s, s->at + 1);
    s->at++;
    return true;
}

/* Text before the first marker, as a test may give it, is the user's. */
static bool is_users(const struct scan *s)
{
    return s->file < 0 || s->lex->files[s->file].user;
}

/* A marker, a pragma, or tokens up to the end of the line. */
static void read_line(struct scan *s)
{
    s->at = skip_spaces(s->at, s->end);
    if (s->at < s->end && *s->at == '#') {
        if (!read_marker(s))
            read_directive(s);
    }
    if (!is_users(s))
        s->at = line_end(s, s->at);
    while (s->at < s->end && *s->at != '\n') {
        if (is_space(*s->at))
            s->at++;
        else if (!skip_comment(s) && !skip_continuation(s))
            read_token(s);
    }
    if (s->at < s->end) {
        s->at++;
        s->line++;
    }
}

/* The last token is an end without text: who looks one token ahead finds it,
 * and need not ask whether there is one. */
void lex_text(struct lex *lex, const char *text, size_t size,
              const char *own_dir)
{
    struct scan s = {.lex = lex, .start = text, .at = text};

    memset(lex, 0, sizeof *lex);
    s.end = text + size;
    s.own_dir = own_dir;
    s.line = 1;
    s.file = -1;
    add_known(lex);
    while (s.at < s.end)
        read_line(&s);
    add_token(&s, LEX_END, W_NONE, s.at);
}

void lex_free(struct lex *lex)
{
    free(lex->tokens);
    free(lex->files);
    free(lex->names);
    free(lex->slots);
    free(lex->dropped);
    memset(lex, 0, sizeof *lex);
}

/* ---- brackets ------------------------------------------------------------ */

static char partner(char opener)
{
    return opener == '(' ? ')' : opener == '[' ? ']' : '}';
}

/* Of a text whose brackets do not match, the one that shows it is told, and the
 * one that waited for a partner then. */
int lex_match_brackets(struct lex *lex, int *opener, int *closer)
{
    int *open = buf_alloc((size_t)(lex->count + 1) * sizeof *open);
    int depth = 0, i;

    for (i = 0; i < lex->count; i++) {
        struct lex_token *token = &lex->tokens[i];
        const int c = token->word;

        if (c == '(' || c == '[' || c == '{') {
            open[depth++] = i;
        } else if (c == ')' || c == ']' || c == '}') {
            if (!depth || partner(*lex->tokens[open[depth - 1]].text) != c)
                break;
            token->match = open[--depth];
            lex->tokens[token->match].match = i;
        }
    }
    *closer = i < lex->count ? i : -1;
    *opener = depth ? open[depth - 1] : -1;
    free(open);
    return *closer < 0 && *opener < 0 ? 0 : -1;
}
