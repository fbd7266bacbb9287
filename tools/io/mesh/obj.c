#include "obj.h"

#include "mesh_shape.h"

enum { REPORT_EVERY = 65536 };

/* Writes positions, or normals, of all vertices, and colours where there are any, from 0 to 1. */
static void write_triples(FILE *file, const char *word, const mesh *m, const double *values,
                          const unsigned char *colors, const io_progress *progress)
{
    const int digits = m->precision == MESH_F32 ? 9 : 17;
    for (size_t i = 0; i < m->num_vertices; i++) {
        const double *p = values + 3 * i;
        fprintf(file, "%s %.*g %.*g %.*g", word, digits, p[0], digits, p[1], digits, p[2]);
        for (size_t k = 3 * i; colors && k < 3 * i + 3; k++)
            fprintf(file, " %.4g", colors[k] / 255.0);
        fputc('\n', file);
        if (i % REPORT_EVERY == 0) io_report(progress, i, m->num_vertices + m->num_faces);
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
    if (!output_open(&out, path, message)) return false;
    fputs("# written by clspline\n", out.file);
    write_triples(out.file, "v", m, m->positions, m->colors, progress);
    if (m->has_texture) write_texture(out.file, m);
    if (m->normals) write_triples(out.file, "vn", m, m->normals, NULL, NULL);
    for (size_t face = 0; face < m->num_faces && !ferror(out.file); face++) {
        write_face(out.file, m, face);
        if (face % REPORT_EVERY == 0)
            io_report(progress, m->num_vertices + face, m->num_vertices + m->num_faces);
    }
    mesh_shape_curves(&shape, write_curve, out.file);
    return output_close(&out, true);
}
