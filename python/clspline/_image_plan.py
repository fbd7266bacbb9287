"""Plans of images, and those that are kept for the next call."""
import collections
import itertools
import math
import operator
import struct
import threading

import numpy as np

from ._context import Handle
from ._errors import check
from ._memory import TYPES
from ._native import ffi, lib

MODES = {
    'constant': lib.CLSP_IMAGE_CONSTANT,
    'mirror': lib.CLSP_IMAGE_MIRROR,
    'reflect': lib.CLSP_IMAGE_REFLECT,
    'grid-mirror': lib.CLSP_IMAGE_REFLECT,
    'nearest': lib.CLSP_IMAGE_NEAREST,
    'wrap': lib.CLSP_IMAGE_WRAP,
    'grid-wrap': lib.CLSP_IMAGE_GRID_WRAP,
    'grid-constant': lib.CLSP_IMAGE_GRID_CONSTANT,
}
ORDERS = (lib.CLSP_IMAGE_NEAREST_SAMPLE, 1, 2, 3, 4, 5, 6, 7)
SAMPLES = tuple(np.dtype(kind) for kind in (np.uint8, np.uint16, np.int16, np.float16, np.float32,
                                            np.float64))
_PADDED = (lib.CLSP_IMAGE_NEAREST, lib.CLSP_IMAGE_GRID_CONSTANT)
_PLANS_KEPT = 32
_BYTES_KEPT = 1 << 28  # of coefficients

# All that shapes a plan. size: of each direction; modes: the library's numbers, one a direction, or
# one for all; order, prefilter and fetch: the library's numbers; part: None, or where the samples
# begin and how many the whole has, along each direction
Spec = collections.namedtuple(
    'Spec', 'size channels planar precision samples values order modes cval prefilter taps clip '
    'part fetch', defaults=(None, lib.CLSP_IMAGE_BUFFERS))


# a clsp_image_map's matrix, size and attributes, with which it begins
_MAP = struct.Struct('=12d4I')
_MAP_NONE = (0.0,) * 12 + (0,) * 4
assert ffi.offsetof('clsp_image_map', 'attributes') == _MAP.size - 4
_NULL = ffi.NULL
_set_samples, _evaluate = lib.clsp_image_set_samples, lib.clsp_image_eval
_NO_POINTS = ffi.new('clsp_points *')
_LEAST = 5e-324


class ImagePlan:
    """A plan of the library with the structs of its calls, which are filled anew by each of them.

    Who uses it has it alone, or holds the lock of `handle`.
    """

    def __init__(self, context, spec):
        self.spec = spec
        directions = len(spec.size)
        modes = spec.modes if isinstance(spec.modes, tuple) else (spec.modes,) * directions
        desc = ffi.new('clsp_image_desc *', {
            'directions': directions, 'size': spec.size, 'channels': spec.channels,
            'planar': spec.planar, 'precision': TYPES[spec.precision],
            'samples': TYPES[spec.samples], 'values': TYPES[spec.values], 'order': spec.order,
            'mode': modes, 'cval': spec.cval, 'prefilter': spec.prefilter, 'taps': spec.taps,
            'clip': spec.clip, 'fetch': spec.fetch, 'rounding': lib.CLSP_IMAGE_ROUND_UP})
        if spec.part is not None:
            desc.part.begin, desc.part.whole = ((*of, *(0,) * (3 - directions))
                                                for of in spec.part)
        self.handle = Handle(
            context, 'clsp_image_plan',
            lambda plan: lib.clsp_image_plan_create(plan, context._pointer[0], desc),
            lib.clsp_image_plan_destroy)
        is_padded = spec.order not in ORDERS[:2] and spec.prefilter != lib.CLSP_IMAGE_NONE
        self.stored = tuple(  # coefficients along each direction
            size + 2 * lib.CLSP_IMAGE_PAD * (is_padded and mode in _PADDED)
            for size, mode in zip(spec.size, modes))
        self.num_images = self.num_bytes = self.counted_bytes = 0
        self._range = ffi.new('clsp_range *')
        self._input = ffi.new('clsp_input *')
        self._input.type = TYPES[spec.samples]
        self._output = ffi.new('clsp_output *')
        self.map = ffi.new('clsp_image_map *')
        self._map_bytes = ffi.buffer(self.map)
        self._has_arrays = self._has_areas = False

    def compute(self, samples, num_images, place, areas, attributes, out):
        """Makes coefficients of a NumPy array in C order, of the spec's type, and writes the values
        of all images to another such array. place: what `set_map` takes, or `set_points`."""
        with self.handle.lock:
            pointer = self.handle.get()
            self.load(pointer, samples, num_images)
            if place.__class__ is tuple:
                self.set_map(*place, areas=areas, attributes=attributes)
            else:
                place = np.require(place, self.spec.precision, 'CA')
                self.set_points(place, attributes)
            given = self._output
            given.host = ffi.from_buffer(out)
            given.size = out.size
            status = _evaluate(pointer, self._range[0], self.map, given[0], _NULL)
            if status:
                check(status)

    def load(self, pointer, samples, num_images):
        """Makes coefficients of a NumPy array in C order, of the spec's type."""
        given = self._input
        given.host = ffi.from_buffer(samples)
        given.size = samples.size
        status = _set_samples(pointer, num_images, given[0], _NULL)
        if status:
            check(status)
        if num_images != self.num_images:
            self.num_images = self._range.count = num_images
            self.num_bytes = self.spec.precision.itemsize * self.spec.channels * num_images * \
                math.prod(self.stored)

    def set_map(self, rows, offset, size, origin=None, areas=False, attributes=0):
        """Has values made at a matrix: a list of a number for each direction in each of its rows;
        size: of the output; origin: its first point, of plans that no call without one shares;
        areas: the rows alone keep the outer edges of first samples, whatever the offset."""
        if areas:
            offset = (0.0,) * len(rows)
        self._set_areas(areas)
        if len(rows) == 2:
            (a, b), (c, d) = rows
            matrix = (a, b, 0.0, offset[0], c, d, 0.0, offset[1], 0.0, 0.0, 0.0, 0.0)
            size = (size[0], size[1], 0)
        else:
            missing = 3 - len(rows)
            none = (0.0,) * missing
            matrix = ()
            for row, at in zip(rows, offset):
                matrix += (*row, *none, at)
            matrix += (0.0,) * 4 * missing
            size = (*size[:len(rows)], *(0,) * missing)
        if not any(matrix):  # which the library takes for the identity
            matrix = matrix[:3] + (_LEAST,) + matrix[4:]
        _MAP.pack_into(self._map_bytes, 0, *matrix, *size, attributes)
        if origin is not None:
            self.map.origin = (*origin, *(0,) * (3 - len(rows)))
        if self._has_arrays:
            self._clear_arrays()

    def _set_areas(self, areas):
        if areas != self._has_areas:
            self.map.areas = self._has_areas = areas

    def _clear_arrays(self):
        self.map.at = _NO_POINTS[0]
        self.map.displacements = _NO_POINTS.item
        self._has_arrays = False

    def set_displacements(self, field):
        """Adds displacements to the map set before: a clsp_input."""
        self.map.displacements = field
        self._has_arrays = True

    def set_points(self, coordinates, attributes=0):
        """Has values made at coordinates [directions, num] of the precision's type, in C order,
        which the caller keeps."""
        self.set_point_list(_NO_POINTS.item, coordinates.shape[1], 1, attributes)
        params = self.map.at.params
        params.type = TYPES[self.spec.precision]
        params.host = ffi.from_buffer(coordinates)
        params.size = coordinates.size

    def set_point_list(self, coordinates, num, planar, attributes):
        """Has values made at coordinates: a clsp_input."""
        if self._has_arrays:
            self._clear_arrays()
        self._set_areas(False)
        _MAP.pack_into(self._map_bytes, 0, *_MAP_NONE[:15], attributes)
        self.map.at.num = num
        self.map.at.planar = planar
        self.map.at.params = coordinates
        self._has_arrays = True

    def coefficients(self, out):
        """Writes the coefficients of all images to a NumPy array in C order."""
        given = self._output
        given.host = ffi.from_buffer(out)
        given.size = out.size
        self.write_coefficients(self._range[0], given[0])

    def load_input(self, samples, num_images, run):
        """As `load`, of a clsp_input."""
        check(_set_samples(self.handle.get(), num_images, samples, run))

    def write_values(self, images, out, run):
        """Writes the values of some images, (first, count), at the map to a clsp_output."""
        check(_evaluate(self.handle.get(), images, self.map, out, run))

    def write_coefficients(self, images, out, run=_NULL):
        """As `coefficients`, of some images, (first, count), to a clsp_output."""
        check(lib.clsp_image_coefficients(self.handle.get(), images, out, run))


class Pool:
    """Plans of a context that no call has at the moment: who takes one has it alone.

    So calls of several threads have plans of their own. Those that were used last are kept, up to a
    number, and a sum of bytes. Taking and giving back are single steps of lists and dicts, for
    which threads need no lock.
    """

    def __init__(self):
        self._lock = threading.Lock()  # of those who look at all plans
        self._free = {}  # lists of plans by a key of their calls
        self._uses = itertools.count()

    def take(self, key):
        """A plan of that key, or None. The key has all that shapes a plan."""
        plans = self._free.get(key)
        if plans:
            try:
                return plans.pop()
            except IndexError:  # another thread was faster
                pass
        return None

    def give(self, key, plan):
        """Takes a plan back, whose last call succeeded."""
        plan.last_use = next(self._uses)
        plans = self._free.get(key)
        if plans is None:
            plans = self._free.setdefault(key, [])
        plans.append(plan)
        if plan.counted_bytes != plan.num_bytes:  # it is new, or has other images than before
            plan.counted_bytes = plan.num_bytes
            self._bound()

    def _bound(self):
        """Ends the plans that were used longest ago, as long as there are too many."""
        old = []
        with self._lock:
            kept = sorted(((plan.last_use, key, plan) for key, plans in list(self._free.items())
                           for plan in list(plans)), key=operator.itemgetter(0))
            num, num_bytes = len(kept), sum(plan.num_bytes for _, _, plan in kept)
            for _, key, plan in kept:
                if num <= _PLANS_KEPT and num_bytes <= _BYTES_KEPT:
                    break
                num -= 1
                num_bytes -= plan.num_bytes
                self._remove(key, plan, old)
        for plan in old:
            plan.handle.close()

    def _remove(self, key, plan, removed):
        plans = self._free.get(key, [])
        try:
            plans.remove(plan)
        except ValueError:  # a call has taken it
            return
        removed.append(plan)
        if not plans:
            self._free.pop(key, None)

    def clear(self):
        """Ends all that are kept."""
        removed = []
        with self._lock:
            for key, plans in list(self._free.items()):
                for plan in list(plans):
                    self._remove(key, plan, removed)
        for plan in removed:
            plan.handle.close()

    def __len__(self):
        return sum(map(len, list(self._free.values())))


def pool_of(context):
    """The pool of a context, which has to be open: a pool's lock may be held for good in the child
    of a fork."""
    context._need()
    pool = context.__dict__.get('_image_pool')
    if pool is None:
        with context._lock:
            pool = context.__dict__.get('_image_pool')
            if pool is None:
                pool = context._image_pool = Pool()
    return pool
