#!/usr/bin/env python3
"""Times clspline's images in Python beside CuPy's on the same GPU, in one run, in turns.

usage: python_cupy.py

A line has the shortest times, in ms, of turning an image or a volume by an affine map of order 3
with its prefilter, in mode mirror: arrays of NumPy in and out ("host"), and arrays on the device
("device", of PyOpenCL and of CuPy; both wait for the end).
"""
import time

import cupy
import cupyx.scipy.ndimage as peer
import numpy as np
import pyopencl
import pyopencl.array

import clspline
import clspline.ndimage

SHAPES = ((512, 512), (1024, 1024), (2048, 2048), (4096, 4096), (128, 128, 128), (256, 256, 256))


def shortest(functions, seconds=1.0):
    times = [np.inf] * len(functions)
    for function in functions:
        function()
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        for at, function in enumerate(functions):
            begin = time.perf_counter()
            function()
            times[at] = min(times[at], (time.perf_counter() - begin) * 1e3)
    return times


def turn(shape, angle=0.3):
    matrix = np.eye(len(shape))
    matrix[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    middle = (np.array(shape) - 1) / 2
    return matrix, middle - matrix @ middle


def on_host(samples, matrix, offset):
    def ours():
        return clspline.ndimage.affine_transform(samples, matrix, offset, order=3, mode='mirror')

    def theirs():
        return peer.affine_transform(cupy.asarray(samples), cupy.asarray(matrix), offset, order=3,
                                     mode='mirror').get()
    scale = np.abs(ours() - theirs()).max()
    return shortest([ours, theirs]), scale


def on_device(samples, matrix, offset, context):
    given = pyopencl.array.to_device(context.queue, samples)
    result = pyopencl.array.empty_like(given)
    image = clspline.Image(given, 3, 'mirror', directions=samples.ndim, context=context)
    theirs, cuda_matrix = cupy.asarray(samples), cupy.asarray(matrix)

    def ours():
        image.samples = given
        image.affine(matrix, offset, out=result)
        context.queue.finish()

    def others():
        peer.affine_transform(theirs, cuda_matrix, offset, order=3, mode='mirror')
        cupy.cuda.Device().synchronize()
    return shortest([ours, others])


def main():
    device = next(device for platform in pyopencl.get_platforms()
                  for device in platform.get_devices() if 'NVIDIA' in device.name.upper()
                  or 'NVIDIA' in platform.name.upper())
    queue = pyopencl.CommandQueue(pyopencl.Context([device]))
    context = clspline.Context(queue=queue)
    print(f'{context.device.name}, {context.device.driver}; CuPy {cupy.__version__}')
    rng = np.random.default_rng(1)
    for shape in SHAPES:
        for dtype in (np.float32, np.float64):
            samples = rng.random(shape).astype(dtype)
            matrix, offset = turn(shape)
            with clspline.use(context):
                (own, other), apart = on_host(samples, matrix, offset)
            words = 'x'.join(map(str, shape)) + f' {np.dtype(dtype)}'
            print(f'{words}, host: {own:.3f}; CuPy {other:.3f}, {other / own:.1f} times '
                  f'(apart by {apart:.1e})', flush=True)
            own, other = on_device(samples, matrix, offset, context)
            print(f'{words}, device: {own:.3f}; CuPy {other:.3f}, {other / own:.1f} times',
                  flush=True)


if __name__ == '__main__':
    main()
