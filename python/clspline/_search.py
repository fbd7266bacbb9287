"""Nearest points of curves and surfaces of several batches, and of trimmed ones."""
from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import typing

import numpy as np

from . import _memory as memory
from ._bspline import BSpline
from ._context import Handle
from ._errors import ArgumentError, ArgumentTypeError, MissingPackageError, check
from ._native import ffi, lib
from ._project import Projected
from ._share import Run
from ._splines import Splines

if typing.TYPE_CHECKING:
    from ._context import Context
    from ._hints import Any, Array, ArrayLike, DTypeLike, Sequence

_NO_EDGE = 2 ** 32 - 1
_FOOT = np.dtype([('tolerance', np.float64), ('edge', np.uint32), ('face', np.uint32)])


class Search(Projected):
    """A search over curves and surfaces of several batches, polynomial and rational ones of any
    degrees: a query has one nearest point of all. The host's cores search.

    Parameters
    ----------
    splines : sequence of Bezier and BSpline
        Curves and surfaces of one context, one precision and as many coordinates. Their patches
        are numbered through all of them in their order. They are copied.
    trims : dict, optional
        What trims surfaces in space, by these keys; the first is needed.

        ``'loops'``: for each patch a list of loops, each a list of curves (t, c, k, edge) from head
        to tail: knots, homogeneous control points (w u, w v, w) [num, 3] in the plane of the
        patch's parameters, degree, and number of the edge, None where there is none. No loop: the
        patch is whole.
        ``'edges'``: curves in space (t, c, k), c of shape [num, 4]; ``'tolerance'``: of each.
        ``'turned'``: for each patch whether outward is against S_u x S_v.
        ``'snap'``: which gaps between curves are none, as a part of the domain (0: 1e-7).

    Attributes
    ----------
    splines : tuple of Bezier and BSpline
    context : Context
    precision : numpy.dtype
    num_patches : int

    Examples
    --------
    >>> import numpy as np, clspline
    >>> square = clspline.Bezier([[[0.0, 0, 0], [0, 1, 0]], [[1, 0, 0], [1, 1, 0]]])
    >>> line = clspline.Bezier([[2.0, 0, 0], [2, 1, 0]], 'curve')
    >>> found = clspline.Search([square, line]).project([[0.5, 0.5, -1], [1.75, 0.5, 0]])
    >>> found.distance, found.index
    (array([1.  , 0.25]), array([0, 1]))
    """

    directions = 2

    def __init__(self, splines: Sequence[Any], trims: dict[str, Any] | None = None) -> None:
        self.splines = tuple(splines)
        for spline in self.splines:
            if not isinstance(spline, Splines) or not isinstance(spline, Projected):
                raise ArgumentTypeError(f'splines: Bezier and BSpline, not {spline!r}')
        if not self.splines:
            raise ArgumentError('splines: at least one')
        first = self.splines[0]
        self.context, self.precision, self.dim = first.context, first.precision, first.dim
        if any(spline.context is not self.context for spline in self.splines):
            raise ArgumentError('splines: of several contexts')
        self.num_patches = sum(spline.num_patches for spline in self.splines)
        self.context._need()
        plans = [spline._plan(spline._layout(('point',))) for spline in self.splines]
        with contextlib.ExitStack() as locks:
            for spline, plan in zip(self.splines, plans):
                locks.enter_context(plan.handle.lock)
                spline._load(plan)
            pointers = ffi.new('clsp_patch_plan *[]', [plan.handle.get() for plan in plans])
            desc, kept = (ffi.NULL, None) if trims is None else _trims(trims, self.num_patches)
            self._handle = Handle(
                self.context, 'clsp_nearest',
                lambda to: lib.clsp_nearest_create(to, pointers, len(plans), desc, ffi.NULL),
                lib.clsp_nearest_destroy)
        del kept

    @classmethod
    def read(cls, path: str | os.PathLike[str], *, precision: DTypeLike | None = None,
             context: Context | None = None) -> Search:
        """The search over a part's trimmed faces, one spline each, and its edges.

        `path` names a STEP, IGES or BREP file, which the program ``clspline-cad`` reads
        (CLSPLINE_CAD names another, PATH is searched), or JSON that it has written.
        """
        model = json.loads(_model_text(os.fspath(path)))
        if not isinstance(model, dict) or model.get('format') != 'clspline-cad' or \
                model.get('version') != 1:
            raise ArgumentError(f'{path}: not of clspline-cad, version 1')
        faces = model['shape']['data']
        splines = [_surface(face, precision, context) for face in faces]
        return cls(splines, {
            'loops': [[[(*_curve(curve), curve.get('edge')) for curve in loop['data']]
                       for loop in face.get('trims', {}).get('data', ())] for face in faces],
            'edges': [_curve(edge) for edge in model['edges']],
            'tolerance': [edge['tolerance'] for edge in model['edges']],
            'turned': [face.get('reversed', 0) for face in faces]})

    def contains(self, params: ArrayLike, patch: ArrayLike = 0) -> Array:
        """Which parameters (..., 2) are inside of a patch's loops and its domain: 0, 1, or 2 on a
        loop or an edge of the domain, within rounding."""
        params = memory.contiguous(params, 'params', self.precision)
        if params.ndim == 0 or params.shape[-1] != 2:
            raise ArgumentError(f'params: shape (..., 2), not {params.shape}')
        shape = params.shape[:-1]
        item = memory.broadcast(memory.indices(patch, 'patch', self.num_patches), shape, 'patch')
        inside = np.empty(shape, np.uint8)
        inputs = memory.Input(params), memory.Input(item)
        points = ffi.new('clsp_points *', {'num': inside.size, 'params': inputs[0].struct,
                                           'item': inputs[1].struct})
        target = memory.Output(inside)
        with self._handle.lock:
            check(lib.clsp_nearest_contains(self._handle.get(), points, target.struct, ffi.NULL))
        return inside

    def _feet(self, options, shape, kept):
        feet = np.empty(shape, _FOOT)
        target = memory.Output(feet, 'feet', np.dtype(np.float64))
        kept.append(target)
        options.feet = ffi.addressof(target.struct)
        return feet

    def _project(self, queries, options, found, share):
        target = memory.Output(found, 'found', self.precision)
        with self._handle.lock:
            pointer = self._handle.get()
            run = Run(self.context, share)
            check(lib.clsp_nearest_find(pointer, queries, options, target.struct, run.pointer))
            run.end()


# ---- trims ----


def _list(curves, coords, name):
    """(the fields of a clsp_curve_list, what they point to)."""
    reals = [(np.asarray(t, np.float64), np.asarray(c, np.float64)) for t, c, _ in curves]
    for (t, c), (_, _, k) in zip(reals, curves):
        if c.ndim != 2 or c.shape[1] != coords or t.shape != (len(c) + k + 1,):
            raise ArgumentError(f'{name}: a curve of degree {k} with knots {t.shape} and control '
                                f'points {c.shape}')
    kept = (np.array([k for _, _, k in curves], np.uint32),
            np.array([len(c) for _, c in reals], np.uint32),
            np.concatenate([np.empty(0)] + [t for t, _ in reals]),
            np.concatenate([np.empty(0)] + [c.ravel() for _, c in reals]))
    degree, num, knots, controls = kept
    return {'num': len(curves), 'degree': _pointer(degree), 'num_controls': _pointer(num),
            'knots': _pointer(knots), 'controls': _pointer(controls)}, kept


def _pointer(array):
    return ffi.from_buffer({'u': 'uint32_t[]', 'f': 'double[]', 'b': 'uint8_t[]'}[
        'b' if array.dtype == np.uint8 else array.dtype.kind], array)


def _starts(lists):
    return np.concatenate(([0], np.cumsum([len(each) for each in lists]))).astype(np.uint32)


def _trims(trims, num_patches):
    """(a clsp_trims, what it points to)."""
    unknown = set(trims) - {'loops', 'edges', 'tolerance', 'turned', 'snap'}
    if unknown or 'loops' not in trims:
        raise ArgumentError(f'trims: {unknown.pop()!r} is no key of them' if unknown else
                            "trims: without 'loops'")
    faces, edges = trims['loops'], trims.get('edges', ())
    if len(faces) != num_patches:
        raise ArgumentError(f"trims: 'loops' of {len(faces)} patches, of {num_patches}")
    loops = [loop for face in faces for loop in face]
    curves = [curve for loop in loops for curve in loop]
    edge = np.array([_NO_EDGE if one[3] is None else one[3] for one in curves], np.uint32)
    arrays = {'loop': _starts(faces), 'curve': _starts(loops), 'edge': edge}
    for key, num, dtype in (('tolerance', len(edges), np.float64),
                            ('turned', num_patches, np.uint8)):
        if key in trims:
            arrays[key] = np.ascontiguousarray(trims[key], dtype)
            if arrays[key].shape != (num,):
                raise ArgumentError(f'trims: {key!r} of shape {arrays[key].shape}, not ({num},)')
    of_loops, kept_loops = _list([one[:3] for one in curves], 3, 'loops')
    of_edges, kept_edges = _list(edges, 4, 'edges')
    fields = {name: _pointer(array) for name, array in arrays.items()}
    desc = ffi.new('clsp_trims *', {'curves': of_loops, 'edges': of_edges,
                                    'snap': float(trims.get('snap', 0)), **fields})
    return desc, (arrays, fields, of_loops, of_edges, kept_loops, kept_edges)


# ---- files ----


def _model_text(path):
    if path.lower().endswith('.json'):
        with open(path, encoding='utf-8') as file:
            return file.read()
    program = shutil.which(os.environ.get('CLSPLINE_CAD') or 'clspline-cad')
    if program is None:
        raise MissingPackageError(f'{path}: needs the program clspline-cad')
    done = subprocess.run([program, path, '--no-mesh'], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        raise ArgumentError(f'{path}: {done.stderr.strip() or "clspline-cad has failed"}')
    return done.stdout


def _controls(of):
    """Homogeneous control points."""
    points = np.array(of['points'], np.float64)
    weights = np.array(of.get('weights', np.ones(len(points))))[:, np.newaxis]
    return np.hstack([points * weights, weights])


def _curve(of):
    return of['knotvector'], _controls(of['control_points']), of['degree']


def _surface(of, precision, context):
    control = _controls(of['control_points'])
    rational = 'weights' in of['control_points']
    net = control[:, :4 if rational else 3].reshape(of['size_u'], of['size_v'], -1)
    return BSpline((of['knotvector_u'], of['knotvector_v']), net,
                   (of['degree_u'], of['degree_v']), rational, precision=precision,
                   context=context)
