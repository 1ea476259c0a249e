/* symbols.c: which names an object file defines and needs (ELF, 64 bit) */
#include "base/symbols.h"

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { LARGEST_OBJECT = 256 << 20 };

struct object {
    struct text file;
    const Elf64_Sym *symbols;
    size_t num_symbols;
    const char *names;
    size_t names_size;
};

/* Return: the section's bytes if they lie in the file. */
static const void *section_data(const struct object *object,
                                const Elf64_Shdr *section)
{
    if (section->sh_offset > object->file.length ||
        section->sh_size > object->file.length - section->sh_offset)
        return NULL;
    return object->file.data + section->sh_offset;
}

/*
 * The table of symbols and the names that it points into. The object is a
 * student's as far as we know: every offset in it is held against the file's
 * length before it is followed, and the names must end with a zero byte, so
 * that a name without one does not run on.
 */
static bool find_tables(struct object *object)
{
    const Elf64_Ehdr *header = (const void *)object->file.data;
    const Elf64_Shdr *sections;

    if (object->file.length < sizeof *header ||
        memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_ident[EI_CLASS] != ELFCLASS64 ||
        header->e_shoff > object->file.length ||
        header->e_shnum * sizeof *sections >
            object->file.length - header->e_shoff)
        return false;
    sections = (const void *)(object->file.data + header->e_shoff);
    for (size_t i = 0; i < header->e_shnum; i++) {
        const Elf64_Shdr *table = &sections[i];

        if (table->sh_type != SHT_SYMTAB || table->sh_link >= header->e_shnum)
            continue;
        object->symbols = section_data(object, table);
        object->num_symbols = table->sh_size / sizeof *object->symbols;
        object->names = section_data(object, &sections[table->sh_link]);
        object->names_size = sections[table->sh_link].sh_size;
    }
    return object->symbols && object->names && object->names_size > 0 &&
           object->names[object->names_size - 1] == '\0';
}

static const char *name_of(const struct object *object, size_t i)
{
    const size_t at = object->symbols[i].st_name;

    return at < object->names_size ? object->names + at : "";
}

static bool is_global(const struct object *object, size_t i)
{
    return ELF64_ST_BIND(object->symbols[i].st_info) != STB_LOCAL &&
           name_of(object, i)[0] != '\0';
}

/* Does it define @name, or expect it from elsewhere? */
static bool has(const struct object *object, const char *name, bool defined)
{
    for (size_t i = 0; i < object->num_symbols; i++)
        if (is_global(object, i) &&
            (object->symbols[i].st_shndx != SHN_UNDEF) == defined &&
            strcmp(name_of(object, i), name) == 0)
            return true;
    return false;
}

static char *find_replaced(const struct object *object,
                           const struct object *other, const char *prefix)
{
    for (size_t i = 0; i < other->num_symbols; i++)
        if (is_global(other, i) && other->symbols[i].st_shndx == SHN_UNDEF &&
            strncmp(name_of(other, i), prefix, strlen(prefix)) == 0 &&
            has(object, name_of(other, i), true))
            return text_format("%s", name_of(other, i));
    return NULL;
}

typedef char *find_fn(const struct object *object, const struct object *other,
                      const char *name);

static char *find_in_files(const char *object_path, const char *other_path,
                           find_fn *find, const char *words)
{
    struct object object = {0}, other = {0};
    char *name = NULL;

    if (text_read_file(&object.file, object_path, LARGEST_OBJECT) &&
        text_read_file(&other.file, other_path, LARGEST_OBJECT) &&
        find_tables(&object) && find_tables(&other))
        name = find(&object, &other, words);
    text_free(&object.file);
    text_free(&other.file);
    return name;
}

char *symbols_find_replaced(const char *object, const char *other,
                            const char *prefix)
{
    return find_in_files(object, other, find_replaced, prefix);
}

/* What every object may have a copy of (a template's instance) is weak. */
static bool is_strong(const struct object *object, size_t i)
{
    return ELF64_ST_BIND(object->symbols[i].st_info) == STB_GLOBAL &&
           object->symbols[i].st_shndx != SHN_UNDEF;
}

static char *find_used(const struct object *object, const struct object *other,
                       const char *part)
{
    for (size_t i = 0; i < other->num_symbols; i++)
        if (is_strong(other, i) && strstr(name_of(other, i), part) &&
            has(object, name_of(other, i), false))
            return text_format("%s", name_of(other, i));
    return NULL;
}

char *symbols_find_used(const char *object, const char *other, const char *part)
{
    return find_in_files(object, other, find_used, part);
}

/* ---- what an archive has ------------------------------------------------- */

/* An archive begins with the list of all names that its members define: a
 * count and as many offsets, four bytes each, then the names. */
static const char *archive_names(const struct text *archive, const char **end)
{
    enum { MAGIC = 8, HEADER = 60, SIZE_AT = 48 };
    const unsigned char *count;
    size_t size, skipped;

    if (archive->length < MAGIC + HEADER + 4 ||
        memcmp(archive->data, "!<arch>\n/ ", MAGIC + 2) != 0)
        return NULL;
    count = (const unsigned char *)archive->data + MAGIC + HEADER;
    size = strtoul(archive->data + MAGIC + SIZE_AT, NULL, 10);
    skipped = 4 + 4 * ((size_t)count[0] << 24 | (size_t)count[1] << 16 |
                       (size_t)count[2] << 8 | count[3]);
    if (skipped >= size || size > archive->length - MAGIC - HEADER)
        return NULL;
    *end = (const char *)count + size;
    return (const char *)count + skipped;
}

static bool archive_has(const struct text *archive, const char *name)
{
    const char *end = NULL, *at = archive_names(archive, &end);

    for (; at && at < end && *at; at += strlen(at) + 1)
        if (strcmp(at, name) == 0)
            return true;
    return false;
}

char *symbols_find_missing(const char *object_path, const char *archive_path,
                           const char *prefix)
{
    struct object object = {0};
    struct text archive = {0};
    char *found = NULL;

    if (text_read_file(&object.file, object_path, LARGEST_OBJECT) &&
        text_read_file(&archive, archive_path, LARGEST_OBJECT) &&
        find_tables(&object))
        for (size_t i = 0; i < object.num_symbols && !found; i++)
            if (is_global(&object, i) &&
                object.symbols[i].st_shndx == SHN_UNDEF &&
                strncmp(name_of(&object, i), prefix, strlen(prefix)) == 0 &&
                !archive_has(&archive, name_of(&object, i)))
                found = text_format("%s", name_of(&object, i));
    text_free(&object.file);
    text_free(&archive);
    return found;
}
