/* words.h: texts of a lab's folder: its title, hints, quiz */
#ifndef REPORT_WORDS_H
#define REPORT_WORDS_H

#include "out.h"

/* Read a text file of at most 1 MiB. Return: to be freed, or NULL. */
char *words_read_file(const char *path);

/* The title of labs/LAB/README.md, "Lab 08: uneven chunks"; else the lab. */
void words_title(const char *lab, char *title, size_t size);

/* Number of the first TODO left in labs/LAB/lab.cu, 0 where none is. */
unsigned words_first_todo(const char *lab);

/* Write the hints for a TODO as HTML: those that `make hint` has shown, and
 * at least the first. Nothing where there are none.
 */
void words_put_hints(const char *lab, unsigned todo, struct out *o);

/* The score of the quiz, where one is kept: build/state/quiz/NN holds
 * "RIGHT QUESTIONS". Return: false where nothing is known.
 */
bool words_quiz(const char *lab, unsigned *right, unsigned *questions);

#endif
