"""clspline.ndimage against an oracle in extended precision, against SciPy, and what it refuses.

Where results differ from SciPy's on purpose, a test in `Differences` says so.
"""
import importlib.util
import inspect
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest
import warnings

import numpy as np

import clspline
from clspline import ndimage
from common import eps, needs_fp64
from image_oracle import Spline, affine, coefficients

HAS_SCIPY = importlib.util.find_spec('scipy') is not None
if HAS_SCIPY:
    import scipy.ndimage
needs_scipy = unittest.skipUnless(HAS_SCIPY, 'no SciPy')
FULL = os.environ.get('CLSPLINE_TEST_SIZE') == 'full'
MODES = ('mirror', 'reflect', 'nearest', 'grid-wrap', 'constant', 'grid-constant', 'wrap')
FUNCTIONS = ('affine_transform', 'map_coordinates', 'rotate', 'shift', 'spline_filter',
             'spline_filter1d', 'zoom')
BOUND = 4  # eps of the largest coefficient


class Exact(unittest.TestCase):
    """Values and coefficients in float64, against the oracle."""

    def setUp(self):
        self.rng = np.random.default_rng(2)

    def near(self, found, exact, scale, real=np.float64, bound=BOUND):
        self.assertEqual(found.shape, np.shape(exact))
        error = float(np.abs(found - exact).max()) / (eps(real) * scale)
        self.assertLessEqual(error, bound)

    def check_coordinates(self, shape, order, mode, cval=0.3, **named):
        image = self.rng.random(shape)
        x = self.rng.random((len(shape), 40)) * (np.array(shape)[:, np.newaxis] + 9) - 5
        spline = Spline(image, order, mode, cval, named.get('prefilter', True))
        self.near(ndimage.map_coordinates(image, x, order=order, mode=mode, cval=cval, **named),
                  spline.at(x), spline.scale)

    @needs_fp64
    def test_orders_and_modes(self):
        for order in range(8):
            for mode in MODES:
                with self.subTest(order=order, mode=mode):
                    self.check_coordinates((9, 6), order, mode)

    @needs_fp64
    def test_sizes(self):
        orders = range(8) if FULL else (3, 4)
        for shape in ((1,), (2,), (5,), (31,), (65,), (129,), (1, 1), (1, 5), (2, 2), (5, 2),
                      (33, 17), (5, 5, 5), (1, 2, 5), (9, 2, 17)):
            for order in orders:
                for mode in MODES if FULL else ('mirror', 'reflect', 'grid-wrap', 'constant'):
                    with self.subTest(shape=shape, order=order, mode=mode):
                        self.check_coordinates(shape, order, mode)

    @needs_fp64
    def test_edges(self):
        """What is meant at the first or the last sample is not outside by rounding."""
        for size in range(2, 131):
            image = self.rng.random(size)
            for factor in (3, 5, 7, 9):
                for mode in ('grid-constant', 'constant', 'wrap'):
                    with warnings.catch_warnings():
                        warnings.simplefilter('ignore')
                        found = ndimage.zoom(image, factor, order=1, mode=mode, cval=-9,
                                             grid_mode=True)
                    first = factor // 2
                    self.assertEqual(found[[first, -1 - first]].tolist(), image[[0, -1]].tolist())
                self.assertEqual(ndimage.affine_transform(image, [[1 / factor]], -1, (factor + 1,),
                                                          order=1, cval=-9)[-1], image[0])
        stack = self.rng.random((2, 4, 300))  # too large for the host
        found = ndimage.zoom(stack, (1, 3, 3), order=1, cval=-9, grid_mode=True)
        np.testing.assert_array_equal(found[:, 1::3, 1::3], stack)
        values, _ = ndimage.zoom(stack[0], 7, order=1, cval=-9, grid_mode=True, gradient=True)
        np.testing.assert_array_equal(values[3::7, 3::7], stack[0])
        points = np.zeros((2, 1))  # the plan of the zoom before serves a list
        ndimage.zoom(stack[0], 3, order=1, mode='grid-constant', grid_mode=True)
        self.assertEqual(ndimage.map_coordinates(stack[0], points, order=1, mode='grid-constant'),
                         stack[0, 0, 0])

    @needs_fp64
    def test_without_prefilter(self):
        for order in (0, 1, 2, 3, 5):
            for mode in ('nearest', 'grid-constant', 'mirror'):
                self.check_coordinates((6, 7), order, mode, prefilter=False)

    @needs_fp64
    def test_maps(self):
        """Those whose coordinates are exact: of dyadic numbers."""
        for shape, rows, offset, size in (
                ((9,), [[0.375]], [-0.5], (30,)),
                ((8, 7), [[0.75, -0.25], [0.5, 0.625]], [1.25, -0.5], (9, 12)),
                ((5, 6, 7), [[0.5, 0.25, 0], [0, 1, 0.125], [-0.25, 0, 1.5]], [0.5, -1, 2],
                 (6, 5, 4))):
            image = self.rng.random(shape)
            for mode in ('mirror', 'constant', 'reflect'):
                spline = Spline(image, 3, mode)
                self.near(ndimage.affine_transform(image, rows, offset, size, mode=mode),
                          spline.at(affine(rows, offset, size)), spline.scale)

    @needs_fp64
    def test_shift_zoom_rotate(self):
        image = self.rng.random((9, 5))
        spline = Spline(image, 3, 'mirror')
        identity = np.eye(2)
        self.near(ndimage.shift(image, (1.25, -0.5), mode='mirror'),
                  spline.at(affine(identity, [-1.25, 0.5], (9, 5))), spline.scale)
        self.near(ndimage.zoom(image, (33 / 9, 9 / 5), mode='mirror'),
                  spline.at(affine([[0.25, 0], [0, 0.5]], [0, 0], (33, 9))), spline.scale)
        self.near(ndimage.zoom(image, 4, mode='mirror', grid_mode=True),
                  spline.at(affine([[0.25, 0], [0, 0.25]], [-0.375, -0.375], (36, 20))),
                  spline.scale)
        for quarters in range(-4, 5):
            self.near(ndimage.rotate(image, 90 * quarters), np.rot90(image, quarters),
                      spline.scale)
        self.near(ndimage.rotate(image, 180, reshape=False), image[::-1, ::-1], spline.scale)

    @needs_fp64
    def test_coefficients(self):
        for shape in ((7,), (6, 9), (4, 5, 6)):
            image = self.rng.random(shape)
            for order in range(2, 6) if FULL else (2, 3, 5):
                for mode in MODES + ('grid-mirror',) if FULL else ('wrap', 'nearest', 'grid-wrap'):
                    exact = coefficients(image, order, mode)
                    self.near(ndimage.spline_filter(image, order, mode=mode), exact,
                              float(np.abs(exact).max()), bound=BOUND * 2 if order > 3 else BOUND)
            for axis in range(-1, len(shape)):
                exact = coefficients(image, 3, 'mirror', [axis])
                self.near(ndimage.spline_filter1d(image, axis=axis), exact,
                          float(np.abs(exact).max()))

    @needs_fp64
    def test_gradients(self):
        image = self.rng.random((8, 9))
        x = self.rng.random((2, 3, 7)) * 6 + 1
        for order in (1, 2, 3, 5):
            spline = Spline(image, order, 'mirror')
            values, slope = ndimage.map_coordinates(image, x, order=order, mode='mirror',
                                                    gradient=True)
            self.near(values, spline.at(x), spline.scale)
            for d in range(2):
                self.near(slope[d], spline.at(x, d), spline.scale, bound=16)
        spline = Spline(image, 3, 'mirror')
        places = affine([[0.5, 0.25], [0, 1]], [1, -1], (8, 9))
        values, slope = ndimage.affine_transform(image, [[0.5, 0.25], [0, 1]], [1, -1],
                                                 mode='mirror', gradient=True)
        self.near(values, spline.at(places), spline.scale)
        self.near(slope[1], spline.at(places, 1), spline.scale, bound=16)
        whole, slope = ndimage.shift(np.arange(9), 0.5, gradient=True, output=np.int32, order=1,
                                     cval=-2)
        self.assertEqual((whole.dtype, slope.dtype, slope.shape), (np.int32, np.float64, (1, 9)))
        self.assertEqual(whole.tolist(), [-2, 1, 2, 3, 4, 5, 6, 7, 8])
        self.assertEqual(slope[0].tolist(), [0] + [1] * 8)
        complex_image = image + 1j * image[::-1]
        values, slope = ndimage.zoom(complex_image, 1, mode='mirror', gradient=True)
        self.near(values, complex_image, 2 * spline.scale)
        self.near(slope[0].real, ndimage.zoom(image, 1, mode='mirror', gradient=True)[1][0],
                  spline.scale, bound=16)
        self.assertEqual(ndimage.rotate(image, 30, gradient=True)[1].shape[0], 2)
        self.assertEqual(ndimage.shift(self.rng.random((2, 3, 4)), 0.5, gradient=True)[1].shape,
                         (3, 2, 3, 4))
        line = ndimage.affine_transform(image, [[0.0], [1.0]], [2, 0], (9,), gradient=True)[1]
        self.assertEqual(line.shape, (2, 9))

    def test_float32(self):
        image = self.rng.random((9, 11)).astype(np.float32)
        for order in (0, 1, 3, 5):
            spline = Spline(image, order, 'reflect')
            found = ndimage.shift(image, (0.5, 0.25), order=order, mode='reflect')
            self.assertEqual(found.dtype, np.float32)
            self.near(found, spline.at(affine(np.eye(2), [-0.5, -0.25], (9, 11))), spline.scale,
                      np.float32)
        x = (self.rng.random((2, 50)) * 8).astype(np.float32)
        self.near(ndimage.map_coordinates(image, x), Spline(image, 3, 'constant').at(x),
                  spline.scale, np.float32)
        exact = coefficients(image, 3, 'mirror')
        self.near(ndimage.spline_filter(image, output=np.float32), exact,
                  float(np.abs(exact).max()), np.float32)


@needs_scipy
@needs_fp64
class LikeScipy(unittest.TestCase):
    def setUp(self):
        self.rng = np.random.default_rng(3)

    def same(self, name, *args, atol=1e-10, **named):
        found = getattr(ndimage, name)(*args, **named)
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            expected = getattr(scipy.ndimage, name)(*args, **named)
        self.assertEqual((found.dtype, found.shape), (expected.dtype, expected.shape))
        np.testing.assert_allclose(found, expected, rtol=0, atol=atol)
        return found

    def test_signatures(self):
        """The same but for hints."""
        for name in FUNCTIONS:
            ours = inspect.signature(getattr(ndimage, name)).parameters
            own = [one for one in ours
                   if one in ('gradient', 'precision', 'context', 'fallback')]
            theirs = inspect.signature(getattr(scipy.ndimage, name)).parameters
            none = inspect.Parameter.empty
            self.assertEqual([str(ours[one].replace(annotation=none)) for one in ours
                              if one not in own],
                             [str(one.replace(annotation=none)) for one in theirs.values()], name)
            self.assertTrue(all(ours[one].kind is inspect.Parameter.KEYWORD_ONLY for one in own))
            self.assertIn('fallback', own)

    def test_random_arrays(self):
        """SciPy's reflect is right where axes have some 30 samples or more."""
        for shape in ((40,), (33, 40), (34, 33, 35)):
            image = self.rng.random(shape)
            ndim = len(shape)
            for order in range(6):
                for mode in MODES:
                    if ndim == 3 and (order, mode) not in ((1, 'wrap'), (3, 'mirror'),
                                                           (5, 'reflect'), (2, 'nearest')):
                        continue
                    with self.subTest(shape=shape, order=order, mode=mode):
                        named = {'order': order, 'mode': mode, 'cval': -0.7}
                        self.same('shift', image, (1.3, -7.2, 40)[:ndim], **named)
                        matrix = np.eye(ndim) + 0.3 * self.rng.random((ndim, ndim))
                        self.same('affine_transform', image, matrix, -2.7, **named)

    def test_zoom(self):
        image = self.rng.random((33, 36))
        for factor in (2, 0.4, (1.7, 0.9), (1, 2)):
            for mode in ('constant', 'grid-constant', 'reflect', 'nearest'):
                self.same('zoom', image, factor, mode=mode)
                if mode != 'constant':
                    self.same('zoom', image, factor, mode=mode, grid_mode=True, order=1)
                    self.same('zoom', image[:32, :1], (1.5, 1), mode=mode, grid_mode=True,
                              order=0)
        self.same('zoom', image, 0.01)
        self.same('zoom', image, 1 / 33)
        self.same('zoom', image, 1)
        self.same('zoom', image, 1, prefilter=False)
        with self.assertWarnsRegex(UserWarning, 'grid-wrap'):
            ndimage.zoom(image, 2, mode='wrap', grid_mode=True)

    def test_rotate(self):
        image = self.rng.random((33, 40))
        for angle in (0, 10, 30, -45, 60, 90, 135.5, 180, 270, 1000):
            for reshape in (True, False):
                self.same('rotate', image, angle, reshape=reshape, cval=2, order=1)
        volume = self.rng.random((33, 34, 3, 2))
        for axes in ((0, 1), (1, 0), (-1, 0), (2, 1), (3, 2)):
            self.same('rotate', volume, 25, axes=axes, mode='nearest')
        self.same('rotate', volume[..., 0], 25)  # three channels
        self.same('rotate', self.rng.random((3, 33, 40)), 25, axes=(1, 2))

    def test_matrices(self):
        image = self.rng.random((33, 34))
        whole = np.array([[0.9, 0.2, 1.5], [-0.1, 0.8, 0.25], [0, 0, 1]])
        self.same('affine_transform', image, whole)
        self.same('affine_transform', image, whole[:2], 99)
        self.same('affine_transform', image, [0.5, 0.75], [1, 2])
        self.same('affine_transform', image, [0.5, 0.75], output_shape=(70, 3))
        self.same('affine_transform', image, [[0], [2]], 0, (9,))
        self.same('affine_transform', image[0], [[0.5, 0.25, 0.125]], 1, (3, 4, 5), order=1)
        self.same('affine_transform', image, [[0, 1], [1, 0]], output_shape=(34, 33))
        self.same('affine_transform', image, [[0, 0], [0, 0]], order=1)  # not the identity
        self.same('affine_transform', image, [[0, 0], [0, 0]], [2.5, 1], order=1)

    def test_types(self):
        values = self.rng.random((33, 34)) * 200
        kinds = [bool, 'i1', 'u1', 'i2', 'u2', 'i4', 'u4', 'i8', 'u8', 'f4', 'f8', 'c8', 'c16']
        for kind in kinds:
            image = values.astype(kind)
            if image.dtype.kind == 'c':
                image += 1j * values[::-1]
            tight = 1e-10 if image.dtype in (float, complex) else 1e-4
            with self.subTest(kind):
                atol = 1 if image.dtype.kind in 'iu' else tight
                if kind is not bool:
                    found = self.same('shift', image, (0.3, -1.6), mode='mirror', atol=atol)
                    if atol == 1:  # a value within rounding of a half may be either
                        exact = scipy.ndimage.shift(image.astype(float), (0.3, -1.6),
                                                    mode='mirror')
                        limits = np.iinfo(found.dtype)
                        exact = exact.clip(limits.min, limits.max)
                        self.assertLessEqual(np.abs(found - exact).max(), 0.5 + 1e-4)
                self.same('zoom', image, 1.5, output=image.dtype.type if image.dtype.kind == 'c'
                          else np.float64, mode='mirror', atol=1e-4 if kind == 'c8' else 1e-10)
                self.same('map_coordinates', image, self.rng.random((2, 9)) * 30, order=1,
                          output='c16' if image.dtype.kind == 'c' else 'f4', atol=1e-4)
                self.same('spline_filter', image, output=np.complex128 if image.dtype.kind == 'c'
                          else np.float64)
        for kind in kinds[1:11]:
            self.same('affine_transform', values * 3 - 300, [0.5, 0.5], output=kind,
                      atol=1 if kind[0] in 'iu' else 1e-4)

    def test_limits_of_integers(self):
        values = np.array([0, .3, .5, 1.5, 2.5, -.5, -1.5, 300, -300, 1e5, -1e5, 1e10, -1e10, 1e20,
                           -1e20])
        for kind in ('i1', 'u1', 'i2', 'u2', 'i4', 'i8', 'f4'):
            self.same('shift', values, 0, order=0, output=kind, atol=0)
        for kind in ('u4', 'u8'):
            found = ndimage.shift(values, 0, order=0, output=kind)
            top = np.iinfo(kind).max
            self.assertEqual(found.tolist(), [0, 0, 1, 2, 3, 0, 0, 300, 0, 100000, 0,
                                              min(10 ** 10, top), 0, top, 0])
        self.assertEqual(ndimage.shift(np.array([np.nan, 1]), 0, order=0, output=int).tolist(),
                         [0, 1])
        large = np.array([2 ** 53 - 1, -2 ** 40, 2 ** 31])
        self.same('shift', large, 0, order=1, atol=0)

    def test_halves(self):
        for kind in ('u1', 'i1', 'i2', 'u2', 'i4', 'u8'):
            image = np.arange(20).astype(kind)
            self.same('shift', image, 0.5, order=1, mode='nearest', atol=0)
            if kind[0] == 'i':
                self.same('shift', -image, 0.5, order=1, mode='nearest', atol=0)

    def test_outputs(self):
        image = self.rng.random((33, 36))
        expected = scipy.ndimage.shift(image, 1.5)
        wide = np.zeros((33, 72))
        flipped = np.zeros((33, 36), '>f8')
        unaligned = np.zeros(33 * 36 * 8 + 1, np.uint8)[1:].view(float).reshape(33, 36)
        for out in (np.zeros((33, 36)), wide[:, ::2], flipped, np.zeros((36, 33)).T, unaligned):
            self.assertIs(ndimage.shift(image, 1.5, output=out), out)
            np.testing.assert_allclose(out, expected, atol=1e-12)
            self.assertIs(ndimage.spline_filter(image, output=out), out)
            np.testing.assert_allclose(out, scipy.ndimage.spline_filter(image), atol=1e-12)
        self.assertFalse(wide[:, 1::2].any())
        ndimage.shift(image, 1.5, output=image)  # in place
        np.testing.assert_allclose(image, expected, atol=1e-12)
        out = np.zeros((50, 20))
        self.assertIs(ndimage.affine_transform(image, np.eye(2), output=out), out)
        for dtype in (np.float32, 'f4', np.dtype('>f4')):
            self.assertEqual(ndimage.shift(image, 1.5, output=dtype).dtype, dtype)
        x = self.rng.random((2, 33, 36)) * 30
        expected = scipy.ndimage.map_coordinates(image, x)
        np.testing.assert_allclose(ndimage.map_coordinates(image, x, output=x[0]), expected,
                                   atol=1e-12)
        with self.assertWarnsRegex(UserWarning, 'promoting'):
            self.assertEqual(ndimage.shift(image + 0j, 1, output=np.float32).dtype, np.complex64)

    def test_inputs(self):
        image = np.asfortranarray(self.rng.random((33, 36)))
        self.same('shift', image, 1.5)
        self.same('shift', image[::2, ::-1], 1.5)
        self.same('shift', image.tolist(), 1.5)
        self.same('shift', image.astype('>f4'), 1.5, atol=1e-5)
        self.same('shift', np.arange(9), 1)
        self.same('map_coordinates', image, np.indices((5, 6)) * 2, order=1)
        self.same('map_coordinates', image, np.moveaxis(self.rng.random((4, 5, 2)) * 9, -1, 0))
        self.same('shift', image, np.float64(1.5))
        np.testing.assert_array_equal(ndimage.shift(image, np.array(1.5)),
                                      ndimage.shift(image, 1.5))

    def test_batches(self):
        stack = self.rng.random((2, 3, 33, 34))
        self.same('shift', stack, (0, 0, 1.5, -2.25))
        self.same('zoom', stack, (1, 1, 2, 0.5), mode='mirror')
        self.same('shift', stack, (0.5, 0, 1.5, -2.25), order=1)
        self.same('affine_transform', stack[0], np.diag([1, 0.5, 0.5]))
        colours = np.ascontiguousarray(np.moveaxis(stack[0], 0, -1))
        for name, by in (('shift', (1.5, 0.25, 0)), ('zoom', (2, 0.5, 1)), ('shift', (0, 3.5, 0)),
                         ('shift', (0, 0, 0.25)), ('shift', (0, 0, 0)), ('zoom', (1, 2, 2))):
            self.same(name, colours, by, mode='mirror')
        self.same('zoom', colours, (2, 1, 1), prefilter=False)
        self.same('shift', colours + 1j * colours[::-1], (1.5, 0.25, 0))
        many = self.rng.random((34, 33, 20))  # too many for channels
        self.same('shift', many, (1.5, 0.25, 0))
        self.same('shift', self.rng.random((4, 33, 2, 34)), (0, 1.5, 0, 2.5))
        self.same('spline_filter', self.rng.random((3, 4, 5, 6)), 4)
        self.same('spline_filter1d', self.rng.random((3, 4, 5, 6)), axis=1, order=2)

    def test_complex(self):
        image = self.rng.random((33, 34)) + 1j * self.rng.random((33, 34))
        self.same('shift', image, 1.5)
        self.same('shift', image, 1.5, cval=2 + 3j)
        self.same('rotate', image, 20, cval=5.0)
        self.same('map_coordinates', image, self.rng.random((2, 4, 5)) * 40, cval=1 - 1j)
        self.same('spline_filter1d', image, axis=0, output=np.complex64, atol=1e-5)
        out = np.zeros((33, 68), complex)[:, ::2]
        ndimage.shift(image, 1.5, output=out, cval=1j)
        np.testing.assert_allclose(out, scipy.ndimage.shift(image, 1.5, cval=1j), atol=1e-12)

    def test_filters_into_integers(self):
        """Coefficients are cut off after each axis, as SciPy does."""
        image = self.rng.random((33, 34)) * 90
        for kind in ('i1', 'i2', 'i4', 'u2'):
            self.same('spline_filter', image + 50, output=kind, atol=2)
        self.same('spline_filter1d', image, output='i4', axis=0, atol=1)

    def test_empty(self):
        empty = np.zeros((0, 3))
        self.same('spline_filter', empty)
        self.same('spline_filter1d', empty)
        self.same('zoom', empty, 2)
        self.same('affine_transform', empty, np.eye(2))
        self.same('map_coordinates', np.zeros((2, 2)), np.zeros((2, 0)))
        self.same('spline_filter', np.array(3.0))
        self.same('spline_filter1d', np.arange(4), order=1)
        values, slope = ndimage.shift(empty, 1, gradient=True)
        self.assertEqual((values.shape, slope.shape), ((0, 3), (2, 0, 3)))

    def test_what_neither_takes(self):
        image = np.zeros((4, 5))
        for name, args in (
                ('shift', (image, 1, None, 8)), ('shift', (image, 1, None, 3, 'edge')),
                ('shift', (image, (1, 2, 3))), ('shift', (np.array(1.0), 1)),
                ('zoom', (image, (1, 2, 3))), ('zoom', (image, -1)), ('zoom', (image, np.nan)),
                ('affine_transform', (image, np.eye(4))),
                ('affine_transform', (image, [[1, 0, 0], [0, 1, 0], [1, 0, 1]])),
                ('affine_transform', (image, np.zeros((2, 2, 2)))),
                ('affine_transform', (image, np.eye(2), (1, 2, 3))),
                ('affine_transform', (image, np.eye(2), 0, (3, 3), np.zeros((2, 2)))),
                ('map_coordinates', (image, np.zeros((3, 4)))),
                ('map_coordinates', (image, np.zeros(2))),
                ('map_coordinates', (image, np.zeros((2, 4), complex))),
                ('rotate', (image[0], 3)), ('rotate', (image, 3, (0, 2))),
                ('rotate', (image, 3, (0, 1, 2))), ('rotate', (image, 3, (0, 0.5))),
                ('spline_filter', (image, 1)), ('spline_filter', (image, 8)),
                ('spline_filter1d', (image, 3, 2)), ('shift', (image + 0j, 1, np.zeros((4, 5)))),
                ('shift', (image, 1, np.zeros((4, 5), complex))),
                ('shift', (image, 1, None, 3.0)), ('shift', (image, 1, None, 3, 'mirror', 'x')),
                ('shift', (image, 1, None, 3, 'mirror', 1j))):
            with self.subTest(name, args=args[1:]):
                with self.assertRaises(Exception) as theirs, warnings.catch_warnings():
                    warnings.simplefilter('ignore')
                    getattr(scipy.ndimage, name)(*args)
                kind = next(one for one in (TypeError, RuntimeError, ValueError)
                            if isinstance(theirs.exception, one))
                with self.assertRaises(kind) as ours:
                    getattr(ndimage, name)(*args)
                self.assertTrue(str(ours.exception))

    def test_fallback(self):
        volume = self.rng.random((3, 4, 5, 6))
        with self.assertRaisesRegex(ndimage.UnsupportedError, "^input: 4 .*fallback='scipy'"):
            ndimage.shift(volume, 0.5)
        np.testing.assert_array_equal(ndimage.shift(volume, 0.5, fallback='scipy'),
                                      scipy.ndimage.shift(volume, 0.5))
        x = self.rng.random((4, 5))
        with self.assertRaises(ndimage.UnsupportedError):
            ndimage.map_coordinates(volume, x)
        np.testing.assert_array_equal(
            ndimage.map_coordinates(volume, x, order=1, fallback='scipy', precision='f8'),
            scipy.ndimage.map_coordinates(volume, x, order=1))
        for call in (lambda: ndimage.shift(volume, 0.5, gradient=True, fallback='scipy'),
                     lambda: ndimage.zoom(volume, 2, prefilter=False),
                     lambda: ndimage.rotate(volume, 5, gradient=True),
                     lambda: ndimage.shift(volume.astype(np.longdouble), 1)):
            with self.assertRaises(ndimage.UnsupportedError):
                call()
        with self.assertRaisesRegex(ValueError, '^fallback'):
            ndimage.shift(volume, 0.5, fallback='cupy')
        self.assertEqual(ndimage.shift(volume[0, 0], 1, fallback='scipy').shape, (5, 6))

    def test_scipys_own(self):
        """SciPy's tests of interpolation, with clspline.ndimage in the place of scipy.ndimage.
        They all pass: none differs."""
        path = pathlib.Path(scipy.ndimage.__file__).parent / 'tests' / 'test_interpolation.py'
        if not path.exists() or importlib.util.find_spec('pytest') is None:
            self.skipTest('no tests of SciPy, or no pytest')
        text = path.read_text(encoding='utf-8')
        for name in ('import scipy.ndimage as ndimage', 'from scipy import ndimage'):
            text = text.replace(name + '\n', 'import both as ndimage\n')
        text = text.replace('from . import types', 'from scipy.ndimage.tests import types')
        text = text.replace('    make_xp_test_case,\n', '')
        text = text.replace('\neps = 1e-12', _NO_BACKENDS)
        self.assertIn('import both', text)
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / 'test_both.py').write_text(text, encoding='utf-8')
            (folder / 'both.py').write_text(
                'from scipy.ndimage import *\nfrom clspline.ndimage import *\n', encoding='utf-8')
            (folder / 'conftest.py').write_text(_CONFTEST, encoding='utf-8')
            done = subprocess.run(
                [sys.executable, '-m', 'pytest', '-q', '-p', 'no:cacheprovider', '-W', 'ignore',
                 '--tb=short', '-k', 'not large_data', 'test_both.py'], cwd=folder,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn(' passed', done.stdout)


_NO_BACKENDS = '''
def make_xp_test_case(*_):
    return lambda test: test

eps = 1e-12
'''

_CONFTEST = f'''
import pytest

@pytest.fixture
def xp():
    import scipy._lib._array_api as api
    return api.np_compat

def pytest_collection_modifyitems(items):
    if not {FULL}:  # of the orders two, which have kernels of their own each
        items[:] = [item for item in items if not hasattr(item, 'callspec')
                    or item.callspec.params.get('order', 3) in (1, 3)]
'''


class Differences(unittest.TestCase):
    """Where results are not SciPy's, on purpose: docs/guide/python.md has the list."""

    @needs_fp64
    def test_reflect_of_short_axes(self):
        """SciPy before 1.18 begins the filter wrongly."""
        image = np.random.default_rng(0).random(5)
        x = np.linspace(-1, 6, 50)[np.newaxis]
        spline = Spline(image, 3, 'reflect')
        self.assertLess(float(np.abs(ndimage.map_coordinates(image, x, mode='reflect')
                                     - spline.at(x)).max()), BOUND * eps(float) * spline.scale)

    @needs_fp64
    def test_zoom_keeps_the_last_sample(self):
        """SciPy's last coordinate may be beyond it by rounding, and then is cval."""
        for size, zoomed in ((8, 26), (8, 101), (9, 26), (50, 64), (7, 5), (100, 33)):
            image = np.arange(size) + 1.0
            found = ndimage.zoom(image, zoomed / size, order=1, cval=-9)
            self.assertEqual(len(found), zoomed)
            np.testing.assert_allclose(found[[0, -1]], [1, size], rtol=1e-15)

    @needs_fp64
    def test_bool(self):
        """What is nearly 1 is True; SciPy cuts 0.9999 off."""
        mask = np.random.default_rng(1).random((12, 13)) > 0.4
        for order in (0, 1, 3):
            found = ndimage.shift(mask, (0, 2), order=order)
            self.assertEqual(found.dtype, bool)
            np.testing.assert_array_equal(found[:, 2:], mask[:, :-2])
        self.assertEqual(ndimage.shift(np.array([True, True]), 0.5, order=1, cval=-1).tolist(),
                         [True, True])
        found = ndimage.map_coordinates(np.array([0, 1, -2.0]), [[0.5, 1, 1.4, 2]], order=1,
                                        output=bool)
        self.assertEqual(found.tolist(), [False, True, False, True])

    def test_not_finite(self):
        """Coordinates that are not finite give cval; SciPy converts them to whole numbers."""
        x = np.float32([[np.nan, np.inf, -np.inf, 1]])
        image = np.arange(4, dtype=np.float32)
        for mode in MODES:
            self.assertEqual(ndimage.map_coordinates(image, x, order=1, mode=mode, cval=9).tolist(),
                             [9, 9, 9, 1])

    def test_nan_stays_near(self):
        image = np.zeros((4, 600), np.float32)
        image[:, 300] = np.nan
        found = ndimage.shift(image, (0, 0.5))
        self.assertFalse(np.isnan(found[:, :100]).any() or np.isnan(found[:, 500:]).any())
        cval = ndimage.shift(np.float32([1, 2, 3]), 1, cval=np.nan)
        self.assertTrue(np.isnan(cval[0]) and not np.isnan(cval[1:]).any())

    def test_half_precision(self):
        image = np.arange(9, dtype=np.float16)
        found = ndimage.shift(image, 1, order=1)
        self.assertEqual((found.dtype, found.tolist()), (np.float16, [0, 0, 1, 2, 3, 4, 5, 6, 7]))
        self.assertEqual(ndimage.spline_filter(image, output=np.float16, mode='mirror').dtype,
                         np.float16)


class Refused(unittest.TestCase):
    def setUp(self):
        self.image = np.zeros((4, 5), np.float32)

    def refused(self, error, words, call, *args, **named):
        with self.assertRaisesRegex(error, words):
            getattr(ndimage, call)(*args, **named)

    def test_inputs(self):
        for value, error, words in (
                (np.ma.masked_array([1.0, 2]), TypeError, 'masked'),
                (np.array([1, None]), TypeError, 'object'), (['a'], TypeError, 'U'),
                ([[1, 2], [3]], (ValueError, TypeError), ''),
                (np.zeros(3, 'M8[s]'), TypeError, 'M8|datetime')):
            for name in ('shift', 'zoom', 'rotate', 'affine_transform', 'map_coordinates'):
                self.refused(error, 'input.*' + words, name, value, [[1]])
            self.refused(error, 'input.*' + words, 'spline_filter', value)
        self.refused(ValueError, '^input: empty', 'affine_transform', np.zeros((0, 3)), np.eye(2),
                     output_shape=(2, 2))

    def test_device_arrays(self):
        class Array:
            base_data = offset = queue = None
        self.refused(TypeError, '^input.*clspline.Image', 'zoom', Array(), 2)

    def test_outputs(self):
        read_only = np.zeros((4, 5), np.float32)
        self.assertEqual(ndimage.shift(read_only, 1).shape, (4, 5))
        read_only.flags.writeable = False
        self.refused(ValueError, '^output.*read-only', 'shift', self.image, 1, read_only)
        for out, error, words in (
                (np.zeros((5, 4)), RuntimeError, 'shape'), ([0.0] * 5, TypeError, 'list'),
                (np.ma.zeros((4, 5)), TypeError, 'masked'), (object, TypeError, 'object'),
                (np.zeros((4, 5), object), TypeError, 'object'),
                (np.dtype('c8'), RuntimeError, 'complex')):
            self.refused(error, '^output.*' + words, 'shift', self.image, 1, out)
            self.refused(error, '^output.*' + words, 'spline_filter', self.image, 3, out)
        self.refused(TypeError, 'no_such|understood', 'shift', self.image, 1, 'no_such')

    def test_arguments(self):
        self.refused(ValueError, 'matrix.*finite', 'affine_transform', self.image,
                     [[np.nan, 0], [0, 1]])
        self.refused(ValueError, '^offset', 'affine_transform', self.image, np.eye(2), np.inf)
        self.refused(ValueError, '^shift', 'shift', self.image, np.nan)
        self.refused(ValueError, '^angle', 'rotate', self.image, np.inf)
        self.refused(TypeError, '^matrix', 'affine_transform', self.image, np.eye(2) * 1j)
        self.refused(TypeError, '^output_shape', 'affine_transform', self.image, np.eye(2),
                     output_shape=4)
        self.refused(ValueError, '^output_shape', 'affine_transform', self.image, np.eye(2),
                     output_shape=(4, -1))
        for name in ('shift', 'spline_filter1d'):
            for precision in (np.float16, ['f4'], 'single precision'):
                self.refused(TypeError, '^precision', name, self.image, 1, precision=precision)
            self.refused(TypeError, '^context', name, self.image, 1, context='cpu')
        self.refused(TypeError, '^cval', 'shift', self.image + 0j, 1, cval='x')
        self.refused(TypeError, '^coordinates', 'map_coordinates', self.image, [['a'], ['b']])
        self.refused(RuntimeError, '^mode', 'spline_filter', self.image, mode=3)
        self.refused(RuntimeError, '^mode', 'shift', self.image, 1, mode=['mirror'])
        self.refused(TypeError, '^cval', 'shift', self.image, 1, cval='1')
        self.refused(TypeError, '^cval', 'shift', self.image, 1, cval=[1, 2])
        for value in (None, [1, None]):
            self.refused(TypeError, '^shift', 'shift', self.image, value)
        self.refused(ValueError, '^zoom', 'zoom', self.image, [1, 'b'])
        self.refused(ValueError, '^shift', 'shift', self.image, 10 ** 400)
        for value in (None, [2], 2.5):
            self.refused(TypeError, '^order', 'shift', self.image, 1, order=value)
        self.refused(TypeError, '^angle', 'rotate', self.image, None)
        self.refused(ValueError, '^angle', 'rotate', self.image, 'right')
        self.refused(ValueError, '^axes', 'rotate', self.image, 1, axes=3)
        self.refused(TypeError, '^axes', 'rotate', self.image, 1, axes=(0, None))
        self.refused(TypeError, '^axis', 'spline_filter1d', self.image, axis=None)

    def test_context(self):
        context = clspline.Context()
        self.assertEqual(ndimage.shift(self.image, 1, context=context).shape, (4, 5))
        ndimage.shift(self.image, 1, context=context)
        context.close()
        for _ in range(2):
            self.refused(clspline.StateError, 'closed', 'shift', self.image, 1, context=context)

    @needs_scipy
    def test_device_without_double(self):
        context = clspline.Context(limits='fp64=0')
        wide = np.arange(20.0).reshape(4, 5)
        for name, args in (('shift', (wide, 1)), ('spline_filter', (wide,)),
                           ('map_coordinates', (self.image, np.zeros((2, 3))))):
            self.refused(clspline.NoFloat64Error, "^precision: .*'float32'", name, *args,
                         context=context)
            expected = getattr(scipy.ndimage, name)(*args)
            np.testing.assert_array_equal(
                getattr(ndimage, name)(*args, context=context, fallback='scipy'), expected)
            found = getattr(ndimage, name)(*args, context=context, precision='f4')
            self.assertEqual(found.dtype, expected.dtype)
            np.testing.assert_allclose(found, expected, atol=1e-4)
        self.assertEqual(ndimage.shift(self.image, 1, context=context).dtype, np.float32)
        found = ndimage.shift(np.arange(9), 1, context=context, precision='f4', order=1)
        self.assertEqual(found.tolist(), [0, 0, 1, 2, 3, 4, 5, 6, 7])


class Plans(unittest.TestCase):
    """Plans are kept for the next call of their kind, and never change what it gives."""

    def setUp(self):
        self.rng = np.random.default_rng(5)

    def pool(self, context):
        from clspline._image_plan import pool_of
        return pool_of(context)

    def test_results_do_not_depend_on_calls_before(self):
        context = clspline.Context()
        image = self.rng.random((20, 30)).astype(np.float32)
        x = (self.rng.random((2, 40)) * 19).astype(np.float32)
        calls = [
            lambda: ndimage.shift(image, 1.5, context=context),
            lambda: ndimage.map_coordinates(image, x, context=context),
            lambda: ndimage.shift(image, 1.5, cval=2, context=context),
            lambda: ndimage.shift(image, 1.5, mode='nearest', context=context),
            lambda: ndimage.shift(image, 1.5, order=1, context=context),
            lambda: ndimage.shift(image, 1.5, prefilter=False, context=context),
            lambda: ndimage.shift(image, 1.5, gradient=True, context=context)[1],
            lambda: ndimage.shift(image, 1.5, output=np.uint8, context=context),
            lambda: ndimage.affine_transform(image, np.zeros((2, 2)), 3, context=context),
            lambda: ndimage.affine_transform(image, np.zeros((2, 2)), context=context),
            lambda: ndimage.shift(np.stack((image, image)), (0, 1.5, 1.5), context=context),
            lambda: ndimage.spline_filter(image, output='f4', context=context),
            lambda: ndimage.shift(image, 1.5, cval=np.nan, context=context),
        ]
        first = []
        for call in calls:
            ndimage.clear_plans(context)
            first.append(call())
        for order in (range(len(calls)), reversed(range(len(calls)))):
            for k in order:
                np.testing.assert_array_equal(calls[k](), first[k])
        self.assertGreater(len(self.pool(context)), 5)
        ndimage.clear_plans(context)
        self.assertEqual(len(self.pool(context)), 0)
        ndimage.clear_plans()

    def test_bounds(self):
        context = clspline.Context()
        for size in range(2, 50):
            ndimage.shift(np.zeros(size, np.float32), 0.5, context=context)
        self.assertEqual(len(self.pool(context)), 32)
        large = np.zeros((6000, 6000), np.float32)
        for order in (1, 0):
            ndimage.affine_transform(large, [1, 1], output_shape=(2, 2), order=order,
                                     context=context)
        self.assertEqual(len(self.pool(context)), 1)  # the other one and it have too many bytes
        ndimage.clear_plans(context)

    def test_failed_calls_leave_none(self):
        context = clspline.Context()
        for _ in range(3):
            with self.assertRaises(ValueError):
                ndimage.affine_transform(np.zeros((3, 3), np.float32), [[np.nan, 0], [0, 1]],
                                         context=context)
        self.assertEqual(len(self.pool(context)), 0)
        self.assertEqual(ndimage.shift(np.ones(3, np.float32), 1, order=1, context=context)[2], 1)

    @unittest.skipUnless(hasattr(os, 'fork'), 'no fork')
    def test_fork(self):
        """A lock that another thread held when the process forked is not asked for."""
        context = clspline.Context()
        image = np.ones((3, 3), np.float32)
        ndimage.shift(image, 1, context=context)
        with self.pool(context)._lock:
            child = os.fork()
            if child == 0:
                try:
                    ndimage.shift(image, 1, context=context)
                except clspline.StateError:
                    os._exit(0)
                finally:
                    os._exit(1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)

    def test_threads(self):
        images = [self.rng.random((40, 50)).astype(np.float32) for _ in range(6)]
        expected = [ndimage.rotate(image, 20) for image in images]
        errors = []

        def work(k):
            try:
                for _ in range(30):
                    np.testing.assert_array_equal(ndimage.rotate(images[k], 20), expected[k])
            except BaseException as error:  # to be raised by the thread that looks
                errors.append(error)
        threads = [threading.Thread(target=work, args=(k,)) for k in range(len(images))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(errors, [])


if __name__ == '__main__':
    unittest.main()
