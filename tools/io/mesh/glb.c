#include "glb.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "block_writer.h"
#include "color.h"
#include "mesh_shape.h"

enum { JSON_BYTES = 4096, PIECE = 4096, VECTOR_BYTES = 12, TEXTURE_BYTES = 8 };
enum { CHUNK_JSON = 0x4e4f534a, CHUNK_BINARY = 0x004e4942, MAGIC = 0x46546c67, VERSION = 2 };
enum { POINTS = 0, LINES = 1, TRIANGLES = 4 };
enum { FLOAT = 5126, UNSIGNED_INT = 5125, ARRAY = 34962, ELEMENT_ARRAY = 34963 };

/* Where the parts of the binary chunk begin, and how long it is. */
typedef struct layout {
    uint64_t normals, texture, colors, indices, lines, bytes, num_triangles, num_lines;
} layout;

static layout make_layout(const mesh *m)
{
    layout l = {.normals = (uint64_t)VECTOR_BYTES * m->num_vertices,
                .num_lines = mesh_shape_of(m).num_lines};
    for (size_t face = 0; face < m->num_faces; face++) {
        size_t count;
        mesh_face(m, face, &count);
        l.num_triangles += count > 2 ? count - 2 : 0;
    }
    l.texture = l.normals + (m->normals ? l.normals : 0);
    l.colors = l.texture + (uint64_t)TEXTURE_BYTES * m->num_vertices;
    l.indices = l.colors + (m->colors ? l.normals : 0);
    l.lines = l.indices + 12 * l.num_triangles;
    l.bytes = l.lines + 8 * l.num_lines;
    return l;
}

/* A text that grows in room that is large enough. */
typedef struct text {
    char bytes[JSON_BYTES];
    size_t length;
} text;

static void add_text(text *t, const char *format, ...) IO_PRINTF(2, 3);

static void add_text(text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int count = vsnprintf(t->bytes + t->length, JSON_BYTES - t->length, format, args);
    va_end(args);
    if (count > 0) t->length += (size_t)count;
}

static void add_view(text *t, uint64_t offset, uint64_t end, int target)
{
    add_text(t, "%s{\"buffer\":0,\"byteOffset\":%llu,\"byteLength\":%llu,\"target\":%d}",
             offset > 0 ? "," : "", (unsigned long long)offset, (unsigned long long)(end - offset),
             target);
}

static void add_accessor(text *t, int view, int component, uint64_t count, const char *type)
{
    add_text(t, "%s{\"bufferView\":%d,\"componentType\":%d,\"count\":%llu,\"type\":\"%s\"",
             view > 0 ? "," : "", view, component, (unsigned long long)count, type);
}

/* Adds the box of the positions, which the format asks for. */
static void add_bounds(text *t, const mesh *m)
{
    double low[3], high[3];
    mesh_bounds(m, low, high);
    add_text(t, ",\"min\":[%.9g,%.9g,%.9g],\"max\":[%.9g,%.9g,%.9g]", (double)(float)low[0],
             (double)(float)low[1], (double)(float)low[2], (double)(float)high[0],
             (double)(float)high[1], (double)(float)high[2]);
}

/* Adds the accessor of indices, which has its own view. */
static void add_indices(text *t, int *view, uint64_t count)
{
    if (count == 0) return;
    add_accessor(t, (*view)++, UNSIGNED_INT, count, "SCALAR");
    add_text(t, "}");
}

static void add_accessors(text *t, const mesh *m, const layout *l)
{
    int view = 0;
    add_text(t, "\"accessors\":[");
    add_accessor(t, view++, FLOAT, m->num_vertices, "VEC3");
    add_bounds(t, m);
    add_text(t, "}");
    if (m->normals) {
        add_accessor(t, view++, FLOAT, m->num_vertices, "VEC3");
        add_text(t, "}");
    }
    add_accessor(t, view++, FLOAT, m->num_vertices, "VEC2");
    add_text(t, "}");
    if (m->colors) {
        add_accessor(t, view++, FLOAT, m->num_vertices, "VEC3");
        add_text(t, "}");
    }
    add_indices(t, &view, 3 * l->num_triangles);
    add_indices(t, &view, 2 * l->num_lines);
    add_text(t, "],\"bufferViews\":[");
    add_view(t, 0, l->normals, ARRAY);
    if (m->normals) add_view(t, l->normals, l->texture, ARRAY);
    add_view(t, l->texture, l->colors, ARRAY);
    if (m->colors) add_view(t, l->colors, l->indices, ARRAY);
    if (l->num_triangles > 0) add_view(t, l->indices, l->lines, ELEMENT_ARRAY);
    if (l->num_lines > 0) add_view(t, l->lines, l->bytes, ELEMENT_ARRAY);
    add_text(t, "]");
}

/* Adds what is drawn of the vertices by indices, or all of them as points. */
static void add_primitive(text *t, const mesh *m, int indices, int mode)
{
    add_text(t, "{\"attributes\":{\"POSITION\":0,");
    if (m->normals) add_text(t, "\"NORMAL\":1,");
    const int texture = m->normals ? 2 : 1;
    if (m->colors) add_text(t, "\"COLOR_0\":%d,", texture + 1);
    add_text(t, "\"TEXCOORD_0\":%d},", texture);
    if (mode != POINTS) add_text(t, "\"indices\":%d,", indices);
    if (mode != TRIANGLES) add_text(t, "\"mode\":%d,", mode);
    add_text(t, "\"material\":0}");
}

/* Makes the text of the file, padded to a multiple of 4 as its chunk must be. */
static void make_json(text *t, const mesh *m, const layout *l)
{
    add_text(t, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"clspline\"},\"scene\":0,"
                "\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"mesh\":0}],"
                "\"materials\":[{\"doubleSided\":true}],"
                "\"meshes\":[{\"primitives\":[");
    const int first = 2 + (m->normals != NULL) + (m->colors != NULL); /* accessor of indices */
    const bool both = l->num_triangles > 0 && l->num_lines > 0;
    if (l->num_triangles > 0) add_primitive(t, m, first, TRIANGLES);
    if (both) add_text(t, ",");
    if (l->num_lines > 0) add_primitive(t, m, first + both, LINES);
    if (l->num_triangles + l->num_lines == 0) add_primitive(t, m, 0, POINTS);
    add_text(t, "]}],\"buffers\":[{\"byteLength\":%llu}],", (unsigned long long)l->bytes);
    add_accessors(t, m, l);
    add_text(t, "}");
    while (t->length % 4 != 0)
        add_text(t, " ");
}

static void write_word(block_writer *w, uint32_t value)
{
    put_u32_little(block_writer_reserve(w, 4), value);
    block_writer_advance(w, 4);
}

static void write_float(block_writer *w, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    write_word(w, bits);
}

static void write_vectors(block_writer *w, const mesh *m, const double *values, bool are_normals)
{
    for (size_t i = 0; i < m->num_vertices; i++) {
        const double *v = values + 3 * i;
        const bool none = are_normals && v[0] == 0 && v[1] == 0 && v[2] == 0;
        if (i % PIECE == 0 && block_writer_failed(w)) return;
        write_float(w, (float)v[0]);
        write_float(w, (float)v[1]);
        write_float(w, none ? 1.0f : (float)v[2]);
    }
}

static void write_texture(block_writer *w, const mesh *m)
{
    const mesh_shape shape = mesh_shape_of(m);
    texture_cursor cursor = {0};
    for (size_t i = 0; i < m->num_vertices; i++) {
        float texture[2];
        texture_next(&cursor, &shape, texture);
        write_float(w, texture[0]);
        write_float(w, texture[1]);
    }
}

/* Writes colours in linear light, as the format has them. */
static void write_colors(block_writer *w, const mesh *m)
{
    for (size_t i = 0; i < 3 * m->num_vertices; i++) {
        if (i % PIECE == 0 && block_writer_failed(w)) return;
        write_float(w, color_decode(m->colors[i]));
    }
}

static void write_indices(block_writer *w, const mesh *m, const io_progress *progress)
{
    for (size_t face = 0; face < m->num_faces; face++) {
        size_t count;
        const uint32_t *corners = mesh_face(m, face, &count);
        for (size_t i = 1; i + 1 < count; i++) {
            write_word(w, corners[0]);
            write_word(w, corners[i]);
            write_word(w, corners[i + 1]);
        }
        if (face % PIECE != 0) continue;
        io_report(progress, face, m->num_faces);
        if (block_writer_failed(w)) return;
    }
}

static bool write_lines(void *user, uint32_t first, uint32_t count)
{
    block_writer *w = user;
    for (uint32_t i = 0; i + 1 < count; i++) {
        write_word(w, first + i);
        write_word(w, first + i + 1);
    }
    return !block_writer_failed(w);
}

/* Writes what stands before the numbers. */
static void write_head(block_writer *w, const layout *l, const text *json)
{
    const uint32_t length = (uint32_t)json->length, bytes = (uint32_t)l->bytes;
    const uint32_t head[5] = {MAGIC, VERSION, 12 + 8 + length + 8 + bytes, length, CHUNK_JSON};
    for (int i = 0; i < 5; i++)
        write_word(w, head[i]);
    memcpy(block_writer_reserve(w, json->length), json->bytes, json->length);
    block_writer_advance(w, json->length);
    write_word(w, bytes);
    write_word(w, CHUNK_BINARY);
}

bool glb_write(const mesh *m, const char *path, const io_progress *progress, io_message *message)
{
    output out;
    text json = {.length = 0};
    const layout l = make_layout(m);
    const mesh_shape shape = mesh_shape_of(m);
    if (!mesh_fits_float(m) || l.bytes > UINT32_MAX - 2 * JSON_BYTES)
        return io_fail(message, "%s: cannot write: the mesh is too large for this format", path);
    if (!output_open(&out, path, message)) return false;
    make_json(&json, m, &l);
    block_writer *w = block_writer_open(out.file);
    if (w) {
        write_head(w, &l, &json);
        write_vectors(w, m, m->positions, false);
        if (m->normals) write_vectors(w, m, m->normals, true);
        write_texture(w, m);
        if (m->colors) write_colors(w, m);
        write_indices(w, m, progress);
        mesh_shape_curves(&shape, write_lines, w);
    } else {
        errno = ENOMEM;
    }
    const bool done = block_writer_close(w);
    if (!done) io_fail_errno(message, out.name, "cannot write");
    return output_close(&out, done);
}
