"""clspline.Image against an oracle in extended precision, and what it refuses."""
import importlib.util
import pickle
import threading
import unittest

import numpy as np

import clspline
from common import HAS_FP64, REALS, eps, need_opencl, needs_fp64
from image_oracle import Spline, affine, coefficients

MODES = ('mirror', 'reflect', 'nearest', 'grid-wrap', 'constant', 'grid-constant', 'wrap')
BOUND = 4  # eps of the largest coefficient
HAS_PYOPENCL = importlib.util.find_spec('pyopencl') is not None


class Values(unittest.TestCase):
    def setUp(self):
        self.rng = np.random.default_rng(4)

    def near(self, found, exact, scale, real, bound=BOUND):
        self.assertEqual(found.shape, np.shape(exact))
        self.assertLessEqual(float(np.abs(found - exact).max()), bound * eps(real) * scale)

    def check(self, shape, order, mode, real):
        image = self.rng.random(shape).astype(real)
        ndim = len(shape)
        x = (self.rng.random((20, ndim)) * 12 - 3).astype(real)
        spline = Spline(image, order, mode, 0.25)
        found = clspline.Image(image, order, mode, cval=0.25, directions=ndim)
        self.assertEqual(found.precision, real)
        self.near(found.at(x[:, 0] if ndim == 1 else x), spline.at(x.T), spline.scale, real)

    def test_orders_and_modes(self):
        for real in REALS:
            for order in range(8):
                for mode in MODES:
                    with self.subTest(real=real, order=order, mode=mode):
                        self.check((8, 5), order, mode, real)

    def test_directions(self):
        for real in REALS:
            self.check((7,), 3, 'mirror', real)
            self.check((1,), 3, 'reflect', real)
            self.check((2, 1), 2, 'nearest', real)
            self.check((4, 5, 6), 3, 'mirror', real)
        self.check((5, 1, 2), 2, 'grid-wrap', np.float32)

    def test_mode_of_each_direction(self):
        image = self.rng.random((6, 7)).astype(np.float32)
        found = clspline.Image(image, mode=('constant', 'mirror'), cval=5)
        values = found.at([[-0.5, 2], [2, -0.5], [2, 0.5]])
        self.assertEqual(values[0], 5)
        self.assertAlmostEqual(values[1], values[2], 5)
        self.assertEqual(found.mode, ('constant', 'mirror'))

    def test_affine(self):
        rows, offset, size = [[0.75, -0.25], [0.5, 0.625]], [1.25, -0.5], (9, 12)
        for real in REALS:
            image = self.rng.random((8, 7)).astype(real)
            spline = Spline(image, 3, 'mirror')
            found = clspline.Image(image)
            exact = spline.at(affine(rows, offset, size))
            self.near(found.affine(rows, offset, size), exact, spline.scale, real)
            whole = np.column_stack((rows, offset))
            np.testing.assert_array_equal(found.affine(whole, output_shape=size),
                                          found.affine(rows, offset, size))
            self.near(found.affine(np.ones(2)), image, spline.scale, real)
            zero = found.affine(np.zeros((2, 2)), output_shape=(3, 3))
            self.near(zero, np.full((3, 3), image[0, 0]), spline.scale, real)

    def test_displace(self):
        for real in REALS:
            image = self.rng.random((8, 7)).astype(real)
            spline = Spline(image, 3, 'mirror')
            found = clspline.Image(image)
            field = np.round(self.rng.random((5, 6, 2)) * 64).astype(real) / 32 - 1
            places = np.moveaxis(np.indices((5, 6)), 0, -1) + field.astype(float)
            exact = spline.at(np.moveaxis(places, -1, 0))
            self.near(found.displace(field), exact, spline.scale, real)
            planes = np.ascontiguousarray(np.moveaxis(field, -1, 0))
            np.testing.assert_array_equal(found.displace(np.moveaxis(planes, 0, -1)),
                                          found.displace(field))
            moved = found.displace(field, [0.5, 0.5], 1.0)
            exact = spline.at(affine(np.eye(2) / 2, [1, 1], (5, 6)) + planes.astype(np.longdouble))
            self.near(moved, exact, spline.scale, real)
            self.near(found.affine([1, 1]), image, spline.scale, real)  # without it again
        line = clspline.Image(np.arange(9.0, dtype=np.float32), 1, 'nearest')
        self.assertEqual(line.displace(np.full(3, 0.5, np.float32)).tolist(), [0.5, 1.5, 2.5])

    def test_gradient(self):
        for real in REALS:
            image = self.rng.random((8, 7)).astype(real)
            spline = Spline(image, 3, 'mirror')
            found = clspline.Image(image)
            x = (self.rng.random((3, 4, 2)) * 6).astype(real)
            both = found.at(x, gradient=True)
            self.assertEqual(both.shape, (3, 4, 3))
            planes = np.moveaxis(x, -1, 0)
            self.near(both[..., 0], spline.at(planes), spline.scale, real)
            for d in range(2):
                self.near(both[..., 1 + d], spline.at(planes, d), spline.scale, real, 16)
            np.testing.assert_array_equal(found.at(x, gradient='only'), both[..., 1:])
        whole = clspline.Image(np.arange(9, dtype=np.uint8), 1, 'nearest')
        self.assertEqual(whole.at([0.5, 1.25]).tolist(), [1, 1])
        self.assertEqual(whole.at([0.5, 1.25], gradient=True).tolist(), [[0.5, 1], [1.25, 1]])
        self.assertEqual(whole.at([0.5, 1.25], dtype=np.float32).tolist(), [0.5, 1.25])

    def test_batch_and_channels(self):
        stack = self.rng.random((2, 3, 6, 5, 4)).astype(np.float32)  # the last axis: channels
        whole = clspline.Image(stack, channels='last')
        self.assertEqual((whole.batch, whole.size, whole.channels, whole.num_images),
                         ((2, 3), (6, 5), 4, 6))
        first = clspline.Image(np.moveaxis(stack, -1, 2), channels='first')
        self.assertEqual((first.batch, first.size, first.channels), ((2, 3), (6, 5), 4))
        matrix = [[0.5, 0.1], [0, 0.75]]
        found = whole.affine(matrix, output_shape=(7, 9))
        planes = first.affine(matrix, output_shape=(7, 9))
        self.assertEqual((found.shape, planes.shape), ((2, 3, 7, 9, 4), (2, 3, 4, 7, 9)))
        np.testing.assert_allclose(np.moveaxis(planes, 2, -1), found, atol=1e-6)
        one = clspline.Image(stack[1, 2, ..., 3])
        np.testing.assert_allclose(one.affine(matrix, output_shape=(7, 9)), found[1, 2, ..., 3],
                                   atol=1e-6)
        self.assertEqual(whole.affine(matrix, gradient=True).shape, (2, 3, 6, 5, 4, 3))
        np.testing.assert_array_equal(whole.affine(matrix, (0, 0), (7, 9), images=slice(1, 3)),
                                      found.reshape(6, 7, 9, 4)[1:3])
        np.testing.assert_array_equal(whole.affine(matrix, output_shape=(7, 9), images=-1),
                                      found[-1, -1])
        self.assertEqual(whole.at(np.zeros((8, 2)), images=slice(2, 2)).shape, (0, 8, 4))
        self.assertEqual(whole.at(np.zeros((0, 2))).shape, (2, 3, 0, 4))
        self.assertEqual(whole.displace(np.zeros((0, 5, 2))).shape, (2, 3, 0, 5, 4))
        self.assertEqual(whole.affine(matrix, output_shape=(0, 2)).shape, (2, 3, 0, 2, 4))
        self.assertEqual(clspline.Image(np.zeros((0, 4, 4), np.float32)).affine([1, 1]).shape,
                         (0, 4, 4))

    def test_coefficients(self):
        for real in REALS:
            image = self.rng.random((6, 7)).astype(real)
            exact = coefficients(image, 3, 'mirror')
            found = clspline.Image(image)
            self.near(found.coefficients(), exact, float(np.abs(exact).max()), real)
            out = np.empty((6, 7), real)
            self.assertIs(found.coefficients(out=out), out)
        nearest = clspline.Image(np.zeros((2, 6, 7, 3), np.uint8), mode='nearest', channels='last')
        self.assertEqual(nearest.coefficients().shape, (2, 3, 30, 31))
        self.assertEqual(nearest.coefficients(images=0).shape, (3, 30, 31))
        again = clspline.Image(exact.astype(REALS[-1]), prefilter=False)
        np.testing.assert_allclose(again.affine([1, 1]), image, atol=1e-5)

    def test_prefilters(self):
        image = self.rng.random((40, 41)).astype(np.float32)
        exact = clspline.Image(image).affine([1, 1], 0.5)
        for prefilter in ('recursive', 'least-squares', 'truncated'):
            found = clspline.Image(image, prefilter=prefilter).affine([1, 1], 0.5)
            np.testing.assert_allclose(found, exact, atol=1e-5)
        few = clspline.Image(image, prefilter='least-squares', taps=9).affine([1, 1], 0.5)
        self.assertTrue(1e-5 < np.abs(few - exact).max() < 0.1)

    def test_fetch(self):
        image = self.rng.random((20, 21)).astype(np.float32)
        turn = dict(matrix=[0.75, 1.25], offset=0.5)
        want = clspline.Image(image).affine(**turn)
        np.testing.assert_array_equal(clspline.Image(image, fetch='buffers').affine(**turn), want)
        for fetch in ('texels', 'lerps'):
            found = clspline.Image(image, fetch=fetch)
            self.assertEqual(pickle.loads(pickle.dumps(found))._options[-1], fetch)
            if found.context.device.kind == 'host':
                self.refused(clspline.ArgumentError, 'image objects', found.affine, **turn)
            else:
                np.testing.assert_allclose(found.affine(**turn), want, atol=0.05)

    def test_clip(self):
        image = np.zeros((9, 9), np.float32)
        image[4:] = 1
        self.assertGreater(clspline.Image(image).affine([0.5, 0.5], output_shape=(17, 17)).max(), 1)
        found = clspline.Image(image, clip=True).affine([0.5, 0.5], output_shape=(17, 17))
        self.assertEqual((found.min(), found.max()), (0, 1))

    def test_types(self):
        values = self.rng.random((6, 7)) * 200
        for kind in ('u1', 'u2', 'i2', 'f2', 'f4') + ('f8', 'i8', 'u4', 'i1', '?') * HAS_FP64:
            image = clspline.Image(values.astype(kind))
            known = kind in ('u1', 'u2', 'i2', 'f2', 'f4', 'f8')
            self.assertEqual(image.dtype, np.dtype(kind) if known else image.precision)
            self.assertEqual(image.precision, np.float32 if kind in ('u1', 'i1', 'f2', 'f4') or
                             not HAS_FP64 else np.float64)
            found = image.affine([1, 1])
            self.assertEqual(found.dtype, image.dtype)
            np.testing.assert_allclose(found, values.astype(kind).astype(float),
                                       atol=0.2 if kind == 'f2' else 1e-3)
        self.assertEqual(clspline.Image(values.tolist(), precision='f4').dtype, np.float32)
        halves = clspline.Image(np.uint8([0, 1, 2, 3]), 1)
        self.assertEqual(halves.at([0.5, 1.5, 2.5]).tolist(), [1, 2, 3])

    def test_samples(self):
        image = self.rng.random((6, 7)).astype(np.float32)
        found = clspline.Image(image)
        before = found.affine([1, 1], 0.5)
        image[:] = 0  # not the object's
        np.testing.assert_array_equal(found.affine([1, 1], 0.5), before)
        self.assertFalse(found.samples.flags.writeable)
        found.samples = found.samples * 2
        np.testing.assert_allclose(found.affine([1, 1], 0.5), 2 * before, rtol=1e-5)
        np.testing.assert_allclose(found.affine([1, 1], 0.5, dtype=np.float16), 2 * before,
                                   atol=2e-3)
        with self.assertRaisesRegex(ValueError, '^samples'):
            found.samples = np.zeros((7, 6))

    def test_outputs(self):
        found = clspline.Image(self.rng.random((6, 7)).astype(np.float32))
        expected = found.affine([1, 1], 0.5)
        for dtype in (np.float32, np.float16):
            out = np.empty((6, 7), dtype)
            self.assertIs(found.affine([1, 1], 0.5, out=out), out)
            np.testing.assert_array_equal(out, expected.astype(dtype))
        for k in range(8):  # more types than plans are kept
            found.affine([1, 1], dtype=('u1', 'u2', 'i2', 'f2', 'f4')[k % 5])

    def test_share(self):
        found = clspline.Image(self.rng.random((200, 210)).astype(np.float32))
        expected = found.affine([1, 1], 0.5)
        for name in ('auto', 'dynamic', 'host', 'device'):
            share = clspline.Share(name)
            np.testing.assert_allclose(found.affine([1, 1], 0.5, share=share), expected, atol=1e-5)
            self.assertIsInstance(share.report, clspline.Report)

    def test_pickle_and_repr(self):
        found = clspline.Image(self.rng.random((2, 6, 7, 3)).astype(np.float32), 2, 'reflect',
                               channels='last', clip=True, cval=3)
        again = pickle.loads(pickle.dumps(found))
        self.assertIs(again.context, found.context)
        np.testing.assert_array_equal(again.affine([1, 1], 0.25), found.affine([1, 1], 0.25))
        self.assertIn('6x7, 3 channels of order 2, 2 of float32', repr(found))

    def test_threads(self):
        found = clspline.Image(self.rng.random((30, 40)).astype(np.float32))
        expected = [found.affine([1, 1], k / 8) for k in range(6)]
        errors = []

        def work(k):
            try:
                for _ in range(30):
                    np.testing.assert_array_equal(found.affine([1, 1], k / 8), expected[k])
            except BaseException as error:  # to be raised by the thread that looks
                errors.append(error)
        threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(errors, [])

    @unittest.skipUnless(HAS_PYOPENCL, 'no PyOpenCL')
    def test_pyopencl(self):
        need_opencl()
        import pyopencl
        import pyopencl.array
        name = clspline.current().device.name
        found = [device for platform in pyopencl.get_platforms()
                 for device in platform.get_devices() if device.name.strip() == name]
        if not found:
            self.skipTest(f'PyOpenCL does not see {name}')
        cl_context = pyopencl.Context(found[:1])  # Intel's does not live as long as its queue
        queue = pyopencl.CommandQueue(cl_context)
        context = clspline.Context(queue=queue)
        image = self.rng.random((6, 7)).astype(np.float32)
        expected = clspline.Image(image)
        on_device = pyopencl.array.to_device(queue, image)
        found = clspline.Image(on_device, context=context)
        out = pyopencl.array.empty(queue, (6, 7), np.float32)
        self.assertIs(found.affine([1, 1], 0.5, out=out), out)
        on_device.fill(0)  # it has a copy
        np.testing.assert_allclose(out.get(), expected.affine([1, 1], 0.5), atol=1e-6)
        np.testing.assert_allclose(found.affine([1, 1], 0.5, dtype=np.float16),
                                   expected.affine([1, 1], 0.5), atol=1e-3)
        x = (self.rng.random((9, 2)) * 5).astype(np.float32)
        given = pyopencl.array.to_device(queue, x)
        event = pyopencl.enqueue_marker(queue)
        np.testing.assert_allclose(found.at(given, wait_for=[event]), expected.at(x), atol=1e-6)
        planes = (self.rng.random((2, 6, 7))).astype(np.float32)
        field = pyopencl.array.to_device(queue, planes).transpose((1, 2, 0))
        np.testing.assert_allclose(found.displace(field),
                                   expected.displace(np.moveaxis(planes, 0, -1)), atol=1e-6)
        taken = pyopencl.array.empty(queue, (6, 7), np.float32)
        found.coefficients(out=taken)
        np.testing.assert_allclose(taken.get(), expected.coefficients(), atol=1e-5)
        for _ in range(20):  # what events of the copy lie in is in use until the load is enqueued
            found.samples = on_device
            found.affine([1, 1], 0.5, out=out)
        self.assertEqual(np.abs(out.get()).max(), 0)
        found.samples = taken
        self.assertEqual(pickle.loads(pickle.dumps(found)).size, (6, 7))
        for error, words, call in (
                (TypeError, '^coordinates: dtype', lambda: found.at(given.astype(np.float64))),
                (TypeError, '^out: int32', lambda: found.affine([1, 1], out=out.astype(np.int32))),
                (ValueError, '^out: shape', lambda: found.affine([1, 1], out=given)),
                (ValueError, '^field: on a device .* shape .2, 6, 7.', lambda: found.displace(
                    pyopencl.array.to_device(queue, np.zeros((6, 7, 2), np.float32)))),
                (TypeError, '^samples', lambda: clspline.Image(out.astype(np.int64),
                                                               context=context))):
            with self.assertRaisesRegex(error, words):
                call()


class Refused(unittest.TestCase):
    def setUp(self):
        self.image = clspline.Image(np.zeros((4, 5), np.float32))

    def refused(self, error, words, call, *args, **named):
        with self.assertRaisesRegex(error, words):
            call(*args, **named)

    def test_directions(self):
        """Who took samples of three axes for a volume is told that they are images."""
        images = clspline.Image(np.zeros((6, 4, 5), np.float32))
        hint = '6 images of 2 .*directions=3'
        for call, args in ((images.displace, [np.zeros((6, 4, 5, 3))]), (images.at, [[1, 1, 1]]),
                           (images.affine, [[1, 1, 2]]), (images.affine, [[1, 1], 0, (6, 4, 5)])):
            self.refused(ValueError, hint, call, *args)
        self.refused(ValueError, hint, clspline.Image, np.zeros((6, 4, 5)), mode=('mirror',) * 3)
        for image, points in (self.image, [1, 1, 1]), (images, [1, 1, 1, 1]), (images, 1):
            self.refused(ValueError, r'shape \(\.\.\., 2\), not \(\d?,?\)$', image.at, points)

    def test_samples(self):
        for value, error, words in (
                (np.ma.zeros((3, 3)), TypeError, 'masked'),
                (np.zeros((3, 3), object), TypeError, ''),
                (np.zeros((3, 3), complex), TypeError, 'complex'), (1.0, ValueError, 'directions'),
                (np.zeros((3, 0)), ValueError, 'empty'), ([['a']], TypeError, ''),
                ([[1, 2], [3]], (TypeError, ValueError), '')):
            self.refused(error, words, clspline.Image, value)
        image = np.zeros((4, 5, 3), np.float32)
        for error, words, named in (
                (ValueError, '^order', {'order': 8}), (TypeError, '^order', {'order': 2.5}),
                (ValueError, '^mode', {'mode': 'edge'}),
                (ValueError, '^mode', {'mode': ('mirror',) * 3}),
                (ValueError, '^channels', {'channels': 2}),
                (ValueError, '^directions', {'directions': 4}),
                (TypeError, '^directions', {'directions': '2'}),
                (TypeError, '^taps', {'taps': '9'}), (ValueError, '^taps', {'taps': -1}),
                (ValueError, '^mode', {'mode': None}),
                (ValueError, '^cval', {'cval': 10 ** 400}),
                (ValueError, '^samples', {'directions': 3, 'channels': 'last'}),
                (ValueError, '^prefilter', {'prefilter': 'all'}),
                (ValueError, '^prefilter', {'prefilter': 3}),
                (ValueError, '^fetch', {'fetch': 'bytes'}),
                (TypeError, '^precision', {'precision': 'f2'}),
                (TypeError, '^context', {'context': 1}),
                (TypeError, '^cval', {'cval': 1j}), (TypeError, '^cval', {'cval': 'x'})):
            self.refused(error, words, clspline.Image, image, **named)
        self.refused(clspline.ArgumentError, 'channels', clspline.Image(
            np.zeros((4, 5, 17), np.float32), channels='last').affine, [1, 1])
        self.refused(clspline.ArgumentError, 'taps', clspline.Image(
            image, prefilter='truncated', taps=4).affine, [1, 1])

    def test_outputs(self):
        read_only = np.zeros((4, 5), np.float32)
        read_only.flags.writeable = False
        for out, error, words in (
                (read_only, ValueError, 'read-only'),
                (np.zeros((5, 4), np.float32), ValueError, ''),
                (np.zeros((4, 10), np.float32)[:, ::2], ValueError, 'C order'),
                (np.zeros((4, 5), np.float64), TypeError, 'float64'),
                (np.zeros((4, 5), np.int32), TypeError, 'int32'),
                (np.zeros((4, 5), '>f4'), TypeError, '>f4'), ([0.0], TypeError, ''),
                (np.ma.zeros((4, 5), np.float32), TypeError, 'masked')):
            self.refused(error, '^out.*' + words, self.image.affine, [1, 1], out=out)
        x = np.zeros((4, 5, 2), np.float32)
        self.refused(ValueError, '^out: overlaps coordinates', self.image.at, x,
                     out=x.reshape(-1)[:20].reshape(4, 5))
        self.refused(ValueError, '^out: shape', self.image.coefficients, out=x)
        self.refused(TypeError, '^dtype', self.image.affine, [1, 1], dtype=np.int64)
        self.refused(TypeError, '^dtype', self.image.affine, [1, 1], dtype='no such')
        self.refused(clspline.ArgumentError, 'gradient', self.image.affine, [1, 1], gradient=True,
                     dtype=np.uint8)

    def test_arguments(self):
        image = self.image
        self.refused(ValueError, '^gradient', image.affine, [1, 1], gradient='all')
        self.refused(ValueError, '^matrix', image.affine, np.eye(4))
        self.refused(ValueError, 'matrix.*finite', image.affine, [np.nan, 1])
        self.refused(ValueError, '^offset', image.affine, [1, 1], [1, 2, 3])
        self.refused(ValueError, '^output_shape', image.affine, [1, 1], output_shape=(3,))
        self.refused(TypeError, '^output_shape', image.affine, [1, 1], output_shape=3)
        self.refused(ValueError, '^coordinates', image.at, np.zeros((4, 3)))
        self.refused(ValueError, '^coordinates', image.at, 1.0)
        self.refused(TypeError, '^coordinates', image.at, [[1j, 2]])
        self.refused(ValueError, '^field', image.displace, np.zeros((4, 2)))
        self.refused(ValueError, '^field', image.displace, np.zeros((2, 4, 5)))
        self.refused(IndexError, '^images', image.affine, [1, 1], images=1)
        self.refused(ValueError, '^images', image.affine, [1, 1], images=slice(None, None, 2))
        self.refused(TypeError, '^images', image.affine, [1, 1], images='all')
        self.refused(ValueError, 'schedule', image.affine, [1, 1], share='all')

    @needs_fp64
    def test_not_finite(self):
        image = clspline.Image(np.arange(20.0).reshape(4, 5), cval=-1)
        self.assertEqual(image.at([[np.nan, 1], [np.inf, 1]]).tolist(), [-1, -1])

    def test_contexts(self):
        with clspline.Context(limits='fp64=0') as context:
            with self.assertRaises(clspline.NoFloat64Error):
                clspline.Image(np.zeros((3, 3)), context=context).affine([1, 1])
            image = clspline.Image(np.ones((3, 3), int), context=context)
            self.assertEqual((image.precision, image.affine([1, 1]).shape), (np.float32, (3, 3)))
        for call in (lambda: image.affine([1, 1]), lambda: image.at([1, 1]), image.coefficients):
            self.refused(clspline.StateError, 'closed', call)


if __name__ == '__main__':
    unittest.main()
