/*
 * words.h: what a student reads of a mistake that rules only name. The words
 * stand beside the labs, so that a teacher edits or translates them without C:
 * labs/NN_name/mistakes.md for one lab, labs/mistakes.md for all of them.
 *
 *     - {idea}: Copies in chunks
 *
 *     ## no-copy-in
 *
 *     The kernel decrypts memory that nothing was copied to, {left} entries.
 *
 *     Read: {idea}
 *
 * A section has a mistake's name for its title. Its lines become one sentence
 * after the other; the last may say what to read, a heading of the lab's
 * README, "What to do" where it does not. A word in braces is filled in with
 * what the finding says of it; else from the case: {at}, {call} and {error} of
 * the CUDA call that ended it, {code} of its exit, {todo} for the first open
 * TODO, {no_hazard} for the words ", no hazard" where the checker was looking,
 * a parameter, a fact of the round that is judged; else from the list before
 * the first section. What stands nowhere stays as it is. {ns:ms} shows a number
 * of ns as ms with three digits, {ns:ms4} with four, {chunk:u} a number of 64
 * bits without a sign, "{rows} row{rows:s}" is one row or many rows, and
 * "{gpus: each}" stands behind what many have. A time that is no number is said
 * to be none. The lab's own section goes before the common one of the same
 * name. "leak/last" is the mistake "leak" in other words. Lines that begin with
 * "<!--" are for those who write.
 */
#ifndef GRADER_WORDS_H
#define GRADER_WORDS_H

#include <stdbool.h>

#include "base/lab.h"
#include "base/text.h"

struct case_run;

struct words {
    struct out own, common; /* the two files; empty where there is none */
};

/* @root  the repository; @lab  its name: "08_uneven_chunks" */
void words_read(struct words *words, const char *root, const char *lab);
void words_free(struct words *words);

/*
 * The words for a finding.
 * @run       the case that it is of, or NULL
 * @sentence  gets what is shown; the bare name where nobody wrote any words
 * @read      gets the heading, nothing where there is none
 * Return: was there a section?
 */
bool words_find(const struct words *words, const struct finding *finding,
                const struct case_run *run, struct out *sentence,
                struct out *read);

/* Add @line to @text with the words in braces filled in from @values, "at=...",
 * or NULL, and from the case. */
void words_fill(struct out *text, const char *line, const char *values,
                const struct case_run *run);

#endif
