// A program's own handlers of signals, between kernels: those of a kernel's
// faults are the virtual GPU's, and nobody sees that they are there.
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

__global__ void add(int *n)
{
    *n += 1;
}

__global__ void spoil(int **where)
{
    **where = 1;
}

static sigjmp_buf back;
static char own_stack[64 << 10];
static int *page;
static volatile sig_atomic_t on_own_stack, blocked, sender;

static bool is_on(const void *place, const char *stack, size_t size)
{
    return place >= stack && place < stack + size;
}

static void jump(int number)
{
    siglongjmp(back, number);
}

static void other(int)
{
}

// What was there comes to it: its stack, its mask, who sent the signal.
static void look(int, siginfo_t *info, void *)
{
    sigset_t now;

    on_own_stack = is_on(&now, own_stack, sizeof own_stack);
    pthread_sigmask(SIG_BLOCK, NULL, &now);
    blocked = sigismember(&now, SIGSEGV) + 2 * sigismember(&now, SIGUSR1);
    sender = info->si_code == SI_TKILL && info->si_pid == getpid();
    if (info->si_code > 0)
        mprotect(page, 4096, PROT_READ | PROT_WRITE);
}

static void launch(int *n)
{
    add<<<1, 1>>>(n);
    cudaDeviceSynchronize();
}

static void with_small_stack(int *n)
{
    static char small[8 << 10];
    stack_t stack = {}, old;

    stack.ss_sp = small;
    stack.ss_size = sizeof small;
    launch(n);
    sigaltstack(NULL, &old);
    printf("a thread has none %d\n", old.ss_flags == SS_DISABLE);
    sigaltstack(&stack, NULL);
    launch(n);
    sigaltstack(NULL, &old);
    printf("a small one is there %d\n", old.ss_sp == small);
}

static int status_of(void (*body)(int *), int *n)
{
    int status;

    fflush(stdout);
    if (pid_t child = fork()) {
        waitpid(child, &status, 0);
        return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
    }
    body(n);
    _exit(0);
}

static void set_look(int flags)
{
    struct sigaction action = {};

    action.sa_sigaction = look;
    action.sa_flags = SA_SIGINFO | flags;
    sigaddset(&action.sa_mask, SIGUSR1);
    sigaction(SIGSEGV, &action, NULL);
}

static void tell(const char *what)
{
    printf("%-28s own stack %d, blocked %d, sent %d\n", what, on_own_stack,
           blocked, sender);
}

int main()
{
    struct sigaction action;
    stack_t stack = {}, old;
    int *n, count;

    cudaMalloc(&n, sizeof *n);
    cudaMemset(n, 0, sizeof *n);
    signal(SIGFPE, jump);
    launch(n);
    if (const int number = sigsetjmp(back, 1))
        printf("jumped from %d\n", number == SIGFPE);
    else
        raise(SIGFPE);
    launch(n);
    printf("jump was there %d\n", signal(SIGFPE, other) == jump);
    launch(n);
    sigaction(SIGFPE, NULL, &action);
    printf("other is there %d\n", action.sa_handler == other);

    page = (int *)mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                       0);
    stack.ss_sp = own_stack;
    stack.ss_size = sizeof own_stack;
    sigaltstack(&stack, NULL);
    set_look(SA_ONSTACK);
    launch(n);
    *page = 1;
    tell("a fault:");
    launch(n);
    raise(SIGSEGV);
    tell("sent:");
    launch(n);
    sigaltstack(NULL, &old);
    printf("the own stack is there %d\n", old.ss_sp == own_stack);
    set_look(SA_NODEFER);
    launch(n);
    mprotect(page, 4096, PROT_NONE);
    *page = 2;
    tell("on the usual stack:");
    std::thread(with_small_stack, n).join();
    raise(SIGSEGV);
    tell("after a thread's:");

    signal(SIGSEGV, SIG_DFL);
    launch(n);
    printf("by default: %d\n", status_of(
                                   [](int *) {
                                       mprotect(page, 4096, PROT_NONE);
                                       *page = 3;
                                   },
                                   n) == -SIGSEGV);
    printf("sent: %d\n",
           status_of([](int *) { raise(SIGSEGV); }, n) == -SIGSEGV);
    signal(SIGBUS, SIG_IGN);
    launch(n);
    printf("not heard: %d\n", status_of([](int *) { raise(SIGBUS); }, n) == 0);

    cudaMemcpy(&count, n, sizeof count, cudaMemcpyDeviceToHost);
    printf("%d launches\n", count);
    signal(SIGSEGV, other);
    launch(n);
    spoil<<<1, 1>>>((int **)n);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    printf("other is there %d\n", signal(SIGSEGV, SIG_DFL) == other);
}
