"""The extension module: every function and constant of the C library, made from its headers."""
from ._clspline import ffi, lib

__all__ = ['ffi', 'lib']
