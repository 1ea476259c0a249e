# CUDA Streams Lab. `make` says what to do next, `make help` lists targets.
# Variables and pattern rules only: labs are found by their folders.

BACKEND ?= auto
LAB     ?=
B       := build

CC       ?= cc
CFLAGS   ?= -O2 -g
WARN     := -Wall -Wextra -Werror
STD      := -std=c11 -D_GNU_SOURCE
VGPU_INC := -Ivgpu/include -Ivgpu/time -Ivgpu/check -Ivgpu/device \
            -Ivgpu/runtime
COMPILE   = $(CC) $(STD) $(CFLAGS) $(WARN) -MMD -MP

LABS := $(sort $(notdir $(wildcard labs/[0-9][0-9]_*)))
# LAB=08 or LAB=08_uneven_chunks: the folder's whole name.
lab_dir  = $(firstword $(filter $(1)_% $(1),$(LABS)))
LAB_NAME = $(call lab_dir,$(LAB))

VGPU_SRC  := $(wildcard vgpu/time/*.c vgpu/check/*.c vgpu/device/*.c \
               vgpu/runtime/*.c)
FRONT_SRC := $(wildcard vgpu/frontend/*.c)
TL_SRC    := $(wildcard timeline/*.c)
GRADE_SRC := $(wildcard grader/*.c grader/rules/*.c)
UNIT_SRC  := $(wildcard tests/unit/test_*.c)
PROFILES  := $(sort $(wildcard vgpu/profiles/*.profile))

VGPU_OBJ  := $(VGPU_SRC:%.c=$(B)/obj/%.o) $(B)/obj/gen/profiles.o
FRONT_OBJ := $(FRONT_SRC:%.c=$(B)/obj/%.o)
TL_PAGE   := $(addprefix timeline/page/,page.html page.css page.js input.js)
TL_OBJ    := $(TL_SRC:%.c=$(B)/obj/%.o) $(B)/obj/gen/timeline_page.o
TL_LIB    := $(filter-out %/main.o,$(TL_OBJ))
GRADE_OBJ := $(GRADE_SRC:%.c=$(B)/obj/%.o)
UNIT_BIN  := $(UNIT_SRC:tests/unit/%.c=$(B)/tests/%)

TOOLS := $(B)/bin/vgpucc $(B)/lib/libvgpu.a $(B)/bin/timeline $(B)/bin/grade

.DELETE_ON_ERROR:
.SUFFIXES:
.SECONDARY:

.PHONY: tools
tools: $(TOOLS)

# ---- what is built ----------------------------------------------------------

$(B)/obj/vgpu/%.o: vgpu/%.c
	@mkdir -p $(@D)
	$(COMPILE) $(VGPU_INC) -c $< -o $@

$(B)/obj/timeline/%.o: timeline/%.c
	@mkdir -p $(@D)
	$(COMPILE) -Itimeline -c $< -o $@

$(B)/obj/grader/%.o: grader/%.c
	@mkdir -p $(@D)
	$(COMPILE) -Igrader -Icommon -Itimeline -c $< -o $@

$(B)/gen/profiles.c: $(PROFILES) vgpu/profiles/embed.sh
	@mkdir -p $(@D)
	sh vgpu/profiles/embed.sh $(PROFILES) > $@

$(B)/obj/gen/profiles.o: $(B)/gen/profiles.c
	@mkdir -p $(@D)
	$(COMPILE) $(VGPU_INC) -c $< -o $@

$(B)/gen/timeline_page.c: $(TL_PAGE) timeline/page/embed.sh
	@mkdir -p $(@D)
	sh timeline/page/embed.sh $(TL_PAGE) > $@

$(B)/obj/gen/timeline_page.o: $(B)/gen/timeline_page.c
	@mkdir -p $(@D)
	$(COMPILE) -c $< -o $@

$(B)/lib/libvgpu.a: $(VGPU_OBJ)
	@mkdir -p $(@D)
	rm -f $@ && $(AR) rcs $@ $(VGPU_OBJ)

$(B)/lib/libtimeline.a: $(TL_LIB)
	@mkdir -p $(@D)
	rm -f $@ && $(AR) rcs $@ $(TL_LIB)

$(B)/bin/vgpucc: $(FRONT_OBJ)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $^ -o $@

$(B)/bin/timeline: $(B)/obj/timeline/main.o $(B)/lib/libtimeline.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $^ -o $@ -lm

$(B)/bin/grade: $(GRADE_OBJ) $(B)/lib/libtimeline.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $^ -o $@ -lpthread -lm

$(B)/tests/%: tests/unit/%.c $(B)/lib/libvgpu.a $(B)/lib/libtimeline.a
	@mkdir -p $(@D)
	$(COMPILE) $(VGPU_INC) -Ivgpu/frontend -Itimeline -Igrader -Icommon $< \
	    -o $@ $(B)/lib/libtimeline.a $(B)/lib/libvgpu.a -lcmocka -lpthread -lm

-include $(wildcard $(B)/obj/*/*.d $(B)/obj/*/*/*.d $(B)/obj/*/*/*/*.d \
           $(B)/tests/*.d)
