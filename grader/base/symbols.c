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
    struct out file;
    const Elf64_Shdr *sections;
    size_t num_sections;
    const char *section_names;
    size_t section_names_size;
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
static bool open_object(struct object *object, const char *path)
{
    const bool read = text_read_file(&object->file, path, LARGEST_OBJECT);
    const Elf64_Ehdr *header = (const void *)object->file.data;
    const Elf64_Shdr *sections;

    if (!read || object->file.length < sizeof *header ||
        memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_ident[EI_CLASS] != ELFCLASS64 ||
        header->e_shoff > object->file.length ||
        header->e_shnum * sizeof *sections >
            object->file.length - header->e_shoff ||
        header->e_shstrndx >= header->e_shnum)
        return false;
    object->sections = sections =
        (const void *)(object->file.data + header->e_shoff);
    object->num_sections = header->e_shnum;
    object->section_names = section_data(object, &sections[header->e_shstrndx]);
    object->section_names_size = sections[header->e_shstrndx].sh_size;
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
           object->names[object->names_size - 1] == '\0' &&
           object->section_names;
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

/* What every object may have a copy of (a template's instance) is weak, and no
 * use of another's. */
char *symbols_find_bond(const char *object_path, const char *other_path,
                        bool replaced, const char *part)
{
    struct object object = {0}, other = {0};
    char *found = NULL;
    bool read =
        open_object(&object, object_path) && open_object(&other, other_path);

    for (size_t i = 0; read && !found && i < other.num_symbols; i++) {
        const char *const name = name_of(&other, i), *at = strstr(name, part);
        const bool defined = other.symbols[i].st_shndx != SHN_UNDEF;
        const int bind = ELF64_ST_BIND(other.symbols[i].st_info);

        if (is_global(&other, i) && defined != replaced && at &&
            (replaced ? at == name : bind == STB_GLOBAL) &&
            has(&object, name, replaced))
            found = text_format("%s", name);
    }
    tl_out_free(&object.file);
    tl_out_free(&other.file);
    return found;
}

/* ---- what runs before main, and after it --------------------------------- */

/*
 * Functions that compilers and vgpucc have called before main: kernels are made
 * known, the checker begins, <iostream> has its streams (compile.c gives them
 * vgpucc's own priority). Of clang's there may be one that does nothing.
 */
static bool is_compilers(const struct object *object, size_t i)
{
    enum { DOES_NOTHING = 5 };
    const char *const name = name_of(object, i);

    if (ELF64_ST_TYPE(object->symbols[i].st_info) != STT_FUNC)
        return false;
    return strstr(name, "__sti____cudaRegisterAll") ||
           strcmp(name, "_sub_I_00099_0") == 0 ||
           strcmp(name, "tsan.module_ctor") == 0 ||
           strncmp(name, "_GLOBAL__sub_I.00200_", 21) == 0 ||
           strcmp(name, "_GLOBAL__I_000200") == 0 ||
           (strncmp(name, "_GLOBAL__sub_I_", 15) == 0 &&
            object->symbols[i].st_size <= DOES_NOTHING);
}

/* Pointers to functions that run before main; SIZE_MAX where there is one for
 * after it, or code of another kind. */
static size_t count_outside_main(const struct object *object)
{
    static const char *const others[] = {".init", ".fini", ".preinit", ".ctors",
                                         ".dtors"};
    size_t count = 0;

    for (size_t i = 0; i < object->num_sections; i++) {
        const Elf64_Shdr *const section = &object->sections[i];
        const char *const name = section->sh_name < object->section_names_size
                                     ? object->section_names + section->sh_name
                                     : "";

        if (strncmp(name, ".init_array", 11) == 0) {
            count += section->sh_size / sizeof(void *);
            continue;
        }
        for (size_t k = 0; k < sizeof others / sizeof *others; k++)
            if (section->sh_size > 0 &&
                strncmp(name, others[k], strlen(others[k])) == 0)
                return SIZE_MAX;
    }
    return count;
}

bool symbols_stay_inside(const char *path)
{
    struct object object = {0};
    size_t ours = 0;
    bool stay = open_object(&object, path);

    for (size_t i = 0; stay && i < object.num_symbols; i++) {
        ours += is_compilers(&object, i);
        stay = ELF64_ST_TYPE(object.symbols[i].st_info) != STT_GNU_IFUNC;
    }
    stay = stay && count_outside_main(&object) <= ours;
    tl_out_free(&object.file);
    return stay;
}
