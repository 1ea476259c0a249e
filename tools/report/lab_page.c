/* lab_page.c: one lab's section of the report
 *
 * In the order in which a student asks: did it pass, how fast is it, what is
 * wrong, what next; behind that the evidence, checks and timelines. Everything
 * is read from files that others wrote, and each of them may be missing.
 */
#include "lab_page.h"

#include "bar.h"
#include "runs.h"
#include "words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/stat.h>

/* What has passed stays passed, as in plain `make` (tools/next). */
static void set_verdict(struct lab_page *page)
{
    const struct grade_result *g = &page->grade;
    char *const text = page->verdict;
    const size_t size = sizeof page->verdict;

    page->passed = page->passed_once || (g->graded && g->passed);
    if (page->passed && g->graded && !g->passed)
        snprintf(text, size, "passed before, last grade %g", g->score);
    else
        snprintf(text, size, "%s",
                 page->passed ? "passed"
                 : g->graded  ? "not passed yet"
                              : "not graded yet");
}

/* Of a demo there are the solution's grades, and no other. */
static void set_solution(struct lab_page *page)
{
    const struct grade_result *g = &page->solution;

    if (g->graded && !page->grade.graded && !page->passed)
        snprintf(page->verdict, sizeof page->verdict, "the solution %s",
                 g->passed ? "passes" : "does not pass");
}

/* What is missing stays zero, and the page says so; none of these files is a
 * reason not to make it. */
void lab_page_read(struct lab_page *page)
{
    char path[600];

    snprintf(path, sizeof path, "%.500s/%.2s.json", page->results, page->lab);
    results_read(path, page->lab, &page->grade);
    set_verdict(page);
    page->solution = (struct grade_result){.graded = false};
    if (page->reference) {
        snprintf(path, sizeof path, "%.500s/%.2s.json", page->reference,
                 page->lab);
        results_read(path, page->lab, &page->solution);
        set_solution(page);
    }
    snprintf(path, sizeof path, "%.500s/%.2s_student.trace", page->traces,
             page->lab);
    page->has_section = page->grade.graded || *page->grade.error ||
                        page->solution.graded || page->passed || page->force ||
                        access(path, F_OK) == 0;
    words_title(page->lab, page->title, sizeof page->title);
    page->has_quiz =
        words_quiz(page->lab, &page->quiz_right, &page->quiz_questions);
}

void lab_page_free(struct lab_page *page)
{
    results_free(&page->grade);
    results_free(&page->solution);
}

/* Classes of report.css; the words stand beside the colour in any case. Green
 * is for checks that are green, too. */
static const char *verdict_class(const struct lab_page *page)
{
    const struct grade_result *const g = &page->grade;

    if (!g->graded && page->solution.graded)
        return page->solution.passed ? "pass" : "fail";
    return page->passed && (!g->graded || g->passed) ? "pass"
           : g->graded && !page->passed              ? "fail"
                                                     : "none";
}

/* Times of the two kinds of GPU must not be compared: each grade says where it
 * was made. */
static void put_backend(const struct grade_result *g, struct out *o)
{
    tl_out_text(o, strcmp(g->backend, "cuda") == 0 ? "the GPU"
                                                   : "the virtual GPU");
    tl_out_text(o, *g->device ? ", " : "");
    tl_out_xml(o, g->device);
}

/* Who has no grade sees what the solution reaches here: the goal. */
static const struct grade_result *shown_grade(const struct lab_page *page)
{
    return page->grade.graded ? &page->grade : &page->solution;
}

/* What was not measured is a dash: an empty cell could be a mistake. Of a lab
 * that nobody has begun there is nothing to say. */
void lab_page_put_row(const struct lab_page *page, struct out *o)
{
    const struct grade_result *g = shown_grade(page);

    tl_out_text(o, "<tr><td>");
    if (page->has_section)
        tl_out_print(o, "<a href=\"#lab-%.2s\">", page->lab);
    tl_out_xml(o, page->title);
    if (!page->has_section && !page->has_quiz) {
        tl_out_print(o,
                     "</td><td class=\"verdict none\" colspan=\"6\">%s</td>"
                     "</tr>\n",
                     page->verdict);
        return;
    }
    tl_out_print(o, "%s</td><td class=\"verdict %s\">%s</td>",
                 page->has_section ? "</a>" : "", verdict_class(page),
                 page->verdict);
    if (g->graded)
        tl_out_print(o, "<td class=\"n\">%g of %g</td>", g->score,
                     g->max_score);
    else
        tl_out_text(o, "<td class=\"n\">-</td>");
    if (isnan(g->speedup) || !g->graded)
        tl_out_text(o, "<td class=\"n\">-</td><td class=\"n\">-</td>");
    else
        tl_out_print(o, "<td class=\"n\">%.2fx</td><td class=\"n\">%.2fx</td>",
                     g->speedup, g->bound);
    if (page->has_quiz)
        tl_out_print(o, "<td class=\"n\">%u of %u</td>", page->quiz_right,
                     page->quiz_questions);
    else
        tl_out_text(o, "<td class=\"n\">-</td>");
    tl_out_text(o, "<td>");
    if (g->graded)
        put_backend(g, o);
    else
        tl_out_text(o, "-");
    tl_out_text(o, "</td></tr>\n");
}

/* ---- the section --------------------------------------------------------- */

/* The student's file is newer than its grade. */
static bool is_outdated(const struct lab_page *page)
{
    char path[300];
    struct stat info;

    snprintf(path, sizeof path, "labs/%.200s/lab.cu", page->lab);
    return page->grade.graded && stat(path, &info) == 0 &&
           info.st_mtime > page->grade.when;
}

/* The verdict, and what may make it worth less: it was given to another file,
 * the file has changed since, or the grade cannot be read at all.
 */
static void put_verdict(const struct lab_page *page, struct out *o)
{
    const struct grade_result *g = &page->grade;
    char when[40] = "", own[300];

    snprintf(own, sizeof own, "labs/%.200s/lab.cu", page->lab);
    tl_out_print(o, "<p class=\"verdict %s\"><strong>%s</strong>",
                 verdict_class(page), page->verdict);
    if (g->graded) {
        strftime(when, sizeof when, "%Y-%m-%d %H:%M", localtime(&g->when));
        tl_out_print(o, "<span>%g of %g points</span><span>on ", g->score,
                     g->max_score);
        put_backend(g, o);
        tl_out_print(o, "</span><span>graded %s</span>", when);
        if (*g->file && strcmp(g->file, own) != 0) {
            tl_out_text(o, "<span>file ");
            tl_out_xml(o, g->file);
            tl_out_text(o, "</span>");
        }
    }
    if (page->has_quiz)
        tl_out_print(o, "<span>quiz: %u of %u</span>", page->quiz_right,
                     page->quiz_questions);
    tl_out_text(o, "</p>\n");
    if (*g->error) {
        tl_out_print(o,
                     "<p class=\"note\">The grade in %.2s.json is of no "
                     "use: ",
                     page->lab);
        tl_out_xml(o, g->error);
        tl_out_text(o, ".</p>\n");
    }
    if (!g->graded)
        tl_out_print(
            o, "<p>To grade yours: <code>make grade LAB=%.2s</code></p>\n",
            page->lab);
    else if (is_outdated(page))
        tl_out_print(o,
                     "<p class=\"note\">lab.cu has changed since: "
                     "<code>make grade LAB=%.2s</code></p>\n",
                     page->lab);
}

static void put_speed(const struct lab_page *page, struct out *o)
{
    const struct grade_result *g = shown_grade(page);
    const char *who = page->grade.graded ? "Yours" : "The reference solution";
    char id[20];

    if (!g->graded)
        return;
    tl_out_text(o, "<h3>Speed</h3>\n");
    if (isnan(g->speedup) || isnan(g->bound)) {
        tl_out_text(o, g->passed ? "<p>This lab's is not asked.</p>\n"
                                 : "<p>None: it is compared where the other "
                                   "checks pass, and where there is something "
                                   "to gain.</p>\n");
        return;
    }
    snprintf(id, sizeof id, "bar-%.2s", page->lab);
    tl_out_text(o, "<figure tabindex=\"0\">\n");
    bar_draw(g, who, id, o);
    tl_out_text(o, "<figcaption>");
    bar_put_words(g, who, o);
    tl_out_text(o, "</figcaption>\n</figure>\n");
}

/* Words beside the colour: the table must be read in print and by those who see
 * no difference of red and green. */
static void put_check(const struct check_result *check, struct out *o)
{
    const char *mark = check->passed ? "ok" : check->tried ? "no" : "-";

    tl_out_print(o, "<tr class=\"%s\"><td>%s</td><th scope=\"row\">",
                 check->passed  ? "pass"
                 : check->tried ? "fail"
                                : "none",
                 mark);
    tl_out_xml(o, check->name);
    tl_out_print(o, "</th><td class=\"n\">%g of %g</td><td>", check->score,
                 check->max_score);
    tl_out_xml(o, *check->line   ? check->line
                  : check->tried ? ""
                                 : check->diagnosis);
    tl_out_text(o, "</td></tr>\n");
}

static void put_checks(const struct grade_result *g, struct out *o)
{
    if (g->num_checks == 0)
        return;
    tl_out_text(o, "<h3>Checks</h3>\n<div class=\"scroll\"><table "
                   "class=\"checks\">\n<tr><th></th><th>check</th>"
                   "<th class=\"n\">points</th><th>seen</th></tr>\n");
    for (size_t i = 0; i < g->num_checks; i++)
        put_check(&g->checks[i], o);
    tl_out_text(o, "</table></div>\n");
}

/* Was the same mistake named by a check before this one? */
static bool is_repeated(const struct grade_result *g, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (*g->checks[i].id && strcmp(g->checks[k].id, g->checks[i].id) == 0)
            return true;
    return false;
}

/* What a compiler says has its own form, and its lines point at each other. */
static bool is_of_compiler(const struct check_result *check)
{
    return strncmp(check->id, "does-not-compile", 16) == 0;
}

/* A line of a diagnosis is a paragraph; escapes know no newline. What a
 * compiler said follows on the first one, and stays as it is. */
static void put_paragraphs(const char *text, bool compiler, struct out *o)
{
    bool first = true, code = false;

    while (*text) {
        size_t len = strcspn(text, "\n");
        char line[1000];

        snprintf(line, sizeof line, "%.*s", (int)len, text);
        if (len > 0 && compiler && !first && !code) {
            tl_out_text(o, "<pre tabindex=\"0\">");
            code = true;
        }
        if (len > 0 || code) {
            tl_out_text(o, code ? "" : "<p>");
            tl_out_xml(o, line);
            tl_out_text(o, code ? "\n" : "</p>\n");
        }
        first = false;
        text += len + (text[len] == '\n');
    }
    tl_out_text(o, code ? "</pre>\n" : "");
}

/* Checks that were not tried have only a reason for that, which the table of
 * checks shows. */
static void put_diagnoses(const struct lab_page *page, struct out *o)
{
    const struct grade_result *g = &page->grade;
    bool any = false;

    for (size_t i = 0; i < g->num_checks; i++) {
        const struct check_result *check = &g->checks[i];

        if (check->passed || !check->tried || !*check->diagnosis ||
            is_repeated(g, i))
            continue;
        tl_out_text(o, any ? "" : "<h3>What is wrong</h3>\n");
        any = true;
        tl_out_text(o, "<div class=\"diagnosis\"><p><strong>");
        tl_out_xml(o, check->name);
        tl_out_text(o, "</strong></p>\n");
        put_paragraphs(check->diagnosis, is_of_compiler(check), o);
        if (*check->read) {
            tl_out_print(o,
                         "<p>Read <code>labs/%.200s/README.md</code>, "
                         "<em>",
                         page->lab);
            tl_out_xml(o, check->read);
            tl_out_text(o, "</em>.</p>\n");
        }
        tl_out_text(o, "</div>\n");
    }
}

/* For who has tried and has a gap left. Not for others: a hint spoils; and not
 * where the compiler has said what is next. */
static void put_hints(const struct lab_page *page, struct out *o)
{
    const struct grade_result *const g = &page->grade;
    unsigned todo = words_first_todo(page->lab);
    struct out hints = {0};

    if (!g->graded || g->passed || todo == 0 ||
        (g->num_checks > 0 && is_of_compiler(&g->checks[0])))
        return;
    words_put_hints(page->lab, todo, &hints);
    if (hints.length > 0) {
        tl_out_text(o, "<h3>Hint</h3>\n<div class=\"hint\">\n");
        tl_out_bytes(o, hints.data, hints.length);
        tl_out_print(o,
                     "<p>The next one: <code>make hint LAB=%.2s</code></p>\n"
                     "</div>\n",
                     page->lab);
    }
    tl_out_free(&hints);
}

/* The solution's grade where there is no other. */
static const char *baseline_of(const struct lab_page *page)
{
    return page->grade.graded      ? page->grade.baseline
           : page->solution.graded ? page->solution.baseline
                                   : "without overlap";
}

/* The solution's timeline is an answer, so it is shown to who has passed. Where
 * nothing of all that is there, the heading is left out, too.
 */
static void put_timelines(const struct lab_page *page, struct out *o)
{
    static const char *const names[] = {"baseline", "student", "solution"};
    char baseline[64];
    const char *const titles[] = {baseline, "Your lab.cu", "The solution"};
    char paths[3][600], id[20];
    const char *files[3];
    struct out runs = {0};
    unsigned num = page->passed || page->force ? 3 : 2;

    snprintf(baseline, sizeof baseline, "%s", baseline_of(page));
    if (*baseline >= 'a' && *baseline <= 'z')
        *baseline += 'A' - 'a';
    for (unsigned i = 0; i < 3; i++) {
        snprintf(paths[i], sizeof paths[i], "%.500s/%.2s_%s.trace",
                 page->traces, page->lab, names[i]);
        files[i] = paths[i];
    }
    /* A baseline alone is what a demo left behind. */
    if (access(paths[1], F_OK) != 0 && !page->solution.graded && !page->force)
        return;
    snprintf(id, sizeof id, "timeline-%.2s", page->lab);
    runs_put(files, titles, num, id, &runs);
    if (runs.length > 0) {
        tl_out_text(o, "<h3>Timeline</h3>\n");
        if (shown_grade(page)->graded && !isnan(shown_grade(page)->speedup))
            tl_out_text(o, "<p class=\"note\">One case, of a size that is the "
                           "same for everybody. The speed above is the lowest "
                           "of all cases, of sizes that are drawn for each "
                           "file: so it may differ.</p>\n");
        tl_out_bytes(o, runs.data, runs.length);
    }
    o->failed |= runs.failed;
    tl_out_free(&runs);
}

void lab_page_put(const struct lab_page *page, struct out *o)
{
    if (!page->has_section)
        return;
    tl_out_print(o,
                 "<section class=\"lab%s\" id=\"lab-%.2s\" "
                 "aria-labelledby=\"title-%.2s\">\n<h2 id=\"title-%.2s\">",
                 page->grade.graded || page->solution.graded ? " graded" : "",
                 page->lab, page->lab, page->lab);
    tl_out_xml(o, page->title);
    tl_out_text(o, "</h2>\n");
    put_verdict(page, o);
    put_speed(page, o);
    put_diagnoses(page, o);
    put_hints(page, o);
    put_checks(&page->grade, o);
    put_timelines(page, o);
    tl_out_text(o, "</section>\n");
}
