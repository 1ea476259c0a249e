"""overlap_numba.py: lab 08 in Numba: chunks of an array in several streams.

    python3 docs/beyond-c/overlap_numba.py [MIB]
"""

import sys

import numpy

# Numba of 2026 asks for a name that NumPy 2.5 took away.
if not hasattr(numpy, "row_stack"):
    numpy.row_stack = numpy.vstack

import numba
from numba import cuda

from report import finish, mebibytes, median_ms, report

# Of one type: an unsigned and a signed number would be added as floats.
MULTIPLY = numpy.uint64(6364136223846793005)
ADD = numpy.uint64(1442695040888963407)
THREADS = 256


@cuda.jit
def scramble(data, rounds):
    for i in range(cuda.grid(1), data.size, cuda.gridsize(1)):
        value = data[i]
        for _ in range(rounds):
            value = value * MULTIPLY + ADD
        data[i] = value


entries = int(mebibytes() * 2**20) // 8
streams = [cuda.stream() for _ in range(32)]

# Pinned; numpy.arange alone would be pageable.
host = cuda.pinned_array(entries, dtype=numpy.uint64)
host[:] = numpy.arange(entries, dtype=numpy.uint64)
result = cuda.pinned_array(entries, dtype=numpy.uint64)
device = cuda.device_array(entries, dtype=numpy.uint64)
spare = cuda.device_array(entries, dtype=numpy.uint64)
rounds = 64


def launch(array, stream):
    """A launch in square brackets: blocks, threads, stream. With an array of
    the host it would copy in and back by itself, and wait."""
    blocks = min(2048, -(-array.size // THREADS))
    scramble[blocks, THREADS, stream](array, rounds)


def queue(source, target, n):
    """n chunks in n streams. A slice ends where its array ends, but one that
    would begin behind it is empty."""
    chunk = -(-entries // n)
    for c in range(n):
        part = slice(c * chunk, min((c + 1) * chunk, entries))
        if part.start >= entries:
            break
        device[part].copy_to_device(source[part], stream=streams[c])
        launch(device[part], streams[c])
        device[part].copy_to_host(target[part], stream=streams[c])


def copy_in():
    device.copy_to_device(host, stream=streams[0])


def kernel():
    launch(device, streams[0])


def copy_back(array=device):
    array.copy_to_host(result, stream=streams[1])


def both_ways():
    copy_in()
    copy_back(spare)


def count_wrong():
    """All rounds together are one multiplication and one addition."""
    multiply, add = 1, 0
    for _ in range(rounds):
        multiply = multiply * int(MULTIPLY) % 2**64
        add = (add * int(MULTIPLY) + int(ADD)) % 2**64
    expected = host * numpy.uint64(multiply) + numpy.uint64(add)
    return numpy.count_nonzero(result != expected)


# As many rounds that the kernel takes as long as a copy.
rounds = max(1, round(rounds * median_ms(copy_in, cuda.synchronize) /
                      median_ms(kernel, cuda.synchronize)))
pageable_host, pageable_result = host.copy(), numpy.empty_like(host)
name = cuda.get_current_device().name
name = name.decode() if isinstance(name, bytes) else name
report(f"Numba {numba.__version__} on {name}: {entries * 8 / 2**20:g} MiB, "
       f"{rounds} rounds", cuda.synchronize,
       {"in": copy_in, "kernel": kernel, "back": copy_back, "both": both_ways},
       lambda n: queue(host, result, n),
       lambda n: queue(pageable_host, pageable_result, n))
result[:] = 0
queue(host, result, 7)
cuda.synchronize()
sys.exit(finish(count_wrong()))
