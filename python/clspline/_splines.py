"""What Bezier patches and B-splines have in common: plans, evaluation, meshes."""
from __future__ import annotations

import collections
import threading
import typing

import numpy as np

from . import _memory as memory
from ._context import Handle, current
from ._errors import ArgumentError, ArgumentIndexError, ArgumentTypeError, check
from ._native import ffi, lib
from ._pictures import Drawn
from ._share import Run
from ._vertices import Layout, axis_struct, names_of

if typing.TYPE_CHECKING:
    from ._context import Context
    from ._hints import Any, Array, ArrayLike, DTypeLike, Sequence, Sharing, Which

_PLANS_KEPT = 4  # of an object, one for each layout of vertices
_NO_NUMS = ffi.new('clsp_input *')  # of samples of each patch


class Mesh(typing.NamedTuple):
    """Vertices [num, ...] and faces [num, 3 or 4], as indices of vertices."""
    vertices: Array
    faces: Array


class Plan:
    """A plan of the library, and what it holds."""

    def __init__(self, handle, layout):
        self.handle = handle
        self.loaded = None  # the version of the control points
        self.grid = None
        # of calls that write an array of NumPy; used with the plan's lock held
        self.target = ffi.new('clsp_output *', {'type': memory.TYPES[layout.element]})
        self.range = ffi.new('clsp_range *')
        self.list = ffi.new('clsp_points *')


class _Call:
    """What evaluating on a grid takes, for all calls with the same samples and attributes."""

    __slots__ = ('names', 'grid', 'axes', 'kept', 'nums', 'beyond', 'layout', 'shape')


class Splines(Drawn):
    """The base of `Bezier` and `BSpline`: a batch of curves, surfaces or volumes that share
    degrees.

    Attributes
    ----------
    context : Context
    precision : numpy.dtype
        Of control points and arithmetic: float32 or float64.
    degree : tuple of int
        Along each direction.
    directions, dim : int
        Parameters, and coordinates of a point.
    rational : bool
        Whether control points have a weight as their last coordinate, and the others times it.
    batch : tuple of int
        The leading axes of the control points.
    """

    context: Context
    precision: np.dtype[Any]
    degree: tuple[int, ...]
    directions: int
    dim: int
    rational: bool
    batch: tuple[int, ...]
    num_patches: int

    # Set by each family: what the names of functions begin with that describe and make patches, its
    # calls that evaluate, and what arguments of items are called
    _kind = ''
    _eval, _eval_points = lib.clsp_patch_eval, lib.clsp_patch_eval_points
    _item, _items = 'patch', 'patches'
    _is_solid = False

    def _init(self, control, net_axes, rational, precision, context):
        """Takes the control points: [batch..., net..., coordinates]."""
        self.context = current() if context is None else context
        array = memory.points(control, 'control')
        if array.ndim < net_axes + 1:
            raise ArgumentError(f'control: at least {net_axes + 1} axes, the last one coordinates, '
                                f'not {array.ndim}')
        self.precision = memory.precision_of(array, self.context, precision)
        self.rational = bool(rational)
        self.batch = array.shape[:array.ndim - net_axes - 1]
        self._net = array.shape[len(self.batch):]
        self.dim = self._net[-1] - self.rational
        if not 1 <= self.dim <= 4:
            raise ArgumentError(f'control: points of {self.dim} coordinates, of 1 to 4')
        self.num_patches = int(np.prod(self.batch, dtype=np.int64))
        self._set(array)
        self._begin()

    def _begin(self):
        """Makes what calls keep for those after them."""
        self._plans = collections.OrderedDict()
        self._calls, self._layouts = {}, {}
        self._lock = threading.Lock()

    def _set(self, array, name='control'):
        if not memory.is_device_array(array):
            array = np.array(array, self.precision, order='C')  # ours, so that nobody changes it
            array.flags.writeable = False
        elif array.dtype != self.precision:
            raise ArgumentTypeError(f'{name}: dtype {self.precision} is wanted, not {array.dtype}')
        self._points = array
        self._version = object()

    @property
    def _control(self):
        """The control points in an array of NumPy."""
        points = self._points
        if not isinstance(points, np.ndarray):
            points = points.get()
            points.flags.writeable = False
        return points

    @property
    def control(self) -> Array:
        """The control points [batch..., net..., coordinates], read-only; assign others of the same
        shape to change them. An array of PyOpenCL is read by the next call, where it is."""
        return self._control

    @control.setter
    def control(self, points: ArrayLike) -> None:
        self._assign(points, 'control')

    def _assign(self, points, name):
        array = memory.points(points, name)
        if array.shape != self._points.shape:
            raise ArgumentError(f'{name}: shape {self._points.shape}, not {array.shape}')
        self._set(array, name)

    # ---- plans ----

    def _desc(self):
        """The fields of the family's description, as cffi makes it of a dict, and what it points
        to."""
        raise NotImplementedError

    def _plan(self, layout, watertight=False):
        """The plan that makes such vertices; made at first use, the oldest ones go."""
        key = layout.key if not watertight else (layout.key, True)
        plan = self._plans.get(key)
        return self._made_plan(key, layout, watertight) if plan is None else plan

    def _made_plan(self, key, *what):
        self.context._need()
        with self._lock:
            plan = self._plans.get(key)
            if plan is None:
                if len(self._plans) >= _PLANS_KEPT:
                    self._plans.popitem(last=False)
                plan = self._plans[key] = self._new_plan(*what)
            return plan

    def _new_plan(self, layout, watertight=False):
        fields, kept = self._desc()
        fields['vertex'] = layout.struct()
        if watertight:
            fields['watertight'] = 1
        desc = ffi.new(self._kind + 'desc *', fields)
        create, context = getattr(lib, self._kind + 'plan_create'), self.context
        handle = Handle(context, 'clsp_patch_plan',
                        lambda pointer: create(pointer, context._pointer[0], desc),
                        lib.clsp_patch_plan_destroy)
        del kept
        return Plan(handle, layout)

    def _load(self, plan):
        """Brings the control points there, unless they are. With the plan's lock held."""
        if plan.loaded is not self._version:
            version, control = self._version, self._points
            plan.loaded = None
            points, run = memory.Input(control, 'control'), Run(self.context, arrays=(control,))
            self._send(plan.handle.get(), points.struct, run.pointer)
            plan.loaded = version

    def _send(self, pointer, points, run):
        check(lib.clsp_patch_set_control_points(pointer, self.num_patches, points, run))

    def _names(self, attributes):
        """A tuple of names of what the argument `attributes` of a call may be."""
        return names_of(attributes, self.dim, self.directions, self._is_solid)

    def _layout(self, names, out=None, dtype=None):
        """The layout of an output, or of the array that is made where there is none."""
        element = self.precision if dtype is None else memory.dtype_of(dtype, 'dtype')
        if out is not None:
            memory.need_array(out, 'out')
            if out.dtype.names is not None:
                return Layout(names, out.dtype, self.dim, self.directions, None)
            element = out.dtype
        if element not in (np.float16, np.float32, np.float64):
            raise ArgumentTypeError(f'out: dtype {element}, of float16, float32 and float64')
        return Layout(names, element, self.dim, self.directions, element)

    def _range(self, patches):
        """(first, count, leading shape) of the argument `patches`."""
        return memory.range_of(patches, self._items, self.num_patches, self.batch)

    # ---- evaluation on grids ----

    def _axes(self, samples, domain, kept):
        """([clsp_axis of each direction], their numbers of samples, the parameters along each where
        a grid cannot have them, or None)."""
        directions = self._axis_directions()
        if not hasattr(samples, '__len__') or getattr(samples, 'ndim', 1) == 0:
            samples = (samples,) * directions
        elif directions == 1 and not (isinstance(samples, tuple) and len(samples) == 1):
            samples = (samples,)
        if len(samples) != directions:
            raise ArgumentError(f'samples: {len(samples)} of them, for {directions} directions')
        if domain is None:
            domain = (None,) * directions
        elif not np.iterable(domain):
            raise ArgumentError(f'domain: {domain!r}, where an interval is wanted')
        elif directions == 1 and len(domain) > 1:
            domain = (domain,)
        if len(domain) != directions:
            raise ArgumentError(f'domain: {len(domain)} intervals, for {directions} directions')
        pairs = [axis_struct(one, interval, 'samples', kept)
                 for one, interval in zip(samples, domain)]
        return [axis for axis, _ in pairs], tuple(num for _, num in pairs), None

    def _axis_directions(self):
        return self.directions

    def _grid_shape(self, nums):
        return nums

    def _call(self, samples, attributes, domain):
        """The call of such samples; those of the last ones are kept, where they are hashable."""
        try:
            key = samples, attributes, domain
            call = self._calls.get(key)
        except TypeError:
            key = call = None
        if call is None:
            call = _Call()
            call.kept = []
            call.names = self._names(attributes)
            axes, call.nums, call.beyond = self._axes(samples, domain, call.kept)
            call.axes = ffi.new('clsp_axis[3]', axes)
            call.grid = object()
            call.layout = self._layout(call.names)
            call.shape = self._grid_shape(call.nums)
            if key is not None:
                if len(self._calls) >= 64:
                    self._calls.clear()
                self._calls[key] = call
        return call

    def evaluate(self, samples: ArrayLike, attributes: Sequence[str] = 'point', *,
                 out: Any = None, patches: Which = None, domain: Sequence[Any] | None = None,
                 dtype: DTypeLike | None = None, share: Sharing = None,
                 wait_for: Sequence[Any] | None = None) -> Array:
        """Evaluates on a grid of parameters.

        Parameters
        ----------
        samples : int or sequence
            Numbers of samples along all directions, or along each: uniform, ends included. In the
            place of a number, an array of parameters.
        attributes : str or tuple of str
            What of each vertex: ``'point'``, ``'weight'``, the derivatives ``'du'``, ``'dv'``,
            ``'dw'``, ``'duu'``, ``'duv'``, ``'dvv'``, ``'duw'``, ``'dvw'``, ``'dww'``,
            ``'normal'``, ``'params'``, ``'curvature'``.
        out : numpy.ndarray or pyopencl.array.Array, optional
            Receives the result. Of several attributes it is an array of a structured dtype with
            fields of these names, anywhere in it; other fields stay as they are.
        patches : int or slice, optional
            Which of the batch, counted in C order.
        domain : sequence, optional
            Interval (begin, end) of the parameters along each direction. Default: all.
        dtype : dtype, optional
            Of the result: float16, float32 or, where that is the precision, float64.
        share : Share or str, optional
            Has the call shared between devices and the host.
        wait_for : list of pyopencl.Event, optional
            What has to end first.

        Returns
        -------
        numpy.ndarray
            Of shape batch + samples + that of the attribute; of several attributes a structured
            array of shape batch + samples, with fields of their names. With `out`, that.

        Raises
        ------
        ArgumentError, TypeError, ValueError
            The message names the argument.
        """
        call = self._call(samples, attributes, domain)
        layout = call.layout
        if patches is None:
            first, count, leading = 0, self.num_patches, self.batch
        else:
            first, count, leading = self._range(patches)
        plain = out.__class__ is np.ndarray and dtype is None
        if not plain and (out is not None or dtype is not None) or \
                plain and out.dtype != layout.dtype:
            layout = self._layout(call.names, out, dtype)
        shape = leading + call.shape + layout.tail
        if out is None:
            out = np.empty(shape, layout.dtype)
        elif not plain or out.shape != shape or not out.flags.carray:
            memory.checked_output(out, 'out', layout.dtype, shape)
        if count != 0 and out.size != 0:
            run = self._run if call.beyond is None else self._run_beyond
            run(call, (first, count), out, layout, False, share, wait_for)
        return out

    def _run(self, call, patches, out, layout, watertight, share, wait_for):
        plan = self._grid_plan(call, layout, watertight)
        event = None
        with plan.handle.lock:
            pointer = plan.handle.get()
            if plan.loaded is not self._version:
                self._load(plan)
            if plan.grid is not call.grid:
                self._set_grid(plan, call)
            plan.range.first, plan.range.count = patches
            if share is None and not wait_for and isinstance(out, np.ndarray):
                kept = ffi.from_buffer(out)
                plan.target.host, plan.target.size = kept, out.nbytes // layout.element.itemsize
                status = self._eval(pointer, plan.range[0], plan.target[0], ffi.NULL)
                if status:
                    check(status)
            else:
                run = Run(self.context, share, wait_for, memory.is_device_array(out), (out,))
                target = memory.Output(out, 'out', layout.element)
                check(self._eval(pointer, plan.range[0], target.struct, run.pointer))
                event = run.end()
        if event is not None:
            out.add_event(event)

    def _grid_plan(self, call, layout, watertight):
        """The plan that makes a call's grid, whatever grid it has: `_set_grid` gives it that."""
        return self._plan(layout, watertight)

    def _set_grid(self, plan, call):
        if plan.grid is not call.grid:
            plan.grid = None
            check(lib.clsp_patch_set_grids(plan.handle.get(), call.axes, 0, _NO_NUMS[0]))
            plan.grid = call.grid

    # ---- evaluation at parameters ----

    def _params(self, params, patch):
        """(parameters [num, directions], item [num] or None, leading shape)."""
        if params.__class__ is np.ndarray and params.dtype == self.precision and \
                params.flags.c_contiguous:
            array = params
        elif memory.is_device_array(params):
            if params.dtype != self.precision:
                raise ArgumentTypeError(f'params: dtype {self.precision} is wanted, not '
                                        f'{params.dtype}')
            array = params
        else:
            array = memory.contiguous(params, 'params', self.precision)
        shape = array.shape
        if self.directions > 1:
            if array.ndim == 0 or shape[-1] != self.directions:
                raise ArgumentError(f'params: shape (..., {self.directions}), not {shape}')
            shape = shape[:-1]
        if patch is None:
            return array, None, shape
        if memory.is_device_array(patch):
            if patch.dtype != np.uint32 or patch.shape != shape:
                raise ArgumentError(f'{self._item}: uint32 of shape {shape} is wanted')
            return array, patch, shape
        item = memory.indices(patch, self._item, self.num_patches)
        if item.ndim == 0 and int(item) == 0:
            return array, None, shape
        if memory.is_device_array(array):
            item = np.broadcast_to(item, shape)
        elif item.shape != shape:
            item, array, shape = self._broadcast(item, array, shape)
        return array, np.ascontiguousarray(item), shape

    def _broadcast(self, item, array, shape):
        try:
            whole = np.broadcast_shapes(item.shape, shape)
        except ValueError:
            raise ArgumentError(f'{self._item}: shape {item.shape}, for parameters of shape '
                                f'{shape}') from None
        tail = (self.directions,) if self.directions > 1 else ()
        return np.broadcast_to(item, whole), \
            np.ascontiguousarray(np.broadcast_to(array, whole + tail)), whole

    def at(self, params: ArrayLike, patch: ArrayLike | None = None,
           attributes: Sequence[str] = 'point', *, out: Any = None,
           dtype: DTypeLike | None = None, share: Sharing = None,
           wait_for: Sequence[Any] | None = None) -> Array:
        """Evaluates at a list of parameters.

        Parameters
        ----------
        params : array_like
            Shape (..., directions), of curves (...). Beyond the domain they count as its end.
        patch : int or array_like of int, optional
            Which patch of the batch, in C order, for all or for each of the parameters, against
            which it is broadcast. Default: the first.
        attributes, out, dtype, share, wait_for :
            As of `evaluate`.

        Returns
        -------
        numpy.ndarray
            Of shape (...) + that of the attribute.
        """
        return self._at(params, patch, attributes, out, dtype, share, wait_for)

    def _at(self, params, patch=None, attributes='point', out=None, dtype=None, share=None,
            wait_for=None):
        layout = self._layout_of(attributes, out, dtype)
        array, item, shape = self._params(params, patch)
        if self.num_patches == 0:
            raise ArgumentIndexError(f'{self._item}: there is none')
        shape = shape + layout.tail
        plain = out.__class__ is np.ndarray
        if out is None:
            out = np.empty(shape, layout.dtype)
        elif not plain or out.dtype != layout.dtype or out.shape != shape or \
                not out.flags.carray:
            memory.checked_output(out, 'out', layout.dtype, shape)
        if plain or memory.is_device_array(out):
            memory.refuse_overlap(out, 'out', **{'params': array, self._item: item})
        if out.size != 0:
            self._run_list(array, item, out, layout, share, wait_for)
        return out

    def _layout_of(self, attributes, out, dtype):
        """The layout of a list's output; those of the last ones are kept."""
        try:
            key = attributes, dtype, None if out is None else getattr(out, 'dtype', None)
            layout = self._layouts.get(key)
        except TypeError:
            return self._layout(self._names(attributes), out, dtype)
        if layout is None:
            layout = self._layout(self._names(attributes), out, dtype)
            if len(self._layouts) >= 64:
                self._layouts.clear()
            self._layouts[key] = layout
        return layout

    def _run_list(self, array, item, out, layout, share, wait_for):
        plan = self._plan(layout)
        event = None
        with plan.handle.lock:
            pointer = plan.handle.get()
            if plan.loaded is not self._version:
                self._load(plan)
            points = plan.list
            params = memory.Input(array, 'params')
            points.num, points.params = array.size // self.directions, params.struct
            items = None if item is None else memory.Input(item, self._item)
            points.item = memory.no_input() if items is None else items.struct
            if share is None and not wait_for and array.__class__ is np.ndarray and \
                    out.__class__ is np.ndarray and (item is None or item.__class__ is np.ndarray):
                kept = ffi.from_buffer(out)
                plan.target.host, plan.target.size = kept, out.nbytes // layout.element.itemsize
                status = self._eval_points(pointer, points, plan.target[0], ffi.NULL)
                if status:
                    check(status)
            else:
                target = memory.Output(out, 'out', layout.element)
                run = Run(self.context, share, wait_for, memory.is_device_array(out),
                          (array, item, out))
                check(self._eval_points(pointer, points, target.struct, run.pointer))
                event = run.end()
        if event is not None:
            out.add_event(event)

    # ---- meshes ----

    def mesh(self, samples: ArrayLike, attributes: Sequence[str] = 'point', *,
             faces: str = 'triangles', patches: Which = None,
             domain: Sequence[Any] | None = None, dtype: DTypeLike | None = None,
             watertight: bool = False) -> Mesh:
        """Evaluates surfaces into a mesh.

        Parameters
        ----------
        samples, attributes, patches, domain, dtype :
            As of `evaluate`.
        faces : {'triangles', 'quads'}
            They run counterclockwise seen from the side to which normals point.
        watertight : bool
            Of Bezier surfaces: patches that share an edge share its points, bit for bit.

        Returns
        -------
        Mesh
            ``vertices`` [num, ...], ``faces`` [num, 3 or 4] of uint32.
        """
        kinds = {'triangles': (lib.CLSP_FACES_TRIANGLES, 3), 'quads': (lib.CLSP_FACES_QUADS, 4)}
        kind, corners = memory.choice(faces, kinds, 'faces')
        if self.directions != 2:
            raise ArgumentError(f'mesh: of surfaces; these have {self.directions} directions')
        call = self._call(samples, attributes, domain)
        layout = call.layout if dtype is None else self._layout(call.names, None, dtype)
        first, count, _ = self._range(patches)
        plan = self._plan(layout, watertight)
        size = ffi.new('clsp_mesh_size *')
        with plan.handle.lock:
            pointer = plan.handle.get()
            self._set_grid(plan, call)
            check(lib.clsp_patch_mesh_size(pointer, [first, count], size))
            num = size.triangles if corners == 3 else size.quads
            indices = np.empty((num, corners), np.uint32)
            vertices = np.empty((size.vertices,) + layout.tail, layout.dtype)
            if num:
                target = memory.Output(indices)
                check(lib.clsp_patch_indices(pointer, kind, [first, count], target.struct,
                                             ffi.NULL))
            if vertices.size:
                run = self._run if call.beyond is None else self._run_beyond
                run(call, (first, count), vertices, layout, watertight, None, None)
        return Mesh(vertices, indices)
