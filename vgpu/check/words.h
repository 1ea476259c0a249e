/* words.h: a report's kind and fields, and what is written of them */
#ifndef VGPU_WORDS_H
#define VGPU_WORDS_H

#include <stddef.h>
#include <stdint.h>

#include "vgpu/report.h"

/* What a kind does not have stays 0. Texts are borrowed. */
struct vgpu_report {
#define NUMBER(NAME, MEANING) int64_t NAME;
#define TEXT(NAME, MEANING)   const char *NAME;
#include "vgpu/report.def"
};

const char *vgpu_report_name(enum vgpu_report_kind kind);
const char *vgpu_report_sort(enum vgpu_report_kind kind);
const char *vgpu_does_name(enum vgpu_does does);
const char *vgpu_does_words(enum vgpu_does does);

/* The words for people, cut to @size. Return: @text. */
char *vgpu_report_words(char *text, size_t size, enum vgpu_report_kind kind,
                        const struct vgpu_report *report);
/*
 * The fields for programs, "\tkey=value" each: those that the kind has and the
 * report gives. Return: the length, less than @size; what has no room is left
 * out, field by field.
 */
size_t vgpu_report_fields(char *text, size_t size, enum vgpu_report_kind kind,
                          const struct vgpu_report *report);

/* No tab or newline may get into a field. */
void vgpu_report_clean(char *text);

#endif
