/*
 * help.c: what vgpucc --help says. The table of all options, most of which are
 * nvcc's and change nothing here, is in options.c.
 */
#include "options.h"

#include <stdio.h>

/* What a student may need, in the order of use; of the rest only that it is
 * taken. */
void options_print_help(void)
{
    fputs(
        "Usage: vgpucc [options] file.cu ... -o program\n"
        "Build CUDA C++ programs for the virtual GPU with the host's "
        "compiler.\n"
        "Takes nvcc's options; inputs are .cu, .c, .cpp, .o, .a and .so "
        "files.\n"
        "\n"
        "  -o FILE             name of the program or object\n"
        "  -odir FOLDER        where objects go that -o does not name\n"
        "  -c, -dc             compile, do not link\n"
        "  -lib, -dlink        make an archive; an object that holds nothing\n"
        "  -run, -run-args X   run the program that was linked\n"
        "  -E                  preprocess only\n"
        "  -O LEVEL, -g, -G    optimization (default 2) and debugging\n"
        "  -std=c++17          language; older ones are taken as c++17\n"
        "  -I -D -U -L -l -isystem -include    as for a C++ compiler\n"
        "  -x cu|c++|c         language of the inputs that follow\n"
        "  -Xcompiler OPTS     comma-separated options for the host compiler\n"
        "  -Xlinker OPTS       comma-separated options for the linker\n"
        "  -ccbin PATH         host compiler (else $VGPU_CXX, g++, clang++)\n"
        "  --default-stream legacy|per-thread\n"
        "  -M -MM -MD -MMD -MP -MF FILE -MT TARGET    dependencies\n"
        "  -w, -Werror KIND    no warnings; warnings as errors\n"
        "  -v, --dryrun        print the commands; only print them\n"
        "  --lenient           take what nvcc refuses as no code for a GPU\n"
        "  --no-judge          do not ask clang what nvcc would refuse\n"
        "  --show-rewritten    print the C++ that the host compiler gets\n"
        "  --prepare           compile the headers that come before every "
        "program\n"
        "  -h, -V              this text; the version\n"
        "\n"
        "Options for real GPUs (-arch, -gencode, -lineinfo, -rdc, "
        "-maxrregcount,\n"
        "-use_fast_math, -Xptxas, -keep, ...) are accepted and change "
        "nothing.\n"
        "VGPU_CUDA=11 (or -DVGPU_CUDA=11): what CUDA 13 took away is there.\n"
        "Code is compiled once, for host and device: __CUDA_ARCH__ is not "
        "defined.\n",
        stdout);
}
