#include "ply.h"

#include <string.h>

enum {
    REPORT_EVERY = 65536,
    MAX_SHORT_LIST = 255,
    MAX_VERTEX_BYTES = 59 /* without data */,
    PIECE = 1024
};

/* A list's length is one byte, as all readers expect, unless a face has more corners than that. */
static bool has_long_lists(const mesh_file *f)
{
    return mesh_shape_longest_face(f->shape) > MAX_SHORT_LIST;
}

/* ---- places ---- */

static uint64_t vertex_bytes(const mesh_shape *s)
{
    const uint64_t real = s->precision == MESH_F32 ? 4 : 8;
    return real * (s->has_normals ? 6 : 3) + (s->has_texture ? 8 : 0) + 4 * (uint64_t)s->num_names;
}

/* Counts the bytes of a shape's faces in the file. */
static uint64_t face_bytes(const mesh_file *f, const mesh_shape *s)
{
    return (has_long_lists(f) ? 4 : 1) * (uint64_t)s->num_faces + 4 * (uint64_t)s->num_corners;
}

static uint64_t faces_at(const mesh_file *f)
{
    return f->head_bytes + f->shape->num_vertices * vertex_bytes(f->shape);
}

static uint64_t edges_at(const mesh_file *f)
{
    return faces_at(f) + face_bytes(f, f->shape);
}

static void find_places(const mesh_file *f, uint64_t *vertices, uint64_t *bytes)
{
    *vertices = f->head_bytes + f->before.num_vertices * vertex_bytes(f->shape);
    *bytes = edges_at(f) + 8 * (uint64_t)f->shape->num_lines;
}

/* ---- writing ---- */

static void begin(mesh_file *f)
{
    const mesh_shape *s = f->shape;
    const char *real = s->precision == MESH_F32 ? "float" : "double";
    block_writer_text(f->blocks,
                      "ply\nformat binary_little_endian 1.0\ncomment written by clspline\n"
                      "element vertex %lu\nproperty %s x\nproperty %s y\nproperty %s z\n",
                      (unsigned long)s->num_vertices, real, real, real);
    if (s->has_normals)
        block_writer_text(f->blocks, "property %s nx\nproperty %s ny\nproperty %s nz\n", real, real,
                          real);
    if (s->has_texture) block_writer_text(f->blocks, "property float s\nproperty float t\n");
    if (s->has_colors)
        block_writer_text(f->blocks, "property uchar red\nproperty uchar green\n"
                                     "property uchar blue\n");
    for (uint32_t i = 0; i < s->num_names; i++)
        block_writer_text(f->blocks, "property float %s\n", s->names[i]);
    block_writer_text(f->blocks, "element face %llu\nproperty list %s int vertex_indices\n",
                      (unsigned long long)s->num_faces, has_long_lists(f) ? "int" : "uchar");
    if (s->num_lines > 0)
        block_writer_text(f->blocks,
                          "element edge %llu\nproperty int vertex1\nproperty int vertex2\n",
                          (unsigned long long)s->num_lines);
    block_writer_text(f->blocks, "end_header\n");
}

static unsigned char *put_f32(unsigned char *to, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    put_u32_little(to, bits);
    return to + sizeof(bits);
}

static unsigned char *put_triple(unsigned char *to, const mesh_file *f, const double values[3])
{
    for (int axis = 0; axis < 3; axis++) {
        if (f->shape->precision == MESH_F32) {
            to = put_f32(to, (float)values[axis]);
        } else {
            uint64_t bits;
            memcpy(&bits, &values[axis], sizeof(bits));
            put_u64_little(to, bits);
            to += sizeof(bits);
        }
    }
    return to;
}

static unsigned char *put_vertex(unsigned char *to, mesh_file *f, const mesh_vertices *v, size_t i)
{
    double triple[3];
    get_triple(v, v->positions, i * v->stride, triple);
    to = put_triple(to, f, triple);
    if (f->shape->has_normals) {
        get_triple(v, v->normals, i * v->normal_stride, triple);
        to = put_triple(to, f, triple);
    }
    if (f->shape->has_texture) {
        float texture[2];
        texture_next(&f->texture, &f->own, texture);
        to = put_f32(put_f32(to, texture[0]), texture[1]);
    }
    for (size_t k = 0; f->shape->has_colors && k < 3; k++)
        *to++ = v->colors[3 * i + k];
    for (size_t k = 0; k < f->shape->num_names; k++)
        to = put_f32(to, (float)v->data[i * f->shape->num_names + k]);
    return to;
}

static void write_vertices(mesh_file *f, const mesh_vertices *v)
{
    for (size_t first = 0; first < v->count; first += PIECE) {
        const size_t end = v->count - first < PIECE ? v->count : first + PIECE;
        const size_t most = MAX_VERTEX_BYTES + 4 * (size_t)f->shape->num_names;
        unsigned char *start = block_writer_reserve(f->blocks, PIECE * most);
        unsigned char *to = start;
        for (size_t i = first; i < end; i++)
            to = put_vertex(to, f, v, i);
        block_writer_advance(f->blocks, (size_t)(to - start));
    }
}

/* Writes faces of so few corners that all fit a block. */
static void write_short_faces(mesh_file *f, const face_run *run)
{
    const size_t each = run->corners_each;
    unsigned char *to = block_writer_reserve(f->blocks, run->count * (1 + 4 * each));
    const uint32_t *corner = run->corners;
    block_writer_advance(f->blocks, run->count * (1 + 4 * each));
    for (size_t face = 0; face < run->count; face++) {
        *to++ = (unsigned char)each;
        for (size_t i = 0; i < each; i++, to += 4)
            put_u32_little(to, run->base + *corner++);
    }
}

static void write_long_face(mesh_file *f, const uint32_t *corners, const face_run *run)
{
    put_u32_little(block_writer_reserve(f->blocks, 4), (uint32_t)run->corners_each);
    block_writer_advance(f->blocks, 4);
    for (size_t i = 0; i < run->corners_each; i++) {
        put_u32_little(block_writer_reserve(f->blocks, 4), run->base + corners[i]);
        block_writer_advance(f->blocks, 4);
    }
}

/* What a run of faces needs. */
typedef struct face_writer {
    mesh_file *f;
    bool long_lists;
} face_writer;

static bool take_run(void *user, const face_run *run)
{
    const face_writer *w = user;
    mesh_file *f = w->f;
    if (w->long_lists)
        for (size_t face = 0; face < run->count; face++)
            write_long_face(f, run->corners + face * run->corners_each, run);
    else
        write_short_faces(f, run);
    f->num_done += run->count;
    if (f->num_done % REPORT_EVERY < run->count)
        io_report(f->progress, f->num_done, f->own.num_faces);
    return !block_writer_failed(f->blocks);
}

static bool take_curve(void *user, uint32_t first, uint32_t count)
{
    mesh_file *f = user;
    for (uint32_t i = 0; i + 1 < count; i++) {
        unsigned char *to = block_writer_reserve(f->blocks, 8);
        put_u32_little(to, first + i);
        put_u32_little(to + 4, first + i + 1);
        block_writer_advance(f->blocks, 8);
    }
    return !block_writer_failed(f->blocks);
}

static void write_faces(mesh_file *f)
{
    face_writer w = {f, has_long_lists(f)};
    mesh_file_move(f, faces_at(f) + face_bytes(f, &f->before));
    if (!mesh_shape_faces(&f->own, take_run, &w)) return;
    mesh_file_move(f, edges_at(f) + 8 * (uint64_t)f->before.num_lines);
    mesh_shape_curves(&f->own, take_curve, f);
}

const mesh_format ply_format = {
    .begin = begin, .vertices = write_vertices, .faces = write_faces, .places = find_places};
