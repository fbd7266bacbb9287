#include "index_buffers.h"

#include "check.h"
#include "eval_points.h"

/* ---- checks ---- */

uint32_t clspi_indices_per_facet(const clspi_face_job *job)
{
    return job->desc->is_triangle ? 3 : job->faces == CLSP_FACES_QUADS ? 4 : 6;
}

clsp_status clspi_faces_check(clsp_context *ctx, const char *family, const clspi_face_job *job)
{
    clspi_log *const log = &ctx->log;

    if (job->faces != CLSP_FACES_TRIANGLES && job->faces != CLSP_FACES_QUADS)
        return clspi_fail(log, CLSP_ERROR_ARGUMENT, "%s: faces of %d vertices", family,
                          (int)job->faces);
    if (job->desc->directions != 2)
        return clspi_fail(log, CLSP_ERROR_ARGUMENT, "%s: only surfaces have faces", family);
    if (job->desc->is_triangle && job->faces == CLSP_FACES_QUADS)
        return clspi_fail(log, CLSP_ERROR_ARGUMENT, "%s: triangles have no quads", family);
    return CLSP_OK;
}

/* Tells whether samples run against u and v taken together: faces must then turn round. */
static bool is_mirrored(const clspi_tensor_desc *d)
{
    return (d->axis[0].end < d->axis[0].begin) != (d->axis[1].end < d->axis[1].begin);
}

/* Returns the vertices of the range before one of its patches. */
static size_t vertices_before(const clspi_face_job *job, size_t patch)
{
    size_t vertices = 0, facets;

    if (clspi_has_patch_grids(job->grids))
        return job->grids->first_vertex[patch] - job->grids->first_vertex[job->patches.first];
    clspi_count_grid(job->desc, &vertices, &facets);
    return vertices * (patch - job->patches.first);
}

/* Returns some facets as a cut whose pieces are patches. */
static clspi_cut cut_of(const clspi_face_job *job, clsp_range facets)
{
    size_t vertices, per_patch = 0;

    clspi_count_grid(job->desc, &vertices, &per_patch);
    return clspi_patch_grids_cut(job->grids, job->grids->first_facet, per_patch, job->patches.first,
                                 facets);
}

/* ---- on the device ---- */

static clspi_options options_of(const clsp_context *ctx, bool is_triangle)
{
    clspi_options options = clspi_options_of(ctx, CLSP_F32);

    clspi_option(&options, "TRIANGLE", is_triangle);
    return options;
}

clsp_status clspi_faces_build(const clspi_build *build)
{
    for (int is_triangle = 0; is_triangle < 2; is_triangle++) {
        const clspi_options options = options_of(build->ctx, is_triangle);
        CLSPI_CHECK(clspi_program_build(build, "faces", &options));
    }
    return CLSP_OK;
}

/* Sets the facet where a launch begins within its first patch. */
static void set_begin(clspi_facet_range *range, const clspi_face_job *job, const clspi_part *part)
{
    const uint32_t num_u = clspi_samples_of(job->grids, job->desc, part->piece, 0);
    const uint32_t num_v = clspi_samples_of(job->grids, job->desc, part->piece, 1);

    if (part->line == 0) return;
    if (job->desc->is_triangle) {
        range->first_row = clspi_triangle_row(2 * num_u - 3, 2, part->line, &range->skip);
    } else {
        range->first_row = (uint32_t)(part->line / (num_v - 1));
        range->skip = (uint32_t)(part->line % (num_v - 1));
    }
}

static clsp_status launch(const clspi_kernel *kernel, clspi_series *series,
                          const clspi_face_job *job, const clspi_part *part, cl_mem out,
                          size_t offset)
{
    const clspi_tensor_desc *const d = job->desc;
    const clspi_patch_grids *const grids = job->grids;
    const bool own = clspi_has_patch_grids(grids);
    size_t vertices = 0, facets = 0;

    clspi_count_grid(d, &vertices, &facets);
    clspi_faces_args args = {.nums = own ? grids->nums_buffer : out, /* not read then */
                             .prefix = own ? grids->vertex_buffer : out,
                             .facet_prefix = own ? grids->facet_buffer : out,
                             .out = out,
                             .range = {.first_patch = part->piece,
                                       .offset = offset,
                                       .num_patches = (uint32_t)part->num_pieces,
                                       .num_u = clspi_samples_of(grids, d, part->piece, 0),
                                       .num_v = clspi_samples_of(grids, d, part->piece, 1),
                                       .facets = own ? 0 : (uint32_t)clspi_min(facets, UINT32_MAX),
                                       .vertices = (uint32_t)vertices,
                                       .base = (uint32_t)vertices_before(job, part->piece),
                                       .first_row = 0,
                                       .skip = 0,
                                       .per_facet = clspi_indices_per_facet(job),
                                       .mirrored = is_mirrored(d),
                                       .items = (uint32_t)part->num_lines}};

    set_begin(&args.range, job, part);
    return clspi_launch_faces(series, kernel, &args, part->num_lines);
}

clsp_status clspi_faces_enqueue(clspi_kernel *kernel, clspi_series *series,
                                const clspi_face_job *job, clsp_range facets, cl_mem out,
                                size_t offset)
{
    clsp_context *const ctx = series->ctx;
    const clspi_options options = options_of(ctx, job->desc->is_triangle);
    const uint64_t most = clspi_launch_lines(&ctx->tuning, 0, 1, ctx->tuning.work_group, 1);
    clspi_cut cut = cut_of(job, facets);
    clspi_part part;

    if (!kernel->kernel)
        CLSPI_CHECK(clspi_kernel_create(kernel, ctx, "faces", &clspi_faces_signature, &options));
    while (clspi_cut_next(&cut, most, &part))
        CLSPI_CHECK(launch(kernel, series, job, &part, out,
                           offset + part.before * clspi_indices_per_facet(job)));
    return CLSP_OK;
}

/* ---- on the host ---- */

/* Writes one triangle, turned round where samples are mirrored. */
static uint32_t *put(uint32_t *out, uint32_t a, uint32_t b, uint32_t c, bool mirrored)
{
    out[0] = a;
    out[1] = mirrored ? c : b;
    out[2] = mirrored ? b : c;
    return out + 3;
}

/* Writes facets of a triangular grid from one on; base: its first vertex. */
static uint32_t *put_triangles(uint32_t *out, uint32_t base, uint32_t num, size_t first,
                               size_t count)
{
    uint32_t k, a = clspi_triangle_row(2 * num - 3, 2, first, &k);

    base += (uint32_t)(a * (uint64_t)num - ((uint64_t)a * a - a) / 2);
    for (; count > 0; a++, k = 0) {
        const uint32_t next = base + num - a; /* the row after */
        for (; k < 2 * (num - a) - 3 && count > 0; k++, count--) {
            const uint32_t b = k / 2;
            out = k % 2 == 0 ? put(out, base + b, next + b, base + b + 1, false)
                             : put(out, next + b, next + b + 1, base + b + 1, false);
        }
        base = next;
    }
    return out;
}

/* Writes the faces of the square from vertex `at` to next + 1. */
static uint32_t *put_square(uint32_t *out, uint32_t at, uint32_t next, clsp_faces faces,
                            bool mirrored)
{
    if (faces == CLSP_FACES_TRIANGLES) {
        out = put(out, at, next, next + 1, mirrored);
        return put(out, at, next + 1, at + 1, mirrored);
    }
    out = put(out, at, mirrored ? at + 1 : next, next + 1, false);
    *out++ = mirrored ? next : at + 1;
    return out;
}

/* Writes facets of a patch from one on. */
static uint32_t *put_patch(const clspi_face_job *job, size_t patch, size_t first, size_t count,
                           uint32_t *out)
{
    const uint32_t num_u = clspi_samples_of(job->grids, job->desc, patch, 0);
    const uint32_t num_v = clspi_samples_of(job->grids, job->desc, patch, 1);
    const uint32_t base = (uint32_t)vertices_before(job, patch);
    const bool mirrored = is_mirrored(job->desc);

    if (job->desc->is_triangle) return put_triangles(out, base, num_u, first, count);
    uint32_t at = base + (uint32_t)(first / (num_v - 1)) * num_v,
             b = (uint32_t)(first % (num_v - 1));
    for (; count > 0; at += num_v, b = 0)
        for (; b + 1 < num_v && count > 0; b++, count--)
            out = put_square(out, at + b, at + b + num_v, job->faces, mirrored);
    return out;
}

void clspi_faces_on_host(const clspi_face_job *job, clsp_range facets, uint32_t *indices)
{
    const size_t *const prefix = job->grids->first_facet;
    clspi_cut cut = cut_of(job, facets);

    for (size_t num; cut.left > 0; cut.left -= num, cut.piece++, cut.line = 0) {
        const size_t all = prefix ? prefix[cut.piece + 1] - prefix[cut.piece] : cut.per_piece;
        num = clspi_min(cut.left, all - cut.line);
        if (num > 0) indices = put_patch(job, cut.piece, cut.line, num, indices);
    }
}
