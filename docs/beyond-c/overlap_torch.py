"""overlap_torch.py: lab 08 in PyTorch: a layer of a network over many rows.

    python3 docs/beyond-c/overlap_torch.py [MIB]

The entries are -1, 0 and 1, so that each sum is a whole number that a float
holds exactly, in whatever order it is made: results are compared for equality.
"""

import sys

import torch

from report import finish, mebibytes, report

WIDTH = 2048  # numbers in a row, and in a row of the result

synchronize = torch.cuda.synchronize
rows = max(1, int(mebibytes() * 2**20) // 4 // WIDTH)
# Not one of them is ordered with the default stream: see docs/beyond-c.md.
streams = [torch.cuda.Stream() for _ in range(32)]

torch.manual_seed(1)
pageable = torch.randint(-1, 2, (rows, WIDTH), dtype=torch.float32)
weights_host = torch.randint(-1, 2, (WIDTH, WIDTH), dtype=torch.float32)
host = pageable.pin_memory()
result = torch.zeros(rows, WIDTH).pin_memory()
pageable_result = torch.zeros(rows, WIDTH)
weights = weights_host.cuda()
x = torch.empty(rows, WIDTH, device="cuda")
y = torch.empty(rows, WIDTH, device="cuda")
synchronize()  # weights were made in the default stream


def queue(source, target, n):
    """n chunks in n streams. A slice ends where its array ends, so the last
    one needs no guard. Without non_blocking, the host waits for each copy."""
    chunk = -(-rows // n)
    for c in range(n):
        part = slice(c * chunk, (c + 1) * chunk)
        with torch.cuda.stream(streams[c]):
            x[part].copy_(source[part], non_blocking=True)
            torch.mm(x[part], weights, out=y[part])
            target[part].copy_(y[part], non_blocking=True)


def copy_in():
    with torch.cuda.stream(streams[0]):
        x.copy_(host, non_blocking=True)


def kernel():
    with torch.cuda.stream(streams[0]):
        torch.mm(x, weights, out=y)


def copy_back():
    with torch.cuda.stream(streams[1]):
        result.copy_(y, non_blocking=True)


def both_ways():
    copy_in()
    copy_back()


name = torch.cuda.get_device_name()
report(f"PyTorch {torch.__version__} on {name}: {rows} rows of {WIDTH} floats",
       synchronize,
       {"in": copy_in, "kernel": kernel, "back": copy_back, "both": both_ways},
       lambda n: queue(host, result, n),
       lambda n: queue(pageable, pageable_result, n))
different = {torch.cuda.Stream().cuda_stream for _ in range(100)}
print(f"  100 new torch.cuda.Stream() are {len(different)} streams")
result.zero_()
queue(host, result, 7)
synchronize()
sys.exit(finish(int((result != host @ weights_host).sum())))
