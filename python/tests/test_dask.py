"""clspline.ndimage of arrays of dask: the bits of a single call, keys, and what is refused."""
import importlib.util
import unittest

import numpy as np

import clspline
from clspline import ndimage
from common import needs_fp64

HAS_DASK = importlib.util.find_spec('dask') is not None
if HAS_DASK:
    try:
        import dask
        import dask.array as da
    except ImportError:  # dask without its arrays
        HAS_DASK = False
MATRIX = [[0.9, 0.2], [-0.2, 0.9]]


@unittest.skipUnless(HAS_DASK, 'no dask')
class Dask(unittest.TestCase):
    def setUp(self):
        self.rng = np.random.default_rng(5)
        self.image = (255 * self.rng.random((330, 410))).astype(np.float32)
        self.lazy = da.from_array(self.image, chunks=(150, 256))

    def assert_same(self, function, *args, of=None, **keywords):
        """Asserts that a function gives the bits of an array in memory."""
        image, lazy = of or (self.image, self.lazy)
        whole = function(image, *args, **keywords)
        tiles = function(lazy, *args, **keywords)
        self.assertIsInstance(tiles, da.Array)
        self.assertEqual((tiles.shape, tiles.dtype), (whole.shape, whole.dtype))
        np.testing.assert_array_equal(tiles.compute(scheduler='threads'), whole)
        return tiles

    def test_modes_and_orders(self):
        for mode, order in (('constant', 3), ('mirror', 1), ('reflect', 4), ('nearest', 3),
                            ('grid-constant', 2), ('wrap', 3), ('grid-wrap', 3), ('mirror', 0)):
            with self.subTest(mode=mode, order=order):
                self.assert_same(ndimage.affine_transform, MATRIX, (3, 50), mode=mode, order=order,
                                 cval=7)

    def test_functions(self):
        self.assert_same(ndimage.affine_transform, [0.5, 1.5], output_shape=(500, 100))
        self.assert_same(ndimage.rotate, 30)
        self.assert_same(ndimage.zoom, 1)
        self.assert_same(ndimage.shift, (1.5, -2), prefilter=False)
        tiles = self.assert_same(ndimage.zoom, (1.5, 0.7), order=5)
        self.assertEqual(tiles.chunks[1], (256, 31))

    def test_types(self):
        for dtype in (np.uint8, np.int16, np.complex64):
            image = self.image.astype(dtype)
            if image.dtype.kind == 'c':
                image += np.complex64(1j) * self.rng.random(image.shape).astype(np.float32)
            pair = image, da.from_array(image, chunks=200)
            with self.subTest(dtype=dtype):
                self.assert_same(ndimage.shift, 1.25, cval=3, of=pair)
                self.assert_same(ndimage.rotate, 10, reshape=False, of=pair)
        self.assert_same(ndimage.shift, 0.5, output=np.int16)

    @needs_fp64
    def test_float64(self):
        pair = self.image.astype(np.float64), self.lazy.astype(np.float64)
        self.assert_same(ndimage.affine_transform, MATRIX, mode='nearest', of=pair)
        with self.assertWarnsRegex(UserWarning, 'grid-constant'):
            tiles = self.assert_same(ndimage.zoom, 3, grid_mode=True, order=1, cval=-9, of=pair)
        np.testing.assert_array_equal(tiles[1::3, 1::3], pair[0])
        for mode in ('mirror', 'reflect', 'grid-wrap'):
            self.assert_same(ndimage.spline_filter, mode=mode, of=pair)
        self.assert_same(ndimage.spline_filter, 5)

    def test_coordinates(self):
        points = self.rng.random((2, 700, 30), np.float32) * np.float32([[[330]], [[410]]])
        tiles = da.from_array(points, chunks=(1, 300, 30))
        self.assert_same(ndimage.map_coordinates, points)
        self.assert_same(ndimage.map_coordinates, points[:, :0])
        whole = ndimage.map_coordinates(self.image, points, mode='mirror')
        for image in (self.image, self.lazy):
            made = ndimage.map_coordinates(image, tiles, mode='mirror')
            self.assertEqual(made.chunks, tiles.chunks[1:])
            np.testing.assert_array_equal(made.compute(scheduler='threads'), whole)

    def test_volumes_and_batches(self):
        volume = self.rng.random((60, 150, 170), np.float32)
        pair = volume, da.from_array(volume, chunks=(30, 150, 100))
        self.assert_same(ndimage.zoom, (1.2, 1, 1.1), of=pair)
        self.assert_same(ndimage.affine_transform, np.eye(3) + 0.01, of=pair)
        self.assert_same(ndimage.shift, (0, 1.5, 0.5), of=pair)
        self.assert_same(ndimage.rotate, 20, (1, 2), of=pair)
        self.assert_same(ndimage.rotate, 20, (0, 2), of=pair)
        line = self.image.ravel()
        self.assert_same(ndimage.shift, 0.5, of=(line, da.from_array(line, chunks=50000)))

    def test_keys(self):
        """Calls that differ in anything are others, and such that do not are the same."""
        calls = [{}, {'order': 5}, {'mode': 'mirror'}, {'cval': 1}, {'prefilter': False},
                 {'output': np.uint8}, {'precision': np.float32, 'order': 2}]
        made = [ndimage.shift(self.lazy, 1.5, **keywords) for keywords in calls]
        self.assertEqual(len({array.name for array in made}), len(calls))
        keys = [set(dict(array.__dask_graph__())) for array in made]
        again = ndimage.shift(self.lazy, 1.5)
        self.assertEqual(set(dict(again.__dask_graph__())), keys[0])
        for array, keywords in zip(dask.compute(*made, scheduler='threads'), calls):
            np.testing.assert_array_equal(array, ndimage.shift(self.image, 1.5, **keywords))

    def test_refused(self):
        unknown = self.lazy[self.lazy[:, 0] > 128]
        for error, words, call in (
                (clspline.ndimage.UnsupportedError, 'gradient',
                 lambda: ndimage.shift(self.lazy, 1, gradient=True)),
                (clspline.ndimage.UnsupportedError, 'input',
                 lambda: ndimage.spline_filter1d(self.lazy)),
                (clspline.ndimage.UnsupportedError, 'input',
                 lambda: ndimage.spline_filter(self.lazy, output=np.int16)),
                (clspline.ndimage.UnsupportedError, 'output_shape',
                 lambda: ndimage.affine_transform(self.lazy, MATRIX, output_shape=(0, 3))),
                (TypeError, 'output',
                 lambda: ndimage.shift(self.lazy, 1, output=np.empty(self.image.shape))),
                (TypeError, 'cval', lambda: ndimage.shift(self.lazy, 1, cval='x')),
                (ValueError, 'input', lambda: ndimage.shift(unknown, 1)),
                (ValueError, 'empty', lambda: ndimage.shift(self.lazy[:0], 1)),
                (TypeError, 'numbers', lambda: ndimage.shift(self.lazy.astype('U8'), 1)),
                (ValueError, 'context', lambda: ndimage.shift(
                    self.lazy, 1, context=clspline.Context()))):
            with self.subTest(words=words), self.assertRaisesRegex(error, words):
                call()


if __name__ == '__main__':
    unittest.main()
