"""Files of images: NIfTI by nibabel, TIFF by tifffile, Zarr by zarr, DICOM by pydicom, others by
SimpleITK or itk."""
import glob
import os
import typing
import xml.etree.ElementTree

import numpy as np

from ._errors import ArgumentError, ArgumentTypeError, logger
from ._files import need
from ._image import Image

# units of lengths: their names in OME-Zarr; in OME-TIFF; in NIfTI; their meters
_UNITS = (('meter', 'm', 'meter', 1.0), ('millimeter', 'mm', 'mm', 1e-3),
          ('micrometer', 'µm', 'micron', 1e-6), ('nanometer', 'nm', None, 1e-9),
          ('centimeter', 'cm', None, 1e-2), ('inch', 'in', None, 0.0254))
_MOST_CHANNELS = 16
_TO_RAS = [[1], [-1], [-1]]  # DICOM's and ITK's y and x run the other way


class _Volume(typing.NamedTuple):
    """What is in a file: an array, a letter for each of its axes (x, y, z, and c or s, channels),
    the world of its directions in the order z, y, x, or None, its unit and names of channels."""
    array: typing.Any
    axes: str
    world: typing.Any = None
    unit: typing.Optional[str] = None
    names: typing.Sequence[str] = ()


def _unit(name, column):
    """The name of a unit, by that of a format."""
    return next((unit[0] for unit in _UNITS if name and unit[column] == name), None)


def _placed(scale, origin, units):
    """(the world of samples that are so far apart, the first one at the origin; its unit), of
    numbers in units of each direction."""
    meters = [next((unit[3] for unit in _UNITS if unit[0] == name), None) for name in units]
    world, unit = np.column_stack([np.diag(scale), origin]), units[-1]
    if len(set(units)) > 1:
        if None in meters:
            return world, None
        world *= np.array(meters)[:, None] / meters[-1]
    return world, unit


def _turned(matrix):
    """A world in the order z, y, x of one in the order x, y, z, or the other way round."""
    num = len(matrix)
    return matrix[::-1][:, [*range(num)[::-1], num]]


def _image_of(volume, options):
    """The library's image of what is in a file."""
    space = [axis for axis in 'zyx' if axis in volume.axes]
    at = next((volume.axes.index(axis) for axis in 'sc' if axis in volume.axes), None)
    channel = [] if at is None or np.shape(volume.array)[at] > _MOST_CHANNELS else [at]
    directions = [volume.axes.index(axis) for axis in space]
    batch = [at for at in range(len(volume.axes)) if at not in directions + channel]
    is_last = bool(channel) and channel[0] == len(volume.axes) - 1
    order = batch + (directions + channel if is_last else channel + directions)
    array = np.transpose(volume.array, order)
    image = Image(array, directions=len(space),
                  channels=None if not channel else 'last' if is_last else 'first', **options)
    image.world, image.unit, image.names = volume.world, volume.unit, tuple(volume.names)
    return image


def _volume_of(value, path, options):
    """What is to be written: a `_Volume` with axes t, c, z, y, x, as far as they are there."""
    given = [options.pop(name, None) for name in ('world', 'unit', 'names')]
    if isinstance(value, Image):
        layout, num = value._options[0], value.directions
        world, unit, names = (mine if other is None else other for mine, other in
                              zip((value.world, value.unit, value.names), given))
        array = np.asarray(value.samples)
        array = np.moveaxis(array, -1, -1 - num) if layout == 'last' else array
    else:
        (world, unit, names), array = given, np.asarray(value)
        num = min(array.ndim, 3) if world is None else len(world)
        layout = 'first' if names else None
    axes = ('c' if layout else '') + 'zyx'[3 - num:]
    if array.ndim == len(axes) + 1:
        axes = 't' + axes
    if world is not None and np.shape(world) != (num, num + 1):
        raise ArgumentError(f'world: shape {(num, num + 1)}, not {np.shape(world)}')
    if not num or array.ndim != len(axes) or array.dtype.kind not in 'iufbc':
        raise ArgumentTypeError(f'{path}: an image, a volume or a series of them is written, not '
                                f'{array.dtype} of shape {array.shape}')
    return _Volume(array, axes, None if world is None else np.asarray(world, float), unit,
                   names or ())


def _is_straight(world):
    """Whether axes of the array are those of the world."""
    return not np.any(world[:, :-1] - np.diag(np.diag(world)))


# ---- NIfTI ----


def read_nibabel(path, options):
    """NIfTI, Analyze and MGH. Axes run from x on."""
    nibabel = need('nibabel', path)
    try:
        file = nibabel.load(path)
    except nibabel.filebasedimages.ImageFileError as error:
        raise ArgumentError(f'{path}: {error}') from error
    array = np.asanyarray(file.dataobj).T
    num, axes = min(3, array.ndim), 'wvutzyx'[7 - array.ndim:]
    if array.dtype.names:  # colours
        array, axes = np.stack([array[name] for name in array.dtype.names], axis=-1), axes + 'c'
    world = _turned(file.affine[:num][:, [*range(num), 3]])
    unit = getattr(file.header, 'get_xyzt_units', lambda: ('mm',))()[0]
    return _image_of(_Volume(array, axes, world, _unit(unit, 2)), options)


def write_nibabel(path, value, options):
    """NIfTI, with the world as its sform. Channels of 8 bits, 3 or 4 of them, are colours."""
    nibabel = need('nibabel', path)
    volume = _volume_of(value, path, options)
    array, num = volume.array, len(volume.axes.strip('tc'))
    affine = np.eye(4)
    if volume.world is not None:
        affine[:num, [*range(num), 3]] = _turned(volume.world)
    if 'c' in volume.axes:
        array = np.moveaxis(array, volume.axes.index('c'), -1)
        if array.dtype != np.uint8 or array.shape[-1] not in (3, 4):
            raise ArgumentError(f'{path}: NIfTI has one channel, or 3 or 4 of uint8, not '
                                f'{array.shape[-1]} of {array.dtype}')
        array = np.ascontiguousarray(array).view(
            [(name, np.uint8) for name in 'RGBA'[:array.shape[-1]]])[..., 0]
    if 't' in volume.axes:  # which is the fourth one
        array = array.reshape(array.shape[:1] + (1,) * (3 - num) + array.shape[1:])
    array = array.T
    array = array.astype(np.uint8) if array.dtype == bool else array
    file = nibabel.Nifti1Image(array, affine, dtype=array.dtype, **options)
    file.header.set_xyzt_units(next((unit[2] for unit in _UNITS if unit[0] == volume.unit), None))
    file.to_filename(path)


# ---- TIFF ----


def read_tifffile(path, options):
    """TIFF, its pages of one size being slices, with what OME, ImageJ or its tags say."""
    tifffile = need('tifffile', path)
    level = options.pop('level', 0)
    try:
        with tifffile.TiffFile(path) as file:
            series = file.series[0]
            axes = series.axes.lower()
            if 'z' not in axes:
                axes = axes.replace('i', 'z', 1) if 'i' in axes else axes.replace('q', 'z', 1)
            if not -len(series.levels) <= level < len(series.levels):
                raise ArgumentError(f'level: {level}, of {len(series.levels)}')
            found = series.levels[level]
            scale, units, names = _tiff_place(file)
            space = [axes.index(axis) for axis in 'zyx' if axis in axes]
            ratio = np.array([series.shape[at] / found.shape[at] for at in space])
            finest = np.array([scale.get(axes[at], 1.0) for at in space])
            world, unit = _placed(finest * ratio, finest * (ratio - 1) / 2,
                                  [units.get(axes[at]) for at in space]) if scale else (None, None)
            return _image_of(_Volume(found.asarray(), axes, world, unit, names), options)
    except tifffile.TiffFileError as error:
        raise ArgumentError(f'{path}: {error}') from error


def _tiff_place(file):
    """({axis: spacing}, {axis: unit}, names of channels), empty where the file does not say."""
    if file.ome_metadata:
        pixels = xml.etree.ElementTree.fromstring(file.ome_metadata).find('.//{*}Pixels')
        sizes = {axis: pixels.get('PhysicalSize' + axis.upper()) for axis in 'zyx'}
        units = {axis: _unit(pixels.get(f'PhysicalSize{axis.upper()}Unit', 'µm'), 1)
                 for axis in 'zyx'}
        names = [each.get('Name') for each in pixels.findall('{*}Channel')]
        return {axis: float(size) for axis, size in sizes.items() if size}, units, \
            names if all(names) else ()
    tags, ij = file.pages[0].tags, file.imagej_metadata or {}
    number = tags.valueof('ResolutionUnit')
    rates = {axis: tags.valueof(axis.upper() + 'Resolution') or (0, 1) for axis in 'yx'}
    scale = {axis: rate[1] / rate[0] for axis, rate in rates.items()
             if rate[0] and (ij or number in (2, 3))}
    if 'spacing' in ij:
        scale['z'] = float(ij['spacing'])
    word = ij.get('unit')
    unit = _unit({'micron': 'µm', 'um': 'µm', '\\u00B5m': 'µm'}.get(word, word), 1) or \
        _unit({2: 'inch', 3: 'centimeter'}.get(number), 0)
    return scale, dict.fromkeys('zyx', unit), ()


def write_tifffile(path, value, options):
    """TIFF, with the words of OME."""
    tifffile = need('tifffile', path)
    volume = _volume_of(value, path, options)
    words = {'axes': volume.axes.upper()}
    array = volume.array
    if len(volume.axes.strip('tc')) == 1:
        raise ArgumentError(f'{path}: TIFF has images and volumes')
    if volume.world is not None:
        if not _is_straight(volume.world) or np.any(volume.world[:, -1]):
            logger.warning('%s: where it is in the world is left out', path)
        unit = next((each[1] for each in _UNITS if each[0] == volume.unit), None)
        for axis, spacing in zip(volume.axes.strip('tc')[::-1],
                                 np.linalg.norm(volume.world[:, :-1], axis=0)[::-1]):
            words['PhysicalSize' + axis.upper()] = float(spacing)
            if unit:
                words[f'PhysicalSize{axis.upper()}Unit'] = unit
    if volume.names:
        words['Channel'] = {'Name': list(volume.names)}
    try:
        tifffile.imwrite(path, array, ome=True, metadata=words,
                         photometric=options.pop('photometric', 'minisblack'), **options)
    except tifffile.OmeXmlError as error:
        raise ArgumentError(f'{path}: {error}') from error


# ---- Zarr ----


def read_zarr(path, options):
    """Zarr 2 and 3, and images of OME-Zarr up to 0.5."""
    zarr = need('zarr', path)
    level = options.pop('level', 0)
    try:
        node = zarr.open(path, mode='r')
    except Exception as error:  # what it raises of a folder that is none depends on its version
        raise ArgumentError(f'{path}: no Zarr that this version of zarr, {zarr.__version__}, '
                            f'reads: {error}') from error
    if hasattr(node, 'shape'):
        return _image_of(_Volume(node[...], _plain_axes(node, path)), options)
    node, words = _multiscales(node, path)
    image = words['multiscales'][0]
    sets = image['datasets']
    if not -len(sets) <= level < len(sets):
        raise ArgumentError(f'level: {level}, of {len(sets)}')
    array = node[sets[level]['path']]
    axes = image.get('axes') or list('tczyx'[-array.ndim:])
    axes = [{'name': axis} if isinstance(axis, str) else axis for axis in axes]
    letters = ''.join(axis['name'] if axis['name'] in list('tczyx') else
                      'c' if axis.get('type') == 'channel' else 'u' for axis in axes)
    space = [letters.index(axis) for axis in 'zyx' if axis in letters]
    scale, move = np.ones(array.ndim), np.zeros(array.ndim)
    for step in (*sets[level].get('coordinateTransformations', ()),
                 *image.get('coordinateTransformations', ())):
        if step['type'] not in ('scale', 'translation', 'identity') or 'path' in step:
            raise ArgumentError(f'{path}: a transformation {step}')
        factor = np.array(step.get('scale', 1.0))
        scale, move = scale * factor, move * factor + np.array(step.get('translation', 0.0))
    names = [each.get('label') for each in words.get('omero', {}).get('channels', ())]
    world, unit = _placed(scale[space], move[space], [axes[at].get('unit') for at in space])
    return _image_of(_Volume(array[...], letters, world, unit, names if all(names) else ()),
                     options)


def _plain_axes(array, path):
    """Letters for the axes of an array alone: those that it names, or up to three directions."""
    names = getattr(getattr(array, 'metadata', None), 'dimension_names', None) or \
        array.attrs.get('_ARRAY_DIMENSIONS') or list('tczyx'[-array.ndim:])
    letters = ''.join(name.lower() if name and name.lower() in list('tczyx') else 'u'
                      for name in names)
    if not 1 <= array.ndim <= 5 or not set(letters) & set('zyx'):
        raise ArgumentError(f'{path}: axes {names}, of {array.ndim}')
    return letters


def _multiscales(node, path):
    """(the group of an image, its attributes of OME)."""
    words = dict(node.attrs)
    words = words.get('ome', words)
    if 'multiscales' in words:
        return node, words
    if 'bioformats2raw.layout' in words and '0' in node:
        return _multiscales(node['0'], path)
    raise ArgumentError(f'{path}: no image of OME-Zarr, but a group of '
                        f'{", ".join(sorted(node)) or "nothing"}')


def write_zarr(path, value, options):
    """OME-Zarr of one resolution."""
    zarr = need('zarr', path)
    volume = _volume_of(value, path, options)
    version = options.pop('version', None) or \
        ('0.4' if zarr.__version__.startswith('2') else '0.5')
    if version not in ('0.4', '0.5') or (version == '0.5' and zarr.__version__.startswith('2')):
        raise ArgumentError(f'version: {version!r}, of 0.4 and, by zarr 3, 0.5')
    if os.path.exists(path):
        raise ArgumentError(f'{path}: is there already, and a folder replaces nothing')
    attributes = ome_attributes(volume.axes, volume.world, version, volume.unit, volume.names)
    if zarr.__version__.startswith('2'):
        group = zarr.open_group(path, mode='w-')
        group.create_dataset('0', data=volume.array, dimension_separator='/', **options)
    else:
        of_version = {'zarr_format': 3} if version == '0.5' else {'zarr_format': 2}
        group = zarr.open_group(path, mode='w-', **of_version)
        if version == '0.5':
            options.setdefault('dimension_names', list(volume.axes))
        else:
            options.setdefault('chunk_key_encoding', {'name': 'v2', 'separator': '/'})
        group.create_array('0', data=np.ascontiguousarray(volume.array), **options)
    group.attrs.update(attributes)


def ome_attributes(axes, world, version, unit=None, names=()):
    """The attributes of an OME-Zarr group with one array, '0', whose axes are letters of tczyx."""
    space = [at for at, axis in enumerate(axes) if axis in 'zyx']
    kinds = {'t': 'time', 'c': 'channel'}
    words = [{'name': axis, 'type': kinds.get(axis, 'space')} for axis in axes]
    scale, move = [1.0] * len(axes), [0.0] * len(axes)
    if world is not None:
        if not _is_straight(world):
            raise ArgumentError('world: OME-Zarr has scales and translations, and no turns')
        for row, at in enumerate(space):
            scale[at], move[at] = float(world[row, row]), float(world[row, -1])
            if unit:
                words[at]['unit'] = unit
    image = {'axes': words, 'datasets': [{'path': '0', 'coordinateTransformations': [
        {'type': 'scale', 'scale': scale}, {'type': 'translation', 'translation': move}]}]}
    found = {'multiscales': [image]}
    if names:
        found['omero'] = {'channels': [{'label': name} for name in names]}
    if version == '0.5':
        return {'ome': {'version': version, **found}}
    image['version'] = version
    return found


# ---- DICOM and ITK ----


def read_dicom(path, options):
    """A DICOM file, or the slices of a series in a folder, as values of their rescale."""
    pydicom = need('pydicom', path)
    series, files = options.pop('series', None), [path]
    if os.path.isdir(path):
        files = [each for each in sorted(glob.glob(os.path.join(glob.escape(path), '*')))
                 if os.path.isfile(each) and pydicom.misc.is_dicom(each)]
    try:
        slices = [pydicom.dcmread(each) for each in files]
    except pydicom.errors.InvalidDicomError as error:
        raise ArgumentError(f'{path}: {error}') from error
    found = {each.get('SeriesInstanceUID', '') for each in slices if 'PixelData' in each}
    if series is None and len(found) > 1:
        raise ArgumentError(f'series: one of {", ".join(sorted(found))} in {path}')
    pairs = [(each, name) for each, name in zip(slices, files)
             if 'PixelData' in each and series in (None, each.get('SeriesInstanceUID', ''))]
    if not pairs:
        raise ArgumentError(f'{path}: no images of DICOM')
    if int(pairs[0][0].get('NumberOfFrames', 1)) > 1:
        return read_itk(pairs[0][1], options)
    return _image_of(_dicom_volume([each for each, _ in pairs], path), options)


def _dicom_volume(slices, path):
    """A volume of slices, in the order of their places."""
    first, matrix = slices[0], None
    if 'ImageOrientationPatient' in first and 'ImagePositionPatient' in first:
        right, down = np.array(first.ImageOrientationPatient, float).reshape(2, 3)
        normal = np.cross(right, down)
        slices = sorted(slices, key=lambda each: float(normal @ _position(each)))
        places = np.array([_position(each) for each in slices])
        gaps = np.diff(places @ normal)
        if gaps.size and gaps.min() < 0.01 * gaps.max():
            raise ArgumentError(f'{path}: several slices at one place')
        if gaps.size and gaps.min() < 0.99 * gaps.max():
            logger.warning('%s: slices are %g to %g apart', path, gaps.min(), gaps.max())
        step = (places[-1] - places[0]) / len(gaps) if gaps.size else \
            normal * float(first.get('SliceThickness') or 1)
        height, width = map(float, first.PixelSpacing)
        matrix = np.column_stack([right * width, down * height, step, places[0]])
    values = np.stack([_rescaled(each) for each in slices])
    axes = 'zyx' + 's' * (values.ndim - 3)
    return _Volume(values, axes) if matrix is None else \
        _Volume(values, axes, _turned(matrix) * _TO_RAS, 'millimeter')


def _position(one):
    return np.array(one.ImagePositionPatient, float)


def _rescaled(one):
    slope, intercept = float(one.get('RescaleSlope', 1)), float(one.get('RescaleIntercept', 0))
    if (slope, intercept) == (1, 0):
        return one.pixel_array
    return np.float32(one.pixel_array) * np.float32(slope) + np.float32(intercept)


def read_itk(path, options):
    """Whatever SimpleITK or itk knows."""
    try:
        itk = need('SimpleITK', path)
        read, values, turn = itk.ReadImage, itk.GetArrayFromImage, np.asarray
    except ImportError:
        itk = need('itk', path, 'SimpleITK')
        read, values, turn = itk.imread, itk.array_from_image, itk.array_from_matrix
    try:
        image = read(path)
    except RuntimeError as error:
        raise ArgumentError(f'{path}: {itk.__name__} cannot read it: {error}') from error
    num = image.GetImageDimension() if hasattr(image, 'GetImageDimension') else image.GetDimension()
    spacing, array = np.array(image.GetSpacing()), values(image)
    matrix = np.column_stack([np.reshape(turn(image.GetDirection()), (num, num)) * spacing,
                              np.array(image.GetOrigin())])
    known = num <= 3 and not np.array_equal(matrix, np.eye(num, num + 1))
    axes = 'tzyx'[4 - num:] + 's' * (array.ndim - num)
    if not known:
        return _image_of(_Volume(array, axes), options)
    world = _turned(matrix) * _TO_RAS[:1 if num < 3 else 3]
    return _image_of(_Volume(array, axes, world, 'millimeter'), options)


def write_itk(path, value, options):
    """Whatever SimpleITK knows."""
    itk = need('SimpleITK', path)
    volume = _volume_of(value, path, options)
    array, num = volume.array, len(volume.axes.strip('tc'))
    if 't' in volume.axes or num == 1:
        raise ArgumentError(f'{path}: one image or volume is written, not one of axes '
                            f'{volume.axes}')
    image = itk.GetImageFromArray(np.moveaxis(array, 0, -1) if 'c' in volume.axes else array,
                                  isVector='c' in volume.axes)
    if volume.world is not None:
        matrix = _turned(volume.world * _TO_RAS[:1 if num < 3 else 3])
        spacing = np.linalg.norm(matrix[:, :-1], axis=0)
        image.SetSpacing(spacing.tolist())
        image.SetOrigin(matrix[:, -1].tolist())
        image.SetDirection((matrix[:, :-1] / spacing).ravel().tolist())
    try:
        itk.WriteImage(image, path, **options)
    except RuntimeError as error:
        raise ArgumentError(f'{path}: {error}') from error
