"""Bezier curves, surfaces, volumes and triangles."""
from __future__ import annotations

import math
from typing import TYPE_CHECKING

from . import _memory as memory
from ._errors import ArgumentError
from ._memory import TYPES
from ._native import lib
from ._project import Projected
from ._reduce import Reduced
from ._splines import Splines

if TYPE_CHECKING:
    from ._bspline import BSpline
    from ._context import Context
    from ._hints import ArrayLike, DTypeLike

_FORMS = {
    'curve': (lib.CLSP_BEZIER_CURVE, 1),
    'surface': (lib.CLSP_BEZIER_SURFACE, 2),
    'volume': (lib.CLSP_BEZIER_VOLUME, 3),
    'triangle': (lib.CLSP_BEZIER_TRIANGLE, 2),
}


class Bezier(Projected, Reduced, Splines):
    """A batch of Bezier curves, surfaces, volumes or triangles of any degree.

    Parameters
    ----------
    control : array_like
        Control points, of curves [..., degree + 1, coordinates], of surfaces [..., degree_u + 1,
        degree_v + 1, coordinates], of volumes one axis more, of triangles [...,
        (degree + 1) (degree + 2) / 2, coordinates] with i rising and then j of P_ijk. Leading axes
        are the batch. Rational ones have a weight as their last coordinate, and the others
        multiplied by it.
    form : {'surface', 'curve', 'volume', 'triangle'}, optional
        Default: surfaces, of control points in space with as many along u as along v. Others may as
        well be several curves, and have to say.
    rational : bool
    precision : dtype, optional
        float32 or float64. Default: float64 of control points in float64 or integers, else float32.
    context : Context, optional
        Default: `current`.

    Examples
    --------
    >>> import numpy as np, clspline
    >>> control = np.array([[[0, 0, 0], [0, 1, 0]], [[1, 0, 0], [1, 1, 1]]], np.float32)
    >>> surface = clspline.Bezier(control)
    >>> surface.degree
    (1, 1)
    >>> surface.evaluate(3).shape
    (3, 3, 3)
    >>> surface.at([0.5, 0.5])
    array([0.5 , 0.5 , 0.25], dtype=float32)
    >>> float(surface.evaluate(2, ('point', 'normal'))['normal'][0, 0, 2])
    1.0
    """

    _kind = 'clsp_bezier_'

    form: str

    def __init__(self, control: ArrayLike, form: str | None = None, rational: bool = False, *,
                 precision: DTypeLike | None = None, context: Context | None = None) -> None:
        if form is None:
            form = _form_of(memory.points(control, 'control').shape, rational)
        self._form, self.directions = memory.choice(form, _FORMS, 'form')
        self.form = form
        self._init(control, 1 if form == 'triangle' else self.directions, rational, precision,
                   context)
        self.degree = self._degrees()

    def _degrees(self):
        orders = self._net[:-1]
        if 0 in orders:
            raise ArgumentError(f'control: {orders} control points')
        if self.form != 'triangle':
            return tuple(order - 1 for order in orders)
        degree = (math.isqrt(8 * orders[0] + 1) - 3) // 2
        if (degree + 1) * (degree + 2) // 2 != orders[0]:
            raise ArgumentError(f'control: {orders[0]} points, which no triangle has')
        return (degree,)

    def _desc(self):
        return {'form': self._form, 'precision': TYPES[self.precision], 'degree': self.degree,
                'dim': self.dim, 'rational': self.rational}, None

    def _axis_directions(self):
        return 1 if self.form == 'triangle' else self.directions

    def _grid_shape(self, nums):
        return nums if self.form != 'triangle' else (nums[0] * (nums[0] + 1) // 2,)

    def bspline(self) -> BSpline:
        """The same curves, surfaces or volumes as a `BSpline` over [0, 1], which can be projected
        onto, say."""
        from ._bspline import BSpline
        if self.form == 'triangle':
            raise ArgumentError('bspline: not of triangles')
        knots = tuple([0.0] * (degree + 1) + [1.0] * (degree + 1) for degree in self.degree)
        return BSpline(knots if len(knots) > 1 else knots[0], self._control, self.degree,
                       self.rational, precision=self.precision, context=self.context)

    def __repr__(self):
        kind = ('rational ' if self.rational else '') + self.form
        return (f'<clspline.Bezier {kind} of degree {"x".join(map(str, self.degree))}, '
                f'{self.num_patches} in {self.dim}D, {self.precision}>')

    def __reduce__(self):
        return _again, (self._control, self.form, self.rational,
                        self.precision.str, self.context)


def _form_of(shape, rational):
    """The form of control points that do not say: of those that look like surfaces."""
    if len(shape) < 3 or shape[-1] - bool(rational) < 3 or shape[-3] != shape[-2]:
        raise ArgumentError(f"form: control points of shape {shape} can be of several forms; say "
                            "form='curve', 'surface', 'volume' or 'triangle'")
    return 'surface'


def _again(control, form, rational, precision, context):
    return Bezier(control, form, rational, precision=precision, context=context)
