/*
 * lines.c: program counters to source lines, from this program's DWARF
 *
 * Every report, and every line of a trace, names a place in the student's text.
 * The compiler has noted it in .debug_line (vgpucc asks for line tables
 * always); it is read at the first question, from the program's own file, once.
 * Programs that report nothing never pay for it.
 */
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "checker.h"
#include "grow.h"
#include "own_locks.h"

/* ---- the table --------------------------------------------------------- */

/* Without memory the table lacks rows, and reports lack lines. */
void line_table_add(struct line_table *table, uint64_t address, uint32_t line,
                    const char *file)
{
    if (!VGPU_GROW(table->rows, table->count, &table->room))
        return;
    table->rows[table->count] =
        (struct line_row){address, file, line, (uint32_t)table->count};
    table->count++;
}

/* By address; ends of sequences first, then in the order of the table. */
static int compare_rows(const void *a, const void *b)
{
    const struct line_row *x = a, *y = b;

    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    if (!x->file != !y->file)
        return x->file ? 1 : -1;
    return x->order < y->order ? -1 : x->order > y->order;
}

void line_table_sort(struct line_table *table)
{
    if (table->count)
        qsort(table->rows, table->count, sizeof *table->rows, compare_rows);
}

/* The last row at or before the address; an end of a sequence there means that
 * no line has it. */
const struct line_row *line_table_find(const struct line_table *table,
                                       uint64_t address)
{
    size_t lo = 0, hi = table->count;

    while (lo < hi) {
        size_t middle = (lo + hi) / 2;

        if (table->rows[middle].address <= address)
            lo = middle + 1;
        else
            hi = middle;
    }
    if (!lo || !table->rows[lo - 1].file)
        return NULL;
    return &table->rows[lo - 1];
}

/* ---- this program's ELF file ------------------------------------------- */

/* The first that is listed is the program itself. */
static int first_module(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    *(uintptr_t *)data = info->dlpi_addr;
    return 1;
}

/* Every offset is held against the file's size: a report about a student's
 * mistake must not end in a crash of its own, whatever a linker or strip left.
 * Compressed sections are left alone: that costs the lines, and no library. */
static struct line_bytes section_named(const uint8_t *file, size_t size,
                                       const char *wanted)
{
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)file;
    const Elf64_Shdr *section = (const Elf64_Shdr *)(file + header->e_shoff);
    const Elf64_Shdr *names;
    struct line_bytes none = {NULL, NULL};

    if (header->e_shstrndx >= header->e_shnum)
        return none;
    names = &section[header->e_shstrndx];
    if (names->sh_offset > size || names->sh_size > size - names->sh_offset)
        return none;
    for (int i = 0; i < header->e_shnum; i++) {
        const Elf64_Shdr *at = &section[i];
        size_t room = names->sh_size - at->sh_name;
        const char *name = (const char *)file + names->sh_offset + at->sh_name;

        if (at->sh_name >= names->sh_size || strnlen(name, room) == room ||
            strcmp(name, wanted))
            continue;
        if (at->sh_type == SHT_NOBITS || (at->sh_flags & SHF_COMPRESSED) ||
            at->sh_offset > size || at->sh_size > size - at->sh_offset)
            return none;
        return (struct line_bytes){file + at->sh_offset,
                                   file + at->sh_offset + at->sh_size};
    }
    return none;
}

static bool is_elf(const uint8_t *file, size_t size)
{
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)file;

    return size >= sizeof *header && !memcmp(file, ELFMAG, SELFMAG) &&
           header->e_ident[EI_CLASS] == ELFCLASS64 &&
           header->e_shentsize == sizeof(Elf64_Shdr) &&
           header->e_shoff % 8 == 0 && header->e_shoff <= size &&
           (size - header->e_shoff) / sizeof(Elf64_Shdr) >= header->e_shnum;
}

int line_table_read(struct line_table *table, const char *path)
{
    struct line_sections sections;
    struct stat status;
    uint8_t *file;
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return -1;
    if (fstat(fd, &status) || status.st_size <= 0) {
        close(fd);
        return -1;
    }
    /* Kept for good: names of files point into it. */
    file = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (file == MAP_FAILED)
        return -1;
    if (!is_elf(file, (size_t)status.st_size)) {
        munmap(file, (size_t)status.st_size);
        return -1;
    }
    sections.line = section_named(file, (size_t)status.st_size, ".debug_line");
    sections.line_str =
        section_named(file, (size_t)status.st_size, ".debug_line_str");
    sections.str = section_named(file, (size_t)status.st_size, ".debug_str");
    line_table_parse(table, &sections);
    line_table_sort(table);
    return 0;
}

static void load(void)
{
    dl_iterate_phdr(first_module, &checker.lines.load_offset);
    line_table_read(&checker.lines.table, "/proc/self/exe");
}

/* ---- what others use --------------------------------------------------- */

/* Program counters are return addresses: one byte before lies the call itself,
 * which may belong to another line. */
int vgpu_line_find(uint64_t pc, const char **file)
{
    const struct line_row *row;

    vgpu_once(&checker.lines.once, load);
    row = pc > checker.lines.load_offset
              ? line_table_find(&checker.lines.table,
                                pc - 1 - checker.lines.load_offset)
              : NULL;
    if (file)
        *file = row ? row->file : NULL;
    return row ? (int)row->line : 0;
}
