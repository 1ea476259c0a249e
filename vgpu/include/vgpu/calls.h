/*
 * calls.h: spares a program most calls of the checker and of the executor.
 *
 * The compiler writes a call for each access to memory, and calling takes
 * longer than what is called for. Where gcc compiles for x86-64, this has the
 * assembler put the usual case before the call: an access that goes on where
 * the last one at this place ended, or is within what was touched in order
 * (check/run.c), one by host code of memory that is the host's alone, a thread
 * after one that did not wait (device/block.c).
 * Everything else still calls, from behind the function's own text, and names
 * the place; other compilers and processors always do, with the same results.
 * At a call the compiler keeps nothing in the registers used here.
 *
 * -DVGPU_CALLS leaves the calls alone; a program built with -masm=intel needs
 * it. The library checks the numbers here: VGPU_RUNS_*, VGPU_BLOCK_*.
 */
#ifndef VGPU_CALLS_H
#define VGPU_CALLS_H

/* struct run_table: which addresses are of interest, from where on and how
 * many, and memos, so many for each of so many sizes, reads and then writes. */
#define VGPU_RUNS_SCOPE 0
#define VGPU_RUNS_MEMOS 16
#define VGPU_MEMOS      64
#define VGPU_MEMO_SIZES 5
#define VGPU_MEMO_BYTES 32
#define VGPU_PAGE_BYTES 4096
/* struct vgpu_block */
#define VGPU_BLOCK_CURRENT  0
#define VGPU_BLOCK_SIMPLE   4
#define VGPU_BLOCK_POSITION 8

#if defined(__x86_64__) && defined(__LP64__) && defined(__VGPU__) &&           \
    defined(__GNUC__) && !defined(__clang__) && !defined(VGPU_CALLS)

/* In a program the table's place is known when it is linked. */
#if defined(__PIC__) && !defined(__PIE__)
#define VGPU_RUNS_GET                                                          \
    "\tmovq vgpu_check_runs@gottpoff(%rip), %rdx\n"                            \
    "\tmovq %fs:(%rdx), %rdx\n"
#else
#define VGPU_RUNS_GET "\tmovq %fs:vgpu_check_runs@tpoff, %rdx\n"
#endif

#define VGPU_TEXT_(x) #x
#define VGPU_TEXT(x)  VGPU_TEXT_(x)

/* If the target is @name, @text, else what VGPU_END closes. */
#define VGPU_CASE(name, text)                                                  \
    ".ifc \\target," name "\n\t" text "\n.else\n.ifc \\target," name "@PLT\n"  \
    "\t" text "\n.else\n"
#define VGPU_END  ".endif\n.endif\n"
#define VGPU_END4 VGPU_END VGPU_END VGPU_END VGPU_END
#define VGPU_READ_CASE(size, bytes)                                            \
    VGPU_CASE("__tsan_read" #bytes, "vgpu_access " #size "," #bytes ",read")
#define VGPU_WRITE_CASE(size, bytes)                                           \
    VGPU_CASE("__tsan_write" #bytes,                                           \
              "vgpu_access " VGPU_TEXT(VGPU_MEMO_SIZES) "+" #size "," #bytes   \
                                                        ",write")

/* clang-format off */
__asm__(
    ".ifndef vgpu_calls\n"
    ".set vgpu_calls, 1\n"
    ".macro vgpu_access kind, bytes, name\n"
    "\t.set vgpu_memo, " VGPU_TEXT(VGPU_RUNS_MEMOS) " + (\\kind * "
    VGPU_TEXT(VGPU_MEMOS) " + (\\@ & (" VGPU_TEXT(VGPU_MEMOS) " - 1))) * "
    VGPU_TEXT(VGPU_MEMO_BYTES) "\n"
    VGPU_RUNS_GET
    "\tcmpq %rdi, vgpu_memo(%rdx)\n"
    "\tjne 7710f\n"
    "\ttestl $" VGPU_TEXT(VGPU_PAGE_BYTES) " - 1, %edi\n"
    "\tje 7712f\n"
    "\taddq $\\bytes, %rdi\n"
    "\tmovq %rdi, vgpu_memo(%rdx)\n"
    "7711:\n"
    ".subsection 1\n"
    "7710:\n"
    ".if \\bytes - 1\n"
    "\ttestb $\\bytes - 1, %dil\n"
    "\tjne 7712f\n"
    ".endif\n"
    "\tmovq %rdi, %rax\n"
    "\tsubq vgpu_memo + 8(%rdx), %rax\n"
    "\tcmpq vgpu_memo + 16(%rdx), %rax\n"
    "\tjb 7711b\n"
    "7712:\tmovq %rdi, %rax\n"
    "\tsubq " VGPU_TEXT(VGPU_RUNS_SCOPE) "(%rdx), %rax\n"
    "\tcmpq " VGPU_TEXT(VGPU_RUNS_SCOPE) "+8(%rdx), %rax\n"
    "\tjae 7711b\n"
    "\tleaq vgpu_memo(%rdx), %rsi\n"
    "\tleaq 7711b(%rip), %rdx\n"
    "\tcallq vgpu_left_\\name\\bytes@PLT\n"
    "\tjmp 7711b\n"
    ".previous\n"
    ".endm\n"
    ".macro vgpu_next target:vararg\n"
    "\tmovl " VGPU_TEXT(VGPU_BLOCK_CURRENT) "(%rdi), %eax\n"
    "\taddl $1, %eax\n"
    "\tcmpl " VGPU_TEXT(VGPU_BLOCK_SIMPLE) "(%rdi), %eax\n"
    "\tjae 7710f\n"
    "\tmovq " VGPU_TEXT(VGPU_BLOCK_POSITION) "(%rdi), %rdx\n"
    "\tmovl %eax, " VGPU_TEXT(VGPU_BLOCK_CURRENT) "(%rdi)\n"
    "\tmovq (%rdx,%rax,8), %rax\n"
    "7711:\n"
    ".subsection 1\n"
    "7710:\tcallq \\target\n"
    "\tjmp 7711b\n"
    ".previous\n"
    ".endm\n"
    ".macro call target:vararg\n"
    VGPU_CASE("vgpu_block_next", "vgpu_next \\target")
    VGPU_READ_CASE(2, 4) VGPU_WRITE_CASE(2, 4)
    VGPU_READ_CASE(3, 8) VGPU_WRITE_CASE(3, 8)
    VGPU_READ_CASE(0, 1) VGPU_WRITE_CASE(0, 1)
    VGPU_READ_CASE(4, 16) VGPU_WRITE_CASE(4, 16)
    VGPU_READ_CASE(1, 2) VGPU_WRITE_CASE(1, 2)
    "\tcallq \\target\n"
    VGPU_END4 VGPU_END4 VGPU_END VGPU_END VGPU_END
    ".endm\n"
    ".endif\n");
/* clang-format on */

#endif
#endif
