"""Bezier patches against de Casteljau's algorithm, and what calls refuse."""
import pickle
import unittest

import numpy as np

import clspline
from common import REALS, de_casteljau, eps, needs_fp64


def grid(*nums):
    axes = [np.linspace(0, 1, num) if num > 1 else np.zeros(1) for num in nums]
    return np.stack(np.meshgrid(*axes, indexing='ij'), -1).reshape(-1, len(nums))


class Values(unittest.TestCase):
    def setUp(self):
        self.rng = np.random.default_rng(1)

    def check(self, form, orders, batch, real, rational=False):
        control = self.rng.random(batch + orders + (3 + rational,)).astype(real)
        nums = tuple(range(3, 3 + len(orders)))
        bezier = clspline.Bezier(control, form, rational)
        found = bezier.evaluate(nums)
        self.assertEqual(found.shape, batch + nums + (3,))
        self.assertEqual(found.dtype, real)
        params = grid(*nums)
        for at in np.ndindex(*batch):
            points = de_casteljau(control[at], params)
            if rational:
                points = points[:, :-1] / points[:, -1:]
            error = np.abs(found[at].reshape(-1, 3) - points).max()
            self.assertLess(error, 16 * eps(real) * (1 + 8 * rational))
        listed = bezier.at(params[:, 0] if form == 'curve' else params, patch=0)
        self.assertLess(np.abs(listed - found.reshape(-1, *params.shape[:1], 3)[0]).max(),
                        32 * eps(real) * (1 + 8 * rational))

    def test_forms(self):
        for real in REALS:
            self.check('curve', (6,), (4,), real)
            self.check('surface', (4, 5), (2, 3), real)
            self.check('surface', (4, 4), (3,), real, True)
            self.check('volume', (3, 2, 4), (), real)

    def test_triangle(self):
        control = self.rng.random((10, 3)).astype(np.float32)
        found = clspline.Bezier(control, 'triangle').evaluate(4)
        self.assertEqual(found.shape, (10, 3))
        np.testing.assert_allclose(found[0], control[0], atol=1e-6)  # u = v = 0: P_00d
        np.testing.assert_allclose(found[-1], control[-1], atol=1e-6)

    def test_parameters_as_samples(self):
        control = self.rng.random((4, 4, 3)).astype(np.float32)
        u, v = np.sort(self.rng.random(5)), self.rng.random(3)
        found = clspline.Bezier(control).evaluate((u, v))
        params = np.stack(np.meshgrid(u, v, indexing='ij'), -1).reshape(-1, 2)
        self.assertLess(np.abs(found.reshape(-1, 3) - de_casteljau(control, params)).max(), 2e-6)
        curve = clspline.Bezier(control[0], 'curve')
        np.testing.assert_allclose(curve.evaluate(u), curve.at(u.astype(np.float32)), atol=2e-6)

    def test_attributes(self):
        control = self.rng.random((2, 3, 3, 3)).astype(np.float32)
        bezier = clspline.Bezier(control)
        names = ('point', 'du', 'dv', 'normal', 'params', 'curvature', 'weight')
        found = bezier.evaluate(4, names)
        self.assertEqual(found.dtype.names, names)
        self.assertEqual(found['curvature'].shape, (2, 4, 4, 2))
        self.assertEqual(found['weight'].shape, (2, 4, 4))
        normal = np.cross(found['du'], found['dv'])
        normal /= np.linalg.norm(normal, axis=-1, keepdims=True)
        np.testing.assert_allclose(found['normal'], normal, atol=1e-5)
        np.testing.assert_array_equal(found['params'][1, 2, 1], np.float32([2 / 3, 1 / 3]))

    def test_domain_and_patches(self):
        bezier = clspline.Bezier(self.rng.random((5, 4, 3)).astype(np.float32), 'curve')
        whole = bezier.evaluate(9)
        np.testing.assert_allclose(bezier.evaluate(5, domain=(0.5, 1.0)), whole[:, 4:], atol=1e-6)
        np.testing.assert_array_equal(bezier.evaluate(9, patches=slice(1, 3)), whole[1:3])
        np.testing.assert_array_equal(bezier.evaluate(9, patches=-1), whole[-1])
        self.assertEqual(bezier.evaluate(9, patches=slice(3, 3)).shape, (0, 9, 3))

    def test_lists(self):
        bezier = clspline.Bezier(self.rng.random((3, 4, 4, 2)).astype(np.float32), 'surface')
        params = self.rng.random((7, 1, 2)).astype(np.float32)
        found = bezier.at(params, [0, 1, -1])
        self.assertEqual(found.shape, (7, 3, 2))
        np.testing.assert_array_equal(found[:, 2], bezier.at(params[:, 0], 2))
        self.assertEqual(bezier.at(np.zeros((0, 2))).shape, (0, 2))
        self.assertEqual(bezier.at([0.0, 1.0], 1).shape, (2,))

    def test_mesh(self):
        control = self.rng.random((2, 3, 3, 3)).astype(np.float32)
        bezier = clspline.Bezier(control)
        mesh = bezier.mesh((3, 4))
        self.assertIsInstance(mesh, clspline.Mesh)
        self.assertEqual(mesh.vertices.shape, (24, 3))
        self.assertEqual(mesh.faces.shape, (24, 3))
        self.assertEqual(mesh.faces.max(), 23)
        self.assertEqual(bezier.mesh(3, faces='quads', watertight=True).faces.shape, (8, 4))
        np.testing.assert_array_equal(mesh.vertices, bezier.evaluate((3, 4)).reshape(-1, 3))

    def test_outputs(self):
        bezier = clspline.Bezier(self.rng.random((2, 4, 4, 3)).astype(np.float32))
        expected = bezier.evaluate(4)
        out = np.full((2, 4, 4, 3), 7, np.float32)
        self.assertIs(bezier.evaluate(4, out=out), out)
        np.testing.assert_array_equal(out, expected)
        halves = bezier.evaluate(4, out=np.empty((2, 4, 4, 3), np.float16))
        np.testing.assert_array_equal(halves, expected.astype(np.float16))
        vertex = np.dtype([('colour', 'f4'), ('point', 'f4', 3), ('normal', 'f4', 3)])
        table = np.zeros((2, 4, 4), vertex)
        table['colour'] = 5
        bezier.evaluate(4, ('point', 'normal'), out=table)
        np.testing.assert_allclose(table['point'], expected, atol=1e-6)  # another plan's
        self.assertTrue((table['colour'] == 5).all())
        unaligned = np.zeros(2 * 48 * 4 + 1, np.uint8)[1:].view(np.float32).reshape(2, 4, 4, 3)
        np.testing.assert_array_equal(bezier.evaluate(4, out=unaligned), expected)

    def test_control(self):
        control = self.rng.random((4, 4, 3)).astype(np.float32)
        bezier = clspline.Bezier(control)
        before = bezier.evaluate(3)
        control[:] = 0  # not the object's
        np.testing.assert_array_equal(bezier.evaluate(3), before)
        bezier.control = bezier.control * 2
        np.testing.assert_allclose(bezier.evaluate(3), 2 * before, rtol=1e-6)
        with self.assertRaises(ValueError):
            bezier.control[0, 0, 0] = 1
        with self.assertRaises(ValueError):
            bezier.control = np.zeros((4, 4, 2))

    @needs_fp64
    def test_precision(self):
        self.assertEqual(clspline.Bezier([[0, 0], [1, 1]], 'curve').precision, np.float64)
        self.assertEqual(clspline.Bezier(np.zeros((2, 2), np.float16), 'curve').precision,
                         np.float32)
        line = clspline.Bezier([[0.0, 0], [1, 1]], 'curve', precision=np.float32)
        self.assertEqual(line.evaluate(3).dtype, np.float32)

    def test_share(self):
        bezier = clspline.Bezier(self.rng.random((50, 4, 4, 3)).astype(np.float32))
        expected = bezier.evaluate(16)
        for name in ('auto', 'dynamic', 'static', 'device', 'host'):
            share = clspline.Share(name)
            np.testing.assert_allclose(bezier.evaluate(16, share=share), expected, atol=1e-6)
            self.assertIsInstance(share.report, clspline.Report)
            self.assertIsInstance(share.report.processors[0], clspline.Processor)
            self.assertEqual(sum(each.tiles for each in share.report.processors),
                             share.report.num_tiles)
            self.assertNotIn(share.report.schedule, share.report.reasons)
        equal = clspline.Share('dynamic', bit_equal=True)
        np.testing.assert_array_equal(bezier.evaluate(16, share=equal),
                                      bezier.evaluate(16, share='device'))
        with self.assertRaises(ValueError):
            bezier.evaluate(16, share='all')
        with self.assertRaises(ValueError):
            bezier.evaluate(16, share=clspline.Share(workers=-1))
        for wrong in (2, clspline.Share, np.zeros(3)):
            with self.assertRaisesRegex(TypeError, '^share: '):
                bezier.evaluate(16, share=wrong)

    def test_layouts_beyond_those_kept(self):
        bezier = clspline.Bezier(self.rng.random((4, 4, 3)).astype(np.float32))
        for _ in range(2):
            for names in ('point', 'du', 'dv', 'normal', 'duu', 'dvv', ('du', 'dv')):
                bezier.evaluate(3, names)

    def test_pickle_and_repr(self):
        bezier = clspline.Bezier(self.rng.random((2, 4, 4, 4)).astype(np.float32), rational=True)
        again = pickle.loads(pickle.dumps(bezier))
        self.assertIs(again.context, bezier.context)
        np.testing.assert_array_equal(again.evaluate(5), bezier.evaluate(5))
        self.assertIn('rational surface of degree 3x3, 2 in 3D', repr(bezier))

    def test_bspline(self):
        bezier = clspline.Bezier(self.rng.random((2, 4, 3, 3)).astype(np.float32), 'surface')
        spline = bezier.bspline()
        np.testing.assert_allclose(spline.evaluate(5), bezier.evaluate(5), atol=1e-6)
        with self.assertRaises(ValueError):
            clspline.Bezier(np.zeros((6, 3)), 'triangle').bspline()


class Refused(unittest.TestCase):
    def setUp(self):
        self.bezier = clspline.Bezier(np.zeros((2, 3, 3, 3), np.float32))

    def refused(self, error, words, *arguments, **named):
        with self.assertRaisesRegex(error, words):
            self.bezier.evaluate(*arguments, **named)

    def test_outputs(self):
        shape = (2, 4, 4, 3)
        whole = np.zeros(shape, np.float32)
        read_only = whole.copy()
        read_only.flags.writeable = False
        strided = np.zeros((2, 4, 4, 6), np.float32)[..., ::2]
        bad = {
            'wanted, not': (ValueError, np.zeros((2, 4, 3, 3), np.float32)),
            'dtype int32': (TypeError, np.zeros(shape, np.int32)),
            'dtype >f4': (TypeError, np.zeros(shape, '>f4')),
            'read-only': (ValueError, read_only),
            'contiguous': (ValueError, strided),
            'C order': (ValueError, np.asfortranarray(whole)),
            'masked': (TypeError, np.ma.zeros(shape, np.float32)),
            'not list': (TypeError, whole.tolist()),
            'not type': (TypeError, np.float32),
            'complex64': (TypeError, np.zeros(shape, np.complex64)),
            'object': (TypeError, np.zeros(shape, object)),
        }
        for words, (error, out) in bad.items():
            with self.subTest(words):
                self.refused(error, 'out: .*' + words, 4, out=out)

    def test_structured_outputs(self):
        for fields in ([('point', 'f4', 2), ('normal', 'f4', 3)], [('point', 'f4', 3)],
                       [('point', 'i4', 3), ('normal', 'i4', 3)],
                       [('point', 'f4', 3), ('odd', 'u1'), ('normal', 'f4', 3)]):
            with self.subTest(fields):
                self.refused(TypeError, 'out: ', 4, ('point', 'normal'),
                             out=np.zeros((2, 4, 4), fields))

    def test_samples(self):
        self.refused(ValueError, 'samples: 0', 0)
        self.refused(ValueError, 'samples: -1', -1)
        self.refused(TypeError, 'samples', 2.5)
        self.refused(TypeError, 'samples', None)
        self.refused(ValueError, 'samples: 3', (1, 2, 3))
        self.refused(ValueError, 'samples', (np.zeros((2, 2)), 3))
        self.refused(ValueError, 'axis', (np.array([np.nan]), 3))
        self.refused(ValueError, 'axis', ([0.0, 1.5], 3))
        self.refused(ValueError, 'samples: .*interval', ([0.0, 0.5], 3), domain=((0, 1), (0, 1)))
        self.refused(clspline.ArgumentError, 'axis', 4, domain=((0, 2), (0, 1)))
        self.refused(ValueError, 'domain', 4, domain=((0, 1),))

    def test_forms(self):
        """Control points that can be several curves as well as a surface are asked for their
        form."""
        for shape, rational in (((2, 3, 2), False), ((2, 4, 3), False), ((9, 4, 4, 2), False),
                                ((4, 3), False), ((3, 3, 3), True), ((100, 4, 3), False)):
            with self.subTest(shape), \
                    self.assertRaisesRegex(clspline.ArgumentError, "form='curve'"):
                clspline.Bezier(np.ones(shape), rational=rational)
        self.assertEqual(clspline.Bezier(np.zeros((2, 3, 2)), 'surface').degree, (1, 2))
        self.assertEqual(clspline.Bezier(np.zeros((5, 3, 3, 3), np.float32)).form, 'surface')

    def test_attributes_of_forms(self):
        """A message names what the form has, and that comes out."""
        second = 'duu, duv, dvv, '
        for shape, form, names in (
                ((3, 1), 'curve', 'point, weight, du, duu, params'),
                ((3, 2), 'curve', 'point, weight, du, duu, params, curvature'),
                ((3, 2, 2), 'surface', f'point, weight, du, dv, {second}params'),
                ((3, 2, 3), 'surface',
                 f'point, weight, du, dv, {second}normal, params, curvature'),
                ((3, 3), 'triangle', f'point, weight, du, dv, {second}normal, params, curvature'),
                ((2, 2, 2, 3), 'volume',
                 f'point, weight, du, dv, dw, {second}normal, params, curvature, duw, dvw, dww')):
            bezier = clspline.Bezier(np.ones(shape, np.float32), form)
            for name in ('colour', 'jacobian'):
                with self.assertRaisesRegex(clspline.ArgumentError, f'{name}. is none of {names}$'):
                    bezier.evaluate(2, name)
            if shape[1:] == (2, 3) or form == 'volume':
                self.assertEqual(bezier.evaluate(2, names.split(', ')).dtype.names,
                                 tuple(names.split(', ')))

    def test_attributes(self):
        self.refused(ValueError, 'attributes', 4, 'colour')
        self.refused(TypeError, 'attributes', 4, 5)
        self.refused(ValueError, 'attributes', 4, ())
        self.refused(ValueError, 'attributes', 4, ('point', 'point'))
        self.refused(clspline.ArgumentError, '', 4, 'dw')
        self.refused(IndexError, 'patches', 4, patches=2)
        self.refused(ValueError, 'patches', 4, patches=slice(None, None, 2))
        self.refused(TypeError, 'dtype', 4, dtype=np.int16)

    def test_control(self):
        for error, control, form in (
                (ValueError, np.zeros(3), 'curve'), (ValueError, np.zeros((3, 5)), 'curve'),
                (ValueError, np.zeros((0, 3)), 'curve'), (ValueError, np.zeros((5, 3)), 'triangle'),
                (TypeError, np.zeros((3, 3), complex), 'curve'), (ValueError, 1.0, 'curve'),
                (TypeError, np.array([[1, 'a']], object), 'curve'), (ValueError, [[1], [2, 3]],
                                                                     'curve'),
                (TypeError, np.ma.zeros((3, 3)), 'curve'), (ValueError, np.zeros((3, 3)), 'cube')):
            with self.subTest(form=form, control=control), self.assertRaises(error):
                clspline.Bezier(control, form)
        with self.assertRaises(clspline.WeightsError):
            clspline.Bezier(np.zeros((3, 3), np.float32), 'curve', True).evaluate(2)
        with self.assertRaises(clspline.ArgumentError):
            clspline.Bezier(np.zeros((70000, 1), np.float32), 'curve').evaluate(2)
        with self.assertRaises(TypeError):
            clspline.Bezier(np.zeros((3, 3)), 'curve', precision=np.int32)

    def test_lists(self):
        for error, params, patch in (
                (ValueError, np.zeros((4, 3)), 0), (IndexError, np.zeros((4, 2)), 2),
                (IndexError, np.zeros((4, 2)), -3), (TypeError, np.zeros((4, 2)), 0.5),
                (ValueError, np.zeros((4, 2)), [0, 1, 0]), (TypeError, 'text', 0)):
            with self.subTest(params=params, patch=patch), self.assertRaises(error):
                self.bezier.at(params, patch)
        memory = np.zeros(30, np.float32)
        with self.assertRaisesRegex(ValueError, 'overlaps params'):
            self.bezier.at(memory[:18].reshape(9, 2), out=memory[3:].reshape(9, 3))
        with self.assertRaises(ValueError):
            self.bezier.mesh(4, faces='pentagons')
        with self.assertRaises(ValueError):
            clspline.Bezier(np.zeros((3, 3)), 'curve').mesh(4)

    def test_nan_stays_in_its_patch(self):
        control = np.ones((3, 4, 4, 3), np.float32)
        control[1, 2, 2, 0] = np.nan
        found = clspline.Bezier(control).evaluate(5)
        self.assertTrue(np.isnan(found[1, ..., 0]).any())
        self.assertFalse(np.isnan(found[[0, 2]]).any())

    def test_empty(self):
        empty = clspline.Bezier(np.zeros((0, 4, 4, 3), np.float32))
        self.assertEqual(empty.evaluate(5).shape, (0, 5, 5, 3))
        self.assertEqual(empty.mesh(5).faces.shape, (0, 3))
        with self.assertRaises(IndexError):
            empty.at([0.5, 0.5])


if __name__ == '__main__':
    unittest.main()
