"""Arrays of dask in `clspline.ndimage`: tasks that each make a part of the output, from the samples
that it needs and no more, with the bits of a single call.

The client's device says which samples those are. Workers have to have devices of the same kind.
"""
import functools
import itertools
import math
import operator

import numpy as np

from . import _maps as maps
from . import _ndimage as inner
from . import _ndimage_arrays as arrays
from ._context import current
from ._errors import ArgumentError, ArgumentTypeError, check
from ._image_plan import ImagePlan
from ._native import ffi, lib
from ._ndimage_arrays import UnsupportedError

_POINTS = 1 << 20  # of a list of coordinates, that a task makes


def _check(array, context, name='input'):
    """Raises an error for what only arrays in memory can be."""
    if any(math.isnan(size) for size in array.shape):
        raise ArgumentError(f'{name}: an array of dask that does not know its size; its '
                            'compute_chunk_sizes() finds it')
    if array.size == 0:
        raise ArgumentError(f'{name}: empty, of shape {array.shape}')
    if context is not current():
        raise ArgumentError('context: none for arrays of dask; each worker takes its own, as the '
                            'environment variable CLSPLINE_DEVICE says')


def _check_options(array, options):
    """Checks what values are made with."""
    if options.gradient:
        raise UnsupportedError('gradient: not of arrays of dask')
    if array.dtype.kind != 'c':
        options.cval = maps.cval_of(options.cval)


def _dtype_of(output, array):
    """The dtype of the output, which is never memory here."""
    if output is not None and not isinstance(output, (type, np.dtype, str)):
        raise ArgumentTypeError('output: a dtype, for arrays of dask, not '
                                f'{type(output).__name__}')
    dtype = arrays.new_dtype(output, array)
    if dtype.kind == 'c' and array.dtype.kind != 'c':
        raise maps.RuleError('output: data type not supported: complex, of real numbers')
    return dtype


# ---- what tasks do ----

def _joined(pieces):
    """One array of pieces, in nested lists."""
    only = pieces
    while isinstance(only, list) and len(only) == 1:
        only = only[0]
    return np.block(pieces) if isinstance(only, list) else np.asarray(only)


def _options(how, part):
    order, mode, cval, prefilter, precision, areas = how
    options = inner.Options(order, mode, cval, prefilter, False, precision, None)
    options.part, options.areas = part, areas
    return options


def _make_values(pieces, shape, dtype, how, axes, place, part):
    """A task: values at a map."""
    out = np.empty(shape, dtype)
    inner.with_complex(_joined(pieces), out, _options(how, part),
                       lambda array, out, options, channels:
                       inner.apply(array, out, options, axes, place, channels))
    return out


def _make_points(pieces, coordinates, dtype, how, part):
    """A task: values at coordinates [directions, ...]."""
    coordinates = _joined(coordinates)
    directions = len(coordinates)
    out = np.empty(coordinates.shape[1:], dtype)
    options = _options(how, part)
    options.narrow = coordinates.dtype in inner.NARROW
    points = coordinates.reshape(directions, -1)
    inner.with_complex(_joined(pieces), out, options, lambda array, out, options, channels:
                       inner.evaluate_images(array, out.reshape((-1,) + (2,) * (channels > 1)),
                                             options, points, directions, channels))
    return out


def _make_coefficients(pieces, place, dtype, how, part):
    """A task: coefficients, of which place, slices, are wanted."""
    samples = _joined(pieces)
    out = np.empty(samples.shape, dtype)
    inner.filter_parts(lambda array, out, *how: inner.filter_all(array, out, *how, part=part),
                       samples, out, *how, current())
    return np.ascontiguousarray(out[place])


# ---- graphs ----

class _Graph:
    """An array of dask whose every chunk is made by a task. All that the tasks are made of is in
    its name, so that arrays of one name are the same ones."""

    def __init__(self, chunks, dtype, *token):
        import dask.base
        self._chunks, self._dtype = chunks, dtype
        self._name = 'clspline-' + dask.base.tokenize(lib.clsp_version(), chunks, dtype,
                                                         *token)
        self._tasks, self._dependencies = {}, {}

    def tiles(self):
        """(number, begin, size) of each chunk along each axis."""
        axes = [list(zip(itertools.count(), itertools.accumulate(sizes, initial=0), sizes))
                for sizes in self._chunks]
        for tile in itertools.product(*axes):
            yield tuple(zip(*tile)) if tile else ((), (), ())

    def pieces(self, number, array, place):
        """Nested lists of what a tile has of an array: place, slices."""
        self._dependencies[array.name] = array
        axes = [_overlaps(sizes, where) for sizes, where in zip(array.chunks, place)]

        def piece(chunk, where):
            axis = len(chunk)
            if axis < len(axes):
                return [piece((*chunk, k), (*where, one)) for k, one in axes[axis]]
            if all(one.stop - one.start == array.chunks[d][k]
                   for d, (k, one) in enumerate(zip(chunk, where))):
                return (array.name, *chunk)
            key = (f'{self._name}-of-{array.name}', *number, *chunk)
            self._tasks[key] = operator.getitem, (array.name, *chunk), where
            return key
        return piece((), ())

    def constant(self, array):
        """A key of an array in memory, which tasks share."""
        key = self._name + '-constant'
        self._tasks[key] = array
        return key

    def add(self, number, function, *keys, **arguments):
        """Has a call make a tile of what keys, in nested lists, stand for."""
        self._tasks[(self._name, *number)] = functools.partial(function, **arguments), *keys

    def array(self):
        import dask.array
        from dask.highlevelgraph import HighLevelGraph
        graph = HighLevelGraph.from_collections(self._name, self._tasks,
                                                 list(self._dependencies.values()))
        return dask.array.Array(graph, self._name, self._chunks, dtype=self._dtype)


def _overlaps(sizes, place):
    """(number of a chunk, a slice of it) for each chunk that has some of a place."""
    found = []
    for k, (begin, size) in enumerate(zip(itertools.accumulate(sizes, initial=0), sizes)):
        first, end = max(place.start - begin, 0), min(place.stop - begin, size)
        if first < end:
            found.append((k, slice(first, end)))
    return found


def _slices(begin, size):
    return tuple(slice(first, first + num) for first, num in zip(begin, size))


class _Needs:
    """Which samples of a whole image parts of an output need."""

    def __init__(self, spec):
        self._plan = ImagePlan(current(), spec)
        self._desc = ffi.new('clsp_image_desc *')
        self._num = len(spec.size)

    @classmethod
    def of_values(cls, array, dtype, options, axes):
        source, channels = array.dtype, 1
        if source.kind == 'c':  # as inner.with_complex has it
            cval = complex(options.cval)
            channels += cval.real == cval.imag
            source, dtype = source.type(0).real.dtype, dtype.type(0).real.dtype
        return cls(inner.spec_of(source, dtype, options, tuple(array.shape[d] for d in axes),
                                 channels, 0.0))

    @classmethod
    def of_coefficients(cls, array, order, mode, precision):
        source = array.dtype
        if source.kind == 'c':
            source = source.type(0).real.dtype
        return cls(inner.filter_spec(array.shape, order, mode, precision,
                                     arrays.samples_of(source, precision)))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._plan.handle.close()

    def _find(self):
        plan, desc = self._plan, self._desc
        check(lib.clsp_image_need(plan.handle.get(), plan.map, desc))
        begin, size = tuple(desc.part.begin)[:self._num], tuple(desc.size)[:self._num]
        return _slices(begin, size), (begin, plan.spec.size)

    def of_map(self, rows, offset, size, origin, areas=False):
        """(slices of the samples, the part that they are) for a part of what a map makes."""
        self._plan.set_map(rows, offset, size, origin, areas)
        return self._find()

    def of_points(self, coordinates):
        """The same for coordinates [directions, num]."""
        coordinates = np.require(coordinates, self._plan.spec.precision, 'CA')
        self._plan.set_points(coordinates)
        return self._find()


def _how(options):
    """What `_options` makes options of again."""
    return (options.order, options.mode, options.cval, options.prefilter, options.precision,
            options.areas)


def transformed(array, output, shape, options, rows, offset, axes=None):
    """As `inner.transformed`, of an array of dask: in chunks of as many points as its own."""
    import dask.array
    _check(array, options.context)
    _check_options(array, options)
    ndim = array.ndim
    if len(shape) != ndim or 0 in shape:
        raise UnsupportedError(f'output_shape: {shape}, of an array of dask of {ndim} axes')
    dtype = _dtype_of(output, array)
    if axes is None:
        axes = tuple(range(ndim)) if ndim <= 2 else \
            inner.moving_axes(array.shape, shape, ndim, rows, offset, options)
        rows = [[rows[d][k] for k in axes] for d in axes]
        offset = [offset[d] for d in axes]
    how = _how(options)
    graph = _Graph(dask.array.core.normalize_chunks(array.chunksize, shape), dtype, 'map',
                   array.name, how, axes, rows, offset)
    with _Needs.of_values(array, dtype, options, axes) as needs:
        for number, begin, size in graph.tiles():
            of, origin = [size[d] for d in axes], [begin[d] for d in axes]
            samples, part = needs.of_map(rows, offset, of, origin, options.areas)
            place = list(_slices(begin, size))
            for d, where in zip(axes, samples):
                place[d] = where
            graph.add(number, _make_values, graph.pieces(number, array, place), shape=size,
                      dtype=dtype, how=how, axes=axes, place=(rows, offset, of, origin), part=part)
    return graph.array()


def copied(array, output):
    """The array itself in the output's dtype, as a zoom by 1 gives it."""
    return array.astype(_dtype_of(output, array))


def at_coordinates(array, coordinates, output, options):
    """As `map_coordinates`, where one of both arrays is of dask, or both. Where coordinates are,
    nobody knows which samples they will need: each of their chunks gets all of them."""
    if not arrays.is_lazy(coordinates):
        return _at_known(array, coordinates, output, options)
    _check(coordinates, options.context, 'coordinates')
    _check_options(array, options)
    dtype, how = _dtype_of(output, array), _how(options)
    points = coordinates.rechunk({0: -1})
    graph = _Graph(points.chunks[1:], dtype, 'points', points.name,
                   array.name if arrays.is_lazy(array) else array, how)
    if arrays.is_lazy(array):
        _check(array, options.context)
        array = array.rechunk(-1)
        samples = graph.pieces((), array, _slices((0,) * array.ndim, array.shape))
    else:
        samples = graph.constant(array)
    for number, begin, size in graph.tiles():
        place = slice(0, array.ndim), *_slices(begin, size)
        graph.add(number, _make_points, samples, graph.pieces(number, points, place), dtype=dtype,
                  how=how, part=None)
    return graph.array()


def _at_known(array, coordinates, output, options):
    import dask.array
    _check(array, options.context)
    _check_options(array, options)
    dtype, how = _dtype_of(output, array), _how(options)
    options.narrow = coordinates.dtype in inner.NARROW
    shape = coordinates.shape[1:]
    points = coordinates.reshape(array.ndim, -1)
    graph = _Graph(dask.array.core.normalize_chunks(_POINTS, points.shape[1:]), dtype, 'points',
                   array.name, points, how)
    with _Needs.of_values(array, dtype, options, range(array.ndim)) as needs:
        for number, begin, size in graph.tiles():
            some = points[:, begin[0]:begin[0] + size[0]]
            samples, part = needs.of_points(some)
            graph.add(number, _make_points, graph.pieces(number, array, samples), coordinates=some,
                      dtype=dtype, how=how, part=part)
    return graph.array().reshape(shape)


def filtered(array, output, order, mode, precision, context):
    """As `spline_filter`."""
    _check(array, maps.context_of(context))
    dtype = _dtype_of(output, array)
    if array.ndim > 3 or dtype.kind in 'iub':
        raise UnsupportedError(f'input: an array of dask of {array.ndim} axes, to {dtype}; up to 3 '
                               'axes, to numbers that are not whole')
    how = inner.filter_options(array, np.empty(0, dtype), order, mode, precision, None)[:3]
    graph = _Graph(array.chunks, dtype, 'filter', array.name, how)
    rows, offset = maps.diagonal([1.0] * array.ndim), [0.0] * array.ndim
    with _Needs.of_coefficients(array, *how) as needs:
        for number, begin, size in graph.tiles():
            samples, part = needs.of_map(rows, offset, size, begin)
            place = _slices([first - where.start for first, where in zip(begin, samples)], size)
            graph.add(number, _make_coefficients, graph.pieces(number, array, samples), place=place,
                      dtype=dtype, how=how, part=part)
    return graph.array()
