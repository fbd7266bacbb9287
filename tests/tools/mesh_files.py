"""Readers of the meshes that the command writes, and what there is to say of meshes."""
import json
import os
import struct

from command_fixture import DATA


def float32(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def control_points(name):
    """The patches of a tea set file, each as a list of 16 points."""
    with open(os.path.join(DATA, name + ".bv")) as file:
        numbers = [float(word) for word in file.read().split()]
    patches = []
    while numbers:
        assert numbers[:3] == [5, 3, 3]
        values, numbers = numbers[3:51], numbers[51:]
        patches.append([tuple(values[i:i + 3]) for i in range(0, 48, 3)])
    return patches


def read_obj(path):
    points, faces = [], []
    with open(path) as file:
        for line in file:
            words = line.split()
            if words[0] == "v":
                points.append(tuple(map(float, words[1:])))
            elif words[0] == "f":
                faces.append(tuple(int(word.split("/")[0]) - 1 for word in words[1:]))
    return points, faces


def read_normals(path):
    with open(path) as file:
        return [tuple(map(float, line.split()[1:])) for line in file if line.startswith("vn ")]


def read_lines(path):
    """The lines of curves in an OBJ file, each as the numbers of its vertices from 0."""
    with open(path, encoding="ascii") as file:
        return [[int(word) - 1 for word in line.split()[1:]] for line in file
                if line.startswith("l ")]


def read_ply(path):
    """Positions of vertices, and faces."""
    points, faces, _ = read_ply_data(path)
    return points, faces


def read_ply_data(path):
    """These, and the data of each vertex by their names: all properties but x, y, z."""
    with open(path, "rb") as file:
        head, body = file.read().split(b"end_header\n", 1)
    lines = head.decode().split("\n")
    counts = {line.split()[1]: int(line.split()[2]) for line in lines if line.startswith("element")}
    first = lines.index("property %s x" % ("float" if "property float x" in lines else "double"))
    last = next(i for i, line in enumerate(lines) if line.startswith("element face"))
    kinds, names = zip(*[line.split()[1:] for line in lines[first:last]])
    form = struct.Struct("<" + "".join({"float": "f", "double": "d", "uchar": "B"}[kind]
                                       for kind in kinds))
    size = form.size
    rows = [form.unpack_from(body, i * size) for i in range(counts["vertex"])]
    points = [row[:3] for row in rows]
    data = {name: [row[3 + i] for row in rows] for i, name in enumerate(names[3:])}
    faces, at = [], counts["vertex"] * size
    for _ in range(counts["face"]):
        corners = body[at]
        faces.append(struct.unpack_from("<%di" % corners, body, at + 1))
        at += 1 + 4 * corners
    assert at == len(body)
    return points, faces, data


def read_vtk(path):
    with open(path, "rb") as file:
        body = file.read()

    def section(word, at):
        start = body.index(word, at)
        end = body.index(b"\n", start)
        return body[start:end].decode().split(), end + 1

    words, at = section(b"POINTS", 0)
    real = {"float": "f", "double": "d"}[words[2]]
    values = struct.unpack_from(">%d%s" % (3 * int(words[1]), real), body, at)
    points = [values[i:i + 3] for i in range(0, len(values), 3)]
    words, at = section(b"CELLS", at + struct.calcsize(real) * len(values))
    numbers = struct.unpack_from(">%di" % int(words[2]), body, at)
    faces, at = [], 0
    while at < len(numbers):
        faces.append(numbers[at + 1:at + 1 + numbers[at]])
        at += 1 + numbers[at]
    return points, faces


def read_stl(path):
    """Triangles, each as its normal and three corners."""
    with open(path, "rb") as file:
        body = file.read()
    count, = struct.unpack_from("<I", body, 80)
    assert len(body) == 84 + 50 * count
    rows = [struct.unpack_from("<12fH", body, 84 + 50 * i) for i in range(count)]
    assert all(row[12] == 0 for row in rows)
    return [[row[i:i + 3] for i in (0, 3, 6, 9)] for row in rows]


def read_glb(path):
    """The accessors of the one primitive by their names, as lists of tuples, and its
    description."""
    with open(path, "rb") as file:
        body = file.read()
    magic, version, length, json_length, json_kind = struct.unpack_from("<4sIII4s", body, 0)
    assert (magic, version, length, json_kind) == (b"glTF", 2, len(body), b"JSON")
    assert json_length % 4 == 0
    tree = json.loads(body[20:20 + json_length])
    binary_length, binary_kind = struct.unpack_from("<I4s", body, 20 + json_length)
    assert binary_kind == b"BIN\0" and binary_length % 4 == 0
    assert 28 + json_length + binary_length == length
    assert tree["asset"]["version"] == "2.0" and tree["buffers"] == [{"byteLength": binary_length}]
    assert tree["scenes"][tree["scene"]]["nodes"] == [0] and tree["nodes"] == [{"mesh": 0}]
    binary = body[28 + json_length:]
    primitive, = tree["meshes"][0]["primitives"]
    found, used = {}, 0
    for name, index in list(primitive["attributes"].items()) + [("indices", primitive["indices"])]:
        accessor = tree["accessors"][index]
        view = tree["bufferViews"][accessor["bufferView"]]
        width = {"VEC3": 3, "VEC2": 2, "SCALAR": 1}[accessor["type"]]
        kind = {5126: "f", 5125: "I"}[accessor["componentType"]]
        assert view["target"] == (34963 if name == "indices" else 34962)
        assert view["byteOffset"] % 4 == 0 and view["byteLength"] == 4 * width * accessor["count"]
        part = binary[view["byteOffset"]:view["byteOffset"] + view["byteLength"]]
        found[name] = list(struct.iter_unpack("<%d%s" % (width, kind), part))
        used += view["byteLength"]
    assert used == binary_length
    low_high = tree["accessors"][primitive["attributes"]["POSITION"]]
    for axis in range(3):
        values = [float32(p[axis]) for p in found["POSITION"]]
        assert (float32(low_high["min"][axis]), float32(low_high["max"][axis])) == (min(values),
                                                                                    max(values))
    return found, primitive


def edge_counts(points, faces):
    """How many faces run along each edge, by direction; vertices at one place count as one."""
    places = {}
    names = [places.setdefault(tuple(point), len(places)) for point in points]
    counts = {}
    for face in faces:
        corners = [names[corner] for corner in face]
        for a, b in zip(corners, corners[1:] + corners[:1]):
            if a != b:
                counts[a, b] = counts.get((a, b), 0) + 1
    return counts


def is_closed(points, faces):
    """Whether every edge belongs to two faces, which run along it in opposite directions."""
    counts = edge_counts(points, faces)
    return set(counts.values()) == {1} and all((b, a) in counts for a, b in counts)


def num_open_edges(points, faces):
    counts = edge_counts(points, faces)
    return sum(1 for (a, b), n in counts.items() if n + counts.get((b, a), 0) == 1)


def turned_area(a, b, c):
    """The normal of a triangle, twice as long as its area."""
    u, v = [[q - p for p, q in zip(a, other)] for other in (b, c)]
    return [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]


def grids(faces, degrees):
    """The numbers of samples (num_u, num_v) of surface patches, read off the quads that were
    written."""
    found, at, first = [], 0, 0
    for _ in degrees:
        assert faces[at][0] == first
        num_v = faces[at][1] - first
        quads = num_v - 1
        rows = 0
        while at < len(faces) and faces[at][0] == first + rows * num_v:
            at += quads
            rows += 1
        found.append((rows + 1, num_v))
        first += (rows + 1) * num_v
    assert at == len(faces)
    return found


def casteljau(points, t):
    while len(points) > 1:
        points = [tuple(a + (b - a) * t for a, b in zip(p, q)) for p, q in zip(points, points[1:])]
    return points[0]


def surface_point(patch, degree, u, v):
    order = degree + 1
    return casteljau([casteljau(patch[i * order:(i + 1) * order], v) for i in range(order)], u)


def patch_edges(patch):
    """The control points of the four edges of a bicubic patch: u = 0, u = 1, v = 0, v = 1."""
    return patch[:4], patch[12:], patch[0::4], patch[3::4]
