"""Curves as pieces of a lower degree."""
from __future__ import annotations

import typing

import numpy as np

from . import _memory as memory
from ._errors import ArgumentError, check
from ._native import ffi, lib

if typing.TYPE_CHECKING:
    from ._bezier import Bezier
    from ._hints import Array


class Pieces(typing.NamedTuple):
    """Bezier pieces that stand for curves, one curve's behind the other's and along each in order.

    Attributes
    ----------
    curves : Bezier
        A batch of as many as there are pieces.
    param : numpy.ndarray
        Of shape (pieces, 2): where each begins and ends in its curve's parameter.
    bound : numpy.ndarray
        Of shape (pieces,): at no parameter is the piece farther from its curve.
    index : numpy.ndarray
        Of shape (pieces,): the number of its curve in the batch, in C order.
    """
    curves: Bezier
    param: Array
    bound: Array
    index: Array


class Reduced:
    """What `Bezier` and `BSpline` have in common: pieces of a lower degree."""

    def reduce(self, degree: int, tolerance: float, *, polynomial: bool = False,
               free_tangents: bool = False) -> Pieces:
        """Bezier pieces of a lower degree within a distance of curves: cubics, quadratics, lines.

        Each segment between knots is cut into the least number of parts that suffices. Pieces meet
        bit for bit. From degree 3 on they have the curve's derivatives where they begin and end,
        those of degree 2 its tangents at the ends of segments. The bound of each is proven, with
        all roundings.

        Parameters
        ----------
        degree : int
            Of the pieces: 1 to 15, and below that of the curves.
        tolerance : float
            What pieces may be off, above 0.
        polynomial : bool
            Polynomial pieces of rational curves too.
        free_tangents : bool
            Keep points alone and not tangents: a third fewer pieces, with kinks within the
            tolerance.

        Returns
        -------
        Pieces

        Examples
        --------
        >>> import numpy as np, clspline
        >>> quarter = np.array([[250, 0], [250, 138], [138, 250], [0, 250]], float)
        >>> pieces = clspline.Bezier(quarter, 'curve').reduce(2, 0.5)
        >>> pieces.curves.degree, pieces.index
        ((2,), array([0, 0, 0]))
        >>> bool(pieces.bound.max() <= 0.5)
        True
        """
        from ._bezier import Bezier
        if self.directions != 1:
            raise ArgumentError('reduce: of curves')
        wanted = ffi.new('clsp_reduction *', {
            'degree': memory.whole(degree, 'degree'), 'polynomial': bool(polynomial),
            'free_tangents': bool(free_tangents),
            'tolerance': memory.real(tolerance, 'tolerance')})
        rational = self.rational and not polynomial
        size = ffi.new('clsp_reduction_size *')
        plan = self._plan(self._layout(('point',)))
        with plan.handle.lock:
            pointer = plan.handle.get()
            self._load(plan)
            check(lib.clsp_patch_set_reduction(pointer, wanted, size))
            num = size.num_pieces
            control = np.empty((num, wanted.degree + 1, self.dim + rational), self.precision)
            param, bound = np.empty((num, 2)), np.empty(num)
            index = np.empty(num, np.uint32)
            targets = {name: memory.Output(array) for name, array in
                       (('controls', control), ('params', param), ('bounds', bound),
                        ('patches', index))}
            pieces = ffi.new('clsp_pieces *', {name: target.struct
                                               for name, target in targets.items()})
            if num:
                check(lib.clsp_patch_reduce(pointer, [0, self.num_patches], pieces, ffi.NULL))
        curves = Bezier(control, 'curve', rational, precision=self.precision, context=self.context)
        return Pieces(curves, param, bound, index.astype(np.intp))
