#include "obj.h"

#include "mesh_shape.h"

enum { REPORT_EVERY = 65536 };

static void write_triples(FILE *file, const char *word, const double *values, size_t count,
                          int digits, const io_progress *progress, size_t total)
{
    for (size_t i = 0; i < count; i++) {
        const double *p = values + 3 * i;
        fprintf(file, "%s %.*g %.*g %.*g\n", word, digits, p[0], digits, p[1], digits, p[2]);
        if (i % REPORT_EVERY == 0) io_report(progress, i, total);
        if (ferror(file)) return;
    }
}

static void write_texture(FILE *file, const mesh *m)
{
    const mesh_shape shape = mesh_shape_of(m);
    texture_cursor cursor = {0};
    for (size_t i = 0; i < m->num_vertices && !ferror(file); i++) {
        float texture[2];
        texture_next(&cursor, &shape, texture);
        fprintf(file, "vt %.9g %.9g\n", (double)texture[0], (double)texture[1]);
    }
}

static void write_face(FILE *file, const mesh *m, size_t face)
{
    size_t count;
    const uint32_t *corners = mesh_face(m, face, &count);
    fputc('f', file);
    for (size_t i = 0; i < count; i++) {
        unsigned long vertex = (unsigned long)corners[i] + 1;
        fprintf(file, " %lu", vertex);
        if (m->has_texture) fprintf(file, "/%lu", vertex);
        if (m->normals) fprintf(file, m->has_texture ? "/%lu" : "//%lu", vertex);
    }
    fputc('\n', file);
}

static bool write_curve(void *user, uint32_t first, uint32_t count)
{
    FILE *file = user;
    fputc('l', file);
    for (uint32_t i = 0; i < count; i++)
        fprintf(file, " %lu", (unsigned long)first + i + 1);
    fputc('\n', file);
    return !ferror(file);
}

bool obj_write(const mesh *m, const char *path, const io_progress *progress, io_message *message)
{
    output out;
    const mesh_shape shape = mesh_shape_of(m);
    size_t total = m->num_vertices + m->num_faces;
    int digits = m->precision == MESH_F32 ? 9 : 17;
    if (!output_open(&out, path, message)) return false;
    fputs("# written by clspline\n", out.file);
    write_triples(out.file, "v", m->positions, m->num_vertices, digits, progress, total);
    if (m->has_texture) write_texture(out.file, m);
    if (m->normals) write_triples(out.file, "vn", m->normals, m->num_vertices, digits, NULL, total);
    for (size_t face = 0; face < m->num_faces && !ferror(out.file); face++) {
        write_face(out.file, m, face);
        if (face % REPORT_EVERY == 0) io_report(progress, m->num_vertices + face, total);
    }
    mesh_shape_curves(&shape, write_curve, out.file);
    return output_close(&out, true);
}
