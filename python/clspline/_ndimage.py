"""How `clspline.ndimage` computes: values at maps and coordinates, coefficients, and what its
functions have in common."""
import functools
import math
import typing

import numpy as np

from . import _maps as maps
from . import _ndimage_arrays as arrays
from ._context import current
from ._errors import ArgumentError, ArgumentTypeError, NoDeviceError, NoFloat64Error
from ._image_plan import MODES, ORDERS, ImagePlan, Spec, pool_of
from ._maps import RuleError, context_of, cval_of, mode_of, order_of
from ._native import lib
from ._ndimage_arrays import UnsupportedError, is_lazy

NARROW = (np.dtype(np.float32), np.dtype(np.float16))  # of coordinates


_Function = typing.TypeVar('_Function', bound=typing.Callable[..., typing.Any])


def or_scipy(function: _Function) -> _Function:
    """Does for a function what its keyword `fallback` says."""
    name = function.__name__

    @functools.wraps(function)
    def call(*args, fallback=None, **keywords):
        if fallback is None:
            return function(*args, **keywords)
        if fallback != 'scipy':
            raise ArgumentError(f"fallback: None or 'scipy', not {fallback!r}")
        try:
            return function(*args, **keywords)
        except (UnsupportedError, NoFloat64Error, NoDeviceError):
            if keywords.pop('gradient', False):
                raise
            keywords.pop('precision', None)
            keywords.pop('context', None)
            import scipy.ndimage
            return getattr(scipy.ndimage, name)(*args, **keywords)
    return typing.cast(_Function, call)


def lazy():
    """The module of arrays of dask, which most programs do without."""
    from . import _dask
    return _dask


class Options:
    """What calls have in common: how values come about."""

    __slots__ = ('order', 'mode', 'cval', 'prefilter', 'gradient', 'precision', 'context',
                 'narrow', 'part', 'areas')

    def __init__(self, order, mode, cval, prefilter, gradient, precision, context):
        self.order = order if order.__class__ is int and 0 <= order <= 7 else order_of(order)
        self.mode = mode if mode.__class__ is str and mode in MODES else mode_of(mode, MODES)
        self.cval = cval
        self.prefilter = True if prefilter else False
        self.gradient = True if gradient else False
        self.precision = None if precision is None else arrays.asked_precision(precision)
        self.context = current() if context is None else context_of(context)
        self.narrow = True  # coordinates do not ask for more than float32
        self.part = None  # of which whole, as of a Spec, the input has the samples
        self.areas = False  # maps keep the outer edges of first samples


# ---- values at maps and coordinates ----

_BOTH = lib.CLSP_IMAGE_VALUE | lib.CLSP_IMAGE_GRADIENT


def _plan_of(context, spec):
    try:
        return ImagePlan(context, spec)
    except NoFloat64Error as error:
        raise NoFloat64Error(f"precision: {error}; 'float32' is there, and fallback='scipy' has "
                             'SciPy do it', error.status) from None


def spec_of(source, target, options, size, channels, cval):
    """What a plan is made by, of an image of some type and values of some type."""
    precision = arrays.precision(source, target, options.precision, options.narrow)
    return Spec(
        size, channels, 0, precision, arrays.samples_of(source, precision),
        precision if options.gradient else arrays.values_of(target, precision),
        ORDERS[options.order], MODES[options.mode], cval,
        lib.CLSP_IMAGE_RECURSIVE if options.prefilter else lib.CLSP_IMAGE_NONE, 0, 0, options.part)


def evaluate_images(array, out, options, place, directions, channels=1):
    """Writes the values of images [batch..., size..., channels] to out [batch..., size...,
    channels], through a plan that is the call's alone. place: (rows, offset, size) of a map, with
    its origin as a fourth or without, or coordinates [directions, num]."""
    shape = array.shape
    begin = array.ndim - (channels > 1) - directions
    size = shape[begin:begin + directions]
    cval, gradient = options.cval, options.gradient
    key = (size, channels, array.dtype, out.dtype, options.order, options.mode, options.prefilter,
           cval if cval == cval else None, gradient, options.precision, options.narrow)
    if options.part is not None:  # nobody asks for the same one again
        key = None
    pool = pool_of(options.context)
    plan = pool.take(key) if key else None
    if plan is None:
        plan = _plan_of(options.context, spec_of(array.dtype, out.dtype, options, size, channels,
                                                 cval))
    spec = plan.spec
    samples = arrays.as_type(array, spec.samples)
    target = out
    if gradient:
        target = np.empty(out.shape + (1 + directions,), spec.values)
    elif spec.values is not out.dtype and spec.values != out.dtype:
        target = np.empty(out.shape, spec.values)
    plan.compute(samples, math.prod(shape[:begin]) if begin else 1, place, options.areas,
                 _BOTH if gradient else 0, target)
    if key:
        pool.give(key, plan)
    else:
        plan.handle.close()
    if gradient:
        arrays.convert(target[..., 0], out)
        return np.moveaxis(target[..., 1:], -1, 0)
    if target is not out:
        arrays.convert(target, out)
    return None


def with_complex(array, out, options, evaluate):
    """Calls evaluate(array, out, options, channels) of real arrays: of complex ones with a last
    axis of 2 channels, or twice where cval asks for it."""
    cval = options.cval
    if array.dtype.kind != 'c':
        if cval.__class__ is not float:
            options.cval = cval_of(cval)
        return evaluate(array, out, options, 1)
    try:
        cval = complex(cval)
    except (TypeError, ValueError):
        raise ArgumentTypeError(f'cval: a number is wanted, not {cval!r}') from None
    if cval.real == cval.imag:
        options.cval = float(cval.real)
        gradient = evaluate(arrays.as_reals(array), arrays.as_reals(out), options, 2)
        return None if gradient is None else gradient[..., 0] + 1j * gradient[..., 1]
    gradients = []
    for part in ('real', 'imag'):
        options.cval = float(getattr(cval, part))
        work = np.empty(out.shape, getattr(out, part).dtype)
        gradients.append(evaluate(getattr(array, part), work, options, 1))
        getattr(out, part)[...] = work
    return None if gradients[0] is None else gradients[0] + 1j * gradients[1]


def apply(array, out, options, axes, place, channels):
    """Has a map, place, applied along some axes, in rising order; the others are a batch. Where
    channels are more than 1, the arrays have them as one axis more. Gives the gradient, or None."""
    ndim = array.ndim - (channels > 1)
    num = len(axes)
    if axes[-1] == ndim - 1 and axes[0] == ndim - num:
        return evaluate_images(array, out, options, place, num, channels)
    last = array.shape[ndim - 1] * channels
    if axes[-1] == ndim - 2 and axes[0] == ndim - 1 - num and last <= lib.CLSP_IMAGE_MAX_CHANNELS \
            and not options.gradient:
        tail = (last,) if last > 1 else ()
        return evaluate_images(
            array.reshape(array.shape[:ndim - 1] + tail),
            out.reshape(out.shape[:ndim - 1] + tail), options, place, num, last)
    batch = [axis for axis in range(ndim) if axis not in axes]
    order = batch + list(axes) + [ndim] * (channels > 1)
    turned = out.transpose(order)
    work = np.empty(turned.shape, out.dtype)
    gradient = evaluate_images(np.ascontiguousarray(array.transpose(order)), work, options, place,
                               num, channels)
    turned[...] = work
    return gradient


def moving_axes(size, out_size, ndim, rows, offset, options):
    """The axes along which values have to be computed, of 3 and more: those along which the map is
    not the identity, and perhaps some others."""
    smooths = options.order > 1 and not options.prefilter  # values at samples are others
    moving = [d for d in range(ndim)
              if smooths or options.gradient or size[d] != out_size[d]
              or offset[d] != 0 or rows[d][d] != 1
              or any(rows[d][k] or rows[k][d] for k in range(ndim) if k != d)]
    if len(moving) > 3:
        raise UnsupportedError(
            f'input: {ndim} dimensions, of which values are computed along {len(moving)}; the '
            "library has up to 3, and fallback='scipy' has SciPy do it")
    first, end = (moving[0], moving[-1] + 1) if moving else (ndim - 2, ndim)
    if end - first == 1:
        first, end = (first - 1, end) if first > 0 else (first, end + 1)
    if end - first > 3:
        return tuple(moving)
    if ndim == 3 and end < ndim and (end < 2 or size[2] > lib.CLSP_IMAGE_MAX_CHANNELS):
        return (0, 1, 2)
    return tuple(range(first, end))


def _transform(array, out, options, rows, offset):
    """Values at an affine map of all axes; rows: a list for each direction of the input, with a
    number for each of the output."""
    num_in, num_out = array.ndim, out.ndim
    if num_in < num_out:
        array = array.reshape((1,) * (num_out - num_in) + array.shape)
        rows = [[0.0] * num_out] * (num_out - num_in) + rows
        offset = [0.0] * (num_out - num_in) + offset
    elif num_in > num_out:
        out = out.reshape((1,) * (num_in - num_out) + out.shape)
        rows = [[0.0] * (num_in - num_out) + row for row in rows]
    num = array.ndim

    def evaluate(array, out, options, channels):
        if num <= 2:
            return evaluate_images(array, out, options, (rows, offset, out.shape), num, channels)
        axes = moving_axes(array.shape, out.shape, num, rows, offset, options)
        place = [[rows[d][k] for k in axes] for d in axes], [offset[d] for d in axes], \
            [out.shape[d] for d in axes]
        return apply(array, out, options, axes, place, channels)
    gradient = with_complex(array, out, options, evaluate)
    if gradient is None:
        return None
    return gradient[-num_in:].reshape((num_in,) + out.shape[max(num_in - num_out, 0):])


def finish(out, work, gradient):
    """What a call gives back, of an output and of what it was computed in."""
    if work is not out:
        out[...] = work
    return out if gradient is None else (out, gradient)


def is_empty(array, out, name='input'):
    """Is there nothing to compute? An input of nothing has no values."""
    if out.size == 0:
        return True
    if array.size == 0:
        raise ArgumentError(f'{name}: empty, of shape {array.shape}')
    return False


def empty_gradient(array, out, gradient):
    """The gradient of no points, where it was asked for."""
    return np.empty((array.ndim,) + out.shape) if gradient else None


def transformed(array, output, shape, options, rows, offset, axes=None):
    """What a function of an affine map gives back: of all axes, or of some, plane by plane."""
    if is_lazy(array):
        return lazy().transformed(array, output, shape, options, rows, offset, axes)
    out, work = arrays.output_of(output, array, shape)
    if is_empty(array, out):
        return finish(out, work, empty_gradient(array, out, options.gradient))
    if axes is None:
        return finish(out, work, _transform(array, work, options, rows, offset))
    place = rows, offset, [shape[axis] for axis in axes]
    with_complex(array, work, options, lambda array, out, options, channels:
                 apply(array, out, options, axes, place, channels))
    return finish(out, work, None)


def need_rank(array, shape):
    """Raises an error where there is no axis."""
    if array.ndim < 1 or len(shape) < 1:
        raise RuleError('input: input and output rank must be > 0')


def zoom_factors(shape, out_shape, grid_mode):
    """Distances of the output's points, in the input, along each axis."""
    factors = []
    less = 0 if grid_mode else 1
    for size, out_size in zip(shape, out_shape):
        last, out_last = size - less, out_size - less
        factor = last / out_last if out_last else 1.0
        if not grid_mode and factor * out_last > last:  # the last point would be outside
            factor = math.nextafter(factor, 0.0)
        factors.append(factor)
    return factors


def _direction(angle):
    """Cosine and sine of degrees, exact where they are 0, 1/2 or 1."""
    angle = math.remainder(angle, 360.0)
    quarters = round(angle / 90.0)
    rest = angle - 90.0 * quarters
    cosine, sine = math.cos(math.radians(rest)), math.sin(math.radians(rest))
    if abs(rest) == 30.0:
        sine = math.copysign(0.5, rest)
    for _ in range(quarters % 4):
        cosine, sine = -sine, cosine
    return cosine, sine


def turn(angle, height, width, reshape):
    """(rows, offset, size of the output) of a turn of a plane about its middle."""
    c, s = _direction(angle)
    size = height, width
    if reshape:
        size = (int(abs(c) * height + abs(s) * width + 0.5),
                int(abs(s) * height + abs(c) * width + 0.5))
    y, x = (size[0] - 1) / 2, (size[1] - 1) / 2
    offset = [(height - 1) / 2 - (c * y + s * x), (width - 1) / 2 - (c * x - s * y)]
    return [[c, s], [-s, c]], offset, size


def rotation_axes(axes, ndim):
    """A plane's two axes, in rising order."""
    axes = list(axes) if np.iterable(axes) else [axes]
    if len(axes) != 2:
        raise ArgumentError(f'axes: axes should contain exactly two values, not {axes}')
    one, other = axes
    if one.__class__ is not int or other.__class__ is not int:
        if not all(maps.real(axis, 'axes').is_integer() for axis in axes):
            raise ArgumentError(f'axes: axes should contain only integer values, not {axes}')
        one, other = int(one), int(other)
    one, other = one + ndim * (one < 0), other + ndim * (other < 0)
    if not 0 <= one < ndim or not 0 <= other < ndim or one == other:
        raise ArgumentError(f'axes: invalid rotation plane specified: {axes}')
    return (one, other) if one < other else (other, one)


# ---- coefficients ----

# As SciPy filters: modes that have no filter of their own take mirror or reflect
_FILTERS = {name: lib.CLSP_IMAGE_MIRROR for name in ('mirror', 'constant', 'grid-constant', 'wrap')}
_FILTERS.update({name: lib.CLSP_IMAGE_REFLECT for name in ('reflect', 'grid-mirror', 'nearest')})
_FILTERS['grid-wrap'] = lib.CLSP_IMAGE_GRID_WRAP


def filter_spec(size, order, mode, precision, samples, part=None):
    """What a plan of coefficients is made by."""
    return Spec(size, 1, 0, precision, samples, precision, ORDERS[order], mode, 0.0,
                lib.CLSP_IMAGE_RECURSIVE, 0, 0, part)


def _filter(array, directions, order, mode, precision, context, out=None, part=None):
    """Coefficients of real samples [batch..., size...]: in out where that can be, else in a new
    array. part: as of a Spec."""
    spec = filter_spec(array.shape[-directions:], order, mode, precision,
                       arrays.samples_of(array.dtype, precision), part)
    pool = pool_of(context)
    plan = pool.take(spec) or _plan_of(context, spec)
    if out is None or out.dtype != precision or not out.flags.carray:
        out = np.empty(array.shape, precision)
    samples = arrays.as_type(array, spec.samples)
    with plan.handle.lock:
        plan.load(plan.handle.get(), samples, math.prod(array.shape[:-directions]))
        plan.coefficients(out)
    pool.give(spec, plan)
    return out


def _filter_axis(array, axis, *how, out=None):
    """Coefficients along one axis: in out where that can be, else in a new array."""
    if axis == array.ndim - 1:
        return _filter(array, 1, *how, out)
    turned = np.ascontiguousarray(array.swapaxes(axis, -1))
    return _filter(turned, 1, *how).swapaxes(axis, -1)


def filter_one(array, out, axis, *how):
    """Coefficients along one axis; whole numbers are cut off, as SciPy does."""
    result = _filter_axis(array, axis, *how, out=out)
    if result is not out:
        with np.errstate(invalid='ignore'):
            out[...] = np.trunc(result) if out.dtype.kind == 'b' else result


def filter_all(array, out, order, mode, precision, context, part=None):
    """Coefficients along all axes, of up to 3 of them at once. part: as of a Spec, of up to 3."""
    how = order, mode, precision, context
    last = min(array.ndim, 3)
    if out.dtype.kind in 'iub':
        for axis in range(array.ndim):
            filter_one(array, out, axis, *how)
            array = out
        return
    array = _filter(array, last, *how, out, part)
    for axis in range(out.ndim - last):
        array = _filter_axis(array, axis, *how)
    if array is not out:
        out[...] = array


def filter_parts(function, array, out, *how):
    """Calls function(array, out, ...) of real arrays, twice of complex ones."""
    if array.dtype.kind != 'c':
        function(array, out, *how)
    else:
        function(array.real, out.real, *how)
        function(array.imag, out.imag, *how)


def filter_options(array, out, order, mode, precision, context):
    """What the filters take beside arrays."""
    order = order_of(order)
    return (order, _FILTERS[mode_of(mode, _FILTERS)],
            arrays.precision(array.dtype, out.dtype, arrays.asked_precision(precision)),
            context_of(context))
