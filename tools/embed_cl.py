#!/usr/bin/env python3
"""Writes the OpenCL C files into one C file, and their kernels' parameters into a header.

    embed_cl.py [--prefix NAME] [--arguments HEADER] OUTPUT.c DEPFILE FILE.cl...

Each FILE.cl becomes an entry of clspi_sources (src/device/sources.h): a list of pieces, which
programs that include the same files have in common. The texts of all pieces are packed in one block
of LZ4, which is 0.3 of their size. With --prefix a file becomes an entry of NAME_sources, declared
in NAME_sources.h, and its text is not packed. #include "x.clh" is replaced by the file's text, once
per program, comments by their line ends, and lines lose their indentation; #line marks keep the
compiler's messages at the true file and line. An included file is looked for beside the one that
includes it, then below the folder that all files have in common. Bytes are written as numbers:
string literals have a length limit in standard C.

HEADER gets a macro CLSPI_FILE_NAME for every macro NAME, or CLSP_NAME, that a FILE.cl or FILE.clh
defines once, as a whole number: so the host knows sizes and numbers by the kernels' own, and what
an option is that it does not give. For every `kernel void NAME(...)` HEADER gets a struct of its
parameters, clspi_NAME_args, and the signature by which src/device/arguments.c sets them,
clspi_NAME_signature. Structs that kernels take by value become C structs, clspi_STRUCT, with the
same fields. What stands for what:
    global T *x, local excluded    cl_mem x
    constant T *x, ALONG T *x      cl_mem x (a macro of cl/solid, either of them)
    read_only T x                  cl_mem x (T: image2d_t, image3d_t, or a macro of one)
    SVM global T *x                void *x (shared virtual memory)
    QUEUE, at the end              nothing: what a persistent kernel has more (launch_queue.clh)
    uint x, int x                  cl_uint x, cl_int x
    wide x                         uint64_t x (real.clh)
    real x, real4 x                double x, clspi_real4 x: rounded to the kernel's precision
"""
import os
import re
import sys

INCLUDE = re.compile(r'\s*#\s*include\s+"([^"]+)"')
CONSTANT = re.compile(r'^\s*#\s*define\s+(\w+)\s+(0x[0-9a-f]+u?|\d+u?)\s*(?:/\*.*)?$', re.M)
COMMENT = re.compile(r'/\*.*?\*/', re.S)
STRUCT = re.compile(r'typedef struct (\w+) \{([^}]*)\} \1;')
QUEUED = re.compile(r'EACH_GROUP\(((?:\s*BY_VALUE\(\w+,\s*\w+\))+)\)')
KERNEL = re.compile(r'\bkernel\s+(?:__attribute__\s*\(\(.*?\)\)\)\s*)?void\s+(\w+)\s*\(([^)]*)\)')
# type in OpenCL C: kind of src/device/arguments.h, type in C
SCALARS = {'uint': ('UINT', 'cl_uint'), 'int': ('INT', 'cl_int'), 'wide': ('WIDE', 'uint64_t'),
           'real': ('REAL', 'double'), 'real4': ('REAL4', 'clspi_real4')}


def find(name, path, folders):
    for folder in [os.path.dirname(path)] + folders:
        candidate = os.path.join(folder, name)
        if os.path.exists(candidate):
            return candidate
    sys.exit(f'{path}: no file {name}')


def folders_of(paths):
    """The folder that all files have in common, and all below."""
    top = os.path.commonpath({os.path.dirname(path) for path in paths})
    return sorted(folder for folder, _, _ in os.walk(top))


def pieces_of(path, folders, seen):
    """The texts between the includes of a file, with those of the included files in place."""
    name = os.path.basename(path)
    pieces, lines = [], []
    seen.append(path)

    def end_piece(first):
        text = bare('\n'.join(lines) + '\n')
        if text.strip():
            pieces.append(f'#line {first} "{name}"\n{text}')
        lines.clear()

    with open(path, encoding='ascii') as file:
        first = 1
        for number, line in enumerate(file, 1):
            match = INCLUDE.match(line)
            if not match:
                lines.append(line.rstrip())
                continue
            end_piece(first)
            first = number + 1
            included = find(match.group(1), path, folders)
            if included not in seen:
                pieces += pieces_of(included, folders, seen)
    end_piece(first)
    return pieces


def bare(text):
    """A text with the same lines, without comments and indentation."""
    text = COMMENT.sub(lambda found: ' ' + '\n' * found.group().count('\n'), text)
    return re.sub(r'^[ \t]+|[ \t]+$', '', text, flags=re.M)


# ---- constants ----

def constants_of(path):
    """Macros of a file's constants, with the file's name."""
    with open(path, encoding='ascii') as file:
        text = file.read()
    stem = os.path.splitext(os.path.basename(path))[0].upper()
    return [f'#define CLSPI_{stem}_{name.removeprefix("CLSP_")} {number}\n'
            for name, number in CONSTANT.findall(text)
            if len(re.findall(rf'#\s*define\s+{name}\b', text)) == 1]


# ---- parameters ----

def parameter(text, structs, where):
    """(kind, C type, name) of one parameter or field."""
    words = text.replace('*', ' * ').split()
    name, words = words[-1], words[:-1]
    if '*' in words:
        if not {'global', 'constant', 'ALONG'} & set(words):
            sys.exit(f'{where}: {text}: only pointers to global memory are arguments')
        return ('SVM', 'void *', name) if 'SVM' in words else ('MEMORY', 'cl_mem', name)
    words = [word for word in words if word != 'const']
    if len(words) == 2 and words[0] == 'read_only':
        return 'MEMORY', 'cl_mem', name
    if len(words) == 1 and words[0] in SCALARS:
        return SCALARS[words[0]] + (name,)
    if len(words) == 1 and words[0] in structs:
        return ('STRUCT', f'clspi_{words[0]}', name)
    sys.exit(f'{where}: {text}: there is no argument of this type')


def fields(body, where):
    """(kind, C type, name) of a struct's fields; several names may share a type."""
    result = []
    for line in body.split(';'):
        if line.strip():
            first, *rest = [part.strip() for part in line.split(',')]
            kind, c_type, name = parameter(first, {}, where)
            result += [(kind, c_type, name)] + [(kind, c_type, other) for other in rest]
    return result


def read_kernels(text, where):
    """The structs and kernels of a program, {name: fields} and {name: parameters}, and of kernels
    that persistent ones make launches of what each launch has by value, {name: names}."""
    code = '\n'.join(line for line in text.split('\n') if not line.startswith('#'))
    candidates = {name: body for name, body in STRUCT.findall(code)}
    kernels, structs, queued = {}, {}, {}
    for found in KERNEL.finditer(code):
        name, parameters = found.group(1), re.sub(r'\s+QUEUE$', '', found.group(2))
        kernels[name] = [parameter(part, candidates, f'{where}: {name}')
                         for part in parameters.split(',')]
        if parameters != found.group(2):
            values = QUEUED.search(code, found.end()).group(1)
            queued[name] = re.findall(r'(\w+)\)', values)
        for kind, c_type, _ in kernels[name]:
            if kind == 'STRUCT':
                used = c_type[len('clspi_'):]
                structs[used] = fields(candidates[used], f'{where}: {used}')
    return structs, kernels, queued


def declared(c_type, name):
    return f'{c_type}{name}' if c_type.endswith('*') else f'{c_type} {name}'


def struct_text(name, members):
    lines = [f'    {declared(c_type, member)};' for _, c_type, member in members]
    return f'typedef struct clspi_{name} {{\n' + '\n'.join(lines) + f'\n}} clspi_{name};\n\n'


def entries(owner, members, structs, of_launch):
    """Rows of a signature: a struct is followed by its fields. of_launch: names of parameters that
    the launches of a persistent kernel have each for itself."""
    rows = []
    for kind, c_type, name in members:
        at = f'offsetof(clspi_{owner}, {name})'
        if kind == 'STRUCT':
            inner = structs[c_type[len('clspi_'):]]
            rows.append(f'{{CLSPI_STRUCT, {at}, {len(inner)}, {int(name in of_launch)}}}')
            rows += [f'{{CLSPI_{k}, {at} + offsetof({c_type}, {field}), 0, 0}}'
                     for k, _, field in inner]
        else:
            rows.append(f'{{CLSPI_{kind}, {at}, 0, 0}}')
    return rows


def header_text(constants, structs, kernels):
    parts = ['/* Constants and parameters of the kernels, made by tools/embed_cl.py. */\n'
             '#ifndef CLSPI_KERNEL_ARGUMENTS_H\n'
             '#define CLSPI_KERNEL_ARGUMENTS_H\n\n#include "launch.h"\n\n', *constants, '\n']
    parts += [struct_text(name, members) for name, members in sorted(structs.items())]
    for name, members in sorted(kernels.items()):
        parts.append(struct_text(f'{name}_args', members))
        parts.append(f'extern const clspi_signature clspi_{name}_signature;\n'
                     f'static inline clsp_status clspi_launch_{name}(clspi_series *series, '
                     f'const clspi_kernel *kernel,\n'
                     f'    const clspi_{name}_args *args, size_t items)\n{{\n'
                     f'    return clspi_series_launch(series, kernel, '
                     f'&clspi_{name}_signature, args, items);\n}}\n\n')
    return ''.join(parts) + '#endif\n'


def signatures_text(structs, kernels, queued):
    parts = []
    for name, members in sorted(kernels.items()):
        rows = entries(f'{name}_args', members, structs, queued.get(name, []))
        parts.append(f'static const clspi_parameter {name}_parameters[] = {{\n    '
                     + ',\n    '.join(rows) + '};\n'
                     f'const clspi_signature clspi_{name}_signature = '
                     f'{{"{name}", {name}_parameters, {len(rows)}, '
                     f'{int(name in queued)}}};\n\n')
    return ''.join(parts)


def merge(known, found, where):
    for name, members in found.items():
        if known.setdefault(name, members) != members:
            sys.exit(f'{where}: {name} is another one elsewhere')


# ---- files ----

def array_text(declaration, numbers):
    rows = [','.join(map(str, numbers[i:i + 24])) for i in range(0, len(numbers), 24)]
    return f'{declaration}[] = {{\n' + ',\n'.join(rows) + '};\n'


def count_bytes(count):
    """What follows a count of 15 or more in a token."""
    return [255] * ((count - 15) // 255) + [(count - 15) % 255] if count >= 15 else []


def sequence(literals, length, distance):
    """Literals, and a copy of so many bytes from so far before, unless it is the last sequence."""
    copied = length - 4 if length else 0
    head = [min(len(literals), 15) << 4 | min(copied, 15), *count_bytes(len(literals))]
    tail = [distance & 255, distance >> 8, *count_bytes(copied)] if length else []
    return bytes(head) + literals + bytes(tail)


def longest_copy(text, at, places):
    """The length and the distance of the longest copy of what is at a place from one of places."""
    best, limit = (0, 0), len(text) - 5 - at
    for place in reversed(places[-64:]):
        length = 0
        while length < limit and text[place + length] == text[at + length]:
            length += 1
        if at - place < 65536:
            best = max(best, (length, place - at), key=lambda copy: copy[0])
    return best[0], -best[1]


def packed(text):
    """The text as a block of LZ4 (github.com/lz4/lz4, doc/lz4_Block_format.md)."""
    result, known, begin, at = bytearray(), {}, 0, 0
    while at < len(text) - 12:
        places = known.setdefault(text[at:at + 4], [])
        length, distance = longest_copy(text, at, places)
        places.append(at)
        if length < 4:
            at += 1
            continue
        result += sequence(text[begin:at], length, distance)
        for place in range(at + 1, at + length):
            known.setdefault(text[place:place + 4], []).append(place)
        begin = at = at + length
    return bytes(result + sequence(text[begin:], 0, 0))


def packed_texts(pieces, programs):
    """The block, where its pieces end, and which ones programs have."""
    text, ends = '', []
    for piece in pieces:
        text += piece
        ends.append(len(text))
    block = packed(text.encode('ascii'))
    return ''.join([array_text('const unsigned char clspi_packed_sources', block),
                    array_text('const uint32_t clspi_piece_ends', ends),
                    f'const size_t clspi_num_pieces = {len(ends)};\n',
                    *(array_text(f'static const uint16_t {name}_pieces', numbers + [len(ends)])
                      for name, numbers in programs.items())])


def plain_texts(pieces, programs):
    texts = list(pieces)
    return ''.join(array_text(f'static const char {name}_pieces', [
        *''.join(texts[number] for number in numbers).encode('ascii'), 0])
                   for name, numbers in programs.items())


def options(args):
    """--NAME VALUE pairs at the head of the arguments, and the rest."""
    found = {}
    while args and args[0].startswith('--'):
        found[args[0][2:]] = args[1]
        args = args[2:]
    return found, args


def write_new(path, text):
    """Writes a file unless it has that text, so that what it is made into is not made again."""
    try:
        with open(path, encoding='ascii') as file:
            if file.read() == text:
                return
    except FileNotFoundError:
        pass
    with open(path, 'w', encoding='ascii') as file:
        file.write(text)


def main():
    chosen, (output, depfile, *paths) = options(sys.argv[1:])
    prefix = chosen.get('prefix', 'clspi')
    folders = folders_of(paths)
    names = [os.path.splitext(os.path.basename(path))[0] for path in paths]
    read, structs, kernels, queued, known, programs = [], {}, {}, {}, {}, {}
    parts = [f'#include "{"sources.h" if prefix == "clspi" else prefix + "_sources.h"}"\n\n']
    for name, path in zip(names, paths):
        seen = []
        pieces = pieces_of(path, folders, seen)
        programs[name] = [known.setdefault(piece, len(known)) for piece in pieces]
        read += seen
        if 'arguments' in chosen:
            more_structs, more_kernels, more_queued = read_kernels(''.join(pieces), path)
            merge(structs, more_structs, path)
            merge(kernels, more_kernels, path)
            queued.update(more_queued)
    parts.append((packed_texts if prefix == 'clspi' else plain_texts)(known, programs))
    parts.append(f'\nconst {prefix}_source {prefix}_sources[] = {{\n')
    parts += [f'    {{"{name}", {name}_pieces}},\n' for name in names]
    parts.append(f'}};\n\nconst size_t {prefix}_num_sources = {len(names)};\n\n')
    if 'arguments' in chosen:
        parts.insert(1, f'#include "{os.path.basename(chosen["arguments"])}"\n\n')
        parts.append(signatures_text(structs, kernels, queued))
        constants = [line for path in sorted(set(read)) for line in constants_of(path)]
        write_new(chosen['arguments'], header_text(constants, structs, kernels))
    with open(output, 'w', encoding='ascii') as file:
        file.write(''.join(parts))
    with open(depfile, 'w', encoding='utf-8') as file:
        needed = [path.replace(' ', '\\ ') for path in sorted(set(read))]
        file.write(f'{output}: {" ".join(needed)}\n')


if __name__ == '__main__':
    main()
