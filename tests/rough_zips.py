#!/usr/bin/env python3
"""rough_zips.py FOLDER SOURCE NUMBER...: what hostile students pack, one
NUMBER.zip or NUMBER.result.json for each, in this folder: damaged in all ways
that once ended an unpacking, bursting, leading into the folders of others, with
forged results. SOURCE is a file that is right. Prints for each its number and
what becomes of it, as rough_class.sh does: "not-graded", or what is found in it.
"""
import hashlib
import io
import json
import struct
import sys
import zipfile

LOCAL, CENTRAL = b"PK\3\4", b"PK\1\2"
EXPORTED = "x_1_assignsubmission_file_/lab.cu"
KINDS = []


def kind(expected, end="zip"):
    def add(make):
        KINDS.append((make, expected, end))
        return make
    return add


def pack(files, method=zipfile.ZIP_STORED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as made:
        for name, data in files:
            made.writestr(name, data)
    return bytearray(out.getvalue())


def lie(data, size):
    """The last file's entry of the list says that it is so large."""
    at = data.rfind(CENTRAL)
    struct.pack_into("<II", data, at + 20, size, size)
    return data


def bend(data):
    for i in range(60, 90):
        data[i] ^= 0x5a
    return data


@kind("not-graded")
def lzma_damaged(source):
    return bend(pack([("lab.cu", source)], zipfile.ZIP_LZMA))


@kind("not-graded")
def leads_out(source):
    return pack([("../../../left.cu", source), ("/left.cu", source),
                 ("../0/lab.cu", source), ("lab.cu", source)])


@kind("not-graded")
def lzma_properties(source):
    data = pack([("lab.cu", source)], zipfile.ZIP_LZMA)
    data[data.find(b"lab.cu") + 10] = 0xff
    return data


@kind("not-graded")
def writes_to_others(source):
    """As a course site's export, which is a class."""
    return pack([(EXPORTED, source), ("0/lab.cu", "planted"),
                 ("1 of 'them'/lab.cu", "planted"), ("5.cu", "planted"),
                 ("0_1_assignsubmission_file_/lab.cu", "planted")])


@kind("does-not-compile", "result.json")
def forged_result(source):
    """The points are the browser's word; the text is graded."""
    fields = {"format": "cuda-streams-lab browser result 1",
              "lab": "08_uneven_chunks", "text": "#include \"lab.h\"\n",
              "score": "100", "passed": "true", "verdict": "100/100"}
    fields["sum"] = hashlib.sha256(
        "\n".join(fields.values()).encode()).hexdigest()
    return json.dumps(fields).encode()


@kind("not-graded")
def lzma_four_gigabytes(source):
    data = pack([("lab.cu", source)], zipfile.ZIP_LZMA)
    at = data.find(b"lab.cu") + 11
    data[at:at + 4] = b"\xff" * 4
    return data


@kind("not-graded")
def bzip2_damaged(source):
    return bend(pack([("lab.cu", source)], zipfile.ZIP_BZIP2))


@kind("not-graded", "result.json")
def deep_result(source):
    return b"[" * 2000000


@kind("not-graded")
def local_name_is_no_text(source):
    data = bytes(pack([("l\u00e4b/lab.cu", source)]))
    return data.replace("\u00e4".encode(), b"\xff\xff", 1)


@kind("not-graded")
def size_lies(source):
    return lie(pack([("lab.cu", source)]), 900000)


@kind("not-graded")
def bursts(source):
    return pack([("lab.cu", bytes(900 << 20))], zipfile.ZIP_DEFLATED)


@kind("passed")
def nested_lies(source):
    """A ZIP in a ZIP is not looked into."""
    return lie(pack([("lab.cu", source), ("in.zip", pack([("lab.cu", "x")]))]),
               1 << 20)


@kind("not-graded", "result.json")
def huge_number(source):
    return b'{"format":' + b"1" * 100000 + b"}"


@kind("not-graded")
def forged_results(source):
    """The results alone are nobody's work."""
    return pack([("08.json", '{"passed": true, "score": 100}'),
                 ("build/results/08.json", '{"passed": true, "score": 100}'),
                 ("grades.csv", "0,08_uneven_chunks,passed,100,100,100\n"),
                 (".round/changed", "x"), ("build/state/progress", "08 100\n")])


@kind("not-graded")
def file_and_folder(source):
    return pack([("lab.cu", source), ("lab.cu/lab.cu", source)])


@kind("not-graded")
def cut_short(source):
    data = pack([("lab.cu", source)])
    return data[:len(data) - 30]


@kind("not-graded")
def link(source):
    info = zipfile.ZipInfo("lab.cu")
    info.create_system, info.external_attr = 3, 0o120777 << 16
    return pack([(info, "/etc/passwd")])


@kind("not-graded")
def encrypted(source):
    data = pack([("lab.cu", source)])
    for magic, flag in (LOCAL, 6), (CENTRAL, 8):
        data[data.find(magic) + flag] |= 1
    return data


@kind("not-graded")
def name_with_nul(source):
    return bytes(pack([("labXcu.cu", source)])).replace(b"labXcu", b"lab\0cu")


@kind("passed")
def long_names(source):
    """The first is a file with a name, made shorter."""
    return pack([("a" * 3000 + ".cu", source),
                 ("labs/08_" + "a" * 300 + "/lab.cu", source)])


@kind("not-graded")
def many(source):
    return pack([(f"d{i}/x{i}.txt", "") for i in range(20000)])


def main(folder, source, numbers):
    with open(source, "rb") as file:
        text = file.read()
    for i, number in enumerate(numbers):
        make, expected, end = KINDS[i % len(KINDS)]
        with open(f"{folder}/{number}.{end}", "wb") as file:
            file.write(make(text + b"// " + number.encode() + b"\n"))
        print(number, expected)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
