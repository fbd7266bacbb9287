"""Nearest points of curves and surfaces."""
from __future__ import annotations

import typing

import numpy as np

from . import _memory as memory
from ._errors import ArgumentError, check
from ._native import ffi, lib
from ._share import Run

if typing.TYPE_CHECKING:
    from ._hints import Array, ArrayLike, Sharing

_METHODS = {'exact': lib.CLSP_NEAREST_EXACT, 'mrep': lib.CLSP_NEAREST_MREP}


class Nearest(typing.NamedTuple):
    """Nearest points; all but `point` have the shape of the queries, and with k > 1 one axis more.

    Attributes
    ----------
    distance : numpy.ndarray
        Infinite where nothing was found.
    param : numpy.ndarray
        Of the nearest point; of surfaces (..., 2).
    index : numpy.ndarray
        Its patch's number in the batch, in C order; that of the last one + 1 where there is none.
    bound : numpy.ndarray
        No point of the curves or surfaces is nearer than that.
    point : numpy.ndarray
        Of shape (..., dim).
    status : numpy.ndarray
        0: found; 1: found, and the search was cut short, see the bound; 2: nothing within the
        limit; 3: the query is not finite.
    param_rest : numpy.ndarray
        Of curves what is to be added to `param` where it has more digits than the
        precision, as where weights differ much; else 0.
    normal : numpy.ndarray or None
        With ``signed=True``, of shape (..., 3): the unit vector along S_u x S_v at the nearest
        point; NaN where there is none.
    signed : numpy.ndarray or None
        With ``signed=True``: the distance, negative on the other side than the normal; NaN where
        the side is open, as beside edges and creases, of a `Search` free edges alone, and where
        nothing was found. A `Search` has normals outward.
    edge : numpy.ndarray or None
        Of a `Search`: the edge that the nearest point is on; -1 where it is on none.
    tolerance : numpy.ndarray or None
        Of a `Search`: that of this edge; 0 where there is none.
    """
    distance: Array
    param: Array
    index: Array
    bound: Array
    point: Array
    status: Array
    param_rest: Array
    normal: Array | None = None
    signed: Array | None = None
    edge: Array | None = None
    tolerance: Array | None = None


class Projected:
    """What `Bezier`, `BSpline` and `Search` have in common: nearest points."""

    def project(self, points: ArrayLike, k: int = 1, *, patch: ArrayLike | None = None,
                distance_upper_bound: float = np.inf, hints: ArrayLike | None = None,
                method: str = 'exact', tolerance: float = 0.0, signed: bool = False,
                metric: ArrayLike | None = None, share: Sharing = None) -> Nearest:
        """The nearest points of curves or surfaces, as ``scipy.spatial.KDTree.query`` finds those
        of points.

        The nearest point is the global one, and comes with a bound that proves it.

        Parameters
        ----------
        points : array_like
            Queries (..., dim).
        k : int
            Nearest local minima of the distance, 1 to 16; of B-spline curves alone.
        patch : array_like of int, optional
            Onto which curve or surface each query is projected. Default: onto the nearest of all.
        distance_upper_bound : float
            What is farther is not looked for.
        hints : array_like, optional
            A parameter thought near the answer for each query, which speeds the search up.
        method : {'exact', 'mrep'}
            Exact to rounding, or through cubic pieces within a tolerance, of B-spline curves, which
            a library that is built without the published methods does not have.
        tolerance : float
            Of ``'mrep'``; 0: 1e-4 of the curves' size.
        signed : bool
            Normals and signed distances too, of surfaces of three dimensions.
        metric : array_like, optional
            Weights of the coordinates in squared distances, (dim,), by which all is measured; those
            of the signed distance too. Default: 1 each.
        share : Share or str, optional

        Returns
        -------
        Nearest
        """
        if self.directions > 2:
            raise ArgumentError('project: of curves and surfaces; these are volumes')
        method = memory.choice(method, _METHODS, 'method')
        most = lib.CLSP_NEAREST_MAX_RESULTS
        if not hasattr(k, '__index__') or np.ndim(k) or not 1 <= k <= most:
            raise ArgumentError(f'k: 1 to {most}, not {k!r}')
        distance_upper_bound = memory.real(distance_upper_bound, 'distance_upper_bound')
        if not distance_upper_bound > 0:
            raise ArgumentError(f'distance_upper_bound: {distance_upper_bound}')
        points = memory.contiguous(points, 'points', self.precision)
        if points.ndim == 0 or points.shape[-1] != self.dim:
            raise ArgumentError(f'points: shape (..., {self.dim}), not {points.shape}')
        if signed and (self.directions != 2 or self.dim != 3):
            raise ArgumentError('signed: of surfaces of 3 dimensions')
        shape = points.shape[:-1]
        queries, kept = self._queries(points, shape, patch, hints)
        options = ffi.new('clsp_nearest_opts *', {
            'method': method, 'num_nearest': k, 'tolerance': memory.real(tolerance, 'tolerance'),
            'max_dist': 0.0 if np.isinf(distance_upper_bound) else distance_upper_bound})
        found = np.empty(shape + ((k,) if k > 1 else ()), _result_dtype(self.precision))
        sides = np.empty(shape + (4,), self.precision) if signed else None
        if signed:
            target = memory.Output(sides, 'sides', self.precision)
            options.normals = ffi.addressof(target.struct)
            kept.append(target)
        if metric is not None:
            metric = memory.contiguous(metric, 'metric', np.float64)
            if metric.shape != (self.dim,):
                raise ArgumentError(f'metric: shape ({self.dim},), not {metric.shape}')
            kept.append(metric)
            options.metric = ffi.from_buffer('double[]', metric)
        feet = self._feet(options, shape, kept)
        if found.size:
            self._project(queries, options, found, share)
        del kept
        index = found['patch'].astype(np.intp)
        index[found['patch'] == 2 ** 32 - 1] = self.num_patches
        param, rest = found['param'][..., 0], found['param'][..., 1]
        if self.directions == 2:
            param = found['param'][..., :2]
            rest = np.zeros_like(param)
        return Nearest(found['distance'], param, index, found['bound'],
                       found['point'][..., :self.dim], found['status'], rest,
                       *((sides[..., :3], sides[..., 3]) if signed else (None, None)),
                       *(() if feet is None else (_edges(feet['edge']), feet['tolerance'])))

    def _feet(self, _options, _shape, _kept):
        """Asks for edges and their tolerances, where there are such; the memory that receives them.
        """
        return None

    def _queries(self, points, shape, patch, hints):
        queries = ffi.new('clsp_nearest_queries *')
        kept = [memory.Input(points)]
        queries.num, queries.points = int(np.prod(shape, dtype=np.int64)), kept[0].struct
        if patch is not None:
            patch = memory.indices(patch, 'patch', self.num_patches)
            kept.append(memory.Input(memory.broadcast(patch, shape, 'patch')))
            queries.patches = kept[-1].struct
        if hints is not None:
            hints = memory.contiguous(hints, 'hints', self.precision)
            shape += (2,) * (self.directions - 1)
            kept.append(memory.Input(memory.broadcast(hints, shape, 'hints')))
            queries.hints = kept[-1].struct
        return queries, kept

    def _project(self, queries, options, found, share):
        plan = self._plan(self._layout(('point',)))
        target = memory.Output(found, 'found', self.precision)
        with plan.handle.lock:
            pointer = plan.handle.get()
            self._load(plan)
            run = Run(self.context, share)
            check(lib.clsp_nearest_project(pointer, queries, options, target.struct, run.pointer))
            run.end()


def _edges(numbers):
    edges = numbers.astype(np.intp)
    edges[numbers == 2 ** 32 - 1] = -1
    return edges


def _result_dtype(precision):
    """clsp_nearest_f32 or _f64. Those of doubles end in two integers of 4 bytes."""
    real = precision.str
    return np.dtype([('distance', real), ('bound', real), ('param', real, 3), ('point', real, 4),
                     ('patch', np.uint32), ('status', np.uint32)])
