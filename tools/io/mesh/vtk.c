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

/* ---- places ---- */

static size_t cells_of(const mesh_shape *s)
{
    return s->num_faces + s->num_curves;
}

/* Counts the words of a shape's cells: each has its number of points, and these. */
static size_t cell_words(const mesh_shape *s)
{
    return cells_of(s) + s->num_corners + s->num_lines + s->num_curves;
}

enum { HEAD_BYTES = 80 };

/* Write what stands before the cells and before their types. Return its length. */
static uint64_t make_cells_head(const mesh_shape *s, char text[HEAD_BYTES])
{
    return (uint64_t)snprintf(text, HEAD_BYTES, "\nCELLS %lu %lu\n", (unsigned long)cells_of(s),
                              (unsigned long)cell_words(s));
}

static uint64_t make_types_head(const mesh_shape *s, char text[HEAD_BYTES])
{
    return (uint64_t)snprintf(text, HEAD_BYTES, "\nCELL_TYPES %lu\n", (unsigned long)cells_of(s));
}

static uint64_t point_bytes(const mesh_shape *s)
{
    return s->precision == MESH_F32 ? 12 : 24;
}

/* Where sections of the whole file begin, each with its text. */
static uint64_t cells_at(const mesh_file *f)
{
    return f->head_bytes + f->shape->num_vertices * point_bytes(f->shape);
}

static uint64_t types_at(const mesh_file *f)
{
    char text[HEAD_BYTES];
    return cells_at(f) + make_cells_head(f->shape, text) + 4 * (uint64_t)cell_words(f->shape);
}

static uint64_t end_at(const mesh_file *f)
{
    char text[HEAD_BYTES];
    return types_at(f) + make_types_head(f->shape, text) + 4 * (uint64_t)cells_of(f->shape);
}

static void find_places(const mesh_file *f, uint64_t *vertices, uint64_t *bytes)
{
    *vertices = f->head_bytes + f->before.num_vertices * point_bytes(f->shape);
    *bytes = end_at(f) + 1;
}

/* ---- writing ---- */

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
        io_report(f->progress, f->num_done, f->own.num_faces);
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

/* Writes the points of cells: those of faces, and of curves behind all of them. */
static void write_cells(mesh_file *f)
{
    const mesh_shape *s = &f->own, *before = &f->before;
    char text[HEAD_BYTES];
    mesh_file_move(f, cells_at(f));
    const uint64_t at = cells_at(f) + make_cells_head(f->shape, text);
    block_writer_text(f->blocks, "%s", text);
    mesh_file_move(f, at + 4 * ((uint64_t)before->num_faces + before->num_corners));
    if (!mesh_shape_faces(s, take_cells, f)) return;
    mesh_file_move(f, at + 4 * ((uint64_t)f->shape->num_faces + f->shape->num_corners +
                                2 * (uint64_t)before->num_curves + before->num_lines));
    mesh_shape_curves(s, take_curve, f);
}

static void write_types(mesh_file *f)
{
    const mesh_shape *s = &f->own;
    char text[HEAD_BYTES];
    mesh_file_move(f, types_at(f));
    const uint64_t at = types_at(f) + make_types_head(f->shape, text);
    block_writer_text(f->blocks, "%s", text);
    mesh_file_move(f, at + 4 * (uint64_t)f->before.num_faces);
    if (!mesh_shape_faces(s, take_types, f)) return;
    mesh_file_move(f, at + 4 * ((uint64_t)f->shape->num_faces + f->before.num_curves));
    mesh_shape_curves(s, take_curve_type, f);
}

static void write_faces(mesh_file *f)
{
    write_cells(f);
    write_types(f);
    mesh_file_move(f, end_at(f));
    block_writer_text(f->blocks, "\n");
}

const mesh_format vtk_format = {.refuse = refuse,
                                .begin = begin,
                                .vertices = write_vertices,
                                .faces = write_faces,
                                .places = find_places,
                                .begin_normals = begin_normals,
                                .normals = write_normals,
                                .end_normals = end_normals};
