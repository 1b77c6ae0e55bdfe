"""Runs the commands of a group in turns and keeps time, CPU time and peak memory of each."""

import dataclasses
import json
import os
import pathlib
import shlex
import shutil
import statistics
import subprocess
import sys
import time

from .before import warm


@dataclasses.dataclass
class Entry:
    """One command of a group."""

    label: str
    command: list
    threads: int = 1
    # Run before the group's first timing, untimed: makes the index that a reader needs.
    prepare: list = dataclasses.field(default_factory=list)
    # Called once before the timing; returns None or what is wrong with the command's result.
    verify: object = None
    # A file whose size is reported after the runs.
    output: pathlib.Path = None
    # Files that are removed before each run, untimed: freeing an old file of 300 MB from the page cache
    # takes 0.15 s, which tools that replace it at the end pay at another time than those that truncate it.
    fresh: list = dataclasses.field(default_factory=list)
    # Shown beside, but no target hangs on it.
    note: str = ""
    # Bytes of text that it goes through, if not the group's.
    text_bytes: int = None

    def missing(self):
        """The program or input file that this command lacks, or None."""
        if shutil.which(str(self.command[0])) is None:
            return pathlib.Path(self.command[0]).name
        return None


@dataclasses.dataclass
class Check:
    """One figure with its target: `value(samples)` returns it, or None if a command was left out."""

    title: str
    value: object
    target: float
    unit: str = ""
    # "max": at most the target; "min": at least.
    direction: str = "max"

    def passes(self, value):
        return value <= self.target if self.direction == "max" else value >= self.target


@dataclasses.dataclass
class Group:
    name: str
    title: str
    entries: list
    checks: list
    # Files that are read before each run, so that they are in the page cache.
    warm: list
    # Bytes of text that each command goes through.
    text_bytes: int


@dataclasses.dataclass
class Samples:
    """All runs of one command."""

    seconds: list = dataclasses.field(default_factory=list)
    cpu: list = dataclasses.field(default_factory=list)
    peak_kib: int = None
    output_bytes: int = None

    @property
    def median(self):
        return statistics.median(self.seconds)


@dataclasses.dataclass
class Result:
    group: Group
    samples: dict
    left_out: list
    failures: list
    # Cores that other processes kept busy while the rounds ran, on average; None if unknown.
    others: float = None


def run(group, runs, scratch, patience):
    """Verifies and times every command of `group`; commands that cannot run are left out and named."""
    say(f"{group.name}: {group.title}")
    samples, left_out, failures, entries = {}, [], [], []
    lacking = [str(path) for path in group.warm if not path.exists()]
    if lacking:
        return Result(group, {}, [f"all: no {', '.join(lacking)}"], [])
    for path in group.warm:
        warm(path)
    for entry in group.entries:
        if entry.missing():
            left_out.append(f"{entry.label}: no {entry.missing()}")
            continue
        problem = prepare(entry)
        if problem is None and entry.verify:
            problem = entry.verify()
        if problem:
            failures.append(f"{group.name}: {entry.label}: {problem}")
            left_out.append(f"{entry.label}: {problem}")
            continue
        entries.append(entry)
        samples[entry.label] = Samples(peak_kib=peak(entry))
    hyperfine = shutil.which("hyperfine")
    elapsed = busy = own = 0
    for number in range(runs):
        wait_until_quiet(patience)
        say(f"  round {number + 1} of {runs}")
        start, busy_before, own_before = time.perf_counter(), busy_seconds(), own_seconds()
        one_round(group.warm, entries, samples, scratch, hyperfine)
        elapsed += time.perf_counter() - start
        busy += busy_seconds() - busy_before
        own += own_seconds() - own_before
    others = max(0, (busy - own) / elapsed) if elapsed and busy else None
    for entry in entries:
        if entry.output is not None:
            samples[entry.label].output_bytes = entry.output.stat().st_size
    return Result(group, samples, left_out, failures, others)


def own_seconds():
    """CPU seconds of this process and of all that it started and waited for."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def busy_seconds():
    """CPU seconds that all processes have used since the machine started; 0 where that is not told."""
    try:
        fields = pathlib.Path("/proc/stat").read_text().split("\n", 1)[0].split()
    except OSError:
        return 0
    # user, nice, system, idle, iowait, irq, softirq, steal; a host that takes the CPU away counts as busy.
    user, nice, system, _, _, irq, softirq, steal = map(int, fields[1:9])
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")


def wait_until_quiet(patience):
    """Waits until others use less than a tenth of a core, or for `patience` seconds.

    A scheduler that is fair between sessions gives two threads beside one stranger a single core: ratios of
    single-threaded runs survive that, figures for two threads do not.
    """
    end = time.perf_counter() + patience
    while time.perf_counter() < end:
        before = busy_seconds()
        time.sleep(0.5)
        if busy_seconds() - before < 0.05:
            return


def prepare(entry):
    for command in entry.prepare:
        if shutil.which(str(command[0])) is None:
            return f"no {command[0]}"
        done = subprocess.run(strings(command), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        if done.returncode:
            return f"{shlex.join(strings(command))}: exit code {done.returncode}: {tail(done.stderr)}"
    return None


def one_round(inputs, entries, samples, scratch, hyperfine):
    if not entries:
        return
    needed = bytes_needed(entries, samples)
    if hyperfine is None:
        for entry in entries:
            subprocess.run(before(entry, needed, inputs), check=True)
            seconds, usage = timed(entry)
            samples[entry.label].seconds.append(seconds)
            samples[entry.label].cpu.append(usage.ru_utime + usage.ru_stime)
        return
    # One run of each, in turn; the next round is another call.
    out = scratch / "hyperfine.json"
    command = [hyperfine, "--shell=none", "--style=none", "--warmup=0", "--runs=1", f"--export-json={out}"]
    for entry in entries:
        command += ["--prepare", shlex.join(before(entry, needed, inputs)), shlex.join(strings(entry.command))]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for entry, timing in zip(entries, json.loads(out.read_text())["results"], strict=True):
        samples[entry.label].seconds.append(timing["times"][0])
        samples[entry.label].cpu.append(timing["user"] + timing["system"])


def before(entry, bytes_needed, inputs):
    """The command that makes the same start for every run (before.py)."""
    script = pathlib.Path(__file__).with_name("before.py")
    files = ["--read", *inputs, "--remove", *entry.fresh]
    return strings([sys.executable, script, bytes_needed, *files])


def bytes_needed(entries, samples):
    """What the most demanding command of a group takes, with what the system keeps of files that it writes; all the same."""
    memory = max((samples[entry.label].peak_kib or 0) << 10 for entry in entries)
    sizes = [path.stat().st_size for path in (entry.output for entry in entries) if path is not None and path.exists()]
    # Temporary files are about as large as what becomes of them.
    needed = memory + 2 * max(sizes, default=0)
    return min(needed, os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_AVPHYS_PAGES") // 2)


def peak(entry):
    """Peak resident memory in KiB of one run, which is the warm-up too; None without /usr/bin/time.

    Not from wait4 here: the kernel counts what a child was before exec, a copy of this interpreter.
    """
    time_command = shutil.which("/usr/bin/time")
    if time_command is None:
        timed(entry)
        return None
    command = [time_command, "--format=peak %M", *strings(entry.command)]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if done.returncode:
        raise SystemExit(f"bench/run: {shlex.join(command)}: exit code {done.returncode}")
    return int(done.stderr.split()[-1])


def timed(entry):
    start = time.perf_counter()
    child = subprocess.Popen(
        strings(entry.command), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.perf_counter() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(f"bench/run: {shlex.join(strings(entry.command))}: exit code {child.returncode}")
    return seconds, usage


def strings(command):
    return [str(word) for word in command]


def tail(text):
    return text.decode(errors="replace").strip().splitlines()[-1:] or ""


def say(text):
    print(text, file=sys.stderr, flush=True)
