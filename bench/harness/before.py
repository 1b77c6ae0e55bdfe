"""What is done before each timed run: removes the files named, and takes memory and gives it back.

    before.py BYTES [FILE ...]

A virtual machine may give free memory back to its host within seconds. Who asks for it next waits for the host, a second
for 300 MB on one machine: whoever came first in a round, or behind a long run that needs little. So every command finds as
much as the most demanding one of its group needs.
"""

import pathlib
import sys


def main():
    for path in sys.argv[2:]:
        pathlib.Path(path).unlink(missing_ok=True)
    # Written to, and so really there.
    memory = b"\1" * int(sys.argv[1])
    del memory


if __name__ == "__main__":
    main()
