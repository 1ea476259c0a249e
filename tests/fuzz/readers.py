"""readers.py READER --seconds N | --count N [--seed S] [--show]: files that are
damaged, absurd, endless or no files at all, each given to one who reads it.

READER: traces (build/bin/timeline), grades (build/bin/results), report
(build/bin/report: grades, traces, what is remembered), profiles (VGPU_DEVICE),
class (tools/class-report: grades.csv and what lies beside it).

None ends by a signal, takes more than five seconds of a processor or 500 MB,
waits for what never comes, refuses without a line or says more than a few. Says
the longest time and the most memory, and closes with `N passed, N failed`, one
for each input. --show: keep the first input, and say where.
"""
import glob
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MOST_SECONDS, MOST_MB, HANGS = 5, 500, 20
MOST_SAID = 4000  # letters of what went wrong
LAB = "08_uneven_chunks"

# ---- files that are not what they should be --------------------------------------

NUMBERS = [b"0", b"-1", b"1e308", b"-1e308", b"1e-320", b"nan", b"inf", b"0x10",
           b"1" * 400, b"9007199254740993", b"9223372036854775807",
           b"18446744073709551615", b"18446744073709551616", b"-9223372036854775808",
           b"4294967296", b"2147483648", b"0.1e", b"1.5", b"+1", b"00", b"1e9999",
           b"", b" ", b"%s%n", b"\xff", b"1,000"]
TEXTS = [b"\0", b"\xff\xfe", b"\xf0\x9f\x92", b"\xc0\x80", b"\xed\xa0\x80", b"\x1b[2J",
         b"\r", b"\r\n", b"\n", b"\t", b"\"", b"'", b"\\", b"\\u0000", b"\\ud800",
         b"</script>", b"<!--", b"&#0;", b"%n", b"=", b",", b"{", b"}", b"[", b"]",
         b" ", b"#", b"\xef\xbb\xbf", b"\xe2\x80\xae", b"null", b"true", b"../../x",
         b"x" * 9000, b"[" * 5000, b"{\"a\":" * 5000, b"\"," * 3000, b"- " * 3000]


def near_numbers(data):
    """Where a number begins and ends, of each."""
    at = 0
    while at < len(data):
        if 48 <= data[at] <= 57:
            end = at
            while end < len(data) and (48 <= data[end] <= 57 or data[end] in b".eE+-"):
                end += 1
            yield at, end
            at = end
        at += 1


def bytes_changed(rng, data, other):
    data = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 8, 60])):
        if data:
            data[rng.randrange(len(data))] = rng.randrange(256)
    return data


def cut(rng, data, other):
    return data[:rng.randrange(len(data) + 1)]


def joined(rng, data, other):
    return data[:rng.randrange(len(data) + 1)] + other[rng.randrange(len(other) + 1):]


def numbers(rng, data, other):
    """Some of its numbers are such as cannot be."""
    places = list(near_numbers(data))
    for at, end in sorted(rng.sample(places, min(len(places), rng.choice([1, 1, 2, 9]))),
                          reverse=True):
        data = data[:at] + rng.choice(NUMBERS) + data[end:]
    return data


def texts(rng, data, other):
    for _ in range(rng.choice([1, 1, 2, 5])):
        at = rng.randrange(len(data) + 1)
        data = data[:at] + rng.choice(TEXTS) + data[at + rng.choice([0, 0, 1, 9]):]
    return data


def lines(rng, data, other):
    """Left out, twice, elsewhere, in another order."""
    rows = data.split(b"\n")
    for _ in range(rng.choice([1, 1, 2, 6])):
        at, to = rng.randrange(len(rows)), rng.randrange(len(rows))
        kind = rng.randrange(4)
        if kind == 0:
            del rows[at:at + rng.choice([1, 1, 4])]
        elif kind == 1:
            rows[to:to] = rows[at:at + rng.choice([1, 1, 9])]
        elif kind == 2:
            rows[at], rows[to] = rows[to], rows[at]
        else:
            rows[at] = rng.choice(other.split(b"\n"))
        rows = rows or [b""]
    return b"\n".join(rows)


def words(rng, data, other):
    """Two of its words are the other's."""
    parts = data.split(b" ")
    for _ in range(rng.choice([1, 2, 5])):
        at = rng.randrange(len(parts))
        parts[at] = rng.choice([rng.choice(parts), b"", parts[at] + parts[at],
                                parts[at].split(b"=")[0]])
    return b" ".join(parts)


def again(rng, data, other):
    """One piece over and over: what is not linear shows."""
    at = rng.randrange(len(data) + 1)
    piece = rng.choice([data[at:at + rng.choice([1, 3, 40, 400])], b"\n", b"\n\n", b"[",
                        b"{\"a\":", b"\"\",", b" ", b"1 2\n", rng.choice(TEXTS)]) or b"\n"
    most = rng.choice([1 << 12, 1 << 16, 1 << 20, 1 << 20, 1 << 22])
    return data[:at] + piece * (most // len(piece)) + data[at:]


def nothing(rng, data, other):
    return rng.choice([b"", b"\n", b"\0", b" ", bytes(5000), b"\n" * 100000,
                       rng.randbytes(3000), b"\xff" * 3000])


def ends(rng, data, other):
    return data.replace(b"\n", rng.choice([b"\r\n", b"\r", b"\n\n", b"", b"\0"]))


KINDS = [bytes_changed, cut, joined, numbers, numbers, texts, texts, lines, lines,
         words, again, nothing, ends]


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def place(rng, path, data, other, most=8 << 20):
    """What is hostile, there, of no more than so many bytes. Return: its kind."""
    kind = rng.randrange(100)
    if kind == 0:
        os.mkdir(path)
        return "folder"
    if kind == 1:
        os.mkfifo(path)
        return "pipe"
    if kind == 2:
        os.symlink(rng.choice(["/dev/zero", "/dev/urandom", "/dev/full"]), path)
        return "device"
    if kind == 3:
        os.symlink(rng.choice([path, "nowhere", "/proc/self/mem", "/"]), path)
        return "link"
    if kind == 4:
        write(path, data)
        os.truncate(path, rng.choice([1 << 21, 1 << 30, 1 << 33]))
        return "hole"
    names = []
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        # What takes a large file apart would be larger here than where it is read.
        change = rng.choice(KINDS if len(data) < 1 << 18 else KINDS[:3])
        names.append(change.__name__)
        data = bytes(change(rng, data, other))[:most]
    write(path, data)
    return "+".join(names)


def read(path):
    with open(path, "rb") as file:
        return file.read()


# ---- who reads them --------------------------------------------------------------

class Traces:
    """build/bin/timeline"""
    modes = [["--text"], ["--stats"], ["--svg", "out"], ["--html", "out"],
             ["--perfetto", "out"]]
    options = [[], [], ["--by", "stream"], ["--host"], ["--waits"], ["--partial"],
               ["--width", "40"], ["--ascii"], ["--waits", "--by", "stream"]]

    def __init__(self, folder):
        self.seeds = [read(path) for path in
                      sorted(glob.glob(HERE + "/tests/traces/*.trace") +
                             glob.glob(HERE + "/labs/*/figures/*.trace"))]

    def prepare(self, rng, folder):
        kind = place(rng, folder + "/a.trace", rng.choice(self.seeds),
                     rng.choice(self.seeds))
        write(folder + "/b.trace", rng.choice(self.seeds))
        return kind, [HERE + "/build/bin/timeline", *rng.choice(self.modes),
                      *rng.choice(self.options), "a.trace",
                      *rng.choice([[], [], ["b.trace"], ["a.trace"]])], {}


# As `grade --json` writes it, with what a grade may have and this one lacks.
GRADE = b"""{
  "version": "1.0.0",
  "missing_fences": [],
  "labs": [
    {
      "lab": "08_uneven_chunks",
      "file": "labs/08_uneven_chunks/lab.cu",
      "backend": "vgpu",
      "device": "NVIDIA H200",
      "passed": false,
      "score": 62.5,
      "max_score": 100,
      "eta": 0.912,
      "baseline": "without overlap",
      "speedup": 2.83,
      "bound_speedup": 3.01,
      "needed_speedup": 2.5,
      "seconds": 1.8,
      "checks": [
        {"name": "builds", "passed": true, "score": 5, "max_score": 5},
        {"name": "right: many entries", "passed": false, "score": 0,
         "max_score": 20, "line": "the last 3 entries are wrong",
         "diagnosis": "the last 3 entries are wrong. Rounded down, ...",
         "diagnosis_id": "floor-division", "read": "Chunks of any size"},
        {"name": "speed", "passed": false, "score": 0, "max_score": 30,
         "diagnosis": "not tried: this must be right first: many entries"}
      ]
    }
  ]
}
"""


class Grades:
    """build/bin/results"""
    def __init__(self, folder):
        self.seeds = [GRADE, GRADE.replace(b"\n", b""), GRADE + GRADE]

    def prepare(self, rng, folder):
        tool = HERE + "/build/bin/results"
        os.mkdir(folder + "/g")
        os.mkdir(folder + "/out")
        kind = place(rng, folder + "/g/08.json", rng.choice(self.seeds[:2]),
                     rng.choice(self.seeds))
        if rng.randrange(3) == 0:
            kind += " " + place(rng, folder + "/g/08.txt", b"could not be graded\n",
                                GRADE)
        write(folder + "/good.json", GRADE)
        return kind, [tool, *rng.choice([
            ["get", "g/08.json", LAB, "score", "eta", "passed"],
            ["brief", "g/08.json", LAB], ["mistakes", LAB, "g/08.json", "good.json"],
            ["changes", "g/08.json", "good.json", LAB],
            ["changes", "good.json", "g/08.json", LAB], ["write", "out", "g", LAB],
            ["sheet", "out", "g", "2", "-", LAB + "=30"]])], {}


class Report:
    """build/bin/report, with a student's state and traces"""
    def __init__(self, folder):
        self.traces = Traces(folder).seeds

    def prepare(self, rng, folder):
        for part in "g", "t", "build/state/hints", "build/state/quiz", "labs/" + LAB:
            os.makedirs(folder + "/" + part)
        lab = HERE + "/labs/" + LAB + "/"
        files = [("g/08.json", GRADE), ("build/state/hints/08", b"1 2\n2 3\n"),
                 ("build/state/quiz/08", b"4 5\n"), ("labs/" + LAB + "/README.md",
                 read(lab + "README.md")), ("labs/" + LAB + "/hints.md",
                 read(lab + "hints.md")), ("labs/" + LAB + "/lab.cu",
                 read(lab + "lab.cu")), ("t/08.trace", self.traces[0])]
        hostile = rng.sample(range(len(files)), rng.choice([1, 1, 1, 2]))
        kinds = []
        for i, (path, data) in enumerate(files):
            if i in hostile:
                kinds.append(path + " " + place(rng, folder + "/" + path, data,
                                                rng.choice(files)[1]))
            else:
                write(folder + "/" + path, data)
        return "; ".join(kinds), [HERE + "/build/bin/report", "--out", "out.html",
                                  "--results", "g", "--traces", "t", LAB], {}


PROGRAM = """#include <stdio.h>
int main()
{
    int count, *x;
    cudaStream_t stream;

    if (cudaGetDeviceCount(&count) || cudaStreamCreate(&stream) ||
        cudaMalloc(&x, 4000) || cudaMemsetAsync(x, 0, 4000, stream) ||
        cudaStreamSynchronize(stream))
        return puts(cudaGetErrorString(cudaGetLastError())), 1;
    return 0;
}
"""


class Profiles:
    """VGPU_DEVICE, the words behind it, and VGPU_COUNT"""
    def __init__(self, folder):
        write(folder + "/p.cu", PROGRAM.encode())
        subprocess.run([HERE + "/build/bin/vgpucc", "-o", folder + "/p",
                        folder + "/p.cu"], check=True)
        self.program = folder + "/p"
        self.seeds = [read(path) for path in
                      sorted(glob.glob(HERE + "/vgpu/profiles/*.profile"))]
        self.keys = sorted({line.split(b"=")[0].strip().decode()
                            for line in b"\n".join(self.seeds).split(b"\n")
                            if b"=" in line and line[:1] != b"#"})

    def change(self, rng):
        return "".join(
            f":{rng.choice(self.keys)}={rng.choice(NUMBERS).decode('latin-1')}"
            for _ in range(rng.choice([1, 2, 200])))

    def prepare(self, rng, folder):
        kind, env = "", {"VGPU_DEVICE": folder + "/a.profile"}
        if rng.randrange(4) == 0:
            env["VGPU_DEVICE"] = rng.choice(["h200", "k20", "", ":", "x", "h200,k20"]) \
                + self.change(rng)
            kind = env["VGPU_DEVICE"][:80]
        else:
            kind = place(rng, folder + "/a.profile", rng.choice(self.seeds),
                         rng.choice(self.seeds))
            if rng.randrange(8) == 0:
                env["VGPU_DEVICE"] += self.change(rng)
        if rng.randrange(8) == 0:
            env["VGPU_COUNT"] = rng.choice(NUMBERS).decode("latin-1")
        return kind, [self.program], {name: value.replace("\0", "")
                                      for name, value in env.items()}


ROWS = b"""student,lab,status,score,max_score,percent,eta,speedup,backend,device,\
seconds,diagnosis_id,diagnosis,file,json,version,late
"ann","08_uneven_chunks",passed,100,100,100,0.95,2.9,vgpu,"NVIDIA H200",1.2,,,\
"ann.cu","08/ann.json","1.0.0",
"bob ""the"" one","08_uneven_chunks",not passed,62.5,100,62,,,vgpu,"NVIDIA H200",1,\
floor-division,"The last 3, rounded","bob.cu","08/bob.json","1.0.0",late
"cy","08_uneven_chunks",not graded,,100,,,,,,,,"too large","cy.cu","","1.0.0",
"""
SITES = b"ann\t\tmoodle\t101\t\nbob\tlate\tcanvas\t501\t\n"
STATE = b"""2026-11-20T10:00:00Z 08_uneven_chunks 62.5 failed 100 0 vgpu x
2026-11-20T10:20:00Z 08_uneven_chunks 100 passed 100 0.95 vgpu x
quiz 08 3 5 2 4
"""
SHEET = b"""Identifier,Full name,Grade,Maximum Grade,Comments
Participant 101,ann,,50.00,
Participant 102,"bob ""the"" one",,50.00,"a, b"
"""


class Class:
    """tools/class-report, and the worksheet that it fills in"""
    def __init__(self, folder):
        pass

    def prepare(self, rng, folder):
        os.makedirs(folder + "/08/ann")
        os.mkdir(folder + "/state")
        os.mkdir(folder + "/w")
        files = [("grades.csv", ROWS), ("unpacked.tsv", SITES), ("08/ann.json", GRADE),
                 ("08/bob.json", GRADE), ("state/ann", STATE),
                 ("08/ann/lab.cu", b"int x;\n"), ("w/sheet.csv", SHEET)]
        hostile = rng.choice([0, 0, 0, 1, 2, 3, 4, 5, 6, 6])
        kind = ""
        for i, (path, data) in enumerate(files):
            if i == hostile:
                kind = path + " " + place(rng, folder + "/" + path, data,
                                          rng.choice(files)[1], 1 << 20)
            else:
                write(folder + "/" + path, data)
        return kind, [HERE + "/tools/class-report", HERE + "/build", "08"], {
            "OUT": folder, **({"WORKSHEET": folder + "/w/sheet.csv"}
                              if hostile == 6 else {})}


READERS = {"traces": Traces, "grades": Grades, "report": Report,
           "profiles": Profiles, "class": Class}

# ---- one input -------------------------------------------------------------------


class Hangs(Exception):
    pass


def too_late(number, frame):
    raise Hangs


def end(pid):
    """It, and what it began."""
    try:
        os.killpg(pid, signal.SIGKILL)
    except OSError:
        pass


def run(command, env, folder):
    """Return: its status, seconds of a processor and MB; None: it hangs."""
    environ = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "HOME": folder,
               "TMPDIR": folder, **env}
    with open(folder + "/said", "wb") as said, open(folder + "/told", "wb") as told:
        child = subprocess.Popen(command, cwd=folder, env=environ, stderr=said,
                                 stdin=subprocess.DEVNULL, stdout=told,
                                 start_new_session=True)
    signal.setitimer(signal.ITIMER_REAL, HANGS)
    try:
        _, status, used = os.wait4(child.pid, 0)
    except Hangs:
        end(child.pid)
        _, status, used = os.wait4(child.pid, 0)
        status = None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    child.returncode = 0
    return status, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def judge(status, seconds, most, said):
    """Return: what is wrong, or None."""
    if status is None:
        return f"it hangs: {HANGS} s, {seconds:.1f} of a processor"
    if os.WIFSIGNALED(status):
        return f"signal {os.WTERMSIG(status)}"
    if os.WEXITSTATUS(status) not in (0, 1, 2):
        return f"status {os.WEXITSTATUS(status)}: {said[-300:]!r}"
    if seconds > MOST_SECONDS:
        return f"{seconds:.1f} s"
    if most > MOST_MB:
        return f"{most:.0f} MB"
    odd = b"Traceback" in said or (b"awk:" in said and b"read error" not in said)
    if len(said) > MOST_SAID or odd:
        return f"it says {len(said)} letters: {said[:200]!r}"
    return None


def try_one(reader, seed, top, show):
    """Return: what is wrong or None, seconds, MB."""
    folder = tempfile.mkdtemp(prefix="one", dir=top)
    kind, command, env = reader.prepare(random.Random(seed), folder)
    status, seconds, most = run(command, env, folder)
    wrong = judge(status, seconds, most, read(folder + "/said"))
    if wrong or show:
        print(f"{'not ok' if wrong else 'ok'} seed {seed}: {wrong} ({kind[:200]})",
              flush=True)
    if show:
        print(" ".join(f"{name}={value}" for name, value in env.items()),
              *command, "in", folder)
    else:
        shutil.rmtree(folder, ignore_errors=True)
    return wrong, seconds, most


def main(name, how, value, seed, show):
    passed = failed = 0
    longest = largest = 0.0
    top = tempfile.mkdtemp(prefix="readers")
    reader = READERS[name](top)
    signal.signal(signal.SIGALRM, too_late)
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    until = time.monotonic() + value if how == "--seconds" else None
    while time.monotonic() < until if until else passed + failed < value:
        wrong, seconds, most = try_one(reader, seed, top, show)
        failed += wrong is not None
        passed += wrong is None
        longest, largest = max(longest, seconds), max(largest, most)
        seed += 1
        if failed >= 40:
            break
    if not show:
        shutil.rmtree(top, ignore_errors=True)
    print(f"{name} {passed + failed} inputs, seeds up to {seed - 1}; the longest "
          f"{longest:.2f} s, the most {largest:.0f} MB")
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    arguments = sys.argv[1:]
    showing = "--show" in arguments
    arguments = [one for one in arguments if one != "--show"]
    if len(arguments) not in (3, 5) or arguments[0] not in READERS or \
            arguments[1] not in ("--seconds", "--count"):
        sys.exit(__doc__.split("\n\n", maxsplit=1)[0])
    sys.exit(main(arguments[0], arguments[1], int(arguments[2]),
                  int(arguments[4]) if len(arguments) == 5 else 0, showing))
