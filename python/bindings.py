#!/usr/bin/env python3
"""Writes the C source of the extension module clspline._clspline from the library's headers.

usage: bindings.py OUTPUT INCLUDE_DIR[,INCLUDE_DIR...] COMPILER...

The preprocessor joins the headers, cffi makes the rest, and the C compiler compares every field and
constant with the headers when it compiles OUTPUT. A new function needs no line here, and a change
that Python does not follow is an error of the build.
"""
import os
import re
import subprocess
import sys
import tempfile

import cffi

CALLBACKS = '''
extern "Python" void clspy_log(void *user, clsp_log_level level, const char *message);
'''
EMPTY = ('stdint.h', 'stddef.h')


def declarations(include, compiler):
    """The headers as one text without comments, inline bodies and preprocessor's lines."""
    with tempfile.TemporaryDirectory() as fake:
        for name in EMPTY:
            with open(os.path.join(fake, name), 'w', encoding='utf-8'):
                pass
        main = os.path.join(fake, 'all.h')
        with open(main, 'w', encoding='utf-8') as file:
            file.write('#include <clspline/clspline.h>\n')
        command = compiler + ['-E', '-P', '-nostdinc', '-DCLSP_API=', '-I' + fake]
        command += ['-I' + folder for folder in include]
        text = subprocess.run(command + [main], check=True, stdout=subprocess.PIPE,
                              text=True).stdout
    return re.sub(r'static inline ([^{;]*?)\s*\{.*?\n\}', r'\1;', text, flags=re.S)


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    output, include, compiler = sys.argv[1], sys.argv[2].split(','), sys.argv[3:]
    ffi = cffi.FFI()
    ffi.cdef(declarations(include, compiler) + CALLBACKS)
    ffi.set_source('clspline._clspline', '#include <clspline/clspline.h>')
    ffi.emit_c_code(output)


if __name__ == '__main__':
    main()
