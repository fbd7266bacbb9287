"""Readers and writers of .npy arrays and PNG images."""
import ast
import math
import struct
import zlib

NUMPY = {"|u1": "B", "<u2": "H", "<i2": "h", "<u4": "I", "<i4": "i", "<u8": "Q", "<i8": "q",
         "<f4": "f", "<f8": "d"}


class Image:
    """An array of numbers in C order, its channels last where there are more than one."""

    def __init__(self, shape, kind, values, channels=1):
        self.shape, self.kind = tuple(shape), kind
        self.values, self.channels = list(values), channels
        assert len(self.values) == math.prod(self.shape) * channels

    def __eq__(self, other):
        return (self.shape, self.kind, self.values, self.channels) == (other.shape, other.kind,
                                                                       other.values,
                                                                       other.channels)

    def at(self, *place):
        number = 0
        for size, k in zip(self.shape, place):
            number = number * size + k
        return self.values[number * self.channels:(number + 1) * self.channels]


def npy_bytes(kind, shape, values):
    """An .npy array of numbers in C order."""
    head = str({"descr": kind, "fortran_order": False, "shape": tuple(shape)})
    head += " " * (-(11 + len(head)) % 64) + "\n"
    return (b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() +
            struct.pack("<%d%s" % (len(values), NUMPY[kind]), *values))


def npy_parts(body):
    """The type, the shape and the numbers' bytes of an .npy array in C order."""
    assert body[:8] == b"\x93NUMPY\x01\x00"
    length, = struct.unpack_from("<H", body, 8)
    assert (10 + length) % 64 == 0 and body[9 + length:10 + length] == b"\n"
    head = ast.literal_eval(body[10:10 + length].decode("ascii"))
    assert head["fortran_order"] is False
    return head["descr"], head["shape"], body[10 + length:]


def write_npy(path, image):
    shape = image.shape + ((image.channels,) if image.channels > 1 else ())
    with open(path, "wb") as file:
        file.write(npy_bytes(image.kind, shape, image.values))


def read_npy(source, channels=1):
    """An array from bytes or a file; the caller knows how many channels it has."""
    if not isinstance(source, bytes):
        with open(source, "rb") as file:
            source = file.read()
    kind, shape, body = npy_parts(source)
    values = struct.unpack("<%d%s" % (math.prod(shape), NUMPY[kind]), body)
    if channels > 1:
        assert shape[-1] == channels
        shape = shape[:-1]
    return Image(shape, kind, values, channels)


def png_rows(path):
    """Width, height, channels, bytes of a sample and the rows, still filtered, of a PNG without a
    palette."""
    with open(path, "rb") as file:
        body = file.read()
    assert body[:8] == b"\x89PNG\r\n\x1a\n"
    width, height, depth, color = struct.unpack_from(">IIBB", body, 16)
    channels, each, at, data = {0: 1, 2: 3, 4: 2, 6: 4}[color], depth // 8, 8, b""
    while at < len(body):
        length, kind = struct.unpack_from(">I4s", body, at)
        data += body[at + 8:at + 8 + length] if kind == b"IDAT" else b""
        at += 12 + length
    packed = zlib.decompress(data)
    assert len(packed) == height * (width * channels * each + 1)
    return width, height, channels, each, packed


def read_png(path):
    width, height, channels, each, packed = png_rows(path)
    step, stride = channels * each, width * channels * each
    values, above = [], bytes(stride)
    for y in range(height):
        begin = y * (stride + 1)
        kind, row = packed[begin], bytearray(packed[begin + 1:begin + 1 + stride])
        for i, value in enumerate(row):
            a, c = (row[i - step], above[i - step]) if i >= step else (0, 0)
            b = above[i]
            paeth = min((abs(b - c), 0, a), (abs(a - c), 1, b), (abs(a + b - 2 * c), 2, c))[2]
            row[i] = value + (0, a, b, (a + b) // 2, paeth)[kind] & 255
        values += struct.unpack(">%d%s" % (width * channels, "BH"[each - 1]), row)
        above = bytes(row)
    return Image((height, width), "|u1" if each == 1 else "<u2", values, channels)


def tiff_bytes(width, height, bits, rows, order="<", tags=(), photometric=1, tile=None):
    """A TIFF of one page, its samples stored as the strip or the tiles `rows`. tags: more of them,
    as TAG: (type, values) with type 2 for bytes, 3 for 16 bits, 4 for 32, 5 for fractions, 12 for
    doubles."""
    strips = rows if tile else [rows]
    kinds = {2: ("B", 1), 3: ("H", 2), 4: ("I", 4), 5: ("II", 8), 12: ("d", 8)}
    tags = {256: (4, [width]), 257: (4, [height]), 258: (3, [bits]), 259: (3, [1]),
            262: (3, [photometric]), 277: (3, [1]), **dict(tags)}
    if tile:
        tags.update({322: (3, [tile[0]]), 323: (3, [tile[1]])})
    else:
        tags[278] = 3, [height]
    start = 8 + 2 + 12 * (len(tags) + 2) + 4
    data = b"".join(strips)
    places = [start + sum(map(len, strips[:i])) for i in range(len(strips))]
    tags[324 if tile else 273] = 4, places
    tags[325 if tile else 279] = 4, [len(s) for s in strips]
    entries, more = b"", b""
    for tag in sorted(tags):
        kind, values = tags[tag]
        body = struct.pack(order + "%d%s" % (len(values), kinds[kind][0]) if kind != 5 else
                           order + "%dI" % len(values), *values)
        count = len(values) // (2 if kind == 5 else 1)
        if len(body) > 4:
            body, more = struct.pack(order + "I", start + len(data) + len(more)), more + body
        entries += struct.pack(order + "HHI", tag, kind, count) + body.ljust(4, b"\0")
    return ((b"II*\0" if order == "<" else b"MM\0*") + struct.pack(order + "IH", 8, len(tags)) +
            entries + bytes(4) + data + more)


def tiff_tags(body):
    """The tags of a little-endian TIFF's first page: TAG: bytes of its values."""
    place, = struct.unpack_from("<I", body, 4)
    num, = struct.unpack_from("<H", body, place)
    found = {}
    for i in range(num):
        tag, kind, count, value = struct.unpack_from("<HHII", body, place + 2 + 12 * i)
        size = count * {3: 2, 4: 4, 5: 8}.get(kind, 1)
        at = value if size > 4 else place + 2 + 12 * i + 8
        found[tag] = body[at:at + size]
    return found


def nifti_bytes(dims, data, version=1, order="<", kind=(2, 8), pair=False, extensions=b"",
                fields=()):
    """A NIfTI file, or the header of a pair. kind: the number of a type, and bits. fields: more of
    the header, as (format, offset, value..)."""
    head = bytearray(348 if version == 1 else 540)
    dims = (len(dims), *dims, *[1] * (7 - len(dims)))
    offset = 0 if pair else len(head) + 4 + len(extensions)
    magic = b"n%c%d\0" % (b"i" if pair else b"+", version)
    struct.pack_into(order + "i", head, 0, len(head))
    if version == 1:
        struct.pack_into(order + "8h", head, 40, *dims)
        struct.pack_into(order + "hh", head, 70, *kind)
        struct.pack_into(order + "f", head, 108, offset)
        head[344:348] = magic
    else:
        head[4:12] = magic + b"\r\n\x1a\n"
        struct.pack_into(order + "hh8q", head, 12, *kind, *dims)
        struct.pack_into(order + "q", head, 168, offset)
    for form, *place in fields:
        struct.pack_into(order + form, head, *place)
    return bytes(head) + bytes((bool(extensions), 0, 0, 0)) + extensions + (b"" if pair else data)


def png_chunk(body, kind):
    """The contents of a PNG's chunk; None where it has none."""
    at = 8
    while at < len(body):
        length, = struct.unpack_from(">I", body, at)
        if body[at + 4:at + 8] == kind:
            return body[at + 8:at + 8 + length]
        at += 12 + length
    return None


def write_png(path, image):
    height, width = image.shape
    deep = image.kind == "<u2"
    color = {1: 0, 2: 4, 3: 2, 4: 6}[image.channels]
    stride = width * image.channels

    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I",
                                                                        zlib.crc32(kind + body))

    rows = b"".join(b"\0" + struct.pack(">%d%s" % (stride, "BH"[deep]),
                                        *image.values[y * stride:(y + 1) * stride])
                    for y in range(height))
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n")
        file.write(chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 16 if deep else 8, color,
                                              0, 0, 0)))
        file.write(chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))
