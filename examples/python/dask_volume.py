#!/usr/bin/env python3
"""Turns and enlarges a volume that need not fit in memory, tile by tile, by dask.

usage: dask_volume.py [IN.npy OUT.npy [DEGREES [CHUNK]]]

Without files it makes a small volume, and compares the tiles with a single call. To have several
machines or devices do it, start a dask scheduler and workers, a worker a device (CLSPLINE_DEVICE
says which one), and make a distributed.Client here.
"""
import pathlib
import sys
import tempfile

import numpy as np

from clspline import ndimage

try:
    import dask.array as da
except ImportError:
    print('this needs dask')
    sys.exit(77)


def turn(volume, degrees):
    """About the last axis, at 1.25 times as many samples along each."""
    cosine, sine = np.cos(np.radians(degrees)) / 1.25, np.sin(np.radians(degrees)) / 1.25
    matrix = np.array([[cosine, sine, 0], [-sine, cosine, 0], [0, 0, 1 / 1.25]])
    shape = tuple(int(1.25 * size) for size in volume.shape)
    offset = (np.array(volume.shape) - 1) / 2 - matrix @ ((np.array(shape) - 1) / 2)
    return ndimage.affine_transform(volume, matrix, offset, shape, mode='mirror')


def main(folder):
    names = sys.argv[1:3] or [folder / 'in.npy', folder / 'out.npy']
    degrees = float(sys.argv[3]) if len(sys.argv) > 3 else 30
    chunk = int(sys.argv[4]) if len(sys.argv) > 4 else 64
    if len(sys.argv) < 3:
        np.save(names[0], np.random.default_rng(0).integers(256, size=(96, 96, 96), dtype='u1'))
    volume = np.load(names[0], mmap_mode='r')
    tiles = turn(da.from_array(volume, chunks=chunk), degrees)
    out = np.lib.format.open_memmap(names[1], 'w+', tiles.dtype, tiles.shape)
    da.store(tiles, out, lock=False)
    print(f'{volume.shape} to {out.shape}, {tiles.npartitions} tiles')
    if len(sys.argv) < 3:
        print('as a single call:', np.array_equal(out, turn(np.array(volume), degrees)))


with tempfile.TemporaryDirectory() as folder:
    main(pathlib.Path(folder))
