"""Searches of several batches and of trimmed faces."""
import os
import sys
import tempfile
import unittest

import numpy as np

import clspline
from common import REALS, eps

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../tests/data')

HOST = clspline.Context('host', limits='')  # has double precision
SQUARE = [[[0.0, 0, 0], [0, 1, 0]], [[1, 0, 0], [1, 1, 0]]]


def loop(*corners, edges=(None,) * 9):
    """A loop of lines from corner to corner."""
    ends = corners[1:] + corners[:1]
    return [([0, 0, 1, 1], [(*a, 1), (*b, 1)], 1, edge)
            for a, b, edge in zip(corners, ends, edges)]


class Searches(unittest.TestCase):
    def setUp(self):
        self.rng = np.random.default_rng(8)

    def test_several(self):
        for real in REALS:
            control = self.rng.random((3, 4, 3, 3)).astype(real)
            curve = self.rng.random((2, 7, 3)).astype(real) + real(0.5)
            splines = clspline.Bezier(control, 'surface'), clspline.BSpline(None, curve, 2)
            search = clspline.Search(splines)
            self.assertEqual((search.num_patches, search.precision), (5, real))
            points = self.rng.uniform(-0.5, 2, (7, 11, 3)).astype(real)
            found = search.project(points)
            each = [clspline.Search([spline]).project(points) for spline in splines]
            np.testing.assert_allclose(found.distance, np.minimum(*(one.distance for one in each)),
                                       atol=32 * eps(real))
            is_curve = each[1].distance < each[0].distance
            np.testing.assert_array_equal(
                found.index, np.where(is_curve, 3 + each[1].index, each[0].index))
            self.assertTrue((found.edge == -1).all() and (found.tolerance == 0).all())
            self.assertEqual(found.param.shape, (7, 11, 2))
            one = search.project(points, patch=4)
            last = clspline.Search(splines[1:]).project(points, patch=1)
            np.testing.assert_array_equal(one.distance, last.distance)

    def test_trims(self):
        """A square with a square hole, whose first side is an edge with a tolerance."""
        hole = loop((0.25, 0.25), (0.75, 0.25), (0.75, 0.75), (0.25, 0.75),
                    edges=(0, None, None, 1))
        edges = [([0, 0, 1, 1], [a, b], 1) for a, b in (
            ((0.25, 0.25, 0, 1), (0.75, 0.25, 0, 1)), ((0.25, 0.75, 0, 1), (0.25, 0.25, 0, 1)))]
        trims = {'loops': [[loop((0, 0), (1, 0), (1, 1), (0, 1)), hole]], 'edges': edges,
                 'tolerance': [0.5, 0.125], 'turned': [1]}
        search = clspline.Search([clspline.Bezier(SQUARE, context=HOST)], trims)
        found = search.project([[0.5, 0.375, 0], [0.3, 0.5, 0], [0.125, 0.5, 2], [0.7, 0.5, 0]],
                               signed=True)
        np.testing.assert_allclose(found.distance, [0.125, 0.05, 2, 0.05], atol=1e-14)
        np.testing.assert_array_equal(found.edge, [0, 1, -1, -1])
        np.testing.assert_array_equal(found.tolerance, [0.5, 0.125, 0, 0])
        np.testing.assert_array_equal(found.index, 0)
        np.testing.assert_array_equal(found.normal[2], [0, 0, -1])
        self.assertEqual(found.signed[2], -2)
        np.testing.assert_array_equal(
            search.contains([[0.1, 0.1], [0.5, 0.5], [0.25, 0.5], [2, 0], [0, 0]]), [1, 0, 2, 0, 2])

    def test_part(self):
        """A closed part's signs are known everywhere, and change where it is crossed."""
        search = clspline.Search.read(os.path.join(DATA, 'plate.json'), context=HOST)
        points = self.rng.uniform((-5, -5, -5), (105, 65, 30), (500, 3))
        found = search.project(points, signed=True)
        np.testing.assert_array_equal(np.abs(found.signed), found.distance)
        self.assertTrue((found.edge >= 0).any() and (found.signed < 0).any())
        beyond = found.point + 1e-3 * (found.point - points) / found.distance[:, np.newaxis]
        crossed = search.project(beyond, signed=True)
        within = found.edge < 0
        self.assertGreater(within.sum(), 100)
        self.assertTrue((found.signed * crossed.signed < 0)[within].all())

    def test_program(self):
        """A part's file goes to clspline-cad, whose complaint is told."""
        with tempfile.TemporaryDirectory() as folder:
            program, part = (os.path.join(folder, name) for name in ('reader', 'part.step'))
            with open(program, 'w', encoding='utf-8') as file:
                file.write(f'#!{sys.executable}\nimport sys\n'
                           f'sys.exit("no part" if "bad" in sys.argv[1] else print(open('
                           f'{os.path.join(DATA, "plate.json")!r}).read()))\n')
            os.chmod(program, 0o755)
            before = os.environ.get('CLSPLINE_CAD')
            try:
                os.environ['CLSPLINE_CAD'] = program
                self.assertEqual(clspline.Search.read(part, context=HOST).num_patches, 13)
                with self.assertRaisesRegex(clspline.ArgumentError, 'bad.step: no part'):
                    clspline.Search.read('bad.step')
                os.environ['CLSPLINE_CAD'] = part
                with self.assertRaises(clspline.MissingPackageError):
                    clspline.Search.read(part)
            finally:
                os.environ.pop('CLSPLINE_CAD')
                if before is not None:
                    os.environ['CLSPLINE_CAD'] = before

    def test_refused(self):
        square = clspline.Bezier(SQUARE, context=HOST)
        for splines in ([], [square, 1], [clspline.Solid], [square, clspline.Bezier(
                np.zeros((3, 3, 2)), 'surface', context=HOST)], [square, clspline.Bezier(
                    np.float32(SQUARE), context=HOST)]):
            with self.assertRaises((clspline.ArgumentError, TypeError)):
                clspline.Search(splines)
        line = ([0, 0, 1, 1], [(0, 0, 1), (1, 0, 1)], 1, None)
        for trims in ({}, {'loops': []}, {'loops': [[]], 'holes': 1},
                      {'loops': [[[line[:3] + (4,)]]]}, {'loops': [[]], 'turned': [0, 1]},
                      {'loops': [[]], 'tolerance': [1]},
                      {'loops': [[[([0, 1], *line[1:])]]]}, {'loops': [[]], 'snap': -1}):
            with self.assertRaises(clspline.ArgumentError, msg=trims):
                clspline.Search([square], trims)
        with self.assertRaises(clspline.ArgumentError):
            clspline.Search.read(os.path.join(DATA, 'vase.json'))
        with self.assertRaises(clspline.ArgumentError):
            clspline.Search([square]).contains([0.5, 0.5, 0.5])
        with self.assertRaises(IndexError):
            clspline.Search([square]).contains([0.5, 0.5], patch=1)


if __name__ == '__main__':
    unittest.main()
