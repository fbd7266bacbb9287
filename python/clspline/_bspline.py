"""B-spline curves, surfaces and volumes: evaluation, other knots, projection."""
from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from . import _memory as memory
from ._bezier import Bezier
from ._errors import ArgumentError, ArgumentTypeError, check
from ._memory import TYPES
from ._native import ffi, lib
from ._project import Projected
from ._reduce import Reduced
from ._splines import Splines

if TYPE_CHECKING:
    from ._context import Context
    from ._hints import Any, Array, ArrayLike, DTypeLike, Sequence, Sharing

_ORDERS = ('u', 'v', 'w')


class BSpline(Projected, Reduced, Splines):
    """A batch of B-spline curves, surfaces or volumes, polynomial or rational (NURBS).

    Parameters
    ----------
    t : array_like or tuple of array_like
        Knots: of curves an array; of surfaces and volumes a tuple with one for each direction.
        Curves may have knots of their own: shape [..., number of knots] with the leading axes of
        `c`. None, there or in the tuple: uniform over [0, 1], clamped.
    c : array_like
        Control points [..., num_u, (num_v, (num_w,)) coordinates]. Leading axes are the batch.
        Rational ones have a weight as their last coordinate, and the others multiplied by it.
    k : int or tuple of int
        Degree, along all directions or along each.
    rational : bool
    extrapolate : {'clamp', True, False, 'periodic'}
        What there is beyond the domain, in every call that evaluates: what is at its end, the
        pieces at the ends continued (of polynomial splines, points and derivatives), NaN, or one
        period after the other. It can be assigned later.
    precision : dtype, optional
        float32 or float64. Default: float64 of control points in float64 or integers, else float32.
    context : Context, optional
        Default: `current`.

    Examples
    --------
    >>> import numpy as np, clspline
    >>> curve = clspline.BSpline([0, 0, 0, 1, 2, 2, 2], [[0.0, 0], [1, 2], [3, 2], [4, 0]], 2)
    >>> curve([0.5, 1.0])
    array([[1. , 1.5],
           [2. , 2. ]])
    >>> curve(1.0, nu=1)
    array([2., 0.])
    >>> nearest = curve.project([[2.0, 3.0]])
    >>> nearest.distance, nearest.param
    (array([1.]), array([1.]))
    >>> curve.bezier().batch
    (2,)
    """

    _kind = 'clsp_bspline_'

    def __init__(self, t: ArrayLike | tuple[ArrayLike | None, ...] | None, c: ArrayLike,
                 k: int | Sequence[int], rational: bool = False, *,
                 extrapolate: bool | str = 'clamp', precision: DTypeLike | None = None,
                 context: Context | None = None) -> None:
        knots = _knots(t)
        self.directions = len(knots)
        self._init(c, self.directions, rational, precision, context)
        self.degree = _degrees(k, self.directions)
        self._own_knots = knots[0] is not None and knots[0].ndim > 1
        self._knots = tuple(_checked_knots(*each) for each in
                            zip(knots, self._net, self.degree, (self.batch,) * 3))
        self._scipy = (self.dim,), False, 0
        self.extrapolate = extrapolate

    @classmethod
    def from_scipy(cls, spline: Any, *, precision: DTypeLike | None = None,
                   context: Context | None = None) -> BSpline:
        """The same spline as a ``scipy.interpolate.BSpline`` or ``NdBSpline``.

        Values of any shape are taken; what is called as SciPy's gives values of that shape. Beyond
        the domain it is what `extrapolate` says there.
        """
        if not all(hasattr(spline, name) for name in 'tck'):
            raise ArgumentTypeError('from_scipy: a BSpline or an NdBSpline of scipy.interpolate, '
                                    f'not {type(spline).__name__}')
        directions = len(spline.t) if isinstance(spline.t, tuple) else 1
        c = np.asarray(spline.c)
        shape = c.shape[directions:]
        nets, count = c.shape[:directions], int(np.prod(shape, dtype=int))
        if directions == 1:
            nets = (len(spline.t) - int(spline.k) - 1,)  # SciPy lets c have more
            c = c[:nets[0]]
        if 1 <= count <= 4:
            control, as_patches = c.reshape(nets + (count,)), False
        else:
            control = np.moveaxis(c.reshape(nets + (count,)), -1, 0)[..., np.newaxis]
            as_patches = True
        made = cls(spline.t, control, tuple(np.atleast_1d(spline.k).tolist()),
                   extrapolate=getattr(spline, 'extrapolate', True), precision=precision,
                   context=context)
        made._scipy = shape, as_patches, getattr(spline, 'axis', 0)
        return made

    # ---- what it is ----

    @property
    def t(self) -> Any:
        """Knots, as they were given: an array of curves, else a tuple."""
        made = [self._target_knots(direction) if knots is None else knots
                for direction, knots in enumerate(self._knots)]
        return made[0] if self.directions == 1 else tuple(made)

    def _target_knots(self, direction):
        n, p = self._net[direction], self.degree[direction]
        inner = np.arange(1, n - p) / (n - p)
        return np.concatenate((np.zeros(p + 1), inner, np.ones(p + 1)))

    @property
    def domain(self) -> Any:
        """(begin, end) of the parameters: of curves a pair, else one for each direction. Of curves
        with knots of their own arrays."""
        t = self.t if self.directions > 1 else (self.t,)
        pairs = [(knots[..., p], knots[..., n]) for knots, p, n in zip(t, self.degree, self._net)]
        pairs = [pair if self._own_knots else (float(pair[0]), float(pair[1])) for pair in pairs]
        return pairs[0] if self.directions == 1 else tuple(pairs)

    def _desc(self):
        kept = [None if knots is None or self._own_knots else ffi.from_buffer('double[]', knots)
                for knots in self._knots]
        return {'directions': self.directions, 'precision': TYPES[self.precision],
                'degree': self.degree, 'num_controls': self._net[:-1], 'dim': self.dim,
                'knots': [ffi.NULL if knots is None else knots for knots in kept],
                'rational': self.rational}, kept

    def _new_plan(self, layout, watertight=False):
        if watertight:
            raise ArgumentError('watertight: of Bezier surfaces')
        plan = super()._new_plan(layout)
        if self._own_knots:
            knots = memory.Input(self._knots[0])
            check(lib.clsp_bspline_set_knots(plan.handle.get(), self.num_patches, knots.struct))
        return plan

    # ---- values as SciPy's ----

    def __call__(self, x: ArrayLike, nu: int | Sequence[int] = 0,
                 extrapolate: bool | str | None = None) -> Array:
        """Values or derivatives at parameters, as ``scipy.interpolate.BSpline`` gives them.

        Parameters
        ----------
        x : array_like
            Of curves (...), of surfaces and volumes (..., directions).
        nu : int or tuple of int
            Order of the derivative, along each direction.
        extrapolate : {None, 'clamp', True, False, 'periodic'}
            In the place of the spline's own.

        Returns
        -------
        numpy.ndarray
            Of shape batch + (...) + (dim,).
        """
        mode = self._extrapolate if extrapolate is None else self._checked(extrapolate)
        x = memory.contiguous(x, 'x', np.float64)
        orders = _degrees(nu, self.directions, 'nu')
        inside, beyond = self._inside(x, mode)
        points = x.shape if self.directions == 1 else x.shape[:-1]
        item = None
        if self.batch:  # every patch at every parameter
            item = np.arange(self.num_patches).reshape(self.batch + (1,) * len(points))
        values = self._derivative_at(orders, inside, item)
        if beyond is not None:
            self._write_beyond(values, orders, x, item, beyond, mode)
        shape, are_patches, axis = self._scipy
        if are_patches:
            values = np.moveaxis(values[..., 0], 0, -1)
        values = values.reshape((() if are_patches else self.batch) + points + shape)
        if axis:  # of SciPy's, whose points are behind that many axes of a value
            order = list(range(values.ndim))
            points = order[:len(points)]
            order[:len(points)] = []
            values = values.transpose(order[:axis] + points + order[axis:])
        return values

    def _derivative_at(self, orders, params, item):
        """Values of a derivative, [items and points..., dim], beyond the domain those of its
        end."""
        if not self.rational and any(map(int.__gt__, orders, self.degree)):
            return 0 * self._at(params, item)  # and NaN at NaN
        attribute = _attribute(orders)
        if attribute is not None:
            return self._at(params, item, attribute)
        if self._derived[0] is not self._version:
            self._derived = self._version, {}
        spline = self._derived[1].get(orders)
        if spline is None:
            spline = self._derived[1][orders] = self.derivative(orders)
        return spline._at(params, item)

    # ---- beyond the domain ----

    @property
    def extrapolate(self) -> bool | str:
        """What there is beyond the domain: ``'clamp'``, True, False or ``'periodic'``."""
        return self._extrapolate

    @extrapolate.setter
    def extrapolate(self, mode: bool | str) -> None:
        self._extrapolate = self._checked(mode)
        self._derived = None, {}
        self._calls.clear()

    def _checked(self, mode):
        if isinstance(mode, (int, np.bool_)) and mode in (0, 1):
            mode = bool(mode)
        elif not isinstance(mode, str) or mode not in ('clamp', 'periodic'):
            raise ArgumentError(f"extrapolate: 'clamp', True, False or 'periodic', not {mode!r}")
        if mode != 'clamp' and self._own_knots:
            raise ArgumentError("extrapolate: 'clamp' alone with knots of each curve's own")
        if mode is True and self.rational:
            raise ArgumentError('extrapolate: True is of polynomial splines')
        return mode

    def _inside(self, x, mode):
        """(the parameters to evaluate at, a mask of those points that come out otherwise, or
        None)."""
        if mode == 'clamp' or self.directions > 1 and x.shape[-1:] != (self.directions,):
            return x, None
        begin, end = np.moveaxis(np.asarray(self.domain), -1, 0)
        beyond = ~((x >= begin) & ((x < end) if mode == 'periodic' else (x <= end)))
        if not beyond.any():
            return x, None
        if mode == 'periodic':
            return np.where(beyond, begin + (x - begin) % (end - begin), x), None
        return x, beyond if self.directions == 1 else beyond.any(axis=-1)

    def _write_beyond(self, values, orders, x, item, beyond, mode):
        """Writes the values beyond the domain of an attribute: [items and points..., its own];
        orders: of the derivative that it is."""
        where = np.broadcast_to(beyond, np.broadcast_shapes(beyond.shape, np.shape(item)))
        if mode is False:
            values[where] = np.nan
            return
        x = np.broadcast_to(x.reshape(beyond.shape + (-1,)), where.shape + (self.directions,))
        item = None if item is None else np.broadcast_to(item, where.shape)[where]
        values[where] = self._taylor(orders, x[where], item)

    def _taylor(self, orders, x, item):
        """Values of a derivative beyond the domain, of the pieces at its ends by their Taylor
        series there. It is exact, and near the end none is worse for others farther off."""
        begin, end = np.moveaxis(np.reshape(self.domain, (-1, 2)), -1, 0)
        base = np.clip(x, begin, end)
        step, params = x - base, base[:, 0] if self.directions == 1 else base
        total = np.where(np.isnan(x).any(axis=1, keepdims=True), np.nan, np.zeros(self.dim))
        for more in np.ndindex(*(max(k + 1 - by, 0) for k, by in zip(self.degree, orders))):
            factor = np.prod([step[:, d] ** by / math.factorial(by) for d, by in enumerate(more)],
                             axis=0)
            if factor.any():
                total += factor[:, np.newaxis] * self._derivative_at(
                    tuple(map(int.__add__, orders, more)), params, item)
        return total

    def at(self, params: ArrayLike, patch: ArrayLike | None = None,
           attributes: Sequence[str] = 'point', *, out: Any = None,
           dtype: DTypeLike | None = None, share: Sharing = None,
           wait_for: Sequence[Any] | None = None) -> Array:
        """Evaluates at a list of parameters: as `Bezier.at`, and beyond the domain as `extrapolate`
        says."""
        mode, names = self._extrapolate, ()
        if mode == 'clamp':
            return self._at(params, patch, attributes, out, dtype, share, wait_for)
        x = memory.contiguous(_on_host(params), 'params', np.float64)
        inside, beyond = self._inside(x, mode)
        if inside is not x:
            params = inside
        if beyond is not None:
            names, patch = self._names_beyond(attributes, mode, out), _on_host(patch)
        made = self._at(params, patch, attributes, out, dtype, share, wait_for)
        for name in names:
            self._write_beyond(made if made.dtype.names is None else made[name],
                               _orders_of(name, self.directions), x, patch, beyond, mode)
        return made

    def _names_beyond(self, attributes, mode, out):
        """The attributes' names, where all of them can be written beyond the domain."""
        names = self._names(attributes)
        if memory.is_device_array(out):
            raise ArgumentTypeError('out: of PyOpenCL, for parameters beyond the domain where '
                                    f'extrapolate is {mode}')
        for name in names:
            if mode is True and name != 'point' and name[0] != 'd':
                raise ArgumentError(f'attributes: {name!r} beyond the domain, where '
                                    'extrapolate=True has points and derivatives')
        return names

    def _axes(self, samples, domain, kept):
        axes, nums, _ = super()._axes(samples, domain, kept)
        if self._extrapolate == 'clamp':
            return axes, nums, None
        params, beyond = [], False
        for axis, (begin, end) in zip(axes, np.reshape(self.domain, (-1, 2))):
            if 'params' in axis:
                these = np.frombuffer(ffi.buffer(axis['params']))
            else:
                whole = axis['begin'] == axis['end'] == 0
                these = np.linspace(*((begin, end) if whole else (axis['begin'], axis['end'])),
                                    axis['num'])
            params.append(these)
            beyond |= not ((these >= begin) & (these <= end)).all()
        if not beyond:
            return axes, nums, None
        return [{'num': num} for num in nums], nums, params

    def _run_beyond(self, call, patches, out, layout, _watertight, share, wait_for):
        """As `_run`, of a grid that is in part beyond the domain."""
        params = np.stack(np.meshgrid(*call.beyond, indexing='ij'), axis=-1)
        item = np.arange(patches[0], patches[0] + patches[1]).reshape((-1,) + (1,) * len(call.nums))
        self.at(params[..., 0] if self.directions == 1 else params, item, call.names,
                out=out.reshape((patches[1],) + call.nums + layout.tail), share=share,
                wait_for=wait_for)

    # ---- other knots ----

    def insert_knots(self, *knots: ArrayLike | None) -> BSpline:
        """The same splines with more knots.

        Parameters
        ----------
        *knots : array_like or None
            For each direction those to insert, within the domain; one that stands twice is inserted
            twice.
        """
        return self._converted([{} if new is None else {'insert': new}
                                for new in self._each(knots, 'insert_knots')])

    def elevate(self, by: int | Sequence[int] = 1) -> BSpline:
        """The same splines with degrees that are higher by `by`, an int or one for each
        direction."""
        return self._converted([{'elevate': order}
                                for order in _degrees(by, self.directions, 'by')])

    def restrict(self, *intervals: Sequence[float] | None) -> BSpline:
        """The same splines over a part of the domain.

        Parameters
        ----------
        *intervals : tuple of float or None
            (begin, end) for each direction.
        """
        return self._converted([{} if pair is None else dict(zip(('begin', 'end'),
                                                                 memory.pair(pair, 'restrict')))
                                for pair in self._each(intervals, 'restrict')])

    def derivative(self, nu: int | Sequence[int] = 1) -> BSpline:
        """The derivative as a spline, of polynomial ones. nu: its order, or one for each direction;
        default of surfaces and volumes: along the first."""
        if not np.iterable(nu):
            nu = (nu,) + (0,) * (self.directions - 1)
        orders = _degrees(nu, self.directions, 'nu')
        spline = self
        while any(orders):
            step = tuple(min(order, lib.CLSP_BSPLINE_CONVERT_MAX_DERIVATIVE) for order in orders)
            spline = spline._converted([{'derivative': order} for order in step])
            orders = tuple(order - one for order, one in zip(orders, step))
        return spline

    def bezier(self) -> Bezier:
        """The Bezier pieces between knots, with a batch of the splines' own, and then one axis for
        the pieces along each direction. Of curves with knots of their own one axis for all pieces.

        Returns
        -------
        Bezier
        """
        nets, _, control = self._convert([{}] * self.directions, True)
        shape = self.batch + tuple(net[0] // net[1] for net in nets) + \
            tuple(net[1] for net in nets) + self._net[-1:]
        if self._own_knots:
            shape = (-1, self.degree[0] + 1) + self._net[-1:]
        return Bezier(control.reshape(shape), ('curve', 'surface', 'volume')[self.directions - 1],
                      self.rational, precision=self.precision, context=self.context)

    def _each(self, values, name):
        if len(values) != self.directions:
            raise ArgumentError(f'{name}: {len(values)} arguments, for {self.directions} '
                                'directions')
        return values

    def _converted(self, changes):
        nets, knots, control = self._convert(changes, False)
        if self._own_knots:
            knots = [knots[0].reshape(self.batch + (-1,))]
        shape = self.batch + tuple(net[0] for net in nets) + self._net[-1:]
        return _again(knots, control.reshape(shape), tuple(net[1] - 1 for net in nets),
                      self.rational, self._extrapolate, self.precision, self.context, self._scipy)

    def _convert(self, changes, bezier):
        """([(number of control points, order) of each direction], [their knots], control points)"""
        kept = []
        target = ffi.new('clsp_bspline_target *', {
            'along': [_change(fields, kept) for fields in changes], 'bezier': bezier})
        plan = self._plan(self._layout(('point',)))
        with plan.handle.lock:
            pointer = plan.handle.get()
            check(lib.clsp_bspline_set_target(pointer, target))
            nets, knots = self._target(pointer, bezier)
            tiling = ffi.new('clsp_tiling *')
            run = ffi.new('clsp_run *', {'tiling': tiling})
            self._load(plan)
            control = np.empty(0, self.precision)
            whole = [0, self.num_patches]
            check(lib.clsp_bspline_convert(pointer, whole, memory.Output(control).struct, run))
            control = np.empty(tiling.elements.count, self.precision)
            if control.size:
                check(lib.clsp_bspline_convert(pointer, whole, memory.Output(control).struct,
                                               ffi.NULL))
        return nets, knots, control

    def _target(self, pointer, bezier):
        """What the plan's target is; with knots of curves' own of all curves."""
        desc = ffi.new('clsp_bspline_desc *')
        nets, knots = None, []
        for patch in range(self.num_patches if self._own_knots else 1):
            check(lib.clsp_bspline_target_desc(pointer, patch, desc, ffi.NULL))
            these = [(desc.num_controls[at], desc.degree[at] + 1) for at in range(self.directions)]
            if nets is not None and nets != these and not bezier:
                raise ArgumentError('curves would have different numbers of control points; make '
                                    'them one by one')
            nets = these
            knots += [np.array(ffi.unpack(desc.knots[at], sum(net)), np.float64)
                      for at, net in enumerate(nets)]
        return nets, [np.concatenate(knots)] if self._own_knots and not bezier else knots

    def __repr__(self):
        kind = ('curve', 'surface', 'volume')[self.directions - 1]
        return (f'<clspline.BSpline {"rational " if self.rational else ""}{kind} of degree '
                f'{"x".join(map(str, self.degree))}, {"x".join(map(str, self._net[:-1]))} control '
                f'points, {self.num_patches} in {self.dim}D, {self.precision}>')

    def __reduce__(self):
        return _again, (self._knots, self._control, self.degree, self.rational, self._extrapolate,
                        self.precision.str, self.context, self._scipy)


def _again(knots, control, degree, rational, extrapolate, precision, context, scipy):
    made = BSpline(tuple(knots) if len(knots) > 1 else knots[0], control, degree, rational,
                   extrapolate=extrapolate, precision=precision, context=context)
    made._scipy = scipy
    return made


def _on_host(value):
    return value.get() if memory.is_device_array(value) else value


def _knots(t):
    """The knots of each direction, as arrays or None."""
    if t is None:
        return (None,)
    if not isinstance(t, tuple) or t and t[0] is not None and np.ndim(t[0]) == 0:
        t = (t,)
    if not 1 <= len(t) <= 3:
        raise ArgumentError(f't: knots of {len(t)} directions, of 1 to 3')
    return tuple(None if knots is None else memory.contiguous(knots, 't', np.float64)
                 for knots in t)


def _checked_knots(knots, num, degree, batch):
    if knots is not None:
        own = knots.ndim > 1
        if knots.ndim == 0 or knots.shape[-1] != num + degree + 1:
            raise ArgumentError(f't: {knots.shape[-1] if knots.ndim else 0} knots; {num} control '
                                f'points of degree {degree} have {num + degree + 1}')
        if own and knots.shape[:-1] != batch:
            raise ArgumentError(f't: leading axes {knots.shape[:-1]}, of control points {batch}')
    elif num <= degree:
        raise ArgumentError(f'c: {num} control points for degree {degree}')
    return knots


def _degrees(k, directions, name='k'):
    """A whole number for each direction."""
    values = tuple(k) if np.iterable(k) else (k,) * directions
    if len(values) != directions or not all(hasattr(value, '__index__') and 0 <= value < 2 ** 32
                                            for value in values):
        raise ArgumentError(f'{name}: a whole number from 0 on, or {directions} of them, not {k!r}')
    return tuple(value.__index__() for value in values)


def _attribute(orders):
    """The attribute that a derivative of such orders is, or None where there is none."""
    name = ''.join(letter * order for letter, order in zip(_ORDERS, orders))
    if not name:
        return 'point'
    if len(name) > 2 or len(orders) == 3 and len(name) > 1:
        return None
    return 'd' + name


def _orders_of(name, directions):
    """The orders of the derivative that an attribute is; 0 of what is none."""
    return tuple(name.count(letter, 1) for letter in _ORDERS[:directions])


def _change(fields, kept):
    """A clsp_bspline_change as what cffi makes one of."""
    if 'insert' in fields:
        insert = memory.contiguous(fields['insert'], 'insert_knots', np.float64).reshape(-1)
        kept.append(ffi.from_buffer('double[]', insert))
        return {'insert': kept[-1], 'num_insert': insert.size}
    return fields
