"""Images and volumes as splines."""
from __future__ import annotations

import collections
import threading
from typing import TYPE_CHECKING

import numpy as np

from . import _memory as memory
from ._errors import ArgumentError, ArgumentTypeError
from ._image_plan import MODES, ORDERS, SAMPLES, ImagePlan, Spec
from ._maps import RuleError, context_of, cval_of, matrix_of, mode_of, order_of, shape_of, whole
from ._native import lib
from ._ndimage_arrays import asked_precision
from ._ndimage_arrays import precision as precision_of
from ._pictures import Drawn
from ._share import Run

if TYPE_CHECKING:
    from ._context import Context
    from ._hints import Any, Array, ArrayLike, DTypeLike, Sequence, Sharing, Which

_PLANS_KEPT = 4  # of an object, one for each type of results
_PREFILTERS = {
    True: lib.CLSP_IMAGE_RECURSIVE,
    False: lib.CLSP_IMAGE_NONE,
    'recursive': lib.CLSP_IMAGE_RECURSIVE,
    'least-squares': lib.CLSP_IMAGE_LEAST_SQUARES,
    'truncated': lib.CLSP_IMAGE_TRUNCATED,
}
_FETCHES = {
    'buffers': lib.CLSP_IMAGE_BUFFERS,
    'texels': lib.CLSP_IMAGE_TEXELS,
    'lerps': lib.CLSP_IMAGE_LERPS,
}
_GRADIENTS = {
    False: 0,
    True: lib.CLSP_IMAGE_VALUE | lib.CLSP_IMAGE_GRADIENT,
    'only': lib.CLSP_IMAGE_GRADIENT,
}


class _Plan:
    """A plan, and the version of the samples that it holds."""

    def __init__(self, plan):
        self.plan = plan
        self.loaded = None


class Image(Drawn):
    """Lines, images or volumes of one size, as splines that meet their samples.

    Sample k lies at coordinate k; coordinates are in the order of the array's axes. Coefficients
    are made at the first call and kept for further ones.

    Parameters
    ----------
    samples : array_like
        Of shape [..., size], with channels [..., size, channels] or [..., channels, size]. Leading
        axes are the batch. An array of PyOpenCL is copied on its device.
    order : int
        Of the spline, 0 (nearest sample) to 7.
    mode : str or sequence of str
        How images continue beyond their edges, along all directions or along each: ``'mirror'``,
        ``'reflect'`` (or ``'grid-mirror'``), ``'nearest'``, ``'grid-wrap'``, ``'constant'``,
        ``'grid-constant'`` or ``'wrap'``, as in ``scipy.ndimage``.
    cval : float
        Beyond the edges, in the modes constant and grid-constant, and at coordinates that are not
        finite.
    directions : int, optional
        1 for lines, 2 for images, 3 for volumes. Default: 2, or 1 of samples with one axis.
    channels : {None, 'first', 'last'}
        Whether there is an axis of up to 16 channels, and whether it is before those of the
        directions or behind them.
    prefilter : bool or str
        Whether coefficients are made of the samples, by ``'recursive'`` (the same as True,
        exact), ``'least-squares'`` or ``'truncated'`` filters; False: samples are coefficients.
    taps : int
        Of the last two, odd; 0: as many as the type of the samples asks for.
    clip : bool
        Keeps values within the range of their channel's samples.
    fetch : str
        What devices make values from: ``'buffers'``, or image objects, ``'texels'`` one by one or
        ``'lerps'`` by their units' linear interpolation, which has 8 bits on GPUs. Of order 3,
        float32, and no channels behind directions, where the context's device computes alone.
    precision : dtype, optional
        float32 or float64. Default: float32 of samples of 8 bits, float16 and float32, and on
        devices that have no float64 of whole numbers too; else float64.
    context : Context, optional
        Default: `current`.

    Attributes
    ----------
    unit : str or None
        Of the world's coordinates, such as ``'millimeter'``. Files have it, and may be given it.
    names : tuple of str
        Of channels, likewise.

    Examples
    --------
    >>> import numpy as np, clspline
    >>> image = clspline.Image(np.arange(12.0).reshape(3, 4))
    >>> image.at([[1, 1], [1, 1.5]]).round(3)
    array([5. , 5.5])
    >>> image.affine([0.5, 0.5], output_shape=(5, 7)).shape
    (5, 7)
    >>> image.at([1, 1], gradient=True).round(3)
    array([5. , 6. , 1.2])
    """

    context: Context
    order: int
    mode: tuple[str, ...]
    precision: np.dtype[Any]
    dtype: np.dtype[Any]
    directions: int
    batch: tuple[int, ...]
    size: tuple[int, ...]
    unit: str | None
    names: tuple[str, ...]

    def __init__(self, samples: ArrayLike, order: int = 3, mode: str | Sequence[str] = 'mirror', *,
                 cval: float = 0.0, directions: int | None = None, channels: str | None = None,
                 prefilter: bool | str = True, taps: int = 0, clip: bool = False,
                 fetch: str = 'buffers', precision: DTypeLike | None = None,
                 context: Context | None = None) -> None:
        self.context = context_of(context)
        self.order = order_of(order)
        self.cval = cval_of(cval)
        if channels not in (None, 'first', 'last'):
            raise ArgumentError(f"channels: None, 'first' or 'last', not {channels!r}")
        if not isinstance(prefilter, (bool, str)) or prefilter not in _PREFILTERS:
            raise ArgumentError('prefilter: True, False or one of '
                                f'{", ".join(list(_PREFILTERS)[2:])}, not {prefilter!r}')
        taps = whole(taps, 'taps')
        if not 0 <= taps <= lib.CLSP_IMAGE_MAX_TAPS:
            raise ArgumentError(f'taps: {taps}, of 0 to {lib.CLSP_IMAGE_MAX_TAPS}')
        if fetch not in _FETCHES:
            raise ArgumentError(f'fetch: one of {", ".join(_FETCHES)}, not {fetch!r}')
        self._options = channels, prefilter, taps, bool(clip), fetch
        if not memory.is_device_array(samples):
            samples = memory.numbers(samples, 'samples')
        self.precision = self._precision(samples.dtype, precision)
        self.dtype = samples.dtype if samples.dtype in SAMPLES else self.precision
        if self.dtype == np.float64 and self.precision == np.float32:
            self.dtype = self.precision
        self._set_shape(samples.shape, directions)
        self.mode = tuple(mode_of(one, MODES) for one in self._modes(mode))
        self._plans = collections.OrderedDict()
        self._lock = threading.Lock()
        self._world = None
        self.unit = None
        self.names = ()
        self._set(samples)

    def _precision(self, dtype, asked):
        default = precision_of(dtype, dtype, asked_precision(asked))
        if asked is None and dtype.kind in 'iub' and not self.context.device.fp64:
            return np.dtype(np.float32)
        return default

    def _set_shape(self, shape, directions):
        layout = self._options[0]
        num_axes = len(shape) - (layout is not None)
        self.directions = min(num_axes, 2) if directions is None else \
            whole(directions, 'directions')
        if not 1 <= self.directions <= 3:
            raise ArgumentError(f'directions: {self.directions}, of 1 to 3')
        if num_axes < self.directions:
            raise ArgumentError(f'samples: {len(shape)} axes, for {self.directions} directions'
                                + (' and channels' if layout else ''))
        begin = num_axes - self.directions
        self.batch = shape[:begin]
        self.size = shape[begin + (layout == 'first'):][:self.directions]
        self.channels = {None: 1, 'first': shape[begin], 'last': shape[-1]}[layout]
        self.num_images = int(np.prod(self.batch, dtype=np.int64))
        if 0 in self.size or self.channels == 0:
            raise ArgumentError(f'samples: empty, of shape {shape}')

    def _hint(self, num):
        """Words for who has so many directions in mind, of which fewer are the samples'."""
        if not self.directions < num <= min(self.directions + len(self.batch), 3):
            return ''
        return f'; the samples are {self.num_images} images of {self.directions} directions, ' \
            f'unless directions={num} says otherwise'

    def _modes(self, mode):
        if isinstance(mode, str) or not np.iterable(mode):
            return (mode,) * self.directions
        modes = tuple(mode)
        if len(modes) != self.directions:
            raise ArgumentError(f'mode: {len(modes)} of them, for {self.directions} directions'
                                + self._hint(len(modes)))
        return modes

    # ---- samples ----

    def _set(self, samples):
        if memory.is_device_array(samples):
            if samples.dtype != self.dtype:
                raise ArgumentTypeError(f'samples: {samples.dtype} on a device is no type of '
                                        'images')
            memory.Input(samples, 'samples')
            if not self._copied_into(samples):
                self._samples = samples.copy()
        else:
            self._samples = np.array(samples, self.dtype, order='C')
            self._samples.flags.writeable = False
        self._version = object()

    def _copied_into(self, samples):
        """Copies samples on the device over those of before, where these are there and commands run
        one after another, so that none still reads them. Saves the time of a new buffer."""
        kept = getattr(self, '_samples', None)
        if not memory.is_device_array(kept) or kept.queue is None or \
                kept.queue != samples.queue or not hasattr(kept.base_data, 'int_ptr') or \
                not hasattr(samples.base_data, 'int_ptr') or kept is samples:
            return False
        import pyopencl
        if kept.queue.properties & pyopencl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE:
            return False
        kept.events[:] = [pyopencl.enqueue_copy(
            kept.queue, kept.base_data, samples.base_data, src_offset=samples.offset,
            dst_offset=kept.offset, byte_count=samples.nbytes, wait_for=samples.events)]
        return True

    @property
    def samples(self) -> Array:
        """The samples, read-only; assign others of the same shape and dtype to change them."""
        return self._samples

    @samples.setter
    def samples(self, samples: ArrayLike) -> None:
        if not memory.is_device_array(samples):
            samples = memory.numbers(samples, 'samples')
        if samples.shape != self._samples.shape:
            raise ArgumentError(f'samples: shape {self._samples.shape}, not {samples.shape}')
        self._set(samples)

    # ---- the world ----

    @property
    def world(self) -> Array | None:
        """The way from coordinates c of samples to the world's, ``world[:, :-1] @ c +
        world[:, -1]``, float64 [directions, directions + 1], or None where it is not known. Both
        are in the order of the array's axes (z, y, x)."""
        return self._world

    @world.setter
    def world(self, matrix: ArrayLike | None) -> None:
        if matrix is not None:
            matrix = memory.contiguous(matrix, 'world', np.float64)
            shape = self.directions, self.directions + 1
            if matrix.shape != shape:
                raise ArgumentError(f'world: shape {shape}, not {matrix.shape}')
        self._world = matrix

    @property
    def spacing(self) -> tuple[float, ...] | None:
        """How far apart samples are in the world, along each axis; None where it is not known."""
        if self._world is None:
            return None
        return tuple(np.linalg.norm(self._world[:, :-1], axis=0).tolist())

    def _plan(self, values):
        """The plan with results of a dtype; made at first use, the oldest ones go."""
        with self._lock:
            plan = self._plans.get(values)
            if plan is None:
                layout, prefilter, taps, clip, fetch = self._options
                plan = self._plans[values] = _Plan(ImagePlan(self.context, Spec(
                    self.size, self.channels, layout == 'first', self.precision, self.dtype, values,
                    ORDERS[self.order], tuple(MODES[mode] for mode in self.mode), self.cval,
                    _PREFILTERS[prefilter], taps, clip, fetch=_FETCHES[fetch])))
                if len(self._plans) > _PLANS_KEPT:
                    self._plans.popitem(last=False)
            return plan

    def _load(self, plan):
        """Makes coefficients, unless they are there. With the plan's lock held."""
        if plan.loaded is not self._version:
            version, samples = self._version, self._samples
            plan.loaded = None
            given, run = memory.Input(samples, 'samples'), Run(self.context, arrays=(samples,))
            plan.plan.load_input(given.struct, self.num_images, run.pointer)
            plan.loaded = version

    # ---- values ----

    def _values_dtype(self, out, dtype, gradient):
        if dtype is None and out is not None:
            dtype = getattr(out, 'dtype', None)
        if dtype is None:
            dtype = self.precision if gradient else self.dtype
        dtype = memory.dtype_of(dtype, 'dtype')
        if dtype not in SAMPLES or dtype == np.float64 and self.precision == np.float32:
            known = SAMPLES[:6 - (self.precision == np.float32)]
            raise ArgumentTypeError(f'{"dtype" if out is None else "out"}: {dtype}, of '
                                    f'{", ".join(map(str, known))}')
        return dtype

    def _evaluate(self, points, place, gradient, images, out, dtype, share, wait_for, inputs):
        """Values at points of that shape, by the map that place(plan, attributes) sets."""
        if not isinstance(gradient, (bool, str)) or gradient not in _GRADIENTS:
            raise ArgumentError(f"gradient: True, False or 'only', not {gradient!r}")
        first, count, leading = memory.range_of(images, 'images', self.num_images, self.batch)
        values = self._values_dtype(out, dtype, gradient)
        tail = () if gradient is False else (self.directions + (gradient is True),)
        shape = leading + self._with_channels(points) + tail
        if out is None:
            out = np.empty(shape, values)
        else:
            memory.checked_output(out, 'out', values, shape)
            memory.refuse_overlap(out, 'out', **inputs)
        if out.size == 0:
            return out
        plan = self._plan(values)
        on_device = memory.is_device_array(out)
        target = memory.Output(out, 'out')
        with plan.plan.handle.lock:
            self._load(plan)
            run = Run(self.context, share, wait_for, on_device, (*inputs.values(), out))
            place(plan.plan, _GRADIENTS[gradient])
            plan.plan.write_values((first, count), target.struct, run.pointer)
            event = run.end()
        if event is not None:
            out.add_event(event)
        return out

    def _with_channels(self, points):
        layout = self._options[0]
        if layout is None:
            return points
        return (self.channels,) + points if layout == 'first' else points + (self.channels,)

    def affine(self, matrix: ArrayLike, offset: ArrayLike = 0.0,
               output_shape: Sequence[int] | None = None, *, gradient: bool | str = False,
               images: Which = None, out: Any = None, dtype: DTypeLike | None = None,
               share: Sharing = None, wait_for: Sequence[Any] | None = None) -> Array:
        """Values at ``matrix @ o + offset`` for each index o of the output.

        Parameters
        ----------
        matrix : array_like
            Of shape (directions, directions); (directions,) for a diagonal one; with one column
            more, for the offset, and perhaps a row 0, ..., 0, 1.
        offset : float or sequence
        output_shape : tuple of int, optional
            Default: the images' size.
        gradient : {False, True, 'only'}
            True: of each point the value, and then the gradient by the coordinates, along a last
            axis of 1 + directions; ``'only'``: the gradient alone.
        images : int or slice, optional
            Which of the batch, counted in C order.
        out : numpy.ndarray or pyopencl.array.Array, optional
            Receives the values.
        dtype : dtype, optional
            Of the values. Default: that of the samples, with gradients the precision. Whole numbers
            are rounded, halves away from 0, and saturate.
        share : Share or str, optional
            Has the call shared between devices and the host.
        wait_for : list of pyopencl.Event, optional
            What has to end first.

        Returns
        -------
        numpy.ndarray
            Of shape batch + output_shape, with channels where those of the samples are. With `out`,
            that.
        """
        size = self.size if output_shape is None else shape_of(output_shape)
        if len(size) != self.directions:
            raise ArgumentError(f'output_shape: {len(size)} sizes, for {self.directions} directions'
                                + self._hint(len(size)))
        rows, at = self._matrix(matrix, offset)
        return self._evaluate(
            size,
            lambda plan, attributes: plan.set_map(rows, at, size, attributes=attributes), gradient,
            images, out, dtype, share, wait_for, {})

    def _matrix(self, matrix, offset):
        try:
            return matrix_of(matrix, offset, self.directions, self.directions)
        except RuleError as error:
            raise RuleError(f'{error}{self._hint((np.shape(matrix) or (0,))[0])}') from None

    def at(self, coordinates: ArrayLike, *, gradient: bool | str = False,
           images: Which = None, out: Any = None, dtype: DTypeLike | None = None,
           share: Sharing = None, wait_for: Sequence[Any] | None = None) -> Array:
        """Values at a list of coordinates, the same ones for each image.

        Parameters
        ----------
        coordinates : array_like
            Of shape (..., directions), of lines (...).
        gradient, images, out, dtype, share, wait_for :
            As of `affine`.

        Returns
        -------
        numpy.ndarray
            Of shape batch + (...), with channels where those of the samples are.
        """
        array, points = self._vectors(coordinates, 'coordinates')
        num = int(np.prod(points, dtype=np.int64))
        given = memory.Input(array, 'coordinates') if num else None
        return self._evaluate(
            points, lambda plan, attributes:
            plan.set_point_list(given.struct, num, 0, attributes),
            gradient, images, out, dtype, share, wait_for, {'coordinates': array})

    def _vectors(self, value, name):
        """(coordinates or displacements in the precision, shape of their points)."""
        if memory.is_device_array(value):
            array = value
            if array.dtype != self.precision:
                raise ArgumentTypeError(f'{name}: dtype {self.precision} is wanted, not '
                                        f'{array.dtype}')
        else:
            array = memory.numbers(value, name)
            if name == 'coordinates':
                array = np.require(array, self.precision, 'CA')
        if self.directions == 1:
            return array, array.shape
        if array.ndim == 0 or array.shape[-1] != self.directions:
            raise ArgumentError(f'{name}: shape (..., {self.directions}), not {array.shape}'
                                + self._hint(array.shape[-1] if array.ndim else 0))
        return array, array.shape[:-1]

    def displace(self, field: ArrayLike, matrix: ArrayLike | None = None,
                 offset: ArrayLike = 0.0, *, gradient: bool | str = False,
                 images: Which = None, out: Any = None, dtype: DTypeLike | None = None,
                 share: Sharing = None, wait_for: Sequence[Any] | None = None) -> Array:
        """Values at ``o + field[o]`` for each index o of the output, the same field for each image.

        Parameters
        ----------
        field : array_like
            Displacements, of shape output_shape + (directions,), of lines output_shape. Those in
            the precision whose memory has one direction behind the other, as ``np.moveaxis(planes,
            0, -1)`` gives them, are read where they are, others are copied. An array of PyOpenCL
            has to be such a one.
        matrix, offset : optional
            Of `affine`: values are at ``matrix @ o + offset + field[o]``.
        gradient, images, out, dtype, share, wait_for :
            As of `affine`.

        Returns
        -------
        numpy.ndarray
            Of shape batch + output_shape, with channels where those of the samples are.
        """
        array, size = self._vectors(field, 'field')
        if len(size) != self.directions:
            raise ArgumentError(f'field: {self.directions} axes of points, not {len(size)}')
        if self.directions > 1:
            order = (self.directions, *range(self.directions))
            array = array.transpose(order)
        if memory.is_device_array(array) and not array.flags.c_contiguous:
            raise ArgumentError(f'field: on a device one direction has to lie behind the other: an '
                             f'array of shape {array.shape}, whose first axis is moved to the end')
        if not memory.is_device_array(array):
            array = np.require(array, self.precision, 'CA')
        rows, at = self._matrix(np.ones(self.directions) if matrix is None else matrix, offset)
        given = memory.Input(array, 'field') if 0 not in size else None

        def place(plan, attributes):
            plan.set_map(rows, at, size, attributes=attributes)
            plan.set_displacements(given.struct)
        return self._evaluate(size, place, gradient, images, out, dtype, share, wait_for,
                              {'field': array})

    def coefficients(self, *, images: Which = None, out: Any = None,
                     wait_for: Sequence[Any] | None = None) -> Array:
        """The coefficients, in the precision.

        Returns
        -------
        numpy.ndarray
            Of shape batch + channels + size: channels come first. In the modes nearest and
            grid-constant there are 12 more coefficients at either end of a direction, of orders
            above 1 with a prefilter.
        """
        plan = self._plan(next(iter(self._plans), self.dtype))
        first, count, leading = memory.range_of(images, 'images', self.num_images, self.batch)
        shape = leading + (self.channels,) * (self._options[0] is not None) + plan.plan.stored
        if out is None:
            out = np.empty(shape, self.precision)
        else:
            memory.checked_output(out, 'out', self.precision, shape)
        if out.size == 0:
            return out
        target = memory.Output(out, 'out')
        with plan.plan.handle.lock:
            self._load(plan)
            run = Run(self.context, None, wait_for, memory.is_device_array(out), (out,))
            plan.plan.write_coefficients((first, count), target.struct, run.pointer)
            event = run.end()
        if event is not None:
            out.add_event(event)
        return out

    def __repr__(self):
        channels = f', {self.channels} channels' if self._options[0] else ''
        return (f'<clspline.Image {"x".join(map(str, self.size))}{channels} of order {self.order}, '
                f'{self.num_images} of {self.dtype}, {self.precision}>')

    def __reduce__(self):
        samples = self._samples.get() if memory.is_device_array(self._samples) else self._samples
        channels, prefilter, taps, clip, fetch = self._options
        return _again, (samples, self.order, self.mode, dict(
            cval=self.cval, directions=self.directions, channels=channels, prefilter=prefilter,
            taps=taps, clip=clip, fetch=fetch, precision=self.precision.str,
            context=self.context)), {'_world': self._world, 'unit': self.unit, 'names': self.names}


def _again(samples, order, mode, options):
    return Image(samples, order, mode, **options)
