/* class.h: the submissions of a class, for tools/grade-class
 *
 * OUT is the folder of all rounds. Of a student's work of lab NN it has
 * NN/KEY/lab.cu, a copy of what was handed in, NN/KEY.json, its grade, or
 * NN/KEY.txt, why there is none; KEY is the student's name in plain letters.
 * What of it is not of now, make finds out: NN/.tools is as old as what grades.
 * OUT/.round/ is the round that goes on.
 */
#ifndef RESULTS_CLASS_H
#define RESULTS_CLASS_H

#include <stddef.h>

/* Look through a folder: copies of what is new, .round/rows with a row for each
 * student and lab, .round/rules for make. Prints a row for what cannot be
 * graded.
 * @labs  the folders' names, NULL at the end
 * Return: 0, or 2, which was told of
 */
int class_plan(const char *out, const char *dir, char **labs);

/* All that follows names a row by where it begins in .round/rows, as the rules
 * say. Any process, also a student's program, can read the command lines of all
 * others: a student's name is on none of them. */

/* Print a row. */
int class_row(const char *out, size_t where);

/* Before a grading: copies what is graded to .round/WHERE/. */
int class_begin(const char *out, size_t where);

/* After it: .round/WHERE.json becomes the grade, if it is of use, else .txt
 * says why. Removes .round/WHERE/ and WHERE.log, and prints the row.
 * @trouble  why there is no grade, or ""
 * Return: of all three 0; 1 where stdout is closed; 2, which was told of */
int class_end(const char *out, size_t where, const char *trouble);

/* Write OUT/NN/grades.csv of each lab, and OUT/grades.csv of this round; print
 * what they add up to. */
int class_collect(const char *out);

#endif
