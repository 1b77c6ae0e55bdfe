"""What is done before each timed run: removes the files that it writes, waits for the disk, reads the files that it reads,
and takes memory and gives it back.

    before.py BYTES --read [FILE ...] --remove [FILE ...]

A virtual machine may give free memory back to its host within seconds. Who asks for it next waits for the host, a second
for 300 MB on one machine: whoever came first in a round, or behind a long run that needs little. So every command finds as
much as the most demanding one of its group needs. In large pages, where the system has them: what is given back in small
ones does not serve those who ask for large ones, who waited in every second run.

Programs that do not wait for the disk leave a gigabyte that is still on its way, for which the next one that does would
wait.
"""

import argparse
import mmap
import os
import pathlib

LARGE_PAGE = 2 << 20


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bytes", type=int)
    parser.add_argument("--read", nargs="*", default=[], type=pathlib.Path)
    parser.add_argument("--remove", nargs="*", default=[], type=pathlib.Path)
    arguments = parser.parse_args()
    for path in arguments.remove:
        path.unlink(missing_ok=True)
    os.sync()
    for path in arguments.read:
        warm(path)
    pages = arguments.bytes // LARGE_PAGE + 1
    memory = mmap.mmap(-1, pages * LARGE_PAGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    if hasattr(mmap, "MADV_HUGEPAGE"):
        memory.madvise(mmap.MADV_HUGEPAGE)
    # Written to, and so really there.
    for _ in range(pages):
        memory.write(b"\1" * LARGE_PAGE)


def warm(path):
    with open(path, "rb", buffering=0) as file:
        while file.read(1 << 22):
            pass


if __name__ == "__main__":
    main()
