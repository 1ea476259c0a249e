"""overlap_cupy.py: lab 08 in CuPy: chunks of an array in several streams.

    python3 docs/beyond-c/overlap_cupy.py [MIB]
"""

import sys

import cupy
import cupyx
import numpy

from report import finish, mebibytes, median_ms, report

MULTIPLY, ADD = 6364136223846793005, 1442695040888963407

# One launch does many rounds: a chain of array operations would be a launch
# and a pass through the memory for each of them.
scramble = cupy.ElementwiseKernel(
    "uint64 x, uint64 rounds", "uint64 y",
    f"""
    unsigned long long value = x;
    for (unsigned long long r = 0; r < rounds; r++)
        value = value * {MULTIPLY}ull + {ADD}ull;
    y = value;
    """, "scramble")

synchronize = cupy.cuda.Device().synchronize
entries = int(mebibytes() * 2**20) // 8
streams = [cupy.cuda.Stream(non_blocking=True) for _ in range(32)]

# Pinned; numpy.arange alone would be pageable.
host = cupyx.empty_pinned(entries, dtype=numpy.uint64)
host[:] = numpy.arange(entries, dtype=numpy.uint64)
result = cupyx.zeros_pinned(entries, dtype=numpy.uint64)
device = cupy.empty(entries, dtype=cupy.uint64)
spare = cupy.empty(entries, dtype=cupy.uint64)
rounds = 64


def queue(source, target, n):
    """n chunks in n streams. A slice ends where its array ends, so the last
    one needs no guard."""
    chunk = -(-entries // n)
    for c in range(n):
        part = slice(c * chunk, (c + 1) * chunk)
        with streams[c]:
            device[part].set(source[part])
            scramble(device[part], rounds, device[part])
            device[part].get(out=target[part], blocking=False)


def copy_in():
    with streams[0]:
        device.set(host)


def kernel():
    with streams[0]:
        scramble(device, rounds, device)


def copy_back(array=device):
    with streams[1]:
        array.get(out=result, blocking=False)


def both_ways():
    copy_in()
    copy_back(spare)


def count_wrong():
    """All rounds together are one multiplication and one addition."""
    multiply, add = 1, 0
    for _ in range(rounds):
        multiply = multiply * MULTIPLY % 2**64
        add = (add * MULTIPLY + ADD) % 2**64
    expected = host * numpy.uint64(multiply) + numpy.uint64(add)
    return numpy.count_nonzero(result != expected)


# As many rounds that the kernel takes as long as a copy.
rounds = max(1, round(rounds * median_ms(copy_in, synchronize) /
                      median_ms(kernel, synchronize)))
pageable_host, pageable_result = host.copy(), numpy.empty_like(host)
name = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
report(f"CuPy {cupy.__version__} on {name}: {entries * 8 / 2**20:g} MiB, "
       f"{rounds} rounds", synchronize,
       {"in": copy_in, "kernel": kernel, "back": copy_back, "both": both_ways},
       lambda n: queue(host, result, n),
       lambda n: queue(pageable_host, pageable_result, n))
result[:] = 0
queue(host, result, 7)
synchronize()
sys.exit(finish(count_wrong()))
