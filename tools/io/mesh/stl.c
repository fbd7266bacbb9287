#include "stl.h"

#include <errno.h>
#include <string.h>

#include "block_writer.h"
#include "mesh_shape.h"
#include "normals.h"

enum { HEADER_BYTES = 80, TRIANGLE_BYTES = 50, REPORT_EVERY = 65536 };

static void get_corner(const mesh *m, uint32_t vertex, float position[3])
{
    for (size_t axis = 0; axis < 3; axis++)
        position[axis] = (float)m->positions[3 * (size_t)vertex + axis];
}

static bool same_place(const float a[3], const float b[3])
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

/* Gets triangle `i` of a face's fan. False where two corners are at one place. */
static bool get_triangle(const mesh *m, const uint32_t *corners, size_t i, float triangle[3][3])
{
    get_corner(m, corners[0], triangle[0]);
    get_corner(m, corners[i + 1], triangle[1]);
    get_corner(m, corners[i + 2], triangle[2]);
    return !same_place(triangle[0], triangle[1]) && !same_place(triangle[1], triangle[2]) &&
           !same_place(triangle[2], triangle[0]);
}

static size_t count_triangles(const mesh *m)
{
    size_t total = 0;
    for (size_t face = 0; face < m->num_faces; face++) {
        size_t count;
        float triangle[3][3];
        const uint32_t *corners = mesh_face(m, face, &count);
        for (size_t i = 0; i + 2 < count; i++)
            if (get_triangle(m, corners, i, triangle)) total++;
    }
    return total;
}

static unsigned char *put_vector(unsigned char *to, const float v[3])
{
    for (int axis = 0; axis < 3; axis++, to += 4) {
        uint32_t bits;
        memcpy(&bits, &v[axis], sizeof(bits));
        put_u32_little(to, bits);
    }
    return to;
}

static void write_triangle(block_writer *w, float triangle[3][3])
{
    double a[3], b[3], normal[3];
    float rounded[3];
    unsigned char *to = block_writer_reserve(w, TRIANGLE_BYTES);
    for (int axis = 0; axis < 3; axis++) {
        a[axis] = (double)triangle[1][axis] - (double)triangle[0][axis];
        b[axis] = (double)triangle[2][axis] - (double)triangle[0][axis];
    }
    for (int axis = 0; axis < 3; axis++) {
        int next = (axis + 1) % 3, last = (axis + 2) % 3;
        normal[axis] = a[next] * b[last] - a[last] * b[next];
    }
    normals_make_unit(normal);
    for (int axis = 0; axis < 3; axis++)
        rounded[axis] = (float)normal[axis];
    to = put_vector(to, rounded);
    for (int corner = 0; corner < 3; corner++)
        to = put_vector(to, triangle[corner]);
    to[0] = to[1] = 0;
    block_writer_advance(w, TRIANGLE_BYTES);
}

static void write_triangles(block_writer *w, const mesh *m, const io_progress *progress)
{
    for (size_t face = 0; face < m->num_faces && !block_writer_failed(w); face++) {
        size_t count;
        float triangle[3][3];
        const uint32_t *corners = mesh_face(m, face, &count);
        for (size_t i = 0; i + 2 < count; i++)
            if (get_triangle(m, corners, i, triangle)) write_triangle(w, triangle);
        if (face % REPORT_EVERY == 0) io_report(progress, face, m->num_faces);
    }
}

bool stl_write(const mesh *m, const char *path, const io_progress *progress, io_message *message)
{
    output out;
    const size_t triangles = count_triangles(m);
    if (mesh_shape_of(m).num_curves > 0)
        return io_fail(message, "%s: cannot write: this format has no curves", path);
    if (!mesh_fits_float(m) || triangles > UINT32_MAX)
        return io_fail(message, "%s: cannot write: the mesh is too large for this format", path);
    if (!output_open(&out, path, message)) return false;
    block_writer *w = block_writer_open(out.file);
    if (w) {
        char header[HEADER_BYTES + 1] = "written by clspline";
        memcpy(block_writer_reserve(w, HEADER_BYTES + 4), header, HEADER_BYTES);
        put_u32_little(block_writer_reserve(w, HEADER_BYTES + 4) + HEADER_BYTES,
                       (uint32_t)triangles);
        block_writer_advance(w, HEADER_BYTES + 4);
        write_triangles(w, m, progress);
    } else {
        errno = ENOMEM;
    }
    const bool done = block_writer_close(w);
    if (!done) io_fail_errno(message, out.name, "cannot write");
    return output_close(&out, done);
}
