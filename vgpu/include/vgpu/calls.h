/*
 * calls.h: spares a program most calls of the checker and of the executor.
 *
 * The compiler writes a call for each access to memory, and calling takes
 * longer than what is called for. Where gcc compiles for x86-64, this has the
 * assembler put the usual case before the call: an access that goes on where
 * the last one in its page ended (check/run.c), one by host code of memory that
 * is the host's alone, a thread after one that did not wait (device/block.c).
 * Everything else still calls, from the same line, and so do other compilers
 * and processors, with the same results. At a call the compiler keeps nothing
 * in the registers used here.
 *
 * -DVGPU_CALLS leaves the calls alone; a program built with -masm=intel needs
 * it. The library checks the numbers here: VGPU_RUNS_*, VGPU_BLOCK_*.
 */
#ifndef VGPU_CALLS_H
#define VGPU_CALLS_H

/* struct run_table: bits of an index, a factor, where writes begin, and which
 * addresses are of interest, from where on and how many. */
#define VGPU_RUNS_BITS   10
#define VGPU_RUNS_FACTOR 0x9E3779B1
#define VGPU_RUNS_WRITES 9792
#define VGPU_RUNS_SCOPE  19584
/* struct vgpu_block */
#define VGPU_BLOCK_CURRENT  0
#define VGPU_BLOCK_SIMPLE   4
#define VGPU_BLOCK_POSITION 8

#if defined(__x86_64__) && defined(__LP64__) && defined(__VGPU__) &&           \
    defined(__GNUC__) && !defined(__clang__) && !defined(VGPU_CALLS)

#define VGPU_TEXT_(x) #x
#define VGPU_TEXT(x)  VGPU_TEXT_(x)

/* If the target is @name, @text, else what VGPU_END closes. */
#define VGPU_CASE(name, text)                                                  \
    ".ifc \\target," name "\n\t" text "\n.else\n.ifc \\target," name "@PLT\n"  \
    "\t" text "\n.else\n"
#define VGPU_END  ".endif\n.endif\n"
#define VGPU_END4 VGPU_END VGPU_END VGPU_END VGPU_END
#define VGPU_READ_CASE(bytes)                                                  \
    VGPU_CASE("__tsan_read" #bytes, "vgpu_access 0," #bytes ",read")
#define VGPU_WRITE_CASE(bytes)                                                 \
    VGPU_CASE("__tsan_write" #bytes,                                           \
              "vgpu_access " VGPU_TEXT(VGPU_RUNS_WRITES) "," #bytes ",write")

/* clang-format off */
__asm__(
    ".ifndef vgpu_calls\n"
    ".set vgpu_calls, 1\n"
    ".macro vgpu_access table, bytes, name\n"
    "\tmovq vgpu_check_runs@gottpoff(%rip), %rdx\n"
    "\tmovq %rdi, %rax\n"
    "\tmovq %fs:(%rdx), %rdx\n"
    "\tshrq $12, %rax\n"
    "\timull $" VGPU_TEXT(VGPU_RUNS_FACTOR) " - 0x100000000, %eax, %eax\n"
    "\tshrl $32-" VGPU_TEXT(VGPU_RUNS_BITS) ", %eax\n"
    ".if \\bytes - 1\n"
    "\ttestb $\\bytes - 1, %dil\n"
    "\tjne 7710f\n"
    ".endif\n"
    "\tcmpq %rdi, \\table(%rdx,%rax,8)\n"
    "\tjne 7710f\n"
    "\taddq $\\bytes, %rdi\n"
    "\tmovq %rdi, \\table(%rdx,%rax,8)\n"
    "\tjmp 7711f\n"
    "7710:\tmovq %rdi, %rax\n"
    "\tsubq " VGPU_TEXT(VGPU_RUNS_SCOPE) "(%rdx), %rax\n"
    "\tcmpq " VGPU_TEXT(VGPU_RUNS_SCOPE) "+8(%rdx), %rax\n"
    "\tjae 7711f\n"
    "\tcallq vgpu_left_\\name\\bytes@PLT\n"
    "7711:\n"
    ".endm\n"
    ".macro vgpu_next target:vararg\n"
    "\tmovl " VGPU_TEXT(VGPU_BLOCK_CURRENT) "(%rdi), %eax\n"
    "\taddl $1, %eax\n"
    "\tcmpl " VGPU_TEXT(VGPU_BLOCK_SIMPLE) "(%rdi), %eax\n"
    "\tjae 7710f\n"
    "\tmovq " VGPU_TEXT(VGPU_BLOCK_POSITION) "(%rdi), %rdx\n"
    "\tmovl %eax, " VGPU_TEXT(VGPU_BLOCK_CURRENT) "(%rdi)\n"
    "\tmovq (%rdx,%rax,8), %rax\n"
    "\tjmp 7711f\n"
    "7710:\tcallq \\target\n"
    "7711:\n"
    ".endm\n"
    ".macro call target:vararg\n"
    VGPU_CASE("vgpu_block_next", "vgpu_next \\target")
    VGPU_READ_CASE(4) VGPU_WRITE_CASE(4)
    VGPU_READ_CASE(8) VGPU_WRITE_CASE(8)
    VGPU_READ_CASE(1) VGPU_WRITE_CASE(1)
    VGPU_READ_CASE(16) VGPU_WRITE_CASE(16)
    VGPU_READ_CASE(2) VGPU_WRITE_CASE(2)
    "\tcallq \\target\n"
    VGPU_END4 VGPU_END4 VGPU_END VGPU_END VGPU_END
    ".endm\n"
    ".endif\n");
/* clang-format on */

#endif
#endif
