"""Arrays as memory that the library reads and writes.

Everything that calls take goes through here: what an array may be, and what is an exception that
names the argument. Inputs are converted where that loses nothing that the caller would miss;
outputs never are.
"""
import numpy as np

from ._errors import ArgumentError, ArgumentIndexError, ArgumentTypeError
from ._native import ffi, lib

TYPES = {
    np.dtype(np.float32): lib.CLSP_F32,
    np.dtype(np.float64): lib.CLSP_F64,
    np.dtype(np.float16): lib.CLSP_F16,
    np.dtype(np.uint8): lib.CLSP_U8,
    np.dtype(np.uint16): lib.CLSP_U16,
    np.dtype(np.int16): lib.CLSP_S16,
    np.dtype(np.uint32): lib.CLSP_U32,
}


_READ_ONLY = 4  # CL_MEM_READ_ONLY


def is_device_array(value):
    """Is it a pyopencl.array.Array, or one of its kind?"""
    return hasattr(value, 'base_data') and hasattr(value, 'offset') and hasattr(value, 'queue')


def numbers(value, name):
    """An array of real numbers of what the caller gave. Lists and what NumPy can look at in place
    are taken; masks, complex numbers and objects are a TypeError."""
    if isinstance(value, np.ma.MaskedArray):
        raise ArgumentTypeError(f'{name}: a masked array, whose mask would be lost; fill it first')
    if not hasattr(value, '__array__') and hasattr(value, '__dlpack__'):
        value = np.from_dlpack(value)
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise ArgumentError(f'{name}: {error}') from None
    if array.dtype.kind not in 'fiub':
        raise ArgumentTypeError(f'{name}: real numbers are wanted, not {array.dtype}')
    return array


def dtype_of(value, name):
    """A dtype of what stands for one."""
    try:
        return np.dtype(value)
    except TypeError as error:
        raise ArgumentTypeError(f'{name}: {error}') from None


def precision_of(array, context, precision=None):
    """The dtype to compute in: `precision` where it is given, else float64 of what is float64, or
    of integers where the device has double precision; else float32."""
    if precision is not None:
        dtype = dtype_of(precision, 'precision')
        if dtype not in (np.float32, np.float64):
            raise ArgumentTypeError(f'precision: float32 or float64, not {dtype}')
        return dtype
    if array.dtype == np.float64 or array.dtype.kind in 'iub' and context.device.fp64:
        return np.dtype(np.float64)
    if array.dtype.itemsize > 8:
        raise ArgumentTypeError(f'precision: say float64 or float32 for numbers of {array.dtype}')
    return np.dtype(np.float32)


def points(value, name):
    """What `numbers` gives, or an array of PyOpenCL as it is."""
    return value if is_device_array(value) else numbers(value, name)


def contiguous(value, name, dtype):
    """What `numbers` gives, in C order and that dtype; a copy where it has to be."""
    return np.asarray(numbers(value, name), dtype, order='C')


def whole(value, name):
    """An int of what is one."""
    if isinstance(value, (bool, np.bool_)) or not hasattr(value, '__index__') or np.ndim(value):
        raise ArgumentTypeError(f'{name}: a whole number is wanted, not {value!r}')
    return value.__index__()


def real(value, name):
    """A float, of a real number or of its name."""
    try:
        return float(value)
    except TypeError:
        raise ArgumentTypeError(f'{name}: a real number is wanted, not {value!r}') from None
    except (ValueError, OverflowError) as error:
        raise ArgumentError(f'{name}: {error}') from None


def workers_of(value):
    """A number of threads as the library takes it; 0 is none."""
    num = whole(value, 'workers')
    if not 0 <= num <= lib.CLSP_MAX_WORKERS:
        raise ArgumentError(f'workers: 0 to {lib.CLSP_MAX_WORKERS}, not {num}')
    return num or lib.CLSP_NO_WORKERS


def choice(value, known, name):
    """What one of the known names stands for."""
    if not isinstance(value, str) or value not in known:
        raise ArgumentError(f'{name}: one of {", ".join(known)}, not {value!r}')
    return known[value]


def pair(value, name, kind=float):
    """Two numbers, as of an interval."""
    try:
        one, other = map(kind, value)
    except (TypeError, ValueError):
        raise ArgumentError(f'{name}: two numbers are wanted, not {value!r}') from None
    return one, other


def broadcast(array, shape, name):
    """An array of that shape, in C order."""
    try:
        return np.ascontiguousarray(np.broadcast_to(array, shape)).reshape(shape)
    except ValueError:
        raise ArgumentError(f'{name}: shape {array.shape}, for points of shape {shape}') from None


def indices(value, name, limit):
    """An array of uint32 of whole numbers from 0 to below limit; negative ones count from it."""
    array = numbers(value, name)
    if array.dtype.kind not in 'iu' and array.size:
        raise ArgumentTypeError(f'{name}: whole numbers are wanted, not {array.dtype}')
    if array.size and (array.min() < -limit or array.max() >= limit):
        raise ArgumentIndexError(f'{name}: {array.min()} to {array.max()}, of {limit}')
    if array.size and array.min() < 0:
        array = np.where(array < 0, array + limit, array)
    return np.asarray(array, np.uint32, order='C')


def range_of(items, name, num, batch):
    """(first, count, leading shape) of some of num items: None for all of a batch, a slice without
    a step, or one of them."""
    if items is None:
        return 0, num, batch
    if isinstance(items, slice):
        first, end, step = items.indices(num)
        if step != 1:
            raise ArgumentError(f'{name}: a slice without a step')
        count = max(end - first, 0)
        return (first, count, (count,)) if count else (0, 0, (0,))
    try:
        first = items.__index__()
    except AttributeError:
        raise ArgumentTypeError(f'{name}: a whole number or a slice, not {items!r}') from None
    if not -num <= first < num:
        raise ArgumentIndexError(f'{name}: {first}, of {num}')
    return first % num, 1, ()


_INPUT, _OUTPUT = ffi.typeof('clsp_input *'), ffi.typeof('clsp_output *')
_NO_INPUT = ffi.new(_INPUT)


def no_input():
    """The clsp_input of what there is not."""
    return _NO_INPUT[0]


class Input:
    """A clsp_input, `.struct`, with what it points to. Arrays of PyOpenCL are read where they are;
    others have to be of NumPy, in C order, as `contiguous` makes them."""

    __slots__ = ('struct', '_kept')

    def __init__(self, array, name='input'):
        struct = ffi.new(_INPUT)
        if is_device_array(array):
            _set_device(struct, array, name, TYPES.get(array.dtype), array.dtype.itemsize)
            self._kept = struct, array
        else:
            memory = ffi.from_buffer(array)
            struct.type = TYPES[array.dtype]
            struct.host = memory
            struct.size = array.size
            self._kept = struct, memory
        self.struct = struct[0]


def need_array(out, name):
    """Raises a TypeError where an output is no array."""
    if not isinstance(out, np.ndarray) and not is_device_array(out):
        raise ArgumentTypeError(f'{name}: a NumPy array, or one of PyOpenCL, not '
                                f'{type(out).__name__}')


def checked_output(out, name, dtype, shape):
    """Raises what is wrong with an output that the caller gave: it is of that dtype and shape, in C
    order, writable, and no copy of it is ever made."""
    need_array(out, name)
    if isinstance(out, np.ma.MaskedArray):
        raise ArgumentTypeError(f'{name}: a masked array')
    if out.dtype != dtype:
        raise ArgumentTypeError(f'{name}: dtype {dtype} is wanted, not {out.dtype}')
    if out.shape != shape:
        raise ArgumentError(f'{name}: shape {shape} is wanted, not {out.shape}')
    if not out.flags.c_contiguous:
        raise ArgumentError(f'{name}: not contiguous in C order')
    if isinstance(out, np.ndarray) and not out.flags.writeable or \
            getattr(getattr(out, 'base_data', None), 'flags', 0) & _READ_ONLY:
        raise ArgumentError(f'{name}: read-only')
    return out


def refuse_overlap(out, name, **inputs):
    """Raises a ValueError where the output shares memory with an input."""
    for other, array in inputs.items():
        if isinstance(out, np.ndarray) and isinstance(array, np.ndarray):
            overlap = np.may_share_memory(out, array) and np.shares_memory(out, array)
        else:
            overlap = is_device_array(out) and is_device_array(array) and \
                _overlap(_span(out), _span(array))
        if overlap:
            raise ArgumentError(f'{name}: overlaps {other}')


def _span(array):
    """(buffer, first byte, end) of an array of PyOpenCL; of SVM all have one buffer, memory."""
    data = array.base_data
    if hasattr(data, 'int_ptr'):
        return data.int_ptr, array.offset, array.offset + array.nbytes
    first = getattr(data, 'svm_ptr', 0) + array.offset
    return None, first, first + array.nbytes


def _overlap(one, other):
    return one[0] == other[0] and one[1] < other[2] and other[1] < one[2]


class Output:
    """A clsp_output, `.struct`, that `checked_output` has looked at. element: the dtype of an
    element where the array's is one of several."""

    __slots__ = ('struct', '_kept')

    def __init__(self, array, name='out', element=None):
        struct = ffi.new(_OUTPUT)
        element = element or array.dtype
        if is_device_array(array):
            _set_device(struct, array, name, TYPES[element], element.itemsize)
            self._kept = struct, array
        else:
            memory = ffi.from_buffer(array)
            struct.type = TYPES[element]
            struct.host = memory
            struct.size = array.nbytes // element.itemsize
            self._kept = struct, memory
        self.struct = struct[0]


def _set_device(struct, array, name, kind, item_bytes):
    if kind is None:
        raise ArgumentTypeError(f'{name}: {array.dtype} is no type of the library')
    if not array.flags.c_contiguous:
        raise ArgumentError(f'{name}: not contiguous in C order')
    data = array.base_data
    if array.offset % item_bytes:
        raise ArgumentError(f'{name}: begins at byte {array.offset}, within an element')
    struct.type = kind
    struct.offset = array.offset // item_bytes
    if hasattr(data, 'int_ptr'):
        struct.buffer = ffi.cast('cl_mem', data.int_ptr)
    elif hasattr(data, 'svm_ptr'):
        struct.svm = ffi.cast('void *', data.svm_ptr)
        struct.size = data.size // item_bytes
    else:
        raise ArgumentTypeError(f'{name}: memory of {type(data).__name__} is unknown here')
