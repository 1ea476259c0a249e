/* test_grade_turn.c: whose turn it is on a machine with several GPUs */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>

#include "../../grader/cage/turn.c"

/* What the lock asks of the grader. */
bool child_interrupted(void)
{
    return false;
}

void progress(const char *format, ...)
{
    (void)format;
}

void progress_done(void)
{
}

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
    lock = open(path, O_RDWR | O_CLOEXEC);
    assert_true(lock >= 0);
    if (visible)
        setenv("CUDA_VISIBLE_DEVICES", visible, 1);
    else
        unsetenv("CUDA_VISIBLE_DEVICES");
    *taken = take_all(alone, false);
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
            assert_true(take_all(true, false));
        close(begin(path, NULL, true, &third));
        assert_false(third);
        close(other);
    }
    close(file);
    unlink(path);
}

/* Who measures nothing is there with others of that kind; who measures waits
 * for all of them, and then keeps the next ones out: it holds the gate. */
static void test_alone(void **state)
{
    char path[] = "/tmp/test_turn.XXXXXX";
    const int file = mkstemp(path);
    bool first, second, third, fourth;
    const int one = begin(path, "0", false, &first);
    const int two = begin(path, NULL, false, &second);
    const int three = begin(path, "0", true, &third);
    int four;

    (void)state;
    assert_true(first && second && !third);
    assert_true(take(GATES, 1, F_WRLCK, false));
    four = begin(path, "0", false, &fourth);
    assert_false(fourth);
    close(one);
    close(two);
    close(four);
    lock = three;
    assert_true(take_all(true, false));
    close(three);
    close(file);
    lock = -1;
    unlink(path);
}

/* A turn ends with the outermost one. */
static void test_within(void **state)
{
    (void)state;
    turn_begin(true);
    turn_begin(true);
    assert_int_equal(depth, 2);
    turn_end();
    assert_int_equal(depth, 1);
    turn_end();
    assert_int_equal(depth, 0);
    assert_int_equal(lock, -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists_of_gpus),
        cmocka_unit_test(test_other_values),
        cmocka_unit_test(test_turns),
        cmocka_unit_test(test_alone),
        cmocka_unit_test(test_within),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
