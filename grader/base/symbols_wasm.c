/* symbols_wasm.c: symbols.c for object files of WebAssembly, whose section
 * "linking" has the names: the tool conventions' Linking.md describes it */
#include "base/symbols.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { LARGEST_OBJECT = 256 << 20, DOES_NOTHING = 2 };

enum { SECTION_CUSTOM = 0, SECTION_IMPORT = 2, SECTION_CODE = 10 };
enum { PART_INIT_FUNCS = 6, PART_SYMBOLS = 8 };
enum {
    KIND_FUNCTION,
    KIND_DATA,
    KIND_GLOBAL,
    KIND_SECTION,
    KIND_TAG,
    KIND_TABLE
};
enum { BIND_WEAK = 1, BIND_LOCAL = 2, UNDEFINED = 0x10, NAMED = 0x40 };

/* What is left to be read. Beyond its end there is nothing but zeros: the
 * object is a student's as far as we know. */
struct bytes {
    const unsigned char *at, *end;
    bool broken; /* there was a length that leads out of it */
};

struct symbol {
    const char *name; /* not ended by a zero byte */
    size_t length;
    uint32_t kind, flags, index;
};

/* Names of imports, of functions, globals, tags and tables each. */
struct imports {
    struct symbol *names;
    size_t count;
};

struct object {
    struct out file;
    struct symbol *symbols;
    size_t num_symbols;
    struct imports imports[KIND_TABLE + 1];
    struct bytes code, init_funcs; /* from their counts on */
};

/* ---- reading ------------------------------------------------------------- */

static uint32_t take_number(struct bytes *from)
{
    uint64_t value = 0;

    for (int shift = 0; shift < 35; shift += 7) {
        const unsigned char byte = from->at < from->end ? *from->at++ : 0;

        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return (uint32_t)value;
    }
    from->broken = true;
    return 0;
}

/* So many bytes of it, or nothing where it has less. */
static struct bytes take_bytes(struct bytes *from, size_t length)
{
    struct bytes part = {from->at, from->at, false};

    if (length > (size_t)(from->end - from->at)) {
        from->broken = true;
        from->at = from->end;
        return part;
    }
    part.end = from->at += length;
    return part;
}

static struct bytes take_sized(struct bytes *from)
{
    const uint32_t length = take_number(from);

    return take_bytes(from, length);
}

static void take_name(struct bytes *from, struct symbol *symbol)
{
    const struct bytes name = take_sized(from);

    symbol->name = (const char *)name.at;
    symbol->length = (size_t)(name.end - name.at);
}

/* Room for one more; a count in the file is not believed. Doubled at powers of
 * two. */
static struct symbol *grow(struct symbol *symbols, size_t count)
{
    if ((count & (count - 1)) == 0)
        symbols =
            realloc(symbols, (count > 0 ? 2 * count : 1) * sizeof *symbols);
    if (symbols == NULL)
        abort();
    memset(&symbols[count], 0, sizeof *symbols);
    return symbols;
}

static void skip_limits(struct bytes *from)
{
    const uint32_t flags = take_number(from);

    take_number(from);
    if (flags & 1)
        take_number(from);
}

/* An import's kind in the file: 0 function, 1 table, 2 memory, 3 global,
 * 4 tag; of each its type is passed over. */
static void read_imports(struct object *object, struct bytes from)
{
    static const int kinds[] = {KIND_FUNCTION, KIND_TABLE, -1, KIND_GLOBAL,
                                KIND_TAG};

    for (uint32_t count = take_number(&from); count > 0 && from.at < from.end;
         count--) {
        struct symbol name = {0}, module = {0};
        uint32_t kind;

        take_name(&from, &module);
        take_name(&from, &name);
        kind = take_number(&from);
        if (kind == 1 || kind == 3 || kind == 4)
            take_number(&from); /* what it holds */
        if (kind == 1 || kind == 2)
            skip_limits(&from);
        else if (kind != 4)
            take_number(&from); /* its type; may it change */
        else
            take_number(&from);
        if (kind < sizeof kinds / sizeof *kinds && kinds[kind] >= 0) {
            struct imports *const to = &object->imports[kinds[kind]];

            to->names = grow(to->names, to->count);
            to->names[to->count++] = name;
        }
    }
}

/* What is undefined has its import's name, unless it says its own. */
static void read_symbol(struct object *object, struct bytes *from)
{
    struct symbol symbol = {.kind = take_number(from),
                            .flags = take_number(from)};

    if (symbol.kind == KIND_DATA) {
        take_name(from, &symbol);
        if (!(symbol.flags & UNDEFINED))
            for (int i = 0; i < 3; i++) /* segment, offset, size */
                take_number(from);
    } else {
        symbol.index = take_number(from);
        if (symbol.kind > KIND_TABLE) {
            from->broken = true;
        } else if (symbol.kind != KIND_SECTION &&
                   (!(symbol.flags & UNDEFINED) || (symbol.flags & NAMED))) {
            take_name(from, &symbol);
        } else if (symbol.kind != KIND_SECTION) {
            const struct imports *const names = &object->imports[symbol.kind];

            if (symbol.index < names->count) {
                symbol.name = names->names[symbol.index].name;
                symbol.length = names->names[symbol.index].length;
            }
        }
    }
    object->symbols = grow(object->symbols, object->num_symbols);
    object->symbols[object->num_symbols++] = symbol;
}

static bool read_linking(struct object *object, struct bytes from)
{
    take_number(&from); /* its version */
    while (from.at < from.end && !from.broken) {
        const uint32_t sort = take_number(&from);
        struct bytes part = take_sized(&from);

        if (sort == PART_INIT_FUNCS)
            object->init_funcs = part;
        if (sort != PART_SYMBOLS)
            continue;
        for (uint32_t count = take_number(&part); count > 0; count--) {
            if (part.at == part.end || part.broken)
                return false;
            read_symbol(object, &part);
        }
    }
    return !from.broken;
}

static bool open_object(struct object *object, const char *path)
{
    static const char magic[] = "\0asm\1\0\0";
    bool linked = false;
    struct bytes from;

    if (!text_read_file(&object->file, path, LARGEST_OBJECT) ||
        object->file.length < sizeof magic ||
        memcmp(object->file.data, magic, sizeof magic) != 0)
        return false;
    from.at = (const unsigned char *)object->file.data + sizeof magic;
    from.end = (const unsigned char *)object->file.data + object->file.length;
    from.broken = false;
    while (from.at < from.end && !from.broken) {
        const uint32_t sort = take_number(&from);
        struct bytes section = take_sized(&from);
        struct symbol name = {0};

        if (sort == SECTION_CUSTOM)
            take_name(&section, &name);
        if (sort == SECTION_IMPORT)
            read_imports(object, section);
        else if (sort == SECTION_CODE)
            object->code = section;
        else if (name.length == 7 && memcmp(name.name, "linking", 7) == 0)
            linked = read_linking(object, section);
    }
    return linked && !from.broken;
}

static void close_object(struct object *object)
{
    for (int i = 0; i <= KIND_TABLE; i++)
        free(object->imports[i].names);
    free(object->symbols);
    tl_out_free(&object->file);
}

/* ---- names --------------------------------------------------------------- */

static bool is_global(const struct symbol *symbol)
{
    return !(symbol->flags & BIND_LOCAL) && symbol->length > 0;
}

static bool is_defined(const struct symbol *symbol)
{
    return !(symbol->flags & UNDEFINED);
}

/* Does it define @name, or expect it from elsewhere? */
static bool has(const struct object *object, const struct symbol *name,
                bool defined)
{
    for (size_t i = 0; i < object->num_symbols; i++) {
        const struct symbol *const symbol = &object->symbols[i];

        if (is_global(symbol) && is_defined(symbol) == defined &&
            symbol->length == name->length &&
            memcmp(symbol->name, name->name, name->length) == 0)
            return true;
    }
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
        const struct symbol *const symbol = &other.symbols[i];
        char *const name =
            text_format("%.*s", (int)symbol->length, symbol->name);
        const char *const at = strstr(name, part);

        if (is_global(symbol) && is_defined(symbol) != replaced && at &&
            (replaced ? at == name : !(symbol->flags & BIND_WEAK)) &&
            has(&object, symbol, replaced))
            found = name;
        else
            free(name);
    }
    close_object(&object);
    close_object(&other);
    return found;
}

/* ---- what runs before main, and after it --------------------------------- */

/* The function's code, whose bodies stand in the order of indices behind the
 * imported ones. */
static size_t body_size(const struct object *object, uint32_t index)
{
    struct bytes code = object->code, body = {0};
    const size_t imported = object->imports[KIND_FUNCTION].count;
    const uint32_t count = take_number(&code);

    if (index < imported || index - imported >= count)
        return SIZE_MAX;
    for (uint32_t i = 0; i <= index - imported; i++)
        body = take_sized(&code);
    return code.broken ? SIZE_MAX : (size_t)(body.end - body.at);
}

/*
 * Functions that compilers and vgpucc have called before main: symbols.c says
 * which. One of clang's that does nothing has no variables and an end.
 */
static bool is_compilers(const struct object *object,
                         const struct symbol *symbol)
{
    char *const name = text_format("%.*s", (int)symbol->length, symbol->name);
    const bool is = symbol->kind == KIND_FUNCTION && is_defined(symbol) &&
                    (strstr(name, "__sti____cudaRegisterAll") ||
                     strcmp(name, "tsan.module_ctor") == 0 ||
                     strcmp(name, "_GLOBAL__I_000200") == 0 ||
                     (strncmp(name, "_GLOBAL__sub_I_", 15) == 0 &&
                      body_size(object, symbol->index) <= DOES_NOTHING));

    free(name);
    return is;
}

/* What runs after main is one of these, too: it is put on exit's list. */
bool symbols_stay_inside(const char *path)
{
    struct object object = {0};
    bool stay = open_object(&object, path);
    struct bytes calls = object.init_funcs;

    for (uint32_t count = take_number(&calls); stay && count > 0; count--) {
        uint32_t symbol;

        take_number(&calls); /* when */
        symbol = take_number(&calls);
        stay = calls.at <= calls.end && !calls.broken &&
               symbol < object.num_symbols &&
               is_compilers(&object, &object.symbols[symbol]);
    }
    close_object(&object);
    return stay;
}
