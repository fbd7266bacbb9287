#include "convert_host.h"

#include <stdlib.h>
#include <string.h>

#include "bernstein.h"
#include "check.h"
#include "convert_target.h"
#include "row_sums.h"
#include "patch_eval.h"

/* ---- rows of weights ---- */

static void release_rows(clspi_weight_rows *rows)
{
    free(rows->group);
    free(rows->group_of);
    free(rows->weights);
    *rows = (clspi_weight_rows){.terms = 0};
}

void clspi_convert_host_release(clspi_convert_host *host)
{
    for (int k = 0; k < 3; k++)
        release_rows(&host->along[k]);
    free(host->differences);
    *host = (clspi_convert_host){.load = 0};
}

static bool allocate_rows(clspi_weight_rows *rows, size_t num, uint32_t terms, size_t real)
{
    rows->terms = terms;
    rows->group = malloc(num * sizeof *rows->group);
    rows->group_of = malloc(num * sizeof *rows->group_of);
    rows->weights = calloc(num * terms + 1, CLSPI_ROWS_AT_ONCE * real);
    return rows->group && rows->group_of && rows->weights;
}

/* Puts a row into the last group, or the next one. */
static void put_row(clspi_weight_rows *rows, size_t row, size_t first, bool begins,
                    const double *weights, bool is_double)
{
    const clspi_row_group *const last = rows->group + rows->num_groups - (rows->num_groups > 0);

    if (begins || last->first != first || last->num == CLSPI_ROWS_AT_ONCE)
        rows->group[rows->num_groups++] = (clspi_row_group){row, 0, first};
    rows->group_of[row] = rows->num_groups - 1;
    clspi_row_group *const group = rows->group + rows->group_of[row];
    for (size_t j = 0; j < rows->terms; j++) {
        const size_t at = (rows->group_of[row] * rows->terms + j) * CLSPI_ROWS_AT_ONCE + group->num;
        if (is_double)
            ((double *)rows->weights)[at] = weights[j];
        else
            ((float *)rows->weights)[at] = (float)weights[j];
    }
    group->num++;
}

/* Fills the rows of a conversion from number `at` on. before: control points, or differences,
   before the first of its own; order: of pieces, whose rows are never in one group. scratch: room
   for a row's weights and what they are made in. */
static void fill_rows(clspi_weight_rows *rows, size_t at, const clspi_conversion *conversion,
                      size_t before, uint32_t order, bool is_double, double *scratch)
{
    double *const weights = scratch, *const room = scratch + conversion->from->degree + 1;

    for (uint32_t i = 0; i < conversion->to->controls; i++) {
        const uint32_t first = conversion->by > 0
                                   ? clspi_conversion_difference_row(conversion, i, weights, room)
                                   : clspi_conversion_row(conversion, i, weights, room);
        if (!is_double && conversion->by == 0) clspi_round_f32(weights, rows->terms);
        put_row(rows, at + i, before + first, i % order == 0, weights, is_double);
    }
}

/* Returns the order of a target's pieces, or all control points along a direction. */
static uint32_t order_of_pieces(const clspi_convert_target *target, const clspi_knots *knots)
{
    return target->pieces ? knots->degree + 1 : knots->controls;
}

/* Returns the terms of a row: of control points or of their differences. */
static uint32_t terms_of(uint32_t degree, uint32_t by)
{
    return by > 0 ? degree : degree + 1;
}

static bool make_own_rows(clspi_weight_rows *rows, const clspi_bspline_plan *plan, double *scratch)
{
    const clspi_own_target *const own = &plan->target->own;
    const bool is_double = plan->desc.precision == CLSP_F64;
    const size_t controls = plan->desc.num_controls[0] - (own->by > 0);
    bool made = allocate_rows(rows, own->first[own->num], terms_of(plan->desc.degree[0], own->by),
                              clsp_type_bytes(plan->desc.precision));

    for (size_t c = 0; made && c < own->num; c++) {
        clspi_knots knots[2];
        clspi_conversion conversion;
        made = clspi_own_target_conversion(own, plan, c, knots, &conversion);
        if (made)
            fill_rows(rows, own->first[c], &conversion, c * controls,
                      order_of_pieces(plan->target, &knots[1]), is_double, scratch);
        clspi_knots_release(&knots[0]);
        clspi_knots_release(&knots[1]);
    }
    return made;
}

static bool make_rows(clspi_weight_rows *rows, const clspi_convert_target *target, uint32_t k,
                      bool is_double, double *scratch)
{
    const clspi_conversion *const conversion = &target->conversion[k];
    const bool made = allocate_rows(rows, conversion->to->controls,
                                    terms_of(conversion->from->degree, conversion->by),
                                    is_double ? sizeof(double) : sizeof(float));

    if (made)
        fill_rows(rows, 0, conversion, 0, order_of_pieces(target, conversion->to), is_double,
                  scratch);
    return made;
}

static bool make_all_rows(clspi_convert_host *host, const clspi_bspline_plan *plan)
{
    const clspi_convert_target *const target = plan->target;
    const bool is_double = plan->desc.precision == CLSP_F64;
    size_t degree = 0;
    bool made = true;

    for (uint32_t k = 0; k < plan->desc.directions; k++)
        degree = clspi_max(plan->desc.degree[k], degree);
    double *const scratch =
        malloc((degree + 1 + (degree + 2) * (degree + 3) / 2) * sizeof *scratch);
    if (!scratch) return false;
    if (target->own.num > 0) made = make_own_rows(&host->along[0], plan, scratch);
    for (uint32_t k = 0; k < plan->desc.directions && target->own.num == 0 && made; k++)
        made = make_rows(&host->along[k], target, k, is_double, scratch);
    free(scratch);
    return made;
}

/* ---- differences of control points ---- */

/* Writes what neighbours differ by along a direction: of `outer` arrays [num][inner], in place. */
static void take_differences(void *points, bool is_double, size_t outer, size_t num, size_t inner)
{
    for (size_t o = 0; o < outer; o++)
        for (size_t i = 0; i < (num - 1) * inner; i++) {
            const size_t from = o * num * inner + i, to = o * (num - 1) * inner + i;
            if (is_double)
                ((double *)points)[to] =
                    ((double *)points)[from + inner] - ((double *)points)[from];
            else
                ((float *)points)[to] = ((float *)points)[from + inner] - ((float *)points)[from];
        }
}

/* Returns the order of the derivative along a direction. */
static uint32_t order_of(const clspi_convert_target *target, uint32_t k)
{
    return target->own.num > 0 ? target->own.by : target->conversion[k].by;
}

/* Counts the control points along a direction that sums are of. */
static size_t source_of(const clspi_bspline_plan *plan, uint32_t k)
{
    if (k >= plan->desc.directions) return 1;
    return plan->desc.num_controls[k] - (order_of(plan->target, k) > 0);
}

static clsp_status make_differences(clspi_convert_host *host, const clspi_bspline_plan *plan,
                                    const void *points)
{
    const clsp_patch_plan *const tensor = &plan->tensor;
    const size_t real = clsp_type_bytes(plan->desc.precision);
    const size_t reals = tensor->num_patches * tensor->patch_reals;
    size_t outer = tensor->num_patches, inner = tensor->patch_reals;

    if (!host->differences) host->differences = malloc((reals + 1) * real);
    if (!host->differences)
        return clspi_fail(&tensor->base.ctx->log, CLSP_ERROR_NO_MEMORY,
                          "bspline: no memory for differences of control points");
    memcpy(host->differences, points, reals * real);
    for (uint32_t k = 0; k < plan->desc.directions; k++) {
        const size_t num = plan->desc.num_controls[k];
        inner /= num;
        if (order_of(plan->target, k) > 0)
            take_differences(host->differences, real == sizeof(double), outer, num, inner);
        outer *= source_of(plan, k);
    }
    return CLSP_OK;
}

/* ---- sums ---- */

/* A call: what is summed, and where sums go. Directions that a plan does not have have one control
   point. */
typedef struct convert_call {
    const clspi_bspline_plan *plan;
    const clspi_convert_host *host;
    const clspi_row_sums *f;
    const char *points; /* of the plan's first patch, or differences of them */
    uint32_t coords, directions;
    size_t real, source[3], patch; /* bytes; control points, and reals of a patch of them */
    size_t num[3], order[3];       /* control points that are made, and those of a piece */
    size_t lines, rows, line;      /* of a patch; rows along u and reals of a line */
} convert_call;

/* Makes control points first to first + num along direction k, of neighbouring points. */
static void sum_along(const convert_call *c, uint32_t k, const char *from, size_t first, size_t num,
                      char *out)
{
    const clspi_weight_rows *const rows = &c->host->along[k];
    const size_t point = c->coords * c->real, weights = rows->terms * CLSPI_ROWS_AT_ONCE * c->real;
    double made[CLSPI_ROWS_AT_ONCE * CLSPI_ROW_COORDS_MAX];

    for (size_t i = first, g = rows->group_of[first]; i < first + num; g++) {
        const clspi_row_group *const group = rows->group + g;
        const size_t skip = i - group->row, count = clspi_min(group->num - skip, first + num - i);
        const bool fits = skip == 0 && first + num - i >= CLSPI_ROWS_AT_ONCE;
        char *const to = out + (i - first) * point;
        c->f->points((const char *)rows->weights + g * weights, rows->terms,
                     from + group->first * point, c->coords, (uint32_t)group->num,
                     fits ? (void *)to : made);
        if (!fits) memcpy(to, (const char *)made + skip * point, count * point);
        i += count;
    }
}

/* Sums `width` reals of neighbouring rows of points along direction k, for the rows of number i's
   group from that one on, before `end`. Returns how many are made. out: room for CLSPI_ROWS_SPARE
   more. */
static size_t sum_rows(const convert_call *c, uint32_t k, size_t i, size_t end, const char *from,
                       size_t width, char *out)
{
    const clspi_weight_rows *const rows = &c->host->along[k];
    const size_t g = rows->group_of[i];
    const clspi_row_group *const group = rows->group + g;
    const size_t num = clspi_min(group->row + group->num, end) - i;
    const size_t at = g * rows->terms * CLSPI_ROWS_AT_ONCE + (i - group->row);
    const clspi_row_sum sum = {.b = (const char *)rows->weights + at * c->real,
                               .row_step = 1,
                               .term_step = CLSPI_ROWS_AT_ONCE,
                               .terms = rows->terms,
                               .t = from + group->first * width * c->real,
                               .t_stride = width,
                               .spare = out + num * width * c->real};

    c->f->sum(&sum, out, width, num, width);
    return num;
}

/* Counts the reals that belong to a control point along u. */
static size_t row_reals(const convert_call *c)
{
    return c->num[1] * c->num[2] * c->coords;
}

/* Makes what belongs to a control point along u of the plan's: of a volume the sums along w of each
   of its lines first. out: room for CLSPI_ROWS_SPARE rows more. */
static void sum_plane(const convert_call *c, const char *from, char *scratch, char *out)
{
    const size_t width = c->num[2] * c->coords, line = c->source[2] * c->coords;

    if (c->directions == 2) {
        sum_along(c, 1, from, 0, c->num[1], out);
        return;
    }
    for (size_t j = 0; j < c->source[1]; j++)
        sum_along(c, 2, from + j * line * c->real, 0, c->num[2], scratch + j * width * c->real);
    for (size_t j = 0; j < c->num[1];)
        j += sum_rows(c, 1, j, c->num[1], scratch, width, out + j * width * c->real);
}

/* Puts row i of a block of pieces along u in order. */
static void order_row(const convert_call *c, size_t i, const char *row, char *out)
{
    const uint32_t last = c->directions - 1;
    const size_t mid = last == 2 ? c->order[1] : 1, lines = last == 2 ? c->num[1] : 1;
    const size_t run = c->order[last] * c->coords * c->real, pieces = c->num[last] / c->order[last];

    for (size_t j = 0; j < lines; j++)
        for (size_t p = 0; p < pieces; p++) {
            const size_t piece = j / mid * pieces + p;
            memcpy(out + ((piece * c->order[0] + i) * mid + j % mid) * run, row, run);
            row += run;
        }
}

/* Memory of a worker's: what comes of lines of a plane, rows that are made at once with what they
   spare, and planes of all control points along u that may count. */
typedef struct convert_room {
    char *lines, *rows, *planes;
} convert_room;

/* Makes some rows of a patch, of several directions. */
static void make_rows_of(const convert_call *c, const char *patch, clsp_range rows,
                         const convert_room *room, char *out)
{
    const clspi_weight_rows *const u = &c->host->along[0];
    const size_t end = rows.first + rows.count, row = row_reals(c) * c->real;
    const size_t from = u->group[u->group_of[rows.first]].first;
    const size_t behind = u->group[u->group_of[end - 1]].first + u->terms;
    const size_t plane = c->patch / c->source[0] * c->real;

    for (size_t s = from; s < behind; s++)
        sum_plane(c, patch + s * plane, room->lines, room->planes + (s - from) * row);
    for (size_t i = rows.first, num; i < end; i += num) {
        num = sum_rows(c, 0, i, end, room->planes - from * row, row / c->real, room->rows);
        for (size_t r = 0; r < num; r++) {
            const size_t at = i + r - rows.first, block = at / c->rows * c->rows;
            if (c->rows > 1)
                order_row(c, at - block, room->rows + r * row, out + block * row);
            else
                memcpy(out + at * row, room->rows + r * row, row);
        }
    }
}

/* ---- lines ---- */

static void make_patches(const convert_call *c, const clspi_part *part, const convert_room *room,
                         char *out)
{
    size_t done = 0;

    for (size_t patch = part->piece, line = part->line; done < part->num_lines; patch++, line = 0) {
        const size_t num = clspi_min(c->lines - line, part->num_lines - done);
        const char *const points = c->points + patch * c->patch * c->real;
        char *const to = out + done * c->line * c->real;
        if (c->directions == 1)
            sum_along(c, 0, points, line, num, to);
        else
            make_rows_of(c, points, (clsp_range){line * c->rows, num * c->rows}, room, to);
        done += num;
    }
}

/* Describes a call. */
static convert_call call_of(const clspi_bspline_plan *plan)
{
    const clspi_convert_target *const target = plan->target;
    const void *const differences = target->host.differences;
    convert_call c = {.plan = plan,
                      .host = &target->host,
                      .points = differences ? differences : plan->tensor.host.data,
                      .coords = clspi_coords(&plan->tensor.desc),
                      .directions = plan->desc.directions,
                      .real = clsp_type_bytes(plan->desc.precision),
                      .rows = clspi_convert_line_rows(target)};

    c.f = plan->desc.precision == CLSP_F64 ? &clspi_row_sums_f64 : &clspi_row_sums_f32;
    c.patch = c.coords;
    for (uint32_t k = 0; k < 3; k++) {
        const bool is_there = k < c.directions && target->own.num == 0;
        c.source[k] = source_of(plan, k);
        c.patch *= c.source[k];
        c.num[k] = is_there ? target->knots[k].controls : 1;
        c.order[k] = is_there ? order_of_pieces(target, &target->knots[k]) : 1;
    }
    c.lines = c.num[0] / c.rows;
    c.line = c.rows * row_reals(&c);
    return c;
}

clsp_status clspi_convert_on_host(const clspi_work *work, uint32_t worker, const clspi_part *part,
                                  const char *const in[], char *out)
{
    const convert_call c = call_of((const clspi_bspline_plan *)work->plan);
    const size_t row = row_reals(&c) * c.real;
    const size_t lines = c.source[1] * c.num[2] * c.coords * c.real;
    const size_t rows = (CLSPI_ROWS_AT_ONCE + CLSPI_ROWS_SPARE) * row;

    (void)worker;
    (void)in;
    if (c.plan->target->own.num > 0) {
        sum_along(&c, 0, c.points, part->piece, part->num_lines, out);
        return CLSP_OK;
    }
    char *const memory = malloc(lines + rows + (c.source[0] + CLSPI_ROWS_SPARE) * row);
    if (!memory)
        return clspi_fail(&work->plan->ctx->log, CLSP_ERROR_NO_MEMORY,
                          "bspline: no memory for sums of control points");
    const convert_room room = {memory, memory + lines, memory + lines + rows};
    make_patches(&c, part, &room, out);
    free(memory);
    return CLSP_OK;
}

clsp_status clspi_convert_prepare_host(const clspi_work *work, clspi_way way)
{
    clspi_bspline_plan *const plan = (clspi_bspline_plan *)work->plan;
    clspi_convert_host *const host = &plan->target->host;
    const void *points;
    bool differ = false;

    (void)way;
    CLSPI_CHECK(clspi_patch_host_points(&plan->tensor, &points));
    if (!host->along[0].group && !make_all_rows(host, plan)) {
        clspi_convert_host_release(host);
        return clspi_fail(&work->plan->ctx->log, CLSP_ERROR_NO_MEMORY,
                          "bspline: no memory for the rows of a conversion");
    }
    for (uint32_t k = 0; k < plan->desc.directions; k++)
        differ = differ || order_of(plan->target, k) > 0;
    if (!differ || host->load == plan->tensor.loads) return CLSP_OK;
    host->load = 0;
    CLSPI_CHECK(make_differences(host, plan, points));
    host->load = plan->tensor.loads;
    return CLSP_OK;
}
