"""What the tests share: the device that they run on, one of OpenCL where there is any, else the
host, and plain oracles in extended precision."""
import os
import unittest

import numpy as np

import clspline

DEVICES = clspline.devices()  # the host is the last one
HAS_OPENCL = len(DEVICES) > 1
if HAS_OPENCL:  # the best device of it, which a CPU's is not by default
    os.environ.setdefault('CLSPLINE_DEVICE', ':')
HAS_FP64 = clspline.current().device.fp64
needs_fp64 = unittest.skipUnless(HAS_FP64, 'the device has no double precision')
REALS = (np.float32, np.float64) if HAS_FP64 else (np.float32,)


def need_opencl():
    """Skips a test of kernels or of memory of a device where there is no OpenCL. With OpenCL a
    context of the host is a mistake, by which such tests would be left out unnoticed."""
    if clspline.current().device.kind == 'host':
        if HAS_OPENCL:
            raise AssertionError('the context is of the host, and there is OpenCL')
        raise unittest.SkipTest('no OpenCL device')


def need_methods():
    """Skips a test of the published methods where the library is built without them, and the build
    has not said that they are there."""
    curve = clspline.BSpline(None, np.eye(4), 3, context=clspline.Context('host', limits=''))
    try:
        curve.project(np.zeros(4), method='mrep')
    except clspline.ArgumentError as error:
        if 'built without the published methods' not in str(error):
            return
    if os.environ.get('CLSPLINE_TEST_METHODS') == '1':
        raise AssertionError('the library and the build differ in the published methods')
    raise unittest.SkipTest('built without the published methods')


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
