#include "patch_eval.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "grid_method.h"
#include "row_losses.h"
#include "host_grid.h"
#include "host_list.h"
#include "triangle_grid.h"
#include "vertex_layout.h"
#include "work.h"

enum { TRIANGLE_NS = 6 }; /* that a vertex of a cubic triangle takes a core */

/* ---- the host ---- */

/* Writes the values of a plan's basis functions, as clspi_tile_desc asks for them. */
static uint32_t values_of(const void *user, uint32_t direction, uint32_t by, uint32_t num,
                          uint32_t sample, double *values)
{
    const clspi_tensor_desc *const d = user;
    const clspi_basis *const basis = &d->basis;

    return num == d->axis[direction].num
               ? basis->values(basis->user, direction, by, sample, values)
               : basis->uniform_values(basis->user, &(clspi_sample){direction, by, num, sample},
                                       values);
}

static const double *factors_of(const void *user, uint32_t direction, uint32_t by)
{
    const clspi_tensor_desc *const d = user;

    return d->basis.factors(d->basis.user, direction, by);
}

/* Describes the points of a plan, and its vertices where they are points and weights alone. */
static clspi_tile_desc points_of(const clspi_tensor_desc *d)
{
    const clsp_vertex_layout *const vertex = &d->vertex;
    const bool weights = (vertex->attributes & CLSP_VERTEX_WEIGHT) != 0;
    const clspi_tile_desc desc = {
        .f64 = d->precision == CLSP_F64,
        .rational = d->rational,
        .directions = d->directions,
        .controls = {d->controls[0], d->controls[1], d->controls[2]},
        .terms = {d->terms[0], d->terms[1], d->terms[2]},
        .nums = {d->axis[0].num, d->axis[1].num, d->axis[2].num},
        .vertex = {.dim = d->dim,
                   .rational = d->rational,
                   .type = clspi_row_type_of(vertex->type),
                   .stride = vertex->stride,
                   .at_point = vertex->offset[0],
                   .at_weight = weights ? (int32_t)vertex->offset[1] : -1},
        .values = values_of,
        .user = d};

    return desc;
}

/* Makes the tables of a description for the numbers of samples that patches have. */
static clspi_vertex_tile *create_tables(const clsp_patch_plan *plan, clspi_vertex_tile_desc *desc)
{
    uint32_t *nums[3] = {NULL};
    clspi_vertex_tile *made = NULL;
    bool found = true;

    for (uint32_t k = 0; k < plan->desc.directions && clspi_patch_has_own_rows(plan); k++) {
        nums[k] = clspi_patch_grids_nums(&plan->grids, &plan->desc, k, &desc->num_nums[k]);
        desc->nums[k] = nums[k];
        found = found && nums[k];
    }
    if (found) made = clspi_vertex_tile_create(desc);
    for (int k = 0; k < 3; k++)
        free(nums[k]);
    return made;
}

/* Returns the method that the host makes rows by; NULL: its own, which patch grids are made by. */
static const clspi_grid_method *host_method(const clsp_patch_plan *plan)
{
    return plan->sums.method && clspi_patch_has_rows(plan) ? plan->sums.method->on_host : NULL;
}

static clspi_vertex_tile *create_tile(const clsp_patch_plan *plan)
{
    const clspi_tensor_desc *const d = &plan->desc;
    const uint32_t attributes = d->vertex.attributes;
    clspi_vertex_tile_desc desc = {
        .points = points_of(d),
        .method = host_method(plan),
        .shape = clspi_vertex_shape_of(d),
        .only_points = (attributes & CLSP_VERTEX_POINT) &&
                       !(attributes & ~(unsigned)(CLSP_VERTEX_POINT | CLSP_VERTEX_WEIGHT)),
        .factors = d->basis.factors ? factors_of : NULL,
        .is_bernstein = d->basis.is_bernstein && !d->is_triangle,
        .edges = plan->family->has_edges && plan->family->has_edges(d),
        .watertight = d->watertight != 0};

    desc.num_sums = clspi_sums_needed(d, desc.numbers);
    for (uint32_t k = 0; k < desc.num_sums; k++)
        clspi_sum_order(desc.numbers[k], desc.by[k]);
    for (uint32_t k = 0; k < 3; k++) {
        desc.axis[k][0] = d->axis[k].begin;
        desc.axis[k][1] = d->axis[k].end;
        desc.params[k] = d->axis[k].params;
    }
    return create_tables(plan, &desc);
}

static clsp_status prepare_host_locked(clsp_patch_plan *plan)
{
    CLSPI_CHECK(clspi_patch_read_points(plan));
    if (!plan->host_tile) plan->host_tile = create_tile(plan);
    const bool points = clspi_rows_lose_normals(plan) || clspi_rows_lose_far_parts(plan);
    if (plan->host_tile && (!points || clspi_list_recipe_prepare(plan))) return CLSP_OK;
    return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_NO_MEMORY, "%s: no memory for host tables",
                      plan->base.family);
}

/* Makes what all workers share; several may call it at once. */
static clsp_status prepare_host(clsp_patch_plan *plan)
{
    pthread_mutex_lock(&plan->host.lock);
    const clsp_status status = prepare_host_locked(plan);
    pthread_mutex_unlock(&plan->host.lock);
    return status;
}

static clsp_status no_scratch(const clsp_patch_plan *plan)
{
    return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_NO_MEMORY,
                      "%s: no memory for sums of a host worker", plan->base.family);
}

/* Finds the scratch memory of a worker. */
static clsp_status find_scratch(clsp_patch_plan *plan, uint32_t worker,
                                clspi_vertex_scratch **scratch)
{
    void **const own = &plan->host.scratch[worker];

    if (!*own) *own = clspi_vertex_scratch_create(plan->host_tile);
    *scratch = *own;
    return *own ? CLSP_OK : no_scratch(plan);
}

/* Returns the rows of a part, with the numbers of samples of its patches where these have their
   own. */
static clspi_tile_rows rows_of(const clsp_patch_plan *plan, const clspi_part *part, char *out)
{
    const size_t patch_bytes = plan->patch_reals * clsp_type_bytes(plan->desc.precision);
    const size_t nums = part->piece * clspi_grid_directions(&plan->desc);

    return (clspi_tile_rows){.points = (const char *)plan->host.data + part->piece * patch_bytes,
                             .patch = part->piece,
                             .more = part->num_pieces - 1,
                             .nums = clspi_has_patch_grids(&plan->grids) ? plan->grids.nums + nums
                                                                         : NULL,
                             .first_row = (uint32_t)part->line,
                             .num_rows = (uint32_t)(part->num_lines / part->num_pieces),
                             .out = out};
}

/* Finds normals that some vertices of a patch have lost on edges, as the first of some rows has
   them. */
static void find_normals(const clsp_patch_plan *plan, const clspi_tile_rows *rows, size_t patch,
                         size_t first, size_t count, char *out)
{
    const uint32_t common[] = {plan->desc.axis[0].num, plan->desc.axis[1].num};
    const clspi_row_vertices lost = {.points = plan->host.data,
                                     .nums = rows->nums ? rows->nums : common,
                                     .patch = patch,
                                     .first = first,
                                     .count = count,
                                     .out = out};

    if (clspi_rows_lose_normals(plan) && !rows->only_edges) clspi_rows_find_normals(plan, &lost);
}

/* Makes whole rows of one patch, or of several. */
static void eval_rows(const clsp_patch_plan *plan, clspi_vertex_scratch *scratch,
                      const clspi_tile_rows *rows)
{
    const size_t row =
        rows->nums && plan->desc.directions > 1 ? rows->nums[1] : plan->desc.axis[1].num;
    const size_t count = rows->num_rows * row, bytes = count * clspi_vertex_bytes(&plan->desc);

    clspi_vertex_tile_eval(plan->host_tile, scratch, rows);
    for (size_t p = 0; p <= rows->more && clspi_rows_lose_normals(plan); p++)
        find_normals(plan, rows, rows->patch + p, rows->first_row * row, count,
                     (char *)rows->out + p * bytes);
}

/* Makes the rows of a part on a worker. */
static clsp_status make_on_host(const clspi_work *work, uint32_t worker, const clspi_part *part,
                                const char *const in[], char *out)
{
    clsp_patch_plan *const plan = clspi_patch_plan_of(work->plan);
    const clspi_tile_rows rows = rows_of(plan, part, out);
    clspi_vertex_scratch *scratch;

    (void)in;
    CLSPI_CHECK(find_scratch(plan, worker, &scratch));
    eval_rows(plan, scratch, &rows);
    return CLSP_OK;
}

/* ---- patches with grids of their own ---- */

/* Returns how many patches from one on, of `most`, have its numbers of samples. */
static size_t equal_grids(const clspi_patch_grids *grids, size_t directions, size_t patch,
                          size_t most)
{
    const uint32_t *const nums = grids->nums + patch * directions;
    size_t num = 1;

    while (num < most && memcmp(nums, nums + num * directions, directions * sizeof *nums) == 0)
        num++;
    return num;
}

/* Makes a part of a cut whose pieces are patches: whole ones, or vertices of one. */
static clsp_status make_patches(const clsp_patch_plan *plan, clspi_vertex_scratch *scratch,
                                const clspi_part *part, bool only_edges, char *out)
{
    const size_t *const first = plan->grids.first_vertex;
    const size_t end = part->piece + part->num_pieces, vertex = clspi_vertex_bytes(&plan->desc);
    const size_t directions = clspi_grid_directions(&plan->desc);

    for (size_t p = part->piece, num; p < end; p += num) {
        num = equal_grids(&plan->grids, directions, p, end - p);
        const clspi_part some = {.piece = p, .num_pieces = num};
        clspi_tile_rows rows = rows_of(plan, &some, out + (first[p] - first[part->piece]) * vertex);
        rows.only_edges = only_edges;
        rows.num_rows = rows.nums[0];
        if (part->num_lines >= first[end] - first[part->piece])
            eval_rows(plan, scratch, &rows);
        else if (clspi_vertex_tile_some(plan->host_tile, scratch, &rows, part->line,
                                        part->num_lines))
            find_normals(plan, &rows, p, part->line, part->num_lines, out);
        else
            return no_scratch(plan);
    }
    return CLSP_OK;
}

/* Makes vertices, counted through all patches. */
static clsp_status make_vertices(const clsp_patch_plan *plan, clspi_vertex_scratch *scratch,
                                 clsp_range vertices, bool only_edges, char *out)
{
    const size_t vertex = clspi_vertex_bytes(&plan->desc);
    clspi_cut cut = clspi_patch_cut_vertices(plan, 0, vertices);
    clspi_part part;

    if (clspi_rows_lose_far_parts(plan)) {
        clspi_host_grid_make(plan, vertices, out);
        return CLSP_OK;
    }
    while (clspi_cut_next(&cut, UINT64_MAX, &part))
        CLSPI_CHECK(make_patches(plan, scratch, &part, only_edges, out + part.before * vertex));
    return CLSP_OK;
}

/* Makes a part whose pieces are vertices on a worker. */
static clsp_status make_vertices_on_host(const clspi_work *work, uint32_t worker,
                                         const clspi_part *part, const char *const in[], char *out)
{
    clsp_patch_plan *const plan = clspi_patch_plan_of(work->plan);
    clspi_vertex_scratch *scratch;

    (void)in;
    CLSPI_CHECK(find_scratch(plan, worker, &scratch));
    return make_vertices(plan, scratch, (clsp_range){part->piece, part->num_lines}, false, out);
}

/* Makes vertices one by one. */
static clsp_status make_points(const clspi_work *work, uint32_t worker, const clspi_part *part,
                               const char *const in[], char *out)
{
    (void)worker;
    (void)in;
    clspi_host_grid_make(clspi_patch_plan_of(work->plan),
                         (clsp_range){part->piece, part->num_lines}, out);
    return CLSP_OK;
}

/* ---- devices ---- */

static clsp_status make_on_device(const clspi_work *work, clspi_plan *base, clspi_series *series,
                                  const clspi_part *part, const clspi_place in[],
                                  const clspi_target *out)
{
    const clspi_rows whole = {.out = out->buffer, .offset = out->offset};
    clspi_part own = *part;

    (void)work;
    (void)in;
    own.before = 0; /* out is where it begins */
    const clspi_rows rows = clspi_rows_of_part(&whole, &own, 0);
    return clspi_patch_enqueue(clspi_patch_plan_of(base), series, &rows);
}

static clsp_status make_vertices_on_device(const clspi_work *work, clspi_plan *base,
                                           clspi_series *series, const clspi_part *part,
                                           const clspi_place in[], const clspi_target *out)
{
    (void)work;
    (void)in;
    return clspi_patch_enqueue_vertices(clspi_patch_plan_of(base), series,
                                        (clsp_range){part->piece, part->num_lines}, out->buffer,
                                        out->offset);
}

/* Makes ready what rows are made from: sums of all patches that the last ones start from, and room
   for those that vertices are assembled from. */
static clsp_status rows_ready(const clspi_work *work, clspi_plan *base, clspi_series *series)
{
    clsp_patch_plan *const plan = clspi_patch_plan_of(base);
    const clsp_range patches = {work->first_piece, work->tiling.num_pieces};
    clspi_point_source source;

    CLSPI_CHECK(clspi_patch_ready(plan, series));
    CLSPI_CHECK(clspi_patch_find_source(&source, plan, series));
    if (plan->sums.method) return CLSP_OK;
    for (uint32_t i = 0; i < plan->sums.num; i++)
        CLSPI_CHECK(clspi_sum_ready(&plan->sums.sum[i], series, patches));
    if (plan->is_plain || plan->sums.last_in_rows) return CLSP_OK;
    return clspi_assembly_reserve(&plan->assembly, &plan->sums, series, &plan->desc,
                                  work->tiling.num_pieces * work->tiling.lines);
}

static clsp_status vertices_ready(const clspi_work *work, clspi_plan *base, clspi_series *series)
{
    (void)work;
    return clspi_patch_vertices_ready(clspi_patch_plan_of(base), series);
}

/* Tells why launches for `count` patches cannot be queued; NULL: they can. Static storage. */
static const char *queue_refusal(const clsp_patch_plan *plan, size_t count)
{
    if (!clspi_patch_has_rows(plan)) return NULL;
    if (plan->sums.method) return "no persistent kernel for this method";
    for (uint32_t i = 0; i < plan->sums.num; i++)
        if (!clspi_sum_fits(&plan->sums.sum[i], count))
            return "partial sums of all patches do not fit the device";
    if (plan->is_plain || plan->sums.last_in_rows ||
        clspi_assembly_fits(plan->base.ctx, &plan->sums, &plan->desc,
                            count * plan->desc.axis[0].num))
        return NULL;
    return "sums of all vertices do not fit the device";
}

clsp_status clspi_patch_load_peer(clspi_plan *peer, clspi_plan *base)
{
    clsp_patch_plan *const plan = clspi_patch_plan_of(base);
    const void *points;

    CLSPI_CHECK(clspi_patch_host_points(plan, &points));
    CLSPI_CHECK(clspi_patch_load(clspi_patch_plan_of(peer), plan->num_patches, points));
    const clsp_input nums =
        clsp_in_u32(plan->grids.nums, plan->grids.num * clspi_grid_directions(&plan->desc));
    return clspi_patch_set_grids(clspi_patch_plan_of(peer), NULL, plan->grids.num, &nums);
}

/* ---- the call ---- */

/* Estimates how long a row, or a vertex by itself, takes a core, in ns: as measured, of degrees 3
   to 11. */
static double line_ns(const clsp_patch_plan *plan)
{
    const clspi_tensor_desc *const d = &plan->desc;

    if (!clspi_patch_has_rows(plan) && !clspi_patch_has_own_rows(plan))
        return clspi_triangle_has_rows(d) ? TRIANGLE_NS : clspi_host_list_ns(plan);
    const clspi_grid_method *const method = host_method(plan);
    const double of_sums = method ? method->term_ns * d->terms[0] * d->terms[1]
                                  : clspi_coords(d) * (0.1 + 0.02 * d->terms[0]);
    uint32_t numbers[SUM_KINDS];
    const double sums = plan->is_plain ? 1 : clspi_sums_needed(d, numbers);
    const double rest = plan->is_plain ? 0 : d->vertex.attributes & CLSP_VERTEX_NORMAL ? 4 : 2.5;

    const double row = clspi_patch_has_rows(plan) ? (double)clspi_patch_row_vertices(plan) : 1;

    return row * (sums * of_sums + rest);
}

static clsp_status prepare(const clspi_work *work, clspi_way way)
{
    (void)way;
    return prepare_host(clspi_patch_plan_of(work->plan));
}

/* Makes watertight points of rows again on the calling thread. Processors round differently, and
   what neighbours share has to be of one of them. */
static clsp_status make_edges(const clspi_work *work, clsp_range lines, const char *const in[],
                              char *out)
{
    const clsp_patch_plan *const plan = clspi_patch_plan_of(work->plan);
    const size_t line_bytes = work->out.per_line * clsp_type_bytes(work->out.type);
    clspi_cut cut = {.per_piece = work->tiling.lines,
                     .piece = work->first_piece + lines.first / work->tiling.lines,
                     .line = lines.first % work->tiling.lines,
                     .left = lines.count};
    clspi_part part;

    (void)in;
    if (!plan->desc.watertight) return CLSP_OK;
    if (!clspi_patch_has_rows(plan))
        return make_vertices(plan, NULL, (clsp_range){cut.piece, cut.left}, true, out);
    while (clspi_cut_next(&cut, UINT64_MAX, &part)) {
        clspi_tile_rows rows = rows_of(plan, &part, out + part.before * line_bytes);
        rows.only_edges = true;
        clspi_vertex_tile_eval(plan->host_tile, NULL, &rows);
    }
    return CLSP_OK;
}

/* Describes what speeds depend on. */
static clspi_work_key key_of(const clspi_work *work)
{
    static const char *const forms[] = {"", "curve", "surface", "volume"};
    const clsp_patch_plan *const plan = clspi_patch_plan_of(work->plan);
    const clspi_tensor_desc *const d = &plan->desc;
    const clspi_work_key key = {d->is_triangle ? "triangle" : forms[d->directions],
                                10,
                                {d->degrees[0], d->degrees[1], d->degrees[2], d->precision,
                                 d->rational != 0, plan->variant, d->vertex.attributes,
                                 d->vertex.stride, d->vertex.type, clspi_patch_has_rows(plan)}};

    return key;
}

static const char not_rows[] =
    "vertices made one by one (own bases, triangles, some samples of one's own) are not shared";

/* Describes the rows of patches, or their vertices where these are made one by one or have grids of
   their own, which are pieces then. */
static clspi_work work_of(clsp_patch_plan *plan, clsp_range patches, size_t elements,
                          const clsp_output *vertices)
{
    static const clspi_work_makers row_makers = {.key = key_of,
                                                 .prepare = prepare,
                                                 .on_host = make_on_host,
                                                 .on_device = make_on_device,
                                                 .ready = rows_ready,
                                                 .mend = make_edges};
    static const clspi_work_makers vertex_makers = {.key = key_of,
                                                    .prepare = prepare,
                                                    .on_host = make_vertices_on_host,
                                                    .on_device = make_vertices_on_device,
                                                    .ready = vertices_ready,
                                                    .mend = make_edges};
    static const clspi_work_makers point_makers = {.key = key_of,
                                                   .prepare = clspi_list_prepare,
                                                   .on_host = make_points,
                                                   .on_device = make_vertices_on_device};
    const clspi_tensor_desc *const d = &plan->desc;
    const bool has_rows = clspi_patch_has_rows(plan), own_rows = clspi_patch_has_own_rows(plan);
    const size_t per_patch = has_rows ? 1 : plan->patch_vertices;

    return (clspi_work){.plan = &plan->base,
                        .peers = &plan->peers,
                        .makers = has_rows   ? &row_makers
                                  : own_rows ? &vertex_makers
                                             : &point_makers,
                        .tiling = clspi_patch_tiling(plan, patches, elements),
                        .first_piece = clspi_has_patch_grids(&plan->grids)
                                           ? plan->grids.first_vertex[patches.first]
                                           : patches.first * per_patch,
                        .multiple = has_rows ? CLSPI_ROWS_MULTIPLE : 0,
                        .out = {vertices, "vertices", d->vertex.type,
                                clspi_patch_line_elements(plan), clspi_layout_has_gaps(d)},
                        .line_items = has_rows ? clspi_patch_row_vertices(plan) : 1,
                        .line_ns = line_ns(plan),
                        .why_alone = has_rows || own_rows ? NULL : not_rows};
}

clsp_status clsp_patch_eval(clsp_patch_plan *plan, clsp_range patches, clsp_output vertices,
                            const clsp_run *run)
{
    size_t elements = 0;

    if (!plan) return clspi_null_argument(NULL, "clsp_patch_eval");
    CLSPI_CHECK(clspi_call_check(&plan->base, run));
    CLSPI_CHECK(clspi_patch_check_patches(plan, patches, run));
    CLSPI_CHECK(clspi_patch_count_elements(plan, patches, run, &elements));
    clspi_work work = work_of(plan, patches, elements, &vertices);
    if (run && run->share) work.why_not_persistent = queue_refusal(plan, patches.count);
    return clspi_work_run(&work, run);
}
