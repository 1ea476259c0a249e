#!/bin/bash
# run.sh: what the virtual GPU costs, measured on this machine: with checks, and
# without on one core and on all, against plain C on one; memory, and the time
# model's speed.
# `make measure-vgpu`.
set -eu
cd "$(dirname "$0")/../.."
out=build/perf
mkdir -p $out
cc=${CC:-cc}
$cc -std=c11 -O2 -Icommon -c tests/perf/plain.c -o $out/plain.o
build/bin/vgpucc -std=c++17 -O2 -Icommon tests/perf/check_cost.cu \
    common/cipher.cu common/helper.cu $out/plain.o -o $out/check_cost -lpthread
$cc -std=c11 -D_GNU_SOURCE -O2 -Ivgpu/time tests/perf/time_model.c \
    build/lib/libvgpu_inside.a -o $out/time_model -lpthread -lm -ldl
echo "# What the virtual GPU costs"
echo "machine $(nproc) x $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1)"
echo "compiler $($cc --version | head -n 1)"
echo "date    $(date -u +%Y-%m-%d)"
echo "command make measure-vgpu"
echo
VGPU_CHECK=1 $out/check_cost
VGPU_CORES=1 $out/check_cost | grep -v '^memory'
$out/check_cost | grep -v '^memory'
$out/time_model
