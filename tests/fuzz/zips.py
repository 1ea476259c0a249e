"""zips.py --seconds N | --count N [--seed S]: classes with students' ZIPs that
are damaged, lie, burst, lead elsewhere or are odd in any other way, unpacked by
tools/unpack-class. Nothing crashes, nothing takes more than five seconds or 500
MB, nothing is written outside of a student's folder, and the work of all others
is there, as it was. Closes with `N passed, N failed`, one for each ZIP.
"""
import io
import os
import random
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import warnings
import zipfile

warnings.simplefilter("ignore")
HERE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
GOOD = "// " + "the work of somebody else " * 40
IN_A_CLASS = 25
METHODS = [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2,
           zipfile.ZIP_LZMA]
LOCAL, CENTRAL, END = b"PK\3\4", b"PK\1\2", b"PK\5\6"


def pack(random, files=None, methods=None):
    """A ZIP that is as it should be: names and contents as they come."""
    methods = methods or METHODS
    if files is None:
        names = random.sample(NAMES, random.randint(1, 4))
        files = [(name, bytes(random.choices(b"int x;\n/{}", k=random.randint(
            0, 3000)))) for name in names]
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", random.choice(methods)) as made:
        for name, data in files:
            info = name if isinstance(name, zipfile.ZipInfo) else \
                zipfile.ZipInfo(name)
            info.compress_type = random.choice(methods)
            made.writestr(info, data)
    return bytearray(out.getvalue())


NAMES = ["lab.cu", "LAB.CU", "lab08.cu", "a/b/c/lab.cu", "lab.cu.txt", "08.cu",
         "labs/08_uneven_chunks/lab.cu", "flags", "report.pdf", "in.zip",
         "build/state/progress", "08.result.json", "x_1_assignsubmission_file_/lab.cu",
         "bob/lab.cu", "dave.cu", "cy_501_9001_lab.cu", "läb/lab.cu", "work.rar"]


def places(data, magic):
    at = data.find(magic)
    while at >= 0:
        yield at
        at = data.find(magic, at + 1)


def bytes_changed(random):
    data = pack(random)
    for _ in range(random.choice([1, 1, 1, 2, 8, 60])):
        data[random.randrange(len(data))] = random.randrange(256)
    return data


def cut(random):
    data = pack(random)
    return data[:random.randrange(len(data))]


def shuffled(random):
    data, other = pack(random), pack(random)
    at, to = random.randrange(len(data)), random.randrange(len(other))
    return data[:at] + other[to:]


def lies(random):
    """Sizes, sums, offsets, methods, flags, counts: any field of a header."""
    data = pack(random)
    magic, fields = random.choice([
        (LOCAL, [(4, 2), (6, 2), (8, 2), (14, 4), (18, 4), (22, 4), (26, 2), (28, 2)]),
        (CENTRAL, [(6, 2), (8, 2), (10, 2), (16, 4), (20, 4), (24, 4), (28, 2),
                   (30, 2), (32, 2), (38, 4), (42, 4)]),
        (END, [(8, 2), (10, 2), (12, 4), (16, 4), (20, 2)])])
    for at in list(places(data, magic))[:random.randint(1, 4)]:
        field, size = random.choice(fields)
        value = random.choice([0, 1, 9, 1 << 20, 0xffff, 0x7fffffff, 0xffffffff,
                               random.getrandbits(32)])
        struct.pack_into("<H" if size == 2 else "<I", data, at + field,
                         value & (0xffff if size == 2 else 0xffffffff))
    return data


def bomb(random):
    name = random.choice(["lab.cu", "in.zip", "08.result.json", "x/y.cu"])
    return pack(random, [(name, bytes(random.choice([3, 12, 30]) << 20))],
                [zipfile.ZIP_DEFLATED])


def many(random):
    stem = random.choice(["d{}/x{}.txt", "{}.cu", "lab.cu/{}", "a/" * 9 + "{}.cu"])
    return pack(random, [(stem.format(i, i), b"")
                         for i in range(random.choice([50, 300, 3000]))],
                METHODS[:1])


def elsewhere(random):
    name = random.choice([
        "../../../evil.cu", "/evil.cu", "a/../../evil.cu", "C:\\evil.cu",
        "..\\evil.cu", "//evil.cu", "a/./../../evil.cu", "~/evil.cu", ".",
        "..", "./lab.cu", "../bob/lab.cu", "bob/lab.cu", "evil.cu/", "con.cu"])
    return pack(random, [(name, b"evil"), ("lab.cu", b"x")])


def special(random):
    """Links, devices, pipes, folders that are files."""
    info = zipfile.ZipInfo(random.choice(["lab.cu", "labs", "08_uneven_chunks", "x"]))
    info.create_system = 3
    info.external_attr = random.choice([0o120777, 0o020666, 0o060666, 0o010666,
                                        0o140777, 0o040755, 0o104755]) << 16
    return pack(random, [(info, random.choice([b"/etc/passwd", b"../bob", b""])),
                         (info.filename + "/lab.cu", b"x")])


def twice(random):
    names = random.choice([["lab.cu"] * 2, ["lab.cu", "LAB.cu"],
                           ["lab.cu", "lab.cu/lab.cu"], ["x", "x/lab.cu"],
                           ["a/lab.cu", "A/lab.cu"], ["lab.cu", "./lab.cu"]])
    return pack(random, [(name, b"%d" % i) for i, name in enumerate(names)])


def odd_name(random):
    name = random.choice([
        "x" * random.choice([250, 300, 5000, 65500]) + ".cu", "a/" * 3000 + "lab.cu",
        "lab\tx.cu", "lab\nx.cu", "lab\x1b[2J.cu", "\u202eab.cu", "lab\ufffe.cu",
        "-rf.cu", "$(touch evil).cu", " .cu", ".cu", "..cu", "lab.cu "])
    data = pack(random, [(name, b"x"), ("läb/lab.cu", b"y"), ("labXcu.cu", b"z")])
    for old, new in random.sample([("ä".encode(), b"\xff\xfe"), (b"labX", b"lab\0"),
                                   (b"labX", b"lab/")], 2):
        data = bytearray(bytes(data).replace(old, new, random.choice([1, 1, 9])))
    return data


def locked(random):
    data = pack(random)
    for magic, flag in (LOCAL, 6), (CENTRAL, 8):
        for at in places(data, magic):
            data[at + flag] |= random.choice([1, 1, 0x41, 0x2000 & 255 | 1])
    return data


def nested(random):
    data = pack(random)
    for _ in range(random.choice([1, 2, 40])):
        data = pack(random, [("in.zip", bytes(data))])
    return data


def large(random):
    """With the records of ZIP64."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        with made.open("lab.cu", "w", force_zip64=True) as file:
            file.write(b"x" * 100)
    data = bytearray(out.getvalue())
    end = data.rfind(END)
    size = random.choice([0, 56, 1 << 40, (1 << 64) - 1])
    record = struct.pack("<IQHHIIQQQQ", 0x06064b50, 44, 45, 45, 0, 0, 1, 1,
                         random.choice([size, 50]), random.choice([size, 130]))
    there = struct.pack("<IIQI", 0x07064b50, 0, random.choice([end, size]), 1)
    struct.pack_into("<I", data, end + 16, 0xffffffff)
    return data[:end] + record + there + data[end:]


def none(random):
    return bytearray(random.choice([b"", b"PK", b"no ZIP\n", bytes(3 << 20),
                                    END + bytes(18), END + b"\xff" * 18,
                                    random.randbytes(2000)]))


def lzma_memory(random):
    data = pack(random, [("lab.cu", b"x" * 500)])
    at = data.find(b"lab.cu") + 6
    for i in range(4, 9):
        data[at + i] = random.choice([data[at + i], 0xff, 0x7f])
    return data


KINDS = [bytes_changed, bytes_changed, cut, shuffled, lies, lies, lies, bomb, many,
         elsewhere, special, twice, odd_name, locked, nested, large, none,
         lzma_memory]


def snapshot(folder):
    """All that is there, but for what was unpacked."""
    found = {}
    for at, folders, files in os.walk(folder):
        if at == folder:
            folders[:] = [name for name in folders if name != "out"]
        for name in folders + files:
            info = os.lstat(os.path.join(at, name))
            found[os.path.join(at, name)] = (info.st_mode, info.st_size)
    return found


def make_class(random, folder):
    """Students whose work is good, and IN_A_CLASS ZIPs. Return: their kinds."""
    os.makedirs(folder + "/in/bob")
    for path in "/in/bob/lab.cu", "/in/dave.cu", "/in/cy.cu":
        with open(folder + path, "w", encoding="utf-8") as file:
            file.write(GOOD)
    with zipfile.ZipFile(folder + "/in/carol.zip", "w") as made:
        made.writestr("work/lab.cu", GOOD)
    kinds = []
    for i in range(IN_A_CLASS):
        kind = random.choice(KINDS)
        kinds.append(kind.__name__)
        with open(f"{folder}/in/e{i:02}.zip", "wb") as file:
            file.write(kind(random))
    return kinds


def check(folder):
    """Unpack it. Return: what is wrong, or None."""
    before = snapshot(folder)
    began, used = time.monotonic(), sum(os.times()[2:4])
    try:
        done = subprocess.run(
            [HERE + "/tools/unpack-class", folder + "/in", folder + "/out",
             folder + "/table"], capture_output=True, cwd=folder, timeout=300,
            check=False)
    except subprocess.TimeoutExpired:
        return "it hangs"
    used = sum(os.times()[2:4]) - used
    if done.returncode != 0 or b"Traceback" in done.stderr:
        return f"status {done.returncode}: {done.stderr.decode()[-300:]}"
    if min(used, time.monotonic() - began) > 5 * 2:
        return f"{used:.1f} s of a processor for {IN_A_CLASS} ZIPs"
    after = snapshot(folder)
    after.pop(folder + "/table", None)
    if after != before:
        return f"other files changed: {set(after.items()) ^ set(before.items())}"
    for path in "bob/lab.cu", "dave.cu", "cy.cu", "carol/lab.cu":
        try:
            with open(f"{folder}/out/{path}", encoding="utf-8") as file:
                if file.read() != GOOD:
                    return f"{path} is not what it was"
        except OSError as error:
            return str(error)
    wanted = {f"e{i:02}" for i in range(IN_A_CLASS)} | {
        "bob", "carol", "cy.cu", "dave.cu"}
    there = set(os.listdir(folder + "/out"))
    with open(folder + "/table", errors="surrogateescape", encoding="utf-8") as file:
        rows = [line.split("\t") for line in file]
    names = {row[0] for row in rows if len(row) == 5}
    if there != wanted or len(rows) != len(names) or \
            names != wanted - {"cy.cu", "dave.cu"}:
        return f"students are {sorted(there ^ wanted)}, {sorted(names ^ wanted)}"
    return None


def main(how, value, seed):
    passed = failed = 0
    end = time.monotonic() + value if how == "--seconds" else None
    while time.monotonic() < end if end else passed + failed < value:
        seed += 1
        folder = tempfile.mkdtemp(prefix="zips")
        kinds = make_class(random.Random(seed), folder)
        wrong = check(folder)
        if wrong:
            failed += IN_A_CLASS
            print(f"not ok seed {seed}: {wrong} ({' '.join(kinds)})", flush=True)
        else:
            passed += IN_A_CLASS
        shutil.rmtree(folder, ignore_errors=True)
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    print(f"zips {passed + failed}, in classes of {IN_A_CLASS}, seeds up to {seed}; "
          f"at most {most} MB")
    if most > 500:
        print(f"not ok {most} MB")
        failed += 1
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    if len(sys.argv) not in (3, 5) or sys.argv[1] not in ("--seconds", "--count"):
        sys.exit("usage: zips.py --seconds N | --count N [--seed S]")
    sys.exit(main(sys.argv[1], int(sys.argv[2]),
                  int(sys.argv[4]) if len(sys.argv) == 5 else 0))
