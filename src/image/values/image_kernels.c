/* Kernels of values: the programs of image_values.cl and image_blocks.cl. */
#include "image_kernels.h"

#include "check.h"
#include "image_blocks.h"
#include "image_job.h"

enum { GROUP = BLOCK_GROUP /* items of a group */ };

/* By clspi_image_places. */
static const clspi_signature *const signatures[] = {&clspi_values_on_map_signature,
                                                    &clspi_values_displaced_signature,
                                                    &clspi_values_at_points_signature};

static clspi_options value_options(const clsp_context *ctx, const clsp_image_desc *d, size_t plane,
                                   uint32_t attributes, bool fixed)
{
    clspi_options options = clspi_options_of(ctx, d->precision);

    clspi_option(&options, "COEFFICIENTS", clspi_pixel_type(d->coefficients, d->precision));
    clspi_option(&options, "VALUES", clspi_pixel_type(d->values, d->precision));
    if (d->rounding == CLSP_IMAGE_ROUND_UP) clspi_option(&options, "ROUND_UP", 1);
    clspi_option(&options, "DIRECTIONS", d->directions);
    clspi_option(&options, "ORDER", clspi_image_order(d));
    clspi_option(&options, "ATTRIBUTES", attributes);
    clspi_option(&options, "CLIP", d->clip);
    clspi_option(&options, "FIXED", fixed);
    clspi_option(&options, "INDEX", plane > UINT32_MAX ? 64 : 32);
    return options;
}

clspi_options clspi_image_value_options(const clspi_image_job *job)
{
    const clsp_image_plan *const plan = job->plan;
    const bool fixed = job->map.is_fixed && job->places != CLSPI_IMAGE_AT_POINTS;

    return value_options(plan->base.ctx, &plan->desc, plan->layout.plane, job->attributes, fixed);
}

/* Makes the kernel of a job's map in blocks; job->in_blocks says whether it is to be used. */
static clsp_status use_blocks(clspi_image_job *job)
{
    clsp_context *const ctx = job->plan->base.ctx;
    const clsp_image_desc *const d = &job->plan->desc;
    clspi_kernel *const kernel = &job->plan->kernels.in_blocks[job->attributes];
    const bool fits = job->places == CLSPI_IMAGE_ON_MAP && !job->window && job->map.is_fixed &&
                      clspi_image_has_blocks(ctx, d) && clspi_image_find_block(job, &job->block);

    job->in_blocks = false;
    if (!fits) return CLSP_OK;
    if (!kernel->kernel) {
        clspi_options options = clspi_image_value_options(job);
        clspi_option(&options, "WINDOW", 0);
        CLSPI_CHECK(clspi_kernel_create_for_group(
            kernel, ctx, "image_blocks", &clspi_values_of_blocks_signature, &options, GROUP));
    }
    job->in_blocks = kernel->local == GROUP; /* the device may not have such groups */
    if (job->in_blocks) job->kernel = kernel;
    return CLSP_OK;
}

clsp_status clspi_image_job_kernel(clspi_image_job *job)
{
    clsp_image_plan *const plan = job->plan;
    const bool second = job->places == CLSPI_IMAGE_AT_POINTS ? job->stride > 1 : job->map.is_fixed;
    clspi_image_kernels *const kernels = job->window ? &plan->windowed : &plan->kernels;
    clspi_options options = clspi_image_value_options(job);

    CLSPI_CHECK(use_blocks(job));
    if (job->in_blocks) return CLSP_OK;
    clspi_option(&options, "WINDOW", job->window ? 2 : clspi_is_cut(&plan->layout));
    if (job->stride > 1) clspi_option(&options, "STRIDE", job->stride);
    clspi_option(&options, "PLACES", job->places);
    job->kernel = &kernels->at[job->places][second][job->attributes];
    if (job->kernel->kernel) return CLSP_OK;
    return clspi_kernel_create_for_group(job->kernel, plan->base.ctx, "image_values",
                                         signatures[job->places], &options, GROUP);
}

clsp_status clspi_image_values_build(const clspi_build *build, const clsp_image_desc *desc,
                                     uint32_t attributes)
{
    const bool fixed = desc->precision == CLSP_F32;

    for (uint32_t places = CLSPI_IMAGE_ON_MAP; places <= CLSPI_IMAGE_AT_POINTS; places++) {
        clspi_options options = value_options(build->ctx, desc, 0, attributes,
                                              fixed && places != CLSPI_IMAGE_AT_POINTS);
        clspi_option(&options, "WINDOW", 0);
        if (places == CLSPI_IMAGE_ON_MAP && clspi_image_has_blocks(build->ctx, desc))
            CLSPI_CHECK(clspi_program_build_for_group(
                build, "image_blocks", &clspi_values_of_blocks_signature, &options, GROUP));
        clspi_option(&options, "PLACES", places);
        CLSPI_CHECK(clspi_program_build_for_group(build, "image_values", signatures[places],
                                                  &options, GROUP));
    }
    return CLSP_OK;
}

clsp_status clspi_image_values_prepare(clsp_image_plan *plan)
{
    clspi_image_job job = {.plan = plan,
                           .map = {.is_fixed = plan->desc.precision == CLSP_F32},
                           .attributes = CLSP_IMAGE_VALUE};

    return clspi_image_job_kernel(&job);
}

void clspi_image_kernels_release(clspi_image_kernels *kernels)
{
    for (uint32_t a = 0; a < CLSPI_ATTRIBUTE_SETS; a++) {
        clspi_kernel_release(&kernels->in_blocks[a]);
        for (uint32_t i = 0; i < 6; i++)
            clspi_kernel_release(&kernels->at[i / 2][i % 2][a]);
    }
}
