/* test_grade_words.c: the words for a mistake, and a verdict made of them */
#include "test_grade.h"

#include "grade/verdict.h"

static struct words make_words(const char *own, const char *common)
{
    struct words words = {{0}, {0}};

    text_printf(&words.own, "%s", own);
    text_printf(&words.common, "%s", common);
    return words;
}

static const char own[] = "# Mistakes of lab 90\n\n- {idea}: In chunks\n\n"
                          "## tail\n\nThe last {left} of {entries} entries\n"
                          "are left out.\n<!-- no submission: a comment -->\n"
                          "\nRead: {idea}\n\n"
                          "## tail/all\n\nAll of them.\n\n## leak\n\nOurs.\n";
static const char common[] = "## leak\n\nTheirs.\n\n## hang\n\nIt hangs at "
                             "{at}, {unknown} {not a key} {.\n";

static void expect(const struct words *words, struct finding finding,
                   const struct case_run *run, const char *sentence,
                   const char *read)
{
    struct out said = {0}, heading = {0};

    words_find(words, &finding, run, &said, &heading);
    assert_string_equal(text_string(&said), sentence);
    assert_string_equal(text_string(&heading), read);
    tl_out_free(&said);
    tl_out_free(&heading);
}

static void test_sections(void **state)
{
    struct words words = make_words(own, common);
    struct made_case made;
    struct case_run *const run = make_case(&made, "entries=10 streams=7", "");

    (void)state;
    strcpy(run->error.at, "lab.cu:7");
    expect(&words, mistake_with("tail", "left=%d", 3), run,
           "The last 3 of 10 entries are left out.", "In chunks");
    expect(&words, mistake("tail/all"), run, "All of them.", "What to do");
    /* The lab's own section goes first. */
    expect(&words, mistake("leak"), run, "Ours.", "What to do");
    expect(&words, mistake("hang"), run,
           "It hangs at lab.cu:7, {unknown} {not a key} {.", "What to do");
    expect(&words, mistake_at("hang", "/home/s/lab.cu:3"), run,
           "It hangs at lab.cu:3, {unknown} {not a key} {.", "What to do");
    /* Nobody wrote any words: a grade is not lost for it. */
    expect(&words, mistake("unheard-of"), NULL, "unheard-of", "");
    /* "tail" is no section of its own there, and "hang" not "han". */
    expect(&words, mistake("han"), NULL, "han", "");
    words_free(&words);
    tl_out_free(&made.run.facts[0]);
}

/* Values win over the case, and what a value holds is not filled in again. */
static void test_values(void **state)
{
    struct words words = make_words("## a\n\n{entries} {x} {todo}\n", "");
    struct made_case made;
    struct case_run *const run = make_case(&made, "entries=10", "x=fact");

    (void)state;
    made.evidence.first_todo = 2;
    expect(&words, mistake("a"), run, "10 fact 2", "What to do");
    expect(&words, mistake_with("a", "entries=%s\nx=%s", "{x}", "two words"),
           run, "{x} two words 2", "What to do");
    words_free(&words);
    tl_out_free(&made.run.facts[0]);
}

/* ---- verdicts ------------------------------------------------------------ */

static const struct lab_case cases[] = {{.name = "first", .points = 15},
                                        {.name = "second", .points = 80}};
static const struct lab_rules lab = {
    .name = "90_sample", .cases = cases, .num_cases = 2};

static void make_verdict(struct verdict *verdict, struct evidence *evidence,
                         struct case_result *results, struct words *words)
{
    memset(evidence, 0, sizeof *evidence);
    memset(results, 0, 2 * sizeof *results);
    *words = make_words(own, common);
    evidence->lab = &lab;
    evidence->words = words;
    evidence->cases = results;
    for (int i = 0; i < 2; i++) {
        results[i].run.rules = &cases[i];
        results[i].run.evidence = evidence;
        judge_pass(&results[i].judgement, "fine");
    }
    (void)verdict;
}

static void free_verdict(struct verdict *verdict, struct case_result *results,
                         struct words *words)
{
    for (int i = 0; i < 2; i++)
        tl_out_free(&results[i].judgement.seen);
    verdict_free(verdict);
    words_free(words);
}

static void test_all_passed(void **state)
{
    struct verdict verdict;
    struct evidence evidence;
    struct case_result results[2];
    struct words words;

    (void)state;
    make_verdict(&verdict, &evidence, results, &words);
    verdict_make(&verdict, &evidence, "lab.cu");
    assert_true(verdict.passed);
    assert_float_equal(verdict.score, 100, 1e-9);
    assert_int_equal(verdict.max_score, 100);
    assert_int_equal(verdict.num_checks, 3);
    assert_null(verdict_first_finding(&verdict));
    free_verdict(&verdict, results, &words);
}

static void test_part_of_the_points(void **state)
{
    struct verdict verdict;
    struct evidence evidence;
    struct case_result results[2];
    struct words words;
    const struct check *check;

    (void)state;
    make_verdict(&verdict, &evidence, results, &words);
    judge_fail(&results[0].judgement, mistake("tail/all"), "half");
    results[0].judgement.share = 0.51;
    results[1].judgement.speed.known = true;
    results[1].judgement.speed.eta = 0.9;
    verdict_make(&verdict, &evidence, "lab.cu");
    assert_false(verdict.passed);
    /* Half points are the smallest: 7.65 is 7.5. */
    assert_float_equal(verdict.score, 5 + 7.5 + 80, 1e-9);
    /* What is wrong has no speed. */
    assert_false(verdict.speed.known);
    assert_ptr_equal(verdict.failed, &verdict.checks[1]);
    check = verdict_first_finding(&verdict);
    assert_non_null(check);
    assert_string_equal(check->name, "first");
    /* The name of the mistake is one, in whatever words. */
    assert_string_equal(check->mistake, "tail");
    assert_string_equal(text_string(&check->sentence), "All of them.");
    free_verdict(&verdict, results, &words);
}

/* A check that is skipped since one before it was slow has not failed: the
 * times are compared. */
static void test_skipped_after_a_slow_one(void **state)
{
    struct verdict verdict;
    struct evidence evidence;
    struct case_result results[2];
    struct words words;

    (void)state;
    make_verdict(&verdict, &evidence, results, &words);
    judge_fail(&results[0].judgement, mistake("tail/all"), "slow");
    results[0].judgement.speed.known = true;
    results[1].judgement.passed = false;
    results[1].judgement.skipped = true;
    verdict_make(&verdict, &evidence, "lab.cu");
    assert_false(verdict.passed);
    assert_null(verdict.failed);
    assert_true(verdict.speed.known);
    assert_string_equal(text_string(&verdict.checks[1].seen), "slow");
    free_verdict(&verdict, results, &words);
}

/* Three ways not to become a program, each with words of its own. */
static void test_does_not_compile(void **state)
{
    static const struct {
        enum build_result built;
        const char *id;
    } ways[] = {{BUILD_STUDENT, "does-not-compile"},
                {BUILD_UNLINKED, "does-not-compile/link"},
                {BUILD_REFUSED, "does-not-compile/refused"}};

    (void)state;
    for (int i = 0; i < 3; i++) {
        struct verdict verdict;
        struct evidence evidence;
        struct case_result results[2];
        struct words words;

        make_verdict(&verdict, &evidence, results, &words);
        evidence.built = ways[i].built;
        text_printf(&evidence.messages, "lab.cu:3: error: no");
        verdict_make(&verdict, &evidence, "lab.cu");
        assert_false(verdict.passed);
        assert_float_equal(verdict.score, 0, 1e-9);
        assert_true(verdict.checks[1].skipped && verdict.checks[2].skipped);
        assert_string_equal(verdict.checks[0].mistake, "does-not-compile");
        assert_string_equal(verdict.checks[0].finding.id, ways[i].id);
        tl_out_free(&evidence.messages);
        free_verdict(&verdict, results, &words);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sections),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_all_passed),
        cmocka_unit_test(test_part_of_the_points),
        cmocka_unit_test(test_skipped_after_a_slow_one),
        cmocka_unit_test(test_does_not_compile),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
