#include "ply.h"

enum { REPORT_EVERY = 65536, MAX_SHORT_LIST = 255 };

/* A list's length is one byte, as all readers expect, unless a face has more corners than that. */
static bool has_long_face(const mesh *m)
{
    size_t count;
    for (size_t face = 0; face < m->num_faces; face++) {
        mesh_face(m, face, &count);
        if (count > MAX_SHORT_LIST) return true;
    }
    return false;
}

static void write_header(FILE *file, const mesh *m, bool long_lists)
{
    const char *real = m->precision == MESH_F32 ? "float" : "double";
    fputs("ply\nformat binary_little_endian 1.0\ncomment written by clspline\n", file);
    fprintf(file, "element vertex %lu\n", (unsigned long)m->num_vertices);
    fprintf(file, "property %s x\nproperty %s y\nproperty %s z\n", real, real, real);
    if (m->normals)
        fprintf(file, "property %s nx\nproperty %s ny\nproperty %s nz\n", real, real, real);
    fprintf(file, "element face %llu\n", (unsigned long long)m->num_faces);
    fprintf(file, "property list %s int vertex_indices\nend_header\n",
            long_lists ? "int" : "uchar");
}

static void write_triple(FILE *file, const mesh *m, const double *values)
{
    for (int axis = 0; axis < 3; axis++) {
        if (m->precision == MESH_F32)
            output_f32_little(file, (float)values[axis]);
        else
            output_f64_little(file, values[axis]);
    }
}

static void write_face(FILE *file, const mesh *m, size_t face, bool long_lists)
{
    size_t count;
    const uint32_t *corners = mesh_face(m, face, &count);
    if (long_lists)
        output_u32_little(file, (uint32_t)count);
    else
        fputc((int)count, file);
    for (size_t i = 0; i < count; i++)
        output_u32_little(file, corners[i]);
}

bool ply_write(const mesh *m, const char *path, const io_progress *progress, io_message *message)
{
    output out;
    size_t total = m->num_vertices + m->num_faces;
    bool long_lists = has_long_face(m);
    if (!output_open(&out, path, message)) return false;
    write_header(out.file, m, long_lists);
    for (size_t i = 0; i < m->num_vertices && !ferror(out.file); i++) {
        write_triple(out.file, m, m->positions + 3 * i);
        if (m->normals) write_triple(out.file, m, m->normals + 3 * i);
        if (i % REPORT_EVERY == 0) io_report(progress, i, total);
    }
    for (size_t face = 0; face < m->num_faces && !ferror(out.file); face++) {
        write_face(out.file, m, face, long_lists);
        if (face % REPORT_EVERY == 0) io_report(progress, m->num_vertices + face, total);
    }
    return output_close(&out, true);
}
