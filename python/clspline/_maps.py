"""Affine maps, shapes and what else images are asked for, as callers give them."""
import math
import operator

import numpy as np

from ._context import Context, current
from ._errors import ArgumentError, ArgumentTypeError
from ._memory import numbers, real

_F64 = np.dtype(np.float64)


class RuleError(ArgumentError, RuntimeError):
    """An argument is out of its range, or of another shape than it has to be; SciPy has it as a
    RuntimeError."""


def context_of(context):
    """The context of the argument `context`."""
    if context is None:
        return current()
    if not isinstance(context, Context):
        raise ArgumentTypeError(f'context: a clspline.Context, not {type(context).__name__}')
    return context


def whole(value, name):
    """An int, of a whole number."""
    try:
        return operator.index(value)
    except TypeError:
        raise ArgumentTypeError(f'{name}: a whole number is wanted, not {value!r}') from None


def order_of(order):
    """A spline's order, 0 to 7."""
    order = whole(order, 'order')
    if not 0 <= order <= 7:
        raise RuleError(f'order: spline order not supported: {order}, of 0 to 7')
    return order


def mode_of(mode, modes):
    """One of the names of modes."""
    if not isinstance(mode, str) or mode not in modes:
        raise RuleError(f'mode: boundary mode not supported: {mode!r}, of {", ".join(modes)}')
    return str(mode)


def cval_of(cval):
    """The value beyond edges, a float."""
    if isinstance(cval, str) or np.iscomplexobj(cval):
        raise ArgumentTypeError(f'cval: must be real number, not {cval!r}')
    return real(cval, 'cval')


def sequence(values, num, name):
    """A list of num finite floats, of one or of as many."""
    kind = values.__class__
    if kind is float or kind is int or issubclass(kind, str) or not np.iterable(values):
        value = values if kind is float else real(values, name)
        if not math.isfinite(value):
            raise ArgumentError(f'{name}: not finite: {value}')
        return [value] * num
    if kind is np.ndarray:
        values = values.tolist()
    values = [real(value, name) for value in values]
    if len(values) != num:
        raise RuleError(f'{name}: sequence argument must have length equal to input rank: '
                        f'{len(values)}, not {num}')
    if not all(map(math.isfinite, values)):
        raise ArgumentError(f'{name}: not finite: {values}')
    return values


def shape_of(shape, name='output_shape'):
    """A tuple of sizes."""
    try:
        shape = tuple(map(operator.index, shape))
    except TypeError:
        raise ArgumentTypeError(f'{name}: a sequence of whole numbers, not {shape!r}') from None
    if shape and min(shape) < 0:
        raise ArgumentError(f'{name}: negative dimensions are not allowed: {shape}')
    return shape


def diagonal(factors):
    """The rows of a diagonal matrix."""
    if len(factors) == 2:
        return [[factors[0], 0.0], [0.0, factors[1]]]
    return [[factor if d == k else 0.0 for k in range(len(factors))]
            for d, factor in enumerate(factors)]


def _has_offset(matrix, num_in):
    """Is the offset a matrix's last column?"""
    if matrix.ndim != 2 or matrix.shape[1] != num_in + 1 or \
            matrix.shape[0] not in (num_in, num_in + 1):
        return False
    last = [0.0] * num_in + [1.0]
    if matrix.shape[0] > num_in and matrix[num_in].tolist() != last:
        raise ArgumentError(f'matrix: Expected homogeneous transformation matrix with shape '
                            f'{matrix.shape} whose bottom row is {last}')
    return True


def matrix_of(matrix, offset, num_in, num_out):
    """(rows, offset), lists of what the arguments `matrix` and `offset` of an affine map from
    num_out to num_in coordinates may be."""
    if matrix.__class__ is not np.ndarray or matrix.dtype is not _F64:
        matrix = np.asarray(numbers(matrix, 'matrix'), _F64)
    if num_in == num_out and matrix.shape == (num_in, num_in):
        return matrix.tolist(), sequence(offset, num_in, 'offset')
    if matrix.ndim not in (1, 2) or matrix.shape[0] < 1:
        raise RuleError(f'matrix: no proper affine matrix provided: shape {matrix.shape}')
    if _has_offset(matrix, num_in):
        offset = matrix[:num_in, num_in].tolist()
        matrix = matrix[:num_in, :num_in]
    if matrix.shape[0] != num_in:
        raise RuleError(f'matrix: affine matrix has wrong number of rows: {matrix.shape[0]}')
    if matrix.shape[-1] != num_out:
        raise RuleError(f'matrix: affine matrix has wrong number of columns: {matrix.shape[-1]}')
    rows = matrix.tolist()
    return rows if matrix.ndim == 2 else diagonal(rows), sequence(offset, num_in, 'offset')
