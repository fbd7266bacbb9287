"""Lists the devices that clspline can compute on, and draws a teapot on one of them.

The teapot is evaluated by the device, or the host, and drawn by NumPy. Its control points,
teapot.npy, are the data sent by Philip Schneider in 1990, as in freeglut's src/fg_teapot_data.h
(MIT).
"""
import argparse
import os
import sys
import time

import numpy as np


def _arguments(arguments):
    parser = argparse.ArgumentParser(
        prog='python -m clspline', description=__doc__.split('\n', 1)[0],
        epilog='Exit status: 0 on success, 1 where something failed, as where there is no such '
               'device, 2 for wrong arguments.')
    parser.add_argument('-o', '--output', default='teapot.png', metavar='FILE',
                        help='the picture, a PNG file; default: %(default)s')
    parser.add_argument('--device', metavar='DEVICE',
                        help="its number in the list, a class ('gpu', 'cpu', 'host'), or parts of "
                             "names as in 'pocl:'; default: $CLSPLINE_DEVICE, else the best GPU, "
                             "else the host")
    parser.add_argument('--size', default='640x480', metavar='WIDTHxHEIGHT', type=_size,
                        help='of the picture; default: %(default)s')
    return parser.parse_args(arguments)


def _size(text):
    width, cross, height = text.partition('x')
    if not (cross and width.isdecimal() and height.isdecimal() and
            1 <= int(width) <= 8192 and 1 <= int(height) <= 8192):
        raise argparse.ArgumentTypeError(f'{text!r} is no size such as 640x480, up to 8192x8192')
    return int(width), int(height)


def _bytes(number):
    return f'{number / 2 ** 30:.1f} GiB' if number >= 2 ** 30 else f'{number / 2 ** 20:.0f} MiB'


def table(devices):
    """Lines that list devices, with columns as wide as they need to be."""
    rows = [('#', 'device', 'platform', 'class', 'OpenCL C', 'units', 'memory', 'double')]
    for device in devices:
        version = device.opencl_version
        rows.append((str(device.index), device.name, device.platform, device.kind,
                     f'{version // 100}.{version // 10 % 10}' if version else '-',
                     str(device.compute_units), _bytes(device.global_bytes),
                     'yes' if device.fp64 else 'no'))
    widths = [max(map(len, column)) for column in zip(*rows)]
    return ['  '.join(text.ljust(width) for text, width in zip(row, widths)).rstrip()
            for row in rows]


def teapot():
    """Control points of 28 bicubic patches, [28, 4, 4, 3], with y up."""
    return np.load(os.path.join(os.path.dirname(__file__), 'teapot.npy'))


def _draw(clspline, arguments):
    context = clspline.Context(arguments.device)
    patches = clspline.Bezier(teapot(), context=context)
    vertices = patches.evaluate(64, ('point', 'normal'))
    start = time.perf_counter()
    patches.evaluate(64, ('point', 'normal'), out=vertices)
    took = time.perf_counter() - start
    picture = patches.png(arguments.size, azimuth=35, elevation=28, up='y')
    with open(arguments.output, 'wb') as file:
        file.write(picture)
    print(f'{context.device.name}: {vertices.size} points of the teapot, with normals, in '
          f'{1e3 * took:.2f} ms')
    print(f'{arguments.output}: the teapot, {arguments.size[0]} x {arguments.size[1]} pixels')


def main(arguments=None):
    """Runs the command; returns its exit status."""
    arguments = _arguments(arguments)
    try:
        import clspline
        found = clspline.devices()
        print(f'clspline {clspline.__version__}')
        print('\n'.join(table(found)))
        _draw(clspline, arguments)
    except ImportError as error:
        print(f'error: {error}', file=sys.stderr)
        return 1
    except (clspline.Error, OSError) as error:
        print(f'error: {error}', file=sys.stderr)
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
