/* workplace.c: a private folder, the student's text, and the program built */
#include "grade/grade.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/files.h"
#include "base/process.h"
#include "base/progress.h"
#include "cage/undertaker.h"
#include "vgpu/input_file.h"

enum { LARGEST_SOURCE = 1 << 20, LEAST_DISK = 32 << 20 };

/* A line of the solution that only the skeleton gets: "//| // TODO 1: ...". */
static bool is_for_skeleton(const char *source, const char *at)
{
    while (at > source && at[-1] != '\n')
        at--;
    return strncmp(at + strspn(at, " \t"), "//|", 3) == 0;
}

/* "TODO 3:" in the text, as make hint looks for it: the bits of the numbers. */
static uint64_t find_todos(const char *source)
{
    uint64_t todos = 0;

    for (const char *at = strstr(source, "TODO "); at;
         at = strstr(at + 5, "TODO ")) {
        const size_t digits = strspn(at + 5, "0123456789");

        if (digits > 0 && at[5 + digits] == ':' && atoi(at + 5) < 64 &&
            !is_for_skeleton(source, at))
            todos |= LAB_TODO(atoi(at + 5));
    }
    return todos;
}

static bool read_source(struct out *source, const char *file, char **cause)
{
    const char *why = NULL;

    if (!text_read_file(source, file, LARGEST_SOURCE))
        why = input_file_words(errno);
    else if (source->length > LARGEST_SOURCE)
        why = "larger than 1 MiB, that is no lab.cu";
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
        OWNED char *path = text_format("%s/%s", folders, entry->d_name);

        if (pid > 0 && kill(pid, 0) != 0 && errno == ESRCH)
            files_remove_tree(path);
    }
    if (dir)
        closedir(dir);
}

/* With less, compilers and programs end in ways that look like a mistake in
 * what is graded. Of the memory half is a program's, and two thirds of the rest
 * are buffers (pages_most), of which labs need 512 MiB. */
static const struct need {
    int resource;
    unsigned long long least, unit;
    const char *words; /* of both numbers */
} needs[] = {
    {RLIMIT_AS, 1536, 1 << 20, "%llu MiB of memory (ulimit -v)"},
    {RLIMIT_DATA, 1536, 1 << 20, "%llu MiB of memory (ulimit -d)"},
    {RLIMIT_NOFILE, 64, 1, "%llu open files (ulimit -n)"},
    {RLIMIT_FSIZE, 64, 1 << 20, "files of %llu MiB (ulimit -f)"},
    {RLIMIT_CPU, 60, 1, "%llu s of processor time (ulimit -t)"},
};

/* Return: what this machine lacks, to be freed, or NULL. */
static char *find_lack(const char *folder)
{
    struct rlimit limit;
    struct statvfs disk;

    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
        if (getrlimit(needs[i].resource, &limit) == 0 &&
            limit.rlim_cur / needs[i].unit < needs[i].least)
            return text_format(needs[i].words, needs[i].least);
    if (statvfs(folder, &disk) != 0)
        return NULL;
    if (disk.f_flag & ST_NOEXEC)
        return strdup("a build/ where programs may be run (it is mounted with "
                      "noexec)");
    if (disk.f_blocks > 0 && disk.f_bavail * disk.f_frsize < LEAST_DISK)
        return strdup("32 MiB on the disk of build/");
    return NULL;
}

static bool make_folder(struct grade_job *job, char **cause)
{
    OWNED char *folders = text_format("%s/build/grade", job->tools->root);

    job->folder =
        text_format("%s/%.2s.%d", folders, job->lab->name, (int)getpid());
    job->trace = text_format("%s/case.trace", job->folder);
    remove_leftovers(folders);
    files_remove_tree(job->folder);
    undertaker_folder(job->folder);
    if (files_make_folders(job->folder))
        return true;
    *cause = text_format("could not be graded here: %s: %s", job->folder,
                         strerror(errno));
    return false;
}

static void build_it(struct workplace *place, char **cause)
{
    struct evidence *evidence = &place->evidence;
    struct grade_job *const job = &place->job;
    const bool real = job->backend == BACKEND_CUDA;

    progress("lab %s: building", job->lab->name);
    build_begin(&place->build, job, job->backend);
    /* The checker's program is made beside the one for a real GPU. It is ready
     * first, and linked while nvcc is still at work. */
    evidence->order_available = tools_why_no_vgpu(job->tools) == NULL;
    if (real && evidence->order_available) {
        build_begin(&place->virtual_build, job, BACKEND_VGPU);
        build_end(&place->virtual_build);
    }
    evidence->built = build_end(&place->build);
    progress_done();
    job->program_fd = place->build.program_fd;
    job->virtual_fd =
        real ? place->virtual_build.program_fd : place->build.program_fd;
    evidence->order_built = job->virtual_fd >= 0;
    text_printf(&evidence->messages, "%s", text_string(&place->build.messages));
    if (evidence->built == BUILD_OWN &&
        strstr(text_string(&evidence->messages), strerror(EAGAIN)))
        *cause = strdup("could not be graded here: no more processes can be "
                        "started (ulimit -u)");
    else if (evidence->built == BUILD_OWN)
        *cause = text_format(
            "the lab's own parts do not build, which is no fault of "
            "the submission (git checkout common grader labs puts back what "
            "was changed):\n%s",
            text_string(&evidence->messages));
    else if (evidence->built == BUILD_STOPPED)
        *cause = text_format("interrupted");
}

static void choose_devices(struct grade_job *job)
{
    const char *const device = getenv("VGPU_DEVICE");

    job->virtual_device =
        device && *device ? device : lab_virtual_device(job->lab);
    if (job->backend != BACKEND_CUDA)
        return;
    job->recorder =
        text_format("%s/build/lib/librecorder.so", job->tools->root);
    if (access(job->recorder, R_OK) != 0) {
        free(job->recorder);
        job->recorder = NULL;
    }
}

/* The text is read before anything is built or run: it is what is graded, put
 * back should the program remove it (protect_source). */
bool workplace_open(struct workplace *place, const struct grade_job *asked,
                    char **cause)
{
    struct evidence *const evidence = &place->evidence;
    struct grade_job *const job = &place->job;
    char *lack;

    memset(place, 0, sizeof *place);
    place->start_s = process_now_s();
    place->build.program_fd = place->virtual_build.program_fd = -1;
    *job = *asked;
    *evidence = (struct evidence){.job = job,
                                  .lab = job->lab,
                                  .words = &place->words,
                                  .backend = job->backend};
    words_read(&place->words, job->tools->root, job->lab->name);
    if (!read_source(&evidence->source, job->file, cause))
        return false;
    evidence->todos = find_todos(text_string(&evidence->source));
    evidence->first_todo =
        evidence->todos ? __builtin_ctzll(evidence->todos) : 0;
    if (!make_folder(job, cause))
        return false;
    choose_devices(job);
    lack = find_lack(job->folder);
    if (lack)
        *cause = text_format("could not be graded here: it takes %s", lack);
    else
        build_it(place, cause);
    free(lack);
    return *cause == NULL;
}

/* Whatever the program did to the student's file is undone, or kept beside
 * it where it may have been the student's own hand. */
static void protect_source(const struct workplace *place)
{
    const struct out *source = &place->evidence.source;
    const char *const file = place->job.file;
    OWNED char *const beside = text_format("%s.bak-grade", file);
    OWNED_TEXT now = {0};

    if (source->data == NULL)
        ; /* nothing was read */
    else if (files_restore(file, source->data, source->length))
        fprintf(stderr,
                "grade: %s was removed by the program; it was put back\n",
                file);
    else if (text_read_file(&now, file, 2 * LARGEST_SOURCE) &&
             (now.length != source->length ||
              (now.length > 0 && memcmp(now.data, source->data, now.length))) &&
             files_write_whole(beside, source->data, source->length))
        fprintf(stderr,
                "grade: %s changed during the grade; what was graded is kept "
                "in %s\n",
                file, beside);
}

void workplace_close(struct workplace *place)
{
    progress_done();
    protect_source(place);
    build_free(&place->build);
    build_free(&place->virtual_build);
    evidence_free(&place->evidence);
    words_free(&place->words);
    if (place->job.folder) {
        files_remove_tree(place->job.folder);
        undertaker_folder(NULL);
    }
    free(place->job.folder);
    free(place->job.trace);
    free(place->job.recorder);
    memset(place, 0, sizeof *place);
}
