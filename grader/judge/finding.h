/* finding.h: mistakes by their names; judge/words.h has the words for them */
#ifndef GRADER_FINDING_H
#define GRADER_FINDING_H

#include "base/lab.h"
#include "cage/child.h"

/* A mistake; with values for its words, each on a line of its own:
 * mistake_with("past-the-end", "at=%s\nleft=%u", at, left). */
struct finding mistake(const char *name);
struct finding mistake_with(const char *name, const char *values, ...)
    __attribute__((format(printf, 2, 3)));
/* With the place of a call or an operation for {at}. */
struct finding mistake_at(const char *name, const char *at);
/* What speaks for a mistake, and its name; NULL: for none that is known. The
 * place for {at} may be left out: then it is what the case knows. */
struct sign {
    bool seen;
    const char *mistake, *at;
};
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
/* The mistake of the first of these @count signs that is seen, if one is. */
struct finding mistake_among(const struct sign *signs, size_t count);
/* Of all signs of an array: mistake_first(signs), which may be a literal. */
#define mistake_first(...)                                                     \
    mistake_among(__VA_ARGS__, sizeof(__VA_ARGS__) / sizeof(struct sign))
/* A call or an operation that speaks for a mistake, if it is there. */
#define SIGN_AT(mistake, what)                                                 \
    {                                                                          \
        (what) != NULL, mistake, AT(what)                                      \
    }
/* The place of one that may not be there. */
#define AT(what) ((what) ? (what)->at : NULL)
struct finding finding_none(void);
/* Is it this mistake, in whatever words? */
bool finding_is(const struct finding *finding, const char *name);
/* What a lab's rules need not say: a program that left its place. */
struct finding finding_misbehaved(enum child_end end);

/* removed.c: the compiler missed a member that CUDA 13 removed; or no id. */
struct finding finding_removed_member(const char *messages);

#endif
