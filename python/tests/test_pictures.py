"""Pictures of objects, in notebooks, by matplotlib and PyVista, and ``python -m clspline``."""
import base64
import importlib.util
import io
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import types
import unittest
import zlib

import numpy as np

import clspline
from common import DEVICES
from clspline import __main__ as command
from clspline import _pictures as pictures


CUBE = np.array([[x, y, z] for z in (0, 1) for y in (0, 1) for x in (0, 1)], np.float32)
CELLS = [[0, 1, 3, 2, 4, 5, 7, 6]]
RANDOM = np.random.default_rng(11)
BUMP = np.stack([*np.meshgrid(np.arange(4.0), np.arange(4.0), indexing='ij'),
                 RANDOM.random((4, 4))], axis=-1).astype(np.float32)


def random(*shape):
    return RANDOM.random(shape, np.float32)


def needs(module):
    return unittest.skipUnless(importlib.util.find_spec(module), f'no {module}')


def pixels(png):
    """The image of a PNG file such as the package writes, [height, width, 4]."""
    assert png[:8] == b'\x89PNG\r\n\x1a\n'
    at, data, size = 8, b'', None
    while at < len(png):
        length, kind = struct.unpack('>I4s', png[at:at + 8])
        body = png[at + 8:at + 8 + length]
        assert struct.unpack('>I', png[at + 8 + length:at + 12 + length])[0] == \
            zlib.crc32(kind + body)
        if kind == b'IHDR':
            size = struct.unpack('>II', body[:8])
        elif kind == b'IDAT':
            data += body
        at += 12 + length
    width, height = size
    rows = np.frombuffer(zlib.decompress(data), np.uint8).reshape(height, 1 + 4 * width)
    assert (rows[:, 0] == 0).all()
    return rows[:, 1:].reshape(height, width, 4)


def solid(**named):
    return clspline.Solid(CUBE, CELLS, **named)


def image(samples, size, dtype=float):
    """What has a picture as an Image has."""
    samples = np.asarray(samples, dtype)
    return types.SimpleNamespace(
        samples=samples, size=size, batch=samples.shape[:0], directions=len(size),
        dtype=np.dtype(dtype), context=clspline.current())


class Drawn(unittest.TestCase):
    def covered(self, item, **named):
        found = pixels(item.png((120, 90), **named))
        self.assertEqual(found.shape, (90, 120, 4))
        return found[..., 3] / 255

    def test_square(self):
        # What is covered is a square of 0.92 of the height, as seen from above
        square = clspline.Bezier(np.float32([[[0, 0], [0, 1]], [[1, 0], [1, 1]]]), 'surface')
        covered = self.covered(square)
        self.assertAlmostEqual(covered.sum(), (0.92 * 90) ** 2, delta=2 * 83)
        self.assertTrue((covered[10:80, 25:95] == 1).all())

    def test_volume_from_above(self):
        net = np.stack(np.meshgrid(*[[0., 1.]] * 3, indexing='ij'), axis=-1).astype(np.float32)
        covered = self.covered(clspline.Bezier(net, 'volume'), elevation=90.0, azimuth=-90.0)
        self.assertAlmostEqual(covered.sum(), (0.92 * 90) ** 2, delta=2 * 83)

    def test_solid_from_each_side(self):
        box = solid(creases=30)
        for up in 'xyz':
            covered = self.covered(box, elevation=90.0, azimuth=-90.0, up=up)
            self.assertAlmostEqual(covered.sum(), (0.92 * 90) ** 2, delta=2 * 83)

    def test_nearest_is_in_front(self):
        # Two squares, one above the other and turned away from the light
        low = np.float32([[[0, 0, 0], [0, 1, 0]], [[1, 0, 0], [1, 1, 0]]])
        high = np.float32([[[.25, .25, 1], [.25, .75, 1]], [[.75, .25, 1.5], [.75, .75, 1.5]]])
        for order in ((low, high), (high, low)):
            found = pixels(clspline.Bezier(np.array(order)).png((100, 100), elevation=90,
                                                                azimuth=-90))
            self.assertFalse((found[50, 50] == found[15, 15]).all())
        one = pixels(clspline.Bezier(np.array((low, high))).png((100, 100), elevation=90))
        other = pixels(clspline.Bezier(np.array((high, low))).png((100, 100), elevation=90))
        np.testing.assert_array_equal(one, other)

    def test_curve(self):
        line = clspline.Bezier(np.float32([[0, 0.5], [1, 0.5]]), 'curve')
        covered = self.covered(line)
        self.assertTrue((covered[44:46, 10:110] > 0).any(axis=0).all())
        self.assertEqual(covered[:35].sum(), 0)

    def test_all_families(self):
        knots = [0.0, 0, 0, 0.5, 1, 1, 1]
        items = [
            clspline.Bezier(random(3, 4, dim), 'curve') for dim in (1, 2, 3, 4)] + [
            clspline.Bezier(random(2, 4, 4, dim), 'surface') for dim in (1, 2, 3, 4)] + [
            clspline.Bezier(random(10, 3), 'triangle'),
            clspline.Bezier(np.dstack([BUMP, np.ones((4, 4), np.float32)]), rational=True),
            clspline.Bezier(random(3, 3, 3, 2), 'volume'),
            clspline.BSpline(knots, random(4, 3), 2),
            clspline.BSpline(knots, random(4, 1), 2),
            clspline.BSpline((knots, knots), random(4, 4, 3), 2),
            clspline.BSpline((knots,) * 3, np.moveaxis(np.indices((4, 4, 4)), 0, -1), 2),
            solid(), solid(creases=30, sharpness=1.5),
            clspline.Solid(CUBE[:, :2], CELLS),
            clspline.Solid(np.hstack([CUBE, CUBE[:, :1], CUBE]), CELLS),
            clspline.Solid(CUBE[[0, 1, 2, 4]], [[0, 1, 2, 3]], 'tetra')]
        for item in items:
            with self.subTest(repr(item)):
                text = item._repr_html_()
                found = pixels(base64.b64decode(re.search('base64,([^"]*)', text)[1]))
                self.assertGreater((found[..., 3] > 0).sum(), 100)
                self.assertIn(repr(item).strip('<>'), text)
                self.assertIn(item.context.device.name, text)
                self.assertIn('data:image/png;base64,', text)
                self.assertFalse('<em>' in text)

    def test_data_have_colours(self):
        plain = pixels(solid(creases=30).png())
        coloured = pixels(clspline.Solid(np.hstack([CUBE, CUBE[:, :1]]), CELLS,
                                         creases=30).png())
        np.testing.assert_array_equal(plain[..., 3], coloured[..., 3])
        tones = coloured[coloured[..., 3] == 255][:, :3].astype(int)
        self.assertGreater(np.ptp(tones[:, 0] - tones[:, 2]), 150)

    def test_points_that_are_not_finite(self):
        control = np.repeat(BUMP[None], 2, axis=0).copy()
        control[1, 1, 1, 0] = np.nan
        self.assertGreater(self.covered(clspline.Bezier(control)).sum(), 100)
        control[:] = np.nan
        self.assertEqual(self.covered(clspline.Bezier(control)).sum(), 0)
        one = clspline.Bezier(np.zeros((4, 4, 3), np.float32))  # all in one place
        self.assertEqual(self.covered(one).shape, (90, 120))
        point = clspline.Bezier(np.zeros((1, 2, 2), np.float32), 'curve')
        self.assertIn('data:image', point._repr_html_())

    def test_none_and_too_many(self):
        none = clspline.Bezier(np.zeros((0, 4, 4, 3), np.float32))
        self.assertEqual(self.covered(none).sum(), 0)
        self.assertIn('data:image', none._repr_html_())
        many = clspline.Bezier(np.tile(BUMP, (6000, 1, 1, 1)))
        self.assertIn('<em>', many._repr_html_())
        self.assertGreater(self.covered(many).sum(), 100)

    def test_closed_context(self):
        with clspline.Context() as context:
            surface = clspline.Bezier(BUMP, context=context)
        self.assertIn('closed', surface._repr_html_())

    def test_refused(self):
        surface = clspline.Bezier(BUMP)
        for call in (lambda: surface.png((0, 10)), lambda: surface.png((10, 100000)),
                     lambda: surface.png(up='w')):
            with self.assertRaises(ValueError):
                call()


class Images(unittest.TestCase):
    def picture(self, item, size=(60, 40)):
        return pixels(pictures.png_of(pictures.picture_of(item, size, (0, 0, 'z'))[0]))

    def test_grey(self):
        found = self.picture(image(np.arange(6).reshape(2, 3) * 51, (2, 3), np.uint8))
        self.assertEqual(found.shape, (40, 60, 4))
        self.assertEqual(found[::20, ::20, 0].tolist(), [[0, 51, 102], [153, 204, 255]])
        self.assertTrue((found[..., 3] == 255).all())

    def test_channels(self):
        colours = random(20, 30, 3)
        last = self.picture(image(colours, (20, 30)))
        first = self.picture(image(np.moveaxis(colours, 2, 0), (20, 30)))
        np.testing.assert_array_equal(first, last)
        self.assertEqual(self.picture(image(random(20, 30, 4), (20, 30))).shape,
                         (40, 60, 4))

    def test_means(self):
        checks = np.indices((80, 120)).sum(axis=0) % 2
        found = self.picture(image(checks, (80, 120)))
        self.assertTrue((np.abs(found[..., 0].astype(int) - 127.5) < 1).all())

    def test_lines_and_volumes(self):
        self.assertEqual(self.picture(image(np.arange(30), (30,))).shape[2], 4)
        volume = np.zeros((3, 4, 6))
        volume[1] = random(4, 6)
        self.assertGreater(np.ptp(self.picture(image(volume, (3, 4, 6)))[..., 0]), 200)
        self.assertTrue((self.picture(image(np.full((3, 4), np.nan), (3, 4)))[..., 0] == 0).all())

    def test_real_ones(self):
        if not hasattr(clspline, 'Image'):
            self.skipTest('no Image')
        found = clspline.Image(random(20, 30))
        if not isinstance(found, pictures.Drawn):
            self.skipTest('Image is not drawn')
        self.assertIn('data:image', found._repr_html_())


@needs('matplotlib')
class Matplotlib(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        import matplotlib
        matplotlib.use('Agg')

    def tearDown(self):
        from matplotlib import pyplot
        pyplot.close('all')

    def drawn(self, ax):
        file = io.BytesIO()
        ax.figure.savefig(file, format='png', dpi=40)
        self.assertGreater(len(file.getvalue()), 1000)

    def test_all(self):
        for item, flat in (
                (clspline.Bezier(random(2, 4, 1), 'curve'), True),
                (clspline.Bezier(random(2, 4, 2), 'curve'), True),
                (clspline.Bezier(random(2, 4, 3), 'curve'), False),
                (clspline.Bezier(BUMP[..., :2], 'surface'), True), (clspline.Bezier(BUMP), False),
                (solid(), False)):
            with self.subTest(repr(item)):
                ax = item.plot(samples=5, color='red')
                self.assertEqual(hasattr(ax, 'plot_trisurf'), not flat)
                self.drawn(ax)

    def test_samples_of_all_patches(self):
        line = clspline.Bezier(random(3, 4, 2), 'curve')
        ax = line.plot(samples=7)
        self.assertEqual([len(drawn.get_xdata()) for drawn in ax.lines], [7] * 3)
        np.testing.assert_allclose(ax.lines[1].get_xydata(), line.evaluate(7)[1], atol=1e-6)
        self.assertIs(line.plot(ax), ax)
        with self.assertRaisesRegex(ValueError, 'ax'):
            clspline.Bezier(BUMP).plot(ax)

    def test_image(self):
        item = image(random(4, 6), (4, 6))
        self.drawn(pictures.plotted(item, None, None, {'cmap': 'gray'}))


@needs('pyvista')
class PyVista(unittest.TestCase):
    def test_all(self):
        curves = clspline.Bezier(random(2, 4, 3), 'curve').to_pyvista(5)
        self.assertEqual((curves.n_points, curves.n_lines), (10, 2))
        surface = clspline.Bezier(BUMP).to_pyvista(5)
        self.assertEqual((surface.n_points, len(surface.regular_faces)), (25, 32))
        self.assertIn('Normals', surface.point_data)
        cells = clspline.Solid(np.hstack([CUBE, CUBE[:, :1]]), CELLS, creases=30).to_pyvista(3)
        self.assertEqual((cells.n_points, cells.n_cells), (27, 8))
        self.assertAlmostEqual(cells.volume, 1, places=5)
        np.testing.assert_allclose(cells.point_data['data'], cells.points[:, 0], atol=1e-6)
        volume = clspline.Bezier(random(2, 3, 3, 3, 3), 'volume').to_pyvista(3)
        self.assertEqual(volume.n_cells, 16)
        samples = random(4, 6)
        grid = pictures.pyvista_of(image(samples, (4, 6)), None)
        self.assertEqual(grid.dimensions, (6, 4, 1))


class Command(unittest.TestCase):
    def run_it(self, *arguments, **environment):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([sys.executable, '-m', 'clspline', *arguments], cwd=folder,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120,
                                  text=True, env=dict(os.environ, **environment))
            files = {path.name: path.read_bytes() for path in pathlib.Path(folder).iterdir()}
        return done, files

    def test_default(self):
        done, files = self.run_it()
        self.assertEqual((done.returncode, done.stderr), (0, ''))
        self.assertEqual(list(files), ['teapot.png'])
        found = pixels(files['teapot.png'])
        self.assertEqual(found.shape, (480, 640, 4))
        self.assertTrue(0.2 < found[..., 3].mean() / 255 < 0.7)
        for device in DEVICES:
            self.assertIn(device.name, done.stdout)
        self.assertIn(f'clspline {clspline.__version__}', done.stdout)
        self.assertRegex(done.stdout, r'teapot\.png: the teapot, 640 x 480')

    def test_options(self):
        done, files = self.run_it('-o', 'other.png', '--device', '0', '--size', '100x50')
        self.assertEqual(done.returncode, 0)
        self.assertEqual(pixels(files['other.png']).shape, (50, 100, 4))

    def test_failures(self):
        for arguments, status, words in (
                (['--device', 'no such thing'], 1, 'device'),
                (['-o', 'no/folder/x.png'], 1, 'no/folder'), (['--size', '3'], 2, '640x480'),
                (['--size', '0x5'], 2, 'size'), (['--other'], 2, 'usage')):
            done, files = self.run_it(*arguments)
            self.assertEqual((done.returncode, files), (status, {}), arguments)
            self.assertIn(words, done.stderr)
            self.assertNotIn('Traceback', done.stderr)

    def test_help(self):
        done, files = self.run_it('--help')
        self.assertEqual((done.returncode, files), (0, {}))
        for word in ('--device', '--output', '--size', 'teapot', 'Exit status'):
            self.assertIn(word, done.stdout)

    def test_data(self):
        control = command.teapot()
        self.assertEqual((control.shape, control.dtype), ((28, 4, 4, 3), np.float32))
        original = pathlib.Path(__file__).parents[2] / 'tests' / 'data' / 'teapot.bv'
        if original.exists():
            words = re.sub(r'(?m)^(5|3 3)$', '', original.read_text(encoding='utf-8')).split()
            np.testing.assert_array_equal(control.ravel(), np.array(words, np.float32))

    def test_table(self):
        device = clspline.Device(0, 'name', 'platform', 'vendor', 'driver', 'version', 'cpu', 300,
                                 4, True, False, True, True, 2 ** 34, 2 ** 30, 2 ** 15)
        head, row = command.table([device])
        self.assertEqual(row.split(), ['0', 'name', 'platform', 'cpu', '3.0', '4', '16.0', 'GiB',
                                       'yes'])
        self.assertEqual(head.index('class'), row.index('cpu'))
        self.assertEqual(command.table(DEVICES)[-1].split()[-1], 'yes')
        self.assertIn(' host   -  ', command.table(DEVICES)[-1])


if __name__ == '__main__':
    unittest.main()
