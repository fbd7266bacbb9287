#include "bezier_net.h"

#include <string.h>

#include "bezier_desc.h"
#include "bezier_methods.h"
#include "buffer.h"
#include "check.h"

enum {
    STRIP_MIN = 1024, /* columns of a row for one item of bezier_rows on CPUs, */
    STRIP_MAX = 8192, /* a multiple of all lanes */
    LINES_ROWS = 4    /* rows that an item of bezier_columns makes at a time */
};

/* ---- which nets ---- */

static const cl_uint derivative[CLSPI_BEZIER_NETS][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1},
                                                         {2, 0, 0}, {1, 1, 0}, {0, 2, 0}};

/* The nets that an attribute is made of; bit k is derivative[k]. By the quotient rule a rational
   patch needs the lower ones too. */
static unsigned nets_of(const clsp_bezier_desc *d)
{
    enum { S = 1, U = 2, V = 4, W = 8, UU = 16, UV = 32, VV = 64 };
    static const struct {
        unsigned attribute, polynomial, rational;
    } rules[] = {{CLSP_BEZIER_POINT, S, S},
                 {CLSP_BEZIER_WEIGHT, 0, S},
                 {CLSP_BEZIER_DU, U, S | U},
                 {CLSP_BEZIER_DV, V, S | V},
                 {CLSP_BEZIER_DW, W, S | W},
                 {CLSP_BEZIER_DUU, UU, S | U | UU},
                 {CLSP_BEZIER_DVV, VV, S | V | VV},
                 {CLSP_BEZIER_DUV, UV, S | U | V | UV},
                 {CLSP_BEZIER_NORMAL, U | V, S | U | V}};
    unsigned nets = 0;

    for (size_t i = 0; i < CLSPI_COUNT(rules); i++)
        if (d->attributes & rules[i].attribute)
            nets |= d->rational ? rules[i].rational : rules[i].polynomial;
    return nets;
}

cl_uint clspi_bezier_nets_needed(const clsp_bezier_desc *d, cl_uint indices[CLSPI_BEZIER_NETS])
{
    const unsigned nets = nets_of(d);
    cl_uint num = 0;

    for (cl_uint k = 0; k < CLSPI_BEZIER_NETS; k++) {
        const bool zero = derivative[k][0] > d->degree_u || derivative[k][1] > d->degree_v ||
                          derivative[k][2] > d->degree_w;
        if (nets & 1u << k && !zero) indices[num++] = k;
    }
    return num;
}

/* ---- tables ---- */

/* Other methods have tables of their own. */
static bool is_used(const clspi_bezier_nets *nets, cl_uint direction, cl_uint by)
{
    for (cl_uint i = 0; i < nets->num; i++)
        if (direction < nets->net[i].directions && nets->net[i].by[direction] == by &&
            !nets->net[i].method)
            return true;
    return nets->with_rows && direction == 0 && by <= 1;
}

/* Some net's sum over rows stores from lines on: only S of plain vertices has such a one. */
static bool has_lines(const clspi_bezier_nets *nets)
{
    return nets->num > 0 && nets->net[0].outer.table && nets->net[0].outer.shape.line > 0;
}

static void shape_tables(clspi_bezier_nets *nets, const clsp_bezier_desc *d)
{
    const cl_uint degrees[] = {d->degree_u, d->degree_v, d->degree_w};
    const cl_uint nums[] = {d->num_u, d->num_v, d->num_w};
    const double *const intervals[] = {d->interval_u, d->interval_v, d->interval_w};

    for (cl_uint direction = 0; direction < 3; direction++)
        for (cl_uint by = 0; by < CLSPI_BEZIER_ORDERS; by++)
            clspi_bezier_table_shape(&nets->tables[direction][by],
                                     degrees[direction] - (by <= degrees[direction] ? by : 0),
                                     nums[direction], intervals[direction]);
    for (cl_uint by = 0; by <= 1 && nets->with_rows; by++)
        clspi_bezier_table_mirror(&nets->tables[0][by]);
}

/* Directions that are alike share. */
static clsp_status fill_table(clspi_bezier_nets *nets, clspi_series *series,
                              clsp_precision precision, cl_uint direction, cl_uint by,
                              const char *options)
{
    clspi_bezier_table *const table = &nets->tables[direction][by];

    for (cl_uint other = 0; other < direction; other++)
        for (cl_uint k = 0; k < CLSPI_BEZIER_ORDERS; k++)
            if (nets->tables[other][k].values &&
                clspi_bezier_table_same(&nets->tables[other][k], table))
                return clspi_bezier_table_share(table, nets->ctx, &nets->tables[other][k]);
    return clspi_bezier_table_fill(table, series, precision, options);
}

/* Those that some net uses. Others lose their memory, lest they look alike to later ones. */
static clsp_status fill_tables(clspi_bezier_nets *nets, clspi_series *series,
                               clsp_precision precision)
{
    char options[CLSPI_BEZIER_OPTIONS_MAX];
    clsp_status status;

    clspi_bezier_table_options(options, nets->ctx, precision);
    for (cl_uint direction = 0; direction < 3; direction++) {
        for (cl_uint by = 0; by < CLSPI_BEZIER_ORDERS; by++) {
            if (is_used(nets, direction, by))
                CLSPI_TRY(fill_table(nets, series, precision, direction, by, options));
            else
                clspi_bezier_table_release(&nets->tables[direction][by]);
        }
    }
    if (has_lines(nets))
        return clspi_bezier_table_fill(&nets->permuted, series, precision, options);
    clspi_bezier_table_release(&nets->permuted);
    return CLSP_OK;

fail:
    return status;
}

/* ---- kernels ---- */

static void release_sum(clspi_bezier_sum *sum)
{
    sum->table = NULL;
    clspi_kernel_release(&sum->lines);
    clspi_kernel_release(&sum->columns);
    clspi_kernel_release(&sum->rows);
}

static clsp_status create_columns(clspi_kernel *kernel, clsp_context *ctx,
                                  const clspi_bezier_shape *shape)
{
    const char *const name = clspi_bezier_columns_name(shape);
    char options[CLSPI_BEZIER_OPTIONS_MAX];

    clspi_bezier_columns_options(options, ctx, shape);
    return clspi_kernel_create_grouped(kernel, ctx, name, options, name);
}

/* permuted: where a table for rows in lines may be made; NULL: rows come a few at a time. */
static clsp_status prepare_sum(clspi_bezier_net *net, clspi_bezier_sum *sum,
                               clspi_bezier_table *table, clspi_bezier_table *permuted,
                               cl_uint width, cl_uint num_rows, cl_uint order_inner)
{
    const double interval[] = {table->begin, table->end};
    char options[CLSPI_BEZIER_OPTIONS_MAX];

    sum->table = table;
    sum->permuted = permuted;
    sum->width = width;
    sum->num_rows = num_rows;
    sum->shape =
        clspi_bezier_choose(net->ctx, net->precision, net->coords, table->order, order_inner, width,
                            permuted ? num_rows : 0, clspi_bezier_table_symmetric(interval));
    if (sum->shape.mirror) clspi_bezier_table_mirror(table);
    if (sum->shape.line > 0) {
        clspi_bezier_table_shape(permuted, table->order - 1, num_rows, interval);
        clspi_bezier_table_permute(permuted, sum->shape.period);
        return create_columns(&sum->lines, net->ctx, &sum->shape);
    }
    if (sum->shape.in_columns) return create_columns(&sum->columns, net->ctx, &sum->shape);
    clspi_bezier_rows_options(options, net->ctx, net->precision, net->coords);
    return clspi_kernel_create(&sum->rows, net->ctx, "bezier_rows", options, "bezier_rows");
}

/* ---- one net ---- */

static bool is_fused(const clspi_bezier_net *net)
{
    return net->directions == 2 && net->outer.table && net->outer.shape.fused;
}

/* Sums over the inner direction that a patch has: one for each of its control points' lines. */
static cl_uint num_lines(const clspi_bezier_net *net)
{
    return net->directions == 1   ? 1
           : net->directions == 2 ? net->orders[0]
                                  : net->orders[0] * net->orders[1];
}

static cl_uint stride_t(const clspi_bezier_net *net)
{
    return net->inner->stride * net->coords;
}

static size_t between_reals(const clspi_bezier_net *net)
{
    return (size_t)net->orders[0] * net->middle.num_rows * net->middle.width;
}

/* Every size that is multiplied out for one patch must fit size_t, a row's length 32 bits. */
static clsp_status check_sizes(const clspi_bezier_net *net, const clsp_bezier_desc *d)
{
    const uint64_t inner = (uint64_t)(net->directions == 1   ? 1
                                      : net->directions == 2 ? d->num_v
                                                             : d->num_w) *
                           net->coords;
    const uint64_t row = inner * (net->directions == 3 ? d->num_v : 1);
    const uint64_t lines = net->directions == 3 ? (uint64_t)net->orders[0] * net->orders[1] : 1;
    size_t points = net->real_bytes, out = net->real_bytes, t = net->real_bytes;

    if (row <= UINT32_MAX && lines <= UINT32_MAX && clspi_size_mul(&points, net->coords) &&
        clspi_size_mul(&points, net->orders[0]) && clspi_size_mul(&points, net->orders[1]) &&
        clspi_size_mul(&points, net->orders[2]) && clspi_size_mul(&out, (size_t)row) &&
        clspi_size_mul(&out, d->num_u) && clspi_size_mul(&t, stride_t(net)) &&
        clspi_size_mul(&t, net->orders[0]) && clspi_size_mul(&t, net->orders[1]))
        return CLSP_OK;
    return clspi_fail(&net->ctx->log, CLSP_ERROR_NO_MEMORY,
                      "bezier: one patch is larger than the address space");
}

static clsp_status create_contract(clspi_bezier_net *net)
{
    char options[CLSPI_BEZIER_OPTIONS_MAX];

    clspi_bezier_rows_options(options, net->ctx, net->precision, net->coords);
    return clspi_kernel_create(&net->contract, net->ctx, "bezier_rows", options, "bezier_contract");
}

static clsp_status prepare_sums(clspi_bezier_net *net, clspi_bezier_nets *nets,
                                const clsp_bezier_desc *d)
{
    const cl_uint inner_width = net->inner->num * net->coords;
    clspi_bezier_table *const outer = &nets->tables[0][net->by[0]];
    clspi_bezier_table *const permuted = clspi_bezier_is_plain(d) ? &nets->permuted : NULL;
    clsp_status status;

    if (net->directions == 2 && !nets->with_rows)
        CLSPI_TRY(prepare_sum(net, &net->outer, outer, permuted, inner_width, d->num_u,
                              net->inner->order));
    if (net->directions == 3) {
        CLSPI_TRY(prepare_sum(net, &net->middle, &nets->tables[1][net->by[1]], NULL, inner_width,
                              d->num_v, 0));
        CLSPI_TRY(
            prepare_sum(net, &net->outer, outer, permuted, inner_width * d->num_v, d->num_u, 0));
    }
    return is_fused(net) ? CLSP_OK : create_contract(net);

fail:
    return status;
}

static void release_kernels(clspi_bezier_net *net)
{
    clspi_kernel_release(&net->contract);
    release_sum(&net->middle);
    release_sum(&net->outer);
}

static clsp_status prepare_method(clspi_bezier_net *net, clspi_series *series,
                                  const clsp_bezier_desc *d)
{
    const clspi_bezier_method_desc desc = {
        .method = d->method,
        .precision = d->precision,
        .coords = net->coords,
        .orders = {net->orders[0], net->orders[1]},
        .nums = {d->num_u, d->num_v},
        .intervals = {{d->interval_u[0], d->interval_u[1]}, {d->interval_v[0], d->interval_v[1]}}};

    return clspi_bezier_method_prepare(&net->method, series, &desc);
}

static clsp_status prepare_net(clspi_bezier_net *net, clspi_bezier_nets *nets, clspi_series *series,
                               const clsp_bezier_desc *d)
{
    const bool separable = d->method <= CLSP_BEZIER_SEPARABLE;
    clsp_status status;

    net->ctx = nets->ctx;
    net->precision = d->precision;
    net->real_bytes = d->precision == CLSP_F64 ? sizeof(double) : sizeof(float);
    net->coords = d->dim + d->rational;
    net->orders[0] = d->degree_u + 1 - net->by[0];
    net->orders[1] = d->degree_v + 1 - net->by[1];
    net->orders[2] = d->degree_w + 1 - net->by[2];
    net->inner = &nets->tables[net->directions - 1][net->by[net->directions - 1]];
    CLSPI_TRY(check_sizes(net, d));
    CLSPI_TRY(separable ? prepare_sums(net, nets, d) : prepare_method(net, series, d));
    net->row_reals = net->directions < 3 ? d->num_v * net->coords : net->outer.width;
    net->points_per_patch = (size_t)net->orders[0] * net->orders[1] * net->orders[2] * net->coords;
    net->t_bytes = net->directions == 1 || is_fused(net) || !separable
                       ? 0
                       : net->real_bytes * num_lines(net) * stride_t(net);
    net->t_count = 0;
    return CLSP_OK;

fail:
    return status;
}

static void add_net(clspi_bezier_nets *nets, const clsp_bezier_desc *d, const cl_uint by[3])
{
    clspi_bezier_net *const net = &nets->net[nets->num++];

    memcpy(net->by, by, sizeof net->by);
    net->directions = clspi_bezier_directions(d->form);
}

clsp_status clspi_bezier_nets_prepare(clspi_bezier_nets *nets, clspi_series *series,
                                      const clsp_bezier_desc *d, bool with_rows)
{
    cl_uint indices[CLSPI_BEZIER_NETS];
    const cl_uint num = clspi_bezier_nets_needed(d, indices);
    clsp_status status;

    nets->ctx = series->ctx;
    nets->with_rows = with_rows;
    nets->num = 0;
    for (cl_uint i = 0; i < CLSPI_BEZIER_NETS; i++)
        release_kernels(&nets->net[i]);
    if (with_rows && (num == 0 || indices[0] != 0)) add_net(nets, d, derivative[0]);
    for (cl_uint i = 0; i < num; i++) /* bezier_vertices makes derivatives along u of S itself */
        if (!with_rows || derivative[indices[i]][0] == 0) add_net(nets, d, derivative[indices[i]]);
    shape_tables(nets, d);
    for (cl_uint i = 0; i < nets->num; i++)
        CLSPI_TRY(prepare_net(&nets->net[i], nets, series, d));
    return fill_tables(nets, series, d->precision);

fail:
    return status;
}

void clspi_bezier_nets_release(clspi_bezier_nets *nets)
{
    for (cl_uint i = 0; i < CLSPI_BEZIER_NETS; i++) {
        clspi_bezier_net *const net = &nets->net[i];
        release_kernels(net);
        clspi_bezier_method_release(&net->method);
        clspi_buffer_release(&net->points);
        clspi_buffer_release(&net->t);
        clspi_buffer_release(&net->between);
    }
    for (cl_uint direction = 0; direction < 3; direction++)
        for (cl_uint by = 0; by < CLSPI_BEZIER_ORDERS; by++)
            clspi_bezier_table_release(&nets->tables[direction][by]);
    clspi_bezier_table_release(&nets->permuted);
}

/* ---- the first sum ---- */

/* Some of the lines of some patches. */
typedef struct line_range {
    size_t first_patch, num_patches;
    cl_uint first_line, num_lines;
    cl_uint first_v, end_v; /* first_v: a multiple of the vector */
    cl_mem out;
    size_t offset;
    cl_uint stride; /* reals from line to line */
} line_range;

static clsp_status launch_contract(clspi_bezier_net *net, clspi_series *series,
                                   const line_range *range)
{
    const cl_uint lanes = clspi_bezier_lanes(net->ctx, net->precision);
    const cl_uint num_strips = (cl_uint)clspi_div_up(range->end_v - range->first_v, lanes);
    const cl_uint2 first_patch = clspi_halves(range->first_patch);
    const cl_uint2 offset = clspi_halves(range->offset);
    const cl_uint lines = num_lines(net);
    const cl_uint items = (cl_uint)(range->num_patches * range->num_lines * num_strips);
    const clspi_arg args[] = {
        CLSPI_ARG(net->points),
        CLSPI_ARG(first_patch),
        CLSPI_ARG(lines),
        CLSPI_ARG(net->inner->order),
        CLSPI_ARG(net->inner->values),
        CLSPI_ARG(net->inner->stride),
        CLSPI_ARG(range->first_v),
        CLSPI_ARG(range->end_v),
        CLSPI_ARG(num_strips),
        CLSPI_ARG(range->first_line),
        CLSPI_ARG(range->num_lines),
        CLSPI_ARG(items),
        CLSPI_ARG(range->out),
        CLSPI_ARG(offset),
        CLSPI_ARG(range->stride),
    };

    return clspi_series_launch(series, &net->contract, args, CLSPI_COUNT(args), items);
}

/* All lines of the range's patches, in launches that are short enough. */
static clsp_status enqueue_contract(clspi_bezier_net *net, clspi_series *series, line_range range)
{
    const clspi_tuning *const tuning = &net->ctx->tuning;
    const cl_uint lanes = clspi_bezier_lanes(net->ctx, net->precision);
    const uint64_t strips = clspi_div_up(range.end_v - range.first_v, lanes);
    const uint64_t fma = (uint64_t)net->inner->order * strips * lanes * net->coords;
    const uint64_t most_lines =
        clspi_max(1, clspi_min(tuning->max_launch_fma / fma,
                               tuning->max_groups * tuning->work_group / strips));
    const size_t first = range.first_patch, num = range.num_patches, offset = range.offset;
    const cl_uint lines = num_lines(net);
    const size_t patches = clspi_max(1, most_lines / lines);
    clsp_status status;

    for (size_t p = 0; p < num; p += patches) {
        range.first_patch = first + p;
        range.num_patches = clspi_min(patches, num - p);
        range.offset = offset + p * lines * range.stride;
        for (cl_uint i = 0; i < lines; i += range.num_lines) {
            range.first_line = i;
            range.num_lines = (cl_uint)clspi_min(most_lines, lines - i);
            CLSPI_TRY(launch_contract(net, series, &range));
        }
    }
    return CLSP_OK;

fail:
    return status;
}

clsp_status clspi_bezier_net_first_sums(clspi_bezier_net *net, clspi_series *series, size_t first,
                                        size_t count)
{
    const line_range range = {.first_patch = first,
                              .num_patches = count,
                              .end_v = net->inner->stride,
                              .out = net->t,
                              .stride = stride_t(net)};
    clsp_status status;

    if (is_fused(net) || (first >= net->t_first && first + count <= net->t_first + net->t_count))
        return CLSP_OK;
    net->t_count = 0;
    CLSPI_TRY(enqueue_contract(net, series, range));
    net->t_first = first;
    net->t_count = count;
    return CLSP_OK;

fail:
    return status;
}

clsp_status clspi_bezier_net_sums_to(clspi_bezier_net *net, clspi_series *series, size_t first,
                                     size_t count, cl_mem t)
{
    const line_range range = {.first_patch = first,
                              .num_patches = count,
                              .end_v = net->inner->stride,
                              .out = t,
                              .stride = stride_t(net)};
    clsp_status status;

    if (!net->contract.kernel) CLSPI_TRY(create_contract(net));
    return enqueue_contract(net, series, range);

fail:
    return status;
}

cl_uint clspi_bezier_net_sums_stride(const clspi_bezier_net *net)
{
    return stride_t(net);
}

/* ---- the sum over rows ---- */

/* Where a sum's terms come from: T, or for a fused shape the control points. */
typedef struct sum_source {
    cl_mem buffer;
    size_t first_patch;
    cl_uint stride;                  /* reals from T_i to T_{i+1} */
    const clspi_bezier_table *inner; /* of a fused shape */
} sum_source;

/* Work-groups of bezier_columns along the columns: of one patch, or with one column an item, of all
 * patches. */
static size_t tiles_of(const clspi_bezier_sum *sum, size_t num_patches)
{
    const size_t columns = sum->shape.columns == 1 ? num_patches * sum->width : sum->width;

    return clspi_div_up(columns, sum->shape.columns * sum->columns.local);
}

static clsp_status launch_columns(const clspi_bezier_sum *sum, clspi_series *series,
                                  const sum_source *source, const clspi_bezier_range *range)
{
    const cl_uint num_patches = (cl_uint)range->num_patches;
    const cl_uint num_tiles = (cl_uint)tiles_of(sum, range->num_patches);
    const cl_uint num_blocks = (cl_uint)clspi_div_up(range->num_rows, sum->shape.block_rows);
    const size_t layers = sum->shape.columns == 1 ? 1 : range->num_patches;
    const clspi_bezier_table *const inner = source->inner ? source->inner : sum->table;
    const cl_uint2 first_patch = clspi_halves(source->first_patch);
    const cl_uint2 offset = clspi_halves(range->offset);
    const clspi_arg args[] = {
        CLSPI_ARG(source->buffer), CLSPI_ARG(first_patch),        CLSPI_ARG(num_patches),
        CLSPI_ARG(inner->order),   CLSPI_ARG(sum->table->values), CLSPI_ARG(sum->table->stride),
        CLSPI_ARG(inner->values),  CLSPI_ARG(inner->stride),      CLSPI_ARG(source->stride),
        CLSPI_ARG(sum->width),     CLSPI_ARG(range->first_row),   CLSPI_ARG(range->num_rows),
        CLSPI_ARG(num_tiles),      CLSPI_ARG(num_blocks),         CLSPI_ARG(range->out),
        CLSPI_ARG(offset),
    };

    return clspi_series_launch(series, &sum->columns, args, CLSPI_COUNT(args),
                               num_tiles * num_blocks * layers * sum->columns.local);
}

/* Work-groups of bezier_columns along the columns of a row that is shifted by less than a line. A
   row begins at a multiple of line / period beyond the range. */
static cl_uint tiles_of_lines(const clspi_bezier_sum *sum, size_t offset)
{
    const cl_uint unit = sum->shape.line / sum->shape.period;
    const size_t shift = sum->shape.line - unit + offset % unit;

    return (cl_uint)clspi_div_up(sum->width + shift, sum->shape.columns * sum->lines.local);
}

/* Rows of a remainder are spread evenly among blocks. */
static clsp_status launch_lines(const clspi_bezier_sum *sum, clspi_series *series,
                                const sum_source *source, const clspi_bezier_range *range)
{
    const cl_uint period = sum->shape.period;
    const cl_uint rows = (cl_uint)clspi_div_up(range->num_rows, period);
    const cl_uint layers = (cl_uint)clspi_div_up(rows, sum->shape.block_rows);
    const cl_uint block_rows = (cl_uint)clspi_round_up(clspi_div_up(rows, layers), LINES_ROWS);
    const cl_uint first_row = range->first_row / period;
    const cl_uint num_patches = (cl_uint)range->num_patches;
    const cl_uint num_tiles = tiles_of_lines(sum, range->offset);
    const cl_uint num_blocks = layers * period;
    const clspi_bezier_table *const inner = source->inner ? source->inner : sum->table;
    const cl_uint2 first_patch = clspi_halves(source->first_patch);
    const cl_uint2 offset = clspi_halves(range->offset);
    const clspi_arg args[] = {
        CLSPI_ARG(source->buffer),
        CLSPI_ARG(first_patch),
        CLSPI_ARG(num_patches),
        CLSPI_ARG(inner->order),
        CLSPI_ARG(sum->permuted->values),
        CLSPI_ARG(sum->permuted->stride),
        CLSPI_ARG(inner->values),
        CLSPI_ARG(inner->stride),
        CLSPI_ARG(source->stride),
        CLSPI_ARG(sum->width),
        CLSPI_ARG(first_row),
        CLSPI_ARG(range->num_rows),
        CLSPI_ARG(num_tiles),
        CLSPI_ARG(num_blocks),
        CLSPI_ARG(range->out),
        CLSPI_ARG(offset),
        CLSPI_ARG(period),
        CLSPI_ARG(block_rows),
    };

    return clspi_series_launch(series, &sum->lines, args, CLSPI_COUNT(args),
                               num_tiles * num_blocks * range->num_patches * sum->lines.local);
}

clspi_bezier_pairs clspi_bezier_pairs_of(cl_uint num_u, cl_uint first_row, cl_uint num_rows)
{
    enum { MULTIPLE = 4 }; /* of the first pair, so that vectors of them can be loaded whole */
    const cl_uint half = (num_u + 1) / 2, last = first_row + num_rows - 1;
    const cl_uint low = last < half ? last : num_u - 1 - last; /* the least pair of the last row */
    const cl_uint first = first_row < half ? first_row : num_u - 1 - first_row;
    const bool crosses = first_row < half && last >= half;
    const clspi_bezier_pairs pairs = {(cl_uint)clspi_min(first, low) / MULTIPLE * MULTIPLE,
                                      crosses ? half : (cl_uint)clspi_max(first, low) + 1};

    return pairs;
}

static clsp_status launch_mirror(const clspi_bezier_sum *sum, clspi_series *series,
                                 const sum_source *source, const clspi_bezier_range *range)
{
    const clspi_bezier_pairs pairs =
        clspi_bezier_pairs_of(sum->num_rows, range->first_row, range->num_rows);
    const cl_uint num_patches = (cl_uint)range->num_patches;
    const cl_uint num_tiles = (cl_uint)tiles_of(sum, range->num_patches);
    const cl_uint num_blocks =
        (cl_uint)clspi_div_up(pairs.end - pairs.first, sum->shape.block_rows);
    const size_t layers = sum->shape.columns == 1 ? 1 : range->num_patches;
    const cl_uint2 first_patch = clspi_halves(source->first_patch);
    const cl_uint2 offset = clspi_halves(range->offset);
    const clspi_arg args[] = {
        CLSPI_ARG(source->buffer), CLSPI_ARG(first_patch),        CLSPI_ARG(num_patches),
        CLSPI_ARG(source->stride), CLSPI_ARG(sum->table->values), CLSPI_ARG(sum->table->stride),
        CLSPI_ARG(sum->width),     CLSPI_ARG(sum->num_rows),      CLSPI_ARG(pairs.first),
        CLSPI_ARG(pairs.end),      CLSPI_ARG(range->first_row),   CLSPI_ARG(range->num_rows),
        CLSPI_ARG(num_tiles),      CLSPI_ARG(num_blocks),         CLSPI_ARG(range->out),
        CLSPI_ARG(offset),
    };

    return clspi_series_launch(series, &sum->columns, args, CLSPI_COUNT(args),
                               num_tiles * num_blocks * layers * sum->columns.local);
}

/* Columns for one item of bezier_rows: on CPUs long strips, which run at the speed of stores, but
 * enough of them. */
static cl_uint strip_of(const clsp_context *ctx, const clspi_bezier_sum *sum, size_t num_blocks)
{
    const size_t wanted = ctx->device.compute_units * ctx->tuning.items_per_unit;
    const size_t strips = clspi_max(1, wanted / num_blocks);

    if (sum->shape.lanes == 1) return 1;
    return (cl_uint)clspi_min(STRIP_MAX,
                              clspi_round_up(clspi_div_up(sum->width, strips), STRIP_MIN));
}

static clsp_status launch_rows(const clspi_bezier_sum *sum, clspi_series *series,
                               const sum_source *source, const clspi_bezier_range *range)
{
    const clspi_bezier_table *const table = sum->table;
    const cl_uint num_blocks = (cl_uint)clspi_div_up(range->num_rows, CLSPI_BEZIER_ROWS_PER_ITEM);
    const cl_uint strip = strip_of(series->ctx, sum, range->num_patches * num_blocks);
    const cl_uint num_strips = (cl_uint)clspi_div_up(sum->width, strip);
    const cl_uint items = (cl_uint)(range->num_patches * num_blocks * num_strips);
    const cl_uint2 begin = clspi_halves(source->first_patch * table->order * source->stride);
    const cl_uint2 offset = clspi_halves(range->offset);
    const clspi_arg args[] = {
        CLSPI_ARG(source->buffer),  CLSPI_ARG(begin),
        CLSPI_ARG(table->order),    CLSPI_ARG(source->stride),
        CLSPI_ARG(table->values),   CLSPI_ARG(table->stride),
        CLSPI_ARG(sum->width),      CLSPI_ARG(range->first_row),
        CLSPI_ARG(range->num_rows), CLSPI_ARG(strip),
        CLSPI_ARG(num_blocks),      CLSPI_ARG(num_strips),
        CLSPI_ARG(items),           CLSPI_ARG(range->out),
        CLSPI_ARG(offset),
    };

    return clspi_series_launch(series, &sum->rows, args, CLSPI_COUNT(args), items);
}

/* Launches begin at multiples of this: of every vector of rows of one remainder. */
static size_t rows_multiple(const clspi_bezier_sum *sum, bool in_lines)
{
    return in_lines ? LINES_ROWS * (size_t)sum->shape.period : CLSPI_BEZIER_ROWS_MULTIPLE;
}

/* Rows of patches that one launch may cover, by the number of its work-groups or items and of its
 * multiply-adds. */
static uint64_t rows_of_a_launch(const clsp_context *ctx, const clspi_bezier_sum *sum,
                                 bool in_lines)
{
    const clspi_tuning *const tuning = &ctx->tuning;
    const size_t multiple = rows_multiple(sum, in_lines);
    const uint64_t by_fma = tuning->max_launch_fma / ((uint64_t)sum->width * sum->table->order);
    uint64_t by_groups;

    if (in_lines) { /* at worst a block has LINES_ROWS rows */
        by_groups = tuning->max_groups / tiles_of_lines(sum, sum->shape.line - 1) * LINES_ROWS;
    } else if (sum->shape.in_columns) {
        by_groups = tuning->max_groups / tiles_of(sum, 1) * sum->shape.block_rows;
    } else {
        const uint64_t items = clspi_div_up(sum->width, sum->shape.lanes == 1 ? 1 : STRIP_MIN);
        by_groups =
            (uint64_t)tuning->max_groups * tuning->work_group / items * CLSPI_BEZIER_ROWS_PER_ITEM;
    }
    return clspi_max(1, clspi_min(by_fma, by_groups) / multiple) * multiple;
}

static clsp_status launch_sum(const clspi_bezier_sum *sum, clspi_series *series,
                              const sum_source *source, const clspi_bezier_range *range,
                              bool in_lines)
{
    return in_lines                ? launch_lines(sum, series, source, range)
           : sum->shape.mirror     ? launch_mirror(sum, series, source, range)
           : sum->shape.in_columns ? launch_columns(sum, series, source, range)
                                   : launch_rows(sum, series, source, range);
}

/* In launches that are short enough: of several whole patches, or of some rows of one. */
static clsp_status enqueue_as(const clspi_bezier_sum *sum, clspi_series *series, sum_source source,
                              clspi_bezier_range range, bool in_lines)
{
    const uint64_t most = rows_of_a_launch(series->ctx, sum, in_lines);
    const size_t whole = clspi_round_up(range.num_rows, rows_multiple(sum, in_lines));
    const size_t patches = clspi_max(1, most / whole), source_first = source.first_patch;
    const cl_uint rows = (cl_uint)clspi_min(most, range.num_rows);
    const clspi_bezier_range all = range;
    clsp_status status;

    for (size_t p = 0; p < all.num_patches; p += patches) {
        range.num_patches = clspi_min(patches, all.num_patches - p);
        source.first_patch = source_first + p;
        for (cl_uint r = 0; r < all.num_rows; r += rows) {
            range.first_row = all.first_row + r;
            range.num_rows = (cl_uint)clspi_min(rows, all.num_rows - r);
            range.offset = all.offset + (p * all.num_rows + r) * sum->width;
            CLSPI_TRY(launch_sum(sum, series, &source, &range, in_lines));
        }
    }
    return CLSP_OK;

fail:
    return status;
}

/* In lines where the shape has one, or for few rows as if it had none: the same bits. */
static clsp_status enqueue_sum(clspi_bezier_sum *sum, clspi_series *series, sum_source source,
                               clspi_bezier_range range)
{
    clspi_bezier_sum plain = *sum;
    clsp_status status;

    if (sum->shape.line == 0) return enqueue_as(sum, series, source, range, false);
    if (range.first_row % rows_multiple(sum, true) == 0 &&
        !clspi_bezier_few_rows(&sum->shape, range.num_rows))
        return enqueue_as(sum, series, source, range, true);
    plain.shape = clspi_bezier_without_lines(series->ctx, &sum->shape);
    if (!sum->columns.kernel) CLSPI_TRY(create_columns(&sum->columns, series->ctx, &plain.shape));
    plain.columns = sum->columns;
    return enqueue_as(&plain, series, source, range, false);

fail:
    return status;
}

/* ---- forms ---- */

static clsp_status eval_curves(clspi_bezier_net *net, clspi_series *series,
                               const clspi_bezier_range *range)
{
    const line_range lines = {.first_patch = range->first_patch,
                              .num_patches = range->num_patches,
                              .first_v = range->first_row,
                              .end_v = range->first_row + range->num_rows,
                              .out = range->out,
                              .offset = range->offset,
                              .stride = range->num_rows * net->coords};

    return enqueue_contract(net, series, lines);
}

static clsp_status eval_surfaces(clspi_bezier_net *net, clspi_series *series,
                                 const clspi_bezier_range *range)
{
    const bool fused = is_fused(net);
    const sum_source source = {fused ? net->points : net->t,
                               range->first_patch - (fused ? 0 : net->t_first), stride_t(net),
                               net->inner};

    return enqueue_sum(&net->outer, series, source, *range);
}

static clsp_status eval_volumes(clspi_bezier_net *net, clspi_series *series,
                                const clspi_bezier_range *range)
{
    const size_t lines = net->orders[0];
    const sum_source t = {net->t, (range->first_patch - net->t_first) * lines, stride_t(net), NULL};
    const sum_source between = {net->between, 0, net->middle.num_rows * net->middle.width, NULL};
    const clspi_bezier_range middle = {.num_patches = range->num_patches * lines,
                                       .num_rows = net->middle.num_rows,
                                       .out = net->between};
    clsp_status status;

    CLSPI_TRY(enqueue_sum(&net->middle, series, t, middle));
    CLSPI_TRY(enqueue_sum(&net->outer, series, between, *range));
    return CLSP_OK;

fail:
    return status;
}

clsp_status clspi_bezier_net_eval(clspi_bezier_net *net, clspi_series *series,
                                  const clspi_bezier_range *range)
{
    const size_t row = net->row_reals;
    const size_t patches = net->t_patches ? net->t_patches : range->num_patches;
    clspi_bezier_range part = *range;
    clsp_status status;

    if (net->method) return clspi_bezier_method_eval(net->method, series, range);
    if (net->directions == 1) return eval_curves(net, series, range);
    for (size_t p = 0; p < range->num_patches; p += patches) {
        part.first_patch = range->first_patch + p;
        part.num_patches = clspi_min(patches, range->num_patches - p);
        part.offset = range->offset + p * range->num_rows * row;
        CLSPI_TRY(clspi_bezier_net_first_sums(net, series, part.first_patch, part.num_patches));
        CLSPI_TRY(net->directions == 2 ? eval_surfaces(net, series, &part)
                                       : eval_volumes(net, series, &part));
    }
    return CLSP_OK;

fail:
    return status;
}

/* ---- control points ---- */

static clsp_status launch_hodograph(clspi_bezier_net *net, clspi_series *series, cl_mem points,
                                    size_t num_patches)
{
    const clspi_tuning *const tuning = &net->ctx->tuning;
    const cl_uint orders[] = {net->orders[0] + net->by[0], net->orders[1] + net->by[1],
                              net->orders[2] + net->by[2]};
    const size_t lines = num_patches * net->orders[0] * net->orders[1];
    const size_t most = tuning->max_groups * tuning->work_group;
    char options[CLSPI_BEZIER_OPTIONS_MAX];
    clspi_kernel kernel = {0};
    clsp_status status;

    clspi_bezier_hodograph_options(options, net->ctx, net->precision, net->coords, net->by);
    CLSPI_TRY(
        clspi_kernel_create(&kernel, net->ctx, "bezier_hodograph", options, "bezier_hodograph"));
    for (size_t line = 0; line < lines; line += most) {
        const cl_uint items = (cl_uint)clspi_min(most, lines - line);
        const cl_uint2 first = clspi_halves(line);
        const clspi_arg args[] = {CLSPI_ARG(points),     CLSPI_ARG(orders[0]), CLSPI_ARG(orders[1]),
                                  CLSPI_ARG(orders[2]),  CLSPI_ARG(first),     CLSPI_ARG(items),
                                  CLSPI_ARG(net->points)};
        CLSPI_TRY(clspi_series_launch(series, &kernel, args, CLSPI_COUNT(args), items));
    }

fail:
    clspi_kernel_release(&kernel);
    return status;
}

static clsp_status load_points(clspi_bezier_net *net, clspi_series *series, cl_mem points,
                               size_t num_patches)
{
    clsp_status status;

    if (net->by[0] + net->by[1] + net->by[2] > 0) {
        CLSPI_TRY(clspi_buffer_reserve(&net->points, &net->points_capacity, net->ctx,
                                       num_patches * net->points_per_patch * net->real_bytes));
        return launch_hodograph(net, series, points, num_patches);
    }
    CLSPI_TRY(clspi_cl(&net->ctx->log, clRetainMemObject(points), "clRetainMemObject"));
    clspi_buffer_release(&net->points);
    net->points = points;
    net->points_capacity = 0; /* it is the plan's */
    return CLSP_OK;

fail:
    return status;
}

/* How many patches' first sums are kept: all, if they fit the device's memory well; else as many as
   a cache holds between two launches. */
static size_t t_patches_of(const clspi_bezier_net *net, size_t num_patches)
{
    const clspi_tuning *const tuning = &net->ctx->tuning;
    const size_t most = (size_t)net->ctx->device.max_alloc_bytes;
    const size_t share =
        tuning->keep_share ? (size_t)(net->ctx->device.global_bytes / tuning->keep_share) : 0;
    const size_t bytes = net->directions == 3
                             ? clspi_max(net->t_bytes, between_reals(net) * net->real_bytes)
                             : net->t_bytes;
    const size_t keep = net->directions == 3 ? 0 : clspi_min(share, most);

    if (num_patches <= keep / bytes) return num_patches;
    return clspi_min(num_patches, clspi_max(1, clspi_min(tuning->scratch_bytes, most) / bytes));
}

/* Vectors of bezier_rows reach up to a vector's length beyond the end. */
static clsp_status reserve_between(clspi_bezier_net *net, clspi_series *series)
{
    static const double zeros[CLSPI_TABLE_MULTIPLE];
    const size_t bytes = net->t_patches * between_reals(net) * net->real_bytes;
    clsp_status status;

    CLSPI_TRY(clspi_buffer_reserve(&net->between, &net->between_capacity, net->ctx,
                                   bytes + CLSPI_TABLE_MULTIPLE * net->real_bytes));
    return clspi_series_write(series, net->between, bytes, zeros,
                              CLSPI_TABLE_MULTIPLE * net->real_bytes);

fail:
    return status;
}

static clsp_status load_net(clspi_bezier_net *net, clspi_series *series, cl_mem points,
                            size_t num_patches)
{
    clsp_status status;

    CLSPI_TRY(load_points(net, series, points, num_patches));
    if (net->method) return clspi_bezier_method_load(net->method, series, net->points, num_patches);
    net->t_count = 0;
    net->t_patches = 0;
    if (net->t_bytes == 0) return CLSP_OK;
    net->t_patches = t_patches_of(net, num_patches);
    CLSPI_TRY(
        clspi_buffer_reserve(&net->t, &net->t_capacity, net->ctx, net->t_patches * net->t_bytes));
    if (net->directions == 3) CLSPI_TRY(reserve_between(net, series));
    return net->t_patches == num_patches ? clspi_bezier_net_first_sums(net, series, 0, num_patches)
                                         : CLSP_OK;

fail:
    return status;
}

clsp_status clspi_bezier_nets_load(clspi_bezier_nets *nets, clspi_series *series, cl_mem points,
                                   size_t num_patches)
{
    clsp_status status;

    for (cl_uint i = 0; i < nets->num && num_patches > 0; i++)
        CLSPI_TRY(load_net(&nets->net[i], series, points, num_patches));
    return CLSP_OK;

fail:
    return status;
}
