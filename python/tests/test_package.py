"""What the package is as a whole: its examples, its public names, its devices and contexts."""
import ast
import builtins
import doctest
import gc
import importlib.util
import inspect
import logging
import os
import pathlib
import pkgutil
import re
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

import numpy as np

import clspline
from common import DEVICES, HAS_OPENCL, needs_fp64

HERE = pathlib.Path(__file__).parent


def modules():
    return [importlib.import_module('clspline.' + found.name)
            for found in pkgutil.iter_modules(clspline.__path__)
            if found.name not in ('_clspline', '__main__')] + [clspline]


TYPED = '''
import numpy as np
import clspline
from clspline import ndimage

rng = np.random.default_rng(0)
with clspline.use(clspline.Context("cpu", workers=2)) as context:
    surfaces = clspline.Bezier(rng.random((10, 4, 4, 3), np.float32), context=context)
share = clspline.Share("host", workers=1)
grid = surfaces.evaluate((16, 8), ("point", "normal"), share=share, patches=slice(2, 4))
surfaces.evaluate(4, out=np.empty((10, 4, 4, 3), np.float32), domain=((0, 1), (0.5, 1)))
mesh = surfaces.mesh(8, faces="quads", watertight=True)
print(mesh.vertices[mesh.faces[0]].sum(), grid["normal"].mean(), surfaces.degree[0] + 1)
curve = clspline.BSpline(None, [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [2.0, 1.0]], 2,
                         extrapolate="periodic")
found = curve.project(rng.random((100, 2)), k=2, hints=[0.5])
print(found.distance.min(), curve(0.5, nu=1), curve.at([0.5, 2], 0, "du"), curve.domain)
pieces: clspline.Bezier = curve.insert_knots([0.25]).elevate(1).restrict((0.1, 0.9)).bezier()
image = clspline.Image(rng.random((64, 64)), order=3, mode=("mirror", "wrap"))
print(image.affine([0.5, 0.5], output_shape=(8, 8)).sum(), image.at([[1.0, 2.0]], gradient=True))
turned = ndimage.rotate(rng.random((32, 32)), 30.0, mode="mirror", fallback="scipy")
values, slope = ndimage.map_coordinates(turned, [[1.5, 2], [3, 4.25]], gradient=True)
solid = clspline.Solid(rng.random((8, 3)), [[0, 1, 3, 2, 4, 5, 7, 6]], creases=30)
indices, weights = solid.refine(None).weights(0, [0, 0, 0])
print(solid.locate([[0.5, 0.5, 0.5]]).cell, solid.counts.hexahedral, solid.points[indices])
try:
    print([device.global_bytes >> 30 for device in clspline.devices()], share.report)
except clspline.Error as error:
    print(error.status + 1, clspline.current().device.kind, len(surfaces.png()))
'''


def functions():
    """(name, function) of all that users may call, with constructors and setters."""
    for module in clspline, clspline.ndimage:
        for name in module.__all__:
            value = getattr(module, name)
            if inspect.isfunction(value):
                yield name, value
            for owner in value.__mro__ if inspect.isclass(value) else ():
                for method, each in vars(owner).items():
                    if owner.__module__.startswith('clspline') and \
                            (method[0] != '_' or method in ('__init__', '__call__')):
                        for one in (getattr(each, '__func__', each), getattr(each, 'fget', None),
                                    getattr(each, 'fset', None)):
                            if inspect.isfunction(one) and one.__module__ == owner.__module__:
                                yield f'{name}.{method}', one


def public_names():
    """Functions, classes and their methods and properties that users may call."""
    for module in modules():
        if module.__name__.split('.')[-1].startswith('_'):
            continue
        for name, value in vars(module).items():
            if name.startswith('_') or inspect.ismodule(value) or \
                    not getattr(value, '__module__', '').startswith('clspline'):
                continue
            yield name
            if inspect.isclass(value):
                for owner in value.__mro__[:-1]:
                    if owner.__module__.startswith('clspline'):
                        yield from (each for each in vars(owner) if not each.startswith('_'))


class Names(unittest.TestCase):
    def test_each_is_used_by_a_test(self):
        text = ''.join(path.read_text(encoding='utf-8') for path in HERE.glob('test_*.py'))
        missing = sorted({name for name in public_names() if name not in text})
        self.assertEqual(missing, [])

    def test_each_has_words(self):
        for module in modules():
            for name, value in vars(module).items():
                if inspect.isclass(value) and value.__module__ == module.__name__ and \
                        not name.startswith('_'):
                    self.assertTrue(value.__doc__, name)
                    for method, function in vars(value).items():
                        if inspect.isfunction(function) and not method.startswith('_'):
                            self.assertTrue(function.__doc__, f'{name}.{method}')

    def test_each_raise_is_an_error_of_ours(self):
        for module in modules():
            if module.__name__ == 'clspline._native':
                continue  # which is not there yet, where it raises
            for node in ast.walk(ast.parse(inspect.getsource(module))):
                if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
                    name = ast.unparse(node.exc.func)
                    self.assertFalse(hasattr(builtins, name), f'{module.__name__}: raise {name}')

    def test_each_has_hints(self):
        for name, function in functions():
            signature = inspect.signature(function)
            missing = [each.name for each in signature.parameters.values()
                       if each.annotation is each.empty and each.name not in ('self', 'cls')]
            if signature.return_annotation is signature.empty:
                missing.append('return')
            self.assertEqual(missing, [], name)

    def test_all(self):
        for module in clspline, clspline.ndimage:
            named = {name for name, value in vars(module).items() if name[0] != '_' and
                     getattr(value, '__module__', '').startswith('clspline')}
            self.assertLessEqual(named - {'ndimage'}, set(module.__all__) | {
                'ArgumentError', 'ArgumentTypeError'})

    @unittest.skipUnless(importlib.util.find_spec('mypy'), 'no module mypy')
    def test_hints(self):
        """A user's program that is checked strictly."""
        place = str(pathlib.Path(clspline.__file__).parent.parent)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / 'typed.py'
            path.write_text(TYPED, encoding='utf-8')
            done = subprocess.run(
                [sys.executable, '-m', 'mypy', '--strict', '--follow-imports=silent', path.name],
                cwd=folder, stdout=subprocess.PIPE, universal_newlines=True,
                env=dict(os.environ, MYPYPATH='' if place.endswith('-packages') else place))
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_version(self):
        self.assertRegex(clspline.__version__, r'^\d+\.\d+\.\d+$')

    @needs_fp64
    def test_examples(self):
        for module in modules():
            with self.subTest(module.__name__):
                with unittest.mock.patch.dict(os.environ, CLSPLINE_LIMITS=''):  # of its host
                    failed, _ = doctest.testmod(module)
                self.assertEqual(failed, 0)


class Contexts(unittest.TestCase):
    def line(self, **named):
        return clspline.Bezier(np.float32([[0, 0], [1, 1]]), 'curve', **named)

    def test_devices(self):
        self.assertEqual([device.index for device in DEVICES], list(range(len(DEVICES))))
        self.assertEqual([device.kind == 'host' for device in DEVICES],
                         [False] * (len(DEVICES) - 1) + [True])
        self.assertIn(clspline.current().device.name, [device.name for device in DEVICES])

    def test_choice(self):
        for name in (None, '0', 0, DEVICES[0]):
            context = clspline.Context(name, workers=1, cache_dir='', limits='svm=0')
            self.assertEqual(self.line(context=context).evaluate(2).tolist(), [[0, 0], [1, 1]])
            context.finish()
            context.close()
        with self.assertRaisesRegex(clspline.NoDeviceError,
                                    'no such thing' if HAS_OPENCL else 'no OpenCL device'):
            clspline.Context('no such thing')
        with self.assertRaises(clspline.ArgumentError):
            clspline.Context(limits='nothing=1')
        with self.assertRaises(TypeError):
            clspline.Context(1.5)

    def test_use(self):
        outer = clspline.current()
        with clspline.use(clspline.Context()) as context:
            self.assertIs(clspline.current(), context)
            self.assertIs(self.line().context, context)
        self.assertIs(clspline.current(), outer)
        with clspline.use(DEVICES[0]) as context:
            self.assertEqual(context.device.name, DEVICES[0].name)

    def test_close(self):
        with clspline.Context() as context:
            line = self.line(context=context)
            line.evaluate(2)
            self.assertFalse(context.closed)
        self.assertTrue(context.closed)
        for call in (lambda: line.evaluate(2), lambda: line.at(0.5), lambda: context.pointer,
                     context.finish, lambda: context.empty(3), lambda: context.join(context),
                     lambda: self.line(context=context).evaluate(2)):
            with self.assertRaisesRegex(clspline.StateError, 'closed'):
                call()
        context.close()
        self.assertIn('closed', repr(context))

    def test_empty(self):
        context = clspline.Context()
        memory = context.empty((3, 4), np.float64)
        memory[:] = 1
        context.close()
        self.assertEqual(memory.sum(), 12)
        self.assertEqual(clspline.current().empty(0).size, 0)
        self.assertEqual(clspline.current().empty(5).shape, (5,))
        del memory
        gc.collect()

    def test_join(self):
        one, two = clspline.Context(), clspline.Context()
        one.join(two)
        with self.assertRaises(clspline.ArgumentError):
            two.join(one)
        line = clspline.Bezier(np.random.default_rng(0).random((99, 4, 3), np.float32), 'curve',
                               context=one)
        np.testing.assert_allclose(line.evaluate(50, share='dynamic'), line.evaluate(50),
                                   atol=1e-6)
        two.close()  # and with it what joined it
        self.assertTrue(one.closed)

    def test_collected(self):
        for _ in range(3):
            context = clspline.Context()
            context.line = self.line(context=context)  # a cycle
            context.line.evaluate(3)
            del context
            gc.collect()

    def test_measured_speeds(self):
        line = clspline.Bezier(np.zeros((9, 4, 3), np.float32), 'curve')
        share = clspline.Share('auto', measure=True)
        line.evaluate(50, share=share)
        self.assertEqual(share.report.schedule, 'auto')

    def test_errors(self):
        context = clspline.Context(limits='fp64=0')
        with self.assertRaises(clspline.NoFloat64Error) as caught:
            clspline.Bezier(np.zeros((2, 2)), 'curve', context=context).evaluate(2)
        self.assertEqual(caught.exception.status, -2005)
        self.assertEqual(clspline.Bezier([[1, 2], [2, 3]], 'curve', context=context).precision,
                         np.float32)
        with self.assertRaises(clspline.OutOfMemoryError):
            context.empty(2 ** 61)
        for kind, base in ((clspline.ArgumentError, ValueError),
                           (clspline.ArgumentTypeError, TypeError),
                           (clspline.ArgumentIndexError, IndexError),
                           (clspline.ArgumentKeyError, KeyError),
                           (clspline.ndimage.UnsupportedError, NotImplementedError),
                           (clspline.StateError, RuntimeError),
                           (clspline.NoFloat64Error, NotImplementedError),
                           (clspline.OutOfMemoryError, MemoryError),
                           (clspline.OpenCLError, RuntimeError)):
            self.assertTrue(issubclass(kind, base) and issubclass(kind, clspline.Error))
        with self.assertRaises(clspline.Error) as caught:
            clspline.ndimage.shift(np.zeros(3), 1, order=8)
        for base in (RuntimeError, ValueError):
            self.assertIsInstance(caught.exception, base)
        self.assertEqual(caught.exception.status, -2001)

    def test_wrong_arguments(self):
        """Of whatever type they are, they are an Error that names them."""
        line, share, call = self.line(), clspline.Share, clspline.current
        plane = clspline.BSpline((None, None), np.ones((3, 3, 3)), 1, precision='f4')
        calls = {
            'form': lambda x: clspline.Bezier(np.ones((3, 3)), x),
            'attributes': lambda x: line.evaluate(2, x), 'out': lambda x: line.evaluate(2, out=x),
            'domain': lambda x: line.evaluate(2, domain=x), 'nu': lambda x: line.bspline()(0, x),
            'dtype': lambda x: line.evaluate(2, dtype=x), 'patch': lambda x: line.at(0.5, x),
            'wait_for': lambda x: line.evaluate(2, wait_for=x),
            'share': lambda x: line.evaluate(2, share=x), 'k': lambda x: plane.project([0] * 3, x),
            'schedule': lambda x: line.evaluate(2, share=share(x)),
            'ratio': lambda x: line.evaluate(2, share=share('static', x)),
            'workers': lambda x: line.evaluate(2, share=share('host', workers=x)),
            'faces': lambda x: plane.mesh(2, faces=x), 'by': plane.elevate,
            'restrict': lambda x: plane.restrict(x, x), 'size': line.png,
            'method': lambda x: plane.project([0] * 3, method=x),
            'tolerance': lambda x: plane.project([0] * 3, tolerance=x),
            'distance_upper': lambda x: plane.project([0] * 3, distance_upper_bound=x),
            'extrapolate': lambda x: plane([0, 0], extrapolate=x), 'up': lambda x: plane.png(up=x),
            'elevation': lambda x: plane.png(elevation=x), 'shape': lambda x: call().empty(x),
            'other': lambda x: call().join(x), 'cache_dir': lambda x: clspline.Context(cache_dir=x),
            'limits': lambda x: clspline.Context(limits=x),
        }
        for name, each in calls.items():
            for wrong in ([[1], [2, 3]], 'no', 2.5, object()):
                if (name, wrong) in (('tolerance', 2.5), ('distance_upper', 2.5),
                                     ('elevation', 2.5), ('cache_dir', 'no')):
                    continue  # which are right
                with self.subTest(name, wrong=wrong), \
                        self.assertRaisesRegex(clspline.Error, f'{name}|bspline|limits|schedule'):
                    each(wrong)

    def test_log(self):
        with self.assertLogs('clspline', logging.DEBUG) as logs:
            clspline.Context()
        self.assertTrue(logs.output)


class Processes(unittest.TestCase):
    def run_python(self, text, **environment):
        return subprocess.run([sys.executable, '-c', text], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=60,
                              env=dict(os.environ, **environment), universal_newlines=True)

    def test_programs(self):
        for path in sorted((HERE.parent.parent / 'examples' / 'python').glob('*.py')):
            with self.subTest(path.name), tempfile.TemporaryDirectory() as folder:
                done = subprocess.run([sys.executable, path], stdout=subprocess.PIPE, cwd=folder,
                                      stderr=subprocess.STDOUT, timeout=120)
                if done.returncode == 77:
                    continue  # it says what it would need
                self.assertEqual(done.returncode, 0, done.stdout.decode())

    def test_page_of_the_wheel(self):
        """What it links to, and shows, is where a reader is who has the metadata alone."""
        root = HERE.parent.parent
        project = (root / 'pyproject.toml').read_text(encoding='utf-8')
        page = root / re.search(r"^readme = '(.*)'", project, re.MULTILINE)[1]
        links = re.findall(r'\]\((\S*?)\)', page.read_text(encoding='utf-8'))
        self.assertEqual([link for link in links if not link.startswith('https://')], [])
        self.assertRegex(project, "(?m)^license-files = .'LICENSE'")

    @needs_fp64
    def test_pages(self):
        for name in ('README.md', 'python/README.md'):  # tests/tools/test_guide.py has the others
            text = (HERE.parent.parent / name).read_text(encoding='utf-8')
            programs = re.findall(r'^```python\n(.*?)^```$', text, re.MULTILINE | re.DOTALL)
            self.assertTrue(programs)
            for program in programs:
                if 'import dask' in program and not importlib.util.find_spec('dask'):
                    continue
                exec(compile(program, name, 'exec'), {})

    def test_end_with_objects_alive(self):
        done = self.run_python('import numpy as np, clspline\n'
                               'line = clspline.Bezier(np.zeros((2, 2), "f4"), "curve")\n'
                               'line.evaluate(3); a = clspline.current().empty(9)\n')
        self.assertEqual((done.returncode, done.stdout), (0, ''))


if __name__ == '__main__':
    unittest.main()
