"""What is done before each timed run: removes the files named, and takes memory and gives it back.

    before.py BYTES [FILE ...]

A virtual machine may give free memory back to its host within seconds. Who asks for it next waits for the host, a second
for 300 MB on one machine: whoever came first in a round, or behind a long run that needs little. So every command finds as
much as it is known to need already there.
"""

import pathlib
import sys

# Some more, for what the system keeps of files that are written.
MARGIN = 64 << 20


def main():
    for path in sys.argv[2:]:
        pathlib.Path(path).unlink(missing_ok=True)
    # Written to, and so really there.
    memory = b"\1" * (int(sys.argv[1]) + MARGIN)
    del memory


if __name__ == "__main__":
    main()
