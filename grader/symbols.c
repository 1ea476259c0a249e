/* symbols.c: which names an object file defines and needs (ELF, 64 bit) */
#include "symbols.h"

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

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

static bool defines(const struct object *object, const char *name)
{
    for (size_t i = 0; i < object->num_symbols; i++)
        if (is_global(object, i) && object->symbols[i].st_shndx != SHN_UNDEF &&
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
            defines(object, name_of(other, i)))
            return text_format("%s", name_of(other, i));
    return NULL;
}

char *symbols_find_replaced(const char *object_path, const char *other_path,
                            const char *prefix)
{
    struct object object = {0}, other = {0};
    char *name = NULL;

    if (text_read_file(&object.file, object_path, LARGEST_OBJECT) &&
        text_read_file(&other.file, other_path, LARGEST_OBJECT) &&
        find_tables(&object) && find_tables(&other))
        name = find_replaced(&object, &other, prefix);
    text_free(&object.file);
    text_free(&other.file);
    return name;
}
