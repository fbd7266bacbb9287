"""Files of meshes, images and models, by the libraries that know their formats."""
from __future__ import annotations

import importlib
import os
from typing import TYPE_CHECKING

from ._errors import ArgumentError, ArgumentTypeError, MissingPackageError

if TYPE_CHECKING:
    from ._hints import Any

# ending: (module, word of its functions read_WORD and write_WORD)
_FORMATS = {
    **dict.fromkeys(('.nii', '.nii.gz', '.img', '.hdr', '.mgz', '.mgh'),
                    ('_image_files', 'nibabel')),
    **dict.fromkeys(('.tif', '.tiff', '.lsm', '.svs', '.ndpi'), ('_image_files', 'tifffile')),
    '.zarr': ('_image_files', 'zarr'),
    '.dcm': ('_image_files', 'dicom'),
    **dict.fromkeys(('.mha', '.mhd', '.nrrd', '.nhdr', '.png', '.jpg', '.jpeg', '.bmp'),
                    ('_image_files', 'itk')),
    **dict.fromkeys(('.vtkhdf', '.hdf'), ('_mesh_files', 'vtkhdf')),
    **dict.fromkeys(('.step', '.stp', '.iges', '.igs'), ('_cad_files', 'cad')),
}


def need(module, path, package=None):
    """A module that a file needs."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = package or module
        raise MissingPackageError(f'{path}: needs the package {package}: pip install {package} '
                                  f'({error})') from error


def _function(path, verb):
    """What reads or writes a file, by the ending of its name; a folder of another name is one of
    Zarr or of DICOM."""
    try:
        name = os.fspath(path)
    except TypeError:
        name = None
    if not isinstance(name, str):
        raise ArgumentTypeError(f'path: a name, not {path!r}')
    ending = max((each for each in _FORMATS if name.lower().rstrip('/').endswith(each)), key=len,
                 default=None)
    if ending is None and verb == 'read' and os.path.isdir(name):
        ending = '.dcm'
        if any(os.path.exists(os.path.join(name, each))
               for each in ('zarr.json', '.zgroup', '.zarray')):
            ending = '.zarr'
    module, word = _FORMATS.get(ending, ('_mesh_files', 'meshio'))
    found = getattr(importlib.import_module('.' + module, __package__), f'{verb}_{word}', None)
    if found is None:
        raise ArgumentError(f'{name}: is read, not written')
    return found, name


def read(path: str | os.PathLike[str], **options: Any) -> Any:
    """Reads a file, by the library that knows its format.

    Parameters
    ----------
    path : path
        The ending of its name chooses: NIfTI and MGH by nibabel, TIFF by tifffile, Zarr and
        OME-Zarr by zarr, DICOM (a file, or a folder with a series) by pydicom, MetaImage, NRRD,
        PNG, JPEG and BMP by SimpleITK or itk, STEP and IGES by cadquery-ocp, VTKHDF by h5py, and
        what else meshio knows.
    level : int, optional
        Of images in several resolutions, which; default 0, the finest.
    series : str, optional
        Of a folder of DICOM with several series, the UID of the one to read.
    data : sequence of str, optional
        Of meshes, the names in ``point_data`` that become further coordinates; default: all.
    **options :
        Go to `Image`, `Bezier`, `BSpline` or `Solid.from_meshio`.

    Returns
    -------
    Image, Solid, Bezier or list of BSpline
        Images have `Image.world`, in which x and y run to the right and to the front, as in NIfTI,
        also those of DICOM and ITK. Meshes with solid cells are solids; others are Bezier lines,
        triangles or quadrilaterals of degree 1. Models are a list of the surfaces of their faces,
        whole and not trimmed, or of their curves where there are no faces; those of the same knots
        are one `BSpline`.
    """
    function, name = _function(path, 'read')
    if not os.path.exists(name):
        raise ArgumentError(f'{name}: no such file')
    return function(name, options)


def write(path: str | os.PathLike[str], value: Any, **options: Any) -> None:
    """Writes a file, by the library that knows its format; `read` says which is which.

    Parameters
    ----------
    path : path
        A folder of Zarr must not be there yet.
    value : Image, Solid, Bezier, BSpline, array_like or meshio.Mesh
        Arrays are written as images.
    samples : int or sequence, optional
        Of splines, and of solids, whose control points and cells are written without. Default: 16
        of splines.
    world, unit, names : optional
        Of arrays, as `Image` has them: directions are as many as the world's, else up to 3, and
        axes before them are channels, where there are names, and a series.
    version : {'0.5', '0.4'}, optional
        Of OME-Zarr.
    **options :
        Go to the library: ``chunks`` and ``shards`` of Zarr, ``compression`` of TIFF, ``binary``
        of meshio's formats.
    """
    function, name = _function(path, 'write')
    function(name, value, options)
