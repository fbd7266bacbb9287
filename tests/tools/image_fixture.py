"""What tests of images by the command have in common."""
import math
import random

from command_fixture import Case, run
from image_files import Image, read_npy, read_png, write_npy, write_png

NAMES = {"u8": "|u1", "u16": "<u2", "s16": "<i2", "u32": "<u4", "s32": "<i4", "u64": "<u8",
         "s64": "<i8", "f32": "<f4", "f64": "<f8"}


def noise(shape, name, channels=1, seed=1):
    chance = random.Random(seed)
    make = {"u8": lambda: chance.randrange(256), "u16": lambda: chance.randrange(65536),
            "s16": lambda: chance.randrange(-32768, 32768),
            "u32": lambda: chance.randrange(2 ** 32),
            "s32": lambda: chance.randrange(-2 ** 31, 2 ** 31),
            "u64": lambda: chance.randrange(2 ** 64),
            "s64": lambda: chance.randrange(-2 ** 63, 2 ** 63),
            "f32": lambda: chance.randrange(-4096, 4096) / 16,
            "f64": lambda: chance.uniform(-1, 1)}[name]
    return Image(shape, NAMES[name], [make() for _ in range(math.prod(shape) * channels)], channels)


class ImageCase(Case):
    def put(self, image, name="in.npy"):
        (write_png if name.endswith("png") else write_npy)(self.path(name), image)
        return self.path(name)

    def get(self, source, *options, channels=1, ending="npy", env=None):
        """What the command makes of a file or an image."""
        if isinstance(source, Image):
            channels = source.channels
            source = self.put(source)
        path = self.path("out." + ending)
        done = run("image", source, "-o", path, "-q", *options, env=env)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        if ending == "npy":
            return read_npy(path, channels)
        return read_png(path) if ending == "png" else path

    def get_file(self, source, path, *options, **more):
        """Has the command make a file."""
        done = run("image", source, "-o", path, "-q", *options, **more)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def check_near(self, found, expected, bound):
        self.assertEqual(len(found), len(expected))
        self.assertLess(max(abs(a - b) for a, b in zip(found, expected)), bound)

    def put_bytes(self, name, body):
        with open(self.path(name), "wb") as file:
            file.write(body)
        return self.path(name)

    def get_bytes(self, *args, **options):
        with open(self.get(*args, **options), "rb") as file:
            return file.read()
