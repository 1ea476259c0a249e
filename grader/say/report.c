/* report.c: a verdict for people */
#include "say/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
    WIDTH = 78,
    INDENT = 4,
    SEEN_INDENT = 8,
    SEEN_COLUMN = 53,
    REPEATED = 60
};

static const char *const GREEN = "\033[32m", *const RED = "\033[31m",
                         *const BOLD = "\033[1m", *const PLAIN = "\033[0m";

bool report_wants_colour(void)
{
    const char *const none = getenv("NO_COLOR");

    return isatty(STDOUT_FILENO) && !(none && *none);
}

/* Words in lines of at most WIDTH; a newline in the text stays one. */
static void print_wrapped(const char *text, int indent)
{
    int column = 0;

    while (*text) {
        const int length = (int)strcspn(text, " \n");

        if (column > 0 && column + 1 + length > WIDTH) {
            putchar('\n');
            column = 0;
        }
        if (column == 0 && length > 0)
            column = printf("%*s", indent, "");
        else if (length > 0)
            column += printf(" ");
        column += printf("%.*s", length, text);
        text += length;
        if (*text == '\n') {
            putchar('\n');
            column = 0;
        }
        text += *text != '\0';
    }
    if (column > 0)
        putchar('\n');
}

/* A terminal's lines; what is not one takes lines of any length. */
static bool fits(int column, const char *text)
{
    struct winsize size;

    return !isatty(STDOUT_FILENO) ||
           ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 ||
           column + (int)strlen(text) <= size.ws_col;
}

void report_print_seen(int column, const char *text)
{
    if (fits(column, text)) {
        printf("%s\n", text);
        return;
    }
    putchar('\n');
    print_wrapped(text, SEEN_INDENT);
}

/* One mistake is often seen by several checks: it is told once. */
static bool told_before(const struct verdict *verdict, int index)
{
    for (int i = 0; i < index; i++)
        if (strcmp(verdict->checks[i].mistake,
                   verdict->checks[index].mistake) == 0)
            return verdict->checks[index].mistake[0] != '\0';
    return false;
}

static void print_check(const struct verdict *verdict, int index, bool colour)
{
    const struct check *const check = &verdict->checks[index];
    const char *const seen = text_string(&check->seen);
    const char *const mark = check->passed ? "ok" : check->skipped ? "-" : "NO";
    const char *const paint = !colour || check->skipped ? ""
                              : check->passed           ? GREEN
                                                        : RED;

    printf("  %s%-2s%s  %-33s %4g / %-3d", paint, mark, *paint ? PLAIN : "",
           check->name, check->score, check->max_score);
    if (check->passed || check->skipped) {
        printf("  ");
        report_print_seen(SEEN_COLUMN, seen);
    } else if (told_before(verdict, index) && strlen(seen) > REPEATED) {
        printf("  the same mistake\n");
    } else {
        putchar('\n');
        print_wrapped(seen, SEEN_INDENT);
    }
}

/* Line by line, as they are. */
static void print_words(const char *words)
{
    while (*words) {
        const int length = (int)strcspn(words, "\n");

        printf("    %.*s\n", length, words);
        words += length;
        words += *words == '\n';
    }
}

static void print_findings(const struct verdict *verdict, bool colour)
{
    for (int i = 0; i < verdict->num_checks; i++) {
        const struct check *check = &verdict->checks[i];

        if (check->mistake[0] == '\0' || told_before(verdict, i))
            continue;
        printf("\n  %s%s%s\n", colour ? BOLD : "", check->name,
               colour ? PLAIN : "");
        print_wrapped(text_string(&check->sentence), INDENT);
        print_words(text_string(&check->words));
        if (check->read.length > 0)
            printf("    Read: labs/%s/README.md, \"%s\"\n", verdict->lab->name,
                   text_string(&check->read));
    }
}

void report_print_title(const struct verdict *verdict, bool colour)
{
    printf("%slab %s%s on %s%s%s\n  %s\n\n", colour ? BOLD : "",
           verdict->lab->name, colour ? PLAIN : "",
           verdict->backend == BACKEND_CUDA ? "the GPU" : "the virtual GPU",
           verdict->device[0] ? ", " : "", verdict->device, verdict->file);
}

void report_print(const struct verdict *verdict, bool colour)
{
    int failed = 0;

    report_print_title(verdict, colour);
    for (int i = 0; i < verdict->num_checks; i++) {
        print_check(verdict, i, colour);
        failed += !verdict->checks[i].passed;
    }
    print_findings(verdict, colour);
    printf("\n  %s%s%s: %g of %d points",
           !colour           ? ""
           : verdict->passed ? GREEN
                             : RED,
           verdict->passed ? "passed" : "not passed", colour ? PLAIN : "",
           verdict->score, verdict->max_score);
    /* So near, it is asked what for. */
    if (failed > 0 && verdict->score >= 0.8 * verdict->max_score)
        printf(" (every check must pass, %d did not)", failed);
    putchar('\n');
}
