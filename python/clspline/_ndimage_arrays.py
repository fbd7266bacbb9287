"""Arrays of `clspline.ndimage`: which types they are computed in, and how results become others."""
import sys
import warnings

import numpy as np

from ._errors import ArgumentError, ArgumentTypeError, Error
from ._image_plan import SAMPLES
from ._maps import RuleError
from ._memory import dtype_of, is_device_array

__all__ = ['UnsupportedError', 'as_reals', 'as_type', 'asked_precision', 'convert', 'input_of',
           'is_lazy', 'new_dtype', 'output_of', 'precision', 'samples_of', 'values_of']

_U8, _S16, _F32, _F64 = (np.dtype(kind) for kind in (np.uint8, np.int16, np.float32, np.float64))
_NARROW = frozenset(np.dtype(kind) for kind in (np.int8, np.uint8, np.float16, np.float32,
                                                np.complex64))
_DIRECT = frozenset(SAMPLES)
# types that others stand for without loss
_SAMPLES = {np.dtype(np.int8): _S16, np.dtype(np.bool_): _U8}
_VALUES = {np.dtype(np.int8): _S16}
_MAX_BYTES = 8  # of a real number
_ROUNDING = {_F32: 2.0 ** -16, _F64: 2.0 ** -40}  # beside 1


class UnsupportedError(Error, NotImplementedError):
    """What SciPy has and the library has not; ``fallback='scipy'`` has SciPy do it."""


def _refuse(kind, name):
    if kind.kind in 'fc' and kind.itemsize > _MAX_BYTES * (1 + (kind.kind == 'c')):
        raise UnsupportedError(f'{name}: {kind}; at most 64 bits a number')
    raise ArgumentTypeError(f'{name}: numbers are wanted, not {kind}')


def _check_type(kind, name):
    if kind.kind not in 'fiubc' or kind.kind in 'fc' and \
            kind.itemsize > _MAX_BYTES * (1 + (kind.kind == 'c')):
        _refuse(kind, name)


def is_lazy(array):
    """Is it an array of dask? Nobody has one without having imported that."""
    module = sys.modules.get('dask.array')
    return module is not None and isinstance(array, module.Array)


def input_of(value, name='input'):
    """A NumPy array of numbers of what the caller gave, or an array of dask."""
    if value.__class__ is not np.ndarray and not is_lazy(value):
        if isinstance(value, np.ma.MaskedArray):
            raise ArgumentTypeError(f'{name}: a masked array, whose mask would be lost; fill it '
                                    'first')
        if is_device_array(value):
            raise ArgumentTypeError(f'{name}: an array of PyOpenCL; clspline.Image takes those')
        if not hasattr(value, '__array__') and hasattr(value, '__dlpack__'):
            value = np.from_dlpack(value)
        try:
            value = np.asarray(value)
        except ValueError as error:
            raise ArgumentError(f'{name}: {error}') from None
    if value.dtype not in _DIRECT:
        _check_type(value.dtype, name)
    return value


def new_dtype(output, array):
    """The dtype of an output that is to be made."""
    is_complex = array.dtype.kind == 'c'
    if output is None:
        return array.dtype.newbyteorder('=')
    dtype = dtype_of(output, 'output')
    _check_type(dtype, 'output')
    if is_complex and dtype.kind != 'c':
        if isinstance(output, str):
            raise RuleError('output: must have complex dtype')
        warnings.warn('promoting specified output dtype to complex', stacklevel=6)
        dtype = np.promote_types(dtype, np.complex64)
    return dtype


def output_of(output, array, shape, *inputs):
    """(the array that the call gives back, the one in C order that it computes). They differ where
    the caller's output is not of a kind that the library writes to."""
    if output is None and array.dtype in _DIRECT:
        out = np.empty(shape, array.dtype)
        return out, out
    if output is None or isinstance(output, (type, np.dtype, str)):
        out = np.empty(shape, new_dtype(output, array))
    else:
        out = _checked(output, array, shape)
    if out.dtype.kind == 'c' and array.dtype.kind != 'c':
        raise RuleError('output: data type not supported: complex, of real numbers')
    if out.flags.carray and out.dtype.isnative and \
            not any(np.may_share_memory(out, other) for other in inputs):
        return out, out
    return out, np.empty(shape, out.dtype.newbyteorder('='))


def _checked(output, array, shape):
    if not isinstance(output, np.ndarray):
        raise ArgumentTypeError(f'output: a dtype or a NumPy array, not {type(output).__name__}')
    if isinstance(output, np.ma.MaskedArray):
        raise ArgumentTypeError('output: a masked array')
    if output.shape != shape:
        raise RuleError(f'output: shape not correct: {output.shape}, not {shape}')
    if not output.flags.writeable:
        raise ArgumentError('output: array is read-only')
    _check_type(output.dtype, 'output')
    if array.dtype.kind == 'c' and output.dtype.kind != 'c':
        raise RuleError('output: must have complex dtype')
    return output


def as_reals(array):
    """Complex numbers as pairs of real ones, in a last axis; a copy where they are not in C order
    or not native."""
    dtype = array.dtype.newbyteorder('=')
    array = np.ascontiguousarray(array, dtype)
    return array.view(_F32 if dtype.itemsize == 8 else _F64).reshape(array.shape + (2,))


# ---- types ----

def asked_precision(asked):
    """The dtype of the argument `precision`, or None."""
    if asked is None:
        return None
    dtype = dtype_of(asked, 'precision')
    if dtype != _F32 and dtype != _F64:
        raise ArgumentTypeError(f'precision: float32 or float64, not {dtype}')
    return dtype


def precision(source, target, asked, narrow=True):
    """The dtype to compute in: the one that was asked for, where it is not None. narrow:
    coordinates do not ask for more than float32."""
    if asked is None:
        return _F32 if narrow and source in _NARROW and target in _NARROW else _F64
    return asked


def samples_of(source, computed):
    """The type in which the library gets real numbers: their own where it has that, or one that
    holds them, else float64 as SciPy has them."""
    if source not in _DIRECT or source == _F64 and computed == _F32:
        return _SAMPLES.get(source, computed)
    return source


def as_type(array, dtype):
    """The array itself, where it is in C order and of that type, else a copy."""
    flags = array.flags
    if array.dtype is dtype and flags.c_contiguous and flags.aligned:
        return array
    if dtype is _U8 and array.dtype.kind == 'b':
        array = array.view(_U8)
    return np.require(array, dtype, 'CA')


def values_of(target, computed):
    """The type in which the library gives values that become those of `target`."""
    dtype = target if target in _DIRECT else _VALUES.get(target, computed)
    return _F32 if dtype == _F64 and computed == _F32 else dtype


def convert(values, out):
    """Writes values to an array of another type, by SciPy's rules: whole numbers are rounded, with
    halves away from 0, and saturate, NaN becomes 0; bool is True of magnitudes from 1, or nearly 1,
    on."""
    kind = out.dtype.kind
    if kind == 'b':
        np.greater_equal(np.abs(values), 1 - _ROUNDING[values.dtype], out=out)
    elif kind in 'iu' and values.dtype.kind == 'f':
        _round(values, out)
    elif out.dtype == np.int8:
        np.copyto(out, np.clip(values, -128, 127), casting='unsafe')
    else:
        np.copyto(out, values, casting='unsafe')


def _round(values, out):
    limits = np.iinfo(out.dtype)
    least, largest = float(limits.min), float(limits.max)  # of 64 bits: one more than it is
    whole = np.copysign(0.5, values)
    whole += values
    if values.size == 0 or values.min() > least and values.max() < largest - 1:
        np.copyto(out, whole, casting='unsafe')
        return
    beyond, below = whole >= largest, whole <= least
    whole[beyond | below | np.isnan(whole)] = 0
    np.copyto(out, whole, casting='unsafe')
    out[beyond] = limits.max
    out[below] = limits.min
