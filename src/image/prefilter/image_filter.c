#include "image_filter.h"

#include "buffer.h"
#include "check.h"
#include "filter_reach.h"
#include "filter_steps.h"
#include "fir_taps.h"
#include "image_plan.h"
#include "kernel_arguments.h"

clsp_status clspi_image_find_taps(const clsp_image_plan *plan,
                                  double taps[CLSP_IMAGE_MAX_TAPS / 2 + 1])
{
    const clsp_image_desc *const d = &plan->desc;

    if (d->prefilter == CLSP_IMAGE_TRUNCATED)
        clspi_fir_truncated(clspi_image_order(d), d->taps / 2, taps);
    else if (!clspi_fir_least_squares(clspi_image_order(d), d->taps / 2, taps))
        return clspi_image_no_memory(plan, "taps");
    return CLSP_OK;
}

static clspi_options filter_options(const clsp_context *ctx, const clsp_image_desc *d,
                                    const clspi_filter_step *step)
{
    clspi_options options = clspi_options_of(ctx, d->precision);

    if (step->from == CLSPI_STEP_SAMPLES)
        clspi_option(&options, "SAMPLES", clspi_pixel_type(d->samples, d->precision));
    if (step->to == CLSPI_STEP_COEFFICIENTS)
        clspi_option(&options, "COEFFICIENTS", clspi_pixel_type(d->coefficients, d->precision));
    clspi_option(&options, "ROWS", step->axis == 2);
    if (clspi_is_convolution(step) && step->kind != CLSPI_STEP_FIR)
        clspi_option(&options, "HALF", step->halo);
    else if (clspi_makes_two_directions(step) || step->kind == CLSPI_STEP_COLUMNS)
        clspi_option(&options, "HALO", step->halo);
    if (step->kind == CLSPI_STEP_TILES || step->kind == CLSPI_STEP_COLUMNS)
        clspi_option(&options, "TILE", clspi_register_block(ctx));
    if (step->kind == CLSPI_STEP_COLUMNS) /* tiles beside them stay small: nobody launches those */
        clspi_option(&options, "GROUP", CLSPI_STRIP_GROUP_LEAST);
    if (step->kind == CLSPI_STEP_STAGED) clspi_option(&options, "STAGED", 1);
    return options;
}

/* The programs of steps by their kinds, of which some are built for groups of one size. */
typedef struct step_program {
    const char *name;
    const clspi_signature *signature;
    bool is_grouped;
} step_program;

static const step_program programs[] = {
    [CLSPI_STEP_COPY] = {"image_passes", &clspi_copy_samples_signature, false},
    [CLSPI_STEP_RECURSION] = {"image_passes", &clspi_filter_pass_signature, false},
    [CLSPI_STEP_COLUMNS] = {"image_tiles", &clspi_filter_columns_signature, false},
    [CLSPI_STEP_TILES] = {"image_tiles", &clspi_filter_tiles_signature, true},
    [CLSPI_STEP_STRIPS] = {"image_strips", &clspi_filter_strips_signature, true},
    [CLSPI_STEP_FIR] = {"image_fir", &clspi_fir_pass_signature, false},
    [CLSPI_STEP_STAGED] = {"image_fir", &clspi_fir_pass_signature, true},
    [CLSPI_STEP_FIR_STRIPS] = {"image_fir_strips", &clspi_filter_fir_strips_signature, true}};

static size_t group_of(const clsp_image_plan *plan, const clspi_filter_step *step)
{
    return clspi_makes_two_directions(step) ? clspi_filter_group(plan, step)
                                            : plan->base.ctx->tuning.work_group;
}

static clsp_status make_kernel(const clsp_image_plan *plan, clspi_filter_step *step)
{
    clsp_context *const ctx = plan->base.ctx;
    const clspi_options options = filter_options(ctx, &plan->desc, step);
    const step_program *const p = &programs[step->kind];

    if (!p->is_grouped)
        return clspi_kernel_create(&step->kernel, ctx, p->name, p->signature, &options);
    return clspi_kernel_create_for_group(&step->kernel, ctx, p->name, p->signature, &options,
                                         group_of(plan, step));
}

static void release_kernels(clspi_image_filter *filter)
{
    for (uint32_t i = 0; i < filter->num; i++)
        clspi_kernel_release(&filter->step[i].kernel);
    clspi_kernel_release(&filter->outside);
}

/* Makes the kernel that says which coefficients of a part are not made. */
static clsp_status make_outside(clspi_image_filter *filter, const clsp_image_plan *plan)
{
    const clsp_image_desc *const d = &plan->desc;
    clspi_options options = clspi_options_of(plan->base.ctx, d->precision);

    if (!clspi_is_part(&plan->layout)) return CLSP_OK;
    clspi_option(&options, "COEFFICIENTS", clspi_pixel_type(d->coefficients, d->precision));
    return clspi_kernel_create(&filter->outside, plan->base.ctx, "image_outside",
                               &clspi_fill_outside_signature, &options);
}

static clsp_status make_kernels(clspi_image_filter *filter, const clsp_image_plan *plan)
{
    for (uint32_t i = 0; i < filter->num; i++)
        CLSPI_CHECK(make_kernel(plan, &filter->step[i]));
    return make_outside(filter, plan);
}

/* Makes the taps of FIR prefilters. */
static clsp_status make_taps(clsp_image_plan *plan)
{
    const clsp_image_desc *const d = &plan->desc;
    double taps[CLSP_IMAGE_MAX_TAPS / 2 + 1];
    float narrow[CLSP_IMAGE_MAX_TAPS / 2 + 1];
    const uint32_t half = d->taps / 2;
    const size_t bytes = (half + 1) * clsp_type_bytes(d->precision);
    clspi_call call;

    if (d->taps == 0) return CLSP_OK;
    CLSPI_CHECK(clspi_image_find_taps(plan, taps));
    for (uint32_t k = 0; k <= half; k++)
        narrow[k] = (float)taps[k];
    CLSPI_CHECK(clspi_buffer_create(&plan->filter.taps, plan->base.ctx, bytes));
    CLSPI_CHECK(clspi_call_begin(&call, &plan->base, NULL));
    return clspi_call_end(
        &call, clspi_series_write(&call.series, plan->filter.taps, 0,
                                  d->precision == CLSP_F64 ? (const void *)taps : narrow, bytes));
}

/* Chooses steps and makes their kernels. */
static clsp_status make_steps(clsp_image_plan *plan)
{
    clspi_image_filter *const filter = &plan->filter;

    clspi_filter_choose(filter, plan, clspi_filter_wants_tiles(plan));
    CLSPI_CHECK(make_kernels(filter, plan));
    const clspi_filter_step *const first = &filter->step[0];
    if (!clspi_makes_two_directions(first) ||
        first->kernel.local >=
            clspi_min(clspi_filter_least_group(plan), clspi_filter_group(plan, first)))
        return CLSP_OK;
    release_kernels(filter);
    clspi_filter_choose(filter, plan, false);
    return make_kernels(filter, plan);
}

clsp_status clspi_image_filter_create(clsp_image_plan *plan)
{
    const bool by_host = clspi_image_is_filtered_by_host(plan);

    CLSPI_CHECK(clspi_filter_check(plan));
    if (!by_host) CLSPI_CHECK(make_steps(plan));
    clspi_filter_find_made(&plan->filter, plan);
    return by_host ? CLSP_OK : make_taps(plan);
}

static clsp_status build_step(const clspi_build *build, const clspi_filter_step *step,
                              const clsp_image_plan *plan)
{
    const clspi_options options = filter_options(build->ctx, &plan->desc, step);
    const step_program *const p = &programs[step->kind];

    if (!p->is_grouped) return clspi_program_build(build, p->name, &options);
    return clspi_program_build_for_group(build, p->name, p->signature, &options,
                                         group_of(plan, step));
}

clsp_status clspi_image_filter_build(const clspi_build *build, const clsp_image_plan *plan)
{
    clspi_image_filter filter = {.num = 0};

    clspi_filter_choose(&filter, plan, clspi_filter_wants_tiles(plan));
    for (uint32_t i = 0; i < filter.num; i++)
        CLSPI_CHECK(build_step(build, &filter.step[i], plan));
    return CLSP_OK;
}

void clspi_image_filter_release(clspi_image_filter *filter)
{
    release_kernels(filter);
    for (uint32_t i = 0; i < CLSPI_SCRATCHES; i++)
        clspi_buffer_release(&filter->scratch[i]);
    clspi_buffer_release(&filter->taps);
}
