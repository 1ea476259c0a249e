# CUDA Streams Lab. `make` says what to do next, `make help` lists targets.
# Variables and pattern rules only: labs are found by their folders.
# teachers>
# What stands between two such lines is not in a students' copy (tools/dist).
# <teachers

BACKEND ?= auto
# LAB="07 08" names several labs, LAB=all each, SHEET=2 those of sheets/2. Without
# it grade, hint, quiz, watch and sweep take the one that make labNN ran last, or
# else the next one.
LAB     ?= $(SHEET:%=sheet:%)
CUDA_HOME ?= /usr/local/cuda
B       := build

# gcc or clang, whichever there is.
ifeq ($(origin CC),default)
CC := $(or $(shell command -v cc || command -v gcc || command -v clang),cc)
endif
CFLAGS   ?= -O2 -g
WARN     := -Wall -Wextra -Werror
STD      := -std=c11 -D_GNU_SOURCE=
.DEFAULT_GOAL := next
# All cores, unless the caller chose: building is what a newcomer waits for.
ifeq ($(filter -j% --jobserver%,$(MAKEFLAGS)),)
JOBS ?= auto
MAKEFLAGS += -j$(or $(shell nproc 2>/dev/null),2)
endif
# V=1 shows the commands. Else a terminal has one line of what is built, which
# the next one takes; make demo builds in silence where there is none.
Q   := $(if $(V),,@)
SAY  = @QUIET="$(QUIET)" V="$(V)" tools/building

COMPILE   = $(CC) $(STD) $(CFLAGS) $(WARN) -I$(B)/gen -MMD -MP

LABS := $(sort $(notdir $(wildcard labs/[0-9][0-9]_*)))

# But for what only a browser takes (web/parts.mjs).
SOURCES   = $(filter-out %_wasm.c,$(wildcard $(1)))
TL_SRC    := $(call SOURCES,timeline/*.c)
GRADE_SRC := $(call SOURCES,grader/*.c grader/*/*.c)
# Rules make themselves known when they are linked: so not from a library.
GRADE_OWN := $(filter grader/main.c grader/rules/%,$(GRADE_SRC))
REPORT_SRC := $(wildcard tools/report/*.c)
RESULTS_SRC := $(wildcard tools/results/*.c)
UNIT_SRC  := $(wildcard tests/unit/test_*.c)

TL_PAGE   := $(B)/gen/page.css $(addprefix timeline/page/,page.html page.js \
                waits.js overview.js panes.js input.js)
TL_OBJ    := $(TL_SRC:%.c=$(B)/obj/%.o) \
             $(addprefix $(B)/obj/gen/timeline_,page.o svg.o)
TL_LIB    := $(filter-out %/main.o,$(TL_OBJ))
GRADE_OBJ := $(GRADE_SRC:%.c=$(B)/obj/%.o)
GRADE_LIB := $(filter-out $(GRADE_OWN:%.c=$(B)/obj/%.o),$(GRADE_OBJ))
REPORT_OBJ := $(REPORT_SRC:%.c=$(B)/obj/%.o) $(B)/obj/gen/report_page.o
# The reader of grades is the report's.
RESULTS_OBJ := $(RESULTS_SRC:%.c=$(B)/obj/%.o) \
               $(addprefix $(B)/obj/tools/report/,json_read.o results.o)
REPORT_PAGE := $(addprefix tools/report/page/,report.css report.js)
UNIT_BIN  := $(UNIT_SRC:tests/unit/%.c=$(B)/tests/%)

# Timelines of a real GPU: where there is one, and CUPTI of the CUDA Toolkit.
CUPTI    := $(CUDA_HOME)/extras/CUPTI
RECORDER := $(if $(wildcard /dev/nvidiactl /dev/dxg),$(if \
              $(wildcard $(CUDA_HOME)/include/cupti.h $(CUPTI)/include/cupti.h), \
              $(B)/lib/librecorder.so))

TOOLS := $(addprefix $(B)/bin/,timeline grade report results isolation) \
         $(RECORDER)

# The virtual GPU is a house of its own, and built by its own Makefile.
INSIDE = $(if $(filter /%,$(1)),,../)$(1)
VGPU   = +$(Q)$(MAKE) $(if $(V),,-s) --no-print-directory -C vgpu B=$(call INSIDE,$(B)) \
            BUILDING='QUIET="$(QUIET)" V="$(V)" ../tools/building'

.DELETE_ON_ERROR:
.SUFFIXES:
.SECONDARY:

.PHONY: next
next: ## what there is to do next (plain `make`)
	@tools/next $(LABS)

.PHONY: help
help: ## this list
	@tools/help $(firstword $(MAKEFILE_LIST))

.PHONY: tools
tools: vgpu $(TOOLS) ## build the tools: vgpucc, grade, timeline
	@tools/building

# ---- labs ---------------------------------------------------------------------

# What does one lab at a time, for each lab that LAB= names: {} is its name.
EACH_LAB = exec tools/each-lab "$(LAB)"
LAST_LAB = exec tools/each-lab --last "$(LAB)"
DIGITS  := 0 1 2 3 4 5 6 7 8 9
NUMBERS := $(DIGITS) $(foreach a,$(DIGITS),$(foreach b,$(DIGITS),$(a)$(b)))
# "Not passed", status 1 of these tools, is an answer and no error of make.
ANSWERED = || [ $$? -eq 1 ]

.PHONY: $(NUMBERS:%=lab%)
$(NUMBERS:%=lab%): lab%: tools
	@WITH="$(WITH)" FORCE="$(FORCE)" \
	    tools/run-lab $(B) $(BACKEND) $* $(ANSWERED)

.PHONY: grade
grade: tools ## grade your work: the lab you ran last (LAB=08, LAB=all)
	@tools/grade-lab $(B) $(BACKEND) "$(LAB)" $(ANSWERED)

# teachers>
.PHONY: grade-solutions
grade-solutions: tools ## grade the reference solutions of all labs
	@tools/grade-solutions $(B) $(BACKEND) $(LABS)
# <teachers

.PHONY: demo
demo: QUIET := 1
demo: tools ## a first look: one screen (LAB=08: one lab, LAB=all V=1)
	@V="$(V)" tools/demo $(B) $(BACKEND) "$(LAB)"

.PHONY: hint
hint: ## the next hint for a lab, that you ran last (LAB=08 TODO=2)
	@$(LAST_LAB) tools/hint {} $(TODO)

.PHONY: quiz
quiz: ## questions about a lab: make quiz LAB=08 (00: before them all, 99: after)
	@$(if $(filter 0 00 99,$(LAB)),exec tools/quiz $(LAB),$(LAST_LAB) tools/quiz {})

.PHONY: watch
watch: tools ## grade a lab each time you save it: make watch LAB=08
	@exec tools/watch $(B) $(BACKEND) "$(LAB)"

.PHONY: solution
solution: ## a lab's solution, once yours passed: make solution LAB=08
	@FORCE="$(FORCE)" $(EACH_LAB) tools/solution {}

.PHONY: doctor
doctor: ## what this machine has, what is missing and how to mend it
	@CC="$(CC)" CUDA_HOME="$(CUDA_HOME)" tools/doctor $(B) $(BACKEND)

.PHONY: reset
reset: ## put a lab back to its skeleton; your file is backed up
	@$(EACH_LAB) tools/reset-lab {}

.PHONY: results
results: tools ## your grades: JSON, JUnit, Gradescope, Classroom 50
	@tools/write-results $(B) "$(LAB)"

# teachers>
.PHONY: grade-class
grade-class: tools ## a class: make grade-class DIR=in/ LAB=08 (JOBS=2 NEED_FENCES=1)
	@MAKE="$(MAKE)" OUT="$(OUT)" JOBS="$(JOBS)" FORCE="$(FORCE)" \
	    NEED_FENCES="$(NEED_FENCES)" ENGINE="$(ENGINE)" CHUNK="$(CHUNK)" SLURM="$(SLURM)" \
	    exec tools/grade-class $(B) $(BACKEND) "$(LAB)" "$(DIR)"

.PHONY: class-report
class-report: tools ## what a class knows, CSV for course sites (DIR= SHEET=2)
	@OUT="$(or $(DIR),$(OUT))" WORKSHEET="$(WORKSHEET)" \
	    tools/class-report $(B) "$(LAB)"

.PHONY: similarity
similarity: ## which of a class are alike, by Dolos: LAB=08 (DIR=)
	@OUT="$(or $(DIR),$(OUT))" tools/similarity $(B) "$(LAB)"

.PHONY: regrade
regrade: ## a class again, built anew: make regrade DIR=in/ LAB=08
	@OUT="$(OUT)" MAKEFLAGS= exec tools/regrade $(BACKEND) "$(LAB)" "$(DIR)"

.PHONY: dist
dist: ## archives in build/dist: all of this, what students may have, vgpu
	@tools/dist $(B)

.PHONY: student-repo
student-repo: ## a folder for a class to clone, without solutions: DIR=new/
	@tools/dist --student "$(DIR)"

.PHONY: gradescope classroom50 prairielearn
gradescope: ## an autograder to upload there: make gradescope LAB=05 (SHEET=2)
classroom50: ## the same for Classroom 50
prairielearn: ## the same for PrairieLearn: a question and its grader
gradescope classroom50 prairielearn:
	@tools/dist --$@ $(B) "$(LAB)"
# <teachers

.PHONY: trace
trace: tools ## run, draw a program: make trace PROG=./a.out [ARGS= WITH=]
	@MAKE="$(MAKE)" WITH="$(WITH)" tools/trace-program $(B) "$(PROG)" $(ARGS)

.PHONY: report
report: tools ## one page of all labs: grades, diagnoses, timelines (FORCE=1)
	@FORCE="$(FORCE)" tools/report-labs $(B) $(BACKEND) $(LABS)

.PHONY: sweep
sweep: tools ## time against streams: make sweep LAB=08 [DEVICE=k20]
	@$(if $(DEVICE),VGPU_DEVICE="$(DEVICE)") \
	    $(LAST_LAB) tools/sweep $(B) $(if $(DEVICE),vgpu,$(BACKEND)) {}

# teachers>
.PHONY: figures
figures: tools ## draw the figures of labs and slides (RECORD=1: run, too)
	@tools/drawings
	@tools/figures $(B) $(if $(RECORD),--record) $(LAB)

.PHONY: check-figures
check-figures: tools ## are the figures what their traces give? (RECORD=1)
	@tools/drawings --check
	@tools/figures $(B) --check $(if $(RECORD),--record) $(LAB)

.PHONY: check-claims
check-claims: ## where each number in labs, quizzes and decks comes from (V=0)
	@V="$(or $(V),1)" tools/check-claims "$(LAB)"
# <teachers

.PHONY: editor
editor: ## for clangd: how each source is compiled
	@mkdir -p $(B)
	@tools/compile-commands >$(B)/compile_commands.json

# teachers>
.PHONY: slides
slides: tools ## the slides as pages and to print: build/slides (LAB=08, SHORT=1)
	@SHORT="$(SHORT)" DIR="$(DIR)" tools/slides "$(LAB)"

.PHONY: handouts
handouts: tools ## slides with their notes, to print: build/slides (LAB=08)
	@SHORT="$(SHORT)" tools/slides --handouts "$(LAB)"
# <teachers

# teachers>
.PHONY: web
web: $(addprefix $(B)/gen/,version.h timeline_page.c timeline_svg.c)
web: tools ## the course as a web site: build/web (SOLUTIONS=0: without them)
	@tools/npm-packages web "fetching clang for browsers, 30 MB, once"
	@tools/npm-packages slides "fetching Marp and what it needs, 140 MB, once"
	@node --no-warnings web/build.mjs $(B)
	@node web/tools/again.mjs web/tools/prebuild.mjs $(B)
	@node web/tools/again.mjs web/tools/pack.mjs $(B)
	@node --no-warnings web/engine/build.mjs $(B)
	@node web/page/build.mjs $(B)/web
	@node web/site/build.mjs $(B)/web
# <teachers

# ---- vgpucc, without the labs ---------------------------------------------------

PREFIX ?= /usr/local
.PHONY: install uninstall
install: vgpu $(B)/bin/timeline
install: ## vgpucc and timeline, to use alone: PREFIX=/usr/local
	@PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" vgpu/install/install $(B) install timeline

uninstall: ## remove them from there
	@PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" vgpu/install/install $(B) uninstall timeline

# teachers>
# ---- developers -----------------------------------------------------------------

# What the tests have fetched (tests/packages.sh), after all that is installed.
UNPACKED := $(CURDIR)/build/packages
ifneq ($(wildcard $(UNPACKED)/bin),)
export PATH := $(PATH):$(UNPACKED)/bin
endif
CMOCKA := $(firstword $(wildcard $(UNPACKED)/root/usr/lib/*/libcmocka.so))
CMOCKA := $(if $(CMOCKA),-isystem $(UNPACKED)/root/usr/include -L$(dir $(CMOCKA)) \
            -Xlinker -rpath -Xlinker $(dir $(CMOCKA))) -lcmocka

.PHONY: test
test: ## all tests, after fetching into build/ what they need (INSTALL=1)
	@tests/setup.sh
	@tests/run.sh

.PHONY: units
units: vgpu $(UNIT_BIN) ## unit tests, built and not run
	$(VGPU) UNPACKED=$(UNPACKED) units

.PHONY: test-conformance
test-conformance: tools ## the CUDA rules, against a real H200's recorded output
	@vgpu/tests/conformance/run.sh --backend vgpu

.PHONY: test-frontend
test-frontend: tools ## vgpucc on whole programs, right ones and wrong ones
	@vgpu/tests/frontend/run.sh

.PHONY: test-fidelity
test-fidelity: tools ## virtual time against what was measured on real devices
	@tests/fidelity/run.sh
# <teachers

PROFILE ?= build/this-gpu.profile
.PHONY: calibrate
calibrate: ## this machine's GPUs as a profile (PROFILE=x.profile)
	@mkdir -p $(dir $(PROFILE)) build/fidelity
	$(Q)nvcc -std=c++17 -O2 -arch=native -Icommon -Ivgpu/calibrate \
	    vgpu/calibrate/calibrate.cu -o build/fidelity/calibrate
	$(Q)build/fidelity/calibrate $(PROFILE)
	@echo "written: $(PROFILE); VGPU_DEVICE=$(PROFILE) runs programs on it"

# teachers>
FOLDER ?= build/fidelity/measured
.PHONY: compare
compare: tools ## this GPU against the virtual one, calibrated (FOLDER=)
	@tests/fidelity/measure.sh $(FOLDER)
	@tests/fidelity/compare.sh $(FOLDER)
	@echo "table and plot: $(FOLDER)/compared.txt, $(FOLDER)/compared.svg"

.PHONY: test-pages
test-pages: tools ## the pages in a browser: timeline and report
	@tests/setup-pages.sh
	@tests/pages/run.sh

.PHONY: web-serve
web-serve: ## serve what make web built, and say where (PORT=8000)
	@exec "$(or $(NODE),node)" web/serve.mjs $(if $(PORT),--port $(PORT))

.PHONY: test-web
test-web: ## the site in Chromium and in Firefox (TEST="serve pages")
	@tests/setup-web.sh
	@$(MAKE) -s web
	@tests/web/run.sh $(TEST)

.PHONY: test-web-corpus
test-web-corpus: ## grades in a tab are the native ones: labs, corpus (PART=1/6)
	@tests/setup-web.sh
	@$(MAKE) -s web
	@VERDICTS="labs $(or $(PART),1/6)" LIMIT=2700 tests/web/run.sh verdicts

.PHONY: test-style
test-style: ## the style of what students and teachers read
	@tests/setup-style.sh
	@tests/style/run.sh

.PHONY: test-formats
test-formats: ## files for GitHub and GitLab, by the schemas of these
	@tests/setup-style.sh
	@tests/formats/run.sh

.PHONY: test-notebook
test-notebook: ## docs/notebook, from its first cell to its last
	@tests/setup-notebook.sh
	@tests/notebook/run.sh

.PHONY: test-slides
test-slides: tools ## the slides: what fits, what runs, what is spelt (LAB=08)
	@tests/setup-slides.sh
	@tests/slides/run.sh $(LAB)

.PHONY: test-arm64
test-arm64: ## the virtual GPU and a lab on 64-bit ARM, in an emulator
	@tests/arm64/run.sh

.PHONY: test-dist
test-dist: ## the archives, and the students' where only g++, make are (BARE=)
	@BARE="$(BARE)" tests/dist/run.sh

.PHONY: test-corpus
test-corpus: tools ## submissions, and what the grader says (LAB=08, PART=1/2)
	@LAB="$(LAB)" EXCEPT="$(EXCEPT)" PART="$(PART)" tests/corpus/run.sh

.PHONY: test-cheats
test-cheats: tools ## attempts to get points without doing the work
	@tests/cheats/run.sh
	@bash tests/cli/reach.t

.PHONY: test-stand-in
test-stand-in: tools ## BACKEND=cuda for all labs, on a stand-in for a GPU (LAB=08)
	@tests/stand_in_grades.sh $(LAB)

.PHONY: test-class
test-class: tools ## a class with hostile ones in it, killed half-way (N=24)
	@MAKEFLAGS= JOBS="$(JOBS:auto=)" tests/class.sh $(N)

.PHONY: test-slurm
test-slurm: tools ## a class by a Slurm cluster, a node killed (N=200 ROUNDS=20)
	@ROUNDS="$(ROUNDS)" COMPARE="$(COMPARE)" tests/slurm/run.sh $(N)

SECONDS ?= 60
.PHONY: fuzzers
fuzzers: tools
	$(VGPU) fuzzers

.PHONY: test-fuzz
test-fuzz: fuzzers ## random programs and sources (SECONDS=60 for each kind)
	@$(VGPU) fuzz-threads
	@tests/fuzz/run.sh $(B) $(SECONDS)

.PHONY: test-sanitize
test-sanitize: tools ## unit tests and fuzzers with ASan and UBSan
	@MAKE="$(MAKE)" tests/fuzz/sanitize.sh $(B) 10

RUNS ?= 20
.PHONY: test-repeat
test-repeat: tools ## grade a solution RUNS times: the same each time? (LAB=08)
	@FILE="$(FILE)" tests/repeat.sh $(B) $(BACKEND) "$(RUNS)" $(LAB)

.PHONY: test-nvcc
test-nvcc: ## every .cu compiled by nvcc, where it is installed (PART=1/2)
	@PART="$(PART)" tests/nvcc/run.sh

.PHONY: measure-vgpu
measure-vgpu: tools ## what check mode and time model cost (BASE=COMMIT: beside that)
	@$(MAKE) -s $(B)/lib/libvgpu_inside.a
	@if [ -n "$(BASE)" ]; then tests/perf/cost.sh $(BASE); else tests/perf/run.sh; fi

.PHONY: check-labs
check-labs: tools ## every lab complete and in step (LAB=08 for one)
	@tools/check-labs $(LAB)

.PHONY: house
house: ## how large all is, and its limits (V=1: list, CHECK=1)
	@tools/house $(if $(CHECK),--check) $(if $(V),--list)

FORMATTED = $(shell tools/sources '*.c' '*.h' '*.cu' '*.cuh' | grep -v '^vgpu/tests/frontend/')

.PHONY: format
format: ## lay out all sources with clang-format
	@clang-format -i $(FORMATTED)

.PHONY: check-format
check-format: ## fail where clang-format would change something
	@clang-format --dry-run -Werror $(FORMATTED)
# <teachers

.PHONY: clean
clean: ## remove what was built (not your work, nor progress)
	@tools/clean $(B)

.PHONY: forget
forget: ## forget your progress: grades, hints shown, quiz scores
	@tools/progress forget

# ---- what is built ----------------------------------------------------------

# Without a compiler: one line that says what to do, and not one per file.
FOUND := $(B)/compiler-found
$(FOUND):
	@command -v $(CC) >/dev/null || { echo "no C compiler '$(CC)': install" \
	    "one (Debian: sudo apt-get install build-essential)" >&2; exit 2; }
	@mkdir -p $(@D) && touch $@
	@{ [ -t 1 ] && [ "$(TERM)" != dumb ]; } || \
	    echo "building the tools: a minute or so"
$(TL_OBJ) $(GRADE_OBJ): | $(FOUND)

# Whoever wants more of its Makefile than its tools asks behind these: two that
# run at once write the same files.
.PHONY: vgpu
vgpu: | $(FOUND)
	$(VGPU) tools

VGPU_MADE := $(addprefix $(B)/,bin/vgpucc lib/libvgpu.a lib/libvgpu_inside.a)
.PHONY: $(VGPU_MADE)
$(VGPU_MADE): | $(FOUND)
	$(VGPU) $(call INSIDE,$@)

# What the programs say to --version, and grades of who made them.
$(B)/gen/version.h: VERSION
	@mkdir -p $(@D)
	$(Q)printf '%s\n' "#define VERSION_TEXT \"$$(cat $<)\"" \
	    '#define VERSION_OF(name) name " " VERSION_TEXT " (CUDA Streams Lab)"' > $@
# Before any object: which ones read it, make knows from the second time on.
$(TL_OBJ) $(GRADE_OBJ) $(REPORT_OBJ) $(RESULTS_OBJ): \
    | $(B)/gen/version.h

$(B)/obj/timeline/%.o: timeline/%.c
	@mkdir -p $(@D)
	$(SAY) cc $<
	$(Q)$(COMPILE) -Itimeline -Icommon -Ivgpu/include -c $< -o $@

$(B)/obj/grader/%.o: grader/%.c
	@mkdir -p $(@D)
	$(SAY) cc $<
	$(Q)$(COMPILE) -Igrader -Icommon -Itimeline -Ivgpu/include -c $< -o $@

# What programs hold of files: pages, and the sheet of a picture.
$(B)/gen/page.css: timeline/palette.css timeline/page/page.css
	@mkdir -p $(@D)
	$(Q)cat $^ > $@
$(B)/gen/svg.css: timeline/palette.awk timeline/palette.css timeline/svg.css
	@mkdir -p $(@D)
	$(Q)awk -v width=60 -f $^ > $@
$(B)/gen/timeline_page.c: $(TL_PAGE)
$(B)/gen/timeline_svg.c: $(B)/gen/svg.css
$(B)/gen/report_page.c: $(REPORT_PAGE)
$(addprefix $(B)/gen/,timeline_page.c timeline_svg.c report_page.c): \
        timeline/page/embed.sh
	@mkdir -p $(@D)
	$(SAY) make $@
	$(Q)sh $< $(filter-out $<,$^) > $@

$(B)/obj/gen/%.o: $(B)/gen/%.c
	@mkdir -p $(@D)
	$(SAY) cc $<
	$(Q)$(COMPILE) -c $< -o $@

$(B)/obj/tools/report/%.o: tools/report/%.c
	@mkdir -p $(@D)
	$(SAY) cc $<
	$(Q)$(COMPILE) -Itools/report -Itimeline -Ivgpu/include -c $< -o $@

$(B)/obj/tools/results/%.o: tools/results/%.c
	@mkdir -p $(@D)
	$(SAY) cc $<
	$(Q)$(COMPILE) -Itools/results -Itools/report -Itimeline \
	    -Ivgpu/include -c $< -o $@

$(B)/obj/tools/isolation/%.o: tools/isolation/%.c
	@mkdir -p $(@D)
	$(SAY) cc $<
	$(Q)$(COMPILE) -Igrader -Itimeline -c $< -o $@

$(B)/lib/libtimeline.a: $(TL_LIB)
	@mkdir -p $(@D)
	$(SAY) ar $@
	$(Q)rm -f $@ && $(AR) rcs $@ $(TL_LIB)

$(B)/lib/libgrade.a: $(GRADE_LIB)
	@mkdir -p $(@D)
	$(SAY) ar $@
	$(Q)rm -f $@ && $(AR) rcs $@ $(GRADE_LIB)

$(B)/lib/librecorder.so: $(wildcard timeline/recorder/*.c \
                           timeline/recorder/*.h) \
                         $(addprefix vgpu/include/vgpu/trace,.def _line.h)
	@mkdir -p $(@D)
	$(SAY) link $@
	$(Q)$(CC) $(STD) $(CFLAGS) $(WARN) -fPIC -shared -fvisibility=hidden \
	    -Icommon -isystem $(CUDA_HOME)/include -isystem $(CUPTI)/include \
	    -idirafter vgpu/include \
	    $(filter %.c,$^) -o $@ -L$(CUDA_HOME)/lib64 -L$(CUPTI)/lib64 \
	    -Wl,-rpath,$(CUDA_HOME)/lib64:$(CUPTI)/lib64 -lcupti -ldl -lpthread

$(B)/bin/timeline: $(B)/obj/timeline/main.o $(B)/lib/libtimeline.a
	@mkdir -p $(@D)
	$(SAY) link $@
	$(Q)$(CC) $(CFLAGS) $^ -o $@ -lm

$(B)/bin/grade: $(GRADE_OWN:%.c=$(B)/obj/%.o) $(B)/lib/libgrade.a \
        $(B)/lib/libtimeline.a
	@mkdir -p $(@D)
	$(SAY) link $@
	$(Q)$(CC) $(CFLAGS) $^ -o $@ -lpthread -lm -ldl

$(B)/bin/isolation: $(B)/obj/tools/isolation/main.o $(B)/lib/libgrade.a \
                     $(B)/lib/libtimeline.a
	@mkdir -p $(@D)
	$(SAY) link $@
	$(Q)$(CC) $(CFLAGS) $^ -o $@ -lpthread -ldl

$(B)/bin/results: $(RESULTS_OBJ) $(B)/lib/libtimeline.a
	@mkdir -p $(@D)
	$(SAY) link $@
	$(Q)$(CC) $(CFLAGS) $^ -o $@ -lm

$(B)/bin/report: $(REPORT_OBJ) $(B)/lib/libtimeline.a
	@mkdir -p $(@D)
	$(SAY) link $@
	$(Q)$(CC) $(CFLAGS) $^ -o $@ -lm

# teachers>
$(B)/tests/%: tests/unit/%.c $(B)/lib/libtimeline.a $(B)/lib/libgrade.a
	@mkdir -p $(@D)
	$(SAY) cc $<
	$(Q)$(COMPILE) -Itimeline -Igrader -Icommon -Ivgpu/include $< \
	    $(filter %.o,$^) -o $@ $(B)/lib/libgrade.a $(B)/lib/libtimeline.a \
	    $(CMOCKA) -lpthread -lm -ldl

# What is in no library.
$(B)/tests/test_grade_reference: $(B)/obj/grader/rules/chunks.o
$(B)/tests/test_timeline_recorder: \
    $(addprefix $(B)/obj/timeline/recorder/,lines.o store.o store_order.o \
        store_write.o)
$(B)/tests/test_report_json: $(B)/obj/tools/report/json_read.o \
    $(B)/obj/tools/report/results.o
# <teachers

-include $(wildcard $(TL_OBJ:.o=.d) $(GRADE_OBJ:.o=.d) $(REPORT_OBJ:.o=.d) \
           $(RESULTS_OBJ:.o=.d) $(B)/obj/timeline/*/*.d $(UNIT_BIN:=.d) \
           $(B)/obj/tools/isolation/main.d)
