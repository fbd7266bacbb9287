#!/usr/bin/env python3
"""Evaluates Bezier surfaces by NumPy for clspline-bench, which starts it and compares itself with
it.

Points are two matrix products for each coordinate, R_u P R_v^T, a few patches at a time, into
arrays of their own: [3][patches][u][v]. Normals are unit vectors of the cross product of two more
of these.

Says first "numpy VERSION, BLAS" or "none REASON". Then it reads lines from stdin and answers each
with one:

  case ORDER SAMPLES PATCHES f32|f64 NORMALS   control points follow as doubles, in shape
                                               [patches][order][order][3]
  run                                          evaluates
  point PATCH A B                              x y z
"""
import math
import sys

CHUNK = 1 << 16  # points that are made together, so that what is between them stays in a cache


def blas_name(numpy):
    try:
        return numpy.show_config(mode='dicts')['Build Dependencies']['blas']['name']
    except (TypeError, KeyError):  # before NumPy 1.26
        info = getattr(numpy.__config__, 'blas_opt_info', None) or {}
        return '/'.join(info.get('libraries', ['unknown BLAS']))


def tables(numpy, order, samples, precision):
    """Bernstein values and their derivatives, [samples][order]."""
    t = numpy.arange(samples) / max(1, samples - 1)

    def values(degree):
        if degree < 0:
            return numpy.zeros((samples, 1))
        return numpy.stack([math.comb(degree, i) * t**i * (1 - t)**(degree - i)
                            for i in range(degree + 1)], 1)

    lower, none = values(order - 2), numpy.zeros((samples, 1))
    slopes = numpy.hstack([none, lower]) - numpy.hstack([lower, none]) if order > 1 else none
    return [numpy.ascontiguousarray(x, dtype=precision)
            for x in (values(order - 1), (order - 1) * slopes)]


class Surfaces:
    def __init__(self, numpy, words, stream):
        self.numpy = numpy
        order, samples, patches = (int(word) for word in words[:3])
        precision = {'f32': numpy.float32, 'f64': numpy.float64}[words[3]]
        count = patches * order * order * 3
        points = numpy.frombuffer(stream.read(8 * count), dtype=numpy.float64)
        points = points.reshape(patches, order, order, 3).transpose(3, 0, 1, 2)
        self.points = numpy.ascontiguousarray(points, dtype=precision)
        self.values, self.slopes = tables(numpy, order, samples, precision)
        self.patches = patches
        self.chunk = min(patches, max(1, CHUNK // (samples * samples)))
        self.out = numpy.zeros((3, patches, samples, samples), dtype=precision)
        self.normals = numpy.zeros_like(self.out) if int(words[4]) else None
        self.tangents = [numpy.zeros((3, self.chunk, samples, samples), dtype=precision)
                         for _ in range(2)]

    def sums(self, u, v, chunk, out):
        for c in range(3):
            self.numpy.matmul(self.numpy.matmul(u, self.points[c, chunk]), v.T, out=out[c])

    def run(self):
        for first in range(0, self.patches, self.chunk):
            chunk = slice(first, min(first + self.chunk, self.patches))
            self.sums(self.values, self.values, chunk, self.out[:, chunk])
            if self.normals is not None:
                self.make_normals(chunk)

    def make_normals(self, chunk):
        du, dv = (tangent[:, :chunk.stop - chunk.start] for tangent in self.tangents)
        n = self.normals[:, chunk]
        self.sums(self.slopes, self.values, chunk, du)
        self.sums(self.values, self.slopes, chunk, dv)
        for c in range(3):
            i, j = (c + 1) % 3, (c + 2) % 3
            self.numpy.multiply(du[i], dv[j], out=n[c])
            n[c] -= du[j] * dv[i]
        n /= self.numpy.sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2])


def answer(line):
    sys.stdout.write(line + '\n')
    sys.stdout.flush()


def main():
    try:
        import numpy
    except ImportError as error:
        answer(f'none {error}')
        return
    numpy.seterr(all='ignore')
    answer(f'numpy {numpy.__version__}, {blas_name(numpy)}')
    stream, surfaces = sys.stdin.buffer, None
    while line := stream.readline():
        words = line.decode().split()
        if words[0] == 'case':
            surfaces = None
            surfaces = Surfaces(numpy, words[1:], stream)
            answer('ready')
        elif words[0] == 'run':
            surfaces.run()
            answer('done')
        else:
            patch, a, b = (int(word) for word in words[1:])
            answer(' '.join(repr(float(x)) for x in surfaces.out[:, patch, a, b]))


if __name__ == '__main__':
    main()
