"""The extension module: every function and constant of the C library, made from its headers."""
try:
    from ._clspline import ffi, lib
except ImportError as error:
    if 'libOpenCL' not in str(error):
        raise
    raise ImportError(
        'clspline needs the OpenCL loader libOpenCL.so.1; the package ocl-icd-libopencl1 of Debian '
        'and Ubuntu has it, and ocl-icd of Fedora and Arch') from error

__all__ = ['ffi', 'lib']
