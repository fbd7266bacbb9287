#!/usr/bin/env python3
"""Times clspline.ndimage beside scipy.ndimage, in one run, in turns.

usage: python_ndimage.py [--quick] [--cpu] [WORD...]

Prints the shortest time of each call, as users write it: milliseconds, and how many times faster
clspline is than SciPy. With words, the lines that contain one of them. The last lines are what a
call takes beyond those of the library that it makes, in microseconds. --cpu: processor time of all
threads in the place of time, for machines that are busy.
"""
import sys
import time

import numpy as np
import scipy
import scipy.ndimage

import clspline
import clspline.ndimage
from clspline._image_plan import MODES, ORDERS, ImagePlan, Spec
from clspline._memory import Input, Output
from clspline._native import ffi, lib

SECONDS = 0.2 if '--quick' in sys.argv[1:] else 2.5
CLOCK = time.process_time if '--cpu' in sys.argv[1:] else time.perf_counter
WORDS = [word for word in sys.argv[1:] if not word.startswith('--')]


def shortest(functions, seconds=SECONDS):
    """The shortest time of each, in ms: they take turns, so that other load meets all of them."""
    times = [np.inf] * len(functions)
    for function in functions:
        function()
    end, rounds = time.perf_counter() + seconds, 0
    while time.perf_counter() < end or rounds < 3:
        rounds += 1
        for at, function in enumerate(functions):
            begin = CLOCK()
            function()
            times[at] = min(times[at], (CLOCK() - begin) * 1e3)
    return times


def report(title, name, *args, **named):
    if WORDS and not any(word in title for word in WORDS):
        return
    ours, theirs = (getattr(module, name) for module in (clspline.ndimage, scipy.ndimage))
    own, peer = shortest([lambda: ours(*args, **named), lambda: theirs(*args, **named)])
    print(f'{title}: {own:.3f} ms; SciPy {peer:.3f} ms, {peer / own:.1f} times', flush=True)


def turn(size, angle=0.3):
    matrix = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    middle = np.full(2, (size - 1) / 2)
    return matrix, middle - matrix @ middle


def images(rng):
    for size in (32, 128, 512, 1024, 2048):
        for kind in ('f8', 'f4', 'u1'):
            image = (rng.random((size, size)) * 255).astype(kind)
            title = f'{size}^2 {kind}'
            report(f'affine_transform {title}', 'affine_transform', image, *turn(size))
            if kind == 'f8' or size == 512:
                report(f'affine_transform order 1 {title}', 'affine_transform', image, *turn(size),
                       order=1)
                report(f'zoom 1.5 {title}', 'zoom', image, 1.5)
                report(f'spline_filter {title}', 'spline_filter', image)
    colours = (rng.random((512, 512, 3)) * 255).astype(np.uint8)
    report('rotate 512^2 x 3 u1', 'rotate', colours, 30)
    volume = rng.random((128, 128, 128))
    report('shift 128^3 f8', 'shift', volume, 0.3)
    report('spline_filter 128^3 f8', 'spline_filter', volume)
    image = rng.random((1024, 1024))
    for axis in (0, 1):
        report(f'spline_filter1d axis {axis} 1024^2 f8', 'spline_filter1d', image, axis=axis)


def lists(rng):
    image = rng.random((1024, 1024))
    for num in (1000, 10 ** 6):
        x = rng.random((2, num)) * 1023
        report(f'map_coordinates {num} points f8', 'map_coordinates', image, x)
        report(f'map_coordinates {num} points f4', 'map_coordinates', image.astype('f4'),
               x.astype('f4'))
        report(f'map_coordinates {num} points f8, no prefilter', 'map_coordinates', image, x,
               prefilter=False)


def overhead(rng):
    context = clspline.current()
    for size in (8, 32):
        image = rng.random((size, size))
        out = np.empty_like(image)
        real = image.dtype
        plan = ImagePlan(context, Spec((size, size), 1, 0, real, real, real, ORDERS[3],
                                       MODES['constant'], 0.0, lib.CLSP_IMAGE_RECURSIVE, 0, 0))
        matrix, offset = turn(size)
        rows = matrix.tolist(), offset.tolist(), (size, size)
        plan.compute(image, 1, rows, 0, out)
        pointer = plan.handle.get()
        samples, values = Input(image).struct, Output(out).struct

        def library():
            lib.clsp_image_set_samples(pointer, 1, samples, ffi.NULL)
            lib.clsp_image_eval(pointer, (0, 1), plan.map, values, ffi.NULL)
        for name, args in (('affine_transform', (matrix, offset)), ('shift', (1.5,)),
                           ('zoom', (1.001,)), ('rotate', (17, (1, 0), False))):
            function = getattr(clspline.ndimage, name)
            times = shortest([library, lambda: function(image, *args)])
            print(f'overhead of {name} {size}^2: {(times[1] - times[0]) * 1e3:.1f} us '
                  f'beyond {times[0] * 1e3:.1f} us')


def main():
    device = clspline.current().device
    print(f'{device.name}, {device.driver}; NumPy {np.__version__}, SciPy {scipy.__version__}')
    rng = np.random.default_rng(1)
    images(rng)
    lists(rng)
    if not WORDS or 'overhead' in WORDS:
        overhead(rng)


if __name__ == '__main__':
    main()
