/* workplace.c: a private folder, the student's text, and the program built */
#include "grade/grade.h"

#include "grade/cases.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/files.h"
#include "base/progress.h"
#include "cage/undertaker.h"

enum { LARGEST_SOURCE = 1 << 20 };

/* A line of the solution that only the skeleton gets: "//| // TODO 1: ...". */
static bool is_for_skeleton(const char *source, const char *at)
{
    while (at > source && at[-1] != '\n')
        at--;
    return strncmp(at + strspn(at, " \t"), "//|", 3) == 0;
}

/* The number behind the first "TODO" of the text, 0 without one. */
static int find_first_todo(const char *source)
{
    for (const char *at = strstr(source, "TODO "); at;
         at = strstr(at + 5, "TODO "))
        if (isdigit((unsigned char)at[5]) && !is_for_skeleton(source, at))
            return atoi(at + 5);
    return 0;
}

static bool read_source(struct text *source, const char *file, char **cause)
{
    struct stat st;
    const char *why = NULL;

    if (stat(file, &st) != 0)
        why = strerror(errno);
    else if (!S_ISREG(st.st_mode))
        why = "not a regular file";
    else if (st.st_size > LARGEST_SOURCE)
        why = "larger than 1 MiB, that is no lab.cu";
    else if (!text_read_file(source, file, 2 * LARGEST_SOURCE))
        why = strerror(errno);
    if (why)
        *cause = text_format("%s: %s", file, why);
    return why == NULL;
}

/* Folders NN.PID of graders that are no more. */
static void remove_leftovers(const char *folders)
{
    DIR *dir = opendir(folders);
    struct dirent *entry;

    while (dir && (entry = readdir(dir)) != NULL) {
        const char *const dot = strchr(entry->d_name, '.');
        const int pid = dot ? atoi(dot + 1) : 0;
        char *path;

        if (pid <= 0 || kill(pid, 0) == 0 || errno != ESRCH)
            continue;
        path = text_format("%s/%s", folders, entry->d_name);
        files_remove_tree(path);
        free(path);
    }
    if (dir)
        closedir(dir);
}

static char *make_folder(const struct grade_request *request, char **cause)
{
    char *folders = text_format("%s/build/grade", request->tools->root);
    char *folder =
        text_format("%s/%.2s.%d", folders, request->lab->name, (int)getpid());

    remove_leftovers(folders);
    free(folders);
    files_remove_tree(folder);
    undertaker_folder(folder);
    if (files_make_folders(folder))
        return folder;
    *cause = text_format("%s: %s", folder, strerror(errno));
    free(folder);
    return NULL;
}

static enum grade_result build_it(struct workplace *place,
                                  const struct grade_request *request,
                                  char **cause)
{
    struct evidence *evidence = &place->evidence;

    progress("lab %s: building", request->lab->name);
    evidence->built =
        build_program(&place->build, request->tools, request->backend,
                      request->lab, request->file, place->folder);
    text_printf(&evidence->messages, "%s", text_string(&place->build.messages));
    if (evidence->built == BUILD_OWN)
        *cause = text_format(
            "the lab's own parts do not build, which is no fault of "
            "the submission:\n%s",
            text_string(&evidence->messages));
    else if (evidence->built == BUILD_STOPPED)
        *cause = text_format("interrupted");
    return *cause ? GRADE_CANNOT : GRADE_DONE;
}

/* The text is read before anything is built or run: it is what is graded, put
 * back should the program remove it (protect_source). Whatever happens here,
 * workplace_close() follows. */
enum grade_result workplace_open(struct workplace *place,
                                 const struct grade_request *request,
                                 char **cause)
{
    const char *const device = getenv("VGPU_DEVICE");

    memset(place, 0, sizeof *place);
    place->build.program_fd = -1;
    place->virtual_build.program_fd = -1;
    place->evidence.lab = request->lab;
    words_read(&place->words, request->tools->root, request->lab->name);
    place->evidence.words = &place->words;
    place->evidence.backend = request->backend;
    if (!read_source(&place->evidence.source, request->file, cause))
        return GRADE_CANNOT;
    place->evidence.first_todo =
        find_first_todo(text_string(&place->evidence.source));
    place->folder = make_folder(request, cause);
    if (place->folder == NULL)
        return GRADE_CANNOT;
    place->recorder =
        text_format("%s/build/lib/librecorder.so", request->tools->root);
    place->job = (struct grade_job){
        .tools = request->tools,
        .folder = place->folder,
        .file = request->file,
        .virtual_device =
            device && *device ? device : lab_virtual_device(request->lab),
        .recorder = request->backend == BACKEND_CUDA &&
                            access(place->recorder, R_OK) == 0
                        ? place->recorder
                        : NULL,
        .seconds = request->seconds,
    };
    return build_it(place, request, cause);
}

void workplace_programs(struct workplace *place,
                        const struct grade_request *request)
{
    struct evidence *evidence = &place->evidence;
    char *why = NULL;

    place->job.program_fd = place->build.program_fd;
    if (evidence->backend == BACKEND_VGPU) {
        evidence->order_available = evidence->order_built = true;
        place->job.virtual_fd = place->build.program_fd;
        return;
    }
    if (place->virtual_build.program_fd < 0) {
        build_free(&place->virtual_build);
        evidence->order_available =
            tools_choose(request->tools, BACKEND_VGPU, &why) == BACKEND_VGPU;
        free(why);
        if (evidence->order_available)
            evidence->order_built =
                build_program(&place->virtual_build, request->tools,
                              BACKEND_VGPU, request->lab, request->file,
                              place->folder) == BUILD_OK;
    }
    place->job.virtual_fd = place->virtual_build.program_fd;
}

/* Whatever the program did to the student's file is undone, or kept beside
 * it where it may have been the student's own hand. */
static void protect_source(const struct workplace *place)
{
    const struct text *source = &place->evidence.source;
    const char *const file = place->job.file;
    struct text now = {0};
    char *beside;

    if (file == NULL || source->data == NULL)
        return;
    if (files_restore(file, source->data, source->length)) {
        fprintf(stderr,
                "grade: %s was removed by the program; it was put "
                "back\n",
                file);
        return;
    }
    if (text_read_file(&now, file, 2 * LARGEST_SOURCE) &&
        (now.length != source->length ||
         (now.length > 0 && memcmp(now.data, source->data, now.length)))) {
        beside = text_format("%s.bak-grade", file);
        if (files_write_whole(beside, source->data, source->length))
            fprintf(stderr,
                    "grade: %s changed during the grade; what was "
                    "graded is kept in %s\n",
                    file, beside);
        free(beside);
    }
    text_free(&now);
}

void workplace_close(struct workplace *place)
{
    progress_done();
    protect_source(place);
    build_free(&place->build);
    build_free(&place->virtual_build);
    evidence_free(&place->evidence);
    words_free(&place->words);
    if (place->folder) {
        files_remove_tree(place->folder);
        undertaker_folder(NULL);
    }
    free(place->folder);
    free(place->recorder);
    memset(place, 0, sizeof *place);
}
