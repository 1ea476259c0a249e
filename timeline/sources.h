/* sources.h: the text of the source files that a trace names */
#ifndef TIMELINE_SOURCES_H
#define TIMELINE_SOURCES_H

#include "out.h"
#include "view.h"

#define SOURCES_MAX_FILES 64
#define SOURCES_MAX_BYTES (256 * 1024) /* of one file */

/* Write a JSON object: from each file that operations or calls of the views
 * name to its lines. A trace is not trusted: only names that stay inside the
 * folder count, and files that cannot be read or are too large are left out.
 * @folder  where the files are; NULL: the object is empty
 */
void tl_sources_put(const struct view *views, size_t num, const char *folder,
                    struct out *o);

/* Write the source line of "file.cu:31" as HTML: a <pre> with the number, and
 * with the lines after it until its statement ends, at most 4.
 * Return: false, with nothing written, where the file is not known.
 */
bool tl_sources_quote(const char *at, const char *folder, struct out *o);

#endif
