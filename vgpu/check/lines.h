/* lines.h: a table of source lines, and its reader. Private to vgpu/check. */
#ifndef VGPU_CHECK_LINES_H
#define VGPU_CHECK_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct line_row {
    uint64_t address;
    const char *file; /* NULL: nothing from here on */
    uint32_t line;
    uint32_t order;
};

struct line_table {
    struct line_row *rows;
    size_t count, room;
    struct line_path *paths; /* rows point to them: all are kept */
};

struct line_bytes {
    const uint8_t *at, *end; /* NULL, NULL where there are none */
};

struct line_sections {
    struct line_bytes line, line_str, str;
};

/* Read the ELF file @path. Return: 0, or -1 where it is none. */
int line_table_read(struct line_table *table, const char *path);
/* Add what .debug_line holds (lines_dwarf.c); stops at damage. */
void line_table_parse(struct line_table *table,
                      const struct line_sections *sections);
void line_table_add(struct line_table *table, uint64_t address, uint32_t line,
                    const char *file);
void line_table_sort(struct line_table *table);
/* Free what @table holds. */
void line_table_free(struct line_table *table);
/* The row that @address belongs to, or NULL. */
const struct line_row *line_table_find(const struct line_table *table,
                                       uint64_t address);

#endif
