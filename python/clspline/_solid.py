"""Catmull-Clark solids."""
from __future__ import annotations

import dataclasses
import threading
import typing

import numpy as np

from . import _cells
from . import _memory as memory
from ._context import Handle, current
from ._errors import ArgumentError, ArgumentIndexError, ArgumentTypeError, check
from ._memory import TYPES
from ._native import ffi, lib
from ._pictures import data_of
from ._share import Run
from ._splines import Mesh, Plan, Splines

if typing.TYPE_CHECKING:
    from ._context import Context
    from ._hints import Any, Array, ArrayLike, DTypeLike, Sequence, Sharing, Which

_RULES = {'tensor': lib.CLSP_SOLID_TENSOR, 'joy': lib.CLSP_SOLID_JOY}
_PLACES = {'vertices': lib.CLSP_SOLID_VERTICES, 'middles': lib.CLSP_SOLID_MIDDLES}
_CLASSES = {lib.CLSP_SOLID_REGULAR: 'regular', lib.CLSP_SOLID_LAYERED: 'layered',
            lib.CLSP_SOLID_IRREGULAR: 'irregular', lib.CLSP_SOLID_SPLIT: 'split'}
# u, v, w of a hexahedron's vertices
_CORNERS = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0],
                     [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]], float)


@dataclasses.dataclass(frozen=True)
class SolidCounts:
    """What there is in a mesh: numbers of `vertices`, `edges`, `faces`, `cells` and `creases`;
    `inside_out`, the cells that were given inside out; `hexahedral`, whether all cells are
    hexahedra; `fading_steps`, the refinements after which all creases stay sharp."""
    vertices: int
    edges: int
    faces: int
    cells: int
    creases: int
    inside_out: int
    hexahedral: bool
    fading_steps: int


class SolidClass(typing.NamedTuple):
    """Cells that are alike: their `kind`, ``'regular'``, ``'layered'`` (around one irregular edge),
    ``'irregular'`` (around one irregular vertex) or ``'split'`` (with several); `num_points`, the
    control points that one depends on; `num_cells`, how many there are."""
    kind: str
    num_points: int
    num_cells: int


class Places(typing.NamedTuple):
    """Where points lie in a solid; all have the shape of the points, and `params` one axis more.

    Attributes
    ----------
    cell : numpy.ndarray
        The first cell that has the point, or its nearest point if that was asked for, or is within
        the tolerance; -1 where there is none.
    params : numpy.ndarray
        u, v, w within the cell, of shape (..., 3); NaN where there is none.
    residual : numpy.ndarray
        How far the cell's point there is off: of points outside their distance, if the nearest
        point was asked for, else infinite.
    bound : numpy.ndarray
        No point of the solid is nearer than that; 0 where a cell has the point.
    status : numpy.ndarray
        0: found; 1: not found, and the search was cut short; 2: outside; 3: the point is not
        finite.
    """
    cell: Array
    params: Array
    residual: Array
    bound: Array
    status: Array


class _Topology:
    """A clsp_solid_mesh, what there is in it, and the mesh of its refinement, once made."""

    def __init__(self, context, create):
        self.handle = Handle(context, 'clsp_solid_mesh', create, lib.clsp_solid_mesh_destroy)
        found = ffi.new('clsp_solid_counts *')
        with self.handle.lock:
            check(lib.clsp_solid_mesh_counts(self.handle.get(), found))
            num = found.num_creases
            self.creases = np.array(ffi.unpack(ffi.cast('uint32_t *', found.crease), 2 * num)
                                    if num else [], np.uint32).reshape(-1, 2)
            self.sharpness = np.array(ffi.unpack(found.sharpness, num) if num else [], np.float32)
        self.counts = SolidCounts(
            found.num_vertices, found.num_edges, found.num_faces, found.num_cells, num,
            found.num_inside_out, bool(found.is_hexahedral), found.fading_steps)
        self._num_indices = found.num_indices
        self._cells = self._finer = None
        self._lock = threading.Lock()

    def cells(self):
        """The vertices of all hexahedra, [num, 8]."""
        self.handle.context._need()
        with self._lock:
            if self._cells is None:
                cells = np.empty((self.counts.cells, 8), np.uint32)
                output = memory.Output(cells)
                with self.handle.lock:
                    check(lib.clsp_solid_mesh_cells(self.handle.get(), output.struct))
                cells.flags.writeable = False
                self._cells = cells
            return self._cells

    def finer(self):
        """The mesh of one refinement."""
        self.handle.context._need()
        with self._lock:
            if self._finer is None:
                self._finer = _Topology(self.handle.context, self._refine)
            return self._finer

    def _refine(self, pointer):
        with self.handle.lock:
            return lib.clsp_solid_mesh_refine(pointer, self.handle.get())


@dataclasses.dataclass(frozen=True)
class _Recipe:
    """What the mesh of a solid is made of, and how often it is refined then."""
    num_vertices: int
    places: Array | None
    cells: _cells.Cells
    creases: Array
    sharpness: Array | None
    corners: Array
    orient: bool
    steps: int = 0

    def create(self, pointer, context):
        kept = []

        def numbers(kind, array):
            if array is None or not array.size:
                return ffi.NULL
            kept.append(ffi.from_buffer(kind, array))
            return kept[-1]
        made_of = ffi.new('clsp_solid_cells *', {
            'num_vertices': self.num_vertices, 'num_cells': self.cells.num,
            'kinds': numbers('uint8_t[]', self.cells.kinds),
            'index': numbers('uint32_t[]', self.cells.index), 'num_indices': self.cells.index.size,
            'crease': numbers('uint32_t[]', self.creases),
            'num_creases': len(self.creases), 'sharpness': numbers('float[]', self.sharpness),
            'corner': numbers('uint32_t[]', self.corners), 'num_corners': self.corners.size,
            'points': numbers('double[]', self.places),
            'orient': self.orient})
        return lib.clsp_solid_mesh_create(pointer, context, made_of)

    def topology(self, context):
        mesh = _Topology(context, lambda pointer: self.create(pointer, context._pointer[0]))
        for _ in range(self.steps):
            mesh = mesh.finer()
        return mesh


class Solid(Splines):
    """A Catmull-Clark solid: what a mesh of cells becomes by endless refinement, at any parameters,
    with derivatives.

    Parameters
    ----------
    points : array_like
        Control points [number, dim], dim up to 16. The first three coordinates are places, the
        others data, which are evaluated alike.
    cells : array_like, or list of (kind, array)
        Vertices of hexahedra [number, 8], in VTK's order; or blocks as meshio's, as
        ``[('tetra', [number, 4]), ('wedge', [number, 6])]``. A block of ``'polyhedron'`` has for
        each cell a list of its faces, each the vertices around it.
    kinds : str or sequence of str or int, optional
        The kind of all cells; or that of each one, by name or VTK's number, with all their vertices
        in a row in `cells` (of a polyhedron: the number of faces, and for each its number of
        vertices and them).
    creases : array_like or float, optional
        Edges of the boundary that are sharp, by their ends [number, 2]; or an angle in degrees: all
        at which the boundary of the cells bends by more.
    sharpness : float or array_like, optional
        Of all creases or of each, above 0: creases that fade, as in OpenSubdiv. 10 and more: they
        stay sharp.
    corners : array_like, optional
        Vertices of the boundary that stay in place.
    orient : bool
        Whether cells that are inside out are turned; hexahedra have u, v, 1 - w in the place of u,
        v, w then.
    precision : dtype, optional
        float32 or float64. Default: float64 of points in float64 or integers, else float32.
    context : Context, optional
        Default: `current`.

    Notes
    -----
    Cells that are evaluated are hexahedra without creases that fade. Cells of other kinds are
    hexahedra after one refinement, a tetrahedron four of them: ``solid.refine(None)`` is the solid
    refined as often as it takes, and its are the cells that results and `at` count.

    Examples
    --------
    >>> import numpy as np, clspline
    >>> corners = np.array([[x, y, z] for z in (0, 1) for y in (0, 1) for x in (0, 1, 2)], float)
    >>> solid = clspline.Solid(corners, [[0, 1, 4, 3, 6, 7, 10, 9], [1, 2, 5, 4, 7, 8, 11, 10]])
    >>> solid.evaluate(3).shape
    (2, 3, 3, 3, 3)
    >>> solid.at(0, [1, 0.5, 0.5])
    array([1. , 0.5, 0.5])
    >>> solid.refine().num_cells
    16
    """

    _eval, _eval_points = lib.clsp_solid_eval, lib.clsp_solid_eval_points
    _item, _items = 'cells', 'cells'
    _is_solid = True
    directions = 3
    degree = (3, 3, 3)
    rational = False

    fields: dict[str, slice]

    def __init__(self, points: ArrayLike, cells: Any, kinds: Any = None, *,
                 creases: ArrayLike | None = None, sharpness: ArrayLike | None = None,
                 corners: ArrayLike | None = None, orient: bool = False,
                 precision: DTypeLike | None = None, context: Context | None = None) -> None:
        array = _checked_points(points)
        made = _cells.cells_of(cells, kinds)
        places = None
        if array.shape[1] >= 3:
            places = np.ascontiguousarray(array[:, :3], np.float64)
        edges = _creases_of(creases, made, places)
        recipe = _Recipe(len(array), places, made, edges, _sharpness_of(sharpness, len(edges)),
                         _cells.vertices([] if corners is None else corners, 'corners').ravel(),
                         bool(orient))
        self._build(array, recipe, precision, current() if context is None else context, {})

    def _build(self, points, recipe, precision, context, fields, topology=None):
        self.context = context
        self.precision = memory.precision_of(points, context, precision)
        self.dim = points.shape[1]
        self.fields = fields
        self._recipe = recipe
        self._topology = recipe.topology(context) if topology is None else topology
        self.batch = (self.num_cells,)
        self._set(points)
        self._begin()

    @classmethod
    def _made(cls, *build):
        solid = cls.__new__(cls)
        solid._build(*build)
        return solid

    @classmethod
    def from_meshio(cls, mesh: Any, data: Sequence[str] = (), *,
                    creases: ArrayLike | None = 'lines', sharpness: ArrayLike | None = None,
                    orient: bool = True, precision: DTypeLike | None = None,
                    context: Context | None = None) -> Solid:
        """A solid of the solid cells of a ``meshio.Mesh``.

        Parameters
        ----------
        mesh : meshio.Mesh
            Its triangles and points that no solid cell has are left out.
        data : str or sequence of str
            Names in ``point_data`` that become further coordinates; `fields` says which.
        creases : {'lines'}, float, array_like or None
            ``'lines'``: the mesh's lines that are edges of its boundary. Others as of `Solid`.
        sharpness : float or array_like, optional
            Of all creases, or of each.
        orient, context :
            As of `Solid`.
        precision : dtype, optional
            Default: float64 where the device has it.
        """
        context = current() if context is None else context
        if precision is None:
            precision = np.float64 if context.device.fp64 else np.float32
        data = (data,) if isinstance(data, str) else tuple(data)
        points, cells, lines, fields = _cells.of_mesh(mesh, data)
        if isinstance(creases, str) and creases != 'lines':
            raise ArgumentError(f"creases: 'lines', an angle or edges, not {creases!r}")
        places = np.ascontiguousarray(points[:, :3], np.float64)
        edges = lines if isinstance(creases, str) else _creases_of(creases, cells, places)
        recipe = _Recipe(len(points), places, cells, edges,
                         _sharpness_of(sharpness, len(edges)), np.empty(0, np.uint32),
                         bool(orient))
        return cls._made(_checked_points(points), recipe, precision, context, fields)

    # ---- what it is made of ----

    @property
    def points(self) -> Array:
        """The control points [number, dim], read-only; assign others of the same shape to move
        them. An array of PyOpenCL is read by the next call, where it is."""
        return self._control

    @points.setter
    def points(self, points: ArrayLike) -> None:
        self._assign(points, 'points')

    control = points

    @property
    def num_cells(self) -> int:
        """How many cells there are."""
        return self._topology.counts.cells

    num_patches = num_cells

    @property
    def counts(self) -> SolidCounts:
        """What there is in the mesh, a `SolidCounts`."""
        return self._topology.counts

    @property
    def cells(self) -> Array:
        """The vertices of the hexahedra, [number, 8] in VTK's order, read-only. Inside-out ones are
        as they were turned."""
        self._need_hexahedra()
        return self._topology.cells()

    @property
    def creases(self) -> Array:
        """The edges that are creases, [number, 2]."""
        return self._topology.creases.copy()

    @property
    def sharpness(self) -> Array:
        """The sharpness of each crease; infinity: it stays sharp."""
        return self._topology.sharpness.copy()

    def _need_hexahedra(self):
        if not self.counts.hexahedral:
            raise ArgumentError('cells: not all are hexahedra, but those of refine() are')

    def _steps_to_limit(self):
        return max(self.counts.fading_steps, 0 if self.counts.hexahedral else 1)

    def __repr__(self):
        return (f'<clspline.Solid of {self.num_cells} cells and {len(self._points)} points in '
                f'{self.dim}D, {self.precision}>')

    def __reduce__(self):
        return _again, (self._recipe, self._control, self.precision.str, self.fields, self.context)

    # ---- refinement and limits without a plan ----

    def refine(self, n: int | None = 1, *, rule: str = 'tensor') -> Solid:
        """The solid of the refined mesh, which has the same limit.

        Parameters
        ----------
        n : int or None
            How often; None: as often as it takes until it can be evaluated, which is 0 times for
            hexahedra without creases that fade.
        rule : {'tensor', 'joy'}
            The rule of vertices within: the one whose limits are evaluated, or Joy and MacCracken's
            own, whose limits differ.

        Returns
        -------
        Solid
            Its points are those of the vertices, then of edges, faces and cells.
        """
        steps = self._steps_to_limit() if n is None else memory.whole(n, 'n')
        if steps < 0:
            raise ArgumentError(f'n: {steps} refinements')
        solid = self
        for _ in range(steps):
            points = solid.refine_points(rule=rule)
            recipe = dataclasses.replace(solid._recipe, steps=solid._recipe.steps + 1)
            solid = Solid._made(points, recipe, self.precision, self.context, self.fields,
                                solid._topology.finer())
        return solid

    def refine_points(self, points: ArrayLike | None = None, *, rule: str = 'tensor',
                      out: Any = None, wait_for: Sequence[Any] | None = None) -> Array:
        """The control points of the next mesh.

        Parameters
        ----------
        points : numpy.ndarray or pyopencl.array.Array, optional
            [number, any], in float32 or float64. Default: the solid's.
        rule :
            As of `refine`.
        out : numpy.ndarray or pyopencl.array.Array, optional
            Receives the result. With both of PyOpenCL they stay on the device, which computes.
        wait_for : list of pyopencl.Event, optional

        Returns
        -------
        numpy.ndarray
            ``[len(refined.points), any]``; or `out`.
        """
        rule = memory.choice(rule, _RULES, 'rule')
        if points is None and memory.is_device_array(out):
            points = self._points
        array = self._points_or(points)
        fine = self._topology.finer().counts.vertices
        out = self._room(out, (fine, array.shape[1]), array)
        inputs, target = memory.Input(array, 'points'), memory.Output(out)
        run = Run(self.context, None, wait_for, memory.is_device_array(out), (array, out))
        handle = self._topology.handle
        with handle.lock:
            check(lib.clsp_solid_refine_points(handle.get(), rule, array.shape[1],
                                               inputs.struct, target.struct, run.pointer))
            event = run.end()
        if event is not None:
            out.add_event(event)
        return out

    def limits(self, places: str = 'vertices', points: ArrayLike | None = None, *,
               out: Any = None) -> Array:
        """Where vertices go under endless refinement, in closed form. Of cells of any kind.

        Parameters
        ----------
        places : {'vertices', 'middles'}
            ``'middles'``: vertices, and then the middles of edges, faces and cells.
        points : array_like, optional
            [number, any] to take in the place of the solid's.
        out : numpy.ndarray, optional

        Returns
        -------
        numpy.ndarray
            [number of places, any].
        """
        kind = memory.choice(places, _PLACES, 'places')
        array = self._points_or(points)
        if memory.is_device_array(array) or memory.is_device_array(out):
            raise ArgumentTypeError('points, out: in memory of the host')
        counts = self.counts
        num = counts.vertices if places == 'vertices' else \
            counts.vertices + counts.edges + counts.faces + counts.cells
        out = self._room(out, (num, array.shape[1]), array)
        inputs, target = memory.Input(array, 'points'), memory.Output(out)
        handle = self._topology.handle
        with handle.lock:
            check(lib.clsp_solid_limit_points(handle.get(), kind, array.shape[1],
                                              inputs.struct, target.struct, ffi.NULL))
        return out

    def _points_or(self, points):
        if points is None:
            return self._control
        if memory.is_device_array(points):
            if points.dtype not in (np.float32, np.float64):
                raise ArgumentTypeError(f'points: float32 or float64, not {points.dtype}')
            array = points
        else:
            array = memory.numbers(points, 'points')
            if array.dtype != np.float32:
                array = array.astype(np.float64, copy=False)
            array = np.ascontiguousarray(array)
        if array.ndim != 2 or array.shape[0] != self.counts.vertices or \
                not 1 <= array.shape[1] <= lib.CLSP_SOLID_MAX_DIM:
            raise ArgumentError(f'points: shape ({self.counts.vertices}, 1 to '
                                f'{lib.CLSP_SOLID_MAX_DIM}), not {array.shape}')
        return array

    def _room(self, out, shape, array):
        """An output of points: the caller's, or one in the points' own type."""
        if out is None:
            return np.empty(shape, array.dtype)
        if memory.is_device_array(array) != memory.is_device_array(out):
            raise ArgumentTypeError('out: on the device if points are, and only then')
        dtype = out.dtype if getattr(out, 'dtype', None) in (np.float32, np.float64) else \
            array.dtype
        memory.checked_output(out, 'out', dtype, shape)
        memory.refuse_overlap(out, 'out', points=array)
        return out

    # ---- plans: one for each layout and grid ----

    def _desc(self):
        self._need_hexahedra()
        if self.counts.fading_steps:
            raise ArgumentError(
                f'creases: they fade for {self.counts.fading_steps} refinements, after which '
                'refine(None) can be evaluated')
        return {'precision': TYPES[self.precision], 'dim': self.dim}, None

    def _new_plan(self, layout, call=None):
        fields, _ = self._desc()
        fields['vertex'] = layout.struct()
        desc = ffi.new('clsp_solid_desc *', fields)
        if call is not None:
            desc.axis = call.axes
        mesh = self._topology.handle

        def create(pointer):
            with mesh.lock:
                return lib.clsp_solid_plan_create(pointer, mesh.get(), desc)
        return Plan(Handle(self.context, 'clsp_solid_plan', create, lib.clsp_solid_plan_destroy),
                    layout)

    def _call(self, samples, attributes, domain):
        samples, domain = _hashable(samples), _hashable(domain)
        call = super()._call(samples, attributes, domain)
        call.grid = samples, domain  # by which plans are known
        return call

    def _grid_plan(self, call, layout, _watertight):
        key = layout.key, call.grid
        plan = self._plans.get(key)
        return self._made_plan(key, layout, call) if plan is None else plan

    def _plan(self, layout, _watertight=False):
        """A plan for lists of such vertices: one that has a grid, or else one without."""
        for (kept, _), plan in list(self._plans.items()):
            if kept == layout.key:
                return plan
        return self._made_plan((layout.key, None), layout)

    def _any_plan(self):
        """A plan, for what all have."""
        plans = list(self._plans.values())
        return plans[0] if plans else self._plan(self._layout(('point',)))

    def _set_grid(self, plan, call):
        pass  # a plan has its grid from the first

    def _send(self, pointer, points, run):
        check(lib.clsp_solid_set_control_points(pointer, points, run))

    # ---- evaluation ----

    def evaluate(self, samples: ArrayLike, attributes: Sequence[str] = 'point', *,
                 out: Any = None, cells: Which = None, domain: Sequence[Any] | None = None,
                 dtype: DTypeLike | None = None, share: Sharing = None,
                 wait_for: Sequence[Any] | None = None) -> Array:
        """Evaluates on a grid of parameters in every cell.

        Parameters
        ----------
        samples : int or sequence
            Numbers of samples along u, v and w, or one for all: uniform, ends included. In the
            place of a number, an array of parameters in [0, 1].
        attributes : str or tuple of str
            What of each sample: ``'point'``, the derivatives ``'du'``, ``'dv'``, ``'dw'``,
            ``'duu'``, ``'duv'``, ``'dvv'``, ``'duw'``, ``'dvw'``, ``'dww'``, ``'params'``; with dim
            3 ``'jacobian'``, and ``'normal'``, which is outward at the boundary and else 0.
        cells : int or slice, optional
            Which; default: all.
        domain : sequence, optional
            Interval (begin, end) of the parameters along each direction. Default: all of [0, 1].
        out, dtype, share, wait_for :
            As of `Bezier.evaluate`.

        Returns
        -------
        numpy.ndarray
            [cells, num_u, num_v, num_w, dim] of points; of several attributes a structured array
            [cells, num_u, num_v, num_w] with fields of their names.
        """
        return super().evaluate(samples, attributes, out=out, patches=cells, domain=domain,
                                dtype=dtype, share=share, wait_for=wait_for)

    def at(self, cells: ArrayLike, params: ArrayLike, attributes: Sequence[str] = 'point', *,
           out: Any = None, dtype: DTypeLike | None = None, share: Sharing = None,
           wait_for: Sequence[Any] | None = None) -> Array:
        """Evaluates at a list of cells and parameters.

        Parameters
        ----------
        cells : int or array_like of int
            The cell of all parameters, or of each, against which it is broadcast.
        params : array_like
            u, v, w: shape (..., 3). Beyond [0, 1] they count as its end; NaN gives NaN.
        attributes, out, dtype, share, wait_for :
            As of `evaluate`.

        Returns
        -------
        numpy.ndarray
            Of shape (...) + that of the attribute.
        """
        return super().at(params, cells, attributes, out=out, dtype=dtype, share=share,
                          wait_for=wait_for)

    def locate(self, points: ArrayLike, *, nearest: bool = False, tolerance: float = 0.0,
               max_nodes: int | None = None, share: Sharing = None) -> Places:
        """The cells in which points lie, and their parameters there: the inverse of `at`.

        Each result is certain: a point is in the cell within the accuracy of evaluation, or the
        solid is no nearer than the bound. Coordinates are the first three of the control points.

        Parameters
        ----------
        points : array_like
            Of shape (..., 3).
        nearest : bool
            Whether points outside get the cell and the parameters of the solid's nearest point, and
            its distance as their residual; the bound is then at most a millionth below it.
        tolerance : float
            Points that are outside by this at most are found too, at the solid's nearest point.
        max_nodes : int, optional
            Parts of cells that are looked at for a point, at most; default 32768.
        share : Share or str, optional

        Returns
        -------
        Places

        Examples
        --------
        >>> import numpy as np, clspline
        >>> cube = np.array([[x, y, z] for z in (0, 1) for y in (0, 1) for x in (0, 1)], float)
        >>> solid = clspline.Solid(cube, [[0, 1, 3, 2, 4, 5, 7, 6]])
        >>> places = solid.locate([[0.5, 0.5, 0.5], [2, 0, 0]])
        >>> places.cell
        array([ 0, -1])
        >>> places.params[0]
        array([0.5, 0.5, 0.5])
        """
        if self.dim < 3:
            raise ArgumentError(f'locate: points of 3 coordinates, and dim is {self.dim}')
        points = memory.contiguous(points, 'points', self.precision)
        if points.ndim == 0 or points.shape[-1] != 3:
            raise ArgumentError(f'points: shape (..., 3), not {points.shape}')
        nodes = 0 if max_nodes is None else memory.whole(max_nodes, 'max_nodes')
        if not 0 <= nodes < 2 ** 32 or max_nodes == 0:
            raise ArgumentError(f'max_nodes: {max_nodes}, not above 0')
        found = np.empty(points.shape[:-1], _place_dtype(self.precision))
        if found.size:
            self._locate(points, (nodes, bool(nearest), float(tolerance)), found, share)
        cell = found['cell'].astype(np.intp)
        cell[found['cell'] == 2 ** 32 - 1] = -1
        return Places(cell, found['t'].copy(), found['residual'].copy(), found['bound'].copy(),
                      found['status'].copy())

    def _locate(self, points, how, found, share):
        plan = self._any_plan()
        source, target = memory.Input(points), memory.Output(found, 'found', self.precision)
        queries = ffi.new('clsp_solid_queries *', {'num': found.size, 'points': source.struct,
                                                   'max_nodes': how[0], 'nearest': how[1],
                                                   'tolerance': how[2]})
        with plan.handle.lock:
            pointer = plan.handle.get()
            self._load(plan)
            run = Run(self.context, share)
            check(lib.clsp_solid_locate(pointer, queries, target.struct, run.pointer))
            run.end()

    def weights(self, cell: int, params: ArrayLike,
                by: Sequence[int] = (0, 0, 0)) -> tuple[Array, Array]:
        """The control points whose sum a point of the limit is, and their weights in it.

        Parameters
        ----------
        cell : int
        params : array_like
            u, v, w.
        by : sequence of int
            How often the derivative is taken along u, v and w; at most twice together.

        Returns
        -------
        indices : numpy.ndarray
            Of control points, uint32; none stands twice.
        weights : numpy.ndarray
            float64, so that ``weights @ solid.points[indices]`` is the point.

        Examples
        --------
        >>> import numpy as np, clspline
        >>> cube = np.array([[x, y, z] for z in (0, 1) for y in (0, 1) for x in (0, 1)], float)
        >>> solid = clspline.Solid(cube, [[0, 1, 3, 2, 4, 5, 7, 6]])
        >>> indices, weights = solid.weights(0, [0.5, 0.5, 0.5])
        >>> weights @ solid.points[indices]
        array([0.5, 0.5, 0.5])
        """
        plan = self._any_plan()
        at = memory.contiguous(params, 'params', np.float64)
        orders = memory.contiguous(by, 'by', np.int64)
        if at.shape != (3,) or orders.shape != (3,):
            raise ArgumentError(f'params, by: 3 numbers each, not {at.shape} and {orders.shape}')
        if orders.min() < 0 or orders.sum() > 2:
            raise ArgumentError(f'by: at most two derivatives, not {orders}')
        param = ffi.new('clsp_solid_param *', {
            'cell': int(memory.indices(memory.whole(cell, 'cell'), 'cell', self.num_cells)),
            't': at.tolist(), 'by': orders.tolist()})
        num = ffi.new('size_t *', min(self.counts.vertices, _ROOM))
        with plan.handle.lock:
            while True:
                room = num[0]
                indices, weights = np.empty(room, np.uint32), np.empty(room)
                status = lib.clsp_solid_weights(
                    plan.handle.get(), param, ffi.from_buffer('uint32_t[]', indices),
                    ffi.from_buffer('double[]', weights), num)
                if status != lib.CLSP_ERROR_BUFFER_SIZE or num[0] <= room:
                    break
        check(status)
        return indices[:num[0]].copy(), weights[:num[0]].copy()

    # ---- classes ----

    @property
    def classes(self) -> list[SolidClass]:
        """The sorts of cells that there are, a list of `SolidClass`, that of regular ones first."""
        plan = self._any_plan()
        num = ffi.new('size_t *')
        with plan.handle.lock:
            check(lib.clsp_solid_classes(plan.handle.get(), ffi.NULL, 0, num))
            found = ffi.new('clsp_solid_class[]', max(num[0], 1))
            check(lib.clsp_solid_classes(plan.handle.get(), found, num[0], num))
        return [SolidClass(_CLASSES[found[at].kind], found[at].num_points, found[at].num_cells)
                for at in range(num[0])]

    @property
    def cell_classes(self) -> Array:
        """The class of each cell, by its place in `classes`: uint32 [num_cells]."""
        plan = self._any_plan()
        result = np.empty(self.num_cells, np.uint32)
        target = memory.Output(result)
        with plan.handle.lock:
            check(lib.clsp_solid_cell_classes(plan.handle.get(), [0, self.num_cells],
                                              target.struct))
        return result

    # ---- meshes ----

    def mesh(self, samples: int, attributes: Sequence[str] = 'point', *,
             faces: str = 'triangles', dtype: DTypeLike | None = None) -> Mesh:
        """Evaluates the boundary into a closed mesh, whose faces share vertices.

        Parameters
        ----------
        samples : int
            Along each edge of a cell, at least 2.
        attributes, dtype :
            As of `evaluate`. At an edge or a vertex they are those of one of the faces there.
        faces : {'triangles', 'quads'}
            They run counterclockwise seen from outside, where cells are not inside out.

        Returns
        -------
        Mesh
            ``vertices`` [num, ...], ``faces`` [num, 3 or 4] of uint32.
        """
        in_quads = memory.choice(faces, {'triangles': False, 'quads': True}, 'faces')
        num = memory.whole(samples, 'samples')
        if not 2 <= num <= lib.CLSP_SOLID_MAX_SAMPLES:
            raise ArgumentError(f'samples: {num}, of 2 to {lib.CLSP_SOLID_MAX_SAMPLES}')
        cell, side = self._boundary()
        corners = np.array(_cells.HEXAHEDRON_FACES)[side]
        owner, place = _shared(np.take_along_axis(self.cells[cell], corners, axis=1), num)
        t = np.arange(num) / (num - 1)
        face, i, j = np.unravel_index(owner, (len(cell), num, num))
        origin = _CORNERS[corners[face, 0]]
        params = origin + t[i, None] * (_CORNERS[corners[face, 1]] - origin) + \
            t[j, None] * (_CORNERS[corners[face, 3]] - origin)
        vertices = self.at(cell[face], params, attributes, dtype=dtype)
        quads = np.stack([place[:, :-1, :-1], place[:, 1:, :-1], place[:, 1:, 1:],
                          place[:, :-1, 1:]], axis=-1).reshape(-1, 4)
        return Mesh(vertices, quads if in_quads else
                    quads[:, [0, 1, 2, 0, 2, 3]].reshape(-1, 3))

    def _boundary(self):
        """The cell and the side, by its place in `_cells.HEXAHEDRON_FACES`, of each face of the
        boundary."""
        quads = self.cells[:, _cells.HEXAHEDRON_FACES].reshape(-1, 4)
        return np.divmod(np.flatnonzero(_cells.boundary_of(quads)), 6)

    def to_meshio(self, samples: ArrayLike | None = None, *,
                  dtype: DTypeLike | None = None) -> Any:
        """A ``meshio.Mesh`` of the control points and cells, or of samples of the limit.

        Parameters
        ----------
        samples : int or sequence, optional
            As of `evaluate`: each cell has its own points, with hexahedra between them.
        dtype : dtype, optional

        Returns
        -------
        meshio.Mesh
            Coordinates beyond the third are its ``point_data``, under the names of `fields`; with
            samples, ``cell_data['cell']`` has the cell that each hexahedron is of.
        """
        import meshio
        points, cells, point_data, cell_data = self._grid(samples, dtype)
        return meshio.Mesh(points, [('hexahedron', cells)], point_data=point_data,
                           cell_data=cell_data)

    def _grid(self, samples, dtype=None):
        """(points, hexahedra, data of points, data of cells) of `to_meshio`."""
        if self.dim < 3:
            raise ArgumentError(f'to_meshio: points of {self.dim} coordinates')
        values, cells, cell_data = self._control, self.cells, {}
        if samples is not None:
            grid = self.evaluate(samples, dtype=dtype)
            values, shape = grid.reshape(-1, self.dim), grid.shape[:-1]
            cells = lattice_cells(shape)
            of = np.repeat(np.arange(self.num_cells), len(cells) // self.num_cells)
            cell_data = {'cell': [of]}
        return values[:, :3], cells, data_of(self, values), cell_data


_ROOM = 4096  # control points of a cell that `Solid.weights` is ready for at first


def _place_dtype(precision):
    """clsp_solid_place_f32 or _f64. Those of doubles end in two integers of 4 bytes."""
    real = precision.str
    return np.dtype([('t', real, 3), ('residual', real), ('bound', real), ('cell', np.uint32),
                     ('status', np.uint32)])


def _again(recipe, points, precision, fields, context):
    return Solid._made(points, recipe, precision, context, fields)


def _checked_points(points):
    array = memory.numbers(points, 'points')
    if array.ndim != 2 or not array.size or array.shape[1] > lib.CLSP_SOLID_MAX_DIM:
        raise ArgumentError(f'points: shape (number, 1 to {lib.CLSP_SOLID_MAX_DIM}), not '
                            f'{array.shape}')
    return array


def _creases_of(creases, cells, places):
    if creases is None:
        return np.empty((0, 2), np.uint32)
    if not np.iterable(creases):
        angle = memory.real(creases, 'creases')
        if places is None or not 0 <= angle <= 180:
            raise ArgumentError('creases: edges, or an angle of 0 to 180 degrees and points with '
                                f'3 coordinates, not {creases!r}')
        if cells.index.size and cells.largest() >= len(places):
            raise ArgumentIndexError(f'cells: vertex {cells.largest()}, of {len(places)}')
        return np.ascontiguousarray(_cells.sharp_edges(cells, places, angle), np.uint32)
    edges = _cells.vertices(creases, 'creases')
    if edges.size and (edges.ndim != 2 or edges.shape[1] != 2):
        raise ArgumentError(f'creases: shape (number, 2), not {edges.shape}')
    return edges.reshape(-1, 2)


def _sharpness_of(sharpness, num):
    if sharpness is None:
        return None
    array = memory.contiguous(sharpness, 'sharpness', np.float32)
    if array.ndim == 0:
        return np.full(num, array)
    if array.shape != (num,):
        raise ArgumentError(f'sharpness: shape {array.shape}, for {num} creases')
    return array


def _hashable(value):
    """Samples or intervals as numbers and tuples of them, which name a grid."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    return tuple(map(_hashable, value)) if isinstance(value, (list, tuple)) else value


def _shared(quads, num):
    """Numbers for the samples num x num of faces that share corners and edges. quads: the corners
    of faces. Gives (owner, place): of each number a sample that has it, by its place in [face, num,
    num], and the numbers of all samples [face, num, num]."""
    count, inner = len(quads), num - 2
    corners, corner = np.unique(quads, return_inverse=True)
    corner = corner.reshape(-1, 4).astype(np.int64)
    ends = _cells.edges_of(corner)
    edges, edge = np.unique(np.sort(ends, axis=1), axis=0, return_inverse=True)
    first = corners.size
    along = np.arange(inner)
    backward = (ends[:, 0] > ends[:, 1])[:, None]
    on_edge = first + edge.reshape(-1, 1) * inner + np.where(backward, inner - 1 - along, along)
    on_edge = on_edge.reshape(count, 4, inner)
    first += len(edges) * inner
    place = np.empty((count, num, num), np.int64)
    place[:, 1:-1, 1:-1] = first + np.arange(count * inner * inner).reshape(count, inner, inner)
    place[:, 0, 0], place[:, -1, 0], place[:, -1, -1], place[:, 0, -1] = corner.T
    place[:, 1:-1, 0], place[:, -1, 1:-1] = on_edge[:, 0], on_edge[:, 1]
    place[:, -2:0:-1, -1], place[:, 0, -2:0:-1] = on_edge[:, 2], on_edge[:, 3]
    owner = np.empty(first + count * inner * inner, np.int64)
    owner[place.ravel()] = np.arange(place.size)
    return owner, place.astype(np.uint32)


def lattice_cells(shape):
    """Hexahedra between the samples of each cell: shape is [cells, num_u, num_v, num_w]."""
    at = np.arange(int(np.prod(shape, dtype=np.int64))).reshape(shape)
    low, high = slice(None, -1), slice(1, None)
    cut = {0: low, 1: high}
    return np.stack([at[:, cut[u], cut[v], cut[w]] for u, v, w in _CORNERS.astype(int)],
                    axis=-1).reshape(-1, 8)
