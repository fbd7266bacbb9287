"""The functions of ``scipy.ndimage`` that interpolate, on any OpenCL device and on the host.

Signatures, defaults, dtypes and results are SciPy's; docs/guide/python.md lists what differs. All
of them take these keywords beside SciPy's:

precision : dtype, optional
    float32 or float64, of the arithmetic. Default: float32 where both input and output are 8 bits,
    float16, float32 or complex64 (and coordinates at most float32), else float64.
context : clspline.Context, optional
    Default: `clspline.current`.
fallback : {None, 'scipy'}
    What becomes of a call that is none of the library's, or for which there is no device: an
    exception, or SciPy's own function.

All but `spline_filter1d` take arrays of dask too, and give such.

Those that give values take ``gradient=True`` too: they then return a tuple of the result and of its
gradient by the input's coordinates, an array of shape ``(input.ndim,) + result.shape`` in floating
point.

Examples
--------
>>> import numpy as np
>>> from clspline import ndimage
>>> ramp = np.arange(12.0).reshape(3, 4)
>>> ndimage.shift(ramp, (1, 0), order=1)
array([[0., 0., 0., 0.],
       [0., 1., 2., 3.],
       [4., 5., 6., 7.]])
>>> ndimage.map_coordinates(ramp, [[0.5, 2], [0.5, 1]], order=1)
array([2.5, 9. ])
"""
from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING

import numpy as np

from . import _maps as maps
from . import _memory as memory
from . import _ndimage as inner
from . import _ndimage_arrays as arrays
from ._errors import ArgumentError, ArgumentTypeError
from ._ndimage_arrays import UnsupportedError

if TYPE_CHECKING:
    from ._context import Context
    from ._hints import Any, Array, ArrayLike, DTypeLike, Sequence

__all__ = ['affine_transform', 'map_coordinates', 'rotate', 'shift', 'spline_filter',
           'spline_filter1d', 'zoom', 'clear_plans', 'UnsupportedError']


def clear_plans(context: Context | None = None) -> None:
    """Ends the plans that are kept for further calls, and so frees their memory.

    Calls keep at most 32 plans and 256 MiB of coefficients for each context.

    Parameters
    ----------
    context : clspline.Context, optional
        Default: `clspline.current`.
    """
    inner.pool_of(maps.context_of(context)).clear()


@inner.or_scipy
def affine_transform(input: ArrayLike, matrix: ArrayLike, offset: ArrayLike = 0.0,
                     output_shape: Sequence[int] | None = None, output: Any = None, order: int = 3,
                     mode: str = 'constant', cval: complex = 0.0, prefilter: bool = True, *,
                     gradient: bool = False, precision: DTypeLike | None = None,
                     context: Context | None = None, fallback: str | None = None) -> Any:
    """``scipy.ndimage.affine_transform``: values at ``matrix @ o + offset`` for each index o.

    Parameters
    ----------
    input : array_like
    matrix : array_like
        Of shape (ndim, ndim), (ndim,) for a diagonal one, or (ndim, ndim + 1) and (ndim + 1,
        ndim + 1) with the offset as its last column.
    offset : float or sequence, optional
    output_shape : tuple of int, optional
    output : numpy.ndarray or dtype, optional
    order : int, optional
        0 to 7; SciPy has them to 5.
    mode : {'constant', 'nearest', 'mirror', 'reflect', 'grid-mirror', 'wrap', 'grid-wrap', \
            'grid-constant'}, optional
    cval : scalar, optional
    prefilter : bool, optional
    gradient, precision, context, fallback :
        See `clspline.ndimage`.

    Returns
    -------
    numpy.ndarray
        With `gradient`, a tuple of it and of the gradient.

    Examples
    --------
    >>> import numpy as np
    >>> from clspline import ndimage
    >>> ndimage.affine_transform(np.arange(5.0), [[0.5]], output_shape=(4,), order=1)
    array([0. , 0.5, 1. , 1.5])
    """
    array = arrays.input_of(input)
    options = inner.Options(order, mode, cval, prefilter, gradient, precision, context)
    if output_shape is not None:
        shape = maps.shape_of(output_shape)
    else:
        shape = output.shape if isinstance(output, np.ndarray) else array.shape
    inner.need_rank(array, shape)
    rows, offset = maps.matrix_of(matrix, offset, array.ndim, len(shape))
    return inner.transformed(array, output, shape, options, rows, offset)


@inner.or_scipy
def shift(input: ArrayLike, shift: ArrayLike, output: Any = None, order: int = 3,
          mode: str = 'constant', cval: complex = 0.0, prefilter: bool = True, *,
          gradient: bool = False, precision: DTypeLike | None = None,
          context: Context | None = None, fallback: str | None = None) -> Any:
    """``scipy.ndimage.shift``: values at ``o - shift`` for each index o.

    Parameters
    ----------
    input : array_like
    shift : float or sequence
    output, order, mode, cval, prefilter, gradient, precision, context, fallback :
        As of `affine_transform`.

    Returns
    -------
    numpy.ndarray

    Examples
    --------
    >>> import numpy as np
    >>> from clspline import ndimage
    >>> ndimage.shift(np.array([1, 2, 3, 4]), 1, cval=9)
    array([9, 1, 2, 3])
    """
    array = arrays.input_of(input)
    options = inner.Options(order, mode, cval, prefilter, gradient, precision, context)
    ndim = array.ndim
    inner.need_rank(array, array.shape)
    offset = [-by for by in maps.sequence(shift, ndim, 'shift')]
    return inner.transformed(array, output, array.shape, options, maps.diagonal([1.0] * ndim),
                             offset)


@inner.or_scipy
def zoom(input: ArrayLike, zoom: ArrayLike, output: Any = None, order: int = 3,
         mode: str = 'constant', cval: complex = 0.0, prefilter: bool = True, *,
         grid_mode: bool = False, gradient: bool = False, precision: DTypeLike | None = None,
         context: Context | None = None, fallback: str | None = None) -> Any:
    """``scipy.ndimage.zoom``: more, or fewer, samples along each axis.

    Parameters
    ----------
    input : array_like
    zoom : float or sequence
        Factor by which the number of samples grows.
    grid_mode : bool, optional
        Samples are areas, whose edges stay. Default: first and last samples stay.
    output, order, mode, cval, prefilter, gradient, precision, context, fallback :
        As of `affine_transform`.

    Returns
    -------
    numpy.ndarray

    Examples
    --------
    >>> import numpy as np
    >>> from clspline import ndimage
    >>> ndimage.zoom(np.array([0.0, 3.0, 6.0]), 5 / 3, order=1)
    array([0. , 1.5, 3. , 4.5, 6. ])
    """
    array = arrays.input_of(input)
    options = inner.Options(order, mode, cval, prefilter, gradient, precision, context)
    ndim = array.ndim
    inner.need_rank(array, array.shape)
    factors = maps.sequence(zoom, ndim, 'zoom')
    shape = tuple([round(size * factor) for size, factor in zip(array.shape, factors)])
    if min(shape) < 0:
        raise ArgumentError(f'zoom: negative dimensions are not allowed: {shape}')
    if prefilter and not gradient and factors == [1.0] * ndim:
        if arrays.is_lazy(array):
            return inner.lazy().copied(array, output)
        out, _ = arrays.output_of(output, array, shape)
        out[...] = array
        return out
    if grid_mode and mode in ('constant', 'wrap'):
        warnings.warn(f'It is recommended to use mode = grid-{mode} instead of {mode} when '
                      'grid_mode is True.', stacklevel=3)
    factors = inner.zoom_factors(array.shape, shape, grid_mode)
    options.areas = bool(grid_mode)
    offset = [0.5 * factor - 0.5 for factor in factors] if grid_mode else [0.0] * ndim
    return inner.transformed(array, output, shape, options, maps.diagonal(factors), offset)


@inner.or_scipy
def rotate(input: ArrayLike, angle: float, axes: Sequence[int] = (1, 0), reshape: bool = True,
           output: Any = None, order: int = 3, mode: str = 'constant', cval: complex = 0.0,
           prefilter: bool = True, *, gradient: bool = False, precision: DTypeLike | None = None,
           context: Context | None = None, fallback: str | None = None) -> Any:
    """``scipy.ndimage.rotate``: turns the planes of two axes about their middle.

    Parameters
    ----------
    input : array_like
        Of 2 axes or more.
    angle : float
        In degrees.
    axes : tuple of int, optional
    reshape : bool, optional
        The output has room for all of the input.
    output, order, mode, cval, prefilter, precision, context, fallback :
        As of `affine_transform`.
    gradient : bool, optional
        Of images of 2 axes alone.

    Returns
    -------
    numpy.ndarray

    Examples
    --------
    >>> import numpy as np
    >>> from clspline import ndimage
    >>> ndimage.rotate(np.array([[1.0, 2, 3], [4, 5, 6]]), 90, order=1)
    array([[3., 6.],
           [2., 5.],
           [1., 4.]])
    """
    array = arrays.input_of(input)
    options = inner.Options(order, mode, cval, prefilter, gradient, precision, context)
    if array.ndim < 2:
        raise ArgumentError('input: input array should be at least 2D')
    if gradient and array.ndim > 2:
        raise UnsupportedError(f'gradient: of {array.ndim} axes; turn images of 2 axes')
    one, other = axes = inner.rotation_axes(axes, array.ndim)
    if not math.isfinite(maps.real(angle, 'angle')):
        raise ArgumentError(f'angle: not finite: {angle}')
    shape = array.shape
    rows, offset, size = inner.turn(angle, shape[one], shape[other], reshape)
    if array.ndim == 2:
        return inner.transformed(array, output, size, options, rows, offset)
    shape = shape[:one] + size[:1] + shape[one + 1:other] + size[1:] + shape[other + 1:]
    return inner.transformed(array, output, shape, options, rows, offset, axes)


@inner.or_scipy
def map_coordinates(input: ArrayLike, coordinates: ArrayLike, output: Any = None, order: int = 3,
                    mode: str = 'constant', cval: complex = 0.0, prefilter: bool = True, *,
                    gradient: bool = False, precision: DTypeLike | None = None,
                    context: Context | None = None, fallback: str | None = None) -> Any:
    """``scipy.ndimage.map_coordinates``: values at coordinates of the caller's.

    Parameters
    ----------
    input : array_like
        Of 1 to 3 axes.
    coordinates : array_like
        Of shape (input.ndim, ...).
    output, order, mode, cval, prefilter, gradient, precision, context, fallback :
        As of `affine_transform`.

    Returns
    -------
    numpy.ndarray
        Of shape coordinates.shape[1:].

    Examples
    --------
    >>> import numpy as np
    >>> from clspline import ndimage
    >>> values, slope = ndimage.map_coordinates(np.arange(5.0) ** 2, [[1.0, 1.5]], mode='mirror',
    ...                                         gradient=True)
    >>> values.round(3), slope.shape
    (array([1.   , 2.339]), (1, 2))
    """
    array = arrays.input_of(input)
    options = inner.Options(order, mode, cval, prefilter, gradient, precision, context)
    if np.iscomplexobj(coordinates):
        raise ArgumentTypeError('coordinates: Complex type not supported')
    if not arrays.is_lazy(coordinates):
        coordinates = memory.numbers(coordinates, 'coordinates')
    shape = coordinates.shape[1:]
    inner.need_rank(array, shape)
    ndim = array.ndim
    if coordinates.shape[0] != ndim:
        raise maps.RuleError('coordinates: invalid shape for coordinate array: '
                             f'{coordinates.shape}, of an input of {ndim} axes')
    if ndim > 3:
        raise UnsupportedError(f"input: {ndim} dimensions; the library has up to 3, and "
                               "fallback='scipy' has SciPy do it")
    if arrays.is_lazy(array) or arrays.is_lazy(coordinates):
        return inner.lazy().at_coordinates(array, coordinates, output, options)
    out, work = arrays.output_of(output, array, shape, coordinates)
    if inner.is_empty(array, out):
        return inner.finish(out, work, inner.empty_gradient(array, out, gradient))
    options.narrow = coordinates.dtype in inner.NARROW
    coordinates = coordinates.reshape(ndim, -1)

    def evaluate(array, out, options, channels):
        return inner.evaluate_images(array, out.reshape((-1,) + (2,) * (channels > 1)), options,
                                     coordinates, ndim, channels)
    slope = inner.with_complex(array, work, options, evaluate)
    return inner.finish(out, work, None if slope is None else slope.reshape((ndim,) + shape))


@inner.or_scipy
def spline_filter(input: ArrayLike, order: int = 3, output: Any = np.float64, mode: str = 'mirror',
                  *, precision: DTypeLike | None = None, context: Context | None = None,
                  fallback: str | None = None) -> Array:
    """``scipy.ndimage.spline_filter``: the coefficients of splines along all axes.

    Parameters
    ----------
    input : array_like
    order : int, optional
        2 to 5.
    output : numpy.ndarray or dtype, optional
    mode, precision, context, fallback :
        As of `affine_transform`.

    Returns
    -------
    numpy.ndarray
        Of the input's shape.

    Examples
    --------
    >>> import numpy as np
    >>> from clspline import ndimage
    >>> ndimage.spline_filter(np.ones((2, 3))).round(12)
    array([[1., 1., 1.],
           [1., 1., 1.]])
    """
    if not 2 <= maps.order_of(order):
        raise maps.RuleError(f'order: spline order not supported: {order}, of 2 to 5')
    array = arrays.input_of(input)
    if arrays.is_lazy(array):
        return inner.lazy().filtered(array, output, order, mode, precision, context)
    out, _ = arrays.output_of(output, array, array.shape)
    how = inner.filter_options(array, out, order, mode, precision, context)
    if array.ndim == 0 or array.size == 0:
        out[...] = array
        return out
    inner.filter_parts(inner.filter_all, array, out, *how)
    return out


@inner.or_scipy
def spline_filter1d(input: ArrayLike, order: int = 3, axis: int = -1, output: Any = np.float64,
                    mode: str = 'mirror', *, precision: DTypeLike | None = None,
                    context: Context | None = None, fallback: str | None = None) -> Array:
    """``scipy.ndimage.spline_filter1d``: the coefficients of splines along one axis.

    Parameters
    ----------
    input : array_like
    order : int, optional
        0 to 7; of 0 and 1 coefficients are the samples.
    axis : int, optional
    output : numpy.ndarray or dtype, optional
    mode, precision, context, fallback :
        As of `affine_transform`.

    Returns
    -------
    numpy.ndarray
        Of the input's shape.

    Examples
    --------
    >>> import numpy as np
    >>> from clspline import ndimage
    >>> ndimage.spline_filter1d(np.array([[0.0, 6.0, 0.0]])).round(12)
    array([[-6., 12., -6.]])
    """
    array = arrays.input_of(input)
    if arrays.is_lazy(array):
        raise UnsupportedError('input: an array of dask; spline_filter takes those')
    out, _ = arrays.output_of(output, array, array.shape)
    how = inner.filter_options(array, out, order, mode, precision, context)
    if how[0] <= 1 or array.size == 0:
        out[...] = array
        return out
    axis = maps.whole(axis, 'axis')
    if not -array.ndim <= axis < array.ndim:
        raise ArgumentError(f'axis: {axis} is out of bounds for array of dimension {array.ndim}')
    inner.filter_parts(inner.filter_one, array, out, axis % array.ndim, *how)
    return out
