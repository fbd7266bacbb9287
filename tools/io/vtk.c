#include "vtk.h"

enum { REPORT_EVERY = 65536, CELL_TRIANGLE = 5, CELL_POLYGON = 7, CELL_QUAD = 9 };

static void write_triples(FILE *file, const mesh *m, const double *values,
                          const io_progress *progress, size_t total)
{
    for (size_t i = 0; i < 3 * m->num_vertices && !ferror(file); i++) {
        if (m->precision == MESH_F32)
            output_f32_big(file, (float)values[i]);
        else
            output_f64_big(file, values[i]);
        if (i % REPORT_EVERY == 0) io_report(progress, i / 3, total);
    }
    fputc('\n', file);
}

static void write_cells(FILE *file, const mesh *m, const io_progress *progress, size_t total)
{
    size_t count;
    fprintf(file, "CELLS %lu %lu\n", (unsigned long)m->num_faces,
            (unsigned long)(m->num_faces + m->num_corners));
    for (size_t face = 0; face < m->num_faces && !ferror(file); face++) {
        const uint32_t *corners = mesh_face(m, face, &count);
        output_u32_big(file, (uint32_t)count);
        for (size_t i = 0; i < count; i++)
            output_u32_big(file, corners[i]);
        if (face % REPORT_EVERY == 0) io_report(progress, m->num_vertices + face, total);
    }
    fprintf(file, "\nCELL_TYPES %lu\n", (unsigned long)m->num_faces);
    for (size_t face = 0; face < m->num_faces && !ferror(file); face++) {
        mesh_face(m, face, &count);
        output_u32_big(file, count == 3 ? CELL_TRIANGLE : count == 4 ? CELL_QUAD : CELL_POLYGON);
    }
    fputc('\n', file);
}

bool vtk_write(const mesh *m, const char *path, const io_progress *progress, io_message *message)
{
    output out;
    const char *real = m->precision == MESH_F32 ? "float" : "double";
    size_t total = m->num_vertices + m->num_faces;
    if (m->num_corners > INT32_MAX || m->num_faces > INT32_MAX - m->num_corners)
        return io_fail(message, "%s: cannot write: the mesh is too large for this format", path);
    if (!output_open(&out, path, message)) return false;
    fputs("# vtk DataFile Version 3.0\nwritten by clspline\nBINARY\nDATASET UNSTRUCTURED_GRID\n",
          out.file);
    fprintf(out.file, "POINTS %lu %s\n", (unsigned long)m->num_vertices, real);
    write_triples(out.file, m, m->positions, progress, total);
    write_cells(out.file, m, progress, total);
    if (m->normals) {
        fprintf(out.file, "POINT_DATA %lu\nVECTORS normals %s\n", (unsigned long)m->num_vertices,
                real);
        write_triples(out.file, m, m->normals, NULL, total);
    }
    return output_close(&out, true);
}
