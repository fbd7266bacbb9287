"""Status values of the library as exceptions, its messages as those of the module logging."""
from __future__ import annotations

import logging
import threading

from ._native import ffi, lib

logger = logging.getLogger('clspline')


class Error(Exception):
    """What a call of the library failed by.

    Attributes
    ----------
    status : int
        The library's status value: ``-2001`` and below are its own, others are OpenCL's.
    """

    status: int = lib.CLSP_ERROR_ARGUMENT

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        if status is not None:
            self.status = status


class ArgumentError(Error, ValueError):
    """An argument is out of its range; the message names it."""


class ArgumentTypeError(Error, TypeError):
    """An argument is of a type that is not taken; the message names it."""


class ArgumentIndexError(Error, IndexError):
    """An index is beyond what there is; the message names it."""


class ArgumentKeyError(Error, KeyError):
    """There is nothing of that name; the message names the argument."""

    __str__ = Error.__str__


class WeightsError(ArgumentError):
    """A weight of a rational spline is not positive and finite."""


class OutOfMemoryError(Error, MemoryError):
    """The host or the device is out of memory."""


class NoDeviceError(Error, RuntimeError):
    """No device fits what was asked for; the message names those that there are."""


class NoFloat64Error(Error, NotImplementedError):
    """Double precision was asked of a device without it."""


class MissingPackageError(Error, ImportError):
    """A file needs a package that is not installed; the message has pip's command."""


class StateError(Error, RuntimeError):
    """What the call needs is not there: its context is closed, or was made before a fork."""


class OpenCLError(Error, RuntimeError):
    """An error of OpenCL itself, a lost device included."""


_CLASSES = {
    lib.CLSP_ERROR_ARGUMENT: ArgumentError,
    lib.CLSP_ERROR_DEGREE: ArgumentError,
    lib.CLSP_ERROR_BUFFER_SIZE: ArgumentError,
    lib.CLSP_ERROR_WEIGHTS: WeightsError,
    lib.CLSP_ERROR_NO_DEVICE: NoDeviceError,
    lib.CLSP_ERROR_NO_FP64: NoFloat64Error,
    lib.CLSP_ERROR_NO_MEMORY: OutOfMemoryError,
    lib.CLSP_ERROR_STATE: StateError,
    -4: OutOfMemoryError,  # CL_MEM_OBJECT_ALLOCATION_FAILURE
    -5: OutOfMemoryError,  # CL_OUT_OF_RESOURCES
    -6: OutOfMemoryError,  # CL_OUT_OF_HOST_MEMORY
}
_LEVELS = {
    lib.CLSP_LOG_ERROR: logging.DEBUG,  # it becomes an exception
    lib.CLSP_LOG_WARNING: logging.WARNING,
    lib.CLSP_LOG_INFO: logging.DEBUG,
}
_messages = threading.local()  # the last error's, of the calls of each thread


@ffi.def_extern()
def clspy_log(_user, level, message):
    text = ffi.string(message).decode('utf-8', 'replace')
    if level == lib.CLSP_LOG_ERROR:
        _messages.last = text
    logger.log(_LEVELS.get(level, logging.DEBUG), '%s', text)


def _of_no_context():
    text = ffi.new('char[]', 1024)
    length = lib.clsp_context_last_error(ffi.NULL, text, 1024)
    return ffi.string(text).decode('utf-8', 'replace') if length else ''


def check(status):
    """Raises the exception of a status value that is not CLSP_OK."""
    if status != 0:
        _raise(status)


def _raise(status):
    text = getattr(_messages, 'last', '') or _of_no_context()
    _messages.last = ''
    meaning = ffi.string(lib.clsp_status_str(status)).decode()
    kind = _CLASSES.get(status, OpenCLError if status > -2000 else Error)
    if status == lib.CLSP_ERROR_DEVICE_LOST:
        kind = OpenCLError
    raise kind(f'{text} ({meaning})' if text else meaning, status)
