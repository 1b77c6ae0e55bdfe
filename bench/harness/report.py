"""Writes the dated table: targets first, then every command, then what it was measured with."""

import datetime
import os
import pathlib
import platform
import shlex
import subprocess


def write(results, runs, tools, data, arguments):
    lines = [f"# Measured {datetime.date.today().isoformat()}: {cpu_model()}, {os.cpu_count()} cores", ""]
    lines += [f"Made by `bench/run {shlex.join(short(arguments))}`; {runs} rounds, commands in turns, medians, page cache warm, "
              "nothing pinned. Ratios below 1 mean that thalweg is faster or smaller.", ""]
    lines += ["## Targets", "", "| group | what | measured | target | |", "|---|---|--:|--:|---|"]
    missed = 0
    for result in results:
        for check in result.group.checks:
            value = check.value(result.samples)
            sign = "≤" if check.direction == "max" else "≥"
            target = f"{sign} {number(check.target, check.unit)}"
            if value is None:
                lines.append(f"| {result.group.name} | {check.title} | not measured | {target} | |")
                continue
            passed = check.passes(value)
            missed += not passed
            lines.append(f"| {result.group.name} | {check.title} | {number(value, check.unit)} | {target} | "
                         f"{'pass' if passed else '**miss**'} |")
    lines += ["", f"{missed} missed.", ""]
    for result in results:
        lines += table(result, tools, data)
    lines += ["## Machine and versions", "", *machine(), ""]
    lines += [f"- {name}: {version}" for name, version in tools.versions()]
    lines += [f"- data: {made_from(data)}"]
    return "\n".join(lines) + "\n"


def table(result, tools, data):
    group = result.group
    lines = [f"## {group.name}: {group.title}", "",
             "| command | threads | median s | min | max | CPU s | text GB/s | peak MiB | file bytes | |",
             "|---|--:|--:|--:|--:|--:|--:|--:|--:|---|"]
    entries = {entry.label: entry for entry in group.entries}
    for label, samples in result.samples.items():
        entry = entries[label]
        text = group.text_bytes if entry.text_bytes is None else entry.text_bytes
        cpu = sorted(samples.cpu)[len(samples.cpu) // 2]
        # Where a group does not say how much text there is, there is no speed by it.
        speed = f"{text / samples.median / 1e9:.2f}" if text else ""
        peak = "" if samples.peak_kib is None else f"{samples.peak_kib / 1024:.1f}"
        size = "" if samples.output_bytes is None else f"{samples.output_bytes}"
        lines.append(f"| {label.rsplit(', ', 1)[0]} | {entry.threads} | {samples.median:.3f} | {min(samples.seconds):.3f} | "
                     f"{max(samples.seconds):.3f} | {cpu:.3f} | {speed} | "
                     f"{peak} | {size} | {entry.note} |")
    lines.append("")
    if result.others is not None:
        lines += [f"Other processes kept {result.others:.2f} cores busy meanwhile"
                  + (": **figures for two threads are not to be trusted.**" if result.others > 0.2 else "."), ""]
    lines += [f"Left out: {text}" for text in result.left_out]
    lines += ["```", *(command_line(entries[label].command, tools, data) for label in result.samples), "```", ""]
    return lines


def command_line(command, tools, data):
    """The command as one would type it: programs and data without the machine's paths."""
    words = []
    for word in map(str, command):
        path = pathlib.Path(word)
        words.append(path.name if path.is_absolute() and word != "/dev/null" else word)
    return shlex.join(words)


def short(arguments):
    return [pathlib.Path(word).name if word.startswith("/") else word for word in arguments]


def number(value, unit):
    digits = 0 if unit == " MiB" else 2
    return f"{value:.{digits}f}{unit}"


def made_from(data):
    path = data / "MADE-FROM"
    return path.read_text().strip() if path.exists() else "not made by make-data"


def machine():
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    lines = [f"- {cpu_model()}, {os.cpu_count()} cores, {memory:.0f} GiB, {platform.system()} {platform.release()}"]
    # Other work on the machine hurts every command alike, but two-thread figures most.
    lines.append(f"- load average while the table was written: {' '.join(f'{load:.1f}' for load in os.getloadavg())}")
    try:
        rustc = subprocess.run(["rustc", "--version"], capture_output=True, text=True).stdout.strip()
        lines.append(f"- {rustc}")
    except OSError:
        pass
    return lines


def cpu_model():
    model = platform.processor() or platform.machine()
    try:
        fields = {}
        for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
            name, _, value = line.partition(":")
            fields.setdefault(name.strip(), value.strip())
        model = fields.get("model name", model)
        # Cloud machines hide the model's number: family and model say which generation it is.
        if not any(map(str.isdigit, model)):
            model += f" (family {fields['cpu family']}, model {fields['model']})"
    except (OSError, KeyError):
        pass
    return model
