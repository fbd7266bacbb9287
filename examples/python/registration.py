#!/usr/bin/env python3
"""Registers two images: finds the displacement field that lays one on the other, by gradient
descent, and prints how far it is from the field that made the images.

usage: registration.py [SIZE]
"""
import sys

import numpy as np

import clspline

size = int(sys.argv[1]) if len(sys.argv) > 1 else 256
rng = np.random.default_rng(1)


def spread(few, step):
    """Planes [..., size, size] of a number for each block of step x step pixels, as splines."""
    return clspline.Image(few).affine([1 / step] * 2, 0.5 / step - 0.5, (size, size))


def noise(step, num):
    few = rng.standard_normal((num, size // step, size // step)).astype(np.float32)
    return spread(few, step)


# A texture, and a smooth field that moves it by some pixels: the fixed image is the moved one.
moving = clspline.Image(noise(8, 1)[0] + noise(16, 1)[0])
truth = np.moveaxis(1.5 * noise(50, 2), 0, -1)
fixed = moving.displace(truth)

field = np.zeros((2, size, size), np.float32)
for step in (64, 32, 16):  # first what moves all of a large block, then what is finer
    for _ in range(30):
        warped = moving.displace(np.moveaxis(field, 0, -1), gradient=True)
        off, slope = warped[..., 0] - fixed, np.moveaxis(warped[..., 1:], -1, 0)
        blocks = (2, size // step, step, size // step, step)
        downhill = (off * slope).reshape(blocks).mean((2, 4))  # of half the mean of off^2
        steep = (slope ** 2).reshape(blocks).mean((2, 4))
        field -= spread(downhill / (steep + 0.1 * steep.mean()), step)
    error = np.linalg.norm(np.moveaxis(field, 0, -1) - truth, axis=-1)[8:-8, 8:-8]
    print(f'blocks of {step}: images differ by {np.abs(off).mean():.4f}, '
          f'the fields by {error.mean():.3f} pixels')
if error.mean() > 0.1:
    sys.exit('the field was not found')
