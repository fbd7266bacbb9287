"""B-splines against Cox and de Boor's recursion and SciPy, other knots, projection."""
import pickle
import unittest

import numpy as np

import clspline
from common import REALS, clamped, cox_de_boor, eps, need_methods, need_opencl, needs_fp64

try:
    from scipy import interpolate
except ImportError:
    interpolate = None
needs_scipy = unittest.skipUnless(interpolate, 'no module scipy')


def reference(t, control, k, params):
    """Points [num, coordinates] of a spline of any number of directions."""
    values = np.asarray(control, np.longdouble)
    basis = [cox_de_boor(knots, n, degree, params[:, at])
             for at, (knots, n, degree) in enumerate(zip(t, control.shape, k))]
    points = np.einsum('ai,i...->a...', basis[0], values)
    for one in basis[1:]:
        points = np.einsum('ai,ai...->a...', one, points)
    return points


class Values(unittest.TestCase):
    def setUp(self):
        self.rng = np.random.default_rng(2)

    def knots(self, n, k):
        inner = np.sort(self.rng.uniform(0.1, 0.9, n - k - 1))
        inner[::3] = inner[::3].round(1)
        return np.concatenate((np.zeros(k + 1), np.sort(inner), np.ones(k + 1)))

    def test_against_recursion(self):
        for real in REALS:
            for nets, k in (((9,), (3,)), ((6, 7), (2, 3)), ((4, 5, 3), (3, 1, 2))):
                with self.subTest(real=real, nets=nets):
                    t = tuple(self.knots(n, p) for n, p in zip(nets, k))
                    control = self.rng.random(nets + (3,)).astype(real)
                    spline = clspline.BSpline(t if len(t) > 1 else t[0], control, k)
                    params = self.rng.random((40, len(nets))).astype(real)
                    params[0], params[1] = 0, 1
                    found = spline.at(params if len(t) > 1 else params[:, 0])
                    expected = reference(t, control, k, params)
                    self.assertLess(np.abs(found - expected).max(), 16 * eps(real))
                    grid = spline.evaluate((3,) * len(nets))
                    self.assertEqual(grid.shape, (3,) * len(nets) + (3,))
                    np.testing.assert_allclose(grid[(-1,) * len(nets)], found[1], atol=1e-6)

    def test_own_knots(self):
        t = np.stack([self.knots(8, 3) * (at + 1) for at in range(5)])
        control = self.rng.random((5, 8, 2)).astype(np.float32)
        curves = clspline.BSpline(t, control, 3)
        self.assertEqual(curves.t.shape, (5, 12))
        np.testing.assert_array_equal(curves.domain[1], np.arange(1, 6))
        found = curves.evaluate(7)
        for at in range(5):
            x = np.linspace(0, at + 1, 7)
            expected = reference((t[at],), control[at], (3,), x[:, np.newaxis])
            self.assertLess(np.abs(found[at] - expected).max(), 1e-5)
        self.assertEqual(curves.elevate().evaluate(7).shape, (5, 7, 2))
        self.assertEqual(curves.elevate().degree, (4,))
        pieces = curves.bezier()
        self.assertEqual(pieces.degree, (3,))
        with self.assertRaisesRegex(ValueError, 'extrapolate'):
            curves(0.5, extrapolate=False)
        again = pickle.loads(pickle.dumps(curves))
        np.testing.assert_array_equal(again.evaluate(7), found)

    def test_uniform_knots(self):
        curve = clspline.BSpline(None, self.rng.random((6, 2)).astype(np.float32), 2)
        np.testing.assert_array_equal(curve.t, clamped(6, 2))
        self.assertEqual(curve.domain, (0.0, 1.0))
        surface = clspline.BSpline((None, clamped(4, 3, 1, 2)),
                                   self.rng.random((5, 4, 3)).astype(np.float32), (2, 3))
        self.assertEqual(surface.domain, ((0.0, 1.0), (1.0, 2.0)))
        self.assertEqual(len(surface.t), 2)

    @needs_fp64
    @needs_scipy
    def test_as_scipy(self):
        x = np.sort(self.rng.random(25))
        for shape in ((), (3,), (2, 4)):
            theirs = interpolate.make_interp_spline(x, self.rng.random((25,) + shape), k=3)
            ours = clspline.BSpline.from_scipy(theirs)
            at = self.rng.uniform(x[0], x[-1], (4, 5))
            for nu in range(5):
                expected = theirs(at, nu)
                self.assertEqual(ours(at, nu).shape, expected.shape)
                np.testing.assert_allclose(ours(at, nu), expected, rtol=1e-9,
                                           atol=1e-11 * max(1, np.abs(expected).max()))
            beyond = np.array([x[0] - 1, x[3], x[-1] + 1])
            np.testing.assert_array_equal(ours(beyond, extrapolate='clamp')[0], ours(x[0]))

    def near(self, found, expected):
        size = np.abs(np.nan_to_num(expected)).max()
        np.testing.assert_allclose(found, expected, atol=1e-10 * max(size, 1))

    @needs_fp64
    @needs_scipy
    def test_beyond_as_scipy(self):
        """Every call is beyond the domain what SciPy's spline is there."""
        at = self.rng.uniform(-4, 14, (5, 6))
        at[0] = np.nan, 0, 10, -1e-9, -1e-3, 30
        wide = np.linspace(-2, 11, 7)
        for extrapolate in (True, False, 'periodic'):
            for k, shape in ((1, (3,)), (3, (3,)), (4, ()), (5, (2, 4))):
                t = clamped(12, k, 0, 10) if k % 2 else (np.arange(13 + k) - k) * 10 / (12 - k)
                theirs = interpolate.BSpline(t, self.rng.random((12,) + shape), k, extrapolate)
                ours = clspline.BSpline.from_scipy(theirs)
                self.assertEqual(ours.extrapolate, extrapolate)
                ours = pickle.loads(pickle.dumps(ours))
                for nu in range(k + 2):
                    self.near(ours(at, nu), theirs(at, nu))
                self.near(ours.derivative()(at), theirs(at, 1))
                self.near(ours.insert_knots([2.5])(at), theirs(at))
                if shape != (3,):
                    continue
                self.near(ours.at(at), theirs(at))
                self.near(ours.evaluate(7, domain=(-2, 11)), theirs(wide))
                both = ours.evaluate(wide, ('du', 'point'))
                self.near(both['point'], theirs(wide))
                self.near(both['du'], theirs(wide, 1))
                table = np.ones(7, [('point', 'f8', 3), ('colour', 'f8')])
                ours.at(wide, out=table, attributes=('point',))
                self.near(table['point'], theirs(wide))
                self.assertTrue((table['colour'] == 1).all())
                self.near(ours.at(-3.0, 0), theirs(-3.0))
        with self.assertRaisesRegex(clspline.ArgumentError, 'curvature. beyond the domain'):
            theirs = interpolate.BSpline(clamped(12, 3), self.rng.random((12, 3)), 3)
            clspline.BSpline.from_scipy(theirs).at(-1.0, attributes='curvature')

    def test_beyond(self):
        """Batches, floats, and what is not extrapolated."""
        control = self.rng.random((2, 6, 2)).astype(np.float32)
        curves = clspline.BSpline(clamped(6, 3), control, 3, extrapolate=True)
        pieces = clspline.BSpline(clamped(6, 3), control, 3).bezier()
        first, last = pieces.control[:, 0].astype(float), pieces.control[:, -1].astype(float)
        width = clamped(6, 3)[4]
        for at in (-0.5, -0.01, 1.2):
            one, t = (first, at / width) if at < 0 else (last, 1 + (at - 1) / width)
            basis = np.array([(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t ** 3])
            expected = np.einsum('k,bkd->bd', basis, one)
            scale = np.abs(basis).sum()
            np.testing.assert_allclose(curves([at, 0.5])[:, 0], expected, atol=2e-6 * scale)
            np.testing.assert_allclose(curves.evaluate([at, 0.5])[:, 0], expected,
                                       atol=2e-6 * scale)
            np.testing.assert_allclose(curves.at(at, [0, 1]), expected, atol=2e-6 * scale)
        curves.extrapolate = 'clamp'
        np.testing.assert_array_equal(curves.at(-0.5), curves.at(0.0))
        for mode in ('mirror', None, 2, [True]):
            with self.assertRaisesRegex(clspline.ArgumentError, 'extrapolate'):
                curves.extrapolate = mode
        with self.assertRaisesRegex(ValueError, 'extrapolate: True is of polynomial'):
            clspline.BSpline(None, np.ones((4, 3)), 2, True, extrapolate=True)

    @needs_scipy
    def test_what_scipy_has_else(self):
        x = np.arange(6.0)
        for other in (interpolate.CubicSpline(x, x), interpolate.splrep(x, x), None,
                      interpolate.UnivariateSpline(x, x)):
            with self.assertRaisesRegex(TypeError, f'not {type(other).__name__}'):
                clspline.BSpline.from_scipy(other)

    @needs_fp64
    @needs_scipy
    def test_axes_of_scipys(self):
        x = np.arange(7.0)
        for shape, axis in (((4, 7, 3), 1), ((3, 7), -1), ((2, 2, 7), 2)):
            theirs = interpolate.make_interp_spline(x, self.rng.random(shape), axis=axis)
            at = self.rng.uniform(-1, 7, (2, 5))
            self.near(clspline.BSpline.from_scipy(theirs)(at, 1), theirs(at, 1))

    @needs_fp64
    @needs_scipy
    def test_as_scipys_surfaces(self):
        if not hasattr(interpolate, 'NdBSpline'):
            self.skipTest('SciPy older than 1.12')
        t = (clamped(6, 3), clamped(5, 2))
        theirs = interpolate.NdBSpline(t, self.rng.random((6, 5, 3)), (3, 2))
        ours = clspline.BSpline.from_scipy(theirs)
        at = self.rng.uniform(-1, 2, (30, 2))
        for nu in ((0, 0), (1, 0), (1, 1), (0, 2), (2, 1)):
            self.near(ours(at, nu), theirs(at, nu=np.array(nu)))
        grid = np.stack(np.meshgrid([-1, 0.5, 2], [0, 0.5, 1], indexing='ij'), -1).reshape(-1, 2)
        mesh = ours.mesh(3, domain=((-1, 2), (0, 1)))
        self.near(mesh.vertices, theirs(grid))

    def test_batches_are_called(self):
        curves = clspline.BSpline(clamped(6, 3), self.rng.random((2, 3, 6, 2)).astype('f4'), 3)
        values = curves(np.linspace(0, 1, 4).reshape(2, 2))
        self.assertEqual(values.shape, (2, 3, 2, 2, 2))
        np.testing.assert_allclose(values[1, 2].reshape(4, 2), curves.evaluate(4)[1, 2], atol=1e-6)


class OtherKnots(unittest.TestCase):
    def setUp(self):
        self.rng = np.random.default_rng(3)
        control = self.rng.random((2, 6, 5, 3)).astype(np.float32)
        self.spline = clspline.BSpline((clamped(6, 3), clamped(5, 2)), control, (3, 2))

    def same(self, other, domain=None):
        np.testing.assert_allclose(other.evaluate(6), self.spline.evaluate(6, domain=domain),
                                   atol=4e-6)

    def test_insert(self):
        other = self.spline.insert_knots([0.1, 0.1, 0.7], None)
        self.same(other)
        self.assertEqual(other.control.shape, (2, 9, 5, 3))
        with self.assertRaises(clspline.ArgumentError):
            self.spline.insert_knots([2.0], None)
        with self.assertRaises(ValueError):
            self.spline.insert_knots([0.5])

    @needs_fp64
    def test_insert_at_open_ends(self):
        """At the ends of a domain that is not clamped, up to degree + 1 times there."""
        curve = clspline.BSpline(np.arange(9.0) ** 1.5, self.rng.random((5, 2)), 3)
        begin, end = curve.domain
        x = np.linspace(begin, end, 9)
        expected = reference((curve.t,), curve.control, curve.degree, x[:, np.newaxis])
        for new in ([begin], [end], [begin] * 3 + [end] * 2, [end, begin + 0.5, begin]):
            other = curve.insert_knots(new)
            self.assertEqual(other.domain, curve.domain)
            np.testing.assert_allclose(other.at(x), expected.astype(float), atol=1e-14)
        with self.assertRaisesRegex(clspline.ArgumentError, 'too often'):
            curve.insert_knots([begin] * 4)

    def test_elevate(self):
        self.same(self.spline.elevate())
        self.assertEqual(self.spline.elevate((0, 2)).degree, (3, 4))
        with self.assertRaises(ValueError):
            self.spline.elevate(-1)

    def test_restrict(self):
        self.same(self.spline.restrict((0.25, 0.5), None), ((0.25, 0.5), (0, 1)))

    def test_derivative(self):
        curve = clspline.BSpline(clamped(7, 4), self.rng.random((7, 2)).astype(np.float32), 4)
        np.testing.assert_allclose(curve.derivative().evaluate(9), curve.evaluate(9, 'du'),
                                   atol=1e-4)
        self.assertEqual(curve.derivative(3).degree, (1,))
        np.testing.assert_allclose(self.spline.derivative((0, 1)).evaluate(5),
                                   self.spline.evaluate(5, 'dv'), atol=1e-4)
        with self.assertRaises(clspline.ArgumentError):
            clspline.BSpline(None, np.ones((4, 3), np.float32), 2, True).derivative()

    def test_bezier(self):
        pieces = self.spline.bezier()
        self.assertEqual(pieces.batch, (2, 3, 3))
        np.testing.assert_allclose(pieces.evaluate(3)[1, 0, 0, 0, 0],
                                   self.spline.evaluate(2)[1, 0, 0], atol=1e-6)
        u, v = np.unique(self.spline.t[0]), np.unique(self.spline.t[1])
        np.testing.assert_allclose(
            pieces.evaluate(2)[1, :, :, 1, 1].reshape(-1, 3),
            self.spline.evaluate((u[1:], v[1:]))[1].reshape(-1, 3), atol=2e-6)


class Reduction(unittest.TestCase):
    def test_cubics(self):
        t = np.concatenate([[0.0] * 6, [0.3, 0.3, 0.7], [2.0] * 6])
        c = np.random.default_rng(3).random((4, 9, 2))
        curves = clspline.BSpline(t, c, 5)
        pieces = curves.reduce(3, 1e-5)
        self.assertIsInstance(pieces, clspline.Pieces)
        self.assertEqual(pieces.patches.degree, (3,))
        self.assertTrue((pieces.bound <= 1e-5).all())
        np.testing.assert_array_equal(np.unique(pieces.index), np.arange(4))
        for u in (0.0, 0.3, 1.0):
            at = (1 - u) * pieces.param[:, 0] + u * pieces.param[:, 1]
            patch = np.arange(len(at))
            apart = pieces.patches.at(np.full(len(at), u), patch) - curves.at(at, pieces.index)
            self.assertLess(np.abs(apart).max(), 1e-5)
        self.assertLess(len(curves.reduce(3, 1e-5, free_tangents=True).bound), len(pieces.bound))

    def test_surfaces(self):
        for rational in (False, True):
            control = np.random.default_rng(4).random((6, 3, 3 + rational)) + rational / 2
            surface = clspline.Bezier(control, 'surface', rational=rational)
            pieces = surface.reduce(2, 1e-3)
            self.assertEqual((pieces.patches.degree, pieces.patches.rational), ((2, 2), rational))
            self.assertEqual(pieces.param.shape, (len(pieces.bound), 2, 2))
            middle = pieces.param.mean(axis=2)
            patch = np.arange(len(middle))
            apart = pieces.patches.at(np.full((len(middle), 2), 0.5), patch) - surface.at(middle)
            self.assertLess(np.abs(apart).max(), 1e-3)

    def test_rational(self):
        circle = np.array([[1, 0, 1], [1, 1, 1], [0, 2, 2]]) # a quarter
        curves = clspline.Bezier(circle.astype(float), 'curve', rational=True)
        for polynomial in (False, True):
            pieces = curves.reduce(1, 1e-3, polynomial=polynomial)
            self.assertEqual(pieces.patches.rational, not polynomial)
            ends = pieces.patches.evaluate(2).reshape(-1, 2)
            self.assertLess(np.abs(np.hypot(*ends.T) - 1).max(), 1e-12)

    def test_refused(self):
        curve = clspline.Bezier(np.zeros((4, 2)), 'curve')
        for degree, tolerance in ((3, 1), (0, 1), (2, 0), (2, float('inf')), (2, float('nan'))):
            with self.assertRaises(clspline.ArgumentError):
                curve.reduce(degree, tolerance)
        with self.assertRaises(clspline.ArgumentError):
            clspline.Bezier(np.ones((4, 4, 4)), rational=True).reduce(2, 1, polynomial=True)
        with self.assertRaises(clspline.ArgumentError):
            clspline.Bezier(np.zeros((4, 4, 4, 3)), 'volume').reduce(2, 1)
        with self.assertRaises(TypeError):
            curve.reduce(2.5, 1)


class Projection(unittest.TestCase):
    def setUp(self):
        self.rng = np.random.default_rng(4)

    def test_nearest(self):
        for real in REALS:
            for rational in (False, True):
                control = self.rng.random((4, 8, 3 + rational)).astype(real)
                control[..., 3:] += 0.5
                curves = clspline.BSpline(None, control, 3, rational)
                points = self.rng.uniform(-0.5, 1.5, (5, 6, 3)).astype(real)
                found = curves.project(points)
                self.assertIsInstance(found, clspline.Nearest)
                self.assertEqual(found.distance.shape, (5, 6))
                self.assertLess(np.abs(found.param_rest).max(), eps(real))
                dense = curves.evaluate(2000).reshape(-1, 3)
                least = np.linalg.norm(points[:, :, np.newaxis] - dense, axis=-1).min(axis=-1)
                self.assertTrue((found.distance <= least + 16 * eps(real)).all())
                self.assertTrue((found.bound <= found.distance).all())
                self.assertTrue((found.status == 0).all())
                np.testing.assert_allclose(
                    np.linalg.norm(points - found.point, axis=-1), found.distance, atol=1e-6)
                np.testing.assert_allclose(
                    curves.at(found.param, found.index), found.point, atol=1e-5)

    def test_options(self):
        curves = clspline.BSpline(None, self.rng.random((3, 6, 2)).astype(np.float32), 2)
        points = self.rng.random((9, 2)).astype(np.float32)
        several = curves.project(points, 4)
        self.assertEqual(several.distance.shape, (9, 4))
        self.assertTrue((np.diff(several.distance[:, :2]) >= 0).all())
        one = curves.project(points, patch=2)
        self.assertTrue((one.index == 2).all())
        again = curves.project(points, patch=2, hints=one.param, share='host')
        np.testing.assert_allclose(again.distance, one.distance, atol=1e-6)
        far = curves.project([[50.0, 50]], distance_upper_bound=1)
        self.assertEqual(far.status[0], 2)
        self.assertTrue(np.isinf(far.distance[0]))
        self.assertEqual(far.index[0], 3)
        self.assertEqual(curves.project([[np.nan, 0]]).status[0], 3)
        self.assertEqual(curves.project(np.zeros((0, 2))).distance.shape, (0,))

    def test_method_of_kernels(self):
        need_opencl()
        need_methods()
        curves = clspline.BSpline(None, self.rng.random((3, 6, 2)).astype(np.float32), 2)
        points = self.rng.random((9, 2)).astype(np.float32)
        near = curves.project(points, method='mrep', tolerance=1e-3)
        self.assertLess(np.abs(near.distance - curves.project(points).distance).max(), 1e-3)

    def test_refused(self):
        curves = clspline.BSpline(None, self.rng.random((3, 6, 2)).astype(np.float32), 2)
        for error, words, points, named in (
                (ValueError, 'points', np.zeros((4, 3)), {}), (ValueError, 'points', 1.0, {}),
                (ValueError, 'k: ', np.zeros(2), {'k': 0}),
                (ValueError, 'k: ', np.zeros(2), {'k': 17}),
                (ValueError, 'k: ', np.zeros(2), {'k': [1, 2]}),
                (ValueError, 'method', np.zeros(2), {'method': 'newton'}),
                (ValueError, 'distance_upper_bound', np.zeros(2), {'distance_upper_bound': -1}),
                (IndexError, 'patch', np.zeros(2), {'patch': 3}),
                (ValueError, '', np.zeros((2, 2)), {'patch': [0, 1, 2]}),
                (clspline.ArgumentError, 'hints', np.zeros(2), {'hints': 0.5})):
            with self.subTest(words=words), self.assertRaisesRegex(error, words):
                curves.project(points, **named)
        with self.assertRaisesRegex(ValueError, 'volumes'):
            clspline.BSpline((None,) * 3, np.zeros((4, 4, 4, 3)), 2).project(np.zeros(3))

    def test_surfaces(self):
        for real in REALS:
            control = self.rng.random((2, 5, 6, 3)).astype(real)
            surfaces = clspline.BSpline((None, None), control, (2, 3))
            points = self.rng.uniform(-0.5, 1.5, (7, 3)).astype(real)
            found = surfaces.project(points)
            self.assertEqual(found.param.shape, (7, 2))
            dense = surfaces.evaluate(200).reshape(-1, 3)
            least = np.linalg.norm(points[:, np.newaxis] - dense, axis=-1).min(axis=-1)
            self.assertTrue((found.distance <= least + 16 * eps(real)).all())
            self.assertTrue((found.bound <= found.distance).all())
            self.assertTrue((found.status == 0).all())
            np.testing.assert_allclose(surfaces.at(found.param, found.index), found.point,
                                       atol=1e-5)
            again = surfaces.project(points, patch=found.index, hints=found.param)
            np.testing.assert_allclose(again.distance, found.distance, atol=1e-6)
            self.assertEqual(np.abs(found.param_rest).max(), 0)
            pieces = surfaces.bezier().project(points)
            np.testing.assert_allclose(pieces.distance, found.distance, atol=2e-6)
        with self.assertRaises(clspline.ArgumentError):
            surfaces.project(points, 2)

    def test_sides(self):
        """Of a plane z = 1 over a square, S_u x S_v up."""
        control = [[[0, 0, 1], [0, 4, 1]], [[4, 0, 1], [4, 4, 1]]]
        points = np.array([[[1, 1, 3], [2, 3, -1]], [[4, 4, 2], [6, 2, 1]], [[1, 2, 1],
                                                                            [np.nan, 0, 0]]])
        for real in REALS:
            plane = clspline.BSpline((None, None), np.array(control, real), 1)
            for surface in (plane, plane.bezier()):
                found = surface.project(points, signed=True)
                self.assertEqual(found.signed.dtype, real)
                np.testing.assert_array_equal(found.signed,
                                              [[2, -2], [1, np.nan], [0, np.nan]])
                np.testing.assert_array_equal(found.normal[:2], np.broadcast_to([0, 0, 1],
                                                                                (2, 2, 3)))
                self.assertTrue(np.isnan(found.normal[2, 1]).all())
                plain = surface.project(points)
                np.testing.assert_array_equal(plain.distance, found.distance)
                self.assertIsNone(plain.signed)
                shared = surface.project(points[0], signed=True, share='host')
                np.testing.assert_array_equal(shared.signed, [2, -2])
                self.assertEqual(surface.project(np.zeros((0, 3)), signed=True).normal.shape,
                                 (0, 3))
        flat = clspline.BSpline((None, None), np.zeros((2, 2, 2), np.float32), 1)
        with self.assertRaisesRegex(ValueError, 'signed: of surfaces of 3 dimensions'):
            flat.project(np.zeros(2), signed=True)

    def test_metric(self):
        """Of the line y = x, where the weights of x and y are 1 and 4."""
        for real in REALS:
            line = clspline.BSpline((None,), np.array([[0, 0], [10, 10]], real), 1)
            for curve in (line, line.bezier()):
                found = curve.project([[5, 0]], metric=[1, 4])
                np.testing.assert_allclose(found.point, [[1, 1]], rtol=1e-5)
                np.testing.assert_allclose(found.distance, [np.sqrt(20)], rtol=1e-6)
                for wrong in ([1], [1, 4, 1], [1, 0], [1, np.nan]):
                    with self.assertRaisesRegex(ValueError, 'metric'):
                        curve.project([[5, 0]], metric=wrong)


class Refused(unittest.TestCase):
    def test_descriptions(self):
        control = np.zeros((6, 3), np.float32)
        for error, words, t, c, k in (
                (ValueError, '9 knots', np.arange(9), control, 3),
                (ValueError, 'k: ', None, control, -1), (ValueError, 'k: ', None, control, 2.5),
                (ValueError, 'k: ', None, control, (2, 2)),
                (ValueError, 'control', (None, None), control[0], 2),
                (ValueError, 'directions', (None,) * 4, control, 2),
                (ValueError, 'c: 6', None, control, 6),
                (ValueError, 'leading axes', np.tile(clamped(6, 3), (2, 1)), control, 3),
                (TypeError, 't: ', np.array(['a'] * 10), control, 3),
                (TypeError, 't: ', np.ma.zeros(10), control, 3)):
            with self.subTest(words=words), self.assertRaisesRegex(error, words):
                clspline.BSpline(t, c, k)
        for t in (np.r_[1.0, np.zeros(9)], np.zeros(10), np.r_[np.nan, np.zeros(9)]):
            with self.assertRaises(clspline.ArgumentError):
                clspline.BSpline(t, control, 3).evaluate(2)
        with self.assertRaisesRegex(ValueError, 'watertight'):
            clspline.BSpline((None, None), np.zeros((4, 4, 3)), 2).mesh(3, watertight=True)


if __name__ == '__main__':
    unittest.main()
