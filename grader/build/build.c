/* build.c: make a lab program from a student's file */
#include "build/build.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cage/child.h"
#include "build/compile.h"
#include "build/flags.h"
#include "base/files.h"
#include "build/source.h"
#include "base/symbols.h"

enum { MESSAGE_LINES = 12, MAX_PARTS = 32 };

static const char OUTSIDE_MAIN[] =
    "something here would run before main or after it. A variable outside of "
    "functions\nmust begin with a constant and be nothing that code makes, "
    "such "
    "as std::vector: set it\nwhere it is needed. No constructors by attribute";

/* ---- parts that stay the same ------------------------------------------- */

/* So that another compiler or other flags give another object. */
static uint32_t hash_args(const struct compile *compile)
{
    uint64_t hash = TEXT_HASH;

    for (int i = 0; i < compile->num_args; i++)
        hash = text_hash(hash, compile->argv[i], strlen(compile->argv[i]));
    return (uint32_t)hash;
}

/* Newest of all that a part may include, and of the compiler. */
static int64_t newest_input(const struct compile *compile, bool shared)
{
    static const char *const folders[] = {"common", "grader/drivers",
                                          "vgpu/include", "vgpu/include/vgpu",
                                          "labs"};
    const struct grade_job *const job = compile->job;
    int64_t newest = files_time(compile->argv[0]), time;

    for (size_t i = 0; i < (shared ? 4 : 5); i++) {
        OWNED char *path = text_format("%s/%s/%s", job->tools->root, folders[i],
                                       i < 4 ? "" : job->lab->name);

        time = files_newest(path);
        newest = time > newest ? time : newest;
    }
    return newest;
}

/* What is linked with the student's object: one of the driver's files, or a .cu
 * in common/. */
struct part {
    char *source, *object;
    char *fresh; /* what is being made; NULL: it is not out of date */
    struct compile compile;
};

/* From build_begin() to build_end(). */
struct making {
    const struct grade_job *job;
    enum backend backend;
    struct flags flags; /* for the student's file */
    struct part parts[MAX_PARTS];
    size_t num_parts;
    struct compile student;
    char *object, *program;
    enum build_result result;
};

static void add_part(struct making *making, char *source)
{
    making->parts[making->num_parts++].source = source;
}

static int compare_parts(const void *left, const void *right)
{
    return strcmp(((const struct part *)left)->source,
                  ((const struct part *)right)->source);
}

/* Hidden files are an editor's. */
static void list_parts(struct making *making)
{
    OWNED char *common = text_format("%s/common", making->job->tools->root);
    OWNED_TEXT files = files_list(common, ".cu");

    add_part(making, strdup("grader/drivers/driver.cu"));
    add_part(making, strdup("grader/drivers/driver_cases.cu"));
    add_part(making,
             text_format("grader/drivers/%s.cu", making->job->lab->name));
    for (const char *path = NULL;
         making->num_parts < MAX_PARTS && (path = files_next(&files, path));) {
        const char *const name = strrchr(path, '/') + 1;

        if (name[0] != '.')
            add_part(making, text_format("common/%s", name));
    }
    /* A folder is listed in any order; a program is linked in one. */
    qsort(making->parts, making->num_parts, sizeof *making->parts,
          compare_parts);
}

/* Begin to make it, if it is out of date. */
static void begin_part(const struct making *making, struct part *part)
{
    const struct grade_job *const job = making->job;
    const bool shared = strstr(part->source, job->lab->name) == NULL;
    OWNED char *stem = strdup(part->source);

    for (char *at = stem; *at; at++)
        if (*at == '/' || *at == '.')
            *at = '_';
    compile_start(&part->compile, job, making->backend);
    compile_add_object(&part->compile, shared);
    part->object = text_format("%s/build/obj/%s/grade/%s-%08x.o",
                               job->tools->root, backend_word(making->backend),
                               stem, hash_args(&part->compile));
    if (files_time(part->object) > newest_input(&part->compile, shared)) {
        compile_stop(&part->compile);
        return;
    }
    part->fresh = text_format("%s.%d.o", part->object, (int)getpid());
    compile_add_output(&part->compile, part->source, part->fresh);
    compile_begin(&part->compile, NULL);
}

static enum build_result end_parts(struct making *making, struct out *messages)
{
    for (size_t i = 0; i < making->num_parts; i++) {
        struct part *const part = &making->parts[i];

        if (part->fresh &&
            (compile_end(&part->compile, messages) != CHILD_EXITED ||
             rename(part->fresh, part->object) != 0))
            return child_interrupted() ? BUILD_STOPPED : BUILD_OWN;
    }
    text_clear(messages); /* warnings of our own are not the student's */
    return BUILD_OK;
}

static void free_parts(struct making *making)
{
    for (size_t i = 0; i < making->num_parts; i++) {
        struct part *const part = &making->parts[i];

        compile_stop(&part->compile);
        if (part->fresh)
            unlink(part->fresh);
        free(part->source);
        free(part->object);
        free(part->fresh);
    }
}

/* ---- the whole program -------------------------------------------------- */

/* Run what works whatever the student wrote. If it does not, the student's
 * file is not at fault either, and these words replace @messages. */
static bool own_works(struct compile *compile, const char *file,
                      struct out *messages)
{
    struct out words = {0};
    bool works;

    compile_begin(compile, file);
    works = compile_end(compile, &words) == CHILD_EXITED;
    tl_out_free(works ? &words : messages);
    if (!works)
        *messages = words;
    return works;
}

/* Does the compiler take a file that nothing is wrong with? */
static bool compiler_works(const struct making *making, struct out *messages)
{
    OWNED char *file = text_format("%s/probe.cu", making->job->folder);
    OWNED char *object = text_format("%s/probe.o", making->job->folder);
    struct compile compile = {0};
    bool works = true;

    if (files_write_whole(file, "#include \"lab.h\"\n", 17)) {
        compile_start(&compile, making->job, making->backend);
        compile_add_object(&compile, false);
        compile_add_output(&compile, file, object);
        works = own_works(&compile, file, messages);
    }
    unlink(file);
    unlink(object);
    return works;
}

/* driver.cu calls the lab's functions only where they are there: so this much
 * links without the student's file. */
static bool links_alone(const char *source)
{
    return strcmp(source, "grader/drivers/driver.cu") == 0 ||
           strncmp(source, "common/", 7) == 0;
}

enum linked { LINK_ALL, LINK_OWN, LINK_ALONE };

/* The command that links all, all but the student's, or only what links alone.
 */
static void start_link(const struct making *making, struct compile *compile,
                       enum linked linked)
{
    compile_start(compile, making->job, making->backend);
    if (linked == LINK_ALL)
        compile_add(compile, "%s", making->object);
    for (size_t i = 0; i < making->num_parts; i++)
        if (linked != LINK_ALONE || links_alone(making->parts[i].source))
            compile_add(compile, "%s", making->parts[i].object);
    /* The table of the system's functions is only read, once it is filled. */
    compile_add(compile, "-Xlinker");
    compile_add(compile, "-z,relro,-z,now");
    compile_add(compile, "-o");
    compile_add(compile, "%s", making->program);
    if (making->backend == BACKEND_CUDA)
        compile_add(compile, "-lpthread");
}

static void begin_student(struct making *making)
{
    struct compile *const student = &making->student;

    compile_start(student, making->job, making->backend);
    compile_add_object(student, false);
    for (int i = 0; i < making->flags.count; i++)
        compile_add(student, "%s", making->flags.words[i]);
    compile_add_output(student, making->job->file, making->object);
    compile_begin(student, making->job->file);
}

static enum build_result end_student(struct making *making,
                                     struct out *messages)
{
    const enum child_end end = compile_end(&making->student, messages);

    /* g++ calls it an error of its own, which somebody should be told of. */
    if (strstr(text_string(messages), "File size limit exceeded")) {
        text_clear(messages);
        text_printf(messages,
                    "what is compiled is larger than %d MiB: a large "
                    "array with values, or data in assembler?\n",
                    COMPILE_LARGEST_MIB);
    }
    if (end == CHILD_TIMEOUT)
        text_printf(messages, "the compiler did not finish within %d s\n",
                    COMPILE_SECONDS);
    if (end == CHILD_MEMORY)
        text_printf(messages, "the compiler took too much memory\n");
    if (end == CHILD_INTERRUPTED)
        return BUILD_STOPPED;
    if (end == CHILD_EXITED)
        return BUILD_OK;
    return compiler_works(making, messages) ? BUILD_STUDENT : BUILD_OWN;
}

/* @name  up to what is no letter of it. Is it a word of @text? */
static bool has_word(const char *text, const char *name, size_t length)
{
    for (const char *at = text; (at = strchr(at, name[0])); at++) {
        const char before = at > text ? at[-1] : ' ';

        if (strncmp(at, name, length) == 0 && !isalnum((unsigned char)before) &&
            before != '_' && !isalnum((unsigned char)at[length]) &&
            at[length] != '_')
            return true;
    }
    return false;
}

/* Return: the first undefined name in a linker's @words that @header does not
 * have, @length long; NULL for none. GNU's begin with "`", others with ": ". */
static const char *find_other(const char *words, const char *header,
                              size_t *length)
{
    for (const char *at = words; (at = strstr(at, "undefined ")); at++) {
        const char *name = at + strcspn(at, "`:\n");

        name += strspn(name, "`: ");
        *length = strcspn(name, "('\n");
        if (*length > 0 && !has_word(header, name, *length))
            return name;
    }
    return NULL;
}

/* A part that was emptied compiles. Without the student's file a linker lacks
 * what is the student's to write, which lab.h names; where it lacks more, the
 * student is not at fault, and @messages say so. */
static bool parts_fit(const struct making *making, struct out *messages)
{
    const struct grade_job *const job = making->job;
    OWNED char *const path =
        text_format("%s/labs/%s/lab.h", job->tools->root, job->lab->name);
    struct compile compile = {0};
    OWNED_TEXT words = {0}, header = {0};
    const char *other = NULL;
    size_t length;

    start_link(making, &compile, LINK_OWN);
    compile_begin(&compile, NULL);
    if (compile_end(&compile, &words) != CHILD_EXITED &&
        text_read_file(&header, path, 1 << 20))
        other = find_other(text_string(&words), header.data, &length);
    if (other) {
        text_clear(messages);
        text_printf(
            messages,
            "something in common/ or grader/drivers/ is not what it was: "
            "%.*s is not there\n",
            (int)length, other);
    }
    return other == NULL;
}

static enum build_result link_program(struct making *making,
                                      struct out *messages)
{
    struct compile compile = {0};
    enum child_end end;

    start_link(making, &compile, LINK_ALL);
    compile_begin(&compile, NULL);
    end = compile_end(&compile, messages);
    if (end == CHILD_INTERRUPTED)
        return BUILD_STOPPED;
    if (end == CHILD_EXITED)
        return BUILD_OK;
    /* The library keeps its inner names to itself; a linker would only say that
     * they are not defined. */
    if (strstr(text_string(messages), "vgpu_"))
        text_printf(messages, "What begins with vgpu_ is inside of the virtual "
                              "GPU: it is not there to be called\n");
    start_link(making, &compile, LINK_ALONE);
    return own_works(&compile, NULL, messages) && parts_fit(making, messages)
               ? BUILD_UNLINKED
               : BUILD_OWN;
}

/* ---- names --------------------------------------------------------------- */

/*
 * With @replaced: the driver must get the functions that it calls from where
 * they are, not from the student's file; the lab's own driver may, that is what
 * it is for, but CUDA's not there either. Without it: the grader's and the
 * virtual GPU's own functions would let a student stop the clock; common/ and
 * what lab.h names of the lab's own part are there to be called.
 */
static enum build_result check_part(const struct making *making,
                                    const struct part *part, bool replaced,
                                    struct out *messages)
{
    const bool own = strstr(part->source, making->job->lab->name) != NULL;
    const char *const names = !own ? "" : replaced ? "cuda" : "lab_run_";
    OWNED char *name = NULL;

    if (replaced || strncmp(part->source, "grader/drivers/", 15) == 0)
        name = symbols_find_bond(making->object, part->object, replaced, names);
    if (name == NULL)
        return BUILD_OK;
    text_printf(messages, "%s %s\n", name,
                replaced ? "is defined here, but it belongs to the system "
                           "or to CUDA: choose another name"
                         : "is the grader's: it is not there to be called");
    return BUILD_REFUSED;
}

/* All of the first before any of the second: a name that is both defined and
 * called is told as the student's definition. What runs outside of main could
 * sit between the driver and the grader. */
static enum build_result check_object(const struct making *making,
                                      struct out *messages)
{
    const size_t count = making->num_parts;
    enum build_result result = BUILD_OK;

    for (size_t i = 0; i < 2 * count && result == BUILD_OK; i++)
        result =
            check_part(making, &making->parts[i % count], i < count, messages);
    if (result == BUILD_OK && !symbols_stay_inside(making->object)) {
        text_printf(messages, "%s\n", OUTSIDE_MAIN);
        result = BUILD_STUDENT;
    }
    return result;
}

/* ---- all of it ----------------------------------------------------------- */

/* The first lines of the compiler's words, without the way to the folder. */
static void shorten(struct out *messages, const char *root)
{
    const size_t length = strlen(root);
    struct out kept = {0};
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
        if (strncmp(line, root, length) == 0 && line[length] == '/')
            line += length + 1;
        if (lines++ < MESSAGE_LINES)
            text_printf(&kept, "%s\n", line);
    }
    if (lines > MESSAGE_LINES)
        text_printf(&kept, "(%d more lines)\n", lines - MESSAGE_LINES);
    tl_out_free(messages);
    *messages = kept;
}

/* What is cheap to refuse comes first. Then the student's file, which takes
 * longest, and beside it those of our own parts that are out of date. */
void build_begin(struct build *build, const struct grade_job *job,
                 enum backend backend)
{
    struct making *const making = calloc(1, sizeof *making);
    const char *const word = backend_word(backend);
    OWNED char *const objects =
        text_format("%s/build/obj/%s/grade", job->tools->root, word);

    memset(build, 0, sizeof *build);
    build->program_fd = -1;
    build->making = making;
    making->job = job;
    making->backend = backend;
    making->object = text_format("%s/lab.%s.o", job->folder, word);
    making->program = text_format("%s/lab.%s", job->folder, word);
    files_make_folders(objects);
    list_parts(making);
    if (source_is_refused(job->file, &build->messages) ||
        !flags_read(&making->flags, job->file, job->lab->flags,
                    &build->messages)) {
        making->result = BUILD_REFUSED;
        return;
    }
    begin_student(making);
    for (size_t i = 0; i < making->num_parts; i++)
        begin_part(making, &making->parts[i]);
}

static void free_making(struct making *making)
{
    compile_stop(&making->student);
    free_parts(making);
    flags_free(&making->flags);
    unlink(making->program);
    unlink(making->object);
    free(making->object);
    free(making->program);
    free(making);
}

/* The linker's cage changes no modes. */
static int open_program(const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

    if (fd >= 0)
        fchmod(fd, 0700);
    return fd;
}

/* Our own parts are judged before the student's file: a machine on which they
 * do not build says nothing about a submission. The program is opened and its
 * name removed, so that nothing that runs later can change what is graded. */
enum build_result build_end(struct build *build)
{
    struct making *const making = build->making;
    struct out *const messages = &build->messages;
    enum build_result result = making->result;

    if (result == BUILD_OK)
        result = end_parts(making, messages);
    if (result == BUILD_OK)
        result = end_student(making, messages);
    if (result == BUILD_OK)
        result = check_object(making, messages);
    if (result == BUILD_OK)
        result = link_program(making, messages);
    if (result == BUILD_OK) {
        build->program_fd = open_program(making->program);
        result = build->program_fd < 0 ? BUILD_OWN : BUILD_OK;
    }
    shorten(messages, making->job->tools->root);
    free_making(making);
    build->making = NULL;
    return result;
}

void build_free(struct build *build)
{
    if (build->making)
        free_making(build->making);
    build->making = NULL;
    if (build->program_fd >= 0)
        close(build->program_fd);
    build->program_fd = -1;
    tl_out_free(&build->messages);
}

const char *build_words(enum build_result result)
{
    return result == BUILD_REFUSED
               ? "has something that the grader does not accept"
           : result == BUILD_UNLINKED ? "compiles, but does not link"
                                      : "does not compile";
}
