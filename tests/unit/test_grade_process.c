/* test_grade_process.c: whom the grader finds of what a program started, how
 * much of /proc it reads for that, and what a program said before it ended */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process.h"
#include "base/text.h"
#include "cage/child.h"

enum { OTHERS = 150 };

static bool spare_all(pid_t session)
{
    (void)session;
    return true;
}

static void *sleep_long(void *none)
{
    pause();
    return none;
}

/* A program with a thread and a child, in a session of its own, which has said
 * that all of it is there. */
static pid_t start_program(void)
{
    int ends[2];
    char byte;
    pid_t pid;

    assert_int_equal(pipe(ends), 0);
    pid = fork();
    if (pid == 0) {
        pthread_t thread;

        setsid();
        pthread_create(&thread, NULL, sleep_long, NULL);
        if (fork() == 0 || write(ends[1], "", 1) == 1)
            pause();
        _exit(0);
    }
    assert_int_equal(read(ends[0], &byte, 1), 1);
    close(ends[0]);
    close(ends[1]);
    return pid;
}

/* How often this process has read, -1 where the kernel does not count. */
static long count_reads(void)
{
    FILE *const file = fopen("/proc/self/io", "r");
    long reads = -1;

    if (file == NULL ||
        fscanf(file, "rchar: %*d wchar: %*d syscr: %ld", &reads) != 1)
        reads = -1;
    if (file)
        fclose(file);
    return reads;
}

/* A thread is no process. Both ways find as many, and kill them: the last is
 * not gone at once where an emulator knows no subreaper, for another process
 * waits for it then. */
static void test_session(void **state)
{
    for (int whole = 0; whole < 2; whole++) {
        const pid_t session = start_program();
        uint64_t resident = 0;

        assert_int_equal(
            process_visit_session(session, whole, spare_all, &resident), 2);
        assert_true(resident > 0);
        process_visit_session(session, whole, spare_all, NULL);
        assert_int_equal(waitpid(session, NULL, 0), session);
        while (process_visit_session(session, whole, spare_all, NULL) > 0 ||
               waitpid(-1, NULL, WNOHANG) >= 0)
            ;
    }
    (void)state;
}

/* What else the machine runs costs nothing. */
static void test_others(void **state)
{
    const pid_t own = getpid();
    pid_t others[OTHERS], session;
    long whole, few;

    for (int i = 0; i < OTHERS; i++) {
        others[i] = fork();
        if (others[i] == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            if (getppid() == own)
                pause();
            _exit(0);
        }
    }
    session = start_program();
    whole = count_reads();
    process_visit_session(session, true, spare_all, &(uint64_t){0});
    whole = count_reads() - whole;
    few = count_reads();
    process_visit_session(session, false, spare_all, &(uint64_t){0});
    few = count_reads() - few;
    process_visit_session(session, false, spare_all, NULL);
    for (int i = 0; i < OTHERS; i++)
        kill(others[i], SIGKILL);
    while (wait(NULL) > 0)
        ;
    if (whole > 0) {
        assert_true(whole > OTHERS);
        assert_true(few < whole - OTHERS / 2);
    }
    (void)state;
}

static void test_filter(void **state)
{
    struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    const struct sock_fprog program = {1, &allow};
    int ends[2];
    char set;
    pid_t pid;

    assert_int_equal(pipe(ends), 0);
    pid = fork();
    if (pid == 0) {
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        set = prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
        if (write(ends[1], &set, 1) == 1)
            pause();
        _exit(0);
    }
    assert_int_equal(read(ends[0], &set, 1), 1);
    assert_int_equal(process_has_filter(pid), set);
    assert_false(process_has_filter(getpid()));
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    (void)state;
}

/* It answers twice and ends, and all that is seen at once. */
static void test_last_words(void **state)
{
    static const char *const argv[] = {
        "/bin/sh", "-c", "echo so-far >&4; echo failed >&4; exit 121", NULL};
    static const char *const env[] = {NULL};
    const struct child_spec spec = {.argv = argv,
                                    .env = env,
                                    .program_fd = open(argv[0], O_RDONLY),
                                    .pass_fds = {-1, -1},
                                    .talks = true,
                                    .may_fork = true,
                                    .memory_bytes = 1u << 30,
                                    .file_bytes = 1u << 20,
                                    .keep_bytes = 1u << 10,
                                    .flood_bytes = 1u << 20};
    struct out line = {0};
    struct child child;
    siginfo_t ended;

    assert_true(child_start(&child, &spec));
    assert_int_equal(waitid(P_PID, (id_t)child.pid, &ended, WEXITED | WNOWAIT),
                     0);
    assert_true(child_ask(&child, NULL, 5, &line));
    assert_string_equal(text_string(&line), "so-far");
    assert_true(child_ask(&child, NULL, 5, &line));
    assert_string_equal(text_string(&line), "failed");
    assert_false(child_ask(&child, NULL, 5, &line));
    assert_int_equal(child.end, CHILD_EXITED);
    assert_int_equal(child.code, 121);
    child_free(&child);
    close(spec.program_fd);
    tl_out_free(&line);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_last_words),
        cmocka_unit_test(test_session),
        cmocka_unit_test(test_others),
        cmocka_unit_test(test_filter),
    };

    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
