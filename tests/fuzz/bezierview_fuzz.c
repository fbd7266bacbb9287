/* Fuzz target of the BezierView reader: any bytes give a result, with grids for
   its patches, or an error with a message.
   Built and run by hand, from the root of the tree, with clang:

       sh tests/fuzz/build.sh bezierview /tmp/bezierview_fuzz
       mkdir -p /tmp/corpus
       /tmp/bezierview_fuzz -max_len=4096 -max_total_time=300 /tmp/corpus tests/data */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bezierview.h"
#include "seams.h"
#include "tessellation.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition) abort();
}

static void check_reals(const double *reals, size_t count)
{
    for (size_t i = 0; i < count; i++)
        require(isfinite(reals[i]) != 0);
}

static void check_batch(const bezierview_batch *batch)
{
    const bezierview_type *type = &batch->type;
    size_t coordinates = bezierview_coordinates(type), patches = batch->num_patches;
    require(patches > 0);
    require(batch->num_reals == patches * bezierview_patch_points(type) * coordinates);
    check_reals(batch->points, batch->num_reals);
    check_reals(batch->normals, batch->num_normal_reals);
    require((batch->num_normal_reals > 0) == type->has_normals);
    require(batch->num_normal_reals % patches == 0);
    for (size_t i = 3; type->rational && i < batch->num_reals; i += 4)
        require(batch->points[i] > 0);
    for (size_t i = 0; i < patches; i++)
        require(batch->groups[i] >= BEZIERVIEW_NO_GROUP);
}

/* What is made of a file before anything is evaluated: bounds, seams and numbers of samples. */
static void check_grids(const bezierview *content)
{
    seams edges;
    tessellation grids = {0};
    require(seams_find(&edges, content));
    require(tessellation_within(&grids, content, &edges, 1e-3, NULL));
    for (size_t i = 0; i < 2 * grids.num_patches; i++)
        require(grids.num[i] >= 2);
    require(tessellation_num_points(&grids, content) >= 3 * grids.num_patches);
    double largest;
    require(tessellation_diagonal(content, &largest) >= 0 && largest >= 0);
    tessellation_clear(&grids);
    seams_clear(&edges);
}

static void check_mesh(const mesh *m)
{
    size_t count;
    for (size_t face = 0; face < m->num_faces; face++) {
        const uint32_t *corners = mesh_face(m, face, &count);
        require(count >= 3);
        for (size_t i = 0; i < count; i++)
            require(corners[i] < m->num_vertices);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bezierview content;
    io_message message = {""};
    if (size == 0) return 0;
    FILE *file = fmemopen((void *)(uintptr_t)data, size, "rb");
    require(file != NULL);
    if (bezierview_read(&content, file, "f", size % 2 ? MESH_F32 : MESH_F64, &message)) {
        for (size_t i = 0; i < content.num_batches; i++)
            check_batch(&content.batches[i]);
        check_mesh(&content.polyhedra);
        check_grids(&content);
    } else {
        require(strncmp(message.text, "f:", 2) == 0 && !strchr(message.text, '\n'));
        require(content.num_batches == 0 && content.polyhedra.num_vertices == 0);
    }
    bezierview_clear(&content);
    fclose(file);
    return 0;
}
