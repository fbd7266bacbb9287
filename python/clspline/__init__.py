"""Splines in bulk on any OpenCL device and on the host.

>>> import numpy as np, clspline
>>> control = np.random.default_rng(0).random((100, 4, 4, 3), np.float32)
>>> clspline.Bezier(control).evaluate(16).shape
(100, 16, 16, 3)

`Bezier`, `BSpline`, `Image` and `Solid` take NumPy arrays, or those of PyOpenCL, and give them
back; `read` and `write` have them in files; `clspline.ndimage` has the functions of
``scipy.ndimage`` that interpolate. Where they are computed says a `Context`: `devices` lists what
there is, and `use` chooses.
"""
from . import ndimage
from ._bezier import Bezier
from ._bspline import BSpline
from ._context import Context, Device, current, devices, use
from ._errors import (ArgumentError, ArgumentIndexError, ArgumentKeyError, ArgumentTypeError,
                      Error, MissingPackageError, NoDeviceError, NoFloat64Error, OpenCLError,
                      OutOfMemoryError, StateError, WeightsError)
from ._files import read, write
from ._image import Image
from ._native import lib as _lib
from ._project import Nearest
from ._reduce import Pieces
from ._search import Search
from ._share import Processor, Report, Share
from ._solid import Places, Solid, SolidClass, SolidCounts
from ._splines import Mesh

__all__ = ['ArgumentError', 'ArgumentIndexError', 'ArgumentKeyError', 'ArgumentTypeError',
           'BSpline', 'Bezier', 'Context', 'Device', 'Error', 'Image', 'Mesh',
           'MissingPackageError', 'Nearest', 'NoDeviceError', 'NoFloat64Error', 'OpenCLError',
           'OutOfMemoryError', 'Pieces', 'Places', 'Processor', 'Report', 'Search', 'Share',
           'Solid', 'SolidClass', 'SolidCounts', 'StateError', 'WeightsError', 'current', 'devices',
           'ndimage', 'read', 'use', 'write']
__version__ = '.'.join(str(_lib.clsp_version() >> shift & 255) for shift in (16, 8, 0))
