/* test_timeline.h: traces from lines of text, for the tests of timeline */
#ifndef TEST_TIMELINE_H
#define TEST_TIMELINE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "trace_read.h"
#include "view.h"

/* Read a trace that consists of the first line, body and, with an end, the
 * end record.
 */
static inline enum trace_status read_body(const char *body, const char *end,
                                          bool partial, struct trace *t,
                                          struct trace_error *err)
{
    size_t room = strlen(body) + strlen(end) + 64;
    char *text = malloc(room);

    assert_non_null(text);
    strcpy(text, TRACE_FIRST_LINE "\n");
    strcat(text, body);
    strcat(text, end);
    return trace_read_memory(text, strlen(text), partial, t, err);
}

/* A view of a body without an end record, which must be good. */
static inline void view_body(const char *body, enum view_by by, struct trace *t,
                             struct view *v)
{
    struct trace_error err;

    assert_int_equal(read_body(body, "", true, t, &err), TRACE_OK);
    assert_true(tl_view_make(t, by, "test", v));
}

#define OP(id, kind, engine, stream, start, end)                               \
    "op id=" #id " kind=" #kind " engine=" #engine " device=0 stream=" #stream \
    " start_ns=" #start " end_ns=" #end "\n"

#endif
