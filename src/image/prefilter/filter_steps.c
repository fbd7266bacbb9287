#include "filter_steps.h"

#include "check.h"
#include "image_plan.h"
#include "spline_poles.h"

enum { TILE_GROUP_LEAST = 64 };

/* ---- recursions ---- */

uint32_t clspi_image_filter_mode(uint32_t mode)
{
    if (mode == CLSP_IMAGE_GRID_WRAP) return CLSP_IMAGE_GRID_WRAP;
    return mode == CLSP_IMAGE_REFLECT || mode == CLSP_IMAGE_NEAREST ? CLSP_IMAGE_REFLECT
                                                                    : CLSP_IMAGE_MIRROR;
}

static double eps_of(clsp_type precision)
{
    return precision == CLSP_F64 ? 0x1p-52 : 0x1p-23;
}

static clspi_filter_step *add_step(clspi_image_filter *filter, clspi_filter_step step)
{
    filter->step[filter->num] = step;
    return &filter->step[filter->num++];
}

uint32_t clspi_register_block(const clsp_context *ctx)
{
    return ctx->tuning.line_block > 0 ? ctx->tuning.line_block : 16;
}

/* Tells whether lines are long enough for blocks in registers, which fold an index once. */
static bool is_long(const clsp_image_plan *plan, uint32_t axis, uint32_t halo)
{
    return plan->layout.whole[axis] >= clspi_register_block(plan->base.ctx) + 2 * halo;
}

/* Tells whether the description allows recursions in registers: of one pole. */
static bool fits_registers(const clsp_image_plan *plan)
{
    const clsp_image_order order = plan->desc.order;

    return order == CLSP_IMAGE_QUADRATIC || order == CLSP_IMAGE_CUBIC;
}

/* ---- strips ---- */

/* The strips of an image: rows of one, how many there are, and how many a device makes at once. */
typedef struct strip_counts {
    uint32_t rows;
    size_t num, at_once;
} strip_counts;

size_t clspi_group_width(const clsp_image_plan *plan, const clspi_filter_step *step, size_t group)
{
    const size_t unit =
        step->kind == CLSPI_STEP_TILES ? clspi_register_block(plan->base.ctx) : STRIP_CHUNK;

    return step->kind == CLSPI_STEP_STRIPS ? group - 2 * clspi_round_up(step->halo, unit)
                                           : (group - 2 * step->halo) / unit * unit;
}

size_t clspi_filter_group(const clsp_image_plan *plan, const clspi_filter_step *step)
{
    enum { STEP = 32, LEAST = 2 * STEP };
    const bool is_fir = step->kind == CLSPI_STEP_FIR_STRIPS;
    size_t group =
        is_fir && plan->desc.precision == CLSP_F64 ? CLSPI_STRIP_GROUP_LEAST : CLSPI_TILE_GROUP;

    if (step->kind == CLSPI_STEP_STRIPS) return group;
    while (group > LEAST && group - STEP > 2 * step->halo &&
           clspi_group_width(plan, step, group - STEP) >= plan->layout.stored[2])
        group -= STEP;
    return group;
}

/* Returns the halo of an image's first pole. */
static uint32_t halo_of(const clsp_image_plan *plan)
{
    double poles[POLES_MAX];

    clspi_spline_poles(clspi_image_order(&plan->desc), poles);
    return clspi_pole_halo(poles[0], eps_of(plan->desc.precision));
}

/* Chooses the rows of a step's strips, with which a unit goes through the fewest rows: those of a
   strip and its halos, as many times as it has strips one after another. What is kept in registers
   leaves room for two strips at once in single precision, one in double; of convolutions for twice
   as many, whose halos are short. With its halo a strip is less than MOST, which bounds how far NaN
   go. */
static strip_counts count_strips(const clsp_image_plan *plan, const clspi_filter_step *step)
{
    enum { LEAST = 80, LEAST_FIR = 32, MOST = 192 };
    const clsp_type precision = plan->desc.precision;
    const uint32_t *const whole = plan->layout.whole, halo = step->halo;
    const size_t group = clspi_filter_group(plan, step);
    const size_t columns = clspi_div_up(whole[2], clspi_group_width(plan, step, group));
    const bool is_fir = clspi_is_convolution(step);
    const size_t at_once = (size_t)plan->base.ctx->device.compute_units *
                           (precision == CLSP_F32 ? 2 : 1) * (is_fir ? 2 : 1);
    strip_counts best = {.at_once = at_once};
    size_t least = SIZE_MAX;

    for (uint32_t rows = is_fir ? LEAST_FIR : LEAST; rows + halo < MOST; rows += STRIP_CHUNK) {
        const size_t num = columns * clspi_div_up(whole[1], rows) * whole[0];
        const size_t cost = clspi_div_up(num, at_once) * (clspi_min(rows, whole[1]) + 2 * halo);
        if (cost >= least) continue;
        least = cost;
        best.rows = rows;
        best.num = num;
    }
    return best;
}

/* Tells whether two directions go down strips: in double, whose halos are long, and slice by slice
   of volumes, which are many; else of images that are not small, where strips are neither too few
   for the device nor so many that tiles, of which it makes more at once, are as good. */
static bool prefers_strips(const clsp_image_plan *plan)
{
    enum { SMALL = 1 << 18 };
    const clsp_image_desc *const d = &plan->desc;
    const uint32_t *const whole = plan->layout.whole;

    if (!clspi_keeps_values(&plan->base.ctx->device)) return false;
    if (d->precision == CLSP_F64 || d->directions == 3) return true;
    if ((uint64_t)whole[0] * whole[1] * whole[2] < SMALL) return false;
    const clspi_filter_step step = {.kind = CLSPI_STEP_STRIPS, .halo = halo_of(plan)};
    const strip_counts strips = count_strips(plan, &step);
    return strips.num >= strips.at_once / 2 && strips.num <= 2 * strips.at_once;
}

/* Returns the bytes in local memory of a tile, PITCH and more of image_tiles.cl, or of a chunk of a
   strip of image_strips.cl. */
static size_t tile_bytes(const clsp_image_plan *plan)
{
    const size_t rows =
        prefers_strips(plan) ? STRIP_CHUNK + 2 : clspi_register_block(plan->base.ctx);

    return rows * (CLSPI_TILE_GROUP + 1) * clsp_type_bytes(plan->desc.precision);
}

size_t clspi_filter_least_group(const clsp_image_plan *plan)
{
    return plan->desc.taps > 0 || prefers_strips(plan) ? CLSPI_STRIP_GROUP_LEAST : TILE_GROUP_LEAST;
}

/* Returns the step that convolves two directions. */
static clspi_filter_step fir_strips_of(const clsp_image_plan *plan)
{
    return (clspi_filter_step){
        .kind = CLSPI_STEP_FIR_STRIPS, .axis = 1, .halo = plan->desc.taps / 2};
}

/* Tells whether two directions can be convolved down strips: by taps of which items keep all. */
static bool fits_fir_strips(const clsp_image_plan *plan)
{
    enum { HALF_MOST = 16 };
    const clsp_context *const ctx = plan->base.ctx;
    const clspi_filter_step step = fir_strips_of(plan);
    const size_t group = clspi_filter_group(plan, &step);
    const size_t bytes = STRIP_CHUNK * (group + clspi_group_width(plan, &step, group) + 2) *
                         clsp_type_bytes(plan->desc.precision);

    return step.halo <= HALF_MOST && is_long(plan, 2, step.halo) && is_long(plan, 1, step.halo) &&
           ctx->device.max_work_group >= group && ctx->device.local_bytes >= bytes;
}

/* Tells whether two directions can be filtered in one pass. */
static bool fits_tiles(const clsp_image_plan *plan)
{
    const clsp_context *const ctx = plan->base.ctx;
    const uint32_t halo = halo_of(plan);

    if (plan->desc.taps > 0) return fits_fir_strips(plan);
    return fits_registers(plan) && is_long(plan, 2, halo) && is_long(plan, 1, halo) &&
           ctx->device.max_work_group >= clspi_filter_least_group(plan) &&
           ctx->device.local_bytes >= tile_bytes(plan) &&
           (plan->desc.precision == CLSP_F32 || prefers_strips(plan));
}

bool clspi_filter_wants_tiles(const clsp_image_plan *plan)
{
    const clsp_context *const ctx = plan->base.ctx;

    if (plan->desc.kernels != CLSP_IMAGE_KERNELS_DEFAULT)
        return plan->desc.kernels == CLSP_IMAGE_TILES;
    return ctx->tuning.line_block > 0 && ctx->device.local_is_real;
}

static clspi_filter_step recursion_of(const clsp_image_plan *plan, uint32_t axis, double pole)
{
    return (clspi_filter_step){.kind = CLSPI_STEP_RECURSION,
                               .axis = axis,
                               .pole = pole,
                               .halo = clspi_pole_halo(pole, eps_of(plan->desc.precision)),
                               .whole_lines = plan->desc.kernels == CLSP_IMAGE_LINES};
}

/* Adds the recursions of all directions, x first. A line of one sample is its own coefficient. */
static void add_recursions(clspi_image_filter *filter, const clsp_image_plan *plan, bool tiles)
{
    double poles[POLES_MAX];
    const uint32_t num = clspi_spline_poles(clspi_image_order(&plan->desc), poles);
    const uint32_t halo = halo_of(plan);
    uint32_t axis = 3;

    if (tiles && fits_tiles(plan)) {
        clspi_filter_step *const step = add_step(filter, recursion_of(plan, 1, poles[0]));
        step->kind = prefers_strips(plan) ? CLSPI_STEP_STRIPS : CLSPI_STEP_TILES;
        if (step->kind == CLSPI_STEP_STRIPS) step->rows = count_strips(plan, step).rows;
        axis = 1;
    }
    while (axis-- > 0)
        for (uint32_t i = 0; i < num && plan->layout.whole[axis] > 1; i++) {
            clspi_filter_step *const step = add_step(filter, recursion_of(plan, axis, poles[i]));
            const bool in_registers = tiles && axis < 2 && fits_registers(plan);
            if (in_registers && is_long(plan, axis, halo)) step->kind = CLSPI_STEP_COLUMNS;
        }
}

uint32_t clspi_filter_halo(const clsp_image_plan *plan)
{
    double poles[POLES_MAX];
    const uint32_t num = clspi_spline_poles(clspi_image_order(&plan->desc), poles);
    uint32_t halo = 0;

    for (uint32_t i = 0; i < num; i++)
        halo += clspi_pole_halo(poles[i], eps_of(plan->desc.precision));
    return halo;
}

/* ---- convolutions ---- */

/* Returns what a group of the staged convolution has of its columns in local memory. */
static size_t ring_bytes(const clsp_image_plan *plan)
{
    return plan->desc.taps * plan->base.ctx->tuning.work_group *
           clsp_type_bytes(plan->desc.precision);
}

/* Tells whether convolutions are to go through local memory: where that is asked for, and by
   default on GPUs where samples are more than a cache holds. The bits are the same. */
static bool wants_staged(const clsp_image_plan *plan)
{
    enum { MANY = 1 << 22 }; /* docs/notes/image_kernels.md */
    const clsp_context *const ctx = plan->base.ctx;
    const uint32_t *const num = plan->layout.whole;

    if (plan->desc.kernels != CLSP_IMAGE_KERNELS_DEFAULT)
        return plan->desc.kernels == CLSP_IMAGE_STAGED;
    return ctx->tuning.line_block > 0 && ctx->device.local_is_real &&
           ring_bytes(plan) <= ctx->device.local_bytes && (uint64_t)num[0] * num[1] * num[2] > MANY;
}

/* Adds the convolutions of all directions, x first. */
static void add_firs(clspi_image_filter *filter, const clsp_image_plan *plan, bool tiles)
{
    const bool staged = wants_staged(plan);
    uint32_t axis = 3;

    if (tiles && fits_fir_strips(plan)) {
        clspi_filter_step *const step = add_step(filter, fir_strips_of(plan));
        step->rows = count_strips(plan, step).rows;
        axis = 1;
    }
    while (axis-- > 0)
        if (plan->layout.whole[axis] > 1)
            add_step(filter,
                     (clspi_filter_step){.kind = staged ? CLSPI_STEP_STAGED : CLSPI_STEP_FIR,
                                         .axis = axis,
                                         .halo = plan->desc.taps / 2});
}

/* ---- all steps ---- */

/* Says what each step reads and writes: the last one writes the coefficients, and those before take
   turns. Where coefficients are halves, what works in place on its target needs reals. */
static void connect_steps(clspi_image_filter *filter, const clsp_image_desc *d)
{
    const bool is_real = d->coefficients == d->precision;
    const clspi_filter_step *const last = &filter->step[filter->num - 1];

    if (!is_real && last->kind == CLSPI_STEP_RECURSION)
        add_step(filter, (clspi_filter_step){.kind = CLSPI_STEP_COPY, .axis = 2});
    for (uint32_t i = 0; i < filter->num; i++) {
        clspi_filter_step *const step = &filter->step[i];
        const uint32_t behind = filter->num - 1 - i;
        step->from = i == 0 ? CLSPI_STEP_SAMPLES : filter->step[i - 1].to;
        if (behind == 0 || (is_real && behind % 2 == 0))
            step->to = CLSPI_STEP_COEFFICIENTS;
        else
            step->to = CLSPI_STEP_SCRATCH + (is_real ? 0 : behind % 2);
    }
}

void clspi_filter_choose(clspi_image_filter *filter, const clsp_image_plan *plan, bool tiles)
{
    const clsp_image_desc *const d = &plan->desc;

    filter->num = 0;
    if (d->prefilter == CLSP_IMAGE_RECURSIVE)
        add_recursions(filter, plan, tiles);
    else if (d->prefilter != CLSP_IMAGE_NONE)
        add_firs(filter, plan, tiles);
    const clspi_filter_step *const first = &filter->step[0];
    const bool reads_samples =
        filter->num > 0 && (first->axis == 2 || clspi_makes_two_directions(first));
    if (!reads_samples) { /* rows of one sample */
        for (uint32_t i = filter->num++; i > 0; i--)
            filter->step[i] = filter->step[i - 1];
        filter->step[0] = (clspi_filter_step){.kind = CLSPI_STEP_COPY, .axis = 2};
    }
    connect_steps(filter, d);
}

/* ---- checks ---- */

clsp_status clspi_filter_check(const clsp_image_plan *plan)
{
    const clsp_context *const ctx = plan->base.ctx;
    const clsp_image_desc *const d = &plan->desc;

    if (d->kernels == CLSP_IMAGE_TILES && !fits_tiles(plan))
        return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_ARGUMENT,
                          "image: no tiles of this order, precision and size on this device");
    if (d->kernels == CLSP_IMAGE_STAGED && ring_bytes(plan) > ctx->device.local_bytes)
        return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_ARGUMENT,
                          "image: %u taps are more than the device's local memory holds", d->taps);
    return CLSP_OK;
}
