/* test_grade_turn.c: whose turn it is on a machine with several GPUs */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <poll.h>
#include <unistd.h>

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
    struct turn turn = {.files = files};
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists_of_gpus),
        cmocka_unit_test(test_other_values),
        cmocka_unit_test(test_turns),
        cmocka_unit_test(test_alone),
        cmocka_unit_test(test_within),
        cmocka_unit_test(test_without_a_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
