"""Cells of solids: what callers and meshio give, as the library takes it."""
import numpy as np

from . import _memory as memory
from ._errors import (ArgumentError, ArgumentIndexError, ArgumentKeyError,
                      ArgumentTypeError)
from ._native import lib

# kind: (VTK's number, vertices of a cell, its faces by places of vertices, outward)
_TETRAHEDRON = ((0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3))
_WEDGE = ((0, 1, 2), (3, 5, 4), (0, 3, 4, 1), (1, 4, 5, 2), (2, 5, 3, 0))
HEXAHEDRON_FACES = ((0, 4, 7, 3), (1, 2, 6, 5), (0, 1, 5, 4), (3, 7, 6, 2), (0, 3, 2, 1),
                    (4, 5, 6, 7))
_KINDS = {
    'hexahedron': (lib.CLSP_SOLID_HEXAHEDRON, 8, HEXAHEDRON_FACES),
    'tetra': (lib.CLSP_SOLID_TETRAHEDRON, 4, _TETRAHEDRON),
    'wedge': (lib.CLSP_SOLID_WEDGE, 6, _WEDGE),
    'pyramid': (lib.CLSP_SOLID_PYRAMID, 5, ()),
}
_ALIKE = {'tetrahedron': 'tetra', 'hexahedra': 'hexahedron'}
_MAX_FACES = 256  # of a polyhedron
_POLYHEDRON = lib.CLSP_SOLID_POLYHEDRON
_BY_NUMBER = {number: (size, faces) for number, size, faces in _KINDS.values()}


def _number_of(kind):
    if isinstance(kind, str):
        if kind.startswith('polyhedron'):
            return _POLYHEDRON
        found = _KINDS.get(_ALIKE.get(kind, kind))
        if found is None:
            raise ArgumentError(f'kinds: {kind!r} is none of {", ".join(_KINDS)}, polyhedron')
        return found[0]
    return _known(memory.whole(kind, 'kinds'))


def _known(number):
    if number != _POLYHEDRON and number not in _BY_NUMBER:
        raise ArgumentError(f'kinds: {number} is no kind of cells')
    return number


def _numbers_of(kinds):
    """The kinds of cells, each by its name or number, as uint8."""
    if isinstance(kinds, np.ndarray) and kinds.dtype.kind in 'iu':
        for number in np.unique(kinds):
            _known(int(number))
        return np.ascontiguousarray(kinds.ravel(), np.uint8)
    return np.array([_number_of(kind) for kind in kinds], np.uint8)


class Cells:
    """Cells of any kinds. kinds: uint8 [num], or None of hexahedra alone; index: uint32, the
    vertices of all of them one after another, of polyhedra as in VTK's streams of faces."""

    def __init__(self, kinds, index, num):
        self.kinds, self.index, self.num = kinds, index, num

    def faces(self):
        """The faces of all cells, each as an array of vertices, by their numbers of vertices:
        a list of arrays [num, 3], [num, 4] and so on."""
        found = {}
        if self.kinds is None:
            blocks, polyhedra = [(lib.CLSP_SOLID_HEXAHEDRON, self.index.reshape(-1, 8))], []
        else:
            blocks, polyhedra = self._blocks()
        for number, cells in blocks:
            for face in _BY_NUMBER[number][1]:
                found.setdefault(len(face), []).append(cells[:, face])
        for stream in polyhedra:
            for face in _stream_faces(stream):
                found.setdefault(len(face), []).append(face[None])
        return [np.concatenate(arrays) for _, arrays in sorted(found.items())]

    def largest(self):
        """The largest vertex, -1 of none."""
        return int(self.index[self._places()].astype(np.int64).max(initial=-1))

    def used(self, num):
        """(the vertices, of num, that there are in cells; the cells with these alone)."""
        where = self._places()
        if where.any() and self.index[where].max() >= num:
            raise ArgumentIndexError(f'cells: vertex {self.index[where].max()}, of {num}')
        found = np.unique(self.index[where])
        index = self.index.copy()
        index[where] = np.searchsorted(found, index[where])
        return found, Cells(self.kinds, index, self.num)

    def _places(self):
        """Which numbers of the index are vertices: of polyhedra some are counts."""
        where = np.ones(self.index.size, bool)
        if self.kinds is None:
            return where
        for start in self._starts()[0][self.kinds == _POLYHEDRON]:
            where[start] = False
            position = start + 1
            for face in _stream_faces(self.index[start:]):
                where[position] = False
                position += 1 + len(face)
        return where

    def _blocks(self):
        """([(kind's number, its cells [num, vertices])], [the stream of each polyhedron])."""
        blocks, polyhedra, starts = [], [], self._starts()[0]
        for number, (size, _) in _BY_NUMBER.items():
            first = starts[self.kinds == number]
            if first.size:
                blocks.append((number, self.index[first[:, None] + np.arange(size)]))
        for at in np.flatnonzero(self.kinds == _POLYHEDRON):
            polyhedra.append(self.index[starts[at]:])
        return blocks, polyhedra

    def _starts(self):
        """(where each cell begins in the index, where the last one ends)."""
        sizes = np.zeros(256, np.int64)
        for number, (size, _) in _BY_NUMBER.items():
            sizes[number] = size
        sizes = sizes[self.kinds]
        if not (self.kinds == _POLYHEDRON).any():
            ends = np.cumsum(sizes)
            return ends - sizes, int(ends[-1])
        starts, position = np.empty(self.num, np.int64), 0
        for at, size in enumerate(sizes):
            starts[at] = position
            position += size or 1 + sum(1 + len(face)
                                        for face in _stream_faces(self.index[position:]))
        return starts, int(position)


def _stream_faces(stream):
    """The faces of the polyhedron at whose number of faces a stream begins."""
    faces, position = [], 1
    num_faces = int(stream[0]) if stream.size else 0
    if num_faces > _MAX_FACES:
        raise ArgumentError(f'cells: a polyhedron of {num_faces} faces, of at most {_MAX_FACES}')
    for _ in range(num_faces):
        num = int(stream[position]) if position < stream.size else 0
        if num > stream.size - position - 1:
            raise ArgumentError('cells: end within a polyhedron')
        faces.append(stream[position + 1:position + 1 + num])
        position += 1 + num
    return faces


def vertices(values, name='cells'):
    """Whole numbers from 0 on, as uint32."""
    array = memory.numbers(values, name)
    if array.dtype.kind not in 'iu' and array.size:
        raise ArgumentTypeError(f'{name}: whole numbers are wanted, not {array.dtype}')
    if array.size and (array.min() < 0 or array.max() >= 2 ** 32):
        raise ArgumentIndexError(f'{name}: {array.min()} to {array.max()}')
    return np.asarray(array, np.uint32, order='C')


def _block(number, data):
    """(kinds, index) of cells of one kind."""
    if number == _POLYHEDRON:
        streams = []
        for cell in data:
            faces = [vertices(face).ravel() for face in cell]
            streams.append(np.array([len(faces)], np.uint32))
            for face in faces:
                streams += [np.array([face.size], np.uint32), face]
        index = np.concatenate(streams) if streams else np.empty(0, np.uint32)
        return np.full(len(data), number, np.uint8), index
    cells = vertices(data)
    size = _BY_NUMBER[number][0]
    if cells.ndim != 2 or cells.shape[1] != size:
        raise ArgumentError(f'cells: shape (number, {size}) is wanted, not {cells.shape}')
    return np.full(len(cells), number, np.uint8), cells.ravel()


def _is_blocks(cells):
    return isinstance(cells, (list, tuple)) and len(cells) and all(
        isinstance(block, tuple) and len(block) == 2 and isinstance(block[0], str) or
        hasattr(block, 'type') and hasattr(block, 'data') for block in cells)


def cells_of(cells, kinds=None):
    """The `Cells` of the arguments of `Solid`."""
    if kinds is None and _is_blocks(cells):
        pairs = [block if isinstance(block, tuple) else (block.type, block.data)
                 for block in cells]
        made = [_block(_number_of(kind), data) for kind, data in pairs]
    elif kinds is None or isinstance(kinds, str):
        made = [_block(_number_of('hexahedron' if kinds is None else kinds), cells)]
    else:
        index = vertices(cells)
        if index.ndim != 1:
            raise ArgumentError('cells: with a list of kinds, the vertices of all of them in one '
                                'row')
        made = [(_numbers_of(kinds), index)]
    numbers = np.concatenate([each[0] for each in made])
    index = np.concatenate([each[1] for each in made])
    alone = (numbers == lib.CLSP_SOLID_HEXAHEDRON).all()
    found = Cells(numbers, index, len(numbers))
    wanted = found._starts()[1] if len(numbers) else index.size
    if wanted != index.size:
        raise ArgumentError(f'cells: {index.size} numbers, of {wanted} that such cells have')
    return Cells(None, index, len(numbers)) if alone else found


def edges_of(faces):
    """The edges [num, 2] of faces [num, vertices], in the order of their vertices."""
    return np.stack([faces, np.roll(faces, -1, axis=1)], axis=2).reshape(-1, 2)


def boundary_of(faces):
    """Which of faces [num, vertices], all of the same number of vertices, no other of them has:
    a mask."""
    if not len(faces):
        return np.zeros(0, bool)
    _, inverse, count = np.unique(np.sort(faces, axis=1), axis=0, return_inverse=True,
                                  return_counts=True)
    return count[inverse.ravel()] == 1


def boundary_edges(cells):
    """The edges of the boundary [num, 2], each once, with the smaller vertex first."""
    edges = [np.empty((0, 2), np.uint32)]
    edges += [edges_of(faces[boundary_of(faces)]) for faces in cells.faces()]
    return np.unique(np.sort(np.concatenate(edges), axis=1), axis=0)


def sharp_edges(cells, points, degrees):
    """The edges of the boundary [num, 2] at which it bends by more than an angle."""
    edges, normals = [np.empty((0, 2), np.uint32)], [np.empty((0, 3))]
    for faces in cells.faces():
        faces = faces[boundary_of(faces)]
        corners = points[faces]
        normal = np.cross(corners, np.roll(corners, -1, axis=1)).sum(axis=1)
        edges.append(edges_of(faces))
        normals.append(np.repeat(normal, faces.shape[1], axis=0))
    edges, normals = np.concatenate(edges), np.concatenate(normals)
    ends = np.sort(edges, axis=1)
    order = np.lexsort(ends.T)
    pairs = order[np.flatnonzero((ends[order][:-1] == ends[order][1:]).all(axis=1))[:, None]
                  + np.arange(2)]
    one, other = normals[pairs[:, 0]], normals[pairs[:, 1]]
    alike = edges[pairs[:, 0], 0] == edges[pairs[:, 1], 1]  # faces that are turned alike
    cosine = np.einsum('ij,ij->i', one, other) * np.where(alike, 1, -1)
    lengths = np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1)
    return ends[pairs[cosine < np.cos(np.radians(degrees)) * lengths, 0]]


def of_mesh(mesh, data):
    """What of a meshio.Mesh makes a solid: (points [num, dim], `Cells`, lines [num, 2] that are
    edges of its boundary, {name: slice of coordinates})."""
    kinds = [block for block in mesh.cells
             if block.type in _KINDS or block.type.startswith('polyhedron')]
    if not kinds:
        raise ArgumentError(f'mesh: no solid cells, but {sorted({b.type for b in mesh.cells})}')
    cells = cells_of(kinds)
    points = memory.numbers(mesh.points, 'mesh')
    if points.ndim != 2 or points.shape[1] != 3:
        raise ArgumentError(f'mesh: points of shape {points.shape}')
    columns, fields = [points], {}
    for name in data:
        if name not in mesh.point_data:
            raise ArgumentKeyError(f'data: {name!r} is none of {sorted(mesh.point_data)}')
        column = memory.numbers(mesh.point_data[name], name).reshape(len(points), -1)
        first = sum(each.shape[1] for each in columns)
        fields[name] = slice(first, first + column.shape[1])
        columns.append(column)
    used, cells = cells.used(len(points))
    lines = [edges_of_lines(block) for block in mesh.cells if block.type.startswith('line')]
    lines = _boundary_lines(cells, used, len(points), lines)
    return np.concatenate(columns, axis=1)[used], cells, lines, fields


def edges_of_lines(block):
    """The two ends of each line, of curved ones too."""
    return np.asarray(block.data, np.int64)[:, :2]


def _boundary_lines(cells, used, num, lines):
    if not lines:
        return np.empty((0, 2), np.uint32)
    new = np.full(num, -1, np.int64)
    new[used] = np.arange(used.size)
    ends = np.sort(new[np.concatenate(lines)], axis=1)
    edges = boundary_edges(cells).astype(np.int64)
    size = used.size + 1
    keys = ends[:, 0] * size + ends[:, 1]
    there = np.isin(keys, edges[:, 0] * size + edges[:, 1]) & (ends[:, 0] >= 0)
    return np.unique(ends[there], axis=0).astype(np.uint32)
