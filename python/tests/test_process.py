"""Processes, threads, pickles, the end of objects and of programs."""
import gc
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time
import unittest
import weakref

import numpy as np

import clspline
from common import HAS_OPENCL

HAS_FORK = hasattr(os, 'fork')
CONTROL = np.random.default_rng(3).random((50, 4, 4, 3)).astype(np.float32)
# At the head of programs
HEAD = '''
import os, sys, time, threading, signal, multiprocessing
import numpy as np
import clspline
CONTROL = np.random.default_rng(3).random((50, 4, 4, 3)).astype(np.float32)
def work(seed=3):
    control = np.random.default_rng(seed).random((50, 4, 4, 3)).astype(np.float32)
    return float(clspline.Bezier(control).evaluate(8).sum())
def child(body):
    """Runs body in a fork; gives what it printed. A child that hangs is ended by its alarm."""
    sys.stdout.flush()
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        signal.alarm(60)
        try:
            text = body()
        except Exception as error:
            text = type(error).__name__ + ': ' + str(error)
        os.write(write, str(text).encode())
        os._exit(0)
    os.close(write)
    text = b''
    while True:
        piece = os.read(read, 4096)
        if not piece:
            break
        text += piece
    print(os.waitpid(pid, 0)[1], text.decode(), flush=True)
'''


def program(text, timeout=120):
    """Runs a program of its own; gives what it printed, a list of lines."""
    result = subprocess.run([sys.executable, '-X', 'faulthandler', '-c',
                             HEAD + textwrap.dedent(text)], timeout=timeout,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if result.returncode:
        raise AssertionError(f'status {result.returncode}:\n{result.stdout}\n{result.stderr}')
    return result.stdout.split('\n')[:-1]


@unittest.skipUnless(HAS_FORK, 'no fork here')
class Fork(unittest.TestCase):
    def test_after_use(self):
        lines = program('''
            patches = clspline.Bezier(CONTROL)
            cube = np.array([[x, y, z] for z in (0, 1) for y in (0, 1) for x in (0, 1)], 'f4')
            solid = clspline.Solid(cube, [[0, 1, 3, 2, 4, 5, 7, 6]])
            patches.evaluate(4), solid.evaluate(2)
            kept = clspline.current().empty(100)
            child(lambda: patches.evaluate(4))
            child(lambda: patches.at([0.5, 0.5]))
            child(lambda: solid.evaluate(2))
            child(lambda: solid.refine())
            child(lambda: solid.weights(0, [0, 0, 0]))
            child(lambda: patches.context.empty(3))
            child(lambda: patches.context.finish())
            def end():
                global patches, solid, kept
                patches.context.close()
                del patches, solid, kept
                return 'ended'
            child(end)
            print(patches.evaluate(4).shape)
        ''')
        for line in lines[:7]:
            self.assertRegex(line, '^0 StateError: .*before fork.*spawn')
        self.assertEqual(lines[7:], ['0 ended', '(50, 4, 4, 3)'])

    def test_new_objects_after_use(self):
        # OpenCL is lost to a child where the parent has used it; the host never is
        lines = program('''
            work()
            child(clspline.Context)
            child(clspline.devices)
            child(work)
            def by_host():
                with clspline.Context('host', limits='') as context, clspline.use(context):
                    return work()
            child(by_host)
            child(lambda: child(by_host))
            print(by_host())
        ''')
        for line in lines[:3]:
            self.assertRegex(line, '^0 StateError: .*forked.*host' if HAS_OPENCL else '^0 [^S]')
        self.assertEqual(lines[3:5], ['0 ' + lines[-1]] * 2)

    def test_pool_of_forks_by_the_host(self):
        lines = program('''
            with clspline.Context('host', limits='') as context, clspline.use(context):
                one = [work(seed) for seed in range(4)]
            os.environ['CLSPLINE_DEVICE'] = 'host'
            os.environ['CLSPLINE_LIMITS'] = ''
            with multiprocessing.get_context('fork').Pool(2) as pool:
                print(pool.map(work, range(4)) == one)
        ''')
        self.assertEqual(lines, ['True'])

    def test_while_a_thread_computes(self):
        lines = program('''
            patches = clspline.Bezier(np.tile(CONTROL, (200, 1, 1, 1)))
            stop = threading.Event()
            def compute():
                while not stop.is_set():
                    patches.evaluate(8)
                    clspline.Bezier(CONTROL).evaluate(2)
            thread = threading.Thread(target=compute)
            thread.start()
            time.sleep(0.2)
            for _ in range(5):
                child(lambda: patches.evaluate(8))
            stop.set()
            thread.join()
        ''')
        self.assertEqual(len(lines), 5)
        for line in lines:
            self.assertRegex(line, '^0 StateError: ')

    def test_before_use(self):
        lines = program('''
            child(work)
            print(work())
        ''')
        self.assertEqual(lines[0], '0 ' + lines[1])

    def test_exit_of_child(self):
        # One that ends by sys.exit and runs what is registered for that
        lines = program('''
            patches = clspline.Bezier(CONTROL)
            patches.evaluate(4)
            sys.stdout.flush()
            pid = os.fork()
            if pid == 0:
                signal.alarm(60)
                sys.exit(3)
            print(os.waitpid(pid, 0)[1] >> 8)
        ''')
        self.assertEqual(lines, ['3'])

    def test_pool_of_forks(self):
        lines = program('''
            with multiprocessing.get_context('fork').Pool(2) as pool:
                many = pool.map(work, range(4))
            print(many == [work(seed) for seed in range(4)])
        ''')
        self.assertEqual(lines, ['True'])


class Spawn(unittest.TestCase):
    def test_objects(self):
        # Programs of their own, since what spawn begins reads the main module
        with self.subTest('pool'):
            name = os.path.join(os.path.dirname(__file__), 'test_process.py')
            lines = program(f'''
                sys.path.insert(0, {os.path.dirname(name)!r})
                import test_process
                patches = clspline.Bezier(CONTROL)
                whole = patches.evaluate(4)
                with multiprocessing.get_context('spawn').Pool(2) as pool:
                    parts = pool.map(test_process.evaluated, [(patches, slice(0, 20)),
                                                              (patches, slice(20, 50))])
                print((np.concatenate(parts) == whole).all())
            ''')
            self.assertEqual(lines, ['True'])

    def test_context(self):
        context = clspline.current()
        self.assertIs(pickle.loads(pickle.dumps(context)), context)
        patches = pickle.loads(pickle.dumps(clspline.Bezier(CONTROL)))
        self.assertIs(patches.context, context)

    def test_context_of_no_device(self):
        name = pickle.dumps(clspline.current()).replace(
            clspline.current().device.name.encode(), b'x' * len(clspline.current().device.name))
        self.assertIsInstance(pickle.loads(name), clspline.Context)


def evaluated(job):
    patches, items = job
    return patches.evaluate(4, patches=items)


def in_threads(jobs):
    """Runs functions at once; raises what they raise, gives what they return."""
    results, errors = [None] * len(jobs), []

    def run(at):
        try:
            results[at] = jobs[at]()
        except BaseException as error:  # pylint: disable=broad-except
            errors.append(error)
    threads = [threading.Thread(target=run, args=(at,)) for at in range(len(jobs))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
        if thread.is_alive():
            raise AssertionError('a thread hangs')
    if errors:
        raise errors[0]
    return results


class Threads(unittest.TestCase):
    def test_one_object(self):
        patches = clspline.Bezier(CONTROL)
        alone = [patches.evaluate(num) for num in (3, 4, 5)]
        at = patches.at([[0.2, 0.3]] * 40, np.arange(40))

        def job(own):
            for _ in range(30):
                if own < 3:
                    np.testing.assert_array_equal(patches.evaluate(own + 3), alone[own])
                else:
                    np.testing.assert_array_equal(
                        patches.at([[0.2, 0.3]] * 40, np.arange(40)), at)
        in_threads([lambda own=own: job(own) for own in range(4)])

    def test_control_points_of_one_object(self):
        # Each result is that of one or of the other control points, of none between
        patches = clspline.Bezier(CONTROL)
        one = patches.evaluate(4)
        patches.control = -CONTROL
        other = patches.evaluate(4)

        def change():
            for turn in range(50):
                patches.control = CONTROL if turn % 2 else -CONTROL

        def look():
            for _ in range(50):
                found = patches.evaluate(4)
                self.assertTrue((found == one).all() or (found == other).all())
        in_threads([change, look, look])

    def test_objects_of_one_solid(self):
        cube = np.array([[x, y, z] for z in (0, 1) for y in (0, 1) for x in (0, 1)], np.float32)
        solid = clspline.Solid(cube, [[0, 1, 3, 2, 4, 5, 7, 6]])
        fine = in_threads([solid.refine] * 4)
        self.assertTrue(all(each._topology is fine[0]._topology for each in fine))
        results = in_threads([lambda num=num: solid.evaluate(2 + num % 7) for num in range(14)])
        for num in range(7):
            np.testing.assert_array_equal(results[num], results[num + 7])

    def test_default_context(self):
        lines = program('''
            found, ready = [], threading.Barrier(4)
            def job():
                ready.wait()
                found.append(clspline.current())
            threads = [threading.Thread(target=job) for _ in range(4)]
            [thread.start() for thread in threads]
            [thread.join() for thread in threads]
            print(len(set(map(id, found))))
        ''')
        self.assertEqual(lines, ['1'])

    def test_use_is_of_its_thread(self):
        with clspline.Context() as context, clspline.use(context):
            self.assertIs(clspline.current(), context)
            self.assertIsNot(in_threads([clspline.current])[0], context)


class Ends(unittest.TestCase):
    def test_close_during_a_call(self):
        for _ in range(5):
            context = clspline.Context()
            patches = clspline.Bezier(np.tile(CONTROL, (100, 1, 1, 1)), context=context)
            wanted = patches.evaluate(8)
            begun = threading.Event()

            def compute():
                with self.assertRaises(clspline.StateError):
                    while True:
                        np.testing.assert_array_equal(patches.evaluate(8), wanted)
                        begun.set()
                        clspline.Bezier(CONTROL, context=context)
                        context.empty(100)

            def close():
                begun.wait(60)
                context.close()
            in_threads([compute, compute, close])
            self.assertTrue(context.closed)
            context.close()

    def test_arrays_outlive_the_context(self):
        context = clspline.Context()
        array = context.empty((1000, 1000))
        array[:] = 7
        part = array[10:20]
        context.close()
        self.assertEqual(part.sum(), 70000)
        del array, context
        gc.collect()
        self.assertEqual(part.sum(), 70000)
        with self.assertRaises(TypeError):
            clspline.current().empty(3, 'no type')

    def test_contexts_are_freed(self):
        context = clspline.Context()
        patches = clspline.Bezier(CONTROL, context=context)
        patches.evaluate(3)
        seen = weakref.ref(context)
        del context, patches
        gc.collect()
        self.assertIsNone(seen())

    def test_cycles(self):
        context = clspline.Context()
        patches = clspline.Bezier(CONTROL, context=context)
        patches.evaluate(3)
        patches.itself = patches
        context.patches = patches
        seen = weakref.ref(context)
        del context, patches
        gc.collect()
        self.assertIsNone(seen())

    def test_plans_end_with_their_object(self):
        context = clspline.Context()
        for _ in range(3):
            clspline.Bezier(CONTROL, context=context).evaluate(3)
        gc.collect()
        self.assertEqual(len(context._plans), 0)
        context.close()

    def test_joined(self):
        one, other = clspline.Context(), clspline.Context()
        one.join(other)
        patches = clspline.Bezier(CONTROL, context=one)
        patches.evaluate(3, share='dynamic')
        other.close()
        self.assertTrue(one.closed)
        with self.assertRaises(clspline.StateError):
            patches.evaluate(3)

    def test_exit(self):
        for text in ('keep = clspline.Bezier(CONTROL); keep.evaluate(3)',
                     'keep = clspline.Context(); array = keep.empty(1000)',
                     'keep = clspline.Bezier(CONTROL); keep.itself = keep; keep.evaluate(2)',
                     'clspline.Bezier(CONTROL).evaluate(3); sys.modules.clear()'):
            with self.subTest(text):
                self.assertEqual(program(text), [])

    def test_exit_while_a_thread_computes(self):
        lines = program('''
            patches = clspline.Bezier(np.tile(CONTROL, (400, 1, 1, 1)))
            begun = threading.Event()
            def compute():
                while True:
                    patches.evaluate(16)
                    begun.set()
            threading.Thread(target=compute, daemon=True).start()
            begun.wait()
            print('main ends')
        ''')
        self.assertEqual(lines, ['main ends'])


class Interrupt(unittest.TestCase):
    def test_during_a_call(self):
        lines = program('''
            patches = clspline.Bezier(np.tile(CONTROL, (100, 1, 1, 1)))
            wanted = patches.evaluate(32)
            out = np.empty_like(wanted)
            num = 0
            for turn in range(6):
                timer = threading.Timer(0.05 + 0.01 * turn, os.kill, [os.getpid(), signal.SIGINT])
                timer.start()
                try:
                    while True:
                        patches.evaluate(32, out=out)
                except KeyboardInterrupt:
                    num += 1
                timer.join()
            print(num, (patches.evaluate(32) == wanted).all())
            patches.context.close()
        ''')
        self.assertEqual(lines, ['6 True'])

    def test_ends_a_program(self):
        process = subprocess.Popen(
            [sys.executable, '-c', HEAD + textwrap.dedent('''
                patches = clspline.Bezier(np.tile(CONTROL, (100, 1, 1, 1)))
                patches.evaluate(32)
                print('begun', flush=True)
                while True:
                    patches.evaluate(32)
            ''')], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual(process.stdout.readline(), 'begun\n')
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        _, words = process.communicate(timeout=60)
        self.assertIn('KeyboardInterrupt', words)
        self.assertIn(process.returncode, (1, -signal.SIGINT))


if __name__ == '__main__':
    unittest.main()
