/* The public calls that evaluate solids: by the context's device, or shared, as tiles of cells or
   of points by the host's evaluation and by that of devices (docs/cooperation.md). */
#include "cell_launch.h"
#include "check.h"
#include "device_lists.h"
#include "host_cells.h"
#include "lattice.h"
#include "list_vertices.h"
#include "methods.h"
#include "points.h"
#include "solid_upload.h"
#include "star_vertices.h"
#include "work.h"

enum {
    CELL_ITEMS = 32,    /* a cell takes as long as so many sums of its samples more, */
    POINT_ITEMS = 256,  /* and a point of a list longer than so many */
    BLOCK_GRID = 4096,  /* samples of a cell up to which tiles are whole blocks */
    SAMPLE_NS = 3,      /* that a sum of a sample takes a core there, as measured, */
    THREAD_NS = 16,     /* by all of its terms, */
    SPOT_NS = 50,       /* and one of a list's point in a cell that is regular or has slices, */
    IRREGULAR_NS = 1000 /* and in others */
};

static clsp_solid_plan *solid_plan_of(clspi_plan *plan)
{
    return (clsp_solid_plan *)plan; /* whose first member it is */
}

/* ---- processors ---- */

/* What a call makes: the cells of a range, or the points of a list. */
typedef struct solid_call {
    clsp_solid_plan *plan;
    bool is_list; /* points; else cells */
    bool is_planar;
    size_t num;     /* cells, or points */
    bool by_device; /* the host makes no cells, by what the share says */
} solid_call;

enum { PARAMS, CELLS }; /* inputs of a list */

static clsp_status make_on_host(const clspi_work *work, uint32_t worker, const clspi_part *part,
                                const char *const in[], char *out)
{
    const solid_call *const c = work->user;
    const clsp_range cells = {part->piece, part->num_lines};

    if (!c->is_list) return clspi_solid_host_cells(c->plan, worker, cells, out);
    const clspi_solid_list list = {
        .num = part->num_lines,
        .cells = work->num_in > CELLS ? (const uint32_t *)(const void *)in[CELLS] : NULL,
        .params = in[PARAMS],
        .plane = c->is_planar ? c->num : 0};
    return clspi_solid_host_points(c->plan, worker, &list, out);
}

/* Makes the vertices of cells, in lines of one cell each. */
static clsp_status make_cells(clsp_solid_plan *plan, clspi_series *series, clsp_range cells,
                              const clspi_target *target)
{
    const clsp_axis *const axis = plan->desc.axis;
    const clspi_cell_samples at = {.num_u = axis[0].num,
                                   .num_v = axis[1].num,
                                   .num_w = axis[2].num,
                                   .first = (uint32_t)cells.first,
                                   .count = (uint32_t)cells.count,
                                   .record = 0,
                                   .sets = 0,
                                   .groups = 1,
                                   .offset = target->offset,
                                   .keep = plan->shape.number[0] == CLSPI_VALUE ? 1.0 : 0.0};

    CLSPI_CHECK(clspi_solid_device_ready(plan, series));
    if (plan->lattice) return clspi_lattice_enqueue(plan, series, cells, target);
    return plan->desc.method == CLSP_SOLID_CELLS
               ? clspi_cells_make(plan, series, target->buffer, at)
               : clspi_published_cells.make(plan, series, target->buffer, at);
}

static clsp_status make_on_device(const clspi_work *work, clspi_plan *base, clspi_series *series,
                                  const clspi_part *part, const clspi_place in[],
                                  const clspi_target *out)
{
    const solid_call *const c = work->user;
    const clsp_range cells = {part->piece, part->num_lines};

    if (!c->is_list) return make_cells(solid_plan_of(base), series, cells, out);
    const uint32_t planes = work->in[PARAMS].planes;
    const clspi_device_list list = {.num = part->num_lines,
                                    .params = in,
                                    .is_planar = c->is_planar,
                                    .cells = work->num_in > CELLS ? &in[planes] : NULL,
                                    .out = *out};
    return clspi_device_list_make(solid_plan_of(base), series, &list);
}

static clsp_status ready(const clspi_work *work, clspi_plan *base, clspi_series *series)
{
    const solid_call *const c = work->user;

    return c->is_list ? clspi_device_lists_ready(solid_plan_of(base), series)
                      : clspi_solid_device_ready(solid_plan_of(base), series);
}

/* Tells why launches cannot be queued; NULL: they can. */
static const char *queue_refusal(const solid_call *c)
{
    if (c->is_list) return NULL;
    if (c->plan->lattice) return "no persistent kernel for vertices by lattices";
    return c->plan->desc.method == CLSP_SOLID_CELLS ? NULL : "no persistent kernel for this method";
}

static const char *lacks(const clspi_work *work, const clspi_plan *base)
{
    const solid_call *const c = work->user;
    const clsp_solid_plan *const plan = (const clsp_solid_plan *)base;

    if (c->is_list) return clspi_device_list_lack(plan);
    return plan->lattice && !plan->lattice->makes_grid ? "the host makes such vertices by stars"
                                                       : NULL;
}

/* Tells whether the host makes vertices by stars: all but those that devices make by lattices. */
static bool is_by_stars(const solid_call *c)
{
    return c->plan->lattice &&
           (c->is_list || !c->plan->lattice->makes_grid || !c->by_device || c->plan->by_host);
}

static clsp_status prepare(const clspi_work *work, clspi_way way)
{
    const solid_call *const c = work->user;

    (void)way;
    if (is_by_stars(c)) CLSPI_CHECK(clspi_star_prepare(c->plan));
    CLSPI_CHECK(clspi_solid_host_prepare(c->plan));
    if (c->is_list) return clspi_solid_host_lists(c->plan);
    return c->plan->lattice ? CLSP_OK : clspi_solid_host_tables(c->plan);
}

/* ---- the work ---- */

static size_t grid_of(const solid_call *c)
{
    return c->is_list ? 1 : clspi_grid_size(&c->plan->desc);
}

static size_t items_of(const solid_call *c)
{
    const size_t sums = clspi_max(1, c->plan->shape.num_sums);

    return c->is_list ? POINT_ITEMS : CELL_ITEMS + sums * grid_of(c);
}

/* Returns tiles of points, or of whole cells, of whole blocks of 8 where these are not too large.
 */
static clspi_tiling tiling_of(const solid_call *c)
{
    clspi_tiling tiling = clspi_list_tiling(c->num, items_of(c));

    if (!c->is_list && grid_of(c) <= BLOCK_GRID)
        tiling.pieces_per_tile = clspi_min(
            clspi_max(1, c->num), clspi_round_up(tiling.pieces_per_tile, CLSPI_BLOCK_CELLS));
    return tiling;
}

/* Returns the ns that a cell or a point takes. */
static double line_ns(const solid_call *c)
{
    const clsp_solid_plan *const plan = c->plan;
    const clspi_cell_layout *const layout = &plan->layout;
    const double sums = (double)clspi_max(1, plan->shape.num_sums),
                 cells = (double)clspi_max(1, plan->num_cells);
    const double ns = plan->desc.method == CLSP_SOLID_THREAD ? THREAD_NS : SAMPLE_NS;
    size_t others = 0;

    if (!c->is_list) return ns * (double)items_of(c);
    for (uint32_t u = 0; u < layout->num_uses; u++)
        if (!layout->uses[u].has_slices && layout->uses[u].of.number != CLSPI_REGULAR)
            others += layout->uses[u].num_cells;
    return sums * (SPOT_NS + IRREGULAR_NS * (double)others / cells);
}

/* Describes what speeds depend on. */
static clspi_work_key key_of(const clspi_work *work)
{
    const solid_call *const c = work->user;
    const clsp_solid_plan *const plan = c->plan;
    const clsp_vertex_layout *const vertex = &plan->desc.vertex;
    const size_t regular = plan->lattice ? 0 : plan->layout.uses[0].num_cells;
    const size_t others = plan->num_cells - regular;
    const clspi_work_key key = {c->is_list ? "list" : "grid",
                                8,
                                {plan->desc.dim, plan->desc.precision, vertex->attributes,
                                 vertex->stride, vertex->type, plan->desc.method,
                                 (uint32_t)(8 * others / clspi_max(1, plan->num_cells)),
                                 clspi_size_class((double)grid_of(c))}};

    return key;
}

/* Describes the work of a call, but for the inputs of a list. */
static clspi_work work_of(const solid_call *c, size_t first, const clsp_output *vertices)
{
    static const clspi_work_makers makers = {.key = key_of,
                                             .prepare = prepare,
                                             .on_host = make_on_host,
                                             .lacks = lacks,
                                             .on_device = make_on_device,
                                             .ready = ready};
    clsp_solid_plan *const plan = c->plan;
    const bool is_there =
        c->is_list || (plan->lattice ? is_by_stars(c) : clspi_solid_has_host(&plan->desc));

    return (clspi_work){.plan = &plan->base,
                        .peers = &plan->peers,
                        .makers = &makers,
                        .user = c,
                        .user_bytes = sizeof *c,
                        .tiling = tiling_of(c),
                        .first_piece = first,
                        .out = {vertices, "vertices", plan->desc.vertex.type,
                                c->is_list ? plan->shape.stride : plan->cell_elements,
                                plan->has_gaps},
                        .line_items = items_of(c),
                        .line_ns = line_ns(c),
                        .takes_all = plan->lattice != NULL,
                        .why_not_persistent = queue_refusal(c),
                        .why_no_host = is_there ? NULL : "the host has no code for this method"};
}

/* ---- the calls ---- */

/* Checks that a plan has control points, unless a call is only asked. */
static clsp_status check_loaded(const clsp_solid_plan *plan, const clsp_run *run)
{
    if (plan->is_loaded || clspi_run_asks(run)) return CLSP_OK;
    return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_STATE,
                      "solid: no control points are loaded");
}

/* Gives what the vertices of cells need of memory, unless that is more than there can be. */
static clsp_status find_need(const clsp_solid_plan *plan, clsp_range cells, clspi_memory_need *need)
{
    *need = (clspi_memory_need){"vertices", plan->desc.vertex.type, plan->cell_elements};
    if (clspi_size_mul(&need->count, cells.count) && need->count <= SIZE_MAX / sizeof(double))
        return CLSP_OK;
    return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_NO_MEMORY,
                      "solid: the vertices of %zu cells are more than the address space",
                      cells.count);
}

/* Tells whether the context's device may make points of a list. */
static bool needs_device(const clsp_solid_plan *plan, const clsp_run *run)
{
    const clsp_share *const share = run ? run->share : NULL;

    return !clspi_is_own_cpu(plan->base.ctx) && !clspi_run_asks(run) &&
           (!share || share->measure || share->bit_equal || share->schedule != CLSP_SCHEDULE_HOST);
}

/* Tells whether devices alone make what is shared. */
static bool is_by_device(const clsp_run *run)
{
    const clsp_share *const share = run ? run->share : NULL;

    return share && (share->bit_equal || share->schedule == CLSP_SCHEDULE_DEVICE);
}

clsp_status clsp_solid_eval(clsp_solid_plan *plan, clsp_range cells, clsp_output vertices,
                            const clsp_run *run)
{
    const solid_call c = {.plan = plan, .num = cells.count, .by_device = is_by_device(run)};
    clspi_memory_need need;

    if (!plan) return clspi_null_argument(NULL, "clsp_solid_eval");
    CLSPI_CHECK(clspi_call_check(&plan->base, run));
    if (!plan->has_grid)
        return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_STATE, "solid: the plan has no grid");
    CLSPI_CHECK(check_loaded(plan, run));
    CLSPI_CHECK(clspi_solid_cells_check(plan, cells));
    CLSPI_CHECK(find_need(plan, cells, &need));
    const clspi_work work = work_of(&c, cells.first, &vertices);
    return clspi_work_run(&work, run);
}

clsp_status clsp_solid_eval_points(clsp_solid_plan *plan, const clsp_points *points,
                                   clsp_output vertices, const clsp_run *run)
{
    if (!plan || !points)
        return clspi_null_argument(plan ? &plan->base : NULL, "clsp_solid_eval_points");
    CLSPI_CHECK(clspi_call_check(&plan->base, run));
    CLSPI_CHECK(check_loaded(plan, run));
    CLSPI_CHECK(clspi_points_check(&plan->base, points, 3 + (size_t)plan->shape.stride));
    const bool is_planar = points->planar != 0;
    const solid_call c = {
        .plan = plan, .is_list = true, .is_planar = is_planar, .num = points->num};
    const clspi_work_input in[] = {
        [PARAMS] = {.input = &points->params,
                    .need = {"params", plan->desc.precision, 3 * points->num},
                    .per_line = is_planar ? 1 : 3,
                    .planes = is_planar ? 3 : 1,
                    .apart = points->num},
        [CELLS] = {.input = &points->item,
                   .need = {"cells", CLSP_U32, points->num},
                   .per_line = 1,
                   .planes = 1}};
    clspi_work work = work_of(&c, 0, &vertices);
    work.num_in = clspi_input_is_there(&points->item) ? 2 : 1;
    work.in = in;
    if (needs_device(plan, run)) CLSPI_CHECK(clspi_device_lists_try(plan));
    return clspi_work_run(&work, run);
}
