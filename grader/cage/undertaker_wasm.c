/* undertaker_wasm.c: undertaker.c in a browser tab: with the engine's worker
 * end all that it started and the files, which were in its memory */
#include "cage/undertaker.h"

void undertaker_start(void)
{
}

void undertaker_session(pid_t session, bool lives)
{
    (void)session;
    (void)lives;
}

void undertaker_folder(const char *path)
{
    (void)path;
}
