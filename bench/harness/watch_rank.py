#!/usr/bin/env python3
"""Starts one rank of an MPI job, notes which processor time its thread that exchanges has, and may slow it down.

    mpirun -n 2 watch_rank.py --out DIR [--slow RANK --times N] PROGRAM ARGUMENTS...

A slowed rank is stopped for all but an Nth of the time, in turns of 20 ms. DIR/RANK.json gets seconds: `exchange`, of the first thread
for as long as the busiest other one lives, and `all`, of the process. The first thread exchanges until all is read, and counts then.
"""

import argparse
import ctypes
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

TURN = 0.02
TICK = os.sysconf("SC_CLK_TCK")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--slow", type=int)
    parser.add_argument("--times", type=float, default=10)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    rank = next(int(os.environ[name]) for name in ("OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK") if name in os.environ)
    libc = ctypes.CDLL(None)
    # What the launcher has opened for a rank is the child's, too; and it ends with this process (1 is PR_SET_PDEATHSIG).
    child = subprocess.Popen(options.command, close_fds=False, preexec_fn=lambda: libc.prctl(1, signal.SIGKILL))
    threads = Threads(child.pid)
    while child.poll() is None:
        if rank == options.slow:
            time.sleep(TURN / options.times)
            child.send_signal(signal.SIGSTOP)
            time.sleep(TURN - TURN / options.times)
            threads.look()
            child.send_signal(signal.SIGCONT)
        else:
            time.sleep(TURN / 4)
            threads.look()
    (options.out / f"{rank}.json").write_text(json.dumps({"exchange": threads.exchange, "all": threads.all}))
    # A rank that was killed has a negative one.
    return child.returncode if child.returncode >= 0 else 128 - child.returncode


class Threads:
    """Processor seconds of a process's threads, looked at again and again."""

    def __init__(self, pid):
        self.pid = pid
        self.busiest, self.most = None, 0
        self.exchange = self.all = 0

    def look(self):
        place = pathlib.Path(f"/proc/{self.pid}")
        try:
            seconds = {int(task.name): nanoseconds(task) for task in (place / "task").iterdir()}
            fields = (place / "stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            # It has ended, or one of its threads has while it was looked at.
            return
        self.all = max(self.all, (int(fields[11]) + int(fields[12])) / TICK)
        first = seconds.pop(self.pid, 0)
        busiest = max(seconds, key=seconds.get, default=None)
        if busiest is not None and seconds[busiest] > self.most:
            self.busiest, self.most = busiest, seconds[busiest]
        if self.busiest in seconds:
            self.exchange = first


def nanoseconds(task):
    """Processor seconds of one thread, to the nanosecond."""
    return int((task / "schedstat").read_text().split()[0]) / 1e9


if __name__ == "__main__":
    sys.exit(main())
