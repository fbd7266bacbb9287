"""pyopencl_buffer.py: clspline on pyopencl's queue, into pyopencl's buffer."""
import ctypes as c
import ctypes.util
import os
import sys

import numpy as np
import pyopencl as cl

U32, U64, SIZE, POINTER = c.c_uint32, c.c_uint64, c.c_size_t, c.c_void_p
CLSP_F32, CLSP_VERTEX_POINT, CLSP_VERTEX_NORMAL = 1, 1 << 0, 1 << 8


class Axis(c.Structure):
    _fields_ = [("num", U32), ("begin", c.c_double), ("end", c.c_double), ("params", POINTER)]


class VertexLayout(c.Structure):
    _fields_ = [("attributes", U32), ("type", c.c_int), ("stride", U32), ("offset", U32 * 16),
                ("reserved", U64 * 4)]


class BezierDesc(c.Structure):
    _fields_ = [("form", c.c_int), ("precision", c.c_int), ("degree", U32 * 3), ("axis", Axis * 3),
                ("dim", U32), ("rational", U32), ("vertex", VertexLayout), ("method", c.c_int),
                ("watertight", U32), ("check_weights", U32), ("reserved", U64 * 4)]


class Memory(c.Structure):
    """clsp_input and clsp_output, which have the same fields."""
    _fields_ = [("type", c.c_int), ("buffer", POINTER), ("host", POINTER), ("svm", POINTER),
                ("size", SIZE), ("offset", SIZE), ("reserved", U64 * 4)]


class Range(c.Structure):
    _fields_ = [("first", SIZE), ("count", SIZE)]


lib = c.CDLL(os.environ.get("CLSPLINE_LIBRARY") or ctypes.util.find_library("clspline"))
lib.clsp_status_str.restype = c.c_char_p
lib.clsp_context_create.argtypes = [c.POINTER(POINTER), POINTER, POINTER]
lib.clsp_context_destroy.argtypes = [c.POINTER(POINTER)]
lib.clsp_bezier_plan_create.argtypes = [c.POINTER(POINTER), POINTER, c.POINTER(BezierDesc)]
lib.clsp_patch_plan_destroy.argtypes = [c.POINTER(POINTER)]
lib.clsp_patch_set_control_points.argtypes = [POINTER, SIZE, Memory, POINTER]
lib.clsp_patch_eval.argtypes = [POINTER, Range, Memory, POINTER]


def check(status):
    if status != 0:
        sys.exit(lib.clsp_status_str(status).decode())


# 3 patches of degrees (2, 3), as NumPy holds them: [patch][u][v][dim], v fastest
control = np.zeros((3, 3, 4, 3), np.float32)
control[..., 0] = np.arange(3)[None, :, None]
control[..., 1] = np.arange(4)[None, None, :]
control[..., 2] = np.random.default_rng(1).random((3, 3, 4))

context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
vertices = np.empty((3, 17, 33, 6), np.float32)  # x y z, nx ny nz
buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE, vertices.nbytes)

desc = BezierDesc(degree=(2, 3, 0), axis=(Axis(17), Axis(33)),
                  vertex=VertexLayout(attributes=CLSP_VERTEX_POINT | CLSP_VERTEX_NORMAL))
ctx, plan = POINTER(), POINTER()
check(lib.clsp_context_create(ctx, queue.int_ptr, None))
check(lib.clsp_bezier_plan_create(plan, ctx, desc))
points = Memory(type=CLSP_F32, host=control.ctypes.data, size=control.size)
check(lib.clsp_patch_set_control_points(plan, len(control), points, None))
check(lib.clsp_patch_eval(plan, Range(0, len(control)),
                           Memory(type=CLSP_F32, buffer=buffer.int_ptr), None))
cl.enqueue_copy(queue, vertices, buffer)  # in order, so behind the evaluation
lib.clsp_patch_plan_destroy(plan)
lib.clsp_context_destroy(ctx)

# against the definition, in double
u, v = np.linspace(0, 1, 17), np.linspace(0, 1, 33)
bernstein_u = np.stack([(1 - u) ** 2, 2 * u * (1 - u), u ** 2])
bernstein_v = np.stack([(1 - v) ** 3, 3 * v * (1 - v) ** 2, 3 * v ** 2 * (1 - v), v ** 3])
exact = np.einsum("pijd,ia,jb->pabd", control.astype(float), bernstein_u, bernstein_v)
error = np.abs(vertices[..., :3] - exact).max()
print("%s: %d vertices, off by %.2g" % (queue.device.name, vertices.size // 6, error))
sys.exit(0 if error <= 8 * 2.0 ** -23 * control.max() else 1)
