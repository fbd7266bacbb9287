"""Readers and writers of .npy arrays and PNG images."""
import ast
import math
import struct
import zlib

NUMPY = {"|u1": "B", "<u2": "H", "<i2": "h", "<f4": "f", "<f8": "d"}


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
