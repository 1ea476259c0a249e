/*
 * parts.mjs: what is compiled to WebAssembly, and from which sources.
 *
 * The sources are those of the native build. Where x_wasm.c stands beside x.c
 * it is taken in its place, and what `without` lists is left out.
 */

/* The grader draws, too: with what it is compiled, the timeline is, and once. */
const GRADER = {
    include: ["web/wasi", "build:gen", "grader", "common", "timeline",
              "vgpu/include"],
    flags: ["-D_WASI_EMULATED_GETPID", "-D_WASI_EMULATED_SIGNAL"],
};

export const parts = {
    "lib/libvgpu.a": {
        sources: ["vgpu/time/*.c", "vgpu/check/*.c", "vgpu/device/*.c",
                  "vgpu/runtime/*.c", "vgpu/graph/*.c",
                  "build:gen/vgpu/profiles.c"],
        without: ["vgpu/runtime/barriers.c", "vgpu/runtime/blocked.c",
                  "vgpu/runtime/locks.c", "vgpu/runtime/own_locks.c",
                  "vgpu/runtime/pipes.c", "vgpu/runtime/timed_waits.c",
                  "vgpu/device/own_signals.c"],
        include: ["vgpu", "vgpu/include", "vgpu/time", "vgpu/check",
                  "vgpu/device", "vgpu/runtime", "vgpu/graph"],
        flags: ["-D_WASI_EMULATED_GETPID", "-D_WASI_EMULATED_SIGNAL",
                "-D_WASI_EMULATED_PROCESS_CLOCKS"],
    },
    "bin/vgpucc.wasm": {
        sources: ["vgpu/frontend/*.c", "vgpu/frontend/speed/*.c"],
        include: ["build:gen/vgpu"],
    },
    "bin/timeline.wasm": {
        sources: ["timeline/*.c", "build:gen/timeline_page.c",
                  "build:gen/timeline_svg.c"],
        ...GRADER,
    },
    "bin/grade.wasm": {
        sources: ["grader/*.c", "grader/*/*.c", "timeline/*.c",
                  "build:gen/timeline_svg.c"],
        without: ["timeline/main.c", "grader/cage/cage.c",
                  "grader/cage/calls.c", "grader/cage/plate.c",
                  "grader/cage/view.c"],
        ...GRADER,
        link: ["-lwasi-emulated-getpid", "-lwasi-emulated-signal"],
    },
};

/* For all C sources. What JSPI has, has vectors. */
export const flags = ["-std=c11", "-D_GNU_SOURCE=", "-O2", "-msimd128",
                      "-Wall", "-Wextra", "-Werror"];
