#!/usr/bin/env python3
"""Enlarges a volume of OME-Zarr of any size, chunk by chunk, by dask and zarr 3.

usage: zarr_volume.py [IN.zarr OUT.zarr FACTOR [K/N]]

K/N makes part K of N: part 0, which comes first, is OUT without values; the others go in any order
and at once, on machines that share the disk. Without files it enlarges a small one of its own.
"""
import copy
import sys
import tempfile

import numpy as np

import clspline
from clspline import ndimage

try:
    import dask.array as da
    import zarr
    create_array = zarr.Group.create_array  # of zarr 3
except (ImportError, AttributeError):
    print('this needs dask and zarr 3')
    sys.exit(77)


def enlarge(source, out, factor, part, parts):
    group = zarr.open_group(source, mode='r')
    words = copy.deepcopy(dict(group.attrs))
    image = words.get('ome', words)['multiscales'][0]
    finest = image['datasets'][0]
    array = group[finest['path']]
    step = np.array([1 / factor if axis['type'] == 'space' else 1.0 for axis in image['axes']])
    offset = (step - 1) / 2  # what the volume's outer sides enclose stays the same
    shape = tuple(int(round(size)) for size in array.shape / step)
    tiles = ndimage.affine_transform(da.from_zarr(array), step, offset, shape, mode='mirror')
    if part == 0:
        known = {each['type']: np.array(each[each['type']])
                 for each in finest['coordinateTransformations']}
        move = known.get('translation', 0) + known['scale'] * offset
        image['datasets'] = [{'path': '0', 'coordinateTransformations': [
            {'type': 'scale', 'scale': (known['scale'] * step).tolist()},
            {'type': 'translation', 'translation': move.tolist()}]}]
        made = zarr.open_group(out, mode='w-', zarr_format=array.metadata.zarr_format)
        create_array(made, '0', shape=shape, chunks=tiles.chunksize, dtype=tiles.dtype)
        made.attrs.update(words)
        return
    ends = [np.cumsum((0,) + sizes).tolist() for sizes in tiles.chunks]
    mine = [tuple(slice(end[i], end[i + 1]) for end, i in zip(ends, at))
            for at in list(np.ndindex(*tiles.numblocks))[part - 1::parts]]
    target = zarr.open_group(out, mode='r+')['0']
    da.store([tiles[box] for box in mine], [target] * len(mine), regions=mine, lock=False)


with tempfile.TemporaryDirectory() as folder:
    files = sys.argv[1:3] or [folder + '/in.zarr', folder + '/out.zarr']
    if len(sys.argv) < 2:
        clspline.write(files[0], np.random.rand(40, 30, 50), world=np.eye(3, 4), chunks=(20,) * 3)
    for part in sys.argv[4:] or ['0/1', '1/1']:
        enlarge(*files, float(sys.argv[3]) if sys.argv[3:] else 2, *map(int, part.split('/')))
