#!/usr/bin/env python3
"""Looks at what clspline-bench writes, and at the tables that bench/figures.py makes of it.

usage: test_bench.py CLSPLINE_BENCH SOURCE_ROOT
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

BENCH, FIGURES = sys.argv[1], os.path.join(sys.argv[2], 'bench', 'figures.py')
ORIGIN = {'platform': 'P', 'driver': '1', 'class': 'discrete', 'limits': '', 'compute_units': 2,
          'cores': 2, 'system': 'S', 'version': '0', 'commit': 'c', 'date': 'd',
          'error_unit': 'eps * largest coordinate', 'unit': 'point/s', 'work': 1, 'rate': 1,
          'bytes': None, 'floor_ms': None, 'fraction_of_floor': None, 'error': None}


def run(*arguments, limits=''):
    done = subprocess.run([BENCH, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, env=dict(os.environ, CLSPLINE_LIMITS=limits))
    if 'CLSP_ERROR_NO_DEVICE' in done.stderr:
        raise unittest.SkipTest('no OpenCL device')
    return done


def row(method, precision, ms, device='D'):
    return dict(ORIGIN, suite='bezier', case='4x4', method=method, precision=precision,
                device=device, time_ms_median=ms, time_ms_min=ms)


class Bench(unittest.TestCase):
    def test_lines(self):
        """Each line of the JSON says where it comes from, and in what its error is."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'a.json')
            done = run('project', '--quick', '--case', 'S3x30', '--json', path,
                       limits='fp64=0')
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(path, encoding='utf-8') as file:
                rows = [json.loads(line) for line in file]
        self.assertTrue(rows)
        for each in rows:
            self.assertEqual(each.keys(), {'suite', 'case', 'method', 'precision', 'device',
                                           'time_ms_median', 'time_ms_min', *ORIGIN})
            self.assertEqual((each['limits'], each['precision']), ('fp64=0', 'f32'))
            self.assertIn(each['class'], ('cpu', 'integrated', 'discrete', 'accelerator'))
            self.assertRegex(each['version'], r'^\d+\.\d+\.\d+$')
            self.assertRegex(each['date'], r'^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$')
            self.assertEqual(each['error_unit'], ORIGIN['error_unit'])
            self.assertEqual(each['cores'], len(os.sched_getaffinity(0)))

    def test_papers(self):
        """A paper's numbers stand beside what is measured, and fill the tables of a page."""
        with tempfile.TemporaryDirectory() as folder:
            path, page = os.path.join(folder, 'a.json'), os.path.join(folder, 'page.md')
            done = run('papers', '003', '--quick', '--precision', 'f32', '--json', path)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn('3 (GeForce 8800 GT)', done.stdout)
            self.assertNotIn('paper 004', done.stdout)
            with open(path, encoding='utf-8') as file:
                rows = [json.loads(line) for line in file if '"paper 003"' in line]
            self.assertEqual({each['printed'] for each in rows},
                             {'3 (GeForce 8800 GT)', '-'})
            self.assertTrue(all(each['rate'] > 0 for each in rows))
            with open(page, 'w', encoding='utf-8') as file:
                file.write('a\n<!-- paper 003 -->\n<!-- end -->\nb\n')
            papers = [sys.executable, '-B', FIGURES]
            check = [*papers, '--check', page, path]
            self.assertEqual(subprocess.run(check, stdout=subprocess.DEVNULL).returncode, 1)
            subprocess.run([*papers, page, path], check=True)
            subprocess.run(check, check=True)
            with open(page, encoding='utf-8') as file:
                self.assertRegex(file.read(), r'\| 4 \| the direct sum.* \| 3 .* \| [\d.]+.* \|\n')

    def test_papers_without_opencl(self):
        """On the host alone the numbers that papers have for CPUs are there, others are named."""
        done = run('papers', '000', '--quick', '--device', 'host', '--precision', 'f32')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r'Figure 5: 4x4, 300x300 +MLE over BRF +f32 +[\d.]+ x  19')
        self.assertIn('Table 3: not measured here', done.stdout)

    def test_processors(self):
        """A CPU's jobs are made in host memory, in buffers and by the loop, and compared."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'a.json')
            done = run('processors', '--quick', '--device', 'cpu', '--case', 'image 64^2, order 3',
                       '--precision', 'f32', '--json', path)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(path, encoding='utf-8') as file:
                rows = {row['method']: row for row in (json.loads(line) for line in file)}
        self.assertEqual(list(rows), ['host', 'buffer', 'C loop', 'C loop/host'])
        times = [rows[method]['time_ms_min'] for method in ('host', 'C loop')]
        self.assertAlmostEqual(rows['C loop/host']['rate'] * times[0] / times[1], 1, places=4)

    def test_host(self):
        """The host's methods are compared without OpenCL, and no kernels; other suites are not."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'a.json')
            done = run('figures', 'outputs', '--quick', '--device', 'host', '--case',
                       '4x4, 300x300', '--json', path)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(path, encoding='utf-8') as file:
                rows = {row['method']: row for row in (json.loads(line) for line in file)}
        self.assertIn('outputs: left out', done.stdout)
        if 'without the published methods' in done.stdout:
            self.skipTest('built without the published methods')
        for method in ('multilevel', 'matrix', 'brute', 'multilevel/brute', 'multilevel/matrix'):
            self.assertEqual(rows[method]['class'], 'host')
        self.assertLess(rows['brute']['error'], 6 * 6 + 70)
        self.assertNotIn('matrix-pt, kept', rows)

    def test_all_cores(self):
        """With workers a CPU's jobs are calls without a share, and need no OpenCL."""
        done = run('processors', '--quick', '--device', 'host', '--case', 'image 64^2, order 3',
                   '--precision', 'f32', '--workers', '2')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, 'default call')
        self.assertNotIn('buffer', done.stdout)


class Tables(unittest.TestCase):
    def test_lines(self):
        """Lines are of a device and a precision; beside a float stands a float, or a double that
        is named."""
        rows = [row('separable', 'f32', 1.0), row('per-point', 'f32', 8.0),
                row('separable', 'f64', 2.0), row('de Casteljau', 'f64', 6.0),
                row('separable', 'f32', 3.0, 'E'), row('de Casteljau', 'f64', 1.5, 'E'),
                row('other', 'f32', 1.0)]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'a.json')
            with open(path, 'w', encoding='utf-8') as file:
                file.writelines(json.dumps(each) + '\n' for each in rows)
            kept = os.path.join(folder, 'b.json')
            subprocess.run([sys.executable, '-B', FIGURES, '--keep', kept, path], check=True)
            done = [subprocess.run([sys.executable, '-B', FIGURES, '--print', name],
                                   stdout=subprocess.PIPE, text=True, check=True).stdout
                    for name in (path, kept)]
            with open(kept, encoding='utf-8') as file:
                self.assertNotIn('"other"', file.read())
        self.assertEqual(*done)
        self.assertEqual(re.findall(r'^\| 4x4.*\|$', done[0], re.M),
                         ['| 4x4 | D | 1 | 1 point/s | per-point | 8 |',
                          '| 4x4, double | D | 2 | 1 point/s | de Casteljau | 3 |',
                          '| 4x4 | E | 3 | 1 point/s | de Casteljau, double | 0.5 |'])


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1], verbosity=2)
