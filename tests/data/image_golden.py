#!/usr/bin/env python3
"""Writes results of scipy.ndimage for the tests of image interpolation.

usage: image_golden.py FILE.c

Needs SciPy 1.10 or newer. SciPy before 1.18 begins the recursion of the mode reflect with a sample
that it has overwritten, which is wrong by up to 0.15 of 255 where a side has few samples and loses
itself from some 13 on. So images are continued here by REACH samples at either end first, which is
what the mode means; the coordinates are moved by as much. The difference is printed.
"""
import sys

import numpy
import scipy
from scipy import ndimage

MODES = ("mirror", "reflect", "grid-wrap", "nearest", "constant", "grid-constant", "wrap")
AFFINE, SHIFT, ZOOM, COORDINATES = range(4)
CVAL = 77.25
REACH = 40
INSIDE = (0, 0.375, 0.5, 1)  # shares of the last sample's number

numbers, values, cases = [], [], []
known = {}
worst = 0


def image(size):
    k = numpy.arange(numpy.prod(size), dtype=numpy.int64)
    return ((97 * k + 29 * (k * k % 31) + 40) % 256).astype(numpy.float64).reshape(size)


def interpolate(samples, coordinates, order, mode):
    """map_coordinates, whose mode reflect begins where it should."""
    global worst
    found = ndimage.map_coordinates(samples, coordinates, order=order, mode=mode, cval=CVAL)
    if mode != "reflect" or order == 0:  # which has no recursion
        return found
    longer = numpy.pad(samples, REACH, mode="symmetric")
    true = ndimage.map_coordinates(longer, coordinates + REACH, order=order, mode=mode, cval=CVAL)
    worst = max(worst, abs(true - found).max())
    return true


def place(list_of, new):
    """Where the numbers begin, which are kept once."""
    key = (id(list_of), tuple(new))
    if key not in known:
        known[key] = len(list_of)
        list_of.extend(new)
    return known[key]


def add(kind, mode, order, size, out_size, given, found):
    if mode != "reflect" and kind != COORDINATES:  # so each of SciPy's functions says it itself
        samples = image(size)
        direct = {AFFINE: lambda: ndimage.affine_transform(samples, given[:, :-1], given[:, -1],
                                                           out_size, order=order,
                                                           mode=mode, cval=CVAL),
                  SHIFT: lambda: ndimage.shift(samples, given, order=order, mode=mode, cval=CVAL),
                  ZOOM: lambda: ndimage.zoom(samples, [m / n for m, n in zip(out_size, size)],
                                             order=order, mode=mode,
                                             cval=CVAL)}[kind]()
        assert direct.shape == tuple(out_size) and abs(direct - found).max() < 1e-10
        found = direct
    pad = lambda s: tuple(s) + (1,) * (3 - len(s))
    cases.append((kind, MODES.index(mode), order, len(size), pad(size), pad(out_size),
                  place(numbers, numpy.asarray(given, dtype=float).ravel()), len(values)))
    values.extend(found.ravel())


def grid(out_size):
    return numpy.stack(numpy.meshgrid(*(numpy.arange(m, dtype=float) for m in out_size),
                                      indexing="ij"))


def add_map(kind, mode, order, size, out_size, matrix, given):
    """matrix: rows of as many numbers as there are directions, and an offset."""
    offset = matrix[:, -1].reshape([-1] + [1] * len(size))
    at = numpy.tensordot(matrix[:, :-1], grid(out_size), 1) + offset
    add(kind, mode, order, size, out_size, given, interpolate(image(size), at, order, mode))


def add_coordinates(mode, order, size, at):
    at = numpy.array(at, dtype=float).T
    add(COORDINATES, mode, order, size, at.shape[1:], at, interpolate(image(size), at, order, mode))


def along(n):
    """Coordinates along a side, inside and outside, none of which is a tie of order 0 but 0.5."""
    last = n - 1
    return sorted({-7.3125, -1.625, -0.6875, -0.25, *(share * last for share in INSIDE),
                   0.5 * (last > 0),
                   last + 0.1875, last + 0.75, n + 2.375})


def ties(n):
    """Whole numbers and halves, inside and up to two lengths outside."""
    return [0.5 * k for k in range(-4 * n - 1, 6 * n + 2)]


def add_ties(mode):
    """Order 0 where it jumps, and in the outer halves of the first and the last sample, of so many
    points that they are made together."""
    for n in (2, 5):
        add_coordinates(mode, 0, (n,), [(x,) for x in ties(n)])
    add_coordinates(mode, 0, (5,), [((k % 40 - 4) / 8,) for k in range(80)])
    if mode in ("constant", "wrap"):
        add_map(AFFINE, mode, 0, (9, 9), (18, 18), *2 * [numpy.array([[0.5, 0, -0.25],
                                                                      [0, 0.5, -0.25]])])


def make():
    for mode in MODES:
        for n in (1, 2, 3, 4, 5, 9):
            for order in (0, 1, 3) if n not in (4, 9) else (0, 1, 2, 3, 4, 5):
                add_coordinates(mode, order, (n,), [(x,) for x in along(n)])
        for order in (0, 1, 3):
            add_coordinates(mode, order, (3, 6), list(zip(along(3), reversed(along(6)))))
            turned = numpy.array([[0.8125, -0.5625, 1.171875], [0.59375, 0.78125, -1.234375]])
            for size in ((5, 7), (1, 4), (3, 2)):
                add_map(AFFINE, mode, order, size, (4, 6), turned, turned)
            moved = numpy.array((1.28125, -0.65625))
            add_map(SHIFT, mode, order, (4, 5), (4, 5),
                    numpy.hstack([numpy.eye(2), -moved.reshape(2, 1)]), moved)
            add_map(ZOOM, mode, order, (3, 5), (5, 9), numpy.diag([0.5, 0.5, 1])[:2], ())
            spun = numpy.array([[0.90625, 0.21875, -0.28125, 0.421875],
                                [-0.15625, 0.84375, 0.34375, -0.734375],
                                [0.28125, -0.40625, 0.71875, 1.078125]])
            add_map(AFFINE, mode, order, (3, 4, 5), (2, 3, 4), spun, spun)
        add_coordinates(mode, 3, (2, 3, 4), list(zip(along(2), reversed(along(3)), along(4))))
    for mode in MODES:
        add_ties(mode)


def array(name, items, each):
    rows = [", ".join(items[i:i + each]) for i in range(0, len(items), each)]
    return "%s = {\n    %s};\n" % (name, ",\n    ".join(rows))


def write(path):
    text = ["/* Written by image_golden.py with SciPy %s. */\n/* clang-format off */\n"
            % scipy.__version__,
            '#include "image_golden.h"\n\n',
            array("const image_golden_case image_golden_cases[]",
                  ["{%d, %d, %d, %d, {%d, %d, %d}, {%d, %d, %d}, %d, %d}"
                   % (c[:4] + c[4] + c[5] + c[6:])
                   for c in cases], 2),
            "\nconst size_t image_golden_num_cases =\n"
            "    sizeof(image_golden_cases) / sizeof(image_golden_cases[0]);\n\n",
            array("const double image_golden_numbers[]", ["%.17g" % x for x in numbers], 8), "\n",
            array("const double image_golden_values[]", ["%.17g" % (x + 0.0) for x in values], 4)]
    with open(path, "w", encoding="ascii") as file:
        file.write("".join(text))
    print("%d cases, %d values; reflect as SciPy %s has it is off by up to %.2g" %
          (len(cases), len(values), scipy.__version__, worst))


if __name__ == "__main__":
    make()
    write(sys.argv[1])
