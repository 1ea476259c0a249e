/* files.h: folders made, removed and dated; files written in one step */
#ifndef GRADER_FILES_H
#define GRADER_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/*
 * The files of a folder whose names end with one of @endings, ".h .cuh"; or of
 * the folder that @file is in. To be read with files_next(), to be freed with
 * tl_out_free(). A folder that cannot be read has none.
 */
struct out files_list(const char *folder, const char *endings);
struct out files_beside(const char *file, const char *endings);
/* The path behind @after, NULL: the first; NULL behind the last. */
const char *files_next(const struct out *list, const char *after);

/* Time of the last change in ns, 0 where there is no such file. */
int64_t files_time(const char *path);
/* The same of the newest header or .cu file in a folder, itself included; a
 * student's lab.cu does not count. */
int64_t files_newest(const char *folder);

/* Make a folder and those above it. Return: false with errno. */
bool files_make_folders(const char *path);
/* Remove a folder with all that is in it. Follows no links. */
void files_remove_tree(const char *path);

/* Write a file beside its place and move it there: all or nothing. Return:
 * false with errno; what was there is then as it was. */
bool files_write_whole(const char *path, const char *data, size_t length);
/* Put a file back where there is none now. Return: true if that was needed. */
bool files_restore(const char *path, const char *data, size_t length);

#endif
