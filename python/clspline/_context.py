"""Devices and contexts."""
from __future__ import annotations

import atexit
import contextlib
import contextvars
import dataclasses
import math
import os
import threading
import weakref
from typing import TYPE_CHECKING

import numpy as np

from . import _memory as memory
from ._errors import ArgumentError, ArgumentTypeError, StateError, check
from ._native import ffi, lib

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ._hints import Any, Array, DTypeLike

_process = [0]  # raised in each child of fork: a number for each process
_KINDS = {
    lib.CLSP_CLASS_CPU: 'cpu',
    lib.CLSP_CLASS_INTEGRATED: 'integrated',
    lib.CLSP_CLASS_DISCRETE: 'discrete',
    lib.CLSP_CLASS_ACCELERATOR: 'accelerator',
    lib.CLSP_CLASS_HOST: 'host',
}


@dataclasses.dataclass(frozen=True)
class Device:
    """An OpenCL device, or the host.

    Attributes
    ----------
    index : int or None
        Its place among those of `devices`; ``str(index)`` names it to `Context`.
    name, platform, vendor, driver, version : str
    kind : {'cpu', 'integrated', 'discrete', 'accelerator', 'host'}
    opencl_version : int
        Of OpenCL C: 120 for 1.2, 300 for 3.0; 0 of the host.
    compute_units : int
    fp64, fp16, images, unified_memory : bool
    global_bytes, max_alloc_bytes, local_bytes : int
        Memory, the largest buffer, and the local memory of a work-group.
    """
    index: int | None
    name: str
    platform: str
    vendor: str
    driver: str
    version: str
    kind: str
    opencl_version: int
    compute_units: int
    fp64: bool
    fp16: bool
    images: bool
    unified_memory: bool
    global_bytes: int
    max_alloc_bytes: int
    local_bytes: int


def _device(index, info):
    def text(field):
        return ffi.string(getattr(info, field)).decode('utf-8', 'replace')
    return Device(
        index, *(text(name) for name in ('name', 'platform', 'vendor', 'driver', 'version')),
        _KINDS.get(info.device_class, 'accelerator'), info.opencl_version, info.compute_units,
        bool(info.fp64), bool(info.fp16), bool(info.images), bool(info.unified_memory),
        info.global_bytes, info.max_alloc_bytes, info.local_bytes)


def devices() -> list[Device]:
    """The OpenCL devices of this machine, and behind them the host.

    Returns
    -------
    list of Device
        Never empty: without OpenCL it is the host alone.
    """
    count = ffi.new('size_t *')
    check(lib.clsp_device_list(ffi.NULL, 0, count))
    infos = ffi.new('clsp_device_info[]', max(count[0], 1))
    room = count[0]
    check(lib.clsp_device_list(infos if room else ffi.NULL, room, count))
    return [_device(at, infos[at]) for at in range(min(room, count[0]))]


def _queue_pointer(queue):
    if queue is None:
        return ffi.NULL
    pointer = queue
    if hasattr(queue, 'int_ptr') and hasattr(queue, 'finish'):
        pointer = queue.int_ptr
    if not isinstance(pointer, int):
        raise ArgumentTypeError(f'queue: of PyOpenCL, or its address, not {type(queue).__name__}')
    if pointer == 0:
        raise ArgumentError('queue: no address')
    return ffi.cast('cl_command_queue', pointer)


class Context:
    """A device with its command queue and its compiled programs, on which splines are computed.

    Few programs need more than the one that `current` makes at first use.

    Parameters
    ----------
    device : str or Device, optional
        An index (``'0'``), a kind (``'gpu'``, ``'discrete'``, ``'cpu'`` ...), ``'host'`` or
        ``'PLATFORM:DEVICE'``, parts of their names. Default: the environment variable
        ``CLSPLINE_DEVICE``, else the best GPU, else the host, which needs no OpenCL.
    queue : pyopencl.CommandQueue or int, optional
        The caller's queue, in the place of `device`: arrays of PyOpenCL on it are inputs and
        outputs without copies.
    workers : int, optional
        Threads of the host that take part in shared calls (0: none).
    cache_dir : str, optional
        Folder of compiled programs; ``''``: none.
    limits : str, optional
        Narrows what is believed of the device, as ``'fp64=0,images=0'``.

    Raises
    ------
    NoDeviceError
        There is no such device; the message names those that there are.
    """

    device: Device

    def __init__(self, device: Device | str | int | None = None, *, queue: Any = None,
                 workers: int | None = None, cache_dir: str | None = None,
                 limits: str | None = None) -> None:
        self._pointer = ffi.new('clsp_context **')
        self._closed = False
        self._plans = {}  # what ends before it, by address: (pointer, its function, its lock)
        self._num_kept = 0  # of its plans and arrays of shared memory, which it outlives
        self._lock = threading.RLock()
        self._process = _process[0]
        self._joined = []
        self._joined_by = weakref.WeakSet()
        self.queue = queue  # kept, and with it what PyOpenCL has of it
        words = [_text(*each) for each in ((_device_word(device), 'device'),
                                           (cache_dir, 'cache_dir'), (limits, 'limits'))]
        options = ffi.new('clsp_context_opts *', {
            'device': words[0], 'log': lib.clspy_log, 'cache_dir': words[1], 'limits': words[2]})
        check(lib.clsp_context_create(
            self._pointer, _queue_pointer(queue), options))
        _contexts.add(self)
        if workers is not None:
            check(lib.clsp_context_set_workers(self._pointer[0], memory.workers_of(workers)))
        info = ffi.new('clsp_device_info *')
        check(lib.clsp_context_device(self._pointer[0], info))
        self.device = _device(None, info)

    @property
    def pointer(self) -> Any:
        """The library's clsp_context pointer, for calls through cffi. Raises `StateError` where
        the context is closed or another process's."""
        self._need()
        return self._pointer[0]

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return self._closed

    def _need(self):
        if self._closed:
            raise StateError('the context is closed', lib.CLSP_ERROR_STATE)
        if self._process != _process[0]:
            raise StateError(
                'the context was made before fork, by the parent of this process, whose threads '
                "are missing here: make objects in the child, or begin processes by 'spawn' "
                '(multiprocessing.set_start_method)', lib.CLSP_ERROR_STATE)

    def join(self, other: Context) -> None:
        """Adds the device of another context to those that share calls (`Share`)."""
        if not isinstance(other, Context):
            raise ArgumentTypeError(f'other: a clspline.Context, not {type(other).__name__}')
        check(lib.clsp_context_join(self.pointer, other.pointer))
        self._joined.append(other)
        other._joined_by.add(self)

    def finish(self) -> None:
        """Waits until all that was enqueued has run."""
        check(lib.clsp_context_finish(self.pointer))

    def empty(self, shape: int | tuple[int, ...], dtype: DTypeLike = np.float32) -> Array:
        """An array in host memory that shared calls, and copies from the device, fill best.

        Parameters
        ----------
        shape : int or tuple of int
        dtype : dtype, optional

        Returns
        -------
        numpy.ndarray
            Uninitialised. Its memory is freed with it.
        """
        dtype = memory.dtype_of(dtype, 'dtype')
        shape = tuple(memory.whole(num, 'shape')
                      for num in (shape if np.iterable(shape) else (shape,)))
        size = dtype.itemsize * math.prod(shape)
        if min(shape, default=0) < 0 or size >= 2 ** 64:
            raise ArgumentError(f'shape: {shape}')
        if size == 0:
            return np.empty(shape, dtype)
        made = ffi.new('void **')
        with self._lock:
            check(lib.clsp_shared_alloc(self.pointer, size, made))
            self._num_kept += 1
        return np.frombuffer(ffi.buffer(ffi.gc(made[0], self._free, size), size),
                             dtype).reshape(shape)

    def _free(self, made):
        if self._process == _process[0]:
            lib.clsp_shared_free(self._pointer[0], made)
            self._let_go()

    def _let_go(self):
        """After the end of something that it outlives."""
        with self._lock:
            self._num_kept -= 1
            self._end()

    def _end(self):
        if self._closed and self._num_kept == 0:
            lib.clsp_context_destroy(self._pointer)

    def close(self) -> None:
        """Ends the plans of all objects of this context, which can be used no more, and the
        context. Arrays of `empty` stay."""
        if self._process != _process[0]:
            self._closed = True  # and no lock, which a thread of the parent may have held
            return
        for other in list(self._joined_by):
            other.close()
        with self._lock:
            if self._closed:
                return
            self._closed = True
            self._num_kept += 1
        # Without the lock, for which a call may wait while it holds its plan's
        for key in list(self._plans):
            self._end_plan(key)
        self._let_go()

    def _end_plan(self, key):
        """Ends a plan, once, after the call that it is in; none of another process."""
        pointer, destroy, lock = self._plans.pop(key, (None, None, None))
        if pointer is not None and self._process == _process[0]:
            with lock:
                destroy(pointer)
            self._let_go()

    def __del__(self):
        if not getattr(self, '_closed', True):
            self.close()

    def __enter__(self) -> Context:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def __repr__(self):
        state = ' (closed)' if self.closed else ''
        return f'<clspline.Context on {self.device.name}{state}>'

    def __reduce__(self):
        # The process that reads it takes its own device of the same name, or else its default one.
        return _again, (_name(self.device),)


def _text(value, name):
    if value is not None and not isinstance(value, str):
        raise ArgumentTypeError(f'{name}: a string, not {type(value).__name__}')
    return ffi.NULL if value is None else ffi.new('char[]', value.encode())


def _name(device):
    """What another process finds such a device by. Of the host it is that of any processor."""
    return 'host' if device.kind == 'host' else f'{device.platform}:{device.name}'


def _device_word(device):
    if device is None or isinstance(device, str):
        return device
    if isinstance(device, Device):
        is_host = device.kind == 'host'  # which is named without a list of devices
        return _name(device) if is_host or device.index is None else str(device.index)
    if isinstance(device, int):
        return str(device)
    raise ArgumentTypeError('device: a string, an index or a clspline.Device, not '
                            f'{type(device).__name__}')


_contexts = weakref.WeakSet()
_default = None
_by_name = {}
_default_lock = threading.RLock()
_in_use = contextvars.ContextVar('clspline_context', default=None)


def current() -> Context:
    """The context that objects are made in: that of the innermost `use`, else the default one.

    The default context is made at first use and lives as long as the process.
    """
    global _default
    context = _in_use.get()
    if context is not None:
        return context
    context = _default
    if context is None or context._closed or context._process != _process[0]:
        with _default_lock:
            context = _default
            if context is None or context.closed or context._process != _process[0]:
                context = _default = Context()
    return context


def _again(name):
    """A context on a device of that name, one for each name, or the one in use."""
    context = _in_use.get() or _default
    if context is not None and not context.closed and context._process == _process[0] and \
            name == _name(context.device):
        return context
    with _default_lock:
        context = _by_name.get(name)
        if context is None or context.closed or context._process != _process[0]:
            same = [name] if name == 'host' else [
                found for found in devices() if name == _name(found)]
            context = _by_name[name] = Context(same[0]) if same else current()
        return context


@contextlib.contextmanager
def use(context: Context | Device | str) -> Iterator[Context]:
    """Has objects that are made within the ``with`` block computed elsewhere.

    Parameters
    ----------
    context : Context, str or Device
        Of a string or a device a context is made, which objects keep alive.

    Examples
    --------
    >>> import clspline
    >>> with clspline.use('host'):
    ...     line = clspline.Bezier([[0.0, 0, 0], [1, 1, 0]], form='curve')
    >>> line.context.device.kind
    'host'
    """
    if not isinstance(context, Context):
        context = Context(context)
    token = _in_use.set(context)
    try:
        yield context
    finally:
        _in_use.reset(token)


def _at_fork():
    global _default_lock, _default
    _process[0] += 1
    _default_lock = threading.RLock()
    _default = None
    _by_name.clear()


if hasattr(os, 'register_at_fork'):
    os.register_at_fork(after_in_child=_at_fork)


@atexit.register
def _close_all():
    for context in list(_contexts):
        if context._process == _process[0]:
            context.close()


class Handle:
    """A plan or a mesh of the library: destroyed once, before its context.

    It takes one call at a time: whoever calls holds `lock`, and asks for the pointer within.
    """

    __slots__ = ('context', '_lock', '_pointer')

    def __init__(self, context, kind, create, destroy):
        self.context = context
        self._lock = threading.RLock()
        self._pointer = ffi.new(kind + ' **')
        with context._lock:
            context._need()
            check(create(self._pointer))
            context._plans[id(self._pointer)] = (self._pointer, destroy, self._lock)
            context._num_kept += 1

    @property
    def lock(self):
        """For ``with``. Raises a StateError in the child of a fork, where a thread of the parent
        may have held it."""
        self.context._need()
        return self._lock

    def get(self):
        """The library's pointer."""
        self.context._need()
        return self._pointer[0]

    def close(self):
        """Destroys it, unless that was done."""
        self.context._end_plan(id(self._pointer))

    def __del__(self):
        self.close()
