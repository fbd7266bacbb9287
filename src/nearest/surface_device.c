#include "surface_device.h"

#include <stdlib.h>

#include "buffer.h"
#include "check.h"
#include "clock.h"
#include "kernel_arguments.h"
#include "split.h"
#include "surface_arrays.h"
#include "surface_leftover.h"

enum {
    DIM = 3,
    LIST_HEAD = CLSPI_SURFACE_LIST_LIST_HEAD, /* words of a list, and of its entries */
    QUERY_WORDS = CLSPI_SURFACE_LIST_QUERY_WORDS,
    ENTRY_WORDS = QUERY_WORDS + CLSPI_SURFACE_LIST_STATE_WORDS,
    PART_MAX = 1 << 22,
    CELL_RUN = CLSPI_SURFACE_ORDER_CELL_RUN,
    CELLS = 1 << 3 * CLSPI_SURFACE_ORDER_CELL_BITS,
    OPEN_GROUP = 32,   /* items of search_open that share local memory, and of search_left */
    LEFT_BYTES = 8192, /* of local memory that a group of the latter has besides */
    UNIT_LEFT = 256,   /* queries of a launch of it on a compute unit */
    UNIT_ITEMS = 192,  /* of search_open on a compute unit: some groups, which take what there is */
    ORDERED = 4096,    /* queries are put in the order of their places from so many on */
    QUERY_FMA = 1 << 16, /* multiply-adds of a query, more than nearly all take */
    RATED = 1 << 16,     /* queries whose time tells a rate */
    LAUNCH_MS = 100
};

/* Kernels, for the nearest points of queries; of those left over, and what the host finds of these;
   of queries by their places. */
enum { SEARCH, OPEN, WRITE, LEFT, PLACE, CLEAR, COUNT, SUM, ORDER, KERNELS };

/* Buffers: of what is searched; of queries that are open, with those left to the host behind them,
   and left over; of the results and normals of the host; of counts of cells. */
enum { REALS, WORDS, BOXES, LIST, REST, RESULTS, NORMALS, COUNTS, BUFFERS };

struct clspi_surface_device {
    clspi_kernel kernel[KERNELS];
    cl_mem buffer[BUFFERS];
    size_t bytes[BUFFERS];
    uint64_t load; /* of control points that what is searched is of */
    bool is_mixed; /* of pieces of several shapes, */
    clspi_surface_layout layout;
    double rate; /* queries of a launch in a millisecond, 0: it is not known */
};

/* ---- what is searched ---- */

bool clspi_surface_device_searches(const clsp_context *ctx)
{
    const clsp_device_class of = ctx->device.device_class;

    return (of == CLSP_CLASS_DISCRETE || of == CLSP_CLASS_INTEGRATED) && ctx->device.fp64;
}

bool clspi_surface_device_fits(const clsp_context *ctx, uint32_t directions, uint32_t dim,
                               size_t num_patches)
{
    return clspi_surface_device_searches(ctx) && directions == 2 && dim >= 2 && dim <= DIM &&
           num_patches > 0;
}

bool clspi_surface_device_holds(const clsp_context *ctx, const clspi_surface_search *surfaces)
{
    return clspi_surface_arrays_most(surfaces) <= ctx->device.max_alloc_bytes;
}

/* desc: of mixed shapes degrees do not count. */
static clspi_options options_of(const clsp_context *ctx, const clspi_tensor_desc *desc, bool mixed)
{
    clspi_options options = clspi_options_of(ctx, CLSP_F64);

    clspi_option(&options, "DIM", desc->dim);
    clspi_option(&options, "STORE", 8 * clsp_type_bytes(desc->precision));
    if (mixed) {
        clspi_option(&options, "MIXED", 1);
        clspi_option(&options, "RATIONAL", 1);
        return options;
    }
    clspi_option(&options, "DEGREE_U", desc->degrees[0]);
    clspi_option(&options, "DEGREE_V", desc->degrees[1]);
    clspi_option(&options, "RATIONAL", desc->rational);
    return options;
}

static void release_arrays(clspi_surface_device *device)
{
    for (int k = REALS; k <= BOXES; k++)
        clspi_buffer_release(&device->buffer[k]);
    device->load = 0;
}

void clspi_surface_device_destroy(clspi_surface_device **ptr)
{
    clspi_surface_device *const device = *ptr;

    if (!device) return;
    *ptr = NULL;
    for (int k = 0; k < KERNELS; k++)
        clspi_kernel_release(&device->kernel[k]);
    for (int k = 0; k < BUFFERS; k++)
        clspi_buffer_release(&device->buffer[k]);
    free(device);
}

/* Makes room in a buffer. */
static clsp_status reserve(clspi_surface_device *device, clspi_series *series, int buffer,
                           size_t bytes)
{
    return clspi_buffer_reserve(&device->buffer[buffer], &device->bytes[buffer], series->ctx,
                                bytes);
}

/* Brings an array to the device; one without elements gets a buffer all the same. */
static clsp_status bring(cl_mem *buffer, clspi_series *series, const void *from, size_t bytes)
{
    CLSPI_CHECK(clspi_buffer_create(buffer, series->ctx, clspi_max(bytes, sizeof(double))));
    return clspi_series_write(series, *buffer, 0, from, bytes);
}

static clsp_status bring_arrays(clspi_surface_device *device, clspi_series *series,
                                const clspi_surface_arrays *a, size_t num_patches)
{
    device->layout = (clspi_surface_layout){.frames = a->frames,
                                            .leaves = a->leaves,
                                            .ends = a->ends,
                                            .roots = a->roots,
                                            .patch_roots = a->patch_roots,
                                            .leaf_pieces = a->leaf_pieces,
                                            .leaf_controls = a->leaf_controls,
                                            .num_patches = (cl_uint)num_patches,
                                            .spans_u = a->spans[0],
                                            .spans_v = a->spans[1],
                                            .root = a->root};
    CLSPI_CHECK(bring(&device->buffer[REALS], series, a->reals, a->num_reals * sizeof *a->reals));
    CLSPI_CHECK(bring(&device->buffer[WORDS], series, a->words, a->num_words * sizeof *a->words));
    return bring(&device->buffer[BOXES], series, a->boxes, a->num_boxes * sizeof *a->boxes);
}

static clsp_status no_memory(const clspi_searched *s)
{
    return clspi_fail(&s->base->ctx->log, CLSP_ERROR_NO_MEMORY,
                      "%s: no memory for the search of %zu patches", s->base->family,
                      s->num_patches);
}

static clsp_status make_arrays(const clspi_searched *s, clspi_series *series)
{
    clspi_surface_device *const device = *s->device;
    clspi_surface_arrays arrays;

    release_arrays(device);
    const bool is_made = clspi_surface_arrays_make(&arrays, s->surfaces);
    const clsp_status status =
        is_made ? bring_arrays(device, series, &arrays, s->num_patches) : no_memory(s);
    clspi_surface_arrays_release(&arrays);
    if (status == CLSP_OK) device->load = s->load;
    return status;
}

/* Tells whether what a group of search_open works on fits local memory, with so much besides. */
static bool has_local_squares(const clsp_context *ctx, const clspi_tensor_desc *desc, bool mixed,
                              size_t besides)
{
    if (mixed) return false;

    const size_t points = (size_t)(desc->degrees[0] + 1) * (desc->degrees[1] + 1);
    const size_t squares = (size_t)(2 * desc->degrees[0] + 1) * (2 * desc->degrees[1] + 1);
    const size_t reals = 4 * points + (desc->rational ? 2 : 1) * squares;

    return ctx->device.local_is_real &&
           reals * sizeof(double) * OPEN_GROUP + besides <= ctx->device.local_bytes;
}

/* The programs of kernels, the number of items of a group that one is built for, or 0 for any, and
   what of local memory a group needs besides its coefficients. */
static const struct {
    const char *program;
    const clspi_signature *signature;
    size_t group, besides;
} kinds[KERNELS] = {[SEARCH] = {"surface_nearest", &clspi_search_surfaces_signature, 0, 0},
                    [OPEN] = {"surface_open", &clspi_search_open_signature, OPEN_GROUP, 0},
                    [WRITE] = {"surface_nearest", &clspi_write_open_signature, 0, 0},
                    [LEFT] = {"surface_left", &clspi_search_left_signature, OPEN_GROUP, LEFT_BYTES},
                    [PLACE] = {"surface_nearest", &clspi_place_results_signature, 0, 0},
                    [CLEAR] = {"surface_nearest", &clspi_clear_cells_signature, 0, 0},
                    [COUNT] = {"surface_nearest", &clspi_count_queries_signature, 0, 0},
                    [SUM] = {"surface_nearest", &clspi_sum_runs_signature, 0, 0},
                    [ORDER] = {"surface_nearest", &clspi_order_queries_signature, 0, 0}};

/* Returns the options of a kernel; *group: of how many items, or 0 for any: coefficients are in
   local memory where they fit, which open queries need no group without. */
static clspi_options options_for(const clsp_context *ctx, const clspi_tensor_desc *desc, bool mixed,
                                 int kernel, size_t *group)
{
    clspi_options options = options_of(ctx, desc, mixed);
    const bool is_local =
        kinds[kernel].group > 0 && has_local_squares(ctx, desc, mixed, kinds[kernel].besides);

    *group = kernel == OPEN && !is_local ? 0 : kinds[kernel].group;
    if (is_local) clspi_option(&options, "LOCAL_SQUARES", 1);
    return options;
}

clsp_status clspi_surface_device_build(const clspi_build *build, const clspi_tensor_desc *desc,
                                       bool mixed)
{
    static const int of_programs[] = {SEARCH, LEFT, OPEN};

    for (size_t i = 0; i < CLSPI_COUNT(of_programs); i++) {
        const int k = of_programs[i];
        size_t group;
        const clspi_options options = options_for(build->ctx, desc, mixed, k, &group);
        CLSPI_CHECK(group == 0 ? clspi_program_build(build, kinds[k].program, &options)
                               : clspi_program_build_for_group(
                                     build, kinds[k].program, kinds[k].signature, &options, group));
    }
    return CLSP_OK;
}

/* Makes a kernel, where that has not been done. */
static clsp_status make_kernel(clspi_surface_device *device, clsp_context *ctx,
                               const clspi_tensor_desc *desc, int k)
{
    size_t group;
    const clspi_options options = options_for(ctx, desc, device->is_mixed, k, &group);

    if (device->kernel[k].kernel) return CLSP_OK;
    return group == 0 ? clspi_kernel_create(&device->kernel[k], ctx, kinds[k].program,
                                            kinds[k].signature, &options)
                      : clspi_kernel_create_for_group(&device->kernel[k], ctx, kinds[k].program,
                                                      kinds[k].signature, &options, group);
}

/* Makes what is not there yet. */
static clsp_status prepare(const clspi_searched *s, clspi_series *series)
{
    if (!*s->device) {
        *s->device = calloc(1, sizeof **s->device);
        if (!*s->device) return no_memory(s);
        (*s->device)->is_mixed = clspi_surface_arrays_mixed(s->surfaces);
    }
    clspi_surface_device *const device = *s->device;

    for (int k = 0; k < KERNELS; k++)
        if (k != LEFT) CLSPI_CHECK(make_kernel(device, series->ctx, s->desc, k));
    CLSPI_CHECK(reserve(device, series, COUNTS, 2 * CELLS * sizeof(cl_uint)));
    return device->buffer[REALS] && device->load == s->load ? CLSP_OK : make_arrays(s, series);
}

/* ---- what is left to the host ---- */

/* Puts the results where they belong. */
static clsp_status place(clspi_surface_device *d, clspi_series *series,
                         const clspi_surface_leftover *l, const clspi_search_surfaces_args *args)
{
    const size_t results = l->num * l->result_bytes;
    const size_t normals = l->num * CLSPI_NORMAL_REALS * l->real_bytes;

    CLSPI_CHECK(reserve(d, series, RESULTS, results));
    CLSPI_CHECK(clspi_series_write(series, d->buffer[RESULTS], 0, l->results, results));
    if (l->has_normals) {
        CLSPI_CHECK(reserve(d, series, NORMALS, normals));
        CLSPI_CHECK(clspi_series_write(series, d->buffer[NORMALS], 0, l->normals, normals));
    }
    clspi_place_results_args all = {.list = args->list,
                                    .from = d->buffer[RESULTS],
                                    .from_normals = d->buffer[l->has_normals ? NORMALS : RESULTS],
                                    .results = args->results,
                                    .normals = args->normals,
                                    .range = args->range};
    all.range.items = (cl_uint)l->num;
    return clspi_launch_place_results(series, &d->kernel[PLACE], &all, l->num);
}

/* Has the host search for what is left to it. args: of the walk. */
static clsp_status find_leftover(const clspi_searched *s, clspi_series *series, size_t num,
                                 const clspi_search_surfaces_args *args)
{
    clspi_surface_device *const d = *s->device;
    clspi_surface_leftover l;
    clsp_status status;

    if (clspi_surface_leftover_make(&l, s->desc, num))
        status = clspi_series_read(series, args->list,
                                   (args->range.left_offset + LIST_HEAD) * sizeof(cl_uint),
                                   l.entries, num * QUERY_WORDS * sizeof(cl_uint));
    else
        status = no_memory(s);
    if (status == CLSP_OK) {
        l.has_patches = args->range.has_patches != 0;
        l.has_hints = args->range.has_hints != 0;
        l.has_normals = args->range.has_normals != 0;
        const clspi_nearest_queries queries = clspi_surface_leftover_queries(&l, args->max_dist);
        status = s->find(s->of, &queries);
    }
    if (status == CLSP_OK) status = place(d, series, &l, args);
    clspi_surface_leftover_release(&l);
    return status;
}

/* ---- the search ---- */

/* first: the word at which a list begins. */
static clsp_status clear_list(clspi_series *series, cl_mem list, size_t first)
{
    static const cl_uint head[LIST_HEAD] = {0};

    return clspi_series_write(series, list, first * sizeof *head, head, sizeof head);
}

/* Makes room for so many queries, of which there are none yet. */
static clsp_status make_list(clspi_surface_device *d, clspi_series *series, int list, size_t num)
{
    CLSPI_CHECK(reserve(d, series, list, (LIST_HEAD + num * QUERY_WORDS) * sizeof(cl_uint)));
    return clear_list(series, d->buffer[list], 0);
}

static clsp_status count_list(clspi_series *series, cl_mem list, size_t first, cl_uint *num)
{
    return clspi_series_read(series, list, first * sizeof *num, num, sizeof *num);
}

/* Launches the search for queries that a walk has left open, and tells how many are left over.
   args: of the walk. */
static clsp_status find_open(clspi_surface_device *d, clspi_series *series,
                             const clspi_search_surfaces_args *args, cl_uint *num)
{
    const size_t items = (size_t)series->ctx->device.compute_units * UNIT_ITEMS;
    clspi_write_open_args write = {.reals = args->reals,
                                   .list = args->list,
                                   .results = args->results,
                                   .normals = args->normals,
                                   .layout = args->layout,
                                   .range = args->range,
                                   .max_dist = args->max_dist};

    CLSPI_CHECK(make_list(d, series, REST, *num));
    const clspi_search_open_args open = {.reals = args->reals,
                                         .words = args->words,
                                         .list = args->list,
                                         .rest = d->buffer[REST],
                                         .layout = args->layout,
                                         .items = *num};
    write.range.items = *num;
    CLSPI_CHECK(clspi_launch_search_open(series, &d->kernel[OPEN], &open, clspi_min(*num, items)));
    CLSPI_CHECK(clspi_launch_write_open(series, &d->kernel[WRITE], &write, *num));
    return count_list(series, d->buffer[REST], 0, num);
}

/* Launches the search for queries that are left over, a group each. args: of the walk. */
static clsp_status find_left(clspi_surface_device *d, clspi_series *series,
                             const clspi_search_surfaces_args *args, cl_uint num)
{
    const size_t most = (size_t)series->ctx->device.compute_units * UNIT_LEFT;

    for (size_t first = 0; first < num; first += most) {
        const clspi_search_left_args left = {.reals = args->reals,
                                             .words = args->words,
                                             .boxes = args->boxes,
                                             .results = args->results,
                                             .normals = args->normals,
                                             .rest = d->buffer[REST],
                                             .list = args->list,
                                             .layout = args->layout,
                                             .range = args->range,
                                             .max_dist = args->max_dist,
                                             .first = (cl_uint)first};
        CLSPI_CHECK(clspi_launch_search_left(series, &d->kernel[LEFT], &left,
                                             clspi_min(most, num - first) * d->kernel[LEFT].local));
    }
    return CLSP_OK;
}

/* Sums runs of counts, of these sums runs again, and once more. */
static clsp_status sum_cells(clspi_surface_device *d, clspi_series *series)
{
    size_t first = 0;

    for (size_t runs = CELLS / CELL_RUN; runs > 0; runs /= CELL_RUN) {
        const clspi_sum_runs_args args = {
            .counts = d->buffer[COUNTS], .first = (cl_uint)first, .items = (cl_uint)runs};
        CLSPI_CHECK(clspi_launch_sum_runs(series, &d->kernel[SUM], &args, runs));
        first += runs * CELL_RUN;
    }
    return CLSP_OK;
}

/* Finds the order in which items take the queries of a launch: by their places. */
static clsp_status order_queries(clspi_surface_device *d, clspi_series *series,
                                 const clspi_search_surfaces_args *args)
{
    const size_t items = args->range.items;
    const clspi_clear_cells_args clear = {.counts = d->buffer[COUNTS], .items = CELLS};
    const clspi_count_queries_args count = {.reals = args->reals,
                                            .queries = args->queries,
                                            .counts = d->buffer[COUNTS],
                                            .range = args->range};
    const clspi_order_queries_args order = {.reals = args->reals,
                                            .queries = args->queries,
                                            .counts = d->buffer[COUNTS],
                                            .list = args->list,
                                            .range = args->range};

    CLSPI_CHECK(clspi_launch_clear_cells(series, &d->kernel[CLEAR], &clear, CELLS));
    CLSPI_CHECK(clspi_launch_count_queries(series, &d->kernel[COUNT], &count, items));
    CLSPI_CHECK(sum_cells(d, series));
    return clspi_launch_order_queries(series, &d->kernel[ORDER], &order, items);
}

/* Searches for the queries of a launch. */
static clsp_status find_part(const clspi_searched *s, clspi_series *series,
                             const clspi_search_surfaces_args *args)
{
    clspi_surface_device *const d = *s->device;
    cl_uint num;

    CLSPI_CHECK(clear_list(series, args->list, 0));
    if (args->range.has_probes)
        CLSPI_CHECK(clear_list(series, args->list, args->range.left_offset));
    if (args->range.has_order) CLSPI_CHECK(order_queries(d, series, args));
    CLSPI_CHECK(clspi_launch_search_surfaces(series, &d->kernel[SEARCH], args, args->range.items));
    CLSPI_CHECK(count_list(series, args->list, 0, &num));
    if (num > 0) CLSPI_CHECK(find_open(d, series, args, &num));
    if (num == 0 && !args->range.has_probes) return CLSP_OK;
    if (num > 0) {
        CLSPI_CHECK(make_kernel(d, series->ctx, s->desc, LEFT));
        if (!args->range.has_probes)
            CLSPI_CHECK(clear_list(series, args->list, args->range.left_offset));
        CLSPI_CHECK(find_left(d, series, args, num));
    }
    CLSPI_CHECK(count_list(series, args->list, args->range.left_offset, &num));
    return num == 0 ? CLSP_OK : find_leftover(s, series, num, args);
}

static clspi_surface_range range_of(const clspi_searched *s, const clspi_nearest_job *job,
                                    const clspi_part *part, size_t list)
{
    return (clspi_surface_range){
        .points_offset = job->points_offset + part->before * s->desc->dim,
        .patches_offset = job->patches_offset + part->before,
        .hints_offset = job->hints_offset + part->before * 2,
        .offset = job->offset + part->before * clspi_nearest_reals(s->desc->precision),
        .normals_offset = job->normals_offset + part->before * CLSPI_NORMAL_REALS,
        .order_offset = list,
        .left_offset = list + part->num_lines,
        .has_order = part->num_lines >= ORDERED,
        .has_patches = job->patches != NULL,
        .has_hints = job->hints != NULL && (*s->device)->layout.spans_u > 0,
        .has_normals = job->normals != NULL,
        .has_probes = job->normals != NULL && s->has_probes,
        .items = (cl_uint)part->num_lines};
}

/* Returns how many queries a launch may have: so many that their list is an eighth of what a buffer
   holds, and that it takes about LAUNCH_MS at the rate of one before. The last queries of a launch
   keep few items at work, so that few launches are better. */
static uint64_t most_queries(const clsp_context *ctx, const clspi_surface_device *d)
{
    const uint64_t list = (ENTRY_WORDS + 1 + QUERY_WORDS) * sizeof(cl_uint);
    const uint64_t room = clspi_min_u64(PART_MAX, ctx->device.max_alloc_bytes / 8 / list);
    const uint64_t most =
        d->rate > 0 ? (uint64_t)(d->rate * LAUNCH_MS)
                    : clspi_launch_lines(&ctx->tuning, QUERY_FMA, 1, d->kernel[SEARCH].local, 1);

    return clspi_min_u64(room > 0 ? room : 1, most > ORDERED ? most : ORDERED);
}

/* Notes how fast a launch was; few queries say little, unless there may be no more. */
static void note_rate(clspi_surface_device *d, size_t queries, uint64_t most, double ms)
{
    if (queries >= clspi_min_u64(RATED, most) || ms > LAUNCH_MS) d->rate = (double)queries / ms;
}

clsp_status clspi_surface_device_find(const clspi_searched *s, clspi_series *series,
                                      const clspi_nearest_job *job)
{
    clspi_cut cut = {.per_piece = clspi_max(1, job->num), .left = job->num};
    clspi_part part;

    CLSPI_CHECK(prepare(s, series));
    clspi_surface_device *const d = *s->device;
    for (;;) {
        const uint64_t most = most_queries(series->ctx, d);
        const double begun = clspi_now_ms();
        const bool has_left = d->kernel[LEFT].kernel != NULL;
        if (!clspi_cut_next(&cut, most, &part)) return CLSP_OK;
        const size_t list = LIST_HEAD + part.num_lines * ENTRY_WORDS; /* the order is behind it, */
        const size_t left = LIST_HEAD + part.num_lines * QUERY_WORDS; /* and what the host gets */
        CLSPI_CHECK(reserve(d, series, LIST, (list + part.num_lines + left) * sizeof(cl_uint)));
        const clspi_search_surfaces_args args = {
            .reals = d->buffer[REALS],
            .words = d->buffer[WORDS],
            .boxes = d->buffer[BOXES],
            .queries = job->points,
            .patches = job->patches ? job->patches : job->points, /* not read then */
            .hints = job->hints ? job->hints : job->points,
            .results = job->out,
            .normals = job->normals ? job->normals : job->out,
            .list = d->buffer[LIST],
            .layout = d->layout,
            .range = range_of(s, job, &part, list),
            .max_dist = job->max_dist};
        CLSPI_CHECK(find_part(s, series, &args));
        if (has_left == (d->kernel[LEFT].kernel != NULL)) /* no time went into building it */
            note_rate(d, part.num_lines, most, clspi_now_ms() - begun);
    }
}
