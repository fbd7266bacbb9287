"""Attributes of vertices, and how arrays hold them."""
import numpy as np

from ._errors import ArgumentError, ArgumentTypeError
from ._memory import TYPES, contiguous, pair
from ._native import ffi, lib

# name: its bit
BITS = {name: getattr(lib, 'CLSP_VERTEX_' + name.upper())
        for name in ('point', 'weight', 'du', 'dv', 'dw', 'duu', 'duv', 'dvv', 'normal', 'params',
                     'curvature', 'duw', 'dvw', 'dww', 'jacobian')}
_SCALARS = ('weight', 'jacobian')


def _has(name, dim, directions, is_solid):
    """Does a vertex of such splines have that attribute?"""
    if name[0] == 'd':
        return set(name[1:]) <= set('uvw'[:directions])
    bends = dim == 3 or dim == 2 and directions == 1
    return {'weight': not is_solid, 'normal': dim == 3 and directions > 1,
            'curvature': bends and not is_solid, 'jacobian': dim == 3 and is_solid}.get(name, True)


def names_of(attributes, *of):
    """A tuple of names of what the argument `attributes` of a call may be: a name or several. of:
    the rest of what `_has` takes."""
    if not np.iterable(attributes):
        raise ArgumentTypeError(f'attributes: a name or several, not {attributes!r}')
    names = (attributes,) if isinstance(attributes, str) else tuple(attributes)
    known = [name for name in BITS if _has(name, *of)]
    for name in names:
        if not isinstance(name, str) or name not in known:
            raise ArgumentError(f'attributes: {name!r} is none of {", ".join(known)}')
    if not names or len(set(names)) != len(names):
        raise ArgumentError('attributes: at least one, and none twice')
    return names


def shape_of(name, dim, directions):
    """The shape of an attribute of one vertex."""
    if name in _SCALARS:
        return ()
    return ({'params': directions, 'curvature': min(directions, 2)}.get(name, dim),)


class Layout:
    """Where the attributes of a vertex stand.

    dtype is of a vertex: an element's with the shape of the only attribute (`tail`), or a
    structured one, which a caller's output may have with gaps and other fields of its own.
    """

    def __init__(self, names, dtype, dim, directions, element):
        shapes = [shape_of(name, dim, directions) for name in names]
        self.names = names
        self.tail = shapes[0] if len(names) == 1 and dtype.names is None else ()
        self.element = element if dtype.names is None else _element_of(names, dtype, shapes)
        if dtype.names is None and len(names) > 1:
            dtype = np.dtype([(name, element, shape) for name, shape in zip(names, shapes)])
        self.dtype = dtype
        self.offsets, self.stride = self._offsets(shapes)
        # what two layouts that one plan can make have in common
        self.key = self.element, self.stride, tuple(self.offsets.items())

    def _offsets(self, shapes):
        size = self.element.itemsize
        if self.dtype.names is None:
            return {self.names[0]: 0}, int(np.prod(shapes[0], dtype=int))
        offsets = {name: self.dtype.fields[name][1] for name in self.names}
        if any(offset % size for offset in offsets.values()) or self.dtype.itemsize % size:
            raise ArgumentTypeError(f'out: fields of {self.dtype} begin within elements of '
                                    f'{self.element}')
        return {name: offset // size for name, offset in offsets.items()}, \
            self.dtype.itemsize // size

    def struct(self):
        """The clsp_vertex_layout as what cffi makes one of."""
        offset = [0] * lib.CLSP_VERTEX_MAX_ATTRIBUTES
        bits = 0
        for name, at in self.offsets.items():
            bits |= BITS[name]
            offset[BITS[name].bit_length() - 1] = at
        return {'attributes': bits, 'type': TYPES[self.element], 'stride': self.stride,
                'offset': offset}


def _element_of(names, dtype, shapes):
    """The type of the fields of a structured dtype, which must be that of vertices."""
    missing = [name for name in names if name not in dtype.names]
    if missing:
        raise ArgumentTypeError(f'out: has no field {missing[0]!r}')
    bases = [dtype.fields[name][0] for name in names]
    for name, base, shape in zip(names, bases, shapes):
        if base.shape != shape or base.base != bases[0].base:
            raise ArgumentTypeError(f'out: field {name!r} is {base}, not {shape} of '
                                    f'{bases[0].base}')
    if bases[0].base not in (np.float16, np.float32, np.float64):
        raise ArgumentTypeError(f'out: fields of {bases[0].base}')
    return bases[0].base


def axis_struct(samples, interval, name, kept):
    """A clsp_axis as what cffi makes one of, and how many samples it has. samples: their number, or
    an array of parameters."""
    if not hasattr(samples, '__len__') or getattr(samples, 'ndim', 1) == 0:
        num = _number(samples, name)
        begin, end = (0.0, 0.0) if interval is None else pair(interval, 'domain')
        return {'num': num, 'begin': begin, 'end': end}, num
    params = contiguous(samples, name, np.float64)
    if params.ndim != 1 or params.size == 0:
        raise ArgumentError(f'{name}: a number of samples, or a list of parameters for each '
                            'direction')
    if interval is not None:
        raise ArgumentError(f'{name}: parameters beside an interval')
    memory = ffi.from_buffer('double[]', params)
    kept.append(memory)
    return {'num': params.size, 'params': memory}, params.size


def _number(samples, name):
    if isinstance(samples, (bool, np.bool_)) or not hasattr(samples, '__index__'):
        raise ArgumentTypeError(f'{name}: a number of samples, not {samples!r}')
    num = samples.__index__()
    if num < 1 or num >= 2 ** 32:
        raise ArgumentError(f'{name}: {num} samples')
    return num
