"""make_traces.py: write the sample traces of this folder

    python3 tests/traces/make_traces.py [FOLDER]

A small model of one H200: two copy engines, kernels, four phases of equal
length. The files are committed; run this only to change them.
"""
import os
import sys
from urllib.parse import quote

MIB = 1 << 20


class Trace:
    def __init__(self, *devices):
        self.lines, self.ops, self.calls, self.records = [], 0, 0, 0
        self.host_ns = 1_000_000
        for i, name in enumerate(devices):
            self.add("device", index=i, name=name, backend="vgpu",
                     copy_engines=3, sms=132)

    def add(self, record, **keys):
        words = (f"{k}={quote(str(v), safe=',:/()<>')}"
                 for k, v in keys.items())
        self.lines.append(" ".join((record, *words)))
        self.records += 1

    def call(self, name, takes_ns=2100, until_ns=0, **keys):
        self.calls += 1
        start = self.host_ns
        self.host_ns = max(start + takes_ns, until_ns)
        self.add("call", id=self.calls, name=name, thread=0, start_ns=start,
                 end_ns=self.host_ns, **keys)
        return self.calls

    def op(self, kind, start_ns, takes_ns, **keys):
        self.ops += 1
        self.add("op", id=self.ops, kind=kind, **keys, start_ns=start_ns,
                 end_ns=start_ns + takes_ns, call=self.calls)

    def mark(self, what):
        self.add("mark", what=what, t_ns=self.host_ns)

    def save(self, path):
        with open(path, "w") as out:
            out.write("cuda-streams-lab trace 1\n")
            out.writelines(line + "\n" for line in self.lines)
            out.write(f"end records={self.records} ops={self.ops} "
                      f"calls={self.calls}\n")


PHASES = (("h2d", "h2d", "cudaMemcpyAsync", 31),
          ("kernel", "sm", "cudaLaunchKernel", 33),
          ("d2h", "d2h", "cudaMemcpyAsync", 34))


def pipeline(chunks, streams, size=256 * MIB, phase_ns=4_850_000,
             mem="pinned", devices=1, at="lab.cu", penalty=1.0):
    t = Trace(*["NVIDIA H200"] * devices)
    t.mark("start")
    free = {}  # when an engine, or a stream, is free
    last = 0
    for c in range(chunks):
        dev = c * devices // chunks
        stream = c % streams + 1 if streams else 0
        for kind, engine, api, line in PHASES:
            where = dict(device=dev, stream=stream, at=f"{at}:{line}")
            takes = phase_ns // chunks
            if kind != "kernel":
                takes = int(takes * penalty)
            start = max(t.host_ns + 2500, free.get((dev, engine), 0),
                        free.get(("s", dev, stream), 0))
            held = start + takes if mem == "pageable" else 0
            t.call(api, 4700 if kind == "kernel" else 2100,
                   0 if kind == "kernel" else held, **where)
            keys = dict(name="decrypt_gpu", grid=1056, block=256) \
                if kind == "kernel" else \
                dict(name="memcpy", bytes=size // chunks, mem=mem)
            t.op(kind, start, takes, engine=engine, **where, **keys)
            free[dev, engine] = free["s", dev, stream] = start + takes
            last = max(last, start + takes)
    t.call("cudaDeviceSynchronize", 9500, last + 3000, at=f"{at}:40",
           device=0)
    t.mark("stop")
    return t


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(__file__)

    def path(name):
        return os.path.join(folder, name + ".trace")

    pipeline(1, 0, at="serial.cu").save(path("serial"))
    pipeline(4, 4, penalty=1.11).save(path("overlapped"))
    pipeline(4, 4, mem="pageable", penalty=6).save(path("pageable"))
    pipeline(8, 4, devices=2, penalty=1.11).save(path("two_gpus"))
    t = pipeline(3, 3)
    t.add("hazard", kind="write-read", first_op=2, second_op=3,
          first_at="lab.cu:33", second_at="lab.cu:34", buffer=1, lo=0,
          hi=4096, why="they are in different streams")
    t.add("note", text="sample with a hazard; 50% of nothing")
    t.save(path("hazard"))


if __name__ == "__main__":
    main()
