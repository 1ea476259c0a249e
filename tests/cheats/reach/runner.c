/*
 * runner.c: attempts.c in the grader's cage.
 *
 *   runner ATTEMPTS FOLDER [none]
 *
 * FOLDER holds next/, home/ and tree/build/grade/own/, which becomes the
 * program's own. Prints what the attempts print, and takes back what only
 * seemed to get through: an object of System V that is not there for others.
 * With `none` there is no cage.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/tools.h"
#include "cage/fences.h"
#include "cage/program.h"

static int listen_tcp(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof at;
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (bind(fd, (struct sockaddr *)&at, length) != 0 || listen(fd, 8) != 0 ||
        getsockname(fd, (struct sockaddr *)&at, &length) != 0)
        return 1;
    return ntohs(at.sin_port);
}

static void listen_unix(const char *name, bool abstract)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int length =
        snprintf(at.sun_path + abstract, sizeof at.sun_path - 1, "%s", name);

    if (bind(fd, (struct sockaddr *)&at,
             (socklen_t)(offsetof(struct sockaddr_un, sun_path) +
                         (size_t)length + 1)) != 0 ||
        listen(fd, 8) != 0)
        perror("runner: a socket");
}

static pid_t start_victim(void)
{
    const pid_t pid = fork();

    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;)
            pause();
    }
    return pid;
}

/* Is there an object for others that the program made? It is removed. */
static bool is_left(const char *name, int key)
{
    int id = -1;

    if (strcmp(name, "a message queue") == 0 && (id = msgget(key, 0)) >= 0)
        return msgctl(id, IPC_RMID, NULL) == 0;
    if (strcmp(name, "semaphores") == 0 && (id = semget(key, 0, 0)) >= 0)
        return semctl(id, 0, IPC_RMID) == 0;
    if (strcmp(name, "shared memory") == 0 && (id = shmget(key, 0, 0)) >= 0)
        return shmctl(id, IPC_RMID, NULL) == 0;
    return false;
}

static void print_lines(char *said, int key)
{
    for (char *line = strtok(said, "\n"); line; line = strtok(NULL, "\n")) {
        char *const name = strchr(line, '\t');
        char *const error = name ? strchr(name + 1, '\t') : NULL;

        if (error == NULL)
            continue;
        *error = '\0';
        if (atoi(error + 1) == 0 && strncmp(line, "left behind", 11) == 0 &&
            (strstr(name, "semaphores") ||
             strcmp(name + 1, "shared memory") == 0 ||
             strcmp(name + 1, "a message queue") == 0) &&
            !is_left(name + 1, key))
            printf("%s\t%d\n", line, ENOENT);
        else
            printf("%s\t%s\n", line, error + 1);
    }
}

int main(int argc, char **argv)
{
    struct tools tools = {0};
    struct grade_job job = {.tools = &tools, .backend = BACKEND_VGPU};
    struct program program;
    struct program_options options = {.job = &job,
                                      .backend = BACKEND_VGPU,
                                      .virtual_device = "k20",
                                      .seconds = 60,
                                      .room = 4096};
    const int key = 0x5e000000 + (int)getpid();
    pid_t victim;
    int left;

    if (argc < 3)
        return 2;
    child_init();
    tools.root = text_format("%s/tree", argv[2]);
    job.folder = text_format("%s/tree/build/grade/own", argv[2]);
    job.virtual_fd = open(argv[1], O_RDONLY | O_CLOEXEC);
    if (argc > 3)
        program_run_under("env");
    listen_unix(text_format("reach.%d", key), true);
    listen_unix(text_format("%s/home/socket", argv[2]), false);
    victim = start_victim();
    left = shmget(key + 1, 4096, IPC_CREAT | 0600);
    printf("missing\t%s\n", argc > 3 ? "all" : fences_missing());
    if (!program_start(&program, &options) ||
        !program_ask(&program, "go %s %d %d %d", argv[2], (int)victim,
                     listen_tcp(), key))
        printf("failed\t%s\t%d\n", text_string(&program.answer),
               (int)program.child.end);
    program_finish(&program);
    print_lines((char *)(uintptr_t)text_string(&program.child.out), key);
    shmctl(left, IPC_RMID, NULL);
    program_free(&program);
    kill(victim, SIGKILL);
    return 0;
}
