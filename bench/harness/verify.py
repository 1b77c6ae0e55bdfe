"""The truth that each command's result is compared with before it is timed."""

import functools
import hashlib
import json
import re
import subprocess

from .measure import strings

LETTERS = "ACGT"


@functools.cache
def digest_of_file(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "blake2b").hexdigest() if hasattr(hashlib, "file_digest") else digest(file)


def digest(stream):
    state = hashlib.blake2b()
    while piece := stream.read(1 << 20):
        state.update(piece)
    return state.hexdigest()


def stdout_equals(command, plain):
    """The command's standard output is the bytes of the file `plain`."""

    def verify():
        with subprocess.Popen(strings(command), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as child:
            found = digest(child.stdout)
        if child.returncode:
            return f"exit code {child.returncode}"
        return None if found == digest_of_file(plain) else "its output is not the text"

    return verify


def file_equals(command, written, plain):
    """The command writes the file `written`, which has the bytes of `plain`; it is removed again."""

    def verify():
        done = subprocess.run(strings(command), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if done.returncode:
            return f"exit code {done.returncode}"
        found = digest_of_file.__wrapped__(written)
        written.unlink()
        return None if found == digest_of_file(plain) else "its output is not the text"

    return verify


@functools.cache
def letters_of_file(plain):
    """Counts of A, C, G, T and of other letters by a plain reader of four-line FASTQ."""
    counts = dict.fromkeys(LETTERS, 0)
    other = records = 0
    with open(plain, "rb") as file:
        for number, line in enumerate(file):
            if number % 4 != 1:
                continue
            records += 1
            rest = len(line.rstrip(b"\r\n"))
            for letter in LETTERS:
                found = line.count(letter.encode())
                counts[letter] += found
                rest -= found
            other += rest
    return counts, other, records


def letters_equal(command, plain, read):
    """The counts that `read` finds in the command's output are those of the file."""

    def verify():
        done = subprocess.run(strings(command), capture_output=True)
        if done.returncode:
            return f"exit code {done.returncode}"
        try:
            # mim logs its counts to standard error.
            found = read(done.stdout.decode() or done.stderr.decode())
        except (ValueError, KeyError, AttributeError) as error:
            return f"its output was not understood: {error!r}"
        counts, other, _ = letters_of_file(plain)
        expected = dict(counts)
        if "G or N" in found:
            expected["G or N"] = expected.pop("G") + other
        return None if found == expected else f"counts {found}, not {expected}"

    return verify


def from_mim(text):
    """mim-index 0.1.1 prints A, C, G, T (or N) over counters that are in the order A, C, T, G with N.

    They are indexed by bits 1 and 2 of the letter, which put T before G and N with G; the values are right,
    the names of the last two are not.
    """
    found = re.search(r"A: (\d+), C: (\d+), G: (\d+), T \(or N\): (\d+)", text)
    return dict(zip(["A", "C", "T", "G or N"], map(int, found.groups()), strict=True))


def from_thalweg(text):
    """The four counts, wherever in the JSON they stand."""

    def find(value):
        if isinstance(value, dict):
            if all(isinstance(value.get(letter), int) for letter in LETTERS):
                return {letter: value[letter] for letter in LETTERS}
            value = list(value.values())
        if isinstance(value, list):
            for item in value:
                if (found := find(item)) is not None:
                    return found
        return None

    found = find(json.loads(text))
    if found is None:
        raise ValueError("no counts of A, C, G and T")
    return found


def records_indexed(command, index_info, plain):
    """After `command`, the text that `index_info` prints contains the number of records."""

    def verify():
        for words in (command, index_info):
            done = subprocess.run(strings(words), capture_output=True)
            if done.returncode:
                return f"exit code {done.returncode} of {words[0]}"
        records = str(letters_of_file(plain)[2])
        return None if records in re.sub(r"[,_](?=\d{3})", "", done.stdout.decode()) else f"the index does not say {records} records"

    return verify
