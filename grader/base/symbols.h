/* symbols.h: which names an object file defines and needs (ELF, 64 bit) */
#ifndef GRADER_SYMBOLS_H
#define GRADER_SYMBOLS_H

/*
 * A name that @object defines although @other expects it from elsewhere: a
 * student's own clock_gettime, say, that the driver would then call.
 * @prefix  only names that begin so; "" for all
 * Return: the first such name, to be freed; NULL for none, or where the files
 * are not ELF objects of 64 bits.
 */
char *symbols_find_replaced(const char *object, const char *other,
                            const char *prefix);

/* A function or variable of @other that @object uses, with @part in its name,
 * "" for all. Return: as above. */
char *symbols_find_used(const char *object, const char *other,
                        const char *part);

/* A name beginning with @prefix that @object needs and no member of @archive
 * defines. Return: as above. */
char *symbols_find_missing(const char *object, const char *archive,
                           const char *prefix);

#endif
