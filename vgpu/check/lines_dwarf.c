/*
 * lines_dwarf.c: reads .debug_line, DWARF versions 2 to 5
 *
 * A line table is stored as a program for a small machine that has an address,
 * a file and a line as registers and emits rows (DWARF 5, 6.2). Only these
 * three are followed. Instructions that are not known say how long they are and
 * are passed over; whatever does not add up ends its unit, for a report without
 * a line is better than none.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "grow.h"
#include "lines.h"

/*
 * A reader never leaves its bytes: beyond the end it yields zeros and is
 * marked bad, and the unit is given up.
 */
struct reader {
    const uint8_t *at, *end;
    bool bad;
    bool wide; /* 64-bit DWARF */
};

struct unit {
    struct line_table *table;
    unsigned version;
    unsigned min_length;
    int line_base;
    unsigned line_range;
    unsigned opcode_base;
    const uint8_t *opcode_lengths;
    const char **directories;
    size_t directories_count;
    const char **files;
    size_t files_count;
};

/* ---- bytes ------------------------------------------------------------- */

static uint64_t read_fixed(struct reader *reader, unsigned bytes)
{
    uint64_t value = 0;

    if ((size_t)(reader->end - reader->at) < bytes) {
        reader->bad = true;
        reader->at = reader->end;
        return 0;
    }
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)reader->at[i] << (8 * i);
    reader->at += bytes;
    return value;
}

/* LEB128: seven bits a byte, the lowest first; with a sign, the last one's
 * highest bit goes on for ever. */
static uint64_t read_leb(struct reader *reader, bool has_sign)
{
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte;

    do {
        byte = (uint8_t)read_fixed(reader, 1);
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7F) << shift;
        shift += 7;
    } while (byte & 0x80);
    if (has_sign && shift < 64 && (byte & 0x40))
        value |= ~0ULL << shift;
    return value;
}

static uint64_t read_unsigned(struct reader *reader)
{
    return read_leb(reader, false);
}

static void skip(struct reader *reader, uint64_t bytes)
{
    if ((uint64_t)(reader->end - reader->at) < bytes) {
        reader->bad = true;
        reader->at = reader->end;
    } else {
        reader->at += bytes;
    }
}

/* In place: the sections stay mapped as long as the table is used. */
static const char *read_string(struct reader *reader)
{
    const uint8_t *start = reader->at;
    const uint8_t *zero = memchr(start, 0, (size_t)(reader->end - start));

    if (!zero) {
        reader->bad = true;
        reader->at = reader->end;
        return "";
    }
    reader->at = zero + 1;
    return (const char *)start;
}

/* A string at @offset of another section. */
static const char *string_at(const struct line_bytes *bytes, uint64_t offset)
{
    struct reader reader = {bytes->at, bytes->end, false, false};

    if (!bytes->at)
        return "";
    skip(&reader, offset);
    return reader.bad ? "" : read_string(&reader);
}

/* ---- names ------------------------------------------------------------- */

struct line_path {
    struct line_path *next;
    char text[];
};

static const char *join_path(struct line_table *table, const char *directory,
                             const char *file)
{
    size_t size = strlen(directory) + strlen(file) + 2;
    struct line_path *path = malloc(sizeof *path + size);

    if (!path)
        return NULL;
    snprintf(path->text, size, "%s/%s", directory, file);
    path->next = table->paths;
    table->paths = path;
    return path->text;
}

void line_table_free(struct line_table *table)
{
    for (struct line_path *path = table->paths, *next; path; path = next) {
        next = path->next;
        free(path);
    }
    free(table->rows);
    *table = (struct line_table){0};
}

/*
 * The path as the compiler was given it. Directory 0 is where it ran;
 * absolute directories say nothing to a reader.
 */
static const char *name_path(const struct unit *unit, const char *file,
                             uint64_t directory)
{
    const char *slash = strrchr(file, '/');
    const char *where, *path;

    if (file[0] == '/')
        return slash + 1;
    if (!directory || directory >= unit->directories_count)
        return file;
    where = unit->directories[directory];
    if (!where[0] || where[0] == '/' || !strcmp(where, "."))
        return file;
    path = join_path(unit->table, where, file);
    return path ? path : file;
}

static int append(const char ***list, size_t *count, const char *text)
{
    if (!VGPU_GROW(*list, *count, NULL))
        return -1;
    (*list)[(*count)++] = text;
    return 0;
}

/* Versions 2 to 4: strings, both lists counted from 1. */
static void read_old_names(struct reader *reader, struct unit *unit)
{
    append(&unit->directories, &unit->directories_count, "");
    append(&unit->files, &unit->files_count, "");
    while (!reader->bad && reader->at < reader->end && *reader->at)
        if (append(&unit->directories, &unit->directories_count,
                   read_string(reader)))
            return;
    skip(reader, 1);
    while (!reader->bad && reader->at < reader->end && *reader->at) {
        const char *file = read_string(reader);
        uint64_t directory = read_unsigned(reader);

        read_unsigned(reader);
        read_unsigned(reader);
        if (append(&unit->files, &unit->files_count,
                   name_path(unit, file, directory)))
            return;
    }
    skip(reader, 1);
}

enum { CONTENT_PATH = 1, CONTENT_DIRECTORY = 2 };

enum form {
    FORM_BLOCK2 = 0x03,
    FORM_BLOCK4 = 0x04,
    FORM_DATA2 = 0x05,
    FORM_DATA4 = 0x06,
    FORM_DATA8 = 0x07,
    FORM_STRING = 0x08,
    FORM_BLOCK = 0x09,
    FORM_BLOCK1 = 0x0A,
    FORM_DATA1 = 0x0B,
    FORM_STRP = 0x0E,
    FORM_UDATA = 0x0F,
    FORM_DATA16 = 0x1E,
    FORM_LINE_STRP = 0x1F,
};

/* One value: a text or a number. Forms that compilers write into line tables;
 * any other and the rest of the list could not be found. */
static void read_form(struct reader *reader, uint64_t form,
                      const struct line_sections *sections, const char **text,
                      uint64_t *number)
{
    unsigned offset_bytes = reader->wide ? 8 : 4;

    switch (form) {
    case FORM_STRING:
        *text = read_string(reader);
        break;
    case FORM_LINE_STRP:
        *text =
            string_at(&sections->line_str, read_fixed(reader, offset_bytes));
        break;
    case FORM_STRP:
        *text = string_at(&sections->str, read_fixed(reader, offset_bytes));
        break;
    case FORM_DATA1:
        *number = read_fixed(reader, 1);
        break;
    case FORM_DATA2:
        *number = read_fixed(reader, 2);
        break;
    case FORM_DATA4:
        *number = read_fixed(reader, 4);
        break;
    case FORM_DATA8:
        *number = read_fixed(reader, 8);
        break;
    case FORM_UDATA:
        *number = read_unsigned(reader);
        break;
    case FORM_DATA16:
        skip(reader, 16);
        break;
    case FORM_BLOCK:
        skip(reader, read_unsigned(reader));
        break;
    case FORM_BLOCK1:
        skip(reader, read_fixed(reader, 1));
        break;
    case FORM_BLOCK2:
        skip(reader, read_fixed(reader, 2));
        break;
    case FORM_BLOCK4:
        skip(reader, read_fixed(reader, 4));
        break;
    default:
        reader->bad = true;
    }
}

/* Version 5: a list whose entries say what they hold. */
static void read_new_list(struct reader *reader, struct unit *unit,
                          const struct line_sections *sections, bool is_files)
{
    struct reader formats;
    unsigned formats_count = (unsigned)read_fixed(reader, 1);
    uint64_t count;

    formats = *reader;
    for (unsigned i = 0; i < 2 * formats_count; i++)
        read_unsigned(reader);
    count = read_unsigned(reader);
    for (uint64_t i = 0; i < count && !reader->bad && formats_count; i++) {
        struct reader format = formats;
        const char *path = "";
        uint64_t directory = 0;

        for (unsigned j = 0; j < formats_count; j++) {
            uint64_t content = read_unsigned(&format), number = 0;
            const char *text = "";

            read_form(reader, read_unsigned(&format), sections, &text, &number);
            if (content == CONTENT_PATH)
                path = text;
            else if (content == CONTENT_DIRECTORY)
                directory = number;
        }
        if (is_files
                ? append(&unit->files, &unit->files_count,
                         name_path(unit, path, directory))
                : append(&unit->directories, &unit->directories_count, path))
            return;
    }
}

/* ---- the line program -------------------------------------------------- */

struct machine {
    uint64_t address;
    uint64_t line;
    uint64_t file;
    bool dead; /* a discarded function */
};

/* A file that the header does not name: its row would be a line without a name.
 * */
static void emit(struct line_table *table, const struct unit *unit,
                 const struct machine *machine)
{
    if (machine->dead || machine->file >= unit->files_count)
        return;
    line_table_add(table, machine->address, (uint32_t)machine->line,
                   unit->files[machine->file]);
}

/* A linker that discards a function leaves its rows with address 0: they are
 * dead. */
static void run_extended(struct reader *reader, struct line_table *table,
                         struct unit *unit, struct machine *machine)
{
    uint64_t length = read_unsigned(reader);
    struct reader body = *reader;

    skip(reader, length);
    if (reader->bad || !length)
        return;
    body.end = reader->at;
    switch (read_fixed(&body, 1)) {
    case 1: /* end of sequence */
        if (!machine->dead)
            line_table_add(table, machine->address, 0, NULL);
        *machine = (struct machine){0, 1, 1, false};
        break;
    case 2: /* set address */
        machine->address =
            length <= 9 ? read_fixed(&body, (unsigned)length - 1) : 0;
        machine->dead = !machine->address;
        break;
    case 3: { /* define file */
        const char *file = read_string(&body);

        append(&unit->files, &unit->files_count,
               name_path(unit, file, read_unsigned(&body)));
        break;
    }
    }
}

/* The header says how many operands each of these has, so that those which
 * change nothing here, and those of later versions, are stepped over. */
static void run_standard(struct reader *reader, struct line_table *table,
                         struct unit *unit, struct machine *machine,
                         unsigned opcode)
{
    switch (opcode) {
    case 1: /* copy */
        emit(table, unit, machine);
        break;
    case 2: /* advance pc */
        machine->address += read_unsigned(reader) * unit->min_length;
        break;
    case 3: /* advance line */
        machine->line += read_leb(reader, true);
        break;
    case 4: /* set file */
        machine->file = read_unsigned(reader);
        break;
    case 8: /* constant add pc */
        machine->address +=
            (255 - unit->opcode_base) / unit->line_range * unit->min_length;
        break;
    case 9: /* fixed advance pc */
        machine->address += read_fixed(reader, 2);
        break;
    default:
        for (unsigned i = 0; i < unit->opcode_lengths[opcode - 1]; i++)
            read_unsigned(reader);
    }
}

/* Most bytes are special opcodes: one of them advances address and line
 * together and emits a row. */
static void run_program(struct reader *reader, struct line_table *table,
                        struct unit *unit)
{
    struct machine machine = {0, 1, 1, true};

    while (reader->at < reader->end && !reader->bad) {
        unsigned opcode = (unsigned)read_fixed(reader, 1);

        if (opcode >= unit->opcode_base) {
            unsigned step = opcode - unit->opcode_base;

            machine.address += step / unit->line_range * unit->min_length;
            machine.line += (uint64_t)(int64_t)(unit->line_base +
                                                (int)(step % unit->line_range));
            emit(table, unit, &machine);
        } else if (opcode) {
            run_standard(reader, table, unit, &machine, opcode);
        } else {
            run_extended(reader, table, unit, &machine);
        }
    }
}

/* ---- units ------------------------------------------------------------- */

/* The header says how long it is, so that newer fields behind the known ones
 * are skipped. */
static void read_unit(struct reader *reader, struct line_table *table,
                      const struct line_sections *sections)
{
    struct unit unit = {.table = table};
    struct reader header;
    uint64_t header_bytes;

    unit.version = (unsigned)read_fixed(reader, 2);
    if (unit.version < 2 || unit.version > 5)
        return;
    if (unit.version >= 5)
        skip(reader, 2); /* sizes of address and selector */
    header_bytes = read_fixed(reader, reader->wide ? 8 : 4);
    header = *reader;
    skip(reader, header_bytes);
    header.end = reader->at;
    unit.min_length = (unsigned)read_fixed(&header, 1);
    if (unit.version >= 4)
        skip(&header, 1); /* operations per instruction */
    skip(&header, 1);     /* default of is_stmt */
    unit.line_base = (int8_t)read_fixed(&header, 1);
    unit.line_range = (unsigned)read_fixed(&header, 1);
    unit.opcode_base = (unsigned)read_fixed(&header, 1);
    unit.opcode_lengths = header.at;
    if (!unit.opcode_base || !unit.line_range || reader->bad)
        return;
    skip(&header, unit.opcode_base - 1);
    if (unit.version >= 5) {
        read_new_list(&header, &unit, sections, false);
        read_new_list(&header, &unit, sections, true);
    } else {
        read_old_names(&header, &unit);
    }
    if (!header.bad)
        run_program(reader, table, &unit);
    free(unit.directories);
    free(unit.files);
}

/* Units follow each other, each with its length: one that cannot be read is
 * passed over and the next one is not. */
void line_table_parse(struct line_table *table,
                      const struct line_sections *sections)
{
    struct reader all = {sections->line.at, sections->line.end, false, false};

    while (all.at < all.end) {
        uint64_t length = read_fixed(&all, 4);
        struct reader unit;

        all.wide = length == 0xFFFFFFFF;
        if (all.wide)
            length = read_fixed(&all, 8);
        unit = all;
        skip(&all, length);
        if (all.bad)
            return;
        unit.end = all.at;
        read_unit(&unit, table, sections);
    }
}
