#!/usr/bin/env python3
"""Turns a volume that is larger than memory by an affine map, in parts, into .npy, and tells how
fast that is beside the disk and the computation alone.

    large_volume.py CLSPLINE FOLDER [--side N] [--parts N [N ..]] [--at-once P]

The volume, N^3 of u8, is made on disk piece by piece in FOLDER, which needs room for three of them.
Parts are made by processes of their own, --at-once at a time, for each number of --parts, whose
tiles have other sizes. Two files are compared. What is made is removed again.

Of each it prints the seconds from the first part's start to the end of joining, all bytes on the
disk; the most memory of any process; processor time; and its rate beside the slower of

- the disk: reading the volume and writing as many bytes, at the rates of this script's own reading
  (past the page cache where it may empty that) and writing with fsync, and
- the computation: as many parts as go at once, with the volume in memory, before and after: their
  reading of samples, prefilter and values, without writing, times the number of parts.

Needs the standard library only.
"""
import argparse
import filecmp
import json
import math
import os
import subprocess
import sys
import time

PIECE = 1 << 24


def make_volume(path, side):
    """Writes an .npy file of noise, slice by slice: shifted pieces of one block. Returns the
    seconds."""
    block = os.urandom(2 * side * side)
    head = f"{{'descr': '|u1', 'fortran_order': False, 'shape': ({side}, {side}, {side}), }}"
    head = head.ljust(117) + "\n"
    start = time.monotonic()
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head.encode())
        for z in range(side):
            at = z * 7919 * 131 % (side * side)
            file.write(memoryview(block)[at:at + side * side])
        file.flush()
        os.fsync(file.fileno())
    return time.monotonic() - start


def forget_pages():
    """Empties the page cache, where that is allowed. Returns whether it was."""
    os.sync()
    try:
        with open("/proc/sys/vm/drop_caches", "w") as file:
            file.write("1")
    except OSError:
        return False
    return True


def read_all(path):
    start = time.monotonic()
    with open(path, "rb", buffering=0) as file:
        while file.read(PIECE):
            pass
    return time.monotonic() - start


def turn(side):
    """The twelve numbers of a turn by 7 degrees about an axis through the middle."""
    angle, axis = math.radians(7), [c / math.sqrt(14) for c in (1, 2, 3)]
    middle, rows = (side - 1) / 2, []
    for i in range(3):
        row = [(1 - math.cos(angle)) * axis[i] * axis[k] + (math.cos(angle) if i == k else 0)
               for k in range(3)]
        row[(i + 1) % 3] -= math.sin(angle) * axis[(i + 2) % 3]
        row[(i + 2) % 3] += math.sin(angle) * axis[(i + 1) % 3]
        rows += row + [middle - middle * sum(row)]
    return "--affine=" + ",".join(repr(number) for number in rows)


class Job:
    """The parts of one output."""

    def __init__(self, command, source, out, side, parts):
        self.parts, self.out, self.command = parts, out, command
        self.line = [command, "image", source, "-o", out, turn(side), "--taps", "27", "-q"]
        self.memory = self.processor = 0
        self.kept = []  # so that none but wait() takes their status

    def start(self, k, *more):
        self.kept.append(subprocess.Popen([*self.line, "--part", f"{k}/{self.parts}", *more]))

    def wait(self):
        """Waits for any part."""
        _, status, usage = os.wait4(-1, 0)
        if status != 0:
            sys.exit(f"a part has failed: {status}")
        self.memory = max(self.memory, usage.ru_maxrss * 1024)
        self.processor += usage.ru_utime + usage.ru_stime

    def run(self, at_once):
        """Makes all parts and joins them; returns the seconds."""
        start, running = time.monotonic(), 0
        self.processor = 0
        for k in range(1, self.parts + 1):
            if running == at_once:
                self.wait()
                running -= 1
            self.start(k)
            running += 1
        for _ in range(running):
            self.wait()
        subprocess.run([self.command, "join", self.out, "-q"], check=True)
        return time.monotonic() - start

    def compute(self, at_once):
        """Seconds that the computation of all parts takes, by those in the middle."""
        at_once = min(at_once, self.parts)
        other = Job(self.command, self.line[2], os.path.join(os.path.dirname(self.out),
                                                             "compute.npy"), 1, self.parts)
        other.line[5] = self.line[5]
        reports = [f"{other.out}.part-{i}.json" for i in range(at_once)]
        for i, report in enumerate(reports):
            other.start((self.parts - at_once) // 2 + i + 1, f"--report={report}")
        for _ in reports:
            other.wait()
        seconds = []
        for report in reports:
            with open(report, encoding="utf-8") as file:
                seconds.append(json.load(file)["seconds"]["interpolate"])
        remove(other.out)
        return max(seconds) * self.parts / at_once


def remove(out):
    """Removes an output and its parts."""
    folder, name = os.path.split(out)
    for found in os.listdir(folder):
        path = os.path.join(folder, found)
        if found == name or found.startswith(name + ".part"):
            os.remove(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("clspline")
    parser.add_argument("folder")
    parser.add_argument("--side", type=int, default=2048)
    parser.add_argument("--parts", type=int, nargs="+", default=[16, 13])
    parser.add_argument("--at-once", type=int, default=2)
    asked = parser.parse_args()
    source, size = os.path.join(asked.folder, "volume.npy"), asked.side ** 3
    write = make_volume(source, asked.side)
    is_cold = forget_pages()
    read = read_all(source)
    disk = read + write
    print(f"{asked.side}^3 of u8, {size / 1e9:.2f} GB: written at {size / write / 1e6:.0f} MB/s, "
          f"read {'' if is_cold else 'from memory '}at {size / read / 1e6:.0f} MB/s", flush=True)
    made = []
    for parts in asked.parts:
        made.append(os.path.join(asked.folder, f"turned{parts}.npy"))
        job = Job(asked.clspline, source, made[-1], asked.side, parts)
        compute = job.compute(asked.at_once)
        forget_pages()
        seconds = job.run(asked.at_once)
        compute = (compute + job.compute(asked.at_once)) / 2
        slower = max(disk, compute)
        print(f"{parts} parts, {asked.at_once} at once: {seconds:.0f} s, "
              f"{size / seconds / 1e6:.0f} MB/s, {job.processor:.0f} s of processors, "
              f"{job.memory / 1e9:.2f} GB a process; disk {disk:.0f} s, computation {compute:.0f} "
              f"s: {100 * slower / seconds:.0f} % of the slower", flush=True)
    same = len(made) < 2 or filecmp.cmp(*made[:2], shallow=False)
    for out in made:
        remove(out)
    os.remove(source)
    if len(made) > 1:
        print("numbers are equal" if same else "numbers differ")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
