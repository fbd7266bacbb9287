"""Arrays, queues and events of PyOpenCL, in and out without copies."""
import importlib.util
import pickle
import threading
import unittest

import numpy as np

import clspline
from common import need_opencl


CONTROL = np.random.default_rng(5).random((20, 4, 4, 3)).astype(np.float32)
CUBE = np.array([[x, y, z] for z in (0, 1) for y in (0, 1) for x in (0, 1)], np.float32)
CELLS = [[0, 1, 3, 2, 4, 5, 7, 6]]


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        need_opencl()
        import pyopencl as cl
        import pyopencl.array as arrays
        name = clspline.current().device.name
        cls.cl, cls.arrays = cl, arrays
        found = [device for platform in cl.get_platforms() for device in platform.get_devices()
                 if device.name.strip() == name]
        if not found:
            raise unittest.SkipTest(f'PyOpenCL does not see {name}')
        cls.cl_context = cl.Context(found[:1])
        cls.other_context = cl.Context(found[:1])
        cls.queue = cl.CommandQueue(cls.cl_context)
        cls.context = clspline.Context(queue=cls.queue)
        cls.patches = clspline.Bezier(CONTROL, context=cls.context)

    def empty(self, *shape, dtype=np.float32, **named):
        return self.arrays.empty(self.queue, shape, dtype, **named)

    def there(self, array):
        return self.arrays.to_device(self.queue, array)

    def svm_allocator(self):
        if not self.cl_context.devices[0].svm_capabilities:
            self.skipTest('no SVM')
        from pyopencl.tools import SVMAllocator
        return SVMAllocator(self.cl_context, alignment=0, queue=self.queue)


@unittest.skipUnless(importlib.util.find_spec('pyopencl'), 'no pyopencl')
class Memory(Case):
    def test_grid(self):
        wanted = self.patches.evaluate(5)
        out = self.empty(20, 5, 5, 3)
        data = out.base_data
        self.assertIs(self.patches.evaluate(5, out=out), out)
        self.assertIs(out.base_data, data)
        np.testing.assert_allclose(out.get(), wanted, atol=1e-6)
        half = self.empty(20, 5, 5, 3, dtype=np.float16)
        self.patches.evaluate(5, out=half)
        np.testing.assert_array_equal(half.get(), out.get().astype(np.float16))

    def test_views(self):
        # A part of an array begins at an offset, and what is beside it stays
        wanted = self.patches.evaluate(5, patches=slice(3, 7))
        out = self.arrays.zeros(self.queue, (10, 5, 5, 3), np.float32) - 1
        self.patches.evaluate(5, out=out[2:6], patches=slice(3, 7))
        found = out.get()
        np.testing.assert_allclose(found[2:6], wanted, atol=1e-6)
        self.assertTrue((found[:2] == -1).all() and (found[6:] == -1).all())

    def test_vertices_of_several_attributes(self):
        kind = np.dtype([('normal', np.float32, 3), ('id', np.float32), ('point', np.float32, 3)])
        out = self.there(np.zeros((20, 3, 3), kind))
        self.patches.evaluate(3, ('point', 'normal'), out=out)
        wanted = self.patches.evaluate(3, ('point', 'normal'))
        np.testing.assert_allclose(out.get()['normal'], wanted['normal'], atol=1e-5)
        np.testing.assert_allclose(out.get()['point'], wanted['point'], atol=1e-6)

    def test_list(self):
        params = np.random.default_rng(1).random((20, 2)).astype(np.float32)
        items = np.arange(20, dtype=np.uint32)
        wanted = self.patches.at(params, items)
        out = self.empty(20, 3)
        for inputs in ((self.there(params), self.there(items)), (params, self.there(items)),
                       (self.there(params), items)):
            out.fill(0)
            self.assertIs(self.patches.at(*inputs, out=out), out)
            np.testing.assert_allclose(out.get(), wanted, atol=1e-6)
            np.testing.assert_allclose(self.patches.at(*inputs), wanted, atol=1e-6)
        out.fill(0)
        self.patches.at(self.there(params)[5:9], self.there(items)[5:9], out=out[5:9])
        np.testing.assert_allclose(out.get()[5:9], wanted[5:9], atol=1e-6)

    def test_svm(self):
        allocator = self.svm_allocator()
        wanted = self.patches.evaluate(5)
        out = self.empty(20, 5, 5, 3, allocator=allocator)
        try:
            self.patches.evaluate(5, out=out)
        except clspline.ArgumentError as error:  # CLSPLINE_LIMITS may say so of a device with SVM
            if 'no shared virtual memory' in str(error):
                self.skipTest('no SVM')
            raise
        np.testing.assert_allclose(out.get(), wanted, atol=1e-6)
        part = self.empty(22, 5, 5, 3, allocator=allocator)
        self.patches.evaluate(5, out=part[1:-1])
        np.testing.assert_allclose(part.get()[1:-1], wanted, atol=1e-6)
        params = self.arrays.to_device(self.queue, np.full((4, 2), 0.3, np.float32),
                                       allocator=allocator)
        points = self.empty(4, 3, allocator=allocator)
        self.patches.at(params, out=points)
        np.testing.assert_allclose(points.get(), self.patches.at(params.get()), atol=1e-6)

    def test_control_points(self):
        patches = clspline.Bezier(self.there(CONTROL), context=self.context)
        wanted = self.patches.evaluate(4)
        np.testing.assert_array_equal(patches.evaluate(4), wanted)
        np.testing.assert_array_equal(patches.control, CONTROL)
        twice = self.there(CONTROL) * 2  # by a kernel that is only enqueued
        patches.control = twice
        np.testing.assert_allclose(patches.evaluate(4), 2 * wanted, rtol=1e-6, atol=1e-6)
        again = pickle.loads(pickle.dumps(patches))
        np.testing.assert_array_equal(again.control, 2 * CONTROL)
        with self.assertRaisesRegex(TypeError, 'control'):
            patches.control = twice.astype(np.float64)
        with self.assertRaisesRegex(ValueError, 'control'):
            patches.control = twice[1:]
        np.testing.assert_allclose(patches.evaluate(4), 2 * wanted, rtol=1e-6, atol=1e-6)

    def test_beyond_the_domain(self):
        control = np.random.default_rng(6).random((6, 2)).astype(np.float32)
        curve = clspline.BSpline(None, control, 3, context=self.context)
        inside, beyond = np.float32([0, 0.3, 1]), np.float32([-0.2, 0.3, 1.1])
        out = self.empty(3, 2)
        for mode in (True, False, 'periodic'):
            curve.extrapolate = mode
            curve.at(self.there(inside), out=out)
            np.testing.assert_allclose(out.get()[:2], curve.at(inside)[:2], atol=1e-6)
            np.testing.assert_allclose(curve.at(self.there(beyond)), curve(beyond), atol=1e-6)
            if mode != 'periodic':
                with self.assertRaisesRegex(TypeError, 'out: .* beyond the domain'):
                    curve.at(self.there(beyond), out=out)
        curve.at(self.there(beyond), out=out)
        np.testing.assert_allclose(out.get(), curve(beyond), atol=1e-6)

    def test_solid(self):
        solid = clspline.Solid(CUBE, CELLS, context=self.context)
        fine = solid.refine()
        points = self.there(CUBE * 3)
        moved = self.empty(27, 3)
        self.assertIs(solid.refine_points(points, out=moved), moved)
        np.testing.assert_allclose(moved.get(), solid.refine_points(CUBE * 3), atol=1e-6)
        fine.points = moved
        solid.points = points
        out = self.empty(8, 3, 3, 3, 3)
        fine.evaluate(3, out=out)
        np.testing.assert_allclose(out.get()[0, ::2, ::2, ::2].reshape(8, 3),
                                   solid.evaluate(3)[0, :2, :2, :2].reshape(8, 3), atol=1e-6)
        self.assertIs(solid.refine_points(out=moved), moved)
        np.testing.assert_allclose(solid.limits(), solid.evaluate(2)[0].transpose(2, 1, 0, 3)
                                   .reshape(8, 3), atol=1e-6)
        listed = self.empty(2, 3)
        solid.at(self.there(np.zeros(2, np.uint32)), self.there(np.full((2, 3), 0.5, np.float32)),
                 out=listed)
        np.testing.assert_allclose(listed.get(), 1.5, atol=1e-6)
        with self.assertRaisesRegex(TypeError, 'out'):
            solid.refine_points(points, out=np.empty((27, 3), np.float32))
        with self.assertRaisesRegex(TypeError, 'points, out'):
            solid.limits(points=points)


@unittest.skipUnless(importlib.util.find_spec('pyopencl'), 'no pyopencl')
class Events(Case):
    def test_done(self):
        out = self.empty(20, 5, 5, 3)
        before = len(out.events)
        self.patches.evaluate(5, out=out)
        self.assertEqual(len(out.events), before + 1)
        event = out.events[-1]
        event.wait()
        self.assertEqual(event.command_execution_status, self.cl.command_execution_status.COMPLETE)
        for _ in range(100):
            self.patches.evaluate(5, out=out)
        self.assertLess(len(out.events), 20)

    def test_waits(self):
        # Nothing is written before the event, which another thread may set
        out = self.arrays.zeros(self.queue, (20, 5, 5, 3), np.float32)
        out.finish()
        gate = self.cl.UserEvent(self.cl_context)
        self.patches.evaluate(5, out=out, wait_for=[gate])
        self.queue.flush()
        self.assertNotEqual(out.events[-1].command_execution_status,
                            self.cl.command_execution_status.COMPLETE)
        gate.set_status(self.cl.command_execution_status.COMPLETE)
        np.testing.assert_allclose(out.get(), self.patches.evaluate(5), atol=1e-6)

    def test_waits_for_events_of_arrays(self):
        # Of another queue of the context, whose commands are not in order with these
        other = self.cl.CommandQueue(self.cl_context)
        gate = self.cl.UserEvent(self.cl_context)
        host = np.full((4, 2), 0.25, np.float32)
        params = self.arrays.zeros(other, (4, 2), np.float32)
        params.finish()
        params.add_event(self.cl.enqueue_copy(other, params.base_data, host, is_blocking=False,
                                              wait_for=[gate]))
        out = self.empty(4, 3)
        self.patches.at(params, out=out)
        gate.set_status(self.cl.command_execution_status.COMPLETE)
        np.testing.assert_allclose(out.get(), self.patches.at(host), atol=1e-6)

    def test_wait_before_host_memory(self):
        event = self.cl.enqueue_marker(self.queue)
        np.testing.assert_array_equal(self.patches.evaluate(3, wait_for=[event]),
                                      self.patches.evaluate(3))
        self.assertEqual(self.patches.at([0.5, 0.5], wait_for=(event,)).shape, (3,))

    def test_no_events(self):
        out = self.empty(20, 3, 3, 3)
        for events in ([3], ['event'], [None], 7):
            for call in (lambda: self.patches.evaluate(3, wait_for=events),
                         lambda: self.patches.evaluate(3, out=out, wait_for=events),
                         lambda: self.patches.at([0.5, 0.5], wait_for=events)):
                with self.assertRaises(TypeError):
                    call()


@unittest.skipUnless(importlib.util.find_spec('pyopencl'), 'no pyopencl')
class BadArrays(Case):
    def refused(self, error, words, call):
        with self.subTest(words=words), self.assertRaisesRegex(error, words):
            call()

    def test_outputs(self):
        cl, patches = self.cl, self.patches
        other = cl.CommandQueue(self.other_context)
        foreign = self.arrays.empty(other, (20, 5, 5, 3), np.float32)
        wide = self.empty(20, 5, 5, 6)
        small = self.arrays.Array(self.queue, (20, 5, 5, 3), np.float32, data=cl.Buffer(
            self.cl_context, cl.mem_flags.READ_WRITE, size=400))
        fixed = self.arrays.Array(self.queue, (20, 5, 5, 3), np.float32, data=cl.Buffer(
            self.cl_context, cl.mem_flags.READ_ONLY, size=20 * 75 * 4))
        odd = self.arrays.Array(self.queue, (20, 5, 5, 3), np.float32, offset=2, data=cl.Buffer(
            self.cl_context, cl.mem_flags.READ_WRITE, size=20 * 76 * 4))
        for error, words, out in (
                (clspline.ArgumentError, 'another cl_context', foreign),
                (ValueError, 'out: not contiguous', wide[..., :3]),
                (ValueError, 'out: shape', wide),
                (TypeError, 'out: dtype', self.empty(20, 5, 5, 3, dtype=np.int32)),
                (ValueError, 'out: not contiguous', self.empty(20, 5, 5, 3, order='F')),
                (ValueError, 'fit|small', small), (ValueError, 'out: read-only', fixed),
                (ValueError, 'out: begins at byte', odd)):
            self.refused(error, words, lambda: patches.evaluate(5, out=out))
        own = clspline.Bezier(CONTROL)
        self.refused(clspline.ArgumentError, 'another cl_context',
                     lambda: own.evaluate(5, out=self.empty(20, 5, 5, 3)))
        self.assertEqual(patches.evaluate(5).shape, (20, 5, 5, 3))

    def test_inputs(self):
        cl, patches = self.cl, self.patches
        other = cl.CommandQueue(self.other_context)
        params = self.there(np.zeros((20, 2), np.float32))
        items = self.there(np.zeros(20, np.uint32))
        for error, words, arguments in (
                (clspline.ArgumentError, 'another cl_context',
                 (self.arrays.zeros(other, (20, 2), np.float32), None)),
                (TypeError, 'params: dtype', (params.astype(np.float64), None)),
                (ValueError, 'params: shape', (self.there(np.zeros((20, 3), np.float32)), None)),
                (ValueError, 'params: not contiguous', (params[::2], None)),
                (ValueError, 'patch', (params, items[1:])),
                (ValueError, 'patch', (params, items.astype(np.int32)))):
            self.refused(error, words, lambda: patches.at(*arguments))
        triple = self.empty(20, 3)
        params = self.arrays.Array(self.queue, (20, 2), np.float32, data=triple.base_data)
        self.refused(ValueError, 'overlaps params', lambda: patches.at(params, out=triple))

    def test_event_of_another_context(self):
        event = self.cl.UserEvent(self.other_context)
        self.refused(clspline.ArgumentError, 'another cl_context',
                     lambda: self.patches.evaluate(5, wait_for=[event]))
        event.set_status(self.cl.command_execution_status.COMPLETE)

    def test_queue(self):
        for queue in ('queue', 1.5, self.cl_context):
            self.refused(TypeError, 'queue', lambda: clspline.Context(queue=queue))
        self.refused(ValueError, 'queue', lambda: clspline.Context(queue=0))
        context = clspline.Context(queue=self.queue.int_ptr)
        self.assertEqual(context.device.name, self.context.device.name)
        context.close()

    def test_empty(self):
        none = self.patches.evaluate(5, patches=slice(0, 0), out=self.empty(0, 5, 5, 3))
        self.assertEqual(none.shape, (0, 5, 5, 3))
        out = self.empty(0, 3)
        self.assertIs(self.patches.at(np.empty((0, 2), np.float32), out=out), out)


@unittest.skipUnless(importlib.util.find_spec('pyopencl'), 'no pyopencl')
class Lives(Case):
    def test_queue_is_kept(self):
        queue = self.cl.CommandQueue(self.cl_context)
        context = clspline.Context(queue=queue)
        out = self.arrays.empty(queue, (20, 5, 5, 3), np.float32)
        del queue
        clspline.Bezier(CONTROL, context=context).evaluate(5, out=out)
        self.assertIsNotNone(context.queue)
        context.finish()

    def test_object_may_go_before_its_work_is_done(self):
        gate = self.cl.UserEvent(self.cl_context)
        out = self.empty(20, 5, 5, 3)
        # By another thread: on a CPU its end waits for what the host's cores make of it
        complete = self.cl.command_execution_status.COMPLETE
        timer = threading.Timer(0.1, gate.set_status, [complete])
        timer.start()
        clspline.Bezier(CONTROL, context=self.context).evaluate(5, out=out, wait_for=[gate])
        timer.join()
        np.testing.assert_allclose(out.get(), self.patches.evaluate(5), atol=1e-6)

    def test_host_arrays_too(self):
        out = np.empty((20, 5, 5, 3), np.float32)
        self.assertIs(self.patches.evaluate(5, out=out), out)


if __name__ == '__main__':
    unittest.main()
