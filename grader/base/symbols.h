/* symbols.h: which names an object file defines and needs */
#ifndef GRADER_SYMBOLS_H
#define GRADER_SYMBOLS_H

#include <stdbool.h>

/*
 * A name that binds two objects. With @replaced one that @object defines though
 * @other expects it from elsewhere: a student's own clock_gettime, say, that
 * the driver would then call. Without it a function or variable of @other that
 * @object uses.
 * @part  names that begin so, or have it in them; "" for all
 * Return: the first such name, to be freed; NULL for none, or where the files
 * are not objects of this machine's kind.
 */
char *symbols_find_bond(const char *object, const char *other, bool replaced,
                        const char *part);

/* Does nothing of @object run before main or after it: no constructor, no
 * variable whose first value is computed, no ifunc? Compilers put a few such
 * things into every file. Return: false, too, where @object cannot be read. */
bool symbols_stay_inside(const char *object);

#endif
