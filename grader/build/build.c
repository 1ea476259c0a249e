/* build.c: make a lab program from a student's file */
#include "build/build.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cage/child.h"
#include "build/compile.h"
#include "base/files.h"
#include "build/source.h"
#include "base/symbols.h"

enum { MESSAGE_LINES = 12 };

/* ---- parts that stay the same ------------------------------------------- */

/* So that another compiler or other flags give another object. */
static uint32_t hash_args(const struct maker *maker)
{
    uint32_t hash = 2166136261u;

    for (int i = 0; i < maker->num_args; i++)
        for (const char *at = maker->argv[i]; *at; at++)
            hash = (hash ^ (unsigned char)*at) * 16777619u;
    return hash;
}

/* Newest of all that a part may include, and of the compiler. */
static int64_t newest_input(const struct maker *maker)
{
    static const char *const folders[] = {"common", "grader/drivers",
                                          "vgpu/include", "vgpu/include/vgpu"};
    int64_t newest = files_time(maker->argv[0]), time;

    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char *path = text_format("%s/%s", maker->tools->root, folders[i]);

        time = files_newest(path);
        newest = time > newest ? time : newest;
        free(path);
    }
    time = files_newest(maker->labs);
    return time > newest ? time : newest;
}

/* Make one part if it is out of date. Return: its object, or NULL. */
static char *make_part(struct maker *maker, const char *source,
                       struct text *messages)
{
    char *object, *fresh, *stem = strdup(source);

    for (char *at = stem; *at; at++)
        if (*at == '/' || *at == '.')
            *at = '_';
    compile_start(maker);
    object = text_format("%s/build/obj/%s/grade/%s-%08x.o", maker->tools->root,
                         backend_word(maker->backend), stem, hash_args(maker));
    free(stem);
    if (files_time(object) > newest_input(maker))
        return object;
    fresh = text_format("%s.%d.o", object, (int)getpid());
    compile_add_output(maker, source, fresh);
    if (compile_run(maker, NULL, messages) != CHILD_EXITED ||
        rename(fresh, object) != 0) {
        unlink(fresh);
        free(object);
        object = NULL;
    }
    free(fresh);
    return object;
}

static int compare_names(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

/* The driver's files, and every .cu in common/. */
static size_t list_parts(const struct maker *maker, char **parts, size_t room)
{
    DIR *dir = opendir(maker->common);
    struct dirent *entry;
    size_t count = 0;

    parts[count++] = strdup("grader/drivers/driver.cu");
    parts[count++] = strdup("grader/drivers/driver_cases.cu");
    parts[count++] = text_format("grader/drivers/%s.cu", maker->lab);
    while (dir && (entry = readdir(dir)) != NULL && count < room) {
        const char *dot = strrchr(entry->d_name, '.');

        if (dot && strcmp(dot, ".cu") == 0 && entry->d_name[0] != '.')
            parts[count++] = text_format("common/%s", entry->d_name);
    }
    if (dir)
        closedir(dir);
    qsort(parts, count, sizeof *parts, compare_names);
    return count;
}

/* ---- the whole program -------------------------------------------------- */

static void maker_init(struct maker *maker, const struct tools *tools,
                       enum backend backend, const struct lab_rules *rules,
                       const char *folder)
{
    char *objects = text_format("%s/build/obj/%s/grade", tools->root,
                                backend_word(backend));

    memset(maker, 0, sizeof *maker);
    maker->tools = tools;
    maker->backend = backend;
    maker->rules = rules;
    maker->lab = rules->name;
    maker->folder = strdup(folder);
    maker->labs = text_format("%s/labs/%s", tools->root, rules->name);
    maker->common = text_format("%s/common", tools->root);
    files_make_folders(objects);
    free(objects);
}

static void maker_free(struct maker *maker)
{
    compile_clear(maker);
    free(maker->labs);
    free(maker->folder);
    free(maker->common);
    flags_free(&maker->flags);
}

/* Does the compiler take a file that nothing is wrong with? If not, the
 * student's is not at fault either, and its words replace @messages. */
static bool compiler_works(struct maker *maker, struct text *messages)
{
    char *file = text_format("%s/probe.cu", maker->folder);
    char *object = text_format("%s/probe.o", maker->folder);
    struct text words = {0};
    bool works = true;

    if (files_write_whole(file, "#include \"lab.h\"\n", 17)) {
        compile_start(maker);
        compile_add_output(maker, file, object);
        works = compile_run(maker, file, &words) == CHILD_EXITED;
    }
    if (!works) {
        text_clear(messages);
        text_printf(messages, "%s", text_string(&words));
    }
    unlink(file);
    unlink(object);
    text_free(&words);
    free(file);
    free(object);
    return works;
}

/* Do the grader's own parts link without the student's file? driver.cu calls
 * the lab's functions only where they are there. */
static bool parts_link(struct maker *maker, char **objects, char **parts,
                       size_t count, const char *program, struct text *messages)
{
    struct text words = {0};
    bool works;

    compile_start_command(maker);
    for (size_t i = 0; i < count; i++)
        if (strcmp(parts[i], "grader/drivers/driver.cu") == 0 ||
            strncmp(parts[i], "common/", 7) == 0)
            compile_add(maker, strdup(objects[i]));
    compile_add(maker, strdup("-o"));
    compile_add(maker, strdup(program));
    works = compile_run(maker, NULL, &words) == CHILD_EXITED;
    if (!works) {
        text_clear(messages);
        text_printf(messages, "%s", text_string(&words));
    }
    text_free(&words);
    return works;
}

static enum build_result compile_student(struct maker *maker, const char *file,
                                         const char *object,
                                         struct text *messages)
{
    enum child_end end;

    compile_start(maker);
    for (int i = 0; i < maker->flags.count; i++)
        compile_add(maker, strdup(maker->flags.words[i]));
    compile_add_output(maker, file, object);
    end = compile_run(maker, file, messages);
    if (end == CHILD_TIMEOUT)
        text_printf(messages, "the compiler did not finish within %d s\n",
                    COMPILE_SECONDS);
    if (end == CHILD_MEMORY)
        text_printf(messages, "the compiler took too much memory\n");
    if (end == CHILD_INTERRUPTED)
        return BUILD_STOPPED;
    if (end == CHILD_EXITED)
        return BUILD_OK;
    return compiler_works(maker, messages) ? BUILD_STUDENT : BUILD_OWN;
}

static enum build_result link_program(struct maker *maker, char **objects,
                                      size_t count, const char *object,
                                      const char *program,
                                      struct text *messages)
{
    enum child_end end;

    compile_start_command(maker);
    compile_add(maker, strdup(object));
    for (size_t i = 0; i < count; i++)
        compile_add(maker, strdup(objects[i]));
    compile_add(maker, strdup("-o"));
    compile_add(maker, strdup(program));
    if (maker->backend == BACKEND_CUDA)
        compile_add(maker, strdup("-lpthread"));
    end = compile_run(maker, NULL, messages);
    if (end == CHILD_INTERRUPTED)
        return BUILD_STOPPED;
    return end == CHILD_EXITED ? BUILD_OK : BUILD_STUDENT;
}

/* The driver must get the functions that it calls from where they are, not
 * from the student's file; the lab's own driver may, that is what it is for,
 * but CUDA's not there either. */
static enum build_result check_names(struct maker *maker, const char *object,
                                     const char *part, const char *source,
                                     struct text *messages)
{
    const bool own = strstr(source, maker->lab) != NULL;
    char *name = symbols_find_replaced(object, part, own ? "cuda" : "");
    if (name == NULL)
        return BUILD_OK;
    text_printf(messages,
                "%s is defined here, but it belongs to the system "
                "or to CUDA: choose another name\n",
                name);
    free(name);
    return BUILD_STUDENT;
}

/* The grader's and the virtual GPU's own functions would let a student stop
 * the clock; common/ and what lab.h names of the lab's own part are there to be
 * called. */
static enum build_result check_calls(const char *object, const char *part,
                                     const char *source, struct text *messages)
{
    char *name = NULL;

    if (strncmp(source, "grader/drivers/driver", 21) == 0)
        name = symbols_find_used(object, part, "");
    else if (strncmp(source, "grader/drivers/", 15) == 0)
        name = symbols_find_used(object, part, "lab_run_");
    if (name == NULL)
        return BUILD_OK;
    text_printf(messages, "%s is the grader's: it is not there to be called\n",
                name);
    free(name);
    return BUILD_STUDENT;
}

/* The library keeps its inner names to itself, so that such a program would
 * not link; say why in our own words, not in the linker's. */
static enum build_result check_library(struct maker *maker, const char *object,
                                       struct text *messages)
{
    char *library = text_format("%s/build/lib/libvgpu.a", maker->tools->root);
    char *name = NULL;

    if (maker->backend == BACKEND_VGPU)
        name = symbols_find_missing(object, library, "vgpu_");
    free(library);
    if (name == NULL)
        return BUILD_OK;
    text_printf(messages,
                "%s is inside of the virtual GPU: it is not there to be "
                "called\n",
                name);
    free(name);
    return BUILD_STUDENT;
}

/* The first lines of the compiler's words, without the way to the folder. */
static void shorten(struct text *messages, const struct maker *maker)
{
    const size_t root = strlen(maker->tools->root);
    struct text kept = {0};
    char *line, *state = NULL;
    int lines = 0;

    if (messages->data == NULL)
        return;
    /* A file may hold anything, and compilers quote it. */
    for (char *at = messages->data; *at; at++)
        if (((unsigned char)*at < 0x20 && *at != '\n') || *at == 0x7f)
            *at = ' ';
    for (line = strtok_r(messages->data, "\n", &state); line;
         line = strtok_r(NULL, "\n", &state)) {
        if (strncmp(line, maker->tools->root, root) == 0 && line[root] == '/')
            line += root + 1;
        if (lines++ < MESSAGE_LINES)
            text_printf(&kept, "%s\n", line);
    }
    if (lines > MESSAGE_LINES)
        text_printf(&kept, "(%d more lines)\n", lines - MESSAGE_LINES);
    text_free(messages);
    *messages = kept;
}

static enum build_result make_all(struct maker *maker, struct build *build,
                                  const char *file)
{
    char *parts[32], *objects[32] = {0};
    char *object = text_format("%s/lab.o", maker->folder);
    char *program = text_format("%s/lab", maker->folder);
    const size_t count = list_parts(maker, parts, 32);
    enum build_result result = BUILD_OK;
    bool link_tried;

    if (source_is_refused(file, &build->messages) ||
        !flags_read(&maker->flags, file, maker->rules->flags, &build->messages))
        result = BUILD_STUDENT;
    for (size_t i = 0; i < count && result == BUILD_OK; i++) {
        objects[i] = make_part(maker, parts[i], &build->messages);
        if (objects[i] == NULL)
            result = child_interrupted() ? BUILD_STOPPED : BUILD_OWN;
    }
    if (result == BUILD_OK) {
        text_clear(&build->messages);
        result = compile_student(maker, file, object, &build->messages);
    }
    for (size_t i = 0; i < count && result == BUILD_OK; i++)
        result =
            check_names(maker, object, objects[i], parts[i], &build->messages);
    for (size_t i = 0; i < count && result == BUILD_OK; i++)
        result = check_calls(object, objects[i], parts[i], &build->messages);
    if (result == BUILD_OK)
        result = check_library(maker, object, &build->messages);
    link_tried = result == BUILD_OK;
    if (result == BUILD_OK)
        result = link_program(maker, objects, count, object, program,
                              &build->messages);
    if (result == BUILD_STUDENT && link_tried &&
        !parts_link(maker, objects, parts, count, program, &build->messages))
        result = BUILD_OWN;
    if (result == BUILD_OK) {
        build->program_fd = open(program, O_RDONLY | O_CLOEXEC);
        result = build->program_fd < 0 ? BUILD_OWN : BUILD_OK;
    }
    unlink(program);
    unlink(object);
    for (size_t i = 0; i < count; i++) {
        free(parts[i]);
        free(objects[i]);
    }
    free(object);
    free(program);
    return result;
}

enum build_result build_program(struct build *build, const struct tools *tools,
                                enum backend backend,
                                const struct lab_rules *lab, const char *file,
                                const char *folder)
{
    struct maker maker;
    enum build_result result;

    memset(build, 0, sizeof *build);
    build->program_fd = -1;
    maker_init(&maker, tools, backend, lab, folder);
    result = make_all(&maker, build, file);
    shorten(&build->messages, &maker);
    maker_free(&maker);
    return result;
}

void build_free(struct build *build)
{
    if (build->program_fd >= 0)
        close(build->program_fd);
    build->program_fd = -1;
    text_free(&build->messages);
}
