#!/usr/bin/env python3
"""Times the Python package's splines beside scipy.interpolate and geomdl, in one run, in turns.

usage: python_splines.py [--quick]

Prints a table of the shortest times: milliseconds, and how many times faster clspline is. Peers
that are not installed are left out. Everything is float64, as the peers compute.
"""
import sys
import timeit

import numpy as np

import clspline

try:
    from scipy import interpolate
except ImportError:
    interpolate = None
try:
    from geomdl import BSpline as geomdl_spline
except ImportError:
    geomdl_spline = None

ROUNDS = 3 if '--quick' in sys.argv[1:] else 9


def knots(num, degree):
    return np.concatenate(([0.0] * degree, np.linspace(0, 1, num - degree + 1), [1.0] * degree))


def shortest(functions):
    """The shortest time of each, in ms: they take turns, so that other load meets all of them."""
    times = [np.inf] * len(functions)
    repeats = []
    for function in functions:
        function()
        once = timeit.timeit(function, number=1)
        repeats.append(max(1, min(1000, int(0.02 / max(once, 1e-7)))))
    for _ in range(ROUNDS):
        for at, (function, repeat) in enumerate(zip(functions, repeats)):
            times[at] = min(times[at], timeit.timeit(function, number=repeat) / repeat * 1e3)
    return times


def report(name, ours, **peers):
    peers = {peer: function for peer, function in peers.items() if function}
    times = shortest([ours, *peers.values()])
    words = [f'{peer} {time:.4g} ms, {time / times[0]:.1f} times'
             for peer, time in zip(peers, times[1:])]
    print(f'{name}: {times[0]:.4g} ms; {"; ".join(words)}', flush=True)


def curves(rng):
    t, control = knots(20, 3), rng.random((20, 3))
    ours = clspline.BSpline(t, control, 3)
    scipy = interpolate and interpolate.BSpline(t, control, 3)
    geomdl = geomdl_spline and geomdl_spline.Curve()
    if geomdl:
        geomdl.degree, geomdl.ctrlpts, geomdl.knotvector = 3, control.tolist(), t.tolist()
    for num in (100, 10000, 1000000):
        x, grid = rng.random(num), np.linspace(0, 1, num)
        out = np.empty((num, 3))

        def by_geomdl():
            geomdl.sample_size = num
            geomdl.evaluate()
        report(f'cubic curve, uniform grid of {num}', lambda: ours.evaluate(num, out=out),
               scipy=scipy and (lambda: scipy(grid)),
               geomdl=by_geomdl if geomdl and num <= 10000 else None)
        report(f'cubic curve, {num} random parameters', lambda: ours.at(x, out=out),
               scipy=scipy and (lambda: scipy(x)))


def surfaces(rng):
    t, control = knots(100, 3), rng.random((100, 100, 3))
    ours = clspline.BSpline((t, t), control, 3)
    grid = np.linspace(0, 1, 1000)
    points = np.stack(np.meshgrid(grid, grid, indexing='ij'), -1).reshape(-1, 2)
    out = np.empty((1000, 1000, 3))
    tensor = interpolate and hasattr(interpolate, 'NdBSpline') and \
        interpolate.NdBSpline((t, t), control, 3)
    fitpack = interpolate and [interpolate.BivariateSpline._from_tck(
        (t, t, control[..., k].ravel(), 3, 3)) for k in range(3)]
    report('bicubic surface, uniform grid of 1000x1000', lambda: ours.evaluate(1000, out=out),
           NdBSpline=tensor and (lambda: tensor(points)),
           FITPACK=fitpack and (lambda: [one(grid, grid) for one in fitpack]))
    some = rng.random((100000, 2))
    report('bicubic surface, 100000 random parameters', lambda: ours.at(some),
           NdBSpline=tensor and (lambda: tensor(some)),
           FITPACK=fitpack and (lambda: [one.ev(some[:, 0], some[:, 1]) for one in fitpack]))
    if geomdl_spline:
        surface = geomdl_spline.Surface()
        surface.degree_u = surface.degree_v = 3
        surface.set_ctrlpts(control.reshape(-1, 3).tolist(), 100, 100)
        surface.knotvector_u = surface.knotvector_v = t.tolist()
        surface.sample_size = 100

        def by_geomdl():
            surface.evaluate()
        small = np.empty((100, 100, 3))
        report('bicubic surface, uniform grid of 100x100', lambda: ours.evaluate(100, out=small),
               geomdl=by_geomdl)


def main():
    device = clspline.current().device
    print(f'{device.name}, {device.driver}; NumPy {np.__version__}'
          + (f', SciPy {interpolate.__name__ and __import__("scipy").__version__}'
             if interpolate else ''))
    rng = np.random.default_rng(1)
    curves(rng)
    surfaces(rng)


if __name__ == '__main__':
    main()
