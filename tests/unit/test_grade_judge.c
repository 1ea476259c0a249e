/* test_grade_judge.c: questions about a case, and where arrays differ */
#include "test_grade.h"

#include <math.h>
#include <stdio.h>

/* ---- differences --------------------------------------------------------- */

static void test_kinds(void **state)
{
    const uint64_t expected[] = {1, 2, 3, 4, 5}, input[] = {9, 8, 7, 6, 5};
    const uint64_t got[] = {1, 8, 0, 1, 77};
    const struct judge_arrays arrays = {.type = JUDGE_U64,
                                        .got = got,
                                        .expected = expected,
                                        .count = 5,
                                        .known = {{"still its input", input}},
                                        .noun = "entry"};
    struct difference found;
    struct out words = {0};

    (void)state;
    difference_arrays(&found, &arrays);
    assert_int_equal(found.wrong, 4);
    assert_int_equal(found.first, 1);
    assert_int_equal(found.last, 4);
    assert_int_equal(found.kinds[0], 1); /* its input */
    assert_int_equal(found.kinds[1], 1); /* zero */
    assert_int_equal(found.kinds[2], 1); /* another's */
    assert_int_equal(found.kinds[3], 1); /* wrong */
    difference_describe(&words, &found);
    assert_string_equal(text_string(&words),
                        "4 of 5 entries wrong; entry 0 is right, entry 1 is "
                        "still its input, entry 2 is zero");
    tl_out_free(&words);
}

/* One entry more than the two that count, and no input for the second. */
static uint64_t expect_two(const struct case_run *run, void *expected)
{
    uint32_t *const values = expected;

    assert_int_equal(values[1], 0);
    values[0] = *(const uint32_t *)run->input + 1;
    values[1] = 7;
    return 2;
}

static void test_expected(void **state)
{
    uint32_t input[] = {5}, output[] = {5, 7, 9};
    const struct case_run run = {.input = input,
                                 .input_bytes = sizeof input,
                                 .output = output,
                                 .output_bytes = sizeof output,
                                 .data = {.entry_bytes = sizeof *input,
                                          .expect = expect_two,
                                          .still = "as it was"}};
    struct difference found;

    (void)state;
    difference_expected(&run, &found);
    assert_int_equal(found.count, 2);
    assert_int_equal(found.wrong, 1);
    assert_int_equal(found.kinds[0], 1);
    assert_string_equal(found.around[1], "as it was");
}

static void test_nothing_differs(void **state)
{
    const float expected[] = {1, 2, NAN}, got[] = {1, 2, NAN};
    struct judge_arrays arrays = {
        .type = JUDGE_F32, .got = got, .expected = expected, .count = 3};
    struct difference found;

    (void)state;
    difference_arrays(&found, &arrays);
    assert_int_equal(found.wrong, 0);
    arrays.count = 0;
    difference_arrays(&found, &arrays);
    assert_int_equal(found.wrong, 0);
}

/* ---- speed --------------------------------------------------------------- */

static const struct lab_times times = {"serial_ns", "student_ns", "bound_ns",
                                       .eta_needed = 0.8};

/* Serial and limit, and the student's; in ns. */
static bool is_fast(struct judgement *j, enum backend backend, int serial_ns,
                    int bound_ns, int student_ns)
{
    struct made_case made;
    struct judgement unused = {0};
    char facts[100];
    struct case_run *run;
    bool fast;

    snprintf(facts, sizeof facts, "serial_ns=%d bound_ns=%d student_ns=%d",
             serial_ns, bound_ns, student_ns);
    run = make_case(&made, "", facts);
    run->backend = backend;
    tl_out_free(&j->seen);
    memset(j, 0, sizeof *j);
    fast = judge_speed(run, j, &times);
    free_case(&made, &unused);
    return fast;
}

static void test_speed(void **state)
{
    struct judgement j = {0};

    (void)state;
    assert_true(is_fast(&j, BACKEND_VGPU, 300, 100, 140)); /* just enough */
    assert_true(j.passed && j.share == 1);
    assert_float_equal(j.speed.eta, 0.8, 1e-9);
    assert_false(is_fast(&j, BACKEND_VGPU, 300, 100, 200));
    assert_float_equal(j.share, 0.5, 1e-9); /* a part of the points */
    assert_false(j.borderline);
    /* Slower than serial: no points, and not fewer. */
    assert_false(is_fast(&j, BACKEND_VGPU, 300, 100, 400));
    assert_float_equal(j.share, 0, 1e-9);
    tl_out_free(&j.seen);
}

/* The limit is computed from parts: who is a little faster shows that it was an
 * estimate, and nobody reads of a speed above it. */
static void test_speed_above_the_bound(void **state)
{
    struct judgement j = {0};

    (void)state;
    assert_true(is_fast(&j, BACKEND_CUDA, 3000, 1000, 900));
    assert_true(j.speed.eta > 1);
    assert_float_equal(j.speed.bound, j.speed.yours, 1e-9);
    assert_non_null(strstr(text_string(&j.seen), "yours 3.3x, limit 3.3x"));
    assert_true(is_fast(&j, BACKEND_VGPU, 3000, 1000, 990));
    assert_float_equal(j.speed.bound, 3000.0 / 990, 1e-9);
    assert_true(is_fast(&j, BACKEND_VGPU, 3000, 1000, 1100));
    assert_float_equal(j.speed.bound, 3, 1e-9);
    assert_float_equal(judge_limit_ns(100, 0), 100, 0);
    tl_out_free(&j.seen);
}

static void test_speed_that_cannot_be(void **state)
{
    struct judgement j = {0};

    (void)state;
    assert_false(is_fast(&j, BACKEND_VGPU, 300, 100, 96));
    assert_true(finding_is(&j.finding, "faster-than-limit"));
    assert_true(j.share == 0);
    assert_true(is_fast(&j, BACKEND_VGPU, 300, 100, 98));
    /* A limit that is measured has its noise. */
    assert_true(is_fast(&j, BACKEND_CUDA, 300, 100, 80));
    assert_false(is_fast(&j, BACKEND_CUDA, 300, 100, 70));
    assert_true(finding_is(&j.finding, "faster-than-limit") && j.borderline);
    assert_false(is_fast(&j, BACKEND_VGPU, 300, 100, 0));
    assert_string_equal(text_string(&j.seen), "no time was measured");
    /* Nothing to gain here: nobody passes or fails for it. */
    assert_true(is_fast(&j, BACKEND_VGPU, 300, 290, 299));
    tl_out_free(&j.seen);
}

/* ---- a row of the table -------------------------------------------------- */

static struct finding explain(const struct case_run *run, enum ask failed)
{
    (void)run;
    return failed == ASK_RIGHT   ? mistake("wrong")
           : failed == ASK_SPEED ? mistake_with("slow", "left=%d", 3)
                                 : finding_none();
}

static bool never(const struct case_run *run, struct judgement *judgement)
{
    return judge_no(run, judgement, mistake("asked-too"),
                    "{entries} of {none}");
}

static bool says_yes(const struct case_run *run, struct judgement *judgement)
{
    return judge_yes(run, judgement, "all {entries}");
}

static void test_row(void **state)
{
    struct made_case made;
    struct judgement j = {0};
    struct case_run *const run = make_case(
        &made, "entries=7", "serial=300000 student=200000 bound=100000 rows=1");

    (void)state;
    made.rules.passed = "{entries} entries{entries: each}, {rows} row{rows:s}"
                        "{rows: each}, {bound:ms} ms";
    made.rules.explain = explain;
    judge_row(run, &j);
    assert_true(j.passed);
    assert_string_equal(text_string(&j.seen),
                        "7 entries each, 1 row, 0.100 ms");
    made.rules.speed = (struct lab_times){"serial", "student", "bound", NULL,
                                          .eta_needed = 0.7};
    judge_row(run, &j);
    assert_false(j.passed);
    assert_true(finding_is(&j.finding, "slow"));
    /* In the list's order; the speed comes last, or where it stands. */
    made.rules.asks = LAB_ASKS(judge_right, never);
    judge_row(run, &j);
    assert_true(finding_is(&j.finding, "asked-too"));
    assert_string_equal(text_string(&j.seen), "7 of {none}");
    made.rules.asks = LAB_ASKS(judge_right, judge_fast, never);
    judge_row(run, &j);
    assert_true(finding_is(&j.finding, "slow"));
    made.rules.asks = LAB_ASKS(never, judge_right);
    run->wrong_rounds = 1;
    judge_row(run, &j);
    assert_true(finding_is(&j.finding, "asked-too"));
    made.rules.asks = LAB_ASKS(judge_right, never);
    judge_row(run, &j);
    assert_true(finding_is(&j.finding, "wrong"));
    /* What a question says for itself stays. */
    made.rules.asks = LAB_ASKS(says_yes);
    made.rules.speed.eta_needed = 0;
    judge_row(run, &j);
    assert_true(j.passed);
    assert_string_equal(text_string(&j.seen), "all 7");
    made.rules.asks = LAB_ASKS(judge_clean);
    judge_row(run, &j);
    assert_true(j.passed);
    strcpy(run->pending, "cudaErrorInvalidValue");
    judge_row(run, &j);
    assert_true(finding_is(&j.finding, "cuda-error"));
    free_case(&made, &j);
}

/* The run under the checker counts where the case ran on a real GPU. */
static void test_checked_run(void **state)
{
    struct made_case made, seen;
    struct judgement j = {0};
    struct case_run *const run = make_case(&made, "", "");
    struct case_run *const other = make_case(&seen, "", "");

    (void)state;
    run->backend = BACKEND_CUDA;
    run->virtual_run = other;
    assert_true(judge_right(run, &j) && judge_order(run, &j));
    other->wrong_rounds = 1;
    other->difference = (struct difference){.count = 4, .wrong = 4};
    assert_false(judge_right(run, &j));
    assert_non_null(strstr(text_string(&j.seen), "on the virtual GPU: 4 of 4"));
    other->checked.hazards = 1;
    text_printf(&other->checked.first_hazard, "hazard: two copies");
    assert_false(judge_order(run, &j));
    assert_string_equal(text_string(&j.seen), "hazard: two copies");
    checked_free(&other->checked);
    tl_out_free(&seen.run.facts[0]);
    free_case(&made, &j);
}

static void test_near(void **state)
{
    struct made_case made;
    struct judgement j = {0};
    struct case_run *const run = make_case(&made, "", "");

    (void)state;
    assert_true(judge_near(run, &j, 105, 100, 0.05));
    assert_false(judge_near(run, &j, 106, 100, 0.05));
    assert_false(judge_near(run, &j, 0, 100, 0.05));
    free_case(&made, &j);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_expected),
        cmocka_unit_test(test_nothing_differs),
        cmocka_unit_test(test_speed),
        cmocka_unit_test(test_speed_above_the_bound),
        cmocka_unit_test(test_speed_that_cannot_be),
        cmocka_unit_test(test_row),
        cmocka_unit_test(test_checked_run),
        cmocka_unit_test(test_near),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
