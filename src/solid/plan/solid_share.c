/* The public calls that evaluate solids: by the context's device, or shared, as tiles of cells or
   of points by the host's evaluation and by that of devices (docs/cooperation.md). */
#include "solid_share.h"

#include <stdio.h>
#include <stdlib.h>

#include "buffer.h"
#include "check.h"
#include "host_cells.h"
#include "lattice.h"
#include "list_vertices.h"
#include "point_copies.h"
#include "point_lists.h"
#include "points.h"
#include "star_vertices.h"

enum {
    KEY_MAX = 160,
    CELL_ITEMS = 32,    /* a cell takes as long as so many sums of its samples more, */
    POINT_ITEMS = 256,  /* and the weights of a point longer than so many */
    BLOCK_GRID = 4096,  /* samples of a cell up to which tiles are whole blocks */
    SAMPLE_NS = 3,      /* that a sum of a sample takes a core there, as measured, */
    SPOT_NS = 50,       /* and one of a list's point in a cell that is regular or has slices, */
    IRREGULAR_NS = 1000 /* and in others */
};

static clsp_solid_plan *solid_plan_of(clspi_plan *plan)
{
    return (clsp_solid_plan *)plan; /* whose first member it is */
}

/* ---- peers ---- */

static clsp_status create_peer(clspi_plan **peer, clsp_context *ctx, const clspi_plan *plan)
{
    clsp_solid_plan *made;
    const clsp_status status = clspi_solid_plan_like(&made, ctx, (const clsp_solid_plan *)plan);

    *peer = status == CLSP_OK ? &made->base : NULL;
    return status;
}

static void destroy_peer(clspi_plan **peer)
{
    clsp_solid_plan *plan = solid_plan_of(*peer);

    clsp_solid_plan_destroy(&plan);
    *peer = NULL;
}

static clsp_status bring(clsp_solid_plan *peer, clspi_series *series, const void *points,
                         size_t bytes)
{
    CLSPI_CHECK(clspi_series_write(series, peer->control, 0, points, bytes));
    if (peer->lattice) return clspi_lattice_load(peer, series);
    return clspi_point_copies_make(peer, series);
}

/* Brings the control points that the owner has in host memory, those beyond the boundary too. */
static clsp_status load_peer(clspi_plan *base, clspi_plan *owner)
{
    clsp_solid_plan *const peer = solid_plan_of(base);
    const size_t bytes =
        clspi_num_points(&peer->points) * peer->desc.dim * clsp_type_bytes(peer->desc.precision);
    clspi_call call;

    peer->is_loaded = false;
    CLSPI_CHECK(clspi_control_reserve(peer, bytes));
    CLSPI_CHECK(clspi_call_begin(&call, base, NULL));
    const clsp_status status =
        clspi_call_finish(&call, bring(peer, &call.series, solid_plan_of(owner)->host.data, bytes));
    peer->is_loaded = status == CLSP_OK;
    return status;
}

const clspi_peer_kind clspi_solid_peers = {create_peer, destroy_peer, load_peer};

/* ---- processors ---- */

/* What is shared: the cells of a range, or the points of a list. */
typedef struct shared_points {
    clsp_solid_plan *plan;
    bool is_list;
    clspi_solid_list list;
    size_t first, num; /* cells, or points */
    bool by_device;    /* the host makes no cells, by what the share says */
    char *out;
    void *copies[2]; /* of a list that is not aligned to its elements; NULL: none */
} shared_points;

static clsp_status make_on_host(const void *user, clspi_plan *base, uint32_t worker,
                                const clspi_part *part, char *out)
{
    const shared_points *const s = user;
    const clsp_range lines = {part->piece, part->num_lines};

    if (s->is_list)
        return clspi_solid_host_points(solid_plan_of(base), worker, &s->list, lines, out);
    return clspi_solid_host_cells(solid_plan_of(base), worker, lines, out);
}

static clsp_status make_on_device(const void *user, clspi_plan *base, clspi_series *series,
                                  const clspi_part *part, const clspi_target *target)
{
    const shared_points *const s = user;
    const clsp_range lines = {part->piece, part->num_lines};

    if (s->is_list)
        return clspi_point_list_enqueue(solid_plan_of(base), series, &s->list, lines, target);
    return clspi_solid_enqueue(solid_plan_of(base), series, lines, target);
}

/* ---- jobs ---- */

/* Names a job by what its speeds depend on. */
static void name_job(const shared_points *s, char key[KEY_MAX])
{
    const clsp_solid_plan *const plan = s->plan;
    const clsp_vertex_layout *const vertex = &plan->desc.vertex;
    const size_t grid = s->is_list ? 1 : clspi_grid_size(&plan->desc);
    const size_t regular = plan->lattice ? 0 : plan->layout.uses[0].num_cells;
    const size_t others = plan->num_cells - regular;

    snprintf(key, KEY_MAX, "solid-%s-d%u-f%zu-n%u-a%x-s%u-%zu-m%d-i%u-c%u",
             s->is_list ? "list" : "grid", plan->desc.dim,
             8 * clsp_type_bytes(plan->desc.precision), clspi_size_class((double)grid),
             vertex->attributes, vertex->stride, 8 * clsp_type_bytes(vertex->type),
             (int)plan->desc.method, (unsigned)(8 * others / clspi_max(1, plan->num_cells)),
             clspi_size_class((double)grid * (double)s->num));
}

/* Returns tiles of whole cells, of whole blocks of 8 where these are not too large. */
static clspi_tiling tiling_of(const shared_points *s, size_t items)
{
    clspi_tiling tiling = clspi_tiling_of(s->num, 1, items, 1);

    if (!s->is_list && clspi_grid_size(&s->plan->desc) <= BLOCK_GRID)
        tiling.pieces_per_tile = clspi_min(
            clspi_max(1, s->num), clspi_round_up(tiling.pieces_per_tile, CLSPI_BLOCK_CELLS));
    return tiling;
}

/* Tells whether vertices are made by stars: all but those that devices make by lattices. */
static bool is_by_stars(const shared_points *s)
{
    return s->plan->lattice && (s->is_list || !s->plan->lattice->makes_grid || !s->by_device);
}

static clsp_status prepare(const void *user, clspi_plan *base)
{
    const shared_points *const s = user;

    (void)base;
    if (is_by_stars(s)) CLSPI_CHECK(clspi_star_prepare(s->plan, NULL));
    CLSPI_CHECK(clspi_solid_host_prepare(s->plan));
    if (s->is_list) return clspi_solid_host_lists(s->plan);
    return s->plan->lattice ? CLSP_OK : clspi_solid_host_tables(s->plan);
}

static size_t items_of(const shared_points *s)
{
    const size_t sums = clspi_max(1, s->plan->shape.num_sums);

    return s->is_list ? POINT_ITEMS : CELL_ITEMS + sums * clspi_grid_size(&s->plan->desc);
}

/* Returns the elements of a cell's or a point's vertices. */
static size_t line_elements(const shared_points *s)
{
    return s->is_list ? s->plan->shape.stride : s->plan->cell_elements;
}

/* Tells why the host cannot make vertices; NULL: it can. Static storage. */
static const char *host_refusal(const shared_points *s)
{
    const bool is_other = !s->is_list && s->plan->desc.method != CLSP_SOLID_CELLS;

    return is_other && !is_by_stars(s) ? "the host has no code for this method" : NULL;
}

static clspi_shared_batch batch_of(const shared_points *s, const clspi_tiling *tiling)
{
    static const clspi_line_maker maker = {make_on_host, make_on_device, NULL};
    clsp_solid_plan *const plan = s->plan;
    const size_t element = clspi_solid_element(plan);

    return (clspi_shared_batch){.plan = &plan->base,
                                .peers = &plan->peers,
                                .maker = &maker,
                                .user = s,
                                .why_no_host = host_refusal(s),
                                .why_not_persistent = "no persistent kernel makes solids",
                                .first_piece = s->first,
                                .tiling = *tiling,
                                .line_items = items_of(s),
                                .line_bytes = line_elements(s) * element,
                                .element = element,
                                .has_gaps = plan->has_gaps,
                                .prepare = prepare};
}

static clsp_status share(const shared_points *s, const clspi_tiling *tiling,
                         const clspi_tiles *tiles, const clsp_run *run)
{
    clsp_solid_plan *const plan = s->plan;
    clspi_shared_batch batch = batch_of(s, tiling);
    char key[KEY_MAX];

    name_job(s, key);
    batch.key = key;
    CLSPI_CHECK(clspi_shared_batch_run(&batch, tiles, s->out, run, run->report));
    return clspi_run_done(&plan->base, run);
}

/* ---- the host for its own CPU ---- */

/* Tells whether a call is made by the host's threads: but for other methods they are faster than
   kernels. */
static bool goes_to_host(const shared_points *s, const clsp_output *vertices, const clsp_run *run)
{
    const bool is_faster = s->plan->desc.method == CLSP_SOLID_CELLS;

    return !host_refusal(s) && clspi_goes_to_host(&s->plan->base, run, vertices, is_faster);
}

/* Returns the ns that a cell or a point takes. */
static double line_ns(const shared_points *s)
{
    const clsp_solid_plan *const plan = s->plan;
    const clspi_cell_layout *const layout = &plan->layout;
    const double sums = plan->shape.num_sums;
    size_t others = 0;

    if (!s->is_list) return SAMPLE_NS * (double)items_of(s);
    for (uint32_t u = 0; u < layout->num_uses; u++)
        if (!layout->uses[u].has_slices && layout->uses[u].of.number != CLSPI_REGULAR)
            others += layout->uses[u].num_cells;
    return sums * (SPOT_NS + IRREGULAR_NS * (double)others / (double)plan->num_cells);
}

static clsp_status eval_on_host(const shared_points *s, const clspi_tiling *tiling,
                                const clspi_tiles *tiles, const clsp_output *vertices,
                                const clsp_run *run)
{
    const size_t elements = tiles->lines.count * line_elements(s);
    const clspi_memory_need need = {"vertices", s->plan->desc.vertex.type, elements};
    clspi_shared_batch batch = batch_of(s, tiling);
    clspi_memory memory;

    CLSPI_CHECK(clspi_output_open(&memory, &s->plan->base, vertices, &need));
    return clspi_batch_on_host(&batch, tiles, memory.host, line_ns(s), run);
}

/* ---- the calls ---- */

/* Checks that a plan has control points, unless a call is only asked. */
static clsp_status check_loaded(const clsp_solid_plan *plan, const clsp_run *run)
{
    if (plan->is_loaded || clspi_run_asks(run)) return CLSP_OK;
    return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_STATE,
                      "solid: no control points are loaded");
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
    shared_points s = {
        .plan = plan, .first = cells.first, .num = cells.count, .by_device = is_by_device(run)};
    clspi_memory_need need;
    clspi_tiles tiles;

    if (!plan) return clspi_null_argument(NULL, "clsp_solid_eval");
    CLSPI_CHECK(clspi_call_check(&plan->base, run));
    if (!plan->has_grid)
        return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_STATE, "solid: the plan has no grid");
    CLSPI_CHECK(check_loaded(plan, run));
    CLSPI_CHECK(clspi_solid_cells_check(plan, cells));
    CLSPI_CHECK(clspi_solid_need(plan, cells, &need));
    const clspi_tiling tiling = tiling_of(&s, items_of(&s));
    CLSPI_CHECK(clspi_tiles_of(&tiles, &plan->base, &tiling, run));
    if (tiles.way == CLSPI_ASKED) return clspi_tiles_tell(&tiles, &tiling, line_elements(&s), run);
    const clsp_range lines = {cells.first + tiles.lines.first, tiles.lines.count};
    if (tiles.way == CLSPI_BY_DEVICE)
        return goes_to_host(&s, &vertices, run)
                   ? eval_on_host(&s, &tiling, &tiles, &vertices, run)
                   : clspi_solid_eval_lines(plan, lines, &vertices, run);
    CLSPI_CHECK(clspi_solid_need(plan, lines, &need));
    CLSPI_CHECK(clspi_shared_output(&plan->base, &vertices, &need, &s.out));
    return share(&s, &tiling, &tiles, run);
}

/* Tells whether all memory of a list is the host's. */
static bool is_on_host(const clsp_points *points)
{
    return !points->params.buffer && !points->params.svm && !points->item.buffer &&
           !points->item.svm;
}

/* Finds the memory of a list; the copies are to be freed in every case. */
static clsp_status find_list(shared_points *s, const clsp_points *points)
{
    const clspi_plan *const base = &s->plan->base;
    const clspi_list_needs needs = clspi_point_list_needs(s->plan, points);
    const char *cells = NULL, *params;

    if (clspi_input_is_there(&points->item))
        CLSPI_CHECK(clspi_shared_input(base, &points->item, &needs.cells, &cells));
    CLSPI_CHECK(clspi_align_input(base, &needs.cells, &cells, &s->copies[0]));
    CLSPI_CHECK(clspi_shared_input(base, &points->params, &needs.params, &params));
    CLSPI_CHECK(clspi_align_input(base, &needs.params, &params, &s->copies[1]));
    s->list = (clspi_solid_list){.num = points->num,
                                 .cells = (const uint32_t *)(const void *)cells,
                                 .params = params,
                                 .planar = points->planar != 0};
    return CLSP_OK;
}

/* Makes the vertices of a list by the host or shared. */
static clsp_status eval_list(shared_points *s, const clsp_points *points,
                             const clspi_tiling *tiling, const clspi_tiles *tiles,
                             clsp_output *vertices, const clsp_run *run)
{
    const clspi_memory_need need = clspi_vertices_need(s->plan, tiles->lines.count);

    CLSPI_CHECK(find_list(s, points));
    if (tiles->way == CLSPI_BY_DEVICE) return eval_on_host(s, tiling, tiles, vertices, run);
    CLSPI_CHECK(clspi_shared_output(&s->plan->base, vertices, &need, &s->out));
    return share(s, tiling, tiles, run);
}

clsp_status clsp_solid_eval_points(clsp_solid_plan *plan, const clsp_points *points,
                                   clsp_output vertices, const clsp_run *run)
{
    shared_points s = {.plan = plan, .is_list = true};
    clspi_tiles tiles;

    if (!plan || !points)
        return clspi_null_argument(plan ? &plan->base : NULL, "clsp_solid_eval_points");
    CLSPI_CHECK(clspi_call_check(&plan->base, run));
    CLSPI_CHECK(check_loaded(plan, run));
    CLSPI_CHECK(clspi_points_check(&plan->base, points, 3 + (size_t)plan->shape.stride));
    s.num = points->num;
    const clspi_tiling tiling = tiling_of(&s, items_of(&s));
    CLSPI_CHECK(clspi_tiles_of(&tiles, &plan->base, &tiling, run));
    if (tiles.way == CLSPI_ASKED) return clspi_tiles_tell(&tiles, &tiling, line_elements(&s), run);
    if (tiles.way == CLSPI_BY_DEVICE && !(is_on_host(points) && goes_to_host(&s, &vertices, run)))
        return clspi_point_list_lines(plan, points, tiles.lines, &vertices, run);
    const clsp_status status = eval_list(&s, points, &tiling, &tiles, &vertices, run);
    for (int i = 0; i < 2; i++)
        free(s.copies[i]);
    return status;
}
