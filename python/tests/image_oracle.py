"""Interpolation of images by textbook formulas in extended precision: no recursive filter, no line
of the library."""
import itertools

import numpy as np

REAL = np.longdouble
_PAD = 12  # samples before and behind, in the modes that SciPy pads


def basis(order, x):
    """The central B-spline of that order, by its recursion."""
    x = np.asarray(x, REAL)
    if order == 0:
        return ((x >= -0.5) & (x < 0.5)).astype(REAL)
    half = REAL(order + 1) / 2
    return ((half + x) * basis(order - 1, x + REAL(0.5))
            + (half - x) * basis(order - 1, x - REAL(0.5))) / order


def slope(order, x):
    """Its derivative."""
    x = np.asarray(x, REAL)
    return basis(order - 1, x + REAL(0.5)) - basis(order - 1, x - REAL(0.5))


def fold(k, size, mode):
    """Where whole numbers k lie in an image of size samples that continues by mirror, reflect,
    grid-wrap or nearest."""
    k = np.asarray(k)
    if mode == 'nearest':
        return np.clip(k, 0, size - 1)
    if mode == 'grid-wrap':
        return k % size
    if mode == 'reflect':
        k = k % (2 * size)
        return np.where(k < size, k, 2 * size - 1 - k)
    if size == 1:
        return np.zeros_like(k)
    k = k % (2 * size - 2)
    return np.where(k < size, k, 2 * size - 2 - k)


def coefficients_along(samples, order, mode, axis):
    """Coefficients along an axis, from the equations that say that the spline meets its samples."""
    samples = np.moveaxis(np.asarray(samples, REAL), axis, 0)
    size = samples.shape[0]
    reach = (order + 1) // 2
    matrix = np.zeros((size, size), REAL)
    for offset in range(-reach, reach + 1):
        at = fold(np.arange(size) + offset, size, mode)
        np.add.at(matrix, (np.arange(size), at), basis(order, REAL(-offset)))
    solved = _solve(matrix, samples.reshape(size, -1)).reshape(samples.shape)
    return np.moveaxis(solved, 0, axis)


def _solve(matrix, right):
    """Gauss's elimination with pivots, in extended precision."""
    matrix, right = matrix.copy(), right.copy()
    size = len(matrix)
    for k in range(size):
        pivot = k + np.argmax(np.abs(matrix[k:, k]))
        matrix[[k, pivot]], right[[k, pivot]] = matrix[[pivot, k]], right[[pivot, k]]
        factor = matrix[k + 1:, k:k + 1] / matrix[k, k]
        matrix[k + 1:] -= factor * matrix[k]
        right[k + 1:] -= factor * right[k]
    for k in reversed(range(size)):
        right[k] = (right[k] - matrix[k, k + 1:] @ right[k + 1:]) / matrix[k, k]
    return right


FILTERS = {'constant': 'mirror', 'wrap': 'mirror', 'grid-constant': 'mirror', 'nearest': 'reflect',
           'grid-mirror': 'reflect'}


def coefficients(samples, order, mode, axes=None):
    """Coefficients as scipy.ndimage.spline_filter makes them."""
    for axis in range(np.ndim(samples)) if axes is None else axes:
        samples = coefficients_along(samples, order, FILTERS.get(mode, mode), axis)
    return np.asarray(samples, REAL)


class Spline:
    """A line, image or volume, as the functions of scipy.ndimage have it."""

    def __init__(self, samples, order, mode, cval=0.0, prefilter=True):
        self.order, self.mode, self.cval = order, mode.replace('grid-mirror', 'reflect'), cval
        samples = np.asarray(samples, REAL)
        self.size = samples.shape
        self.pad = _PAD if prefilter and order > 1 and mode in ('nearest', 'grid-constant') else 0
        if self.pad:
            samples = np.pad(samples, self.pad, **(
                {'mode': 'edge'} if mode == 'nearest' else {'constant_values': cval}))
        self.c = coefficients(samples, order, mode) if prefilter and order > 1 else samples
        self.scale = max(float(np.abs(self.c).max()), abs(cval) if np.isfinite(cval) else 0.0)

    def _place(self, x, size):
        """Coordinates within what coefficients there are, and where there is cval."""
        with np.errstate(invalid='ignore'):
            outside = ~np.isfinite(x)
            if self.mode == 'constant':
                outside |= (x < 0) | (x > size - 1)
        x = np.where(outside, 0, x)
        if self.mode == 'nearest':
            x = np.clip(x, -2 * _PAD, size + 2 * _PAD)  # taps are the outermost coefficient there
        elif self.mode == 'wrap':
            period = max(size - 1, 1)
            x = np.where((x < 0) | (x > size - 1), x - period * np.floor(x / period), x)
            x = x if size > 1 else np.zeros_like(x)
        elif self.mode in ('mirror', 'reflect') and self.order == 0:
            x = self._fold(x, size)
        return x + self.pad, outside

    def _fold(self, x, size):
        if self.mode == 'mirror':
            period = max(2 * size - 2, 1)
            x = x - period * np.floor(x / period)
            return np.minimum(x, period - x) if size > 1 else np.zeros_like(x)
        x = x + REAL(0.5)
        x = x - 2 * size * np.floor(x / (2 * size))
        return np.minimum(x, 2 * size - x) - REAL(0.5)

    def _taps(self, x, direction, derivative):
        """[(indices, weights)] along a direction; indices of -1 are the constant."""
        length = self.c.shape[direction]
        if self.order == 0:
            first, num = np.floor(x + REAL(0.5)), 1
        else:
            first = np.floor(x - REAL(self.order - 1) / 2)
            num = self.order + 1
        mode = FILTERS.get(self.mode, self.mode)
        taps = []
        for step in range(num):
            k = (first + step).astype(np.int64)
            if self.order == 0:
                weight = np.zeros_like(x) if derivative else np.ones_like(x)
            else:
                weight = (slope if derivative else basis)(self.order, x - k)
            if self.mode == 'grid-constant':
                at = np.where((k < 0) | (k >= length), -1, k)
            else:
                at = fold(k, length, 'nearest' if self.mode == 'nearest' else mode)
            taps.append((at, weight))
        return taps

    def at(self, coordinates, derivative=None):
        """Values at coordinates [directions, ...], or their derivative along a direction."""
        coordinates = np.asarray(coordinates, REAL)
        outside = np.zeros(coordinates.shape[1:], bool)
        taps = []
        for d, size in enumerate(self.size):
            x, beyond = self._place(coordinates[d], size)
            outside |= beyond
            taps.append(self._taps(x, d, d == derivative))
        total = np.zeros(coordinates.shape[1:], REAL)
        for some in itertools.product(*taps):
            known = np.ones_like(outside)
            weight = np.ones_like(total)
            for at, one in some:
                known &= at >= 0
                weight = weight * one
            at = tuple(np.where(known, at, 0) for at, _ in some)
            total += weight * np.where(known, self.c[at], REAL(self.cval))
        return np.where(outside, 0 if derivative is not None else REAL(self.cval), total)


def affine(rows, offset, shape):
    """Coordinates of an affine map of the indices of an output of that shape."""
    index = np.indices(shape).astype(REAL)
    return np.einsum('dk,k...->d...', np.asarray(rows, REAL), index) + \
        np.asarray(offset, REAL).reshape((-1,) + (1,) * len(shape))
