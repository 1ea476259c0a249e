/* class.c: a class as files to make
 *
 * Names of submissions are whatever somebody typed, and make, the shell and a
 * table each have characters that they cannot bear. So each file that counts is
 * copied to where it is graded, below a name that all can bear, and from there
 * on a student is a number in the round's list. A copy is written only where it
 * differs: its time tells make what is to be graded again.
 */
#include "class.h"

#include "lines.h"
#include "names.h"
#include "submissions.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vgpu/input_file.h"

/* ROOM: for a row, which has two names of files. */
enum {
    MOST_NAME = 160,
    FIELDS = 6,
    ROOM = 3 * PATH_MAX,
    MOST_READ = 256 << 20 /* the table of a large class */
};

struct plan {
    const char *out;
    struct submissions in;
    bool one_lab;
    char *sites; /* the table of tools/unpack-class, or NULL */
    /* all: what make is to make, for one line. In lines of its own it would be
     * looked through from the first to append each. */
    struct out rows, rules, all;
};

/* A file as text with an end. Return: NULL with errno. */
static char *read_all(const char *path, size_t *length)
{
    FILE *file = input_file_read(path, MOST_READ);
    char bytes[4096];
    struct out o = {0};
    size_t got;

    if (!file)
        return NULL;
    while ((got = fread(bytes, 1, sizeof bytes, file)) > 0)
        tl_out_bytes(&o, bytes, got);
    fclose(file);
    tl_out_text(&o, "");
    *length = o.length;
    return o.failed ? NULL : o.data;
}

/* ---- copies -------------------------------------------------------------- */

/* A student's name as make and the shell can bear it: what is neither letter
 * nor digit is "+" and its number. A long one ends in a sum of all of it. */
static void key_of(const char *student, char key[MOST_NAME + 40])
{
    uint64_t sum = 14695981039346656037u;
    size_t at = 0;

    for (const char *s = student; *s; s++) {
        const unsigned char ch = (unsigned char)*s;
        const bool plain = (ch | 32) >= 'a' && (ch | 32) <= 'z';

        sum = (sum ^ ch) * 1099511628211u;
        if (at >= MOST_NAME)
            continue;
        if (plain || (ch >= '0' && ch <= '9') || ch == '_' || ch == '-')
            key[at++] = *s;
        else
            at += (size_t)sprintf(key + at, "+%02x", ch);
    }
    key[at] = '\0';
    if (at >= MOST_NAME)
        sprintf(key + at, "+-%016llx", (unsigned long long)sum);
}

/* Return: false with errno; what was there before is then still there. */
static bool keep_copy(const char *path, const struct out *text)
{
    FILE *old = input_file_read(path, MOST_READ);
    char bytes[4096];
    size_t at = 0, got;
    bool same = old != NULL;

    while (same && (got = fread(bytes, 1, sizeof bytes, old)) > 0) {
        same = got <= text->length - at &&
               memcmp(bytes, text->data + at, got) == 0;
        at += got;
    }
    if (old)
        fclose(old);
    return (same && at == text->length) || tl_out_write(text, path);
}

/* A lab whose folder has `flags` takes them from students, too. Where one has
 * none the copy is empty: that may have been different the last time. */
static bool takes_flags(const char *lab)
{
    char path[PATH_MAX];

    snprintf(path, sizeof path, "labs/%s/flags", lab);
    return access(path, F_OK) == 0;
}

/* x.flags beside x.cu, or `flags` in a folder of the student's own; a browser
 * may have put ".txt" behind. */
static void copy_flags(const struct plan *c, struct found *f, const char *to)
{
    const char *slash = strrchr(f->file, '/');
    const char *const own = slash ? slash + 1 : f->file;
    const int folder = (int)(own - f->file), stem = (int)name_stem(own);
    struct out text = {0};
    char path[PATH_MAX + 16];

    for (int i = 0; i < 4; i++) {
        if (i >= 2 && !slash)
            break;
        snprintf(path, sizeof path, "%.*s%sflags%s",
                 folder + (i < 2 ? stem : 0), f->file, i < 2 ? "." : "",
                 i % 2 ? ".txt" : "");
        if (submissions_read(&c->in, path, f, &text))
            break;
    }
    if (!*f->trouble && !keep_copy(to, &text))
        submissions_say(f, "cannot write %s: %s", to, strerror(errno));
    tl_out_free(&text);
}

static void copy_file(const struct plan *c, struct found *f, const char *lab,
                      const char *key)
{
    struct out text = {0};
    char path[PATH_MAX];

    snprintf(path, sizeof path, "%s/%.2s/%s", c->out, lab, key);
    if (mkdir(path, 0777) != 0 && errno != EEXIST) {
        submissions_say(f, "cannot make %s: %s", path, strerror(errno));
        return;
    }
    submissions_read(&c->in, f->file, f, &text);
    snprintf(path, sizeof path, "%s/%.2s/%s/lab.cu", c->out, lab, key);
    if (!*f->trouble && !keep_copy(path, &text))
        submissions_say(f, "cannot write %s: %s", path, strerror(errno));
    tl_out_free(&text);
    snprintf(path, sizeof path, "%s/%.2s/%s/flags", c->out, lab, key);
    if (!*f->trouble && takes_flags(lab))
        copy_flags(c, f, path);
}

/* What a student's own copy of the course says of how it went, for the report:
 * all that was graded there, and the quizzes. In one file, OUT/state/KEY. */
static void copy_state(const struct plan *c, const struct entry *e, char **labs)
{
    char path[PATH_MAX], key[MOST_NAME + 40];
    struct found ignored = {0};
    struct out all = {0};

    if (!e->folder)
        return;
    snprintf(path, sizeof path, "%s/build/state/progress", e->name);
    submissions_read(&c->in, path, &ignored, &all);
    for (; *labs; labs++) {
        struct out quiz = {0};

        snprintf(path, sizeof path, "%s/build/state/quiz/%.2s", e->name, *labs);
        if (submissions_read(&c->in, path, &ignored, &quiz) && quiz.data)
            tl_out_print(&all, "\nquiz %.2s %s", *labs, quiz.data);
        tl_out_free(&quiz);
    }
    key_of(e->student, key);
    snprintf(path, sizeof path, "%s/state", c->out);
    if (all.length > 0)
        mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/state/%s", c->out, key);
    if (all.length > 0 && !tl_out_write(&all, path))
        fprintf(stderr, "grade-class: cannot write %s: %s\n", path,
                strerror(errno));
    tl_out_free(&all);
}

/* ---- the round ----------------------------------------------------------- */

static void put_word(struct out *o, const char *word)
{
    tl_out_bytes(o, word, strlen(word) + 1);
}

/* What the table of a course site says of a student: NAME, LATE, SITE, NUMBER,
 * WHY, with tabs between.
 * @why  set to why nothing of it can be graded, if that is so
 * Return: "late" or "" */
static const char *ask_site(const struct plan *c, const char *student,
                            char why[300])
{
    const size_t length = strlen(student);
    const char *at = c->sites;

    for (; at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL) {
        const char *const end = at + strcspn(at, "\n"), *tab = end;

        if (strncmp(at, student, length) != 0 || at[length] != '\t')
            continue;
        while (tab[-1] != '\t')
            tab--;
        if (tab < end)
            snprintf(why, 300, "%.*s", (int)(end - tab), tab);
        return strncmp(at + length + 1, "late\t", 5) == 0 ? "late" : "";
    }
    return "";
}

/* A grade that is not whole any more is made again, as if it were not there. */
static void drop_torn(const struct plan *c, const char *lab, const char *key)
{
    char path[PATH_MAX];
    struct grade_result g;

    snprintf(path, sizeof path, "%s/%.2s/%s.json", c->out, lab, key);
    if (access(path, F_OK) != 0)
        return;
    results_read(path, lab, &g);
    if (!g.graded)
        remove(path);
    results_free(&g);
}

/* A file that cannot be graded is told of now; that a student of many labs has
 * not begun one of them is in the table only. */
static void plan_one(struct plan *c, const struct entry *e, const char *lab)
{
    const size_t row = c->rows.length; /* where it begins */
    char key[MOST_NAME + 40];
    struct submission told = {.student = e->student, .result.lab = lab};
    struct found f;

    key_of(e->student, key);
    submissions_find(&c->in, e, lab, c->one_lab, &f);
    told.late = ask_site(c, e->student, f.trouble);
    if (!*f.trouble)
        copy_file(c, &f, lab, key);
    put_word(&c->rows, e->student);
    put_word(&c->rows, f.file);
    put_word(&c->rows, lab);
    put_word(&c->rows, key);
    put_word(&c->rows, f.trouble);
    put_word(&c->rows, told.late);
    if (!*f.trouble) {
        drop_torn(c, lab, key);
        tl_out_print(&c->all, " %.2s/%s.json", lab, key);
        tl_out_print(&c->rules, "%.2s/%s.json: ", lab, key);
        tl_out_print(&c->rules, "%.2s/.tools %.2s/%s/lab.cu", lab, lab, key);
        if (takes_flags(lab))
            tl_out_print(&c->rules, " %.2s/%s/flags", lab, key);
        /* No shell between: what ends make ends the grading. */
        tl_out_print(&c->rules, "\n\t@exec \"$$CLASS\" --one %zu %s\n", row,
                     lab);
    } else if (c->one_lab || strcmp(f.trouble, "no file") != 0) {
        struct out o = {0};

        results_read("", lab, &told.result.grade);
        told.trouble = f.trouble;
        lines_put_row(&told, &o);
        tl_out_write(&o, "-");
        tl_out_free(&o);
    }
}

static bool write_round(const struct plan *c, const char *name,
                        const struct out *o)
{
    char path[PATH_MAX];

    snprintf(path, sizeof path, "%s/.round/%s", c->out, name);
    if (tl_out_write(o, path))
        return true;
    fprintf(stderr, "grade-class: cannot write %s: %s\n", path,
            strerror(errno));
    return false;
}

int class_plan(const char *out, const char *dir, char **labs)
{
    struct plan c = {.out = out, .one_lab = labs[0] && !labs[1]};
    char path[PATH_MAX];
    size_t length;
    bool good;

    if (!submissions_open(&c.in, dir)) {
        fprintf(stderr, "grade-class: cannot read %s: %s\n", dir,
                strerror(errno));
        return 2;
    }
    if (c.in.num == 0) {
        fprintf(stderr, "grade-class: there is no submission in %s\n", dir);
        return 2;
    }
    snprintf(path, sizeof path, "%s/unpacked.tsv", out);
    c.sites = read_all(path, &length);
    for (size_t i = 0; i < c.in.num; i++)
        copy_state(&c, &c.in.entries[i], labs);
    tl_out_text(&c.rules, "all:\n");
    for (; *labs; labs++)
        for (size_t i = 0; i < c.in.num; i++)
            /* Both of two are one row. */
            if (i == 0 || strcmp(c.in.entries[i - 1].student,
                                 c.in.entries[i].student) != 0)
                plan_one(&c, &c.in.entries[i], *labs);
    /* Each is whole once it is there: an interrupted make removes none. */
    tl_out_print(&c.rules, "all .PRECIOUS:%s\n", c.all.data ? c.all.data : "");
    c.rules.failed |= c.all.failed;
    good =
        write_round(&c, "rows", &c.rows) && write_round(&c, "rules", &c.rules);
    /* The rest ends with the program. */
    return good ? 0 : 2;
}

/* ---- what came of it ----------------------------------------------------- */

/* Is @path there, and not older than what it was made of? */
static bool is_current(const char *path, const char *of)
{
    struct stat made, from;

    return stat(path, &made) == 0 &&
           (stat(of, &from) != 0 || made.st_mtim.tv_sec > from.st_mtim.tv_sec ||
            (made.st_mtim.tv_sec == from.st_mtim.tv_sec &&
             made.st_mtim.tv_nsec >= from.st_mtim.tv_nsec));
}

struct row {
    const char *student, *file, *lab, *key, *trouble, *late;
    char json[MOST_NAME + 60], why[400];
};

/* Return: the place behind the row. */
static const char *take_row(struct row *r, const char *at)
{
    const char **words[FIELDS] = {&r->student, &r->file,    &r->lab,
                                  &r->key,     &r->trouble, &r->late};

    for (int i = 0; i < FIELDS; i++) {
        *words[i] = at;
        at += strlen(at) + 1;
    }
    return at;
}

/* A grade that is older than the file, its options or the tools is of something
 * else: it counts as little as none. The same is true of why there was none. */
static bool is_of_now(const char *out, const struct row *r, const char *path)
{
    char of[PATH_MAX];
    bool current = true;

    snprintf(of, sizeof of, "%s/%.2s/.tools", out, r->lab);
    current = current && is_current(path, of);
    snprintf(of, sizeof of, "%s/%.2s/%s/lab.cu", out, r->lab, r->key);
    current = current && is_current(path, of);
    snprintf(of, sizeof of, "%s/%.2s/%s/flags", out, r->lab, r->key);
    return current && is_current(path, of);
}

/* @trouble  of just now, or "" */
static void read_row(const char *out, struct row *r, const char *trouble,
                     struct submission *s)
{
    char path[PATH_MAX];
    FILE *file;

    snprintf(r->json, sizeof r->json, "%.2s/%s.json", r->lab, r->key);
    *s = (struct submission){.student = r->student,
                             .file = r->file,
                             .json = "",
                             .late = r->late,
                             .result.lab = r->lab};
    snprintf(path, sizeof path, "%s/%s", out, r->json);
    snprintf(r->why, sizeof r->why, "%s", *trouble ? trouble : r->trouble);
    if (!*r->why && is_of_now(out, r, path)) {
        results_read(path, r->lab, &s->result.grade);
        s->json = r->json;
        return;
    }
    results_read("", r->lab, &s->result.grade);
    strcpy(path + strlen(path) - 4, "txt");
    if (!*r->why && is_of_now(out, r, path) &&
        (file = input_file_read(path, MOST_READ))) {
        if (!fgets(r->why, sizeof r->why, file))
            *r->why = '\0';
        fclose(file);
    }
    s->to_do = !*r->why;
    if (s->to_do)
        strcpy(r->why, "not graded yet");
    r->why[strcspn(r->why, "\n")] = '\0';
    s->trouble = r->why;
}

/* Only this row is read: a round asks for each of them.
 * @words  room for it, three paths long */
static bool load_row(const char *out, size_t where, char *words, struct row *r)
{
    char path[PATH_MAX];
    FILE *file;
    bool good;

    snprintf(path, sizeof path, "%s/.round/rows", out);
    file = input_file_read(path, LLONG_MAX);
    good = file && fseeko(file, (off_t)where, SEEK_SET) == 0 &&
           fread(words, 1, ROOM - FIELDS, file) > 0;
    if (file)
        fclose(file);
    if (good)
        take_row(r, words);
    else
        fprintf(stderr, "grade-class: cannot read %s: %s\n", path,
                strerror(errno));
    return good;
}

static bool show_row(const char *out, struct row *r, const char *trouble)
{
    struct submission s;
    struct out o = {0};
    bool good;

    read_row(out, r, trouble, &s);
    lines_put_row(&s, &o);
    good = tl_out_write(&o, "-");
    results_free(&s.result.grade);
    tl_out_free(&o);
    return good;
}

int class_row(const char *out, size_t where)
{
    char words[ROOM] = "";
    struct row r;

    if (!load_row(out, where, words, &r))
        return 2;
    return show_row(out, &r, "") ? 0 : 1;
}

/* ---- one grading --------------------------------------------------------- */

/* Behind .round/WHERE, what a grading has there: copies in a folder of its own,
 * what the grader leaves, and then the folder. */
enum { COPIES = 2 };
static const char *const pieces[] = {"/lab.cu", "/flags", ".json", ".log", ""};

int class_begin(const char *out, size_t where)
{
    char from[PATH_MAX], to[PATH_MAX], words[ROOM] = "";
    struct row r;
    bool good = true;

    if (!load_row(out, where, words, &r))
        return 2;
    snprintf(to, sizeof to, "%s/.round/%zu", out, where);
    mkdir(to, 0777); /* of a task on a node that was lost it is there */
    for (int i = 0; i < COPIES; i++) {
        struct out o = {0};

        snprintf(from, sizeof from, "%s/%.2s/%s%s", out, r.lab, r.key,
                 pieces[i]);
        snprintf(to, sizeof to, "%s/.round/%zu%s", out, where, pieces[i]);
        o.data = read_all(from, &o.length);
        good = good && ((!o.data && i > 0) || tl_out_write(&o, to));
        tl_out_free(&o);
    }
    if (!good)
        fprintf(stderr, "grade-class: cannot write %s: %s\n", to,
                strerror(errno));
    return good ? 0 : 2;
}

/* A grade says lab.cu:29, and not where that lay here: it is for the student's
 * eyes, too. The folder is what its "file" begins with. */
static void put_without_folder(struct out *o, const char *text)
{
    static const char before[] = "\"file\": \"";
    const char *from = strstr(text, before), *end, *next;
    struct out folder = {0};

    from = from ? from + strlen(before) : NULL;
    end = from ? strstr(from, "/lab.cu\",\n") : NULL;
    if (end) {
        tl_out_bytes(&folder, from, (size_t)(end + 1 - from));
        for (; (next = strstr(text, folder.data)); text = next + folder.length)
            tl_out_bytes(o, text, (size_t)(next - text));
    }
    tl_out_text(o, text);
    o->failed |= folder.failed;
    tl_out_free(&folder);
}

/* Moves a grade that is of use to where it counts, for others without the
 * folder. Return: why there is none, or "". */
static const char *keep_grade(const char *json, const char *to, const char *lab)
{
    static char why[PATH_MAX + 40];
    struct grade_result g;
    struct out o = {0};
    size_t length;
    char *text;

    results_read(json, lab, &g);
    snprintf(why, sizeof why, "%s", g.graded ? "" : g.error);
    if (!g.graded && !*why)
        strcpy(why, "the grader left no grade");
    results_free(&g);
    if (*why)
        return why;
    text = read_all(json, &length);
    if (text)
        put_without_folder(&o, text);
    if (!text || !tl_out_write(&o, to))
        snprintf(why, sizeof why, "cannot write %s", to);
    free(text);
    tl_out_free(&o);
    return why;
}

int class_end(const char *out, size_t where, const char *trouble)
{
    char json[PATH_MAX], to[PATH_MAX], words[ROOM] = "";
    struct out o = {0};
    struct row r;

    if (!load_row(out, where, words, &r))
        return 2;
    snprintf(json, sizeof json, "%s/.round/%zu.json", out, where);
    snprintf(to, sizeof to, "%s/%.2s/%s.json", out, r.lab, r.key);
    if (!*trouble)
        trouble = keep_grade(json, to, r.lab);
    if (*trouble)
        unlink(to);
    strcpy(to + strlen(to) - 4, "txt");
    unlink(to);
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        snprintf(json, sizeof json, "%s/.round/%zu%s", out, where, pieces[i]);
        remove(json); /* on a full disk that is the room for the next line */
    }
    tl_out_print(&o, "%s\n", trouble);
    if (*trouble)
        tl_out_write(&o, to);
    tl_out_free(&o);
    return show_row(out, &r, trouble) ? 0 : 1;
}

/* ---- the tables ---------------------------------------------------------- */

/* Writes OUT/WHERE/grades.csv and begins the next one. */
static bool write_csv(const char *out, const char *where, struct out *csv)
{
    char path[PATH_MAX];
    bool good;

    snprintf(path, sizeof path, "%s/%s/grades.csv", out, where);
    good = tl_out_write(csv, path);
    if (!good)
        fprintf(stderr, "grade-class: cannot write %s: %s\n", path,
                strerror(errno));
    tl_out_free(csv);
    return good;
}

/* Rows are in the order of the labs: a table ends where the next lab begins. */
int class_collect(const char *out)
{
    unsigned graded = 0, passed = 0, to_do = 0, num = 0;
    struct out one = {0}, all = {0};
    size_t length;
    char path[PATH_MAX], *rows, where[3] = "";
    bool good;
    struct row r;

    snprintf(path, sizeof path, "%s/.round/rows", out);
    rows = read_all(path, &length);
    good = rows != NULL;
    if (!good)
        fprintf(stderr, "grade-class: cannot read %s: %s\n", path,
                strerror(errno));
    lines_put_csv_header(&all);
    for (const char *at = rows; at && at < rows + length; num++) {
        struct submission s;

        at = take_row(&r, at);
        if (strncmp(where, r.lab, 2) != 0) {
            good = (!*where || write_csv(out, where, &one)) && good;
            snprintf(where, sizeof where, "%.2s", r.lab);
            lines_put_csv_header(&one);
        }
        read_row(out, &r, "", &s);
        graded += s.result.grade.graded;
        passed += s.result.grade.passed;
        to_do += s.to_do;
        lines_put_csv(&s, &one);
        lines_put_csv(&s, &all);
        results_free(&s.result.grade);
    }
    good = good && write_csv(out, where, &one) && write_csv(out, ".", &all);
    printf("%u graded, %u passed, %u without a grade", graded, passed,
           num - graded - to_do);
    if (to_do > 0)
        printf(", %u still to do", to_do);
    printf(": %s/grades.csv\n", out);
    free(rows);
    return good ? 0 : 2;
}
