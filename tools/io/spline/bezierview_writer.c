#include "bezierview_writer.h"

#include <errno.h>

#include "block_writer.h"
#include "output.h"

static void write_point(block_writer *w, const double *point, size_t coordinates)
{
    for (size_t k = 0; k < coordinates; k++)
        block_writer_text(w, "%s%.17g", k > 0 ? " " : "", point[k]);
    block_writer_text(w, "\n");
}

/* Writes points of a surface or a triangle; those of a triangle row by row, as the file has them.
 */
static void write_points(block_writer *w, const bezierview_type *type, const double *points,
                         const uint32_t degree[2], size_t coordinates)
{
    const size_t u = degree[0], v = degree[1];
    if (type->form == BEZIERVIEW_SURFACE) {
        for (size_t i = 0; i < (u + 1) * (v + 1); i++)
            write_point(w, points + i * coordinates, coordinates);
        return;
    }
    for (size_t j = 0; j <= u; j++)
        for (size_t i = 0; i + j <= u; i++)
            write_point(w, points + (i * (2 * u + 3 - i) / 2 + j) * coordinates, coordinates);
}

/* Writes the kind of a segment and its degrees. */
static void write_head(block_writer *w, const bezierview_type *type)
{
    const bool triangle = type->form == BEZIERVIEW_TRIANGLE;
    if (triangle && type->has_normals)
        block_writer_text(w, "9 %u %u\n", type->degree_u, type->normal_u);
    else if (triangle)
        block_writer_text(w, "3 %u\n", type->degree_u);
    else if (type->has_normals)
        block_writer_text(w, "10 %u %u %u %u\n", type->degree_u, type->degree_v, type->normal_u,
                          type->normal_v);
    else
        block_writer_text(w, "%d %u %u\n", type->rational ? 8 : 5, type->degree_u, type->degree_v);
}

/* Writes the patches of a batch that are in a group, or those that are in none. */
static void write_batch(block_writer *w, const bezierview_batch *batch, bool grouped,
                        int64_t *group)
{
    const bezierview_type *type = &batch->type;
    const size_t reals = batch->num_reals / batch->num_patches;
    const size_t normals = batch->num_normal_reals / batch->num_patches;
    for (size_t i = 0; i < batch->num_patches; i++) {
        const int64_t own = batch->groups ? batch->groups[i] : BEZIERVIEW_NO_GROUP;
        if ((own != BEZIERVIEW_NO_GROUP) != grouped) continue;
        if (own != *group) block_writer_text(w, "Group %lld group\n", (long long)own);
        *group = own;
        write_head(w, type);
        write_points(w, type, batch->points + i * reals,
                     (const uint32_t[]){type->degree_u, type->degree_v},
                     bezierview_coordinates(type));
        if (type->has_normals)
            write_points(w, type, batch->normals + i * normals,
                         (const uint32_t[]){type->normal_u, type->normal_v}, 3);
    }
}

static void write_polyhedra(block_writer *w, const mesh *m)
{
    block_writer_text(w, "1 %zu %zu\n", m->num_vertices, m->num_faces);
    for (size_t i = 0; i < m->num_vertices; i++)
        write_point(w, m->positions + 3 * i, 3);
    for (size_t face = 0, count; face < m->num_faces; face++) {
        const uint32_t *corners = mesh_face(m, face, &count);
        block_writer_text(w, "%zu", count);
        for (size_t i = 0; i < count; i++)
            block_writer_text(w, " %u", corners[i]);
        block_writer_text(w, "\n");
    }
}

/* Writes the patches without a group first: there is no line that ends a group. */
static void write_all(block_writer *w, const bezierview *content)
{
    int64_t group = BEZIERVIEW_NO_GROUP;
    block_writer_text(w, "# written by clspline\n");
    if (content->polyhedra.num_faces > 0) write_polyhedra(w, &content->polyhedra);
    for (int grouped = 0; grouped < 2; grouped++)
        for (size_t i = 0; i < content->num_batches; i++)
            if (content->batches[i].num_patches > 0)
                write_batch(w, &content->batches[i], grouped, &group);
}

bool bezierview_write(const bezierview *content, const char *path, io_message *message)
{
    output out;
    if (!output_open(&out, path, message)) return false;
    block_writer *w = block_writer_open(out.file);
    if (!w) {
        output_close(&out, false);
        return io_fail(message, "%s: cannot write: not enough memory", path);
    }
    write_all(w, content);
    const bool written = block_writer_close(w);
    if (!written) io_fail_errno(message, path, "cannot write");
    return output_close(&out, written);
}
