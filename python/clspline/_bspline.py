"""B-spline curves, surfaces and volumes: evaluation, other knots, projection."""
import numpy as np

from . import _memory as memory
from ._bezier import Bezier
from ._errors import check
from ._memory import TYPES
from ._native import ffi, lib
from ._project import Projected
from ._splines import Splines

_ORDERS = ('u', 'v', 'w')


class BSpline(Projected, Splines):
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

    _prefix = 'clsp_bspline_'

    def __init__(self, t, c, k, rational=False, *, precision=None, context=None):
        knots = _knots(t)
        self.directions = len(knots)
        self._init(c, self.directions, rational, precision, context)
        self.degree = _degrees(k, self.directions)
        self._own_knots = knots[0] is not None and knots[0].ndim > 1
        self._knots = tuple(_checked_knots(*each) for each in
                            zip(knots, self._net, self.degree, (self.batch,) * 3))
        self._value_shape = (self.dim,)
        self._values_are_patches = False

    @classmethod
    def from_scipy(cls, spline, *, precision=None, context=None):
        """The same spline as a ``scipy.interpolate.BSpline`` or ``NdBSpline``.

        Values of any shape are taken; what is called as SciPy's gives values of that shape. Beyond
        the domain values are those of its end, whatever `extrapolate` says there.
        """
        directions = len(spline.t) if isinstance(spline.t, tuple) else 1
        c = np.asarray(spline.c)
        if getattr(spline, 'axis', 0):
            c = np.moveaxis(c, spline.axis, 0)
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
        made = cls(spline.t, control, tuple(np.atleast_1d(spline.k).tolist()), precision=precision,
                   context=context)
        made._value_shape, made._values_are_patches = shape, as_patches
        return made

    # ---- what it is ----

    @property
    def t(self):
        """Knots, as they were given: an array of curves, else a tuple."""
        made = [self._target_knots(direction) if knots is None else knots
                for direction, knots in enumerate(self._knots)]
        return made[0] if self.directions == 1 else tuple(made)

    def _target_knots(self, direction):
        n, p = self._net[direction], self.degree[direction]
        inner = np.arange(1, n - p) / (n - p)
        return np.concatenate((np.zeros(p + 1), inner, np.ones(p + 1)))

    @property
    def domain(self):
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
            raise ValueError('watertight: of Bezier surfaces')
        plan = super()._new_plan(layout)
        if self._own_knots:
            knots = memory.Input(self._knots[0])
            check(lib.clsp_bspline_set_knots(plan.handle.get(), self.num_patches, knots.struct))
        return plan

    # ---- values as SciPy's ----

    def __call__(self, x, nu=0, extrapolate=None):
        """Values or derivatives at parameters, as ``scipy.interpolate.BSpline`` gives them.

        Parameters
        ----------
        x : array_like
            Of curves (...), of surfaces and volumes (..., directions).
        nu : int or tuple of int
            Order of the derivative, along each direction.
        extrapolate : {None, 'clamp', False, 'periodic'}
            Beyond the domain: values of its end (None, 'clamp'), NaN, or those of a period.

        Returns
        -------
        numpy.ndarray
            Of shape batch + (...) + (dim,).
        """
        x = memory.numbers(x, 'x')
        x, outside = self._extrapolated(np.asarray(x, np.float64), extrapolate)
        orders = _degrees(nu, self.directions, 'nu')
        attribute = _attribute(orders)
        if not self.rational and any(map(int.__gt__, orders, self.degree)):
            values = np.zeros_like(self._at_all(x, 'point'))
        elif attribute is None:
            values = self.derivative(orders)._at_all(x, 'point')
        else:
            values = self._at_all(x, attribute)
        if outside is not None:
            values[..., outside, :] = np.nan
        if self._values_are_patches:
            values = np.moveaxis(values[..., 0], 0, -1)
        lead = () if self._values_are_patches else self.batch
        return values.reshape(lead + self._points_shape(x) + self._value_shape)

    def _points_shape(self, x):
        return x.shape if self.directions == 1 else x.shape[:-1]

    def _at_all(self, x, attribute):
        """[batch..., points..., dim]: every patch at every parameter."""
        if not self.batch:
            return self.at(x, attributes=attribute)
        shape = self._points_shape(x)
        item = np.arange(self.num_patches).reshape(self.batch + (1,) * len(shape))
        return self.at(x, item, attribute)

    def _extrapolated(self, x, extrapolate):
        """The parameters to evaluate at, and where values are to be NaN, or None."""
        if extrapolate in (None, 'clamp'):
            return x, None
        if self._own_knots:
            raise ValueError("extrapolate: 'clamp' alone with knots of each curve's own")
        domain = np.asarray(self.domain)
        begin, end = domain[..., 0], domain[..., 1]
        if extrapolate == 'periodic':
            return np.where((x < begin) | (x > end), begin + (x - begin) % (end - begin), x), None
        if extrapolate is False or extrapolate == 0:
            outside = (x < begin) | (x > end) | np.isnan(x)
            return x, outside if self.directions == 1 else outside.any(axis=-1)
        raise ValueError(f"extrapolate: None, 'clamp', 'periodic' or False, not {extrapolate!r}")

    # ---- other knots ----

    def insert_knots(self, *knots):
        """The same splines with more knots.

        Parameters
        ----------
        *knots : array_like or None
            For each direction those to insert, within the domain; one that stands twice is inserted
            twice.
        """
        return self._converted([{} if new is None else {'insert': new}
                                for new in self._each(knots, 'insert_knots')])

    def elevate(self, by=1):
        """The same splines with degrees that are higher by `by`, an int or one for each
        direction."""
        return self._converted([{'elevate': order}
                                for order in _degrees(by, self.directions, 'by')])

    def restrict(self, *intervals):
        """The same splines over a part of the domain.

        Parameters
        ----------
        *intervals : tuple of float or None
            (begin, end) for each direction.
        """
        return self._converted([{} if pair is None else {'begin': pair[0], 'end': pair[1]}
                                for pair in self._each(intervals, 'restrict')])

    def derivative(self, nu=1):
        """The derivative as a spline, of polynomial ones. nu: its order, or one for each direction;
        default of surfaces and volumes: along the first."""
        orders = _degrees(nu, self.directions, 'nu') if np.ndim(nu) or self.directions == 1 else \
            (int(nu),) + (0,) * (self.directions - 1)
        spline = self
        while any(orders):
            step = tuple(min(order, lib.CLSP_BSPLINE_CONVERT_MAX_DERIVATIVE) for order in orders)
            spline = spline._converted([{'derivative': order} for order in step])
            orders = tuple(order - one for order, one in zip(orders, step))
        return spline

    def bezier(self):
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
            raise ValueError(f'{name}: {len(values)} arguments, for {self.directions} directions')
        return values

    def _converted(self, changes):
        nets, knots, control = self._convert(changes, False)
        if self._own_knots:
            knots = [knots[0].reshape(self.batch + (-1,))]
        shape = self.batch + tuple(net[0] for net in nets) + self._net[-1:]
        made = BSpline(tuple(knots) if self.directions > 1 else knots[0], control.reshape(shape),
                       tuple(net[1] - 1 for net in nets), self.rational, precision=self.precision,
                       context=self.context)
        made._value_shape, made._values_are_patches = self._value_shape, self._values_are_patches
        return made

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
            check(lib.clsp_bspline_target_desc(pointer, patch, desc))
            these = [(desc.num_controls[at], desc.degree[at] + 1) for at in range(self.directions)]
            if nets is not None and nets != these and not bezier:
                raise ValueError('curves would have different numbers of control points; make '
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
        return _again, (self._knots, self._control, self.degree, self.rational, self.precision.str,
                        self.context, self._value_shape, self._values_are_patches)


def _again(knots, control, degree, rational, precision, context, value_shape, are_patches):
    made = BSpline(knots if len(knots) > 1 else knots[0], control, degree, rational,
                   precision=precision, context=context)
    made._value_shape, made._values_are_patches = value_shape, are_patches
    return made


def _knots(t):
    """The knots of each direction, as arrays or None."""
    if t is None:
        return (None,)
    if not isinstance(t, tuple) or t and t[0] is not None and np.ndim(t[0]) == 0:
        t = (t,)
    if not 1 <= len(t) <= 3:
        raise ValueError(f't: knots of {len(t)} directions, of 1 to 3')
    return tuple(None if knots is None else memory.contiguous(knots, 't', np.float64)
                 for knots in t)


def _checked_knots(knots, num, degree, batch):
    if knots is not None:
        own = knots.ndim > 1
        if knots.ndim == 0 or knots.shape[-1] != num + degree + 1:
            raise ValueError(f't: {knots.shape[-1] if knots.ndim else 0} knots; {num} control '
                             f'points of degree {degree} have {num + degree + 1}')
        if own and knots.shape[:-1] != batch:
            raise ValueError(f't: leading axes {knots.shape[:-1]}, of control points {batch}')
    elif num <= degree:
        raise ValueError(f'c: {num} control points for degree {degree}')
    return knots


def _degrees(k, directions, name='k'):
    """A whole number for each direction."""
    values = (k,) * directions if np.ndim(k) == 0 else tuple(k)
    if len(values) != directions or any(not hasattr(value, '__index__') or value < 0
                                        for value in values):
        raise ValueError(f'{name}: a whole number from 0 on, or {directions} of them, not {k!r}')
    return tuple(value.__index__() for value in values)


def _attribute(orders):
    """The attribute that a derivative of such orders is, or None where there is none."""
    name = ''.join(letter * order for letter, order in zip(_ORDERS, orders))
    if not name:
        return 'point'
    if len(name) > 2 or len(orders) == 3 and len(name) > 1:
        return None
    return 'd' + name


def _change(fields, kept):
    """A clsp_bspline_change as what cffi makes one of."""
    if 'insert' in fields:
        insert = memory.contiguous(fields['insert'], 'insert_knots', np.float64).reshape(-1)
        kept.append(ffi.from_buffer('double[]', insert))
        return {'insert': kept[-1], 'num_insert': insert.size}
    return fields
