"""What the tests share: the device that they run on, and plain oracles in extended precision."""
import unittest

import numpy as np

import clspline

DEVICES = clspline.devices()
needs_device = unittest.skipUnless(DEVICES, 'no OpenCL device')
HAS_FP64 = bool(DEVICES) and clspline.current().device.fp64
needs_fp64 = unittest.skipUnless(HAS_FP64, 'the device has no double precision')
REALS = (np.float32, np.float64) if HAS_FP64 else (np.float32,)


def eps(dtype):
    return float(np.finfo(dtype).eps)


def de_casteljau(control, params):
    """Points of a Bezier patch [p + 1, ..., coordinates] at parameters [num, directions]."""
    control = np.asarray(control, np.longdouble)
    values = np.broadcast_to(control, (len(params),) + control.shape)
    for direction in range(params.shape[1]):
        t = np.asarray(params[:, direction], np.longdouble)
        t = t.reshape((-1,) + (1,) * (values.ndim - 2))
        while values.shape[1] > 1:
            values = (1 - t[:, np.newaxis]) * values[:, :-1] + t[:, np.newaxis] * values[:, 1:]
        values = values[:, 0]
    return values


def cox_de_boor(t, n, k, x):
    """Values [num, n] of the basis functions of degree k over knots t, those of the last span at
    the domain's end."""
    t, x = np.asarray(t, np.longdouble), np.asarray(x, np.longdouble)
    last = max(at for at in range(k, n) if t[at] < t[at + 1])
    spans = np.array([min(max(np.searchsorted(t, one, 'right') - 1, k), last) for one in x])
    basis = np.zeros((len(x), len(t) - 1), np.longdouble)
    basis[np.arange(len(x)), spans] = 1
    for degree in range(1, k + 1):
        for at in range(len(t) - 1 - degree):
            left, right = t[at + degree] - t[at], t[at + degree + 1] - t[at + 1]
            one = (x - t[at]) / left * basis[:, at] if left > 0 else 0
            two = (t[at + degree + 1] - x) / right * basis[:, at + 1] if right > 0 else 0
            basis[:, at] = one + two
    return basis[:, :n]


def clamped(n, k, begin=0.0, end=1.0):
    """Uniform knots whose ends stand k + 1 times."""
    inner = np.linspace(begin, end, n - k + 1)[1:-1]
    return np.concatenate(([begin] * (k + 1), inner, [end] * (k + 1)))
