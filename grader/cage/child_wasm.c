/*
 * child_wasm.c: child.c in a browser tab. A program is a worker of its own, and
 * a compiler runs on the engine's files: engine.h. The worker is the cage: it
 * has no files but its own, no other program, no network, and ends with all
 * that it started.
 */
#include "cage/child.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "cage/engine.h"

enum { BACK_SECONDS = 3 };

static bool interrupted;

/* Who wants to stop tells the engine, and it ends what is waited for. */
void child_init(void)
{
}

bool child_interrupted(void)
{
    return interrupted;
}

/* A worker's calls are functions of the engine: none is refused. */
void child_report_refused(void)
{
}

/* ---- start -------------------------------------------------------------- */

static void add_word(struct out *words, char sort, const char *word)
{
    text_add(words, &sort, 1);
    text_add(words, word, strlen(word) + 1);
}

static void add_words(struct out *words, const struct child_spec *spec)
{
    const struct fence *const fence = spec->fence;

    for (int i = 0; spec->argv[i]; i++)
        add_word(words, 'a', spec->argv[i]);
    for (int i = 0; spec->env[i]; i++)
        add_word(words, 'e', spec->env[i]);
    if (spec->directory)
        add_word(words, 'd', spec->directory);
    for (int i = 0; fence && i < fence->count; i++)
        add_word(words, fence->places[i].right == FENCE_WRITE ? 'w' : 'r',
                 fence->places[i].path);
}

bool child_start(struct child *child, const struct child_spec *spec)
{
    struct out words = {0};
    struct engine_spec wanted = {
        .program_fd = spec->program_fd,
        .memory_bytes = spec->memory_bytes,
        .keep_bytes = spec->keep_bytes,
        .flood_bytes = spec->flood_bytes,
        .talks = spec->talks,
    };
    struct stat st;
    int number;

    memset(child, 0, sizeof *child);
    child->spec = spec;
    add_words(&words, spec);
    wanted.words = words.data;
    wanted.words_size = words.length;
    for (int i = 0; i < 2; i++)
        if (spec->pass_fds[i] >= 0 && fstat(spec->pass_fds[i], &st) == 0) {
            wanted.files[i] = memfd_map(spec->pass_fds[i]);
            wanted.file_sizes[i] = (size_t)st.st_size;
        }
    /* A tool to run it under is another program, and there is none here. */
    number = spec->under ? -ENOSYS : engine_start(&wanted);
    tl_out_free(&words);
    child->end = number > 0 ? CHILD_RUNNING : CHILD_NOT_STARTED;
    child->code = number > 0 ? 0 : -number;
    child->pid = number > 0 ? number : 0;
    return number > 0;
}

/* ---- what it writes ----------------------------------------------------- */

static void drain_all(struct child *child)
{
    struct out *const texts[CHILD_FDS] = {
        [CHILD_REPLY] = &child->replies,
        [CHILD_REPORT] = &child->report,
        [CHILD_OUT] = &child->out,
        [CHILD_ERR] = &child->err,
    };
    char part[16384];
    size_t got;

    for (int i = 0; i < CHILD_FDS; i++)
        while ((got = engine_take(child->pid, i, part, sizeof part)) > 0)
            text_add(texts[i], part, got);
}

/* ---- how it ended ------------------------------------------------------- */

void child_stop(struct child *child)
{
    if (child->pid <= 0)
        return;
    drain_all(child);
    engine_stop(child->pid);
    child->pid = 0;
}

void child_free(struct child *child)
{
    child_stop(child);
    tl_out_free(&child->replies);
    tl_out_free(&child->report);
    tl_out_free(&child->out);
    tl_out_free(&child->err);
}

bool child_end_as(struct child *child, enum child_end end)
{
    if (child->end == CHILD_RUNNING) {
        child->end = end;
        child->code = child->pid > 0 ? engine_code(child->pid) : 0;
    }
    interrupted = interrupted || end == CHILD_INTERRUPTED;
    child_stop(child);
    return false;
}

/* ---- ask and wait ------------------------------------------------------- */

bool child_is_back(struct child *child)
{
    const int end = engine_back(child->pid, BACK_SECONDS);

    drain_all(child);
    return end == CHILD_RUNNING || child_end_as(child, (enum child_end)end);
}

/* The engine hands over one line at a time. */
bool child_ask(struct child *child, const char *command, double seconds,
               struct out *answer)
{
    enum child_end end;

    if (child->end != CHILD_RUNNING)
        return false;
    end = (enum child_end)engine_ask(child->pid, command, seconds,
                                     answer != NULL);
    drain_all(child);
    if (end == CHILD_RUNNING && answer) {
        text_clear(answer);
        text_add(answer, text_string(&child->replies), child->replies.length);
        text_clear(&child->replies);
        return true;
    }
    child_end_as(child, end);
    return answer == NULL && (end == CHILD_EXITED || end == CHILD_SIGNALLED);
}
