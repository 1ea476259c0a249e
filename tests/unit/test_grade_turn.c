/* test_grade_turn.c: whose turn it is on a machine with several GPUs */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <poll.h>
#include <unistd.h>

#include "cage/plate.h"
#include "cage/turn.h"

static void test_lists_of_gpus(void **state)
{
    unsigned char gpus[3];

    (void)state;
    assert_int_equal(turn_gpus("2", gpus, 3), 1);
    assert_int_equal(gpus[0], 2);
    assert_int_equal(turn_gpus("3,0,12", gpus, 3), 3);
    assert_int_equal(gpus[2], 12);
}

/* Whatever it means to the driver, all GPUs are taken. */
static void test_other_values(void **state)
{
    static const char *const values[] = {
        "", "GPU-8932f937", "MIG-1", "1,x", "-1", "128", "1,", "1 2", "0,1,2,3",
    };
    unsigned char gpus[3];

    (void)state;
    assert_int_equal(turn_gpus(NULL, gpus, 3), 0);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        assert_int_equal(turn_gpus(values[i], gpus, 3), 0);
}

/* Another grading, whose CUDA_VISIBLE_DEVICES is @visible. Return: its lock. */
static int begin(const char *path, const char *visible, bool alone, bool *taken)
{
    const int lock = open(path, O_RDWR | O_CLOEXEC);

    assert_true(lock >= 0);
    if (visible)
        setenv("CUDA_VISIBLE_DEVICES", visible, 1);
    else
        unsetenv("CUDA_VISIBLE_DEVICES");
    *taken = turn_take(lock, alone, false);
    return lock;
}

static void test_turns(void **state)
{
    static const struct {
        const char *one, *other;
        bool together;
    } cases[] = {
        {NULL, NULL, false},  {"0", NULL, false},    {NULL, "1", false},
        {"0", "0", false},    {"0", "1", true},      {"0,1", "2,1", false},
        {"0,1", "2,3", true}, {"0", "GPU-1", false},
    };
    char path[] = "/tmp/test_turn.XXXXXX";
    const int file = mkstemp(path);

    (void)state;
    assert_true(file >= 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool first, second, third;
        const int one = begin(path, cases[i].one, true, &first);
        const int other = begin(path, cases[i].other, true, &second);

        assert_true(first);
        if (second != cases[i].together)
            fail_msg("%s beside %s", cases[i].other, cases[i].one);
        close(one);
        /* Who had to wait kept nothing, and gets all of it now. */
        if (!second)
            assert_true(turn_take(other, true, false));
        close(begin(path, NULL, true, &third));
        assert_false(third);
        close(other);
    }
    close(file);
    unlink(path);
}

/* A grading that measures, in a process of its own: it waits. */
static pid_t wait_to_be_alone(const char *path)
{
    const pid_t pid = fork();

    if (pid > 0)
        return pid;
    for (int fd = 3; fd < 64; fd++)
        close(fd); /* what others hold is theirs alone */
    _exit(!turn_take(open(path, O_RDWR | O_CLOEXEC), true, true));
}

/* Who measures nothing is there with others of that kind; who measures waits
 * for all of them, and keeps the next ones out meanwhile. */
static void test_alone(void **state)
{
    char path[] = "/tmp/test_turn.XXXXXX";
    const int file = mkstemp(path);
    bool first, second, third, next = true;
    const int one = begin(path, "0", false, &first);
    const int two = begin(path, NULL, false, &second);
    const int three = begin(path, "0", true, &third);
    const pid_t waiting = wait_to_be_alone(path);
    int status = -1;

    (void)state;
    assert_true(first && second && !third);
    close(three);
    for (int i = 0; i < 1000 && next; i++) {
        close(begin(path, "0", false, &next));
        poll(NULL, 0, 10);
    }
    assert_false(next); /* the gate is shut */
    close(one);
    close(two);
    assert_int_equal(waitpid(waiting, &status, 0), waiting);
    assert_int_equal(status, 0);
    close(file);
    unlink(path);
}

/* A turn ends with the outermost one. */
static void test_within(void **state)
{
    char path[] = "/tmp/test_turn.XXXXXX";
    const int file = mkstemp(path);
    const char *const files[] = {"/nonexistent", path, NULL};
    struct turn turn = {.files = files, .most_s = 60, .tell_s = 60};
    bool taken;

    (void)state;
    turn_begin(&turn, true);
    turn_begin(&turn, true);
    turn_end(&turn);
    close(begin(path, NULL, false, &taken));
    assert_false(taken);
    turn_end(&turn);
    close(begin(path, NULL, false, &taken));
    assert_true(taken);
    close(file);
    unlink(path);
}

/* A machine without GPUs has nothing to wait for. */
static void test_without_a_file(void **state)
{
    static const char *const files[] = {"/nonexistent", NULL};
    struct turn turn = {.files = files};

    (void)state;
    turn_begin(&turn, true);
    turn_end(&turn);
    assert_int_equal(turn.depth, 0);
}

/* ---- who does not give it back ------------------------------------------- */

enum { SOON_MS = 700 }; /* on a busy machine */

/* A grading that has a turn, in a process of its own: @held_ms long, or stopped
 * in it. Return: once it has it. */
static pid_t have_a_turn(struct turn turn, bool alone, int held_ms)
{
    int ready[2];
    char byte;
    pid_t pid;

    assert_int_equal(pipe(ready), 0);
    pid = fork();
    if (pid == 0) {
        const bool taken = turn_begin(&turn, alone);

        close(ready[0]);
        if (!taken || write(ready[1], "x", 1) != 1)
            _exit(1);
        if (held_ms == 0)
            raise(SIGSTOP);
        poll(NULL, 0, held_ms);
        turn_end(&turn);
        _exit(0);
    }
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    return pid;
}

static void await_stop(pid_t pid)
{
    int status;

    assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
    assert_true(WIFSTOPPED(status));
}

/* Sets when it ended. */
static bool begin_turn(struct turn *turn, bool alone, int64_t *took_ms)
{
    const int64_t start_ms = plate_now_ms();
    const bool taken = turn_begin(turn, alone);

    *took_ms = plate_now_ms() - start_ms;
    turn_end(turn);
    return taken;
}

static int hidden_stderr = -1;

static void hide_stderr(const char *path)
{
    hidden_stderr = dup(STDERR_FILENO);
    assert_non_null(freopen(path, "w+", stderr));
}

static void show_stderr(char *said, size_t size)
{
    size_t length;

    fflush(stderr);
    rewind(stderr);
    length = fread(said, 1, size - 1, stderr);
    said[length] = '\0';
    fflush(stderr);
    dup2(hidden_stderr, STDERR_FILENO);
    close(hidden_stderr);
    clearerr(stderr);
}

/* Who is stopped in its turn is named, and not waited for without end; whoever
 * else takes part, in whatever way. Once it is dead, its turn is free. */
static void test_stopped(void **state)
{
    static const struct {
        const char *one, *other;
        bool alone, other_alone;
    } cases[] = {{NULL, NULL, true, true},
                 {"0", "0", true, false},
                 {"1", NULL, false, true},
                 {NULL, "2", true, false},
                 {"3,1", "1", true, true}};
    char path[] = "/tmp/test_turn.XXXXXX",
         said_path[] = "/tmp/test_said.XXXXXX";
    const int file = mkstemp(path), said_file = mkstemp(said_path);
    const char *const files[] = {path, NULL};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct turn turn = {.files = files, .most_s = 0.8, .tell_s = 0.2};
        char named[60], said[1000];
        int64_t took_ms;
        bool taken;
        pid_t pid;

        setenv("CUDA_VISIBLE_DEVICES", cases[i].one ? cases[i].one : "all", 1);
        pid = have_a_turn(turn, cases[i].alone, 0);
        await_stop(pid);
        setenv("CUDA_VISIBLE_DEVICES", cases[i].other ? cases[i].other : "all",
               1);
        hide_stderr(said_path);
        taken = begin_turn(&turn, cases[i].other_alone, &took_ms);
        show_stderr(said, sizeof said);
        assert_false(taken);
        assert_true(turn.refused);
        assert_in_range(took_ms, 200, 800 + SOON_MS);
        snprintf(named, sizeof named, "process %d of ", (int)pid);
        assert_non_null(strstr(turn.why, named));
        assert_non_null(strstr(turn.why, " and is stopped: kill -CONT "));
        assert_non_null(strstr(said, "grade: waiting for the GPU: process "));
        /* Nobody waits for it twice. */
        assert_false(begin_turn(&turn, cases[i].other_alone, &took_ms));
        assert_in_range(took_ms, 0, 200 + SOON_MS);
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
        assert_true(begin_turn(&turn, cases[i].other_alone, &took_ms));
        assert_in_range(took_ms, 0, SOON_MS);
        assert_false(turn.refused);
    }
    unsetenv("CUDA_VISIBLE_DEVICES");
    close(file);
    close(said_file);
    unlink(path);
    unlink(said_path);
}

/* As long as turns change, one waits: also longer than a turn may last. */
static void test_many_turns(void **state)
{
    char path[] = "/tmp/test_turn.XXXXXX";
    const int file = mkstemp(path);
    const char *const files[] = {path, NULL};
    struct turn turn = {.files = files, .most_s = 1.4, .tell_s = 9};
    pid_t pids[4];
    int64_t took_ms;

    (void)state;
    pids[0] = have_a_turn(turn, true, 500);
    for (int i = 1; i < 4; i++) {
        pids[i] = fork();
        if (pids[i] == 0) {
            if (!turn_begin(&turn, true))
                _exit(1);
            poll(NULL, 0, 500);
            _exit(0);
        }
    }
    poll(NULL, 0, 50); /* they stand in line */
    assert_true(begin_turn(&turn, true, &took_ms));
    assert_in_range(took_ms, 1400, 60000);
    for (int i = 0; i < 4; i++) {
        int status = -1;

        waitpid(pids[i], &status, 0);
        assert_int_equal(status, 0);
    }
    close(file);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists_of_gpus),
        cmocka_unit_test(test_other_values),
        cmocka_unit_test(test_turns),
        cmocka_unit_test(test_alone),
        cmocka_unit_test(test_within),
        cmocka_unit_test(test_without_a_file),
        cmocka_unit_test(test_stopped),
        cmocka_unit_test(test_many_turns),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
