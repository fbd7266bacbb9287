"""solid_slice.py: the density of a solid along a plane, as an image.

A bent bar of hexahedra has a density at each control point, as a fourth coordinate. For each pixel
of a plane the parameters of the point of the solid there are found by Newton's method, in all cells
at once, and the density is evaluated at them. Writes slice.pgm, or the file that is given.
"""
import sys

import numpy as np

import clspline

HEIGHT, PIXEL = 0.45, 0.02


def bent_bar(around=10, across=3, layers=3):
    """Points [number, 4] and cells of a bar that is bent to three quarters of a ring."""
    turn, radius, z = np.meshgrid(np.linspace(0, 1.5 * np.pi, around + 1),
                                  np.linspace(1, 2, across + 1), np.linspace(0, 1, layers + 1),
                                  indexing='ij')
    density = 1 + 0.5 * np.sin(3 * turn) * np.cos(4 * radius)
    points = np.stack([radius * np.cos(turn), radius * np.sin(turn), z, density], axis=-1)
    at = np.arange(points.size // 4).reshape(turn.shape)
    low, high = np.s_[:-1], np.s_[1:]
    corners = [(low, low), (high, low), (high, high), (low, high)]  # in VTK's order
    cells = np.stack([at[j, i, k] for k in (low, high) for i, j in corners], axis=-1)
    return points.reshape(-1, 4), cells.reshape(-1, 8)


def candidates(solid, height, x, y):
    """The cells and pixels, by their numbers, that may have to do with each other."""
    samples = solid.evaluate(5)[..., :3].reshape(solid.num_cells, -1, 3)
    low, high = samples.min(axis=1), samples.max(axis=1)
    margin = 0.1 * (high - low)
    low, high = low - margin, high + margin
    cells, pixels = [], []
    for cell in np.flatnonzero((low[:, 2] <= height) & (height <= high[:, 2])):
        inside = (low[cell, 0] <= x) & (x <= high[cell, 0]) & (low[cell, 1] <= y) & \
            (y <= high[cell, 1])
        pixels.append(np.flatnonzero(inside))
        cells.append(np.full(pixels[-1].size, cell))
    return np.concatenate(cells), np.concatenate(pixels)


def density_at(solid, cells, targets):
    """The densities at places [number, 3], and how far from them the solid's points are."""
    params = np.full(targets.shape, 0.5)
    for _ in range(8):
        found = solid.at(cells, params, ('point', 'du', 'dv', 'dw'))
        jacobian = np.stack([found[name][:, :3] for name in ('du', 'dv', 'dw')], axis=2)
        flat = np.abs(np.linalg.det(jacobian)) < 1e-9  # as at smooth edges: these stay
        jacobian[flat] = np.eye(3)
        step = np.linalg.solve(jacobian, (targets - found['point'][:, :3])[..., None])[..., 0]
        params = np.clip(params + step, 0, 1)
    point = solid.at(cells, params)
    return point[:, 3], np.linalg.norm(point[:, :3] - targets, axis=1)


def main(file='slice.pgm'):
    real = np.float64 if clspline.current().device.fp64 else np.float32
    points, cells = bent_bar()
    solid = clspline.Solid(points, cells, creases=60, orient=True, precision=real)
    x, y = np.meshgrid(np.arange(-2.05, 2.05, PIXEL), np.arange(2.05, -2.05, -PIXEL))
    cells, pixels = candidates(solid, HEIGHT, x.ravel(), y.ravel())
    targets = np.stack([x.ravel()[pixels], y.ravel()[pixels], np.full(pixels.size, HEIGHT)], axis=1)
    density, distance = density_at(solid, cells, targets)
    within = distance < 1e-3 * PIXEL
    image = np.full(x.size, np.nan)
    image[pixels[within]] = density[within]
    image = image.reshape(x.shape)
    low, high = np.nanmin(image), np.nanmax(image)
    grey = np.where(np.isnan(image), 0, 40 + 215 * (image - low) / (high - low))
    with open(file, 'wb') as out:
        out.write(b'P5 %d %d 255\n' % image.shape[::-1] + grey.astype(np.uint8).tobytes())
    area = np.isfinite(image).sum() * PIXEL ** 2
    print(f'{solid.num_cells} cells; densities from {low:.4f} to {high:.4f} on {area:.3f} units of '
          f'area, mass {np.nansum(image) * PIXEL ** 2:.3f}; {file} has {image.shape[1]} x '
          f'{image.shape[0]} pixels')


if __name__ == '__main__':
    main(*sys.argv[1:2])
