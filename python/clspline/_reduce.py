"""Curves and surfaces as pieces of a lower degree."""
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
    """Bezier pieces that stand for curves or surfaces, one's behind the other's, along a curve in
    order and of a surface v fastest.

    Attributes
    ----------
    patches : Bezier
        A batch of as many as there are pieces.
    param : numpy.ndarray
        Where each begins and ends in the parameter of its curve, (pieces, 2), or in those of its
        surface, (pieces, 2, 2) with u first.
    bound : numpy.ndarray
        Of shape (pieces,): at no parameter is the piece farther from what it stands for.
    index : numpy.ndarray
        Of shape (pieces,): the number of its curve or surface in the batch, in C order.
    """
    patches: Bezier
    param: Array
    bound: Array
    index: Array


class Reduced:
    """What `Bezier` and `BSpline` have in common: pieces of a lower degree."""

    def reduce(self, degree: int, tolerance: float, *, polynomial: bool = False,
               free_tangents: bool = False) -> Pieces:
        """Bezier pieces of a lower degree within a distance of curves or surfaces: cubics,
        quadratics, lines.

        Each segment of a curve between knots is cut into the least number of parts that suffices.
        Pieces meet bit for bit. From degree 3 on they have the curve's derivatives where they begin
        and end, those of degree 2 its tangents at the ends of segments. Surfaces become a grid of
        pieces, direction by direction. The bound of each is proven, with all roundings.

        Parameters
        ----------
        degree : int
            Of the pieces: 1 to 15, and below that of the curves. Of surfaces a direction of no
            higher degree keeps its own.
        tolerance : float
            What pieces may be off, above 0.
        polynomial : bool
            Polynomial pieces of rational curves too; those of rational surfaces are rational.
        free_tangents : bool
            Keep points alone and not tangents: up to a third fewer, with kinks within the
            tolerance.

        Returns
        -------
        Pieces

        Examples
        --------
        >>> import numpy as np, clspline
        >>> quarter = np.array([[250, 0], [250, 138], [138, 250], [0, 250]], float)
        >>> pieces = clspline.Bezier(quarter, 'curve').reduce(2, 0.5)
        >>> pieces.patches.degree, pieces.index
        ((2,), array([0, 0, 0]))
        >>> bool(pieces.bound.max() <= 0.5)
        True
        """
        from ._bezier import Bezier
        if self.directions > 2:
            raise ArgumentError('reduce: of curves and surfaces; these are volumes')
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
            orders = tuple(min(wanted.degree, own) + 1 for own in self.degree)
            control = np.empty((num,) + orders + (self.dim + rational,), self.precision)
            param, bound = np.empty((num,) + (2,) * self.directions), np.empty(num)
            index = np.empty(num, np.uint32)
            targets = {name: memory.Output(array) for name, array in
                       (('controls', control), ('params', param), ('bounds', bound),
                        ('patches', index))}
            pieces = ffi.new('clsp_pieces *', {name: target.struct
                                               for name, target in targets.items()})
            if num:
                check(lib.clsp_patch_reduce(pointer, [0, self.num_patches], pieces, ffi.NULL))
        patches = Bezier(control, ('curve', 'surface')[self.directions - 1], rational,
                         precision=self.precision, context=self.context)
        return Pieces(patches, param, bound, index.astype(np.intp))
