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
    LIST_HEAD = 4,    /* words of a list, and of an entry: surface_list.clh */
    ENTRY_WORDS = 44, /* a query and what is known of it */
    QUERY_WORDS = CLSPI_QUERY_WORDS,
    PART_MAX = 1 << 22,
    CELL_RUN = 64, /* surface_order.clh */
    CELLS = 1 << 18,
    OPEN_GROUP = 32,   /* items of search_open that share local memory, and of search_left */
    LEFT_BYTES = 8192, /* of local memory that a group of the latter has besides */
    UNIT_LEFT = 256,   /* queries of a launch of it on a compute unit */
    UNIT_ITEMS = 192,  /* of search_open on a compute unit: some groups, which take what there is */
    ORDERED = 4096,    /* queries are put in the order of their places from so many on */
    QUERY_FMA = 1 << 16, /* multiply-adds of a query, more than nearly all take */
    RATED = 1 << 16,     /* queries whose time tells a rate */
    LAUNCH_MS = 100
};

struct clspi_surface_device {
    clspi_kernel search, open, write; /* for the nearest points of queries */
    clspi_kernel left, place;         /* of those left over, and what the host finds of these */
    clspi_kernel clear, count, sum, order; /* of queries by their places */
    cl_mem reals, words, boxes;            /* of what is searched */
    uint64_t load;                         /* of control points that they are of */
    clspi_surface_layout layout;
    cl_mem list, rest, host; /* of queries that are open, left over, and left to the host */
    cl_mem results, normals; /* of the last */
    cl_mem counts;           /* of cells */
    double rate;             /* queries of a launch in a millisecond, 0: it is not known */
    size_t list_bytes, rest_bytes, host_bytes, results_bytes, normals_bytes, counts_bytes;
};

/* ---- what is searched ---- */

bool clspi_surface_device_searches(const clsp_context *ctx)
{
    const clsp_device_class of = ctx->device.device_class;

    return (of == CLSP_CLASS_DISCRETE || of == CLSP_CLASS_INTEGRATED) && ctx->device.fp64;
}

bool clspi_surface_device_fits(const clsp_patch_plan *plan)
{
    return clspi_surface_device_searches(plan->base.ctx) && plan->desc.directions == 2 &&
           plan->desc.dim >= 2 && plan->desc.dim <= DIM && plan->num_patches > 0;
}

bool clspi_surface_device_holds(const clsp_patch_plan *plan, const clsp_patch_plan *of)
{
    return clspi_surface_arrays_most(of->nearest->surfaces) <=
           plan->base.ctx->device.max_alloc_bytes;
}

static clspi_options options_of(const clsp_context *ctx, const clspi_tensor_desc *desc)
{
    clspi_options options = clspi_options_of(ctx, CLSP_F64);

    clspi_option(&options, "DIM", desc->dim);
    clspi_option(&options, "STORE", 8 * clsp_type_bytes(desc->precision));
    clspi_option(&options, "DEGREE_U", desc->degrees[0]);
    clspi_option(&options, "DEGREE_V", desc->degrees[1]);
    clspi_option(&options, "RATIONAL", desc->rational);
    return options;
}

static void release_arrays(clspi_surface_device *device)
{
    clspi_buffer_release(&device->reals);
    clspi_buffer_release(&device->words);
    clspi_buffer_release(&device->boxes);
    device->load = 0;
}

void clspi_surface_device_destroy(clspi_surface_device **ptr)
{
    clspi_surface_device *const device = *ptr;

    if (!device) return;
    *ptr = NULL;
    release_arrays(device);
    clspi_kernel_release(&device->search);
    clspi_kernel_release(&device->open);
    clspi_kernel_release(&device->write);
    clspi_kernel_release(&device->left);
    clspi_kernel_release(&device->place);
    clspi_kernel_release(&device->clear);
    clspi_kernel_release(&device->count);
    clspi_kernel_release(&device->sum);
    clspi_kernel_release(&device->order);
    clspi_buffer_release(&device->counts);
    clspi_buffer_release(&device->list);
    clspi_buffer_release(&device->rest);
    clspi_buffer_release(&device->host);
    clspi_buffer_release(&device->results);
    clspi_buffer_release(&device->normals);
    free(device);
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
    CLSPI_CHECK(bring(&device->reals, series, a->reals, a->num_reals * sizeof *a->reals));
    CLSPI_CHECK(bring(&device->words, series, a->words, a->num_words * sizeof *a->words));
    return bring(&device->boxes, series, a->boxes, a->num_boxes * sizeof *a->boxes);
}

static clsp_status make_arrays(clsp_patch_plan *plan, clspi_series *series,
                               const clsp_patch_plan *of)
{
    clspi_surface_device *const device = plan->nearest->surface_device;
    clspi_surface_arrays arrays;

    release_arrays(device);
    const bool is_made = clspi_surface_arrays_make(&arrays, of->nearest->surfaces);
    const clsp_status status = is_made ? bring_arrays(device, series, &arrays, plan->num_patches)
                                       : clspi_nearest_no_memory(plan);
    clspi_surface_arrays_release(&arrays);
    if (status == CLSP_OK) device->load = of->nearest->load;
    return status;
}

/* Tells whether what a group of search_open works on fits local memory, with so much besides. */
static bool has_local_squares(const clsp_context *ctx, const clspi_tensor_desc *desc,
                              size_t besides)
{
    const size_t points = (size_t)(desc->degrees[0] + 1) * (desc->degrees[1] + 1);
    const size_t squares = (size_t)(2 * desc->degrees[0] + 1) * (2 * desc->degrees[1] + 1);
    const size_t reals = 4 * points + (desc->rational ? 2 : 1) * squares;

    return ctx->device.local_is_real &&
           reals * sizeof(double) * OPEN_GROUP + besides <= ctx->device.local_bytes;
}

/* Returns the options of surface_open.cl; *group: of how many items, or 0 for any. */
static clspi_options open_options(const clsp_context *ctx, const clspi_tensor_desc *desc,
                                  size_t *group)
{
    clspi_options options = options_of(ctx, desc);

    *group = has_local_squares(ctx, desc, 0) ? OPEN_GROUP : 0;
    if (*group > 0) clspi_option(&options, "LOCAL_SQUARES", 1);
    return options;
}

/* Returns the options of surface_left.cl. */
static clspi_options left_options(const clsp_context *ctx, const clspi_tensor_desc *desc)
{
    clspi_options options = options_of(ctx, desc);

    if (has_local_squares(ctx, desc, LEFT_BYTES)) clspi_option(&options, "LOCAL_SQUARES", 1);
    return options;
}

clsp_status clspi_surface_device_build(const clspi_build *build, const clspi_tensor_desc *desc)
{
    size_t group;
    const clspi_options options = options_of(build->ctx, desc);
    const clspi_options open = open_options(build->ctx, desc, &group);
    const clspi_options left = left_options(build->ctx, desc);

    CLSPI_CHECK(clspi_program_build(build, "surface_nearest", &options));
    CLSPI_CHECK(clspi_program_build_for_group(build, "surface_left", &clspi_search_left_signature,
                                              &left, OPEN_GROUP));
    return group == 0 ? clspi_program_build(build, "surface_open", &open)
                      : clspi_program_build_for_group(build, "surface_open",
                                                      &clspi_search_open_signature, &open, group);
}

/* Makes the kernel of open queries. */
static clsp_status make_open(clspi_surface_device *device, clsp_context *ctx,
                             const clspi_tensor_desc *desc)
{
    size_t group;
    const clspi_options options = open_options(ctx, desc, &group);

    return group == 0
               ? clspi_kernel_create(&device->open, ctx, "surface_open",
                                     &clspi_search_open_signature, &options)
               : clspi_kernel_create_for_group(&device->open, ctx, "surface_open",
                                               &clspi_search_open_signature, &options, group);
}

static clsp_status make_kernels(clspi_surface_device *device, clspi_series *series,
                                const clspi_tensor_desc *desc)
{
    const clspi_options options = options_of(series->ctx, desc);
    const struct {
        clspi_kernel *kernel;
        const clspi_signature *signature;
    } all[] = {{&device->search, &clspi_search_surfaces_signature},
               {&device->write, &clspi_write_open_signature},
               {&device->place, &clspi_place_results_signature},
               {&device->clear, &clspi_clear_cells_signature},
               {&device->count, &clspi_count_queries_signature},
               {&device->sum, &clspi_sum_runs_signature},
               {&device->order, &clspi_order_queries_signature}};

    for (size_t k = 0; k < CLSPI_COUNT(all); k++)
        if (!all[k].kernel->kernel)
            CLSPI_CHECK(clspi_kernel_create(all[k].kernel, series->ctx, "surface_nearest",
                                            all[k].signature, &options));
    return device->open.kernel ? CLSP_OK : make_open(device, series->ctx, desc);
}

/* Makes what is not there yet. */
static clsp_status prepare(clsp_patch_plan *plan, clspi_series *series, const clsp_patch_plan *of)
{
    if (!plan->nearest->surface_device)
        plan->nearest->surface_device = calloc(1, sizeof *plan->nearest->surface_device);
    clspi_surface_device *const device = plan->nearest->surface_device;

    if (!device) return clspi_nearest_no_memory(plan);
    CLSPI_CHECK(make_kernels(device, series, &plan->desc));
    CLSPI_CHECK(clspi_buffer_reserve(&device->counts, &device->counts_bytes, series->ctx,
                                     2 * CELLS * sizeof(cl_uint)));
    return device->reals && device->load == of->nearest->load ? CLSP_OK
                                                              : make_arrays(plan, series, of);
}

/* ---- what is left to the host ---- */

/* Puts the results where they belong. */
static clsp_status place(clspi_surface_device *d, clspi_series *series,
                         const clspi_surface_leftover *l, const clspi_search_surfaces_args *args)
{
    const size_t results = l->num * l->result_bytes;
    const size_t normals = l->num * CLSPI_NORMAL_REALS * l->real_bytes;

    CLSPI_CHECK(clspi_buffer_reserve(&d->results, &d->results_bytes, series->ctx, results));
    CLSPI_CHECK(clspi_series_write(series, d->results, 0, l->results, results));
    if (l->has_normals) {
        CLSPI_CHECK(clspi_buffer_reserve(&d->normals, &d->normals_bytes, series->ctx, normals));
        CLSPI_CHECK(clspi_series_write(series, d->normals, 0, l->normals, normals));
    }
    clspi_place_results_args all = {.list = d->host,
                                    .from = d->results,
                                    .from_normals = l->has_normals ? d->normals : d->results,
                                    .results = args->results,
                                    .normals = args->normals,
                                    .range = args->range};
    all.range.items = (cl_uint)l->num;
    return clspi_launch_place_results(series, &d->place, &all, l->num);
}

/* Has the host search for what is left to it. args: of the walk. */
static clsp_status find_leftover(clsp_patch_plan *plan, clspi_series *series, size_t num,
                                 const clspi_search_surfaces_args *args, clsp_patch_plan *of)
{
    clspi_surface_device *const d = plan->nearest->surface_device;
    clspi_surface_leftover l;
    clsp_status status;

    if (clspi_surface_leftover_make(&l, &plan->desc, num))
        status = clspi_series_read(series, d->host, LIST_HEAD * sizeof(cl_uint), l.entries,
                                   num * QUERY_WORDS * sizeof(cl_uint));
    else
        status = clspi_nearest_no_memory(plan);
    if (status == CLSP_OK) {
        l.has_patches = args->range.has_patches != 0;
        l.has_hints = args->range.has_hints != 0;
        l.has_normals = args->range.has_normals != 0;
        status = clspi_surface_leftover_find(&l, args->max_dist, of);
    }
    if (status == CLSP_OK) status = place(d, series, &l, args);
    clspi_surface_leftover_release(&l);
    return status;
}

/* ---- the search ---- */

static clsp_status clear_list(clspi_series *series, cl_mem list)
{
    static const cl_uint head[LIST_HEAD] = {0};

    return clspi_series_write(series, list, 0, head, sizeof head);
}

/* Makes room for so many queries, of which there are none yet. */
static clsp_status make_list(cl_mem *list, size_t *bytes, clspi_series *series, size_t num)
{
    CLSPI_CHECK(clspi_buffer_reserve(list, bytes, series->ctx,
                                     (LIST_HEAD + num * QUERY_WORDS) * sizeof(cl_uint)));
    return clear_list(series, *list);
}

static clsp_status count_list(clspi_series *series, cl_mem list, cl_uint *num)
{
    return clspi_series_read(series, list, 0, num, sizeof *num);
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

    CLSPI_CHECK(make_list(&d->rest, &d->rest_bytes, series, *num));
    const clspi_search_open_args open = {.reals = args->reals,
                                         .words = args->words,
                                         .list = args->list,
                                         .rest = d->rest,
                                         .layout = args->layout,
                                         .items = *num};
    write.range.items = *num;
    CLSPI_CHECK(clspi_launch_search_open(series, &d->open, &open, clspi_min(*num, items)));
    CLSPI_CHECK(clspi_launch_write_open(series, &d->write, &write, *num));
    return count_list(series, d->rest, num);
}

static clsp_status make_left(clspi_surface_device *d, clsp_context *ctx,
                             const clspi_tensor_desc *desc)
{
    const clspi_options options = left_options(ctx, desc);

    return d->left.kernel
               ? CLSP_OK
               : clspi_kernel_create_for_group(&d->left, ctx, "surface_left",
                                               &clspi_search_left_signature, &options, OPEN_GROUP);
}

/* Launches the search for queries that are left over, a group each, and tells how many are left to
   the host. args: of the walk. */
static clsp_status find_left(clspi_surface_device *d, clspi_series *series,
                             const clspi_search_surfaces_args *args, cl_uint *num)
{
    const size_t most = (size_t)series->ctx->device.compute_units * UNIT_LEFT;

    CLSPI_CHECK(make_list(&d->host, &d->host_bytes, series, *num));
    for (size_t first = 0; first < *num; first += most) {
        const clspi_search_left_args left = {.reals = args->reals,
                                             .words = args->words,
                                             .boxes = args->boxes,
                                             .results = args->results,
                                             .normals = args->normals,
                                             .rest = d->rest,
                                             .left = d->host,
                                             .layout = args->layout,
                                             .range = args->range,
                                             .max_dist = args->max_dist,
                                             .first = (cl_uint)first};
        CLSPI_CHECK(clspi_launch_search_left(series, &d->left, &left,
                                             clspi_min(most, *num - first) * d->left.local));
    }
    return count_list(series, d->host, num);
}

/* Sums runs of counts, of these sums runs again, and once more. */
static clsp_status sum_cells(clspi_surface_device *d, clspi_series *series)
{
    size_t first = 0;

    for (size_t runs = CELLS / CELL_RUN; runs > 0; runs /= CELL_RUN) {
        const clspi_sum_runs_args args = {
            .counts = d->counts, .first = (cl_uint)first, .items = (cl_uint)runs};
        CLSPI_CHECK(clspi_launch_sum_runs(series, &d->sum, &args, runs));
        first += runs * CELL_RUN;
    }
    return CLSP_OK;
}

/* Finds the order in which items take the queries of a launch: by their places. */
static clsp_status order_queries(clspi_surface_device *d, clspi_series *series,
                                 const clspi_search_surfaces_args *args)
{
    const size_t items = args->range.items;
    const clspi_clear_cells_args clear = {.counts = d->counts, .items = CELLS};
    const clspi_count_queries_args count = {
        .reals = args->reals, .queries = args->queries, .counts = d->counts, .range = args->range};
    const clspi_order_queries_args order = {.reals = args->reals,
                                            .queries = args->queries,
                                            .counts = d->counts,
                                            .list = args->list,
                                            .range = args->range};

    CLSPI_CHECK(clspi_launch_clear_cells(series, &d->clear, &clear, CELLS));
    CLSPI_CHECK(clspi_launch_count_queries(series, &d->count, &count, items));
    CLSPI_CHECK(sum_cells(d, series));
    return clspi_launch_order_queries(series, &d->order, &order, items);
}

/* Searches for the queries of a launch. */
static clsp_status find_part(clsp_patch_plan *plan, clspi_series *series,
                             const clspi_search_surfaces_args *args, clsp_patch_plan *of)
{
    clspi_surface_device *const d = plan->nearest->surface_device;
    cl_uint num;

    CLSPI_CHECK(clear_list(series, args->list));
    if (args->range.has_order) CLSPI_CHECK(order_queries(d, series, args));
    CLSPI_CHECK(clspi_launch_search_surfaces(series, &d->search, args, args->range.items));
    CLSPI_CHECK(count_list(series, args->list, &num));
    if (num == 0) return CLSP_OK;
    CLSPI_CHECK(find_open(d, series, args, &num));
    if (num == 0) return CLSP_OK;
    CLSPI_CHECK(make_left(d, series->ctx, &plan->desc));
    CLSPI_CHECK(find_left(d, series, args, &num));
    return num == 0 ? CLSP_OK : find_leftover(plan, series, num, args, of);
}

static clspi_surface_range range_of(const clsp_patch_plan *plan, const clspi_nearest_job *job,
                                    const clspi_part *part, size_t list)
{
    return (clspi_surface_range){
        .points_offset = job->points_offset + part->before * plan->desc.dim,
        .patches_offset = job->patches_offset + part->before,
        .hints_offset = job->hints_offset + part->before * 2,
        .offset = job->offset + part->before * clspi_nearest_reals(plan),
        .normals_offset = job->normals_offset + part->before * CLSPI_NORMAL_REALS,
        .order_offset = list,
        .has_order = part->num_lines >= ORDERED,
        .has_patches = job->patches != NULL,
        .has_hints = job->hints != NULL,
        .has_normals = job->normals != NULL,
        .items = (cl_uint)part->num_lines};
}

/* Returns how many queries a launch may have: so many that their list is an eighth of what a buffer
   holds, and that it takes about LAUNCH_MS at the rate of one before. The last queries of a launch
   keep few items at work, so that few launches are better. */
static uint64_t most_queries(const clsp_context *ctx, const clspi_surface_device *d)
{
    const uint64_t list = (ENTRY_WORDS + 1) * sizeof(cl_uint);
    const uint64_t room = clspi_min_u64(PART_MAX, ctx->device.max_alloc_bytes / 8 / list);
    const uint64_t most = d->rate > 0
                              ? (uint64_t)(d->rate * LAUNCH_MS)
                              : clspi_launch_lines(&ctx->tuning, QUERY_FMA, 1, d->search.local, 1);

    return clspi_min_u64(room > 0 ? room : 1, most > ORDERED ? most : ORDERED);
}

/* Notes how fast a launch was; few queries say little, unless there may be no more. */
static void note_rate(clspi_surface_device *d, size_t queries, uint64_t most, double ms)
{
    if (queries >= clspi_min_u64(RATED, most) || ms > LAUNCH_MS) d->rate = (double)queries / ms;
}

clsp_status clspi_surface_device_find(clsp_patch_plan *plan, clspi_series *series,
                                      const clspi_nearest_job *job)
{
    clspi_cut cut = {.per_piece = clspi_max(1, job->num), .left = job->num};
    clspi_part part;

    CLSPI_CHECK(prepare(plan, series, job->of));
    clspi_surface_device *const d = plan->nearest->surface_device;
    for (;;) {
        const uint64_t most = most_queries(series->ctx, d);
        const double begun = clspi_now_ms();
        const bool has_left = d->left.kernel != NULL;
        if (!clspi_cut_next(&cut, most, &part)) return CLSP_OK;
        const size_t list = LIST_HEAD + part.num_lines * ENTRY_WORDS; /* the order is behind it */
        CLSPI_CHECK(clspi_buffer_reserve(&d->list, &d->list_bytes, series->ctx,
                                         (list + part.num_lines) * sizeof(cl_uint)));
        const clspi_search_surfaces_args args = {
            .reals = d->reals,
            .words = d->words,
            .boxes = d->boxes,
            .queries = job->points,
            .patches = job->patches ? job->patches : job->points, /* not read then */
            .hints = job->hints ? job->hints : job->points,
            .results = job->out,
            .normals = job->normals ? job->normals : job->out,
            .list = d->list,
            .layout = d->layout,
            .range = range_of(plan, job, &part, list),
            .max_dist = job->max_dist};
        CLSPI_CHECK(find_part(plan, series, &args, job->of));
        if (has_left == (d->left.kernel != NULL)) /* no time went into building it */
            note_rate(d, part.num_lines, most, clspi_now_ms() - begun);
    }
}
