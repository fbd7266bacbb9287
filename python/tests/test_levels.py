"""The levels of the host's code: each makes the same jobs in a process of its own, within some
roundings of what level base makes; their times beside those of base are printed."""
import os
import pickle
import subprocess
import sys
import time
import unittest

import numpy as np

import clspline
from common import REALS, clamped, eps
from test_solid import box, prism

LEVELS = ('base', 'v3', 'v4')
CHILD = 'CLSPLINE_TEST_LEVEL'


def bezier(random, real):
    control = random.uniform(.5, 1.5, (9, 4, 4, 4)).astype(real)
    names = ('point', 'du', 'dv', 'normal')
    patch = clspline.Bezier(control, 'surface', True)
    yield 'grids', 200, lambda: patch.evaluate((24, 35), names, share='host')
    high = clspline.Bezier(random.random((2, 32, 32, 3)).astype(real))
    yield 'degree 31', 64, lambda: high.evaluate((64, 64), share='host')
    at = random.random((5000, 2)).astype(real)
    yield 'lists', 64, lambda: patch.at(at, 3)
    knots = clamped(20, 3)
    spline = clspline.BSpline((knots, knots), random.random((20, 20, 3)).astype(real), 3)
    yield 'splines', 64, lambda: spline.evaluate((61, 70), ('point', 'du'), share='host')


def nearest(random, real):
    points = random.uniform(-1, 2, (500, 3)).astype(real)
    curve = clspline.BSpline(clamped(20, 3), random.random((20, 3)).astype(real), 3)
    yield 'curves', 64, lambda: curve.project(points, share='host').distance
    surface = clspline.Bezier(random.random((6, 4, 4, 3)).astype(real))
    yield 'surfaces', 64, lambda: surface.project(points).distance


def images(random, real):
    for shape in (5000,), (90, 101), (21, 22, 23):
        samples = random.random(shape).astype(real)
        at = np.stack([random.uniform(-2, n + 2, 4000) for n in shape], -1).astype(real)
        for order in 0, 1, 2, 3, 5:
            image = clspline.Image(samples, order, directions=len(shape))
            name = f'{len(shape)}-D, order {order}'
            yield f'coefficients {name}', 64 * 4 ** (len(shape) - 1), image.coefficients
            yield f'image {name}', 64, lambda: image.at(at, share='host')
            if order > 1:
                yield f'gradient {name}', 64, lambda: (
                    image.at(at, gradient=True, share='host'))


def solids(random, real):
    for name, (points, cells) in (('box', box(3, 3, 3, .2)), ('star', prism(5))):
        solid = clspline.Solid(points.astype(real), cells)
        at, which = random.random((2000, 3)).astype(real), random.integers(0, len(cells), 2000)
        inside = solid.at(which, at)
        yield name, 64, lambda: solid.evaluate((5, 4, 9), ('point', 'du', 'dw'), share='host')
        yield f'{name}, lists', 64, lambda: solid.at(which, at, share='host')
        yield f'{name}, places', 64, lambda: solid.at(*solid.locate(inside)[:2])


def results():
    """Of each job its name, precision, values, their bound, and the shortest of some times."""
    for real in REALS:
        for family in bezier, nearest, images, solids:
            for name, bound, job in family(np.random.default_rng(1), real):
                times = []
                for _ in range(3):
                    begin = time.process_time()
                    values = job()
                    times.append(time.process_time() - begin)
                yield name, np.dtype(real).name, values.view(real), bound * eps(real), min(times)


class Levels(unittest.TestCase):
    def run_level(self, level):
        limits = ','.join(filter(None, (os.environ.get('CLSPLINE_LIMITS'), f'level={level}')))
        done = subprocess.run([sys.executable, __file__], stdout=subprocess.PIPE, check=True,
                              env=dict(os.environ, CLSPLINE_LIMITS=limits, **{CHILD: '1'}))
        return pickle.loads(done.stdout)

    def test_levels_agree(self):
        base = self.run_level(LEVELS[0])
        for level in LEVELS[1:]:
            for plain, fast in zip(base, self.run_level(level)):
                name, real, values, bound, seconds = plain
                self.assertEqual(fast[:2], plain[:2])
                off = np.max(np.abs(fast[2] - values))
                print(f'{level} {name} {real}: {off / bound:.3g} of the bound, '
                      f'{fast[4] / max(seconds, 1e-9):.2f} of the time of base')
                self.assertLessEqual(off, bound, (level, name, real))


if __name__ == '__main__':
    if os.environ.get(CHILD):
        sys.stdout.buffer.write(pickle.dumps(list(results())))
    else:
        unittest.main()
