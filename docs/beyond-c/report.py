"""report.py: what the programs beside it share: a clock, a search, a table."""

import sys
import time

STREAMS = (1, 2, 4, 8, 16, 32)
RUNS = 9


def mebibytes():
    """How much data: the program's argument, or 256 MiB."""
    return float(sys.argv[1]) if len(sys.argv) > 1 else 256


def median_ms(work, synchronize):
    """Until all of it is done, on the host's clock.

    The first run is not counted: it compiles and loads kernels.
    """
    times = []
    for _ in range(RUNS + 1):
        synchronize()
        start = time.perf_counter()
        work()
        synchronize()
        times.append(1e3 * (time.perf_counter() - start))
    return sorted(times[1:])[RUNS // 2]


def host_ms(work, synchronize):
    """What the host needs to queue it: until work() returns."""
    times = []
    for _ in range(RUNS):
        synchronize()
        start = time.perf_counter()
        work()
        times.append(1e3 * (time.perf_counter() - start))
        synchronize()
    return sorted(times)[RUNS // 2]


def report(title, synchronize, steps, pipeline, pageable):
    """Time and print everything.

    steps      name -> function that queues this step for all of the data:
               "in", "kernel", "back", and "both", copies both ways at once
    pipeline   pipeline(n) queues all of the work, in n chunks and streams
    pageable   the same with n chunks and pageable memory
    """
    ms = {name: median_ms(step, synchronize) for name, step in steps.items()}
    serial = ms["in"] + ms["kernel"] + ms["back"]
    bound = max(ms["both"], ms["kernel"])

    print(title)
    for name, text in (("in", "copy in"), ("kernel", "kernel"),
                       ("back", "copy back"),
                       ("both", "copies both ways at once")):
        print(f"  {text:<42}{ms[name]:9.3f} ms")
    print(f"  {'one after another':<42}{serial:9.3f} ms")
    print(f"  {'limit':<42}{bound:9.3f} ms")
    print("  streams and chunks       time    speed     eta   host needs")
    for n in STREAMS:
        total = median_ms(lambda: pipeline(n), synchronize)
        host = host_ms(lambda: pipeline(n), synchronize)
        eta = (serial - total) / (serial - bound)
        print(f"  {n:18}{total:8.3f} ms{serial / total:7.2f}x{eta:8.3f}"
              f"{host:10.3f} ms")
    total = median_ms(lambda: pageable(8), synchronize)
    print(f"  {'8, pageable memory':>18}{total:8.3f} ms{serial / total:7.2f}x")


def finish(wrong):
    """Say whether the results are right. Return: the exit status."""
    print("  every result is right" if wrong == 0 else
          f"  {wrong} results are WRONG")
    return 0 if wrong == 0 else 1
