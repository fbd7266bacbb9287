"""Small pictures of splines: shaded by NumPy alone for notebooks and the command, and by matplotlib
and PyVista where they are there."""
from __future__ import annotations

import base64
import html
import struct
import zlib
from typing import TYPE_CHECKING

import numpy as np

from ._errors import ArgumentError, Error
from ._memory import choice, pair, real

if TYPE_CHECKING:
    from ._hints import Any

_MAX_FACES = 12000  # of a small picture, about
_MAX_SHOWN = 4000  # items of a batch in it
_FINE = 2  # samples of a pixel along each side
_MAX_TRIED = 1 << 22  # samples in the boxes of all triangles; what is beyond is left out
_PAPER, _INK = np.array([0.62, 0.72, 0.86]), np.array([0.13, 0.30, 0.55])
_CONTROL = np.array([0.70, 0.66, 0.60])
# from low to high values, dark to light for all eyes
_SCALE = np.array([[0.24, 0.15, 0.40], [0.20, 0.38, 0.60], [0.16, 0.58, 0.56], [0.48, 0.77, 0.36],
                   [0.96, 0.88, 0.30]])


class Drawn:
    """What can be drawn: the base of all families."""

    def _repr_html_(self) -> str:
        return as_html(self)

    def png(self, size: tuple[int, int] = (360, 270), *, azimuth: float = -60.0,
            elevation: float = 25.0, up: str = 'z') -> bytes:
        """A picture as the bytes of a PNG file, made with NumPy alone.

        Parameters
        ----------
        size : tuple of int
            Width and height in pixels.
        azimuth, elevation : float
            Where it is seen from, in degrees around and above the plane.
        up : {'z', 'y', 'x'}
            Which coordinate is.

        Returns
        -------
        bytes

        Examples
        --------
        >>> import numpy as np, clspline
        >>> line = clspline.Bezier(np.float32([[0, 0], [1, 2], [2, 0]]), form='curve')
        >>> line.png()[1:4]
        b'PNG'
        """
        return png_of(picture_of(self, size, (azimuth, elevation, up))[0])

    def plot(self, ax: Any = None, samples: int | None = None, **style: Any) -> Any:
        """Draws with matplotlib.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Of three dimensions for what is in space. Default: new ones.
        samples : int, optional
            Along each direction of each patch or cell.
        **style :
            Of ``plot``, ``plot_trisurf``, ``triplot`` or ``imshow``, whichever draws.

        Returns
        -------
        matplotlib Axes
        """
        return plotted(self, ax, samples, style)

    def to_pyvista(self, samples: int | None = None) -> Any:
        """What PyVista draws and filters.

        Parameters
        ----------
        samples : int, optional
            Along each direction of each patch or cell.

        Returns
        -------
        pyvista.PolyData, pyvista.UnstructuredGrid or pyvista.ImageData
            Lines of curves, triangles of surfaces, hexahedra of volumes and solids, with data on
            their points; samples of images.
        """
        return pyvista_of(self, samples)


# ---- what there is to draw ----


def _is_image(item):
    return hasattr(item, 'samples') and hasattr(item, 'size')


def _is_solid(item):
    return hasattr(item, 'refine_points')


def _samples(samples, given_for, low, high):
    """The number of samples along each of two directions for a mesh of about _MAX_FACES faces."""
    if samples is not None:
        return samples
    fitting = 1 + int((_MAX_FACES / 2 / max(given_for, 1)) ** 0.5)
    return min(max(fitting, low), high)


def _shown(item, samples):
    """Which patches a picture shows: all where the caller says how fine."""
    return slice(0, item.num_patches if samples is not None else
                 min(item.num_patches, _MAX_SHOWN))


class Shape:
    """Triangles or lines in space: points [number, 3], triangles [number, 3] or lines
    [number, points of each], normals at points, if known, and values of data, by name."""

    def __init__(self, points, triangles=None, lines=None, normals=None, data=None, flat=False):
        self.points, self.triangles, self.lines = points, triangles, lines
        self.normals, self.data, self.flat = normals, data or {}, flat


def shape_of(item, samples=None):
    """The `Shape` of curves, surfaces, the boundary of volumes and solids."""
    if _is_solid(item):
        return _boundary_of_solid(item, samples)
    if item.directions == 1:
        return _curves(item, samples)
    return _surfaces(item, samples) if item.directions == 2 else _boundary_of_volumes(item, samples)


def _in_space(points):
    """(points [number, 3], whether they are in the plane) of points with any coordinates."""
    points = np.asarray(points, float)[:, :3]
    missing = 3 - points.shape[1]
    return (np.pad(points, ((0, 0), (0, missing))) if missing else points), missing > 0


def _curves(item, samples):
    shown = _shown(item, samples)
    num = samples or min(max(_MAX_FACES // max(shown.stop, 1), 16), 200)
    grid = item.evaluate(num, ('params', 'point'), patches=shown)
    points = np.asarray(grid['point'], float).reshape(-1, grid['point'].shape[-1])
    if item.dim == 1:
        points = np.concatenate([grid['params'].reshape(-1, 1), points], axis=1)
    points, flat = _in_space(points)
    return Shape(points, lines=np.arange(len(points)).reshape(-1, num), flat=flat)


def _surfaces(item, samples):
    shown = _shown(item, samples)
    num = _samples(samples, shown.stop, 3, 40)
    names = 'point', {3: 'normal', 1: 'params'}.get(item.dim, 'weight')
    vertices, faces = item.mesh(num, names, patches=shown)
    points, normals = np.asarray(vertices['point'], float), None
    if item.dim == 3:
        normals = np.asarray(vertices['normal'], float)
    if item.dim == 1:
        points = np.concatenate([vertices['params'], points], axis=1)
    points, flat = _in_space(points)
    return Shape(points, faces.astype(np.int64), normals=normals, flat=flat)


def _boundary_of_volumes(item, samples):
    """The six sides of each volume."""
    shown = _shown(item, samples)
    num = _samples(samples, 6 * shown.stop, 3, 24)
    grid = item.evaluate(num, patches=shown)
    sides = [side for axis in (1, 2, 3) for side in
             (grid.take(0, axis=axis), grid.take(-1, axis=axis))]
    points, flat = _in_space(np.concatenate(sides).reshape(-1, grid.shape[-1]))
    at = np.arange(len(points)).reshape(-1, num, num)
    quads = np.stack([at[:, :-1, :-1], at[:, 1:, :-1], at[:, 1:, 1:], at[:, :-1, 1:]], axis=-1)
    return Shape(points, quads.reshape(-1, 4)[:, [0, 1, 2, 0, 2, 3]].reshape(-1, 3), flat=flat)


def _boundary_of_solid(item, samples):
    item = item.refine(None)
    num = _samples(samples, max(item.num_cells ** (2 / 3) * 6, 1), 2, 17)
    vertices, faces = item.mesh(num)
    points, flat = _in_space(vertices)
    return Shape(points, faces.astype(np.int64), flat=flat, data=data_of(item, vertices))


def data_of(item, points):
    """{name: values [number] or [number, several]} of coordinates that are data."""
    fields = item.fields or ({'data': slice(3, item.dim)} if item.dim > 3 else {})
    return {name: points[:, at].squeeze(1) if at.stop - at.start == 1 else points[:, at]
            for name, at in fields.items()}


# ---- drawing with NumPy ----


def picture_of(item, size, view):
    """(an image [height, width, 4] of bytes, whether all is drawn)."""
    width, height = pair(size, 'size', int)
    if not (1 <= width <= 8192 and 1 <= height <= 8192):
        raise ArgumentError(f'size: {width} x {height} pixels')
    if _is_image(item):
        return _sample_picture(item, width, height), True
    shape = shape_of(item)
    canvas = _Canvas(width, height)
    if shape.triangles is None:
        control = _control_polygons(item, shape)
        seen = _seen(np.concatenate([shape.points] + control), shape.flat, view)
        seen = canvas.fit(seen)
        at = len(shape.points)
        for polygon in control:
            canvas.lines(seen[None, at:at + len(polygon)], _CONTROL, 1)
            at += len(polygon)
        canvas.lines(seen[shape.lines], _INK, 2)
    else:
        _draw_triangles(canvas, shape, view)
    return canvas.image(), canvas.whole and (_is_solid(item) or item.num_patches <= _MAX_SHOWN)


def _control_polygons(item, shape):
    if item.num_patches > 4 or item.dim == 1:
        return []
    control = np.asarray(item.control, float).reshape((item.num_patches,) + item.control.shape[-2:])
    if item.rational:
        control = control[..., :-1] / control[..., -1:]
    return [_in_space(polygon)[0] for polygon in control]


def _axes_of(view):
    """The directions to the right, up and to the viewer, as columns."""
    azimuth, elevation, up = view
    turns = choice(up, {'z': 0, 'x': 1, 'y': 2}, 'up')
    around, above = (np.radians(real(angle, name)) for name, angle in
                     (('azimuth', azimuth), ('elevation', elevation)))
    to_viewer = np.array([np.cos(around) * np.cos(above), np.sin(around) * np.cos(above),
                          np.sin(above)])
    right = np.array([-np.sin(around), np.cos(around), 0])
    axes = np.stack([right, np.cross(to_viewer, right), to_viewer], axis=1)
    return np.roll(axes, turns, axis=0)


def _seen(points, flat, view):
    return points if flat else points @ _axes_of(view)


def _draw_triangles(canvas, shape, view):
    seen = canvas.fit(_seen(shape.points, shape.flat, view))
    corners = shape.points[shape.triangles]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals = _corner_normals(shape, normal)
    if not shape.flat:
        normals = normals @ _axes_of(view)
    values = next(iter(shape.data.values()), None)
    paper = np.broadcast_to(_PAPER, (len(shape.points), 3))
    if values is not None:
        paper = _colours(values)
    canvas.triangles(seen, shape.triangles, normals, paper)


def _corner_normals(shape, faces):
    """The normal at each corner of each triangle, [number, 3, 3]: given ones, else the mean of the
    faces around a point, and where the surface has an edge the face's own."""
    if shape.normals is not None:
        corners = shape.normals[shape.triangles]
        away = np.einsum('ijk,ik->ij', corners, faces) < 0  # as beside edges that are nearly points
        return np.where(away[..., None], -corners, corners)
    own = faces / np.maximum(np.linalg.norm(faces, axis=1, keepdims=True), 1e-300)
    around = np.stack([np.bincount(shape.triangles.ravel(), np.repeat(faces[:, axis], 3),
                                   len(shape.points)) for axis in range(3)], axis=1)
    around /= np.maximum(np.linalg.norm(around, axis=1, keepdims=True), 1e-300)
    corners = around[shape.triangles]
    turned = np.abs(np.einsum('ijk,ik->ij', corners, own)) < 0.8
    return np.where(turned[..., None], own[:, None], corners)


def _colours(values):
    values = np.asarray(values, float)
    if values.ndim > 1:
        values = np.linalg.norm(values, axis=1)
    finite = values[np.isfinite(values)]
    low, high = (finite.min(), finite.max()) if finite.size else (0, 1)
    t = np.nan_to_num((values - low) / (high - low if high > low else 1)) * (len(_SCALE) - 1)
    first = np.clip(t.astype(int), 0, len(_SCALE) - 2)
    return _SCALE[first] + (t - first)[:, None] * (_SCALE[first + 1] - _SCALE[first])


class _Canvas:
    """Pixels, _FINE x _FINE samples each, that lines and triangles are drawn on."""

    def __init__(self, width, height):
        self.width, self.height = width * _FINE, height * _FINE
        self.colour = np.zeros((self.height * self.width, 3))
        self.covered = np.zeros(self.height * self.width)
        self.whole = True

    def fit(self, points):
        """Points as samples' coordinates, with y down; the third stays."""
        finite = points[np.isfinite(points).all(axis=1)]
        if not len(finite):
            return np.full(points.shape, np.nan)
        low, high = finite[:, :2].min(axis=0), finite[:, :2].max(axis=0)
        room = np.array([self.width, self.height]) * 0.92
        extent = high - low
        scales = room[extent > 0] / extent[extent > 0]
        scale = scales.min() if scales.size else 1.0
        placed = (points[:, :2] - (low + high) / 2) * [scale, -scale]
        return np.column_stack([placed + [self.width / 2, self.height / 2], points[:, 2] * scale])

    def lines(self, lines, colour, radius):
        """Draws lines [number, points, 3] over what is there."""
        first, step = lines[:, :-1, :2].reshape(-1, 2), np.diff(lines[..., :2], axis=1)
        step = step.reshape(-1, 2)
        there = np.isfinite(first).all(axis=1) & np.isfinite(step).all(axis=1)
        first, step = first[there], step[there]
        counts = np.maximum(np.ceil(2 * np.abs(step).max(axis=1, initial=0)), 1).astype(np.int64)
        of = np.repeat(np.arange(len(first)), counts)
        t = (np.arange(of.size) - np.repeat(np.cumsum(counts) - counts, counts)) / counts[of]
        points = first[of] + t[:, None] * step[of]
        for dy in range(-radius, radius + 1):
            for dx in range(-radius, radius + 1):
                if dx * dx + dy * dy <= radius * radius:
                    self._dots(points + [dx, dy], colour)

    def _dots(self, points, colour):
        x, y = np.floor(points).astype(np.int64).T
        inside = (x >= 0) & (x < self.width) & (y >= 0) & (y < self.height)
        at = y[inside] * self.width + x[inside]
        self.colour[at], self.covered[at] = colour, 1

    def triangles(self, seen, triangles, normals, paper):
        """Draws triangles, the nearest one in front."""
        pixels, of, depth, weights = self._fragments(seen[triangles])
        front = np.argsort(depth)
        owner = np.full(len(self.covered), -1)
        owner[pixels[front]] = front  # the last one that is written stays: the nearest
        at = np.flatnonzero(owner >= 0)
        second, third = (weight[owner[at], None] for weight in weights)
        of = of[owner[at]]

        def between(corners):
            return corners[of, 0] * (1 - second - third) + corners[of, 1] * second + \
                corners[of, 2] * third
        colour = between(paper[triangles])
        self.colour[at], self.covered[at] = _shaded(between(normals), colour), 1

    def _fragments(self, corners):
        """The samples that triangles [number, 3, 3] cover: (sample, triangle, depth, weights of the
        second and third corner) of each."""
        edges = corners[:, 1:, :2] - corners[:, :1, :2]
        area = edges[:, 0, 0] * edges[:, 1, 1] - edges[:, 0, 1] * edges[:, 1, 0]
        with np.errstate(invalid='ignore'):
            usable = np.isfinite(area) & (np.abs(area) > 1e-12)
        area[~usable] = 1
        low, extent, counts = self._boxes(corners, usable)
        planes = _planes(edges, area, low + 0.5 - corners[:, 0, :2])
        pieces = [self._covered(planes, low, extent, counts, part)
                  for part in _parts(counts, 1 << 18) or [slice(0, 0)]]
        pixels, of, *weights = (np.concatenate(piece) for piece in zip(*pieces))
        depth = corners[:, :, 2].astype(np.float32)
        depth = depth[of, 0] + weights[0] * (depth[:, 1] - depth[:, 0])[of] + \
            weights[1] * (depth[:, 2] - depth[:, 0])[of]
        return pixels, of, depth, weights

    def _boxes(self, corners, usable):
        """The boxes of samples around triangles: the column and row of the first sample, how many
        columns and rows, and how many samples, 0 of those that are left out."""
        low = np.ceil(np.where(usable[:, None], corners[..., :2].min(axis=1), 0) - 0.5)
        high = np.floor(np.where(usable[:, None], corners[..., :2].max(axis=1), -1) - 0.5)
        low = np.maximum(low, 0).astype(np.int32)
        high = np.minimum(high, [self.width - 1, self.height - 1]).astype(np.int32)
        extent = np.maximum(high - low + 1, 0)
        counts = extent[:, 0].astype(np.int64) * extent[:, 1]
        left_out = np.cumsum(counts) > max(_MAX_TRIED, 4 * len(self.covered))
        counts[left_out] = 0
        self.whole = not left_out.any()
        return low, extent, counts

    def _covered(self, planes, low, extent, counts, part):
        """Samples of boxes that are within their triangles: (sample, triangle, the weights of its
        second and third corner). planes: how weights go along rows and columns of a box."""
        counts = counts[part]
        of = np.repeat(np.arange(part.start, part.stop, dtype=np.int32), counts)
        starts = np.cumsum(counts) - counts
        y, x = np.divmod(np.arange(of.size, dtype=np.int32)
                         - np.repeat(starts.astype(np.int32), counts), extent[of, 0])
        second, third, along, down, along_third, down_third = (column[of] for column in planes.T)
        second += along * x + down * y
        third += along_third * x + down_third * y
        inside = (second >= -1e-5) & (third >= -1e-5) & (second + third <= 1 + 1e-5)
        of = of[inside]
        pixels = (low[of, 1] + y[inside]) * self.width + low[of, 0] + x[inside]
        return pixels, of, second[inside], third[inside]

    def image(self):
        shape = (self.height // _FINE, _FINE, self.width // _FINE, _FINE)
        covered = self.covered.reshape(shape).mean(axis=(1, 3))
        colour = (self.colour * self.covered[:, None]).reshape(shape + (3,)).mean(axis=(1, 3))
        colour /= np.maximum(covered, 1e-9)[..., None]
        return np.round(255 * np.clip(np.dstack([colour, covered]), 0, 1)).astype(np.uint8)


def _planes(edges, area, begin):
    """The weights of the second and third corner at a place `begin` of each triangle, and how they
    rise along x and y: (second, third, second's along x and y, third's)."""
    rise = np.stack([edges[:, 1, 1], -edges[:, 1, 0], -edges[:, 0, 1], edges[:, 0, 0]], axis=1)
    rise /= area[:, None]
    first = np.einsum('ijk,ik->ij', rise.reshape(-1, 2, 2), begin)
    return np.concatenate([first, rise], axis=1).astype(np.float32)


def _parts(counts, most):
    """Slices of consecutive items with about so many of what is counted together."""
    ends, start, parts = np.cumsum(counts), 0, []
    while start < len(counts):
        before = ends[start - 1] if start else 0
        stop = max(int(np.searchsorted(ends, before + most, 'right')), start + 1)
        parts.append(slice(start, stop))
        start = stop
    return parts


def _shaded(normal, colour):
    """Colours of light from above the viewer's left, on both sides of a surface."""
    length = np.linalg.norm(normal, axis=1, keepdims=True)
    normal = normal / np.maximum(length, 1e-300)
    normal = np.where(normal[:, 2:] < 0, -normal, normal)
    light = np.array([-0.36, 0.48, 0.80])
    half = (light + [0, 0, 1]) / np.linalg.norm(light + [0, 0, 1])
    diffuse = np.maximum(normal @ light, 0)[:, None]
    shine = np.maximum(normal @ half, 0)[:, None] ** 40
    return np.clip(colour * (0.30 + 0.68 * diffuse) + 0.30 * shine, 0, 1)


def _samples_of(image):
    samples = image.samples
    return np.asarray(samples.get() if hasattr(samples, 'base_data') else samples)


def _plane_of(image):
    """Samples [rows, columns] or [rows, columns, channels] of the first image, of volumes the slice
    in the middle."""
    samples = _samples_of(image)
    samples = samples.reshape((-1,) + samples.shape[len(image.batch):])[0]
    if samples.ndim > image.directions and samples.shape[:image.directions] != tuple(image.size):
        samples = np.moveaxis(samples, 0, -1)
    if image.directions == 3:
        samples = samples[samples.shape[0] // 2]
    return samples[None] if image.directions == 1 else samples


def _sample_picture(image, width, height):
    plane = np.asarray(_plane_of(image), float)
    finite = plane[np.isfinite(plane)]
    low, high = (finite.min(), finite.max()) if finite.size else (0, 1)
    if image.dtype == np.uint8:
        low, high = 0, 255
    plane = np.nan_to_num((plane - low) / (high - low if high > low else 1))
    scale = min(width / plane.shape[1], height / plane.shape[0])
    rows, columns = (max(1, int(num * scale)) for num in plane.shape[:2])
    small = _resized(_resized(plane, rows, 0), columns, 1)
    if small.ndim == 2 or small.shape[2] not in (3, 4):
        small = np.repeat((small if small.ndim == 2 else small[..., 0])[..., None], 3, axis=2)
    alpha = np.ones(small.shape[:2]) if small.shape[2] == 3 else small[..., 3]
    return np.round(255 * np.clip(np.dstack([small[..., :3], alpha]), 0, 1)).astype(np.uint8)


def _resized(plane, num, axis):
    """Fewer rows by means of several, more by repeating them."""
    have = plane.shape[axis]
    if num >= have:
        return plane.take(np.arange(num) * have // num, axis=axis)
    starts = np.arange(num) * have // num
    counts = np.diff(np.append(starts, have))
    sums = np.add.reduceat(plane, starts, axis=axis)
    return sums / counts.reshape([-1 if at == axis else 1 for at in range(plane.ndim)])


def png_of(image):
    """A PNG file of an image [height, width, 4] of bytes."""
    height, width = image.shape[:2]
    rows = np.zeros((height, 1 + 4 * width), np.uint8)
    rows[:, 1:] = image.reshape(height, -1)

    def chunk(kind, data):
        return struct.pack('>I', len(data)) + kind + data + \
            struct.pack('>I', zlib.crc32(kind + data))
    return (b'\x89PNG\r\n\x1a\n'
            + chunk(b'IHDR', struct.pack('>IIBBBBB', width, height, 8, 6, 0, 0, 0))
            + chunk(b'IDAT', zlib.compress(rows.tobytes(), 6)) + chunk(b'IEND', b''))


# ---- notebooks ----


def as_html(item):
    """The picture with some lines about the object, for a notebook; without one where it cannot be
    evaluated."""
    try:
        image, whole = picture_of(item, (360, 270), (-60.0, 25.0, 'z'))
        source = base64.b64encode(png_of(image)).decode()
        picture = f'<img alt="" src="data:image/png;base64,{source}">'
        picture += '' if whole else '<br><em>The first ones; all are too many.</em>'
    except (Error, ValueError) as error:
        picture = f'<em>{html.escape(str(error))}</em>'
    rows = ''.join(f'<tr><td style="text-align:left">{name}</td>'
                   f'<td style="text-align:left">{html.escape(str(value))}</td></tr>'
                   for name, value in _facts(item))
    return (f'<div><strong>{html.escape(repr(item).strip("<>"))}</strong><br>{picture}'
            f'<table>{rows}</table></div>')


def _facts(item):
    facts = []
    if _is_image(item):
        facts.append(('size', ' x '.join(map(str, item.size))))
    else:
        box = _box(item)
        if box:
            facts.append(('control points within', box))
    return facts + [('device', item.context.device.name)]


def _box(item):
    points = np.asarray(item.control, float).reshape(-1, item.control.shape[-1])
    if item.rational:
        points = points[:, :-1] / points[:, -1:]
    points = points[:, :3]
    if not len(points):
        return ''
    return ' x '.join(f'[{low:.4g}, {high:.4g}]'
                      for low, high in zip(points.min(axis=0), points.max(axis=0)))


# ---- matplotlib and PyVista ----


def plotted(item, ax, samples, style):
    if _is_image(item):
        ax = _axes(ax, True)
        ax.imshow(_plane_of(item), **style)
        return ax
    shape = shape_of(item, samples)
    ax = _axes(ax, shape.flat)
    columns = shape.points.T[:2 if shape.flat else 3]
    if shape.triangles is None:
        for line in shape.lines:
            ax.plot(*(column[line] for column in columns), **style)
    elif shape.flat:
        ax.triplot(*columns, shape.triangles, **style)
    else:
        ax.plot_trisurf(*columns, triangles=shape.triangles, **style)
    if not shape.flat:
        ax.set_box_aspect(np.maximum(np.ptp(shape.points, axis=0), 1e-9))
    elif item.dim > 1:
        ax.set_aspect('equal')
    return ax


def _axes(ax, flat):
    if ax is None:
        from matplotlib import pyplot
        return pyplot.figure().add_subplot(projection=None if flat else '3d')
    if not flat and not hasattr(ax, 'plot_trisurf'):
        raise ArgumentError("ax: of three dimensions, as add_subplot(projection='3d') gives")
    return ax


def pyvista_of(item, samples):
    import pyvista
    if _is_image(item):
        return _image_data(pyvista, item)
    if item.directions == 3:
        return _hexahedra(pyvista, item, samples)
    shape = shape_of(item, samples)
    if shape.triangles is not None:
        mesh = pyvista.PolyData.from_regular_faces(shape.points, shape.triangles)
    else:
        count = np.full((len(shape.lines), 1), shape.lines.shape[1])
        mesh = pyvista.PolyData(shape.points, lines=np.hstack([count, shape.lines]).ravel())
    if shape.normals is not None:
        mesh.point_data['Normals'] = shape.normals
    return mesh


def _hexahedra(pyvista, item, samples):
    from ._solid import lattice_cells
    item = item.refine(None) if _is_solid(item) else item
    grid = item.evaluate(samples or 4)
    grid = grid.reshape((-1,) + grid.shape[-4:])
    cells, points = lattice_cells(grid.shape[:-1]), grid.reshape(-1, grid.shape[-1])
    mesh = pyvista.UnstructuredGrid({pyvista.CellType.HEXAHEDRON: cells}, _in_space(points)[0])
    for name, values in (data_of(item, points) if _is_solid(item) else {}).items():
        mesh.point_data[name] = values
    return mesh


def _image_data(pyvista, image):
    samples = _samples_of(image)
    if samples.shape != tuple(image.size):
        raise ArgumentError('to_pyvista: of one image, without channels')
    mesh = pyvista.ImageData(dimensions=(samples.shape[::-1] + (1, 1))[:3])
    mesh.point_data['samples'] = samples.ravel()
    return mesh
