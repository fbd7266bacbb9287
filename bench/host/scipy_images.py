#!/usr/bin/env python3
"""Interpolation of images by scipy.ndimage or CuPy's, for the suite image of clspline-bench.

usage: scipy_images.py scipy|cupy

Answers with the name and version of the module, then reads commands, a line each:

  case N D       an image of N samples along each of D directions, which follow as float32 in C
                 order, and a turn by 10 degrees in the last two; answers ready
  run WAY        filter: coefficients; linear: order 1; ready: order 3 of coefficients; cubic:
                 order 3; answers done when the result is there
  value NUMBER   of the last result
"""
import math
import sys


def load(name):
    """The module with arrays, its ndimage, and what waits for the device."""
    if name == "cupy":
        import cupy
        import cupyx.scipy.ndimage as ndimage
        cupy.zeros(1).sum().item()  # fails where there is no device
        return cupy, ndimage, cupy.cuda.Device().synchronize, cupy.__version__
    import numpy
    import scipy
    from scipy import ndimage
    return numpy, ndimage, lambda: None, scipy.__version__


class Images:
    def __init__(self, numpy, ndimage, samples):
        self.ndimage, self.samples, self.made = ndimage, samples, None
        angle = math.radians(10)
        turn = [[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]]
        matrix = numpy.eye(samples.ndim)
        matrix[-2:, -2:] = numpy.asarray(turn)
        middle = (numpy.asarray(samples.shape) - 1) / 2
        self.matrix, self.offset = matrix, middle - matrix @ middle
        self.coefficients = ndimage.spline_filter(samples, order=3, output=samples.dtype,
                                                  mode="mirror")

    def run(self, way):
        if way == "filter":
            self.made = self.ndimage.spline_filter(self.samples, order=3, output=self.samples.dtype,
                                                   mode="mirror")
            return
        source = self.coefficients if way == "ready" else self.samples
        self.made = self.ndimage.affine_transform(source, self.matrix, self.offset,
                                                  order=1 if way == "linear" else 3,
                                                  mode="mirror", prefilter=way == "cubic",
                                                  output=source.dtype)


def answer(line):
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main():
    try:
        numpy, ndimage, wait, version = load(sys.argv[1])
    except Exception as error:  # pylint: disable=broad-except
        answer("none " + str(error).split("\n", maxsplit=1)[0][:100])
        return
    answer("%s %s" % (sys.argv[1], version))
    stream, images = sys.stdin.buffer, None
    while line := stream.readline():
        words = line.decode().split()
        if words[0] == "case":
            size, directions = int(words[1]), int(words[2])
            images = None
            body = stream.read(4 * size ** directions)
            samples = numpy.frombuffer(body, dtype=numpy.float32)
            images = Images(numpy, ndimage, samples.reshape((size,) * directions))
            wait()
            answer("ready")
        elif words[0] == "run":
            images.run(words[1])
            wait()
            answer("done")
        else:
            answer(repr(float(images.made.ravel()[int(words[1])])))


if __name__ == "__main__":
    main()
