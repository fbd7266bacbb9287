#!/usr/bin/env python3
"""Compiles the kernels with real GPU compilers, without the GPUs, and judges what they made.

usage: targets.py [BUILD_DIR] [--list FILE] [--only WORD[,WORD...]]

The option sets are those that the library uses: BUILD_DIR/tools/clspline (default build/) is asked
for them under the limits of several makers' GPUs, or FILE holds its answers (one array of JSON,
each kernel with the "device" that it is for). What no plan uses by itself comes with typical sizes:
products of matrices, and the sums point by point.

A kernel fails when it needs scratch memory or spills registers: then
something in it is larger than a GPU's registers or is indexed by what the compiler does not know.
Spared are the variants of FASTEST_SPILLED and the programs of WITH_STACKS. A program in single
precision fails when it names doubles, openly or by a bare 1.0.

Compilers, each skipped by name where it is missing: Clang 15 or newer with ROCm's device library
(AMD), with libclc and NVIDIA's ptxas, and alone (the search for doubles); Intel's ocloc. --only
picks columns of the table by the beginnings of their names.

Prints a table of kernels by targets, each cell REGISTERS/SCRATCH BYTES/SPILLS, on Intel after the
SIMD width; then "N passed, N failed, N skipped".
"""
import concurrent.futures
import glob
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
KERNELS = os.path.join(ROOT, 'cl')
PATHS = {os.path.splitext(os.path.basename(path))[0]: path
         for path in sorted(glob.glob(os.path.join(KERNELS, '**', '*.cl'), recursive=True))}
# where files that programs include are
FOLDERS = [word for path in sorted(glob.glob(os.path.join(KERNELS, '**', ''), recursive=True))
           for word in ('-I', path)]
# Under which limits the library is asked, and whose compilers its answer is for (None: nobody's, it
# is only searched for doubles). A maker's GPUs have real local memory, and shapes of their own.
LIMITS = [(f'class={kind},local_is_real=1,local={local},vendor={vendor}', f'{vendor} {kind}')
          for vendor, local in (('AMD', 65536), ('NVIDIA', 49152), ('Intel', 65536))
          for kind in ('discrete', 'integrated')]
LIMITS += [('class=integrated,local_is_real=0,vendor=none', None)]
# what persistent kernels make launches of, by either kind of atomics; the device that is asked may
# have none
PERSISTENT = ('bezier_edges', 'bezier_points', 'bspline_points', 'list_points', 'regular_cells',
              'solid_layers', 'solid_tables', 'sum_bands', 'sum_columns', 'sum_lines',
              'sum_symmetric', 'tensor_sums', 'vertex_assembly', 'vertex_bands', 'vertex_rows')
# CLSP_K and what bounds an item of gemm.cl, below and at the edge of what the library gives it
PRODUCTS = ('-DCLSP_K=4 -DCLSP_N=4', '-DCLSP_K=16 -DCLSP_N=16', '-DCLSP_K=4 -DCLSP_ROWS=4',
            '-DCLSP_K=64 -DCLSP_ROWS=8')
# CLSP_DIM and the staging of double_sum.cl, whose methods the library does not choose by itself
POINTS = ('-DCLSP_DIM=3', '-DCLSP_DIM=5', '-DCLSP_DIM=3 -DCLSP_STAGE=1 -DCLSP_CHUNK=16 '
          '-DCLSP_TILE=8 -DCLSP_GROUP=64', '-DCLSP_DIM=5 -DCLSP_STAGE=1 -DCLSP_CHUNK=16 '
          '-DCLSP_TILE=1 -DCLSP_GROUP=64')

# sums of fewer terms than there are control points, of more orders than those built ahead
BANDS = ('-DCLSP_TERMS_U=4 -DCLSP_COLUMNS=2 -DCLSP_BLOCK_ROWS=16 -DCLSP_GROUP=64',
         '-DCLSP_TERMS_U=12 -DCLSP_COLUMNS=2 -DCLSP_BLOCK_ROWS=32 -DCLSP_GROUP=64 -DCLSP_STAGE=1',
         '-DCLSP_TERMS_U=12 -DCLSP_COLUMNS=2 -DCLSP_BLOCK_ROWS=32 -DCLSP_GROUP=64 -DCLSP_STAGE=1 '
         '-DCLSP_SECTOR=8')

# Variants that spill and are the fastest all the same: (beginning of the target's name, kernel,
# words of its options): the figure, with the device that it was measured on.
FASTEST_SPILLED = {
    ('sm_', 'vertex_rows',
     '-DCLSP_REAL=64 -DCLSP_ATTRIBUTES=257 -DCLSP_TERMS_U=16 -DCLSP_KEEP_LOCAL=1 -DCLSP_ROWS=2'):
        'points and normals 2553 GB/s, one row at a time 2383 (NVIDIA H200)',
    **{('sm_', 'vertex_bands',
        f'-DCLSP_REAL=64 -DCLSP_RATIONAL=1 -DCLSP_ATTRIBUTES=257 -DCLSP_TERMS_U={order} '
        f'-DCLSP_ROWS={rows} -DCLSP_KEEP_LOCAL=1 -DCLSP_BANDED=0'): f'{figures} (NVIDIA H100)'
       for order, rows, figures in (
           (8, 2, '0.37 ms, one row at a time 0.38, sums that are assembled 1.71'),
           (9, 1, 'order 10 in 0.44 ms, sums that are assembled 1.78'),
           (12, 1, '0.51 ms, two rows 0.70, sums that are assembled 1.80'),
           (13, 1, 'order 14 in 0.70 ms, sums that are assembled 2.04'),
           (16, 1, '0.95 ms, sums that are assembled 1.85'),
           (20, 1, '1.62 ms, sums that are assembled 2.03'))},
    ('sm_', 'vertex_bands',
     '-DCLSP_REAL=32 -DCLSP_RATIONAL=1 -DCLSP_ATTRIBUTES=257 -DCLSP_TERMS_U=20 -DCLSP_ROWS=1 '
     '-DCLSP_KEEP_LOCAL=1 -DCLSP_BANDED=0'):
        '0.42 ms, sums that are assembled 0.99 (NVIDIA H100)',
}


# Programs whose items have stacks of their own, which are indexed: in scratch memory everywhere.
WITH_STACKS = ('surface_left', 'surface_nearest', 'surface_open')


class Unusable(Exception):
    """A compiler is not here; the message says what to install."""


class Refused(Exception):
    """A compiler refused a program; the message is its own."""


def run(*command):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors='replace')
    if done.returncode != 0:
        raise Refused(f'{os.path.basename(command[0])}: {done.stdout.strip()[-2000:]}')
    return done.stdout


# ---- what to compile ----

class Program:
    """A .cl file with its options."""

    def __init__(self, name, options, devices):
        self.name = name
        self.options = options.split()
        self.devices = devices
        self.fp64 = '-DCLSP_REAL=64' in self.options
        self.atomics = '-DCLSP_STANDARD_ATOMICS=1' in self.options
        self.path = PATHS[name]
        self.images = name == 'image_textures'

    def __str__(self):
        """The macros that tell it from others of its name."""
        words = [word[len('-DCLSP_'):].lower() for word in self.options
                 if word.startswith('-DCLSP_')]
        real = 'f64' if self.fp64 else 'f32'
        kept = [word for word in words if not re.match(r'(real|fma|address|dim)=', word)]
        return ' '.join([self.name, real] + kept)


def ask(build, limits):
    """The command's list of programs under some limits; the device here need not build them."""
    command = os.path.join(build, 'tools', 'clspline')
    environment = dict(os.environ, CLSPLINE_LIMITS=limits)
    no_compiler = os.path.join(os.path.abspath(build), 'tests', 'libno_compiler.so')
    if os.path.exists(no_compiler):
        environment.update(LD_PRELOAD=no_compiler, CLSPLINE_CACHE_DIR='')
    done = subprocess.run([command, 'devices', '--kernels', '--json'], env=environment, check=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)


def programs(build, list_file):
    if list_file:
        with open(list_file, encoding='utf-8') as file:
            kernels = json.load(file)
    else:
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            answers = list(pool.map(lambda pair: ask(build, pair[0]), LIMITS))
        kernels = [dict(kernel, device=device) for (_, device), answer in zip(LIMITS, answers)
                   for kernel in answer]
    devices = {}
    for kernel in kernels:
        devices.setdefault((kernel['program'], kernel['options']), set()).add(kernel['device'])
    pairs = list(devices)
    for real in (32, 64):
        common = f'-cl-std=CL1.2 -DCLSP_REAL={real} -DCLSP_FMA=1 -DCLSP_ADDRESS=64'
        pairs += [('gemm', f'{common} {sizes}') for sizes in PRODUCTS]
        pairs += [('double_sum', f'{common} {words}') for words in POINTS]
        pairs += [('sum_bands', f'{common} {words}') for words in BANDS]
        pairs += [('sum_lines', f'{common} -DCLSP_DIM={dim} -DCLSP_TERMS={terms}')
                  for dim in (1, 3) for terms in (12, 32)]
        pairs += [('differences', f'{common} -DCLSP_DIM=3 -DCLSP_SCALED=1')]
        pairs += [('tensor_sums', f'{common} -DCLSP_DIM=3 -DCLSP_BANDED=1')]
        for name in PERSISTENT:
            queued = f'{common} -DCLSP_QUEUED=1 -DCLSP_STANDARD_ATOMICS'
            pairs += [(name, f'{queued}=0'), (name, queued.replace('CL1.2', 'CL2.0') + '=1')]
    for name in PATHS:  # what nobody asked for, bare
        if all(name != other for other, _ in pairs):
            pairs.append((name, '-cl-std=CL1.2'))
    everybody = {device for _, device in LIMITS}
    return [Program(*pair, devices.get(pair, everybody)) for pair in pairs]


# ---- the compilers ----

def find_clang():
    for version in range(15, 31):
        found = shutil.which(f'clang-{version}')
        if found:
            return found, version
    found = shutil.which('clang')
    match = found and re.search(r'version (\d+)', run(found, '--version'))
    if not match or int(match.group(1)) < 15:
        raise Unusable('clang 15 or newer')
    return found, int(match.group(1))


def first_existing(patterns, what):
    for pattern in patterns:
        paths = sorted(glob.glob(pattern))
        if paths:
            return paths[-1]
    raise Unusable(what)


CL = ['-x', 'cl', '-Xclang', '-finclude-default-header', *FOLDERS]


class Amd:
    fp64 = True
    atomics = True  # the standard ones of OpenCL C 2.0
    images = True

    def __init__(self, chip, kind):
        self.name = chip
        self.device = f'AMD {kind}'
        self.chip = chip

    def prepare(self):
        self.clang, version = find_clang()
        self.library = os.path.dirname(first_existing(
            [f'/usr/lib/llvm-{version}/lib/clang/{version}*/lib/amdgcn/bitcode/ockl.bc',
             f'/usr/lib/llvm-{version}/lib/clang/{version}*/amdgcn/bitcode/ockl.bc',
             '/usr/lib/*/amdgcn/bitcode/ockl.bc', '/opt/rocm/amdgcn/bitcode/ockl.bc'],
            'rocm-device-libs'))

    def compile(self, program, folder):
        """{kernel: (registers, scratch bytes, spills, SIMD width or None)}"""
        output = os.path.join(folder, 'k.s')
        run(self.clang, *CL, *program.options, '-O3', '-target', 'amdgcn-amd-amdhsa',
            f'-mcpu={self.chip}', f'--rocm-device-lib-path={self.library}', '-S', '-o', output,
            program.path)
        with open(output, encoding='utf-8') as file:
            metadata = file.read().split('amdhsa.kernels:')[1].split('\namdhsa.')[0]
        found = {}
        for entry in re.split(r'^  - ', metadata, flags=re.M)[1:]:
            fields = dict(re.findall(r'^ *\.(\w+): +(\S+)$', '    ' + entry, re.M))
            # .name also names arguments; .symbol is the kernel's, with .kd behind. Scalars that
            # spill go to lanes of a vector register, not to memory: they do not count.
            found[fields['symbol'].strip("'").rsplit('.', 1)[0]] = (
                int(fields['vgpr_count']), int(fields['private_segment_fixed_size']),
                int(fields['vgpr_spill_count']), None)
        return found


class Nvidia:
    device = 'NVIDIA discrete'
    fp64 = True
    atomics = False  # libclc has none, and no such device offers them in shared memory
    images = False   # libclc has none for these

    def __init__(self, chip):
        self.name = chip
        self.chip = chip

    def prepare(self):
        self.clang, _ = find_clang()
        self.library = first_existing(
            ['/usr/lib/clc/nvptx64--nvidiacl.bc', '/usr/share/clc/nvptx64--nvidiacl.bc',
             '/usr/lib/*/clc/nvptx64--nvidiacl.bc'], 'libclc')
        self.ptxas = shutil.which('ptxas') or first_existing(
            ['/usr/local/cuda/bin/ptxas', '/usr/local/cuda-*/bin/ptxas', '/opt/cuda/bin/ptxas',
             '/usr/lib/nvidia-cuda-toolkit/bin/ptxas'], 'ptxas of the CUDA toolkit')

    def compile(self, program, folder):
        ptx = os.path.join(folder, 'k.ptx')
        run(self.clang, *CL, *program.options, '-O3', '-target', 'nvptx64-nvidia-nvcl',
            '-Xclang', '-target-cpu', '-Xclang', self.chip,
            '-Xclang', '-target-feature', '-Xclang', '+ptx72',
            '-Xclang', '-mlink-builtin-bitcode', '-Xclang', self.library,
            '-S', '-o', ptx, program.path)
        with open(ptx, encoding='utf-8') as file:
            text = file.read()
        with open(ptx, 'w', encoding='utf-8') as file:  # Clang adds the name of an OpenCL driver
            file.write(re.sub(r'^\.target .*$', f'.target {self.chip}', text, flags=re.M))
        log = run(self.ptxas, '-v', f'-arch={self.chip}', ptx,
                  '-o', os.path.join(folder, 'k.cubin'))
        found = {}
        for part in log.split('Compiling entry function ')[1:]:
            kernel = part.split("'")[1]
            numbers = [int(number) for number in re.search(
                r'(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads',
                part).groups()]
            registers = int(re.search(r'Used (\d+) registers', part).group(1))
            found[kernel] = (registers, numbers[0], numbers[1] + numbers[2], None)
        return found


class Intel:
    atomics = True
    images = True

    def __init__(self, chip, kind, fp64):
        self.name = chip
        self.device = f'Intel {kind}'
        self.chip = chip
        self.fp64 = fp64

    def prepare(self):
        self.ocloc = shutil.which('ocloc')
        if not self.ocloc:
            raise Unusable('ocloc')

    def compile(self, program, folder):
        options = ' '.join(program.options + FOLDERS)
        run(self.ocloc, 'compile', '-file', program.path, '-device', self.chip,
            '-options', options, '-out_dir', folder)
        path = first_existing([os.path.join(folder, '*.bin')], 'output of ocloc')
        with open(path, 'rb') as file:
            info = elf_section(file.read(), '.ze_info').decode('utf-8', 'replace')
        kernels = re.split(r'^(?=\S)', info.split('\nkernels:')[1].lstrip('\n'), flags=re.M)[0] \
            if '\nkernels:' in info else info
        found = {}
        for entry in re.split(r'^  - name: +', kernels, flags=re.M)[1:]:
            kernel = entry.split()[0].strip("'\"")

            def field(word, text=entry):
                match = re.search(rf'^ +{word}: +(\d+)', text, re.M)
                return int(match.group(1)) if match else 0
            if field('simd_size'):  # what has none is no kernel but the section's own
                found[kernel] = (field('grf_count'), field('private_size'), field('spill_size'),
                                 field('simd_size'))
        return found


class Singles:
    """Compiles programs in single precision for a device that has no doubles."""
    device = None
    fp64 = False

    def __init__(self, standard):
        self.name = f'no-double-{standard}'
        self.standard = standard
        self.atomics = standard != 'CL1.2'
        self.images = True

    def prepare(self):
        self.clang, _ = find_clang()

    def compile(self, program, _folder):
        options = [word for word in program.options if not word.startswith('-cl-std=')]
        extensions = '-cl_khr_fp64' if self.standard == 'CL1.2' else '-cl_khr_fp64,-__opencl_c_fp64'
        run(self.clang, *CL, f'-cl-std={self.standard}', *options,
            '-target', 'spir64-unknown-unknown', '-Xclang', f'-cl-ext={extensions}',
            '-fsyntax-only', '-Wall', '-Wextra', '-Wdouble-promotion', '-Werror',
            # programs share functions, variants of a kernel its parameters and variables
            '-Wno-unused-function', '-Wno-unused-parameter', '-Wno-unused-but-set-parameter',
            '-Wno-unused-variable', '-Wno-unused-but-set-variable',
            program.path)
        return {}


def elf_section(data, name):
    """Contents of a section of a 64-bit little-endian ELF file."""
    table, = struct.unpack_from('<Q', data, 0x28)
    size, count, names_index = struct.unpack_from('<3H', data, 0x3A)
    headers = [struct.unpack_from('<2I4Q', data, table + size * i) for i in range(count)]
    names = headers[names_index][4]
    for header in headers:
        start = names + header[0]
        if data[start:data.index(b'\0', start)].decode() == name:
            return data[header[4]:header[4] + header[5]]
    raise Refused(f'no section {name}')


TARGETS = [Amd('gfx902', 'integrated'), Amd('gfx90a', 'discrete'), Amd('gfx1030', 'discrete'),
           Nvidia('sm_75'), Nvidia('sm_86'), Intel('tgllp', 'integrated', False),
           Intel('dg2', 'discrete', False), Intel('bmg', 'discrete', True),
           Singles('CL1.2'), Singles('CL3.0')]


# ---- judging ----

def compile_one(target, program):
    """The target's kernels, or the error that it gave."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            return target.compile(program, folder)
        except (Refused, Unusable) as error:
            return error


def cell(numbers):
    registers, scratch, spills, simd = numbers
    text = f'{registers}/{scratch}/{spills}'
    return text if simd is None else f'x{simd} {text}'


def may_spill(target, program, kernel):
    return program.name in WITH_STACKS or any(target.name.startswith(name) and kernel == spilling
               and set(words.split()) <= set(program.options)
               for name, spilling, words in FASTEST_SPILLED)


def judge(target, program, result, failures):
    """Cells {kernel: text} of one program; adds to the failures what is wrong."""
    if isinstance(result, Exception):
        failures.append(f'{program} for {target.name}: {result}')
        return {None: 'REFUSED'}
    if not result:
        return {None: 'ok'}
    cells = {kernel: cell(numbers) for kernel, numbers in result.items()}
    for kernel, (_, scratch, spills, _) in result.items():
        if (scratch > 0 or spills > 0) and not may_spill(target, program, kernel):
            cells[kernel] += ' !'
            failures.append(f'{kernel} ({program}) for {target.name}: {scratch} bytes of scratch, '
                            f'{spills} spills')
    return cells


def wanted(target, program):
    if program.fp64 and not target.fp64 or program.atomics and not target.atomics:
        return False
    if program.images and not target.images:
        return False
    return isinstance(target, Singles) or target.device in program.devices


def usable_targets(only):
    targets, absent = [], []
    for target in TARGETS:
        if only and not target.name.startswith(tuple(only.split(','))):
            continue
        try:
            target.prepare()
            targets.append(target)
        except Unusable as error:
            absent.append(f'{target.name}: skipped, needs {error}')
    return targets, absent


def print_table(rows, targets):
    """rows: {(program, kernel): {target name: cell}}"""
    names = [target.name for target in targets]
    lines = [['kernel', *names]]
    lines += [[label, *[cells.get(name, '-') for name in names]] for label, cells in rows.items()]
    widths = [max(len(line[at]) for line in lines) for at in range(len(names) + 1)]
    for line in lines:
        print('  '.join(text.ljust(width) for text, width in zip(line, widths)).rstrip())


def label_of(program, kernel):
    return str(program) if kernel in (None, program.name) else f'{kernel}: {program}'


def arguments(words):
    build, list_file, only = os.path.join(ROOT, 'build'), None, None
    while words:
        word = words.pop(0)
        if word in ('--list', '--only') and words:
            value = words.pop(0)
            list_file, only = (value, only) if word == '--list' else (list_file, value)
        elif word.startswith('-'):
            sys.exit(__doc__)
        else:
            build = word
    return build, list_file, only


def main():
    build, list_file, only = arguments(sys.argv[1:])
    targets, absent = usable_targets(only)
    jobs = [(target, program) for program in programs(build, list_file) for target in targets
            if wanted(target, program)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda job: compile_one(*job), jobs))
    failures, rows, failed = [], {}, 0
    for (target, program), result in zip(jobs, results):
        before = len(failures)
        for kernel, text in judge(target, program, result, failures).items():
            kernels = [kernel] if kernel else kernels_of(program, jobs, results)
            for name in kernels:
                rows.setdefault(label_of(program, name), {})[target.name] = text
        failed += len(failures) > before
    print_table(rows, targets)
    for line in failures + absent:
        print(line)
    print(f'{len(jobs) - failed} passed, {failed} failed, {len(absent)} skipped')
    sys.exit(failed > 0)


def kernels_of(program, jobs, results):
    """Names of a program's kernels, from whichever target told them."""
    for (_, other), result in zip(jobs, results):
        if other is program and not isinstance(result, Exception) and result:
            return list(result)
    return [None]


if __name__ == '__main__':
    main()
