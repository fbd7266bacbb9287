#include "gpus_job.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "solid_run.h"

/* ---- inputs ---- */

/* Gives the numbers from `first` on of an endless row in [0, 1), the same for everybody
   (SplitMix64). */
static void fill(float *values, size_t first, size_t num)
{
    for (size_t i = 0; i < num; i++) {
        uint64_t z = (first + i + 1) * 0x9e3779b97f4a7c15u;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
        z = (z ^ z >> 27) * 0x94d049bb133111ebu;
        values[i] = (float)((z ^ z >> 31) >> 40) * 0x1p-24F;
    }
}

/* Makes some of the job's numbers in memory that is good for the part's context to read. */
static clsp_status make_host_input(gpus_part *part)
{
    void *values = NULL;
    clsp_status status;

    BENCH_TRY(clsp_shared_alloc(part->seat.ctx, part->num_input * sizeof(float), &values));
    part->host_input = values;
    fill(values, part->first_input, part->num_input);

fail:
    return status;
}

static void release_host_input(gpus_part *part)
{
    clsp_shared_free(part->seat.ctx, part->host_input);
    part->host_input = NULL;
}

/* Makes some of the job's numbers, where the part is to have them. */
static clsp_status make_input(gpus_part *part, size_t first, size_t num)
{
    cl_int code;
    clsp_status status;

    part->first_input = first;
    part->num_input = num;
    BENCH_TRY(make_host_input(part));
    if (part->in_host) return CLSP_OK;
    part->input =
        clCreateBuffer(part->seat.context, CL_MEM_READ_ONLY, num * sizeof(float), NULL, &code);
    BENCH_TRY(code);
    BENCH_TRY(clEnqueueWriteBuffer(part->seat.queue, part->input, CL_TRUE, 0, num * sizeof(float),
                                   part->host_input, 0, NULL, NULL));
    release_host_input(part);

fail:
    return status;
}

/* Gives what was made, from one of the job's numbers on. */
static clsp_input input_from(const gpus_part *part, size_t first, size_t num)
{
    const size_t offset = first - part->first_input;

    if (part->input) return clsp_in_buffer(part->input, CLSP_F32, offset);
    return clsp_in_f32(part->host_input + offset, num);
}

static void release_input(gpus_part *part)
{
    if (part->input) clReleaseMemObject(part->input);
    release_host_input(part);
    part->input = NULL;
}

/* ---- patches: items are patches ---- */

static clsp_status start_bezier(gpus_part *part)
{
    const gpus_job *const job = part->job;
    const uint32_t degree = (uint32_t)job->order - 1;
    const clsp_bezier_desc desc = {.degree = {degree, degree},
                                   .axis = {{.num = job->samples}, {.num = job->samples}}};
    const size_t num = job->num_items * job->order * job->order * 3;
    float *const points = malloc(num * sizeof *points);
    clsp_status status = points ? CLSP_OK : CLSP_ERROR_NO_MEMORY;

    BENCH_TRY(status);
    fill(points, 0, num);
    BENCH_TRY(clsp_bezier_plan_create(&part->plan, part->seat.ctx, &desc));
    BENCH_TRY(
        clsp_patch_set_control_points(part->plan, job->num_items, clsp_in_f32(points, num), NULL));

fail:
    free(points);
    return status;
}

static clsp_status eval_bezier(const gpus_part *part, clsp_range items, clsp_output out,
                               const clsp_run *run)
{
    return clsp_patch_eval(part->plan, items, out, run);
}

static void release_bezier(gpus_part *part)
{
    clsp_patch_plan_destroy(&part->plan);
}

/* ---- projection onto a surface: items are queries ---- */

enum { SURFACE_SIDE = 33 };

/* Makes a bicubic height field over the unit square, of 30 x 30 spans. */
static void make_heights(float *controls)
{
    fill(controls, 0, (size_t)SURFACE_SIDE * SURFACE_SIDE * 3);
    for (size_t i = 0; i < SURFACE_SIDE; i++)
        for (size_t j = 0; j < SURFACE_SIDE; j++, controls += 3) {
            controls[0] = (float)i / (SURFACE_SIDE - 1);
            controls[1] = (float)j / (SURFACE_SIDE - 1);
            controls[2] = 0.5F + 0.1F * (controls[2] - 0.5F);
        }
}

static clsp_status start_surface(gpus_part *part)
{
    const clsp_bspline_desc desc = {.degree = {3, 3}, .num_controls = {SURFACE_SIDE, SURFACE_SIDE}};
    const size_t num = (size_t)SURFACE_SIDE * SURFACE_SIDE * 3;
    float controls[SURFACE_SIDE * SURFACE_SIDE * 3];
    clsp_status status;

    make_heights(controls);
    BENCH_TRY(clsp_bspline_plan_create(&part->plan, part->seat.ctx, &desc));
    BENCH_TRY(clsp_patch_set_control_points(part->plan, 1, clsp_in_f32(controls, num), NULL));
    BENCH_TRY(make_input(part, part->items.first * 3, part->items.count * 3));

fail:
    return status;
}

static clsp_status eval_surface(const gpus_part *part, clsp_range items, clsp_output out,
                                const clsp_run *run)
{
    const clsp_nearest_queries queries = {
        .num = items.count, .points = input_from(part, items.first * 3, items.count * 3)};

    return clsp_nearest_project(part->plan, &queries, NULL, out, run);
}

static void release_surface(gpus_part *part)
{
    clsp_patch_plan_destroy(&part->plan);
    release_input(part);
}

/* ---- a volume turned about its long axis: items are slices ---- */

static clsp_image_map turned(const gpus_job *job, clsp_range slices)
{
    const double angle = 0.2, c = cos(angle), s = sin(angle);
    const double middle = 0.5 * (double)(job->side - 1);
    clsp_image_map map = clsp_image_identity();

    map.matrix[1][1] = map.matrix[2][2] = c;
    map.matrix[1][2] = -s;
    map.matrix[2][1] = s;
    map.matrix[1][3] = middle - c * middle + s * middle;
    map.matrix[2][3] = middle - s * middle - c * middle;
    map.size[0] = (uint32_t)slices.count;
    map.size[1] = map.size[2] = (uint32_t)job->side;
    map.origin[0] = slices.first;
    return map;
}

/* Finds which samples the part needs. */
static clsp_status find_part(const gpus_part *part, clsp_image_desc *desc)
{
    const clsp_image_map map = turned(part->job, part->items);
    clsp_image_plan *whole = NULL;
    clsp_status status;

    BENCH_TRY(clsp_image_plan_create(&whole, part->seat.ctx, desc));
    BENCH_TRY(clsp_image_need(whole, &map, desc));

fail:
    clsp_image_plan_destroy(&whole);
    return status;
}

static clsp_status prepare_image(const gpus_part *part, const clsp_run *run)
{
    const clsp_input samples = input_from(part, part->first_input, part->num_input);

    return clsp_image_set_samples(part->image, 1, samples, run);
}

static clsp_status start_image(gpus_part *part)
{
    const gpus_job *const job = part->job;
    const uint32_t side = (uint32_t)job->side;
    const size_t slice = job->side * job->side;
    clsp_image_desc desc = {
        .directions = 3, .size = {(uint32_t)job->num_items, side, side}, .order = 3};
    clsp_status status = CLSP_OK;

    if (!part->in_host) BENCH_TRY(find_part(part, &desc));
    BENCH_TRY(clsp_image_plan_create(&part->image, part->seat.ctx, &desc));
    BENCH_TRY(make_input(part, desc.part.begin[0] * slice, desc.size[0] * slice));
    BENCH_TRY(prepare_image(part, NULL));

fail:
    return status;
}

static clsp_status eval_image(const gpus_part *part, clsp_range items, clsp_output out,
                              const clsp_run *run)
{
    const clsp_image_map map = turned(part->job, items);

    return clsp_image_eval(part->image, (clsp_range){0, 1}, &map, out, run);
}

static void release_image(gpus_part *part)
{
    clsp_image_plan_destroy(&part->image);
    release_input(part);
}

/* ---- a box of cells, refined once: items are cells ---- */

static clsp_status start_solid(gpus_part *part)
{
    const gpus_job *const job = part->job;
    const uint32_t side = (uint32_t)job->side, samples = job->samples;
    const clsp_solid_desc desc = {.axis = {{.num = samples}, {.num = samples}, {.num = samples}}};
    bench own = *part->b;
    solid_case box = solid_box(side, side, side);
    solid_model model = {.mesh = NULL};
    cl_mem points = NULL;
    clsp_status status;

    own.ctx = part->seat.ctx;
    own.queue = part->seat.queue;
    own.context = part->seat.context;
    solid_jitter(&box, 0.2, 33);
    BENCH_TRY(solid_model_make(&own, &model, &box, job->name));
    BENCH_TRY(solid_model_refine(&model));
    BENCH_TRY(solid_model_upload(&own, &model, CLSP_F32, &points));
    BENCH_TRY(clsp_solid_plan_create(&part->solid, model.mesh, &desc));
    BENCH_TRY(
        clsp_solid_set_control_points(part->solid, clsp_in_buffer(points, CLSP_F32, 0), NULL));

fail:
    if (points) clReleaseMemObject(points);
    solid_model_release(&model);
    solid_free(&box);
    return status;
}

static clsp_status eval_solid(const gpus_part *part, clsp_range items, clsp_output out,
                              const clsp_run *run)
{
    return clsp_solid_eval(part->solid, items, out, run);
}

static void release_solid(gpus_part *part)
{
    clsp_solid_plan_destroy(&part->solid);
}

/* ---- all of them ---- */

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static gpus_job bezier_job(size_t reals, size_t order)
{
    gpus_job job = {.order = order,
                    .samples = 256,
                    .turns = 5,
                    .unit = "point/s",
                    .start = start_bezier,
                    .eval = eval_bezier,
                    .release = release_bezier};

    job.item_points = (double)job.samples * job.samples;
    job.item_reals = (size_t)3 * job.samples * job.samples;
    job.num_items = reals / job.item_reals;
    snprintf(job.name, sizeof job.name, "%zux%zu, %zu of %ux%u", order, order, job.num_items,
             job.samples, job.samples);
    return job;
}

static gpus_job surface_job(size_t reals)
{
    gpus_job job = {.item_points = 1,
                    .turns = 1,
                    .item_reals = CLSP_NEAREST_F32_SIZE,
                    .unit = "point/s",
                    .start = start_surface,
                    .eval = eval_surface,
                    .release = release_surface};

    job.num_items = least(reals / job.item_reals / 16, (size_t)1 << 22);
    snprintf(job.name, sizeof job.name, "surface, %zu queries", job.num_items);
    return job;
}

static gpus_job image_job(size_t reals)
{
    gpus_job job = {.side = reals >= (size_t)1 << 28 ? 512 : 128,
                    .turns = 2,
                    .unit = "pixel/s",
                    .start = start_image,
                    .eval = eval_image,
                    .prepare = prepare_image,
                    .release = release_image};

    job.item_reals = job.side * job.side;
    job.item_points = (double)job.item_reals;
    job.num_items = least(reals / job.item_reals, 4096);
    snprintf(job.name, sizeof job.name, "volume, %zux%zux%zu", job.num_items, job.side, job.side);
    return job;
}

static gpus_job solid_job(size_t reals)
{
    const bool large = reals >= (size_t)1 << 28;
    gpus_job job = {.side = large ? 50 : 10,
                    .samples = large ? 12 : 4,
                    .turns = 1,
                    .unit = "point/s",
                    .start = start_solid,
                    .eval = eval_solid,
                    .release = release_solid};
    const size_t points = (size_t)job.samples * job.samples * job.samples;

    job.item_points = (double)points;
    job.item_reals = 3 * points;
    job.num_items = least(reals / job.item_reals, 8 * job.side * job.side * job.side);
    snprintf(job.name, sizeof job.name, "solid, %zu cells of %u^3", job.num_items, job.samples);
    return job;
}

void gpus_jobs_of(size_t bytes, gpus_job jobs[GPUS_JOBS])
{
    const size_t reals = bytes / sizeof(float);

    jobs[0] = bezier_job(reals, 4);
    jobs[1] = bezier_job(reals, 12);
    jobs[2] = surface_job(reals);
    jobs[3] = image_job(reals);
    jobs[4] = solid_job(reals);
}
