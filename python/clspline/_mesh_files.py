"""Files of meshes, by meshio, and VTKHDF by h5py."""
import typing

import numpy as np

from ._bezier import Bezier
from ._errors import ArgumentError, ArgumentTypeError
from ._files import need
from ._solid import Solid, lattice_cells
from ._splines import Splines

_SAMPLES = 16
# VTK's numbers of cells
_NUMBERS = {'vertex': 1, 'line': 3, 'triangle': 5, 'quad': 9, 'tetra': 10, 'hexahedron': 12,
            'wedge': 13, 'pyramid': 14}
_SOLID = ('tetra', 'hexahedron', 'wedge', 'pyramid')
# cells that are splines of degree 1: the form, and the places of their control points
_FLAT = {'quad': ('surface', [[0, 3], [1, 2]]), 'triangle': ('triangle', [0, 1, 2]),
         'line': ('curve', [0, 1])}


class _Block(typing.NamedTuple):
    type: str
    data: typing.Any


class _Mesh(typing.NamedTuple):
    """What of a meshio.Mesh is used."""
    points: typing.Any
    cells: list
    point_data: dict
    cell_data: dict


# ---- reading ----


def _splines_of(mesh, path, options):
    """The library's object of a mesh."""
    kinds, data = [block.type for block in mesh.cells], options.pop('data', None)
    if any(kind in _SOLID or kind.startswith('polyhedron') for kind in kinds):
        names = [name for name, values in mesh.point_data.items()
                 if np.asarray(values).dtype.kind in 'fiub'] if data is None else data
        return Solid.from_meshio(mesh, names, **options)
    kind = next((kind for kind in _FLAT if kind in kinds), None)
    if kind is None:
        raise ArgumentError(f'{path}: none of {", ".join(_SOLID + tuple(_FLAT))}, but '
                            f'{", ".join(sorted(set(kinds))) or "no cells"}')
    if kind == 'quad' and 'triangle' in kinds:
        raise ArgumentError(f'{path}: quadrilaterals and triangles are of two forms')
    form, places = _FLAT[kind]
    cells = np.concatenate([block.data for block in mesh.cells if block.type == kind])
    return Bezier(np.asarray(mesh.points)[cells[:, places]], form, **options)


def read_meshio(path, options):
    """Whatever meshio knows. It ends the process where it cannot read a file."""
    meshio = need('meshio', path)
    try:
        mesh = meshio.read(path)
    except SystemExit as error:
        raise ArgumentError(f'{path}: meshio cannot read it') from error
    except meshio.ReadError as error:
        raise ArgumentError(f'{path}: no format that is read: {error}') from error
    return _splines_of(mesh, path, options)


def read_vtkhdf(path, options):
    """VTKHDF: unstructured grids of one time, in any number of partitions."""
    with need('h5py', path).File(path, 'r') as file:
        grid = file.get('VTKHDF')
        kind = b'' if grid is None else grid.attrs.get('Type', b'')
        kind = kind.decode() if isinstance(kind, bytes) else str(kind)
        if kind != 'UnstructuredGrid':
            raise ArgumentError(f'{path}: VTKHDF of {kind or "no grid"}, of UnstructuredGrid')
        sizes = [grid['NumberOf' + name][:] for name in ('Points', 'Cells', 'ConnectivityIds')]
        blocks, first, cell, corner = [], 0, 0, 0
        for part, (num, cells, corners) in enumerate(zip(*sizes)):
            types = grid['Types'][cell:cell + cells]
            ends = grid['Offsets'][cell + part:cell + part + cells + 1]
            blocks += _blocks_of(types, ends, grid['Connectivity'][corner:corner + corners] + first)
            first, cell, corner = first + num, cell + cells, corner + corners
        data = {name: values[:first] for name, values in grid.get('PointData', {}).items()}
        return _splines_of(_Mesh(grid['Points'][:first], blocks, data, {}), path, options)


def _blocks_of(types, ends, corners):
    """Cells in a row of one type each, as meshio has them."""
    names = {number: name for name, number in _NUMBERS.items()}
    cuts = [0, *(np.flatnonzero(np.diff(types)) + 1).tolist(), len(types)]
    return [_Block(names.get(types[a], f'VTK type {types[a]}'),
                   corners[ends[a]:ends[b]].reshape(b - a, -1))
            for a, b in zip(cuts, cuts[1:]) if b > a]


# ---- writing ----


def _mesh_of(value, path, options):
    """A mesh of what is to be written."""
    samples = options.pop('samples', None)
    if isinstance(value, Solid):
        points, cells, point_data, cell_data = value._grid(samples)
        return _Mesh(points, [_Block('hexahedron', cells)], point_data, cell_data)
    if not isinstance(value, Splines):
        if all(hasattr(value, name) for name in _Mesh._fields):
            return value
        raise ArgumentTypeError(f'{path}: a Solid, Bezier, BSpline or meshio.Mesh is written, not '
                                f'{type(value).__name__}')
    if value.dim > 3:
        raise ArgumentError(f'{path}: points of {value.dim} coordinates, of up to 3')
    samples = _SAMPLES if samples is None else samples
    if value.directions == 2:
        points, cells = value.mesh(samples)
        block = _Block('triangle', cells)
    else:
        grid = value.evaluate(samples)
        points = grid.reshape(-1, value.dim)
        shape = (-1,) + grid.shape[-1 - value.directions:-1]
        at = np.arange(len(points)).reshape(shape)
        block = _Block('hexahedron', lattice_cells(at.shape)) if value.directions == 3 else \
            _Block('line', np.stack([at[:, :-1], at[:, 1:]], axis=-1).reshape(-1, 2))
    return _Mesh(np.pad(points, ((0, 0), (0, 3 - value.dim))), [block], {}, {})


def write_meshio(path, value, options):
    """Whatever meshio knows."""
    meshio = need('meshio', path)
    mesh = _mesh_of(value, path, options)
    try:
        meshio.Mesh(mesh.points, [(block.type, block.data) for block in mesh.cells],
                    point_data=mesh.point_data, cell_data=mesh.cell_data).write(path, **options)
    except meshio.WriteError as error:
        raise ArgumentError(f'{path}: {error}') from error
    except meshio.ReadError as error:  # what it raises of an ending that it does not know
        raise ArgumentError(f'{path}: no format that is written: {error}') from error


def write_vtkhdf(path, value, options):
    """VTKHDF 1.0, which all of its readers know."""
    h5py = need('h5py', path)
    mesh = _mesh_of(value, path, options)
    unknown = sorted({block.type for block in mesh.cells} - set(_NUMBERS))
    if unknown or options or not mesh.cells:
        what = ', '.join(unknown + sorted(options)) or 'a mesh without cells'
        raise ArgumentError(f'{path}: VTKHDF does not take {what}')
    sizes = [np.full(len(block.data), block.data.shape[1]) for block in mesh.cells]
    corners = np.concatenate([np.ravel(block.data) for block in mesh.cells])
    cell_data = {name: np.concatenate(blocks) for name, blocks in mesh.cell_data.items()}
    for name in (*mesh.point_data, *cell_data):
        if not name or name == '.' or '/' in name:
            raise ArgumentError(f'{path}: data cannot be named {name!r} in VTKHDF')
    with h5py.File(path, 'w', libver=('v108', 'v108')) as file:
        grid = file.create_group('VTKHDF')
        grid.attrs['Version'] = np.array([1, 0])
        grid.attrs.create('Type', b'UnstructuredGrid', dtype=h5py.string_dtype('ascii', 16))
        ends = np.concatenate([[0], np.cumsum(np.concatenate(sizes))])
        for name, values in {
                'NumberOfPoints': [len(mesh.points)], 'NumberOfCells': [len(ends) - 1],
                'NumberOfConnectivityIds': [len(corners)], 'Points': mesh.points,
                'Connectivity': corners.astype(np.int64), 'Offsets': ends,
                'Types': np.repeat([_NUMBERS[block.type] for block in mesh.cells],
                                   [len(each) for each in sizes]).astype(np.uint8),
                **{'PointData/' + name: values for name, values in mesh.point_data.items()},
                **{'CellData/' + name: values for name, values in cell_data.items()}}.items():
            grid.create_dataset(name, data=values)
