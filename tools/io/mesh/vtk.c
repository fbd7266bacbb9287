#include "vtk.h"

#include <string.h>

enum { REPORT_EVERY = 65536 };
enum { CELL_LINES = 4, CELL_TRIANGLE = 5, CELL_POLYGON = 7, CELL_QUAD = 9 };
enum { MAX_TRIPLE_BYTES = 24, MAX_SHORT_CORNERS = 64, PIECE = 1024 };

static const char *refuse(const mesh_shape *s)
{
    const uint64_t cells = (uint64_t)s->num_faces + s->num_curves;
    const bool fits = cells + s->num_corners + s->num_lines + s->num_curves <= INT32_MAX;
    return fits ? NULL : "the mesh is too large for this format";
}

static const char *real_name(const mesh_file *f)
{
    return f->shape->precision == MESH_F32 ? "float" : "double";
}

static void begin(mesh_file *f)
{
    block_writer_text(f->blocks,
                      "# vtk DataFile Version 3.0\nwritten by clspline\nBINARY\n"
                      "DATASET UNSTRUCTURED_GRID\nPOINTS %lu %s\n",
                      (unsigned long)f->shape->num_vertices, real_name(f));
}

static unsigned char *put_f32(unsigned char *to, double value)
{
    const float rounded = (float)value;
    uint32_t bits;
    memcpy(&bits, &rounded, sizeof(bits));
    put_u32_big(to, bits);
    return to + sizeof(bits);
}

static unsigned char *put_f64(unsigned char *to, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    put_u64_big(to, bits);
    return to + sizeof(bits);
}

static void write_triples(mesh_file *f, const mesh_vertices *v, const void *from, size_t stride)
{
    const bool single = f->shape->precision == MESH_F32;
    for (size_t first = 0; first < v->count; first += PIECE) {
        const size_t end = v->count - first < PIECE ? v->count : first + PIECE;
        unsigned char *start = block_writer_reserve(f->blocks, (size_t)PIECE * MAX_TRIPLE_BYTES);
        unsigned char *to = start;
        for (size_t i = first; i < end; i++) {
            double triple[3];
            get_triple(v, from, i * stride, triple);
            for (int axis = 0; axis < 3; axis++)
                to = single ? put_f32(to, triple[axis]) : put_f64(to, triple[axis]);
        }
        block_writer_advance(f->blocks, (size_t)(to - start));
    }
}

static void write_vertices(mesh_file *f, const mesh_vertices *v)
{
    write_triples(f, v, v->positions, v->stride);
}

static void write_normals(mesh_file *f, const mesh_vertices *v)
{
    write_triples(f, v, v->normals, v->normal_stride);
}

static void begin_normals(mesh_file *f)
{
    block_writer_text(f->blocks, "POINT_DATA %lu\nVECTORS normals %s\n",
                      (unsigned long)f->shape->num_vertices, real_name(f));
}

static void end_normals(mesh_file *f)
{
    block_writer_text(f->blocks, "\n");
}

static void write_word(mesh_file *f, uint32_t value)
{
    put_u32_big(block_writer_reserve(f->blocks, 4), value);
    block_writer_advance(f->blocks, 4);
}

/* Writes faces of so few corners that all fit a block. */
static void write_short_faces(mesh_file *f, const face_run *run)
{
    const size_t each = run->corners_each;
    unsigned char *to = block_writer_reserve(f->blocks, run->count * 4 * (1 + each));
    const uint32_t *corner = run->corners;
    block_writer_advance(f->blocks, run->count * 4 * (1 + each));
    for (size_t face = 0; face < run->count; face++) {
        put_u32_big(to, (uint32_t)each);
        to += 4;
        for (size_t i = 0; i < each; i++, to += 4)
            put_u32_big(to, run->base + *corner++);
    }
}

static bool take_cells(void *user, const face_run *run)
{
    mesh_file *f = user;
    const size_t each = run->corners_each;
    if (each <= MAX_SHORT_CORNERS)
        write_short_faces(f, run);
    else
        for (size_t i = 0; i < run->count * each; i++) {
            if (i % each == 0) write_word(f, (uint32_t)each);
            write_word(f, run->base + run->corners[i]);
        }
    f->num_done += run->count;
    if (f->num_done % REPORT_EVERY < run->count)
        io_report(f->progress, f->num_done, f->shape->num_faces);
    return !block_writer_failed(f->blocks);
}

static bool take_types(void *user, const face_run *run)
{
    mesh_file *f = user;
    const size_t each = run->corners_each;
    unsigned char *to = block_writer_reserve(f->blocks, 4 * run->count);
    for (size_t i = 0; i < run->count; i++)
        put_u32_big(to + 4 * i, each == 3 ? CELL_TRIANGLE : each == 4 ? CELL_QUAD : CELL_POLYGON);
    block_writer_advance(f->blocks, 4 * run->count);
    return !block_writer_failed(f->blocks);
}

static bool take_curve(void *user, uint32_t first, uint32_t count)
{
    mesh_file *f = user;
    write_word(f, count);
    for (uint32_t i = 0; i < count; i++)
        write_word(f, first + i);
    return !block_writer_failed(f->blocks);
}

static bool take_curve_type(void *user, uint32_t first, uint32_t count)
{
    (void)first;
    (void)count;
    write_word(user, CELL_LINES);
    return true;
}

static void write_faces(mesh_file *f)
{
    const mesh_shape *s = f->shape;
    const size_t cells = s->num_faces + s->num_curves;
    const size_t corners = s->num_corners + s->num_lines + s->num_curves;
    block_writer_text(f->blocks, "\nCELLS %lu %lu\n", (unsigned long)cells,
                      (unsigned long)(cells + corners));
    if (!mesh_shape_faces(s, take_cells, f) || !mesh_shape_curves(s, take_curve, f)) return;
    block_writer_text(f->blocks, "\nCELL_TYPES %lu\n", (unsigned long)cells);
    if (mesh_shape_faces(s, take_types, f)) mesh_shape_curves(s, take_curve_type, f);
    block_writer_text(f->blocks, "\n");
}

const mesh_format vtk_format = {.refuse = refuse,
                                .begin = begin,
                                .vertices = write_vertices,
                                .faces = write_faces,
                                .begin_normals = begin_normals,
                                .normals = write_normals,
                                .end_normals = end_normals};
