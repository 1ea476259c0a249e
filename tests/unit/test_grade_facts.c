/* test_grade_facts.c: what a driver and the checker report, taken apart */
#include "test_grade.h"

#include "case/checked.h"

static void test_facts(void **state)
{
    struct made_case made;
    const struct case_run *const run =
        make_case(&made, "entries=10007 streams=7 word=x",
                  "ns=-12 name=Tesla%20K20 empty= bad=%zz zero=a%00b room2=5");

    (void)state;
    assert_int_equal(case_fact(run, "ns"), -12);
    assert_string_equal(case_text(run, "name"), "Tesla K20");
    assert_true(case_has(run, "empty"));
    assert_string_equal(case_text(run, "empty"), "");
    assert_string_equal(case_text(run, "bad"), "%zz");
    assert_string_equal(case_text(run, "zero"), "a%00b");
    assert_int_equal(case_numbered_fact(run, "room", 2), 5);
    assert_false(case_has(run, "n"));
    assert_int_equal(case_fact(run, "missing"), 0);
    assert_int_equal(case_param(run, "entries"), 10007);
    assert_int_equal(case_param(run, "streams"), 7);
    assert_int_equal(case_param(run, "stream"), 0);
    assert_int_equal(case_param(run, "word"), 0);
    assert_true(case_says(run, "streams", "7"));
    assert_false(case_says(run, "entries", "1000"));
    assert_false(case_says(run, "stream", "7"));
    tl_out_free(&made.run.facts[0]);
}

/* A row's own facts; a number that the judge asks for is that of all rows. */
static void test_rows(void **state)
{
    struct made_case made;
    struct case_run *const run =
        make_case(&made, "", "rows=2 width0=4 width1=3 gpus=8");

    (void)state;
    assert_int_equal(case_fact(run, "width"), 4);
    run->row = 1;
    assert_int_equal(case_fact(run, "width"), 3);
    assert_int_equal(case_numbered_fact(run, "width", 0), 4);
    assert_int_equal(case_fact(run, "gpus"), 8);
    run->row = 2;
    assert_false(case_has(run, "width"));
    tl_out_free(&run->facts[0]);
}

/* The last round counts, unless a judge looks at another one. */
static void test_rounds(void **state)
{
    struct made_case made;
    struct case_run *const run = make_case(&made, "", "ns=1");

    (void)state;
    facts_read(&run->facts[1], "ns=2");
    run->rounds = 2;
    assert_int_equal(case_fact(run, "ns"), 2);
    run->judged = 1;
    assert_int_equal(case_fact(run, "ns"), 1);
    tl_out_free(&run->facts[0]);
    tl_out_free(&run->facts[1]);
}

static void test_cipher_work(void **state)
{
    struct made_case made;

    (void)state;
    make_case(&made, "entries=100 iters=12", "");
    assert_int_equal(case_cipher_work(&made.run), 1200);
    tl_out_free(&made.run.facts[0]);
    make_case(&made, "entries=100 iters=12", "rounds=3");
    assert_int_equal(case_cipher_work(&made.run), 300);
    tl_out_free(&made.run.facts[0]);
}

/* ---- the checker --------------------------------------------------------- */

static void test_report(void **state)
{
    static const char report[] =
        "hazard\tkind=unordered\tfirst=/home/s/lab.cu:31\t"
        "first_does=h2d\tfirst_what=copy in\t"
        "first_agent=stream 3 of device 0\tsecond=grader/drivers/x.cu:7\t"
        "second_what=host read\tsecond_agent=host\twhy=no wait\t"
        "first_from=/home/s/lab.cu:31\tsecond_from=grader/drivers/x.cu:7\n"
        "fault\tkind=past_end\tat=/home/s/lab.cu:9\tbytes=8\tbuffer=x\t"
        "text=reads 8 bytes behind the end\n"
        "warning\tkind=memory_left\tat=grader/drivers/x.cu:3\ttext=never "
        "freed\n"
        "warning\tkind=pageable_copy\tat=/home/s/lab.cu:8\ttext=slow\n"
        "warning\tkind=stream_left\tat=/home/s/"
        "lab.cu:12\tstream=3\ttext=stream "
        "3 is never destroyed\n"
        "warning\tkind=memory_left\tat=/home/s/lab.cu:13\ttext=memory is "
        "never freed\n"
        "note\ttext=something else\n";
    struct checked checked = {0};
    const char *line;

    (void)state;
    checked_read(&checked, report);
    assert_int_equal(checked.hazards, 1);
    assert_int_equal(checked.faults, 1);
    /* What concerns the driver's own lines is nobody's mistake. */
    assert_int_equal(checked.warnings, 2);
    assert_true(checked.by_driver);
    assert_string_equal(text_string(&checked.first_hazard),
                        "hazard: copy in (lab.cu:31, stream 3 of device 0) and "
                        "host read (the grader, host) touch the same bytes and "
                        "nothing orders them");
    assert_string_equal(text_string(&checked.first_fault),
                        "lab.cu:9: reads 8 bytes behind the end");
    assert_string_equal(text_string(&checked.first_warning),
                        "lab.cu:12: stream 3 is never destroyed");
    assert_int_equal(checked.warned, REPORTED(stream_left));
    line = checked_find(&checked, REPORTED_LEFT, NULL, NULL, NULL);
    assert_non_null(line);
    assert_int_equal(report_number(line, "stream"), 3);
    line = checked_find(&checked, REPORTED_LEFT, NULL, NULL, line);
    assert_non_null(line);
    assert_non_null(strstr(line, "lab.cu:13"));
    assert_null(checked_find(&checked, REPORTED_LEFT, NULL, NULL, line));
    assert_null(checked_find(&checked, REPORTED(event_left), NULL, NULL, NULL));
    assert_non_null(
        checked_find(&checked, REPORTED_WARNINGS, "at", "lab.cu:12", NULL));
    line = checked_find(&checked, REPORTED_HAZARDS, NULL, NULL, NULL);
    assert_non_null(line);
    assert_int_equal(report_does(line, "first_does"), DONE_BY(h2d));
    assert_int_equal(report_does(line, "second_does"), 0);
    assert_true(report_is_drivers(line, "second"));
    line = checked_find(&checked, REPORTED(past_end), NULL, NULL, NULL);
    assert_non_null(line);
    assert_int_equal(report_number(line, "bytes"), 8);
    assert_int_equal(report_number(line, "buffer"), 0);
    assert_int_equal(report_number(line, "device"), 0);
    checked_free(&checked);
    assert_int_equal(checked.hazards, 0);
}

static void test_empty_report(void **state)
{
    struct checked checked = {0};
    struct out fault = {0};

    (void)state;
    checked_read(&checked, "");
    assert_int_equal(checked.hazards + checked.faults + checked.warnings, 0);
    assert_null(checked_find(&checked, ~(reported_t)0, NULL, NULL, NULL));
    fault_find(&fault, "", "fault");
    assert_int_equal(fault.length, 0);
    /* A report that a killed program left in the middle of a line. */
    checked_read(&checked, "fault\tat=lab.cu:1");
    assert_int_equal(checked.faults, 1);
    checked_free(&checked);
}

/* CHECK prints two lines; the last such pair counts, whatever else is there. */
static void test_printed_error(void **state)
{
    struct api_error error;

    (void)state;
    api_error_find(&error, "hello\n"
                           "dir/lab.cu:7: cudaFree(p)\n"
                           "    cudaErrorInvalidValue: invalid argument\n"
                           "dir/lab.cu:23: cudaMemcpyAsync(a, b)\n"
                           "    cudaErrorIllegalAddress: an address\n"
                           "dir/lab.cu:30: nothing of CUDA's\n"
                           "bye\n");
    assert_string_equal(error.at, "lab.cu:23");
    assert_string_equal(error.call, "cudaMemcpyAsync");
    assert_string_equal(error.name, "cudaErrorIllegalAddress");
    api_error_find(&error, "grader/drivers/driver.cu:80: cudaFree(p)\n"
                           "    cudaErrorInvalidValue: invalid argument\n");
    assert_string_equal(error.at, "the grader");
    /* Cut off before it is complete. */
    api_error_find(&error, "lab.cu:7: cudaFree(p)\n");
    assert_string_equal(error.at, "");
}

/* The first error that is one stays. */
static void test_reported_error(void **state)
{
    struct made_case made;
    struct judgement unused = {0};
    char name[40] = "";
    const struct out *facts;

    (void)state;
    facts = &make_case(&made, "",
                       "ok pending=0/cudaSuccess late=700/cudaErrorA "
                       "other=1/cudaErrorB")
                 ->facts[0];
    error_take(name, sizeof name, facts, "pending");
    assert_string_equal(name, "");
    error_take(name, sizeof name, facts, "none");
    assert_string_equal(name, "");
    error_take(name, sizeof name, facts, "late");
    error_take(name, sizeof name, facts, "other");
    assert_string_equal(name, "cudaErrorA");
    free_case(&made, &unused);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_facts),
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_rounds),
        cmocka_unit_test(test_cipher_work),
        cmocka_unit_test(test_report),
        cmocka_unit_test(test_empty_report),
        cmocka_unit_test(test_printed_error),
        cmocka_unit_test(test_reported_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
