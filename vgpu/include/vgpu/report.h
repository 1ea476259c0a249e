/*
 * report.h: what the checker says, in a form that programs read
 *
 * On the descriptor that VGPU_REPORT_FD names stands one line for each report:
 * its sort, then fields between tabs.
 *
 *     hazard	kind=unordered	first=lab.cu:31	first_does=d2h	...
 *     fault	kind=past_end	at=lab.cu:12	text=writes 4 bytes ...	...
 *     summary	hazards=1	warnings=0	held_back=0
 *
 * But for hazards a line has where it happened (at) and, but for "unwritten",
 * the words for people (text). report.def has the sorts, the kinds and the
 * fields.
 */
#ifndef VGPU_REPORT_H
#define VGPU_REPORT_H

#include <stdint.h>

enum vgpu_report_kind {
    VGPU_NO_REPORT,
#define REPORT(SORT, NAME, WORDS, ALSO) VGPU_REPORT_##NAME,
#include "vgpu/report.def"
    VGPU_NUM_REPORTS
};

enum vgpu_does {
    VGPU_DOES_NOTHING,
#define DOES(NAME, WORDS) VGPU_DOES_##NAME,
#include "vgpu/report.def"
    VGPU_NUM_DOES
};

#endif
