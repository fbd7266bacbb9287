"""Who computes a call, what it waits for, and what came of it."""
from __future__ import annotations

import dataclasses
import weakref

import numpy as np

from ._errors import ArgumentError, ArgumentTypeError
from ._memory import choice, is_device_array, real, workers_of
from ._native import ffi, lib

_SCHEDULES = {
    'auto': lib.CLSP_SCHEDULE_DEFAULT,
    'svm': lib.CLSP_SCHEDULE_SVM,
    'dynamic': lib.CLSP_SCHEDULE_DYNAMIC,
    'static': lib.CLSP_SCHEDULE_STATIC,
    'device': lib.CLSP_SCHEDULE_DEVICE,
    'host': lib.CLSP_SCHEDULE_HOST,
}
_NAMES = {value: name for name, value in _SCHEDULES.items()}


@dataclasses.dataclass(frozen=True)
class Processor:
    """What one processor did in a shared call: `name` of a device, or ``'host'``; `workers`,
    its threads; `tiles` and `chunks` that it made; `busy_ms`, the time of computing, and `move_ms`,
    of results on their way; `status`, not 0 where it dropped out."""
    name: str
    workers: int
    tiles: int
    chunks: int
    busy_ms: float
    move_ms: float
    status: int


@dataclasses.dataclass(frozen=True)
class Report:
    """What a shared call did: the `schedule` that ran, the `reasons` why others did not, by their
    names, times in milliseconds (`build_ms`: of building programs), and the `processors`."""
    schedule: str
    reasons: dict[str, str]
    num_tiles: int
    wall_ms: float
    prepare_ms: float
    probe_ms: float
    processors: tuple[Processor, ...]
    build_ms: float


def _report(report):
    def text(chars):
        return ffi.string(chars).decode('utf-8', 'replace')
    reasons = {name: text(report.reason[value]) for name, value in _SCHEDULES.items()
               if report.reason[value][0] != b'\0'}
    return Report(
        _NAMES.get(report.schedule, 'auto'), reasons, report.num_tiles, report.wall_ms,
        report.prepare_ms, report.probe_ms,
        tuple(Processor(text(each.name), each.workers, each.tiles, each.chunks, each.busy_ms,
                        each.move_ms, each.status)
              for each in report.processors[0:report.num_processors]), report.build_ms)


@dataclasses.dataclass
class Share:
    """Has a call shared, tile by tile, between the context's devices and the host's cores.

    Parameters
    ----------
    schedule : {'auto', 'svm', 'dynamic', 'static', 'device', 'host'}
        How; ``'auto'`` takes what should end first by measured speeds.
    ratio : float
        Of ``'static'``: the host's part of the tiles, in (0, 1]; 0: by speeds.
    workers : int, optional
        Threads of the host at most (0: none). Default: all of the context.
    bit_equal : bool
        Same bits as by the context's device alone.
    measure : bool
        Measures the processors on this job, and keeps their speeds for later calls.

    Attributes
    ----------
    report : Report or None
        What the last call with this object did.

    Examples
    --------
    >>> import numpy as np, clspline
    >>> share = clspline.Share('host')
    >>> line = clspline.Bezier([[0.0, 0, 0], [1, 1, 0]], form='curve')
    >>> line.evaluate(5, share=share).shape
    (5, 3)
    >>> share.report.schedule
    'host'
    """
    schedule: str = 'auto'
    ratio: float = 0.0
    workers: int | None = None
    bit_equal: bool = False
    measure: bool = False
    report: Report | None = dataclasses.field(default=None, compare=False)

    def _struct(self):
        schedule = choice(self.schedule, _SCHEDULES, 'schedule')
        workers = 0 if self.workers is None else workers_of(self.workers)
        return ffi.new('clsp_share *', {
            'schedule': schedule, 'static_ratio': real(self.ratio, 'ratio'),
            'num_workers': workers, 'bit_equal': self.bit_equal, 'measure': self.measure})


def share_of(value):
    """A `Share` of what the argument `share` of a call may be: one, a schedule's name or None."""
    if value is None or isinstance(value, Share):
        return value
    if isinstance(value, str):
        return Share(value)
    raise ArgumentTypeError(f'share: a clspline.Share or the name of a schedule, not {value!r}')


def _events(wait_for, arrays):
    """The events of the argument `wait_for` of a call, and of arrays of PyOpenCL."""
    if wait_for is not None and not np.iterable(wait_for):
        raise ArgumentTypeError(f'wait_for: a list of events of PyOpenCL, not {wait_for!r}')
    events = list(() if wait_for is None else wait_for)
    for event in events:
        if not hasattr(event, 'int_ptr'):
            raise ArgumentTypeError(f'wait_for: events of PyOpenCL, not {type(event).__name__}')
    for array in arrays:
        events += getattr(array, 'events', ())
    return events


_kept = weakref.WeakKeyDictionary()  # what the clsp_run of a pointer points to


class Run:
    """The clsp_run of one call: events before and after it, and a share.

    arrays: what it reads and writes, whose own events come before it too; done: whether it is only
    enqueued. Of PyOpenCL a context of the host has none of these.
    """

    def __init__(self, context, share=None, wait_for=None, done=False, arrays=()):
        self._share = share_of(share)
        self.pointer = ffi.NULL
        self._done = ffi.new('cl_event *') if done else ffi.NULL
        wait = _events(wait_for, arrays)
        if context.device.kind == 'host' and (wait or any(map(is_device_array, arrays))):
            raise ArgumentError(
                'a context of the host takes no arrays and events of PyOpenCL: make this object in '
                'a clspline.Context(queue=queue), or bring arrays to NumPy by their method get')
        if self._share is None and not wait and not done:
            return
        self.pointer = ffi.new('clsp_run *')
        kept = _kept[self.pointer] = [self._done]
        if wait:
            events = ffi.new('cl_event[]', [ffi.cast('cl_event', event.int_ptr) for event in wait])
            kept.append((events, wait))
            self.pointer.num_wait, self.pointer.wait = len(wait), events
        self.pointer.done = self._done
        if self._share is not None:
            struct, report = self._share._struct(), ffi.new('clsp_report *')
            kept.append((struct, report))
            self.pointer.share, self.pointer.report = struct, report

    def end(self):
        """After the call: writes the share's report, and gives the event that was asked for as
        PyOpenCL's, or None."""
        if self._share is not None:
            self._share.report = _report(self.pointer.report)
        if self._done == ffi.NULL or self._done[0] == ffi.NULL:
            return None
        import pyopencl
        return pyopencl.Event.from_int_ptr(int(ffi.cast('intptr_t', self._done[0])), retain=False)
