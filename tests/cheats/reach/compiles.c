/*
 * compiles.c: a student's file compiled as the grader does, in its cage.
 *
 *   compiles FILE FOLDER
 *
 * From the root of the repository. FOLDER is the grading's own. Prints all that
 * the compiler says; status 0 where it accepts the file.
 */
#include <stdio.h>
#include <unistd.h>

#include "build/compile.h"

int main(int argc, char **argv)
{
    static const struct lab_rules lab = {.name = "08_uneven_chunks"};
    struct tools tools = {0};
    struct grade_job job = {
        .tools = &tools, .lab = &lab, .backend = BACKEND_VGPU};
    struct compile compile = {0};
    struct out said = {0};
    enum child_end end;

    if (argc != 3)
        return 2;
    child_init();
    tools.root = getcwd(NULL, 0);
    tools.vgpucc = text_format("%s/build/bin/vgpucc", tools.root);
    job.file = argv[1];
    job.folder = argv[2];
    compile_start(&compile, &job, BACKEND_VGPU);
    compile_add_object(&compile, false);
    compile_add_output(&compile, job.file, text_format("%s/lab.o", job.folder));
    compile_begin(&compile, job.file);
    end = compile_end(&compile, &said);
    fputs(text_string(&said), stdout);
    if (end != CHILD_EXITED && end != CHILD_SIGNALLED)
        printf("compiles: end %d\n", (int)end);
    return end != CHILD_EXITED;
}
