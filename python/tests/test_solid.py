"""clspline.Solid beside Catmull-Clark refinement written plainly."""
import contextlib
import importlib.util
import io
import itertools
import pathlib
import pickle
import tempfile
import unittest

import numpy as np

import clspline
from common import HAS_FP64

EPS = np.finfo(float).eps
CORNERS = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0],
                    [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]])
FACES = ((0, 4, 7, 3), (1, 2, 6, 5), (0, 1, 5, 4), (3, 7, 6, 2), (0, 3, 2, 1), (4, 5, 6, 7))
EDGES = ((0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6),
         (3, 7))
REAL = np.float64 if HAS_FP64 else np.float32


def box(nu, nv, nw, jitter=0.0, dim=3):
    """(points, cells) of nu x nv x nw hexahedra."""
    w, v, u = np.meshgrid(np.arange(nw + 1.), np.arange(nv + 1.), np.arange(nu + 1.),
                          indexing='ij')
    random = np.random.default_rng(7)
    points = np.stack([u, v, w], axis=-1).reshape(-1, 3)
    points = np.concatenate([points, random.random((len(points), dim - 3))], axis=1)
    points += jitter * random.uniform(-1, 1, points.shape)
    number = np.arange(len(points)).reshape(nw + 1, nv + 1, nu + 1)
    cells = [[number[k + c, j + b, i + a] for a, b, c in CORNERS]
             for k in range(nw) for j in range(nv) for i in range(nu)]
    return points.astype(REAL), np.array(cells)


def prism(sides, layers=2):
    """(points, cells) of hexahedra around one edge."""
    angle = np.pi * np.arange(2 * sides) / sides
    ring = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    flat = np.concatenate([[[0, 0]], ring])
    points = np.concatenate([np.concatenate([flat, np.full((len(flat), 1), z)], axis=1)
                             for z in range(layers + 1)])
    cells = []
    for layer, side in itertools.product(range(layers), range(sides)):
        around = [0, 1 + 2 * side, 1 + (2 * side + 1) % (2 * sides),
                  1 + (2 * side + 2) % (2 * sides)]
        low = [layer * len(flat) + at for at in around]
        cells.append(low + [at + len(flat) for at in low])
    return points.astype(REAL), np.array(cells)


class Plain:
    """One step of the rules for hexahedra, (38) of docs/math.md, as sums over dictionaries."""

    def __init__(self, points, cells, creases=()):
        self.p = np.asarray(points, float)
        self.cells = cells
        self.creases = {frozenset(map(int, edge)) for edge in creases}
        faces, edges = {}, {}
        for number, cell in enumerate(cells):
            for face in FACES:
                faces.setdefault(frozenset(cell[list(face)]), []).append(number)
            for edge in EDGES:
                edges.setdefault(frozenset(cell[list(edge)]), []).append(number)
        self.cells_of_face, self.cells_of_edge = faces, edges
        self.boundary = {face for face, of in faces.items() if len(of) == 1}
        self.edge_on = {edge for edge in edges
                        if any(self.has(face, edge) for face in self.boundary)}

    @staticmethod
    def has(larger, smaller):
        return smaller <= larger

    def mean(self, vertices):
        return self.p[list(vertices)].mean(axis=0)

    def centre(self, cell):
        return self.mean(self.cells[cell])

    def edges_of(self, face):
        return [edge for edge in self.cells_of_edge if edge <= face]

    def face_point(self, face):
        if face in self.boundary:
            return self.mean(face)
        one, other = self.cells_of_face[face]
        return (self.centre(one) + 2 * self.mean(face) + self.centre(other)) / 4

    def edge_point(self, edge):
        if edge in self.creases:
            return self.mean(edge)
        if edge in self.edge_on:
            one, other = [face for face in self.boundary if edge <= face]
            return (self.mean(one) + self.mean(other) + 2 * self.mean(edge)) / 4
        cells = self.cells_of_edge[edge]
        faces = [face for face in self.cells_of_face if edge <= face]
        num = len(faces)
        return (np.mean([self.centre(cell) for cell in cells], axis=0) +
                2 * np.mean([self.mean(face) for face in faces], axis=0) +
                (num - 3) * self.mean(edge)) / num

    def vertex_point(self, vertex):
        edges = [edge for edge in self.cells_of_edge if vertex in edge]
        faces = [face for face in self.cells_of_face if vertex in face]
        sharp = [edge for edge in edges if edge in self.creases]
        here = self.p[vertex]
        if any(edge in self.edge_on for edge in edges):
            if len(sharp) > 2:
                return here
            if len(sharp) == 2:
                return (self.mean(sharp[0]) + self.mean(sharp[1]) + 2 * here) / 4
            faces = [face for face in faces if face in self.boundary]
            edges = [edge for edge in edges if edge in self.edge_on]
            return (np.mean([self.mean(face) for face in faces], axis=0) +
                    2 * np.mean([self.mean(edge) for edge in edges], axis=0) +
                    (len(faces) - 3) * here) / len(faces)
        cells = [at for at, cell in enumerate(self.cells) if vertex in cell]
        m = len(cells)
        around = [sum(edge <= face for face in faces) for edge in edges]
        result = (np.mean([self.centre(cell) for cell in cells], axis=0) +
                  3 * np.mean([self.mean(face) for face in faces], axis=0)) / m
        shares = [n * (n - 3) / m ** 2 for n in around]
        result += sum(share * self.mean(edge) for share, edge in zip(shares, edges))
        return result + (1 - 4 / m - sum(shares)) * here

    def children(self):
        """The points of all children's vertices, [cell, child, 8, dim]."""
        result = []
        for number, cell in enumerate(self.cells):
            lattice = np.empty((3, 3, 3, self.p.shape[1]))
            lattice[1, 1, 1] = self.centre(number)
            for at in itertools.product(range(3), repeat=3):
                ends = [place for place in range(8)
                        if all(t in (1, 2 * c) for t, c in zip(at, CORNERS[place]))]
                key = frozenset(cell[ends])
                if len(ends) == 1:
                    lattice[at] = self.vertex_point(int(cell[ends[0]]))
                elif len(ends) == 2:
                    lattice[at] = self.edge_point(key)
                elif len(ends) == 4:
                    lattice[at] = self.face_point(key)
            result.append([[lattice[tuple(start + corner)] for corner in CORNERS]
                           for start in ([j & 1, j >> 1 & 1, j >> 2] for j in range(8))])
        return np.array(result)


def tolerance(solid, factor=1e-12):
    return np.abs(solid.points).max() * (factor if solid.precision == np.float64 else 1e-6)


class Refinement(unittest.TestCase):
    def check(self, points, cells, creases=None):
        solid = clspline.Solid(points, cells, creases=creases)
        fine = solid.refine()
        made = fine.points[fine.cells.astype(int)].reshape(len(cells), 8, 8, -1)
        wanted = Plain(points, cells, solid.creases).children()
        np.testing.assert_allclose(made, wanted, atol=tolerance(solid, 8 * EPS), rtol=0)
        return solid, fine

    def test_box(self):
        self.check(*box(3, 2, 2, 0.3))

    def test_prisms(self):
        for sides in (3, 5):
            self.check(*prism(sides))

    def test_creases(self):
        solid, fine = self.check(*prism(6), creases=45.0)
        self.assertEqual(len(solid.creases), 2 * 12)
        self.assertEqual(len(fine.creases), 2 * len(solid.creases))
        self.assertTrue(np.isinf(fine.sharpness).all())

    def test_data(self):
        points, cells = box(2, 2, 2, 0.2, dim=7)
        self.check(points, cells)

    def test_rule_of_joy_differs(self):
        points, cells = prism(5)
        points += np.random.default_rng(1).uniform(-0.1, 0.1, points.shape)
        solid = clspline.Solid(points, cells)
        self.assertGreater(np.abs(solid.refine_points(rule='joy') - solid.refine_points()).max(),
                           1e-4)
        self.assertEqual(solid.refine(rule='joy').num_cells, 80)

    def test_other_points(self):
        points, cells = box(2, 1, 1)
        solid = clspline.Solid(points, cells)
        two = np.arange(24, dtype=np.float32).reshape(12, 2)
        fine = solid.refine_points(two)
        self.assertEqual(fine.dtype, np.float32)
        out = np.empty(fine.shape)
        self.assertIs(solid.refine_points(two, out=out), out)
        np.testing.assert_allclose(out, fine, atol=1e-5)

    def test_limits_stay(self):
        for points, cells in (box(2, 2, 3, 0.2), prism(3), prism(5)):
            solid = clspline.Solid(points, cells)
            limits = solid.limits()
            np.testing.assert_allclose(solid.refine(2).limits()[:len(points)], limits,
                                       atol=tolerance(solid))
            middles = solid.limits('middles')
            np.testing.assert_allclose(middles, solid.refine().limits(), atol=tolerance(solid))
            out = np.empty_like(limits)
            self.assertIs(solid.limits(out=out), out)
            np.testing.assert_array_equal(out, limits)

    def test_limits_of_repeated_refinement(self):
        points, cells = prism(3, 1)
        solid = clspline.Solid(points, cells)
        far = solid.refine(5).points[:len(points)]
        np.testing.assert_allclose(far, solid.limits(), atol=2e-2)


class Evaluation(unittest.TestCase):
    def test_linear(self):
        # Of a box with sharp edges the limit is as the control points: x, y, z and 2 x - y + z
        points, cells = box(3, 2, 2)
        points = np.concatenate([points, points @ [[2], [-1], [1]]], axis=1).astype(REAL)
        solid = clspline.Solid(points, cells, creases=30)
        result = solid.evaluate(4)
        self.assertEqual(result.shape, (12, 4, 4, 4, 4))
        u, v, w = np.meshgrid(*[np.arange(4) / 3] * 3, indexing='ij')
        wanted = points[cells[:, 0], None, None, None, :3] + np.stack([u, v, w], axis=-1)
        np.testing.assert_allclose(result[..., :3], wanted, atol=tolerance(solid))
        np.testing.assert_allclose(result[..., 3], wanted @ [2, -1, 1], atol=tolerance(solid))

    def test_splitting(self):
        for points, cells in (box(2, 2, 2, 0.3), prism(5)):
            solid = clspline.Solid(points, cells)
            whole = solid.evaluate(5)
            halves = solid.refine().evaluate(3).reshape(len(cells), 8, 3, 3, 3, 3)
            for child in range(8):
                u, v, w = 2 * (child & 1), 2 * (child >> 1 & 1), 2 * (child >> 2)
                np.testing.assert_allclose(
                    halves[:, child], whole[:, u:u + 3, v:v + 3, w:w + 3],
                    atol=tolerance(solid))

    def test_corners_are_limits(self):
        points, cells = prism(3)
        solid = clspline.Solid(points, cells)
        grid, limits = solid.evaluate(2), solid.limits()
        for corner, (u, v, w) in enumerate(CORNERS):
            np.testing.assert_allclose(grid[:, u, v, w], limits[cells[:, corner]],
                                       atol=tolerance(solid))

    def test_list_is_grid(self):
        points, cells = prism(5)
        solid = clspline.Solid(points, cells)
        grid = solid.evaluate((2, 3, 4), ('params', 'point'))
        cell = np.arange(len(cells))[:, None, None, None]
        listed = solid.at(cell, grid['params'])
        self.assertEqual(listed.shape, grid.shape + (3,))
        np.testing.assert_allclose(listed, grid['point'], atol=tolerance(solid))
        out = np.empty_like(listed)
        self.assertIs(solid.at(cell, grid['params'], out=out), out)
        np.testing.assert_array_equal(out, listed)
        self.assertEqual(solid.at(-1, [0.5, 0.5, 0.5]).shape, (3,))
        self.assertTrue(np.isnan(solid.at(0, [np.nan, 0, 0])).all())
        np.testing.assert_array_equal(solid.at(0, [2, -1, 0.5]), solid.at(0, [1, 0, 0.5]))

    def test_derivatives(self):
        points, cells = box(3, 3, 3, 0.2)
        solid = clspline.Solid(points.astype(float) if HAS_FP64 else points, cells)
        names = ('point', 'du', 'dv', 'dw', 'duu', 'duv', 'dvv', 'duw', 'dvw', 'dww', 'jacobian')
        here, step = np.full(3, 0.4), 1e-3
        at = solid.at(13, here, names)
        jacobian = np.linalg.det(np.stack([at['du'], at['dv'], at['dw']]))
        np.testing.assert_allclose(at['jacobian'], jacobian, rtol=1e-5)
        if not HAS_FP64:
            return
        for axis, name in enumerate(('du', 'dv', 'dw')):
            move = step * np.eye(3)[axis]
            ends = solid.at(13, [here - move, here, here + move])
            np.testing.assert_allclose((ends[2] - ends[0]) / (2 * step), at[name], atol=1e-5)
            np.testing.assert_allclose((ends[2] - 2 * ends[1] + ends[0]) / step ** 2,
                                       at[name + name[1]], atol=1e-4)

    def test_samples(self):
        points, cells = box(2, 1, 1, 0.1)
        solid = clspline.Solid(points, cells)
        whole = solid.evaluate((5, 2, 3))
        some = solid.evaluate([np.array([0, 0.25, 1]), [1.0], 3])
        np.testing.assert_allclose(some, whole[:, [0, 1, 4]][:, :, 1:], atol=tolerance(solid))
        half = solid.evaluate((3, 2, 3), domain=((0, 0.5), (0, 1), (0, 1)))
        np.testing.assert_allclose(half, whole[:, :3], atol=tolerance(solid))
        self.assertEqual(solid.evaluate(2, cells=1).shape, (2, 2, 2, 3))
        self.assertEqual(solid.evaluate(2, cells=slice(0, 0)).shape, (0, 2, 2, 2, 3))
        np.testing.assert_array_equal(solid.evaluate((5, 2, 3), cells=slice(1, 2)), whole[1:])

    def test_outputs(self):
        points, cells = box(2, 1, 1, 0.1)
        solid = clspline.Solid(points, cells, precision=np.float32)
        out = np.empty((2, 3, 3, 3, 3), np.float32)
        self.assertIs(solid.evaluate(3, out=out), out)
        half = solid.evaluate(3, dtype=np.float16)
        np.testing.assert_array_equal(half, out.astype(np.float16))
        vertices = np.zeros((2, 3, 3, 3), [('id', np.float32), ('point', np.float32, 3)])
        vertices['id'] = 7
        solid.evaluate(3, out=vertices)
        np.testing.assert_allclose(vertices['point'], out, atol=1e-6)
        self.assertTrue((vertices['id'] == 7).all())
        shared = solid.evaluate(3, share='host')
        np.testing.assert_allclose(shared, out, atol=1e-6)

    def test_points_move(self):
        points, cells = prism(5)
        solid = clspline.Solid(points, cells)
        before = solid.evaluate(3)
        listed = solid.at(2, [0.1, 0.2, 0.3])
        solid.points = 2 * points
        np.testing.assert_allclose(solid.evaluate(3), 2 * before, atol=tolerance(solid))
        np.testing.assert_allclose(solid.at(2, [0.1, 0.2, 0.3]), 2 * listed,
                                   atol=tolerance(solid))
        with self.assertRaises(ValueError):
            solid.points[0] = 1

    def test_locate(self):
        random = np.random.default_rng(4)
        for points, cells in (box(2, 3, 2, 0.1), prism(3), prism(5), box(2, 1, 1, 0.1, dim=5)):
            solid = clspline.Solid(points, cells)
            given = random.integers(len(cells), size=(7, 50))
            params = random.random((7, 50, 3)).astype(REAL)
            where = solid.at(given, params)[..., :3]
            places = solid.locate(where)
            self.assertIsInstance(places, clspline.Places)
            self.assertEqual(places.params.shape, (7, 50, 3))
            self.assertEqual(places.cell.shape, (7, 50))
            self.assertTrue(np.all(places.status == 0) and np.all(places.cell <= given))
            np.testing.assert_allclose(solid.at(places.cell, places.params)[..., :3], where,
                                       atol=10 * tolerance(solid))
            shared = solid.locate(where, share='dynamic')
            np.testing.assert_array_equal(shared.params, places.params)
        places = solid.locate([[100, 0, 0], [np.nan, 0, 0], where[0, 0]])
        np.testing.assert_array_equal(places.status, [2, 3, 0])
        np.testing.assert_array_equal(places.cell[:2], [-1, -1])
        self.assertTrue(90 < places.bound[0] <= 100 and np.isinf(places.residual[0]))
        self.assertTrue(np.all(np.isnan(places.params[:2])))
        self.assertEqual(solid.locate(np.empty((0, 3))).cell.shape, (0,))
        self.assertEqual(solid.locate(where[0, 0]).cell.shape, ())
        far = solid.locate([[100, 0, 0], where[0, 0]], nearest=True)
        self.assertEqual(far.status.tolist(), [2, 0])
        foot = solid.at(far.cell[0], far.params[0])[:3]
        self.assertAlmostEqual(np.hypot.reduce(foot - [100, 0, 0]), far.residual[0], delta=2e-4)
        self.assertTrue((1 - 1.2e-6) * far.residual[0] < far.bound[0] <= far.residual[0])
        near = solid.locate([[100, 0, 0], where[0, 0]], tolerance=100)
        self.assertEqual(near.status.tolist(), [0, 0])
        self.assertEqual((near.cell[0], near.residual[0]), (far.cell[0], far.residual[0]))
        with self.assertRaises(ValueError):
            solid.locate(where, tolerance=-1)
        before = solid.locate(where[0, 0])
        solid.points = solid.points + np.array([1000, 0, 0, 0, 0], REAL)
        self.assertEqual(solid.locate(where[0, 0]).status, 2)
        self.assertEqual(before.status, 0)

    def test_integral(self):
        """Gauss points integrate regular cells; in others 8 of them leave an error, which
        refinement makes smaller (docs/guide/solid.md)."""
        def volume(solid, num):
            at, weight = np.polynomial.legendre.leggauss(num)
            values = solid.evaluate([(at + 1) / 2] * 3, attributes='jacobian')
            return np.einsum('cijk,i,j,k->', values.reshape(-1, num, num, num), *[weight / 2] * 3)
        points, cells = box(3, 3, 3, 0.1)
        bent = clspline.Solid(points, cells, creases=30.0)
        for num in 6, 9:
            self.assertAlmostEqual(volume(bent, num), volume(bent, 5), delta=1000 * tolerance(bent))
        points, cells = prism(5)
        solid = clspline.Solid(points, cells, creases=30.0)
        exact = 2 * 5 * np.sin(np.pi / 5)
        errors = [abs(volume(solid, num) - exact) for num in (4, 8)]
        fine = abs(volume(solid.refine(), 8) - exact)
        self.assertTrue(2e-5 < errors[1] < errors[0] / 2 < 2e-3, errors)
        self.assertTrue(1e-5 < fine < errors[1] / 2, (fine, errors))

    def test_weights(self):
        for points, cells in (box(3, 3, 3, 0.1), prism(3), prism(5)):
            solid = clspline.Solid(points, cells)
            for cell, params in ((0, [0, 0, 0]), (len(cells) - 1, [0.2, 0.7, 0.4])):
                indices, weights = solid.weights(cell, params)
                self.assertEqual(len(set(indices)), len(indices))
                self.assertAlmostEqual(weights.sum(), 1, delta=64 * EPS)
                np.testing.assert_allclose(weights @ solid.points[indices],
                                           solid.at(cell, params), atol=tolerance(solid))
            indices, weights = solid.weights(0, [0.3, 0.6, 0.4], by=(0, 1, 0))
            self.assertAlmostEqual(weights.sum(), 0, delta=1e-13)
            np.testing.assert_allclose(weights @ solid.points[indices],
                                       solid.at(0, [0.3, 0.6, 0.4], 'dv'),
                                       atol=tolerance(solid, 1e-10) * 10)

    def test_classes(self):
        points, cells = box(2, 2, 6)
        solid = clspline.Solid(points, cells)
        kinds = {}
        for each in solid.classes:
            self.assertIsInstance(each, clspline.SolidClass)
            self.assertGreaterEqual(each.num_points, 8)
            kinds[each.kind] = kinds.get(each.kind, 0) + each.num_cells
        self.assertEqual(kinds, {'regular': 0, 'layered': 16, 'irregular': 8})
        counted = np.bincount(solid.cell_classes, minlength=len(solid.classes))
        self.assertEqual(counted.tolist(), [each.num_cells for each in solid.classes])

    def test_many_grids(self):
        points, cells = box(1, 1, 1)
        solid = clspline.Solid(points, cells)
        first = solid.evaluate(2)
        for num in range(3, 10):
            solid.evaluate(num)
        np.testing.assert_array_equal(solid.evaluate(2), first)


class Kinds(unittest.TestCase):
    TETRAHEDRA = np.array([[0, 1, 2, 3], [1, 2, 3, 4]])
    POINTS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]], REAL)

    def volume(self, mesh):
        a, b, c = (mesh.vertices[mesh.faces[:, at]].astype(float) for at in range(3))
        return np.einsum('ij,ij', a, np.cross(b, c)) / 6

    def test_tetrahedra(self):
        solid = clspline.Solid(self.POINTS, self.TETRAHEDRA, 'tetra', orient=True)
        self.assertFalse(solid.counts.hexahedral)
        with self.assertRaisesRegex(clspline.ArgumentError, 'refine'):
            solid.evaluate(2)
        with self.assertRaisesRegex(clspline.ArgumentError, 'refine'):
            solid.cells
        limit = solid.refine(None)
        self.assertEqual(limit.num_cells, 8)
        self.assertEqual(limit.evaluate(2).shape, (8, 2, 2, 2, 3))
        np.testing.assert_allclose(limit.limits()[:5], solid.limits(), atol=tolerance(solid))
        self.assertGreater(self.volume(limit.mesh(4)), 0)

    def test_same_cells_said_otherwise(self):
        wanted = clspline.Solid(self.POINTS, self.TETRAHEDRA, 'tetra').limits()
        faces = [[[cell[at] for at in face] for face in
                  ((0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3))] for cell in self.TETRAHEDRA]
        stream = [number for cell in faces for number in
                  [4] + [number for face in cell for number in [3] + face]]
        for cells, kinds in (([('tetra', self.TETRAHEDRA)], None),
                             (self.TETRAHEDRA.ravel(), [10, 10]),
                             (self.TETRAHEDRA.ravel(), np.array([10, 10])),
                             (self.TETRAHEDRA.ravel(), ['tetrahedron', 'tetra']),
                             (faces, 'polyhedron'), ([('polyhedron4', faces)], None),
                             (stream, [42, 42])):
            solid = clspline.Solid(self.POINTS, cells, kinds)
            np.testing.assert_allclose(solid.limits(), wanted, atol=tolerance(solid))

    def test_wedge(self):
        points = np.array([[x, y, z] for z in (0, 1) for x, y in ((0, 0), (1, 0), (0, 1))], REAL)
        solid = clspline.Solid(points, [[0, 2, 1, 3, 5, 4]], 'wedge', creases=30)
        self.assertEqual(len(solid.creases), 9)
        limit = solid.refine(None)
        self.assertEqual(limit.num_cells, 6)
        self.assertAlmostEqual(self.volume(limit.mesh(2)), 0.5, places=5)

    def test_orient(self):
        points, cells = box(1, 1, 1)
        cells = cells[:, [4, 5, 6, 7, 0, 1, 2, 3]]
        turned = clspline.Solid(points, cells, orient=True)
        self.assertEqual(turned.counts.inside_out, 1)
        self.assertGreater(turned.evaluate(2, 'jacobian').min(), -1e-5)
        self.assertGreater(self.volume(turned.mesh(3)), 0)
        self.assertEqual(clspline.Solid(points, cells).cells.tolist(), cells.tolist())

    def test_fading_creases(self):
        points, cells = box(1, 1, 1)
        solid = clspline.Solid(points, cells, creases=30, sharpness=1.5, corners=[0])
        self.assertEqual(solid.counts.fading_steps, 2)
        with self.assertRaisesRegex(clspline.ArgumentError, 'fade'):
            solid.evaluate(2)
        limit = solid.refine(None)
        self.assertEqual(limit.num_cells, 64)
        self.assertEqual(limit.evaluate(2).shape, (64, 2, 2, 2, 3))
        np.testing.assert_allclose(limit.limits()[0], points[0], atol=1e-6)

    def test_closed_mesh(self):
        points, cells = prism(5)
        for faces, corners in (('triangles', 3), ('quads', 4)):
            mesh = clspline.Solid(points, cells).mesh(4, faces=faces)
            self.assertEqual(mesh.faces.shape[1], corners)
            edges = np.stack([mesh.faces, np.roll(mesh.faces, -1, axis=1)], axis=2).reshape(-1, 2)
            _, count = np.unique(np.sort(edges, axis=1), axis=0, return_counts=True)
            self.assertTrue((count == 2).all())
            self.assertEqual(len(np.unique(edges, axis=0)), len(edges))  # all turned alike
            self.assertEqual(len(np.unique(mesh.faces)), len(mesh.vertices))

    def test_mesh_normals(self):
        points, cells = box(2, 2, 2)
        mesh = clspline.Solid(points, cells).mesh(3, ('point', 'normal'))
        outward = mesh.vertices['point'] - 1
        cosine = np.einsum('ij,ij->i', outward, mesh.vertices['normal'])
        self.assertTrue((cosine > 0).all())

    def test_pickle(self):
        points, cells = prism(5)
        fine = clspline.Solid(points, cells, creases=30, corners=[1]).refine()
        again = pickle.loads(pickle.dumps(fine))
        np.testing.assert_array_equal(again.evaluate(3), fine.evaluate(3))
        self.assertEqual(repr(again), repr(fine))


@unittest.skipUnless(importlib.util.find_spec('meshio'), 'no meshio')
class Meshio(unittest.TestCase):
    def mesh(self):
        import meshio
        points, cells = box(2, 2, 1)
        points = np.concatenate([[[9, 9, 9]], points])  # one that no cell has
        return meshio.Mesh(
            points, [('hexahedron', cells + 1), ('triangle', [[0, 1, 2]]),
                     ('line', [[1, 2], [2, 3], [1, 18], [0, 1]])],
            point_data={'density': np.arange(19.), 'velocity': np.arange(57.).reshape(19, 3)})

    def test_from_meshio(self):
        solid = clspline.Solid.from_meshio(self.mesh(), ['density', 'velocity'])
        self.assertEqual((solid.num_cells, solid.num_patches, solid.dim), (4, 4, 7))
        self.assertIsInstance(solid.counts, clspline.SolidCounts)
        self.assertEqual(solid.fields, {'density': slice(3, 4), 'velocity': slice(4, 7)})
        self.assertEqual(solid.creases.tolist(), [[0, 1], [1, 2]])
        self.assertEqual(solid.points[:, 3].tolist(), list(range(1, 19)))
        back = solid.to_meshio()
        np.testing.assert_array_equal(back.point_data['velocity'], solid.points[:, 4:])
        self.assertEqual(back.cells[0].data.tolist(), solid.cells.tolist())
        again = clspline.Solid.from_meshio(back, 'density')
        self.assertEqual(again.dim, 4)

    def test_samples(self):
        solid = clspline.Solid.from_meshio(self.mesh(), creases=30)
        fine = solid.to_meshio((3, 2, 2))
        self.assertEqual(fine.points.shape, (4 * 12, 3))
        self.assertEqual(fine.cells[0].data.shape, (4 * 2, 8))
        self.assertEqual(fine.cell_data['cell'][0].tolist(), [0, 0, 1, 1, 2, 2, 3, 3])
        one = fine.points[fine.cells[0].data]
        edges = one[:, [1, 3, 4]] - one[:, :1]
        self.assertTrue((np.linalg.det(edges) > 0).all())

    def test_refused(self):
        import meshio
        with self.assertRaisesRegex(ValueError, 'no solid cells'):
            clspline.Solid.from_meshio(meshio.Mesh(np.zeros((3, 3)), [('triangle', [[0, 1, 2]])]))
        with self.assertRaisesRegex(KeyError, 'data'):
            clspline.Solid.from_meshio(self.mesh(), 'temperature')
        with self.assertRaisesRegex(ValueError, 'creases'):
            clspline.Solid.from_meshio(self.mesh(), creases='edges')


class BadInput(unittest.TestCase):
    def test_mesh(self):
        points, cells = box(1, 1, 1)
        make = clspline.Solid
        for error, arguments, options, words in (
                (ValueError, (points[:, 0], cells), {}, 'points'),
                (ValueError, (np.empty((0, 3)), cells), {}, 'points'),
                (ValueError, (np.zeros((8, 17)), cells), {}, 'points'),
                (TypeError, (points.astype(complex), cells), {}, 'points'),
                (TypeError, (points.astype(object), cells), {}, 'points'),
                (TypeError, (np.ma.masked_array(points), cells), {}, 'points'),
                (ValueError, (points, cells[:, :7]), {}, 'cells'),
                (TypeError, (points, cells + 0.5), {}, 'cells'),
                (IndexError, (points, cells - 1), {}, 'cells'),
                (clspline.ArgumentError, (points, cells + 1), {}, ''),
                (clspline.ArgumentError, (points, cells[:, [0] * 8]), {}, ''),
                (clspline.ArgumentError, (points, np.concatenate([cells, cells])), {}, ''),
                (clspline.ArgumentError, (points, np.empty((0, 8), int)), {}, ''),
                (IndexError, (points, cells + 1), {'creases': 30}, 'cells'),
                (ValueError, (points, cells, 'brick'), {}, 'kinds'),
                (ValueError, (points, cells.ravel(), [11]), {}, 'kinds'),
                (ValueError, (points, cells, [12]), {}, 'cells'),
                (ValueError, (points, [5] * 4, [42]), {}, 'cells: end'),
                (ValueError, (points, [4] + [3, 0, 1, 2] * 4 + [0], [42]), {}, 'cells: 18'),
                (ValueError, (points, [2 ** 32 - 1, 3], [42]), {}, 'cells: a polyhedron'),
                (ValueError, (points, [1, 2 ** 32 - 1], [42]), {'creases': 30}, 'cells: end'),
                (clspline.ArgumentError, (points, [0], [42]), {'creases': 30}, 'faces'),
                (clspline.ArgumentError, (points, [1, 0], [42]), {'creases': 30}, 'faces'),
                (ValueError, (points, cells.ravel()[:-1], [12]), {'creases': 30}, 'cells: 7'),
                (TypeError, (points, cells.ravel(), [12.0]), {}, 'kinds'),
                (ValueError, (points, cells.ravel(), np.array([13, 300])), {}, 'kinds'),
                (clspline.ArgumentError, (points, [[0, 1, 2, 3, 4]], 'pyramid'), {}, ''),
                (clspline.ArgumentError, (points, cells), {'creases': [[0, 6]]}, ''),
                (ValueError, (points, cells), {'creases': [0, 6]}, 'creases'),
                (ValueError, (points, cells), {'creases': 200}, 'creases'),
                (ValueError, (points[:, :2], cells), {'creases': 30}, 'creases'),
                (ValueError, (points, cells), {'creases': 30, 'sharpness': [1]}, 'sharpness'),
                (clspline.ArgumentError, (points, cells),
                 {'creases': [[0, 1]], 'sharpness': [np.nan]}, ''),
                (clspline.ArgumentError, (points, cells), {'corners': [99]}, ''),
                (TypeError, (points, cells), {'corners': [0.5]}, 'corners'),
                (TypeError, (points, cells), {'precision': np.float16}, 'precision')):
            with self.subTest(words=words, options=options), self.assertRaisesRegex(error, words):
                make(*arguments, **options)

    def test_calls(self):
        points, cells = box(2, 1, 1)
        solid = clspline.Solid(points, cells)
        wrong = np.empty((2, 2, 2, 2, 3), np.float16)
        read_only = np.empty((2, 2, 2, 2, 3), REAL)
        read_only.flags.writeable = False
        for error, call, words in (
                (ValueError, lambda: solid.evaluate(0), 'samples'),
                (TypeError, lambda: solid.evaluate(1.5), 'samples'),
                (ValueError, lambda: solid.evaluate((2, 2)), 'samples'),
                (clspline.ArgumentError, lambda: solid.evaluate((1025, 1, 1)), ''),
                (clspline.ArgumentError, lambda: solid.evaluate([[2.0], [0.0], [0.0]]), ''),
                (ValueError, lambda: solid.evaluate(2, domain=((0, 1),)), 'domain'),
                (ValueError, lambda: solid.evaluate(2, 'colour'), 'attributes'),
                (clspline.ArgumentError, lambda: solid.evaluate(2, 'curvature'), ''),
                (IndexError, lambda: solid.evaluate(2, cells=2), 'cells'),
                (ValueError, lambda: solid.evaluate(2, cells=slice(0, 2, 2)), 'cells'),
                (ValueError, lambda: solid.evaluate(2, out=wrong[0]), 'out'),
                (TypeError, lambda: solid.evaluate(2, out=np.empty((2, 2, 2, 2, 3), int)), 'out'),
                (ValueError, lambda: solid.evaluate(2, out=read_only), 'read-only'),
                (TypeError, lambda: solid.evaluate(2, out=[0]), 'out'),
                (IndexError, lambda: solid.at(2, [0, 0, 0]), 'cells'),
                (TypeError, lambda: solid.at(0.5, [0, 0, 0]), 'cells'),
                (ValueError, lambda: solid.at(0, [0, 0]), 'params'),
                (ValueError, lambda: solid.at([0, 1, 1], np.zeros((2, 3))), ''),
                (ValueError, lambda: solid.locate([0, 0]), 'points'),
                (ValueError, lambda: solid.locate([0, 0, 0], max_nodes=0), 'max_nodes'),
                (TypeError, lambda: solid.locate([0, 0, 0], max_nodes=1.5), 'max_nodes'),
                (ValueError, lambda: clspline.Solid(points[:, :2], cells).locate([0, 0, 0]),
                 'dim is 2'),
                (IndexError, lambda: solid.weights(2, [0, 0, 0]), 'cell'),
                (ValueError, lambda: solid.weights(0, [0, 0]), 'params'),
                (ValueError, lambda: solid.weights(0, [0, 0, 0], (1, 1, 1)), 'by'),
                (clspline.ArgumentError, lambda: solid.weights(0, [0, 0, np.nan]), ''),
                (clspline.ArgumentError, lambda: solid.weights(0, [0, 0, 2]), ''),
                (ValueError, lambda: solid.refine(-1), 'n'),
                (TypeError, lambda: solid.refine(1.5), 'n'),
                (TypeError, lambda: solid.mesh(2.5), 'samples'),
                (TypeError, lambda: solid.mesh((2, 2)), 'samples'),
                (TypeError, lambda: solid.weights([0, 1], [0, 0, 0]), 'cell'),
                (TypeError, lambda: solid.weights(0.5, [0, 0, 0]), 'cell'),
                (ValueError, lambda: solid.refine(rule='other'), 'rule'),
                (ValueError, lambda: solid.refine_points(points[1:]), 'points'),
                (ValueError, lambda: solid.limits('edges'), 'places'),
                (ValueError, lambda: solid.limits(out=np.empty((3, 3))), 'out'),
                (ValueError, lambda: solid.limits(points=points, out=points), 'overlaps'),
                (ValueError, lambda: solid.mesh(1), 'samples'),
                (ValueError, lambda: solid.mesh(4, faces='hexagons'), 'faces'),
                (ValueError, lambda: setattr(solid, 'points', points[1:]), 'points')):
            with self.subTest(words=words), self.assertRaisesRegex(error, words):
                call()
        self.assertEqual(solid.evaluate(2).shape, (2, 2, 2, 2, 3))

    def test_closed(self):
        with clspline.Context() as context:
            solid = clspline.Solid(*box(1, 1, 1), context=context)
            solid.evaluate(2)
        for call in (lambda: solid.evaluate(2), solid.refine, solid.limits,
                     lambda: solid.at(0, [0, 0, 0]), lambda: solid.weights(0, [0, 0, 0]),
                     lambda: solid.locate([0, 0, 0]), lambda: solid.classes,
                     lambda: solid.cell_classes):
            with self.assertRaises(clspline.StateError):
                call()


EXAMPLE = pathlib.Path(__file__).parents[2] / 'examples' / 'python' / 'solid_slice.py'


@unittest.skipUnless(EXAMPLE.exists(), 'no examples here')
class Example(unittest.TestCase):
    def test_slice(self):
        spec = importlib.util.spec_from_file_location('solid_slice', EXAMPLE)
        program = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(program)
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / 'slice.pgm'
            said = io.StringIO()
            with contextlib.redirect_stdout(said):
                program.main(str(file))
            image = file.read_bytes()
        self.assertIn('90 cells', said.getvalue())
        head, width, height, _, pixels = image.split(maxsplit=4)
        self.assertEqual((head, len(pixels)), (b'P5', int(width) * int(height)))
        # Three quarters of a ring whose edges are cubic splines around 10 corners in 270 degrees
        ring = 0.75 * np.pi * 3 * ((2 + np.cos(np.radians(27))) / 3) ** 2
        area = (np.frombuffer(pixels, np.uint8) > 0).sum() * 0.02 ** 2
        self.assertAlmostEqual(area, ring, delta=0.04)


if __name__ == '__main__':
    unittest.main()
