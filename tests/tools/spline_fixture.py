"""B-splines by their definition, and .g2 files of them."""
import itertools
import math

from command_fixture import Case
from mesh_files import float32

EPS = {"f32": 2 ** -23, "f64": 2 ** -52}


def find_span(knots, degree, t):
    """The span that holds t; at the domain's end the last one that is not empty."""
    num = len(knots) - degree - 1
    last = max(i for i in range(degree, num) if knots[i] < knots[i + 1])
    inside = [i for i in range(degree, num) if knots[i] <= t < knots[i + 1]]
    return inside[-1] if inside else last


def de_boor(knots, degree, points, t):
    """A point of a curve in any coordinates."""
    span = find_span(knots, degree, t)
    d = [list(points[span - degree + i]) for i in range(degree + 1)]
    for r in range(1, degree + 1):
        for i in range(degree, r - 1, -1):
            low, high = knots[span - degree + i], knots[span + 1 + i - r]
            blend = (t - low) / (high - low)
            d[i] = [(1 - blend) * a + blend * b for a, b in zip(d[i - 1], d[i])]
    return d[degree]


def domain(knots, degree):
    return knots[degree], knots[len(knots) - degree - 1]


def samples(knots, degree, num):
    begin, end = domain(knots, degree)
    return [begin + (end - begin) * i / (num - 1) for i in range(num)]


class Spline:
    """A spline with homogeneous points, the last direction fastest."""

    def __init__(self, degrees, knots, points, rational=False):
        self.degrees, self.knots, self.points, self.rational = degrees, knots, points, rational
        self.sizes = [len(k) - p - 1 for k, p in zip(knots, degrees)]

    def point(self, *parameters):
        points = self.points
        for knots, degree, t in reversed(list(zip(self.knots, self.degrees, parameters))):
            size = len(knots) - degree - 1
            points = [de_boor(knots, degree, points[i:i + size], t)
                      for i in range(0, len(points), size)]
        point, = points
        return [x / point[-1] for x in point[:-1]] if self.rational else point

    def grid(self, num):
        axes = [samples(k, p, num) for k, p in zip(self.knots, self.degrees)]
        if len(axes) == 1:
            return [self.point(u) for u in axes[0]]
        return [self.point(u, v) for u in axes[0] for v in axes[1]]

    def g2(self):
        """The text of a .g2 object: the first direction fastest."""
        kind = {1: 100, 2: 200, 3: 700}[len(self.sizes)]
        text = "%d 1 0 0\n%d %d\n" % (kind, len(self.points[0]) - self.rational, self.rational)
        for size, degree, knots in zip(self.sizes, self.degrees, self.knots):
            text += "%d %d\n%s\n" % (size, degree + 1, " ".join("%.17g" % t for t in knots))
        nu, nv, nw = self.sizes + [1] * (3 - len(self.sizes))
        order = [(i * nv + j) * nw + k for k in range(nw) for j in range(nv) for i in range(nu)]
        return text + "".join(" ".join("%.17g" % x for x in self.points[at]) + "\n"
                              for at in order) + "\n"


def random_knots(chance, degree, size):
    """Clamped or not, with knots of higher multiplicity."""
    inner = sorted(chance.choice((0.5, 1, chance.uniform(0.2, 1.8)))
                   for _ in range(size - degree - 1))
    if chance.random() < 0.5:
        return [0.0] * (degree + 1) + inner + [2.0] * (degree + 1)
    low = sorted(chance.uniform(-2, 0) for _ in range(degree))
    high = sorted(chance.uniform(2, 3) for _ in range(degree))
    return low + [0.0] + inner + [2.0] + high


def random_spline(chance, degrees, sizes, dim, rational=False):
    knots = [random_knots(chance, p, n) for p, n in zip(degrees, sizes)]
    if any(max(map(k[p + 1:-p - 1].count, k[p + 1:-p - 1]), default=0) > max(p, 1)
           for k, p in zip(knots, degrees)):
        return random_spline(chance, degrees, sizes, dim, rational)  # one that jumps
    points = []
    for _ in range(math.prod(sizes)):
        point = [float32(chance.uniform(-1, 1)) for _ in range(dim)]
        w = float32(chance.uniform(0.5, 2))
        points.append([float32(x * w) for x in point] + [w] if rational else point)
    return Spline(list(degrees), knots, points, rational)


def read_g2(path):
    """The curves, surfaces and volumes of a .g2 file."""
    with open(path, encoding="ascii") as file:
        words = iter(file.read().split())
    splines = []
    for kind in words:
        directions = {"100": 1, "200": 2, "700": 3}[kind]
        assert (next(words), next(words), next(words)) == ("1", "0", "0")
        dim, rational = int(next(words)), int(next(words))
        sizes, degrees, knots = [1, 1, 1], [], []
        for k in range(directions):
            sizes[k], order = int(next(words)), int(next(words))
            degrees.append(order - 1)
            knots.append([float(next(words)) for _ in range(sizes[k] + order)])
        nu, nv, nw = sizes
        points = [None] * (nu * nv * nw)
        for k, j, i in itertools.product(range(nw), range(nv), range(nu)):  # u is the fastest
            points[(i * nv + j) * nw + k] = [float(next(words)) for _ in range(dim + rational)]
        splines.append(Spline(degrees, knots, points, bool(rational)))
    return splines


class SplineCase(Case):
    def check_near(self, found, expected, bound):
        self.assertEqual(len(found), len(expected))
        for p, q in zip(found, expected):
            self.assertLess(max(abs(a - b) for a, b in zip(p, q)), bound)
