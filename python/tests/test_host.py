"""The host as a device: all that it computes, what it refuses, and that it needs no OpenCL."""
import os
import pathlib
import pickle
import re
import subprocess
import sys
import tempfile
import types
import unittest

import numpy as np

import clspline
from clspline import ndimage
from common import DEVICES, clamped

# None are narrowed by CLSPLINE_LIMITS, which may make a GPU of the CPU's device
NO_LIMITS = ''
CUBE = np.array([[x, y, z] for z in (0, 1) for y in (0, 1) for x in (0, 1)], np.float32)
CELLS = [[0, 1, 3, 2, 4, 5, 7, 6]]


def bezier(random):
    patches = clspline.Bezier(random.uniform(.5, 1.5, (7, 4, 5, 4)), 'surface', True)
    yield 'grid', patches.evaluate((24, 35), ('point', 'normal', 'curvature'))
    yield 'list', patches.at(random.random((99, 2)), 3, ('point', 'du'))
    yield 'mesh', clspline.Bezier(random.random((4, 4, 4, 3))).mesh(9, watertight=True).vertices
    plain = clspline.Bezier(random.random((3, 4, 4, 3)))
    yield 'places', plain.project(random.random((9, 3))).param
    yield 'picture', np.frombuffer(patches.png((64, 48)), np.uint8)


def bspline(random):
    curves = clspline.BSpline(clamped(20, 3), random.random((5, 20, 3)), 3)
    yield 'grid', curves.evaluate(99, ('point', 'du'))
    yield 'list', curves(random.random((5, 9)).ravel())
    yield 'places', curves.project(random.random((50, 3))).param
    yield 'knots', curves.insert_knots([.1, .7]).elevate(1).derivative().control
    yield 'half', curves.evaluate(99, dtype=np.float16)
    yield 'shared', curves.evaluate(999, share='dynamic')


def image(random):
    one = clspline.Image(random.random((2, 90, 101), np.float32))
    yield 'affine', one.affine([[.5, .1], [-.1, .4]], gradient=True)
    yield 'list', one.at(random.random((99, 2)) * 90)
    yield 'displace', one.displace(random.random((90, 101, 2)))
    yield 'coefficients', one.coefficients()
    yield 'rotate', ndimage.rotate(random.random((64, 65)), 30, mode='mirror')
    yield 'filter', ndimage.spline_filter(random.random((20, 21, 22)), 5)


def solid(random):
    one = clspline.Solid(CUBE + random.random((8, 3), np.float32) / 4, CELLS, creases=30)
    yield 'points', one.refine_points()
    one = one.refine(2)
    at = one.at(np.arange(64), random.random((64, 3)))
    yield 'grid', one.evaluate(5, ('point', 'du', 'jacobian'))
    yield 'list', at
    yield 'places', one.locate(at).params
    yield 'limits', one.limits('middles')
    yield 'weights', one.weights(0, [.1, .2, .3])[1]
    yield 'mesh', one.mesh(4, ('point', 'normal')).vertices


class Results(unittest.TestCase):
    def of(self, word, family):
        with clspline.Context(word, limits=NO_LIMITS) as context, clspline.use(context):
            return dict(family(np.random.default_rng(1)))

    def test_there_are_all(self):
        for family in bezier, bspline, image, solid:
            for name, values in self.of('host', family).items():
                with self.subTest(family.__name__, job=name):
                    self.assertGreater(values.size, 0)

    @unittest.skipUnless(any(device.kind == 'cpu' for device in DEVICES), 'no OpenCL on the CPU')
    def test_bits_are_those_of_a_cpu(self):
        for family in bezier, bspline, image, solid:
            for (name, here), there in zip(self.of('host', family).items(),
                                           self.of('cpu', family).values()):
                with self.subTest(family.__name__, job=name):
                    self.assertEqual(here.tobytes(), there.tobytes())


class Array:
    """What calls look at of an array of PyOpenCL, which may not be installed."""

    offset, queue, events = 0, None, ()

    def __init__(self, *shape, dtype=np.float32):
        self.base_data = types.SimpleNamespace(int_ptr=id(self))
        self.shape, self.dtype = shape, np.dtype(dtype)
        like = np.empty(shape, dtype)
        self.ndim, self.size, self.nbytes, self.flags = (like.ndim, like.size, like.nbytes,
                                                         like.flags)

    def copy(self, _queue=None):
        return self


class Event:
    int_ptr = 64


class Contexts(unittest.TestCase):
    def setUp(self):
        self.context = clspline.Context('host', limits=NO_LIMITS)
        self.line = clspline.Bezier(np.float32([[0, 0], [1, 1]]), 'curve', context=self.context)

    def tearDown(self):
        self.context.close()

    def test_device(self):
        host = DEVICES[-1]
        self.assertEqual((host.kind, host.platform, host.opencl_version), ('host', 'host', 0))
        self.assertTrue(host.fp64)
        for word in (host, 'host', 'HOST', host.index, self.context.device):
            with clspline.Context(word, limits=NO_LIMITS) as context:
                self.assertEqual(context.device.name, host.name)
                self.assertEqual(context.device.kind, 'host')
        with clspline.use(self.context):
            self.assertIs(clspline.Bezier(CUBE[:2], 'curve').context, self.context)

    def test_calls(self):
        self.assertEqual(self.line.evaluate(3).tolist(), [[0, 0], [.5, .5], [1, 1]])
        self.context.finish()
        memory = self.context.empty((2, 2))
        self.assertIs(self.line.evaluate(2, out=memory, wait_for=[]), memory)
        share = clspline.Share('auto', measure=True)
        self.line.evaluate(5, share=share)
        tiles = {each.name: each.tiles for each in share.report.processors}
        self.assertEqual(tiles['host'], share.report.num_tiles)

    def test_join(self):
        with clspline.Context(':' if len(DEVICES) > 1 else 'host', limits=NO_LIMITS) as other:
            other.join(self.context)
            patches = clspline.Bezier(np.random.default_rng(0).random((50, 4, 4, 3)),
                                      context=other)
            np.testing.assert_allclose(patches.evaluate(30, share='dynamic'), patches.evaluate(30),
                                       atol=1e-14)

    def test_pickles(self):
        with clspline.use(self.context):
            self.assertIs(pickle.loads(pickle.dumps(self.context)), self.context)
        again = pickle.dumps(self.line)
        self.assertNotIn(DEVICES[-1].name.encode(), again)  # any machine's host will do
        if 'class=' not in os.environ.get('CLSPLINE_LIMITS', ''):
            self.assertEqual(pickle.loads(again).context.device.kind, 'host')

    def test_arrays_and_events_are_refused(self):
        line, words = self.line, 'host takes no arrays and events of PyOpenCL.*queue=queue'
        samples = clspline.Image(np.zeros((4, 5)), context=self.context)
        cube = clspline.Solid(CUBE, CELLS, context=self.context)
        for call in (
                lambda: line.evaluate(3, out=Array(3, 2)), lambda: line.at(Array(4)),
                lambda: line.at(Array(4), out=Array(4, 2)),
                lambda: line.at([.5], Array(1, dtype=np.uint32)),
                lambda: line.evaluate(3, wait_for=[Event()]),
                lambda: line.at(.5, wait_for=[Event()]),
                lambda: clspline.Bezier(Array(4, 4, 3), context=self.context).evaluate(3),
                lambda: clspline.BSpline(None, Array(9, 3), 3, context=self.context)(.5),
                lambda: clspline.Image(Array(4, 5), context=self.context).affine([1, 1]),
                lambda: samples.affine([1, 1], out=Array(4, 5, dtype=np.float64)),
                lambda: samples.at([[1, 1]], wait_for=[Event()]),
                lambda: samples.coefficients(out=Array(4, 5, dtype=np.float64)),
                lambda: cube.evaluate(2, out=Array(1, 2, 2, 2, 3)),
                lambda: cube.refine_points(wait_for=[Event()])):
            with self.assertRaisesRegex(clspline.ArgumentError, words):
                call()
        self.assertEqual(line.evaluate(3).shape, (3, 2))

    def test_kernels_are_refused(self):
        curve = clspline.BSpline(None, CUBE, 3, context=self.context)
        with self.assertRaisesRegex(clspline.ArgumentError,
                                    'host has no kernels|without the published methods'):
            curve.project([0, 0, 0], method='mrep')
        self.assertEqual(curve.project([0, 0, 0]).index, 0)


def is_linked():
    """Whether OpenCL comes with the library, as by the build option opencl=linked."""
    program = "import clspline; print(open('/proc/self/maps').read())"
    return 'libOpenCL' in subprocess.run([sys.executable, '-c', program], text=True, check=True,
                                         stdout=subprocess.PIPE).stdout


HAS_MAPS = os.path.exists('/proc/self/maps')
IS_LINKED = HAS_MAPS and is_linked()


class Alone(unittest.TestCase):
    """Programs of their own, which OpenCL has not been opened in, or on a machine without it."""

    def run_it(self, *arguments, **environment):
        inherited = {name: value for name, value in os.environ.items()
                     if name not in ('CLSPLINE_DEVICE', 'CLSPLINE_LIMITS')}
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([sys.executable, *arguments], cwd=folder, timeout=60, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  env=dict(inherited, **environment))
            sizes = {path.name: path.stat().st_size for path in pathlib.Path(folder).iterdir()}
        return done, sizes

    @unittest.skipUnless(HAS_MAPS, 'no /proc')
    @unittest.skipIf(IS_LINKED, 'the library links OpenCL')
    def test_opencl_is_not_opened(self):
        done, _ = self.run_it('-c', '''if 1:
            import pickle
            import clspline
            with clspline.use('host'):
                line = clspline.Bezier([[0.0, 0], [1, 1]], 'curve')
                pickle.loads(pickle.dumps(line)).evaluate(3)
            pickle.loads(pickle.dumps(line)).evaluate(3)
            with open('/proc/self/maps', encoding='utf-8') as file:
                print('libOpenCL' in file.read())
        ''')
        self.assertEqual((done.stdout, done.stderr), ('False\n', ''))

    def without_opencl(self):
        """What makes a machine without devices of this one, and one without a loader."""
        yield {'OCL_ICD_VENDORS': '/nonexistent', 'OCL_ICD_FILENAMES': ''}
        if IS_LINKED:
            return
        with tempfile.TemporaryDirectory() as folder:
            for name in ('libOpenCL.so.1', 'libOpenCL.so'):
                pathlib.Path(folder, name).touch()  # found first, and no library
            before = os.environ.get('LD_LIBRARY_PATH')
            yield {'LD_LIBRARY_PATH': folder + (':' + before if before else '')}

    @unittest.skipUnless(sys.platform == 'linux', 'these variables are of Linux')
    def test_command(self):
        for environment in self.without_opencl():
            with self.subTest(environment):
                done, sizes = self.run_it('-m', 'clspline', **environment)
                self.assertEqual((done.returncode, done.stderr), (0, ''))
                self.assertGreater(sizes['teapot.png'], 10000)
                self.assertEqual(len(re.findall('  host  ', done.stdout)), 2, done.stdout)
                self.assertRegex(done.stdout, '(?m)^0  ')
                done, _ = self.run_it('-m', 'clspline', '--device', 'gpu', **environment)
                self.assertEqual(done.returncode, 1)
                self.assertRegex(done.stderr, 'no OpenCL device .*: install an OpenCL driver')

    @unittest.skipUnless(sys.platform == 'linux', 'these variables are of Linux')
    def test_default(self):
        for environment in self.without_opencl():
            with self.subTest(environment):
                done, _ = self.run_it('-c', '''if 1:
                    import clspline
                    print([device.kind for device in clspline.devices()])
                    print(clspline.current().device.kind)
                ''', **environment)
                self.assertEqual((done.stdout, done.stderr), ("['host']\nhost\n", ''))


if __name__ == '__main__':
    unittest.main()
