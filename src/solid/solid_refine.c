/* The public call that refines points: on the host where all memory is the host's, or the device is
   its CPU, else by a kernel. */
#include "solid_refine.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "buffer.h"
#include "check.h"
#include "kernel_arguments.h"
#include "solid_mesh.h"
#include "solid_plan.h"
#include "split.h"
#include "stencils.h"
#include "tensor_desc.h"
#include "work.h"

/* The stencils of a rule on the device. */
typedef struct device_stencils {
    size_t num, num_rows; /* num 0: they are not made */
    cl_mem begin, index, weight_begin, target;
    cl_mem weights[2]; /* as floats, and as doubles where the device has them */
} device_stencils;

struct clspi_refinement {
    clspi_plan base;
    pthread_mutex_t lock;        /* of calls, and of all below */
    device_stencils stencils[2]; /* by clsp_solid_rule */
    clspi_kernel kernel;
    clsp_type precision; /* for which the kernel is, */
    uint32_t dim;        /* and so many; 0: there is none */
    cl_mem points, fine; /* of host memory */
    size_t points_bytes, fine_bytes;
};

/* A call. */
typedef struct refine_call {
    const clsp_solid_mesh *mesh;
    clsp_solid_rule rule;
    uint32_t dim;
    size_t num, num_fine; /* numbers that are read and written */
    clsp_type precision;  /* on a device */
    clspi_memory points, fine;
} refine_call;

/* ---- what a mesh keeps ---- */

clspi_refinement *clspi_refinement_create(clsp_context *ctx)
{
    clspi_refinement *const r = calloc(1, sizeof *r);

    if (!r) return NULL;
    if (clspi_plan_init(&r->base, ctx, "solid") == CLSP_OK) {
        if (pthread_mutex_init(&r->lock, NULL) == 0) return r;
        clspi_plan_release(&r->base);
    }
    free(r);
    return NULL;
}

/* Takes back that a call before has failed later, once it has been told: no data are left of it. */
static void forgive(clspi_refinement *r)
{
    pthread_mutex_lock(&r->lock);
    clspi_plan_settle(&r->base);
    pthread_mutex_unlock(&r->lock);
}

clsp_status clspi_refinement_check(clspi_refinement *r, const clsp_run *run, const char *call)
{
    const clsp_status status = clspi_call_check(&r->base, run);

    if (status == CLSP_ERROR_NO_MEMORY) forgive(r);
    CLSPI_CHECK(status);
    return clspi_unshared_check(&r->base, run, call);
}

clsp_status clspi_refinement_wait(const clspi_refinement *r, const clsp_run *run)
{
    return clspi_run_wait(&r->base, run);
}

clsp_status clspi_refinement_done(clspi_refinement *r, const clsp_run *run)
{
    pthread_mutex_lock(&r->lock);
    const clsp_status status = clspi_run_done(&r->base, run);
    pthread_mutex_unlock(&r->lock);
    return status;
}

static void release_stencils(device_stencils *s)
{
    clspi_buffer_release(&s->begin);
    clspi_buffer_release(&s->index);
    clspi_buffer_release(&s->weight_begin);
    clspi_buffer_release(&s->target);
    clspi_buffer_release(&s->weights[0]);
    clspi_buffer_release(&s->weights[1]);
    *s = (device_stencils){0};
}

void clspi_refinement_destroy(clspi_refinement *r)
{
    if (!r) return;
    release_stencils(&r->stencils[0]);
    release_stencils(&r->stencils[1]);
    clspi_kernel_release(&r->kernel);
    clspi_buffer_release(&r->points);
    clspi_buffer_release(&r->fine);
    clspi_plan_release(&r->base);
    pthread_mutex_destroy(&r->lock);
    free(r);
}

/* ---- stencils ---- */

/* Makes a buffer of numbers. */
static clsp_status upload(clspi_refinement *r, clspi_series *series, cl_mem *buffer,
                          const void *numbers, size_t bytes)
{
    CLSPI_CHECK(clspi_buffer_create(buffer, r->base.ctx, bytes));
    return clspi_series_write(series, *buffer, 0, numbers, bytes);
}

static clsp_status upload_weights(clspi_refinement *r, clspi_series *series, device_stencils *to,
                                  const clspi_stencils *from)
{
    const size_t num = from->num_weights + from->most_terms;

    if (r->base.ctx->device.fp64)
        CLSPI_CHECK(upload(r, series, &to->weights[1], from->weights, num * sizeof *from->weights));
    for (size_t i = 0; i < num; i++)
        clspi_put_float(from->weights, i, from->weights[i]);
    return upload(r, series, &to->weights[0], from->weights, num * sizeof(float));
}

static clsp_status upload_all(clspi_refinement *r, clspi_series *series, device_stencils *to,
                              const clspi_stencils *from)
{
    const size_t number = sizeof *from->index;

    CLSPI_CHECK(upload(r, series, &to->begin, from->begin, (from->num_slices + 1) * number));
    CLSPI_CHECK(
        upload(r, series, &to->index, from->index, from->num_rows * CLSPI_STENCIL_SLICE * number));
    CLSPI_CHECK(upload(r, series, &to->weight_begin, from->weight_begin, from->num * number));
    CLSPI_CHECK(upload(r, series, &to->target, from->target, from->num * number));
    return upload_weights(r, series, to, from);
}

/* Makes the stencils of a rule, unless there are some. */
static clsp_status prepare_stencils(clspi_refinement *r, clspi_series *series,
                                    const refine_call *call)
{
    const clspi_incidence all = clspi_solid_incidence(call->mesh);
    device_stencils *const to = &r->stencils[call->rule];
    clspi_stencils stencils;
    clsp_status status;

    if (to->num) return CLSP_OK;
    if (clspi_stencils_make(&stencils, &all, clspi_solid_rule_of(call->rule)))
        status = upload_all(r, series, to, &stencils);
    else
        status = clspi_fail(&r->base.ctx->log, CLSP_ERROR_NO_MEMORY,
                            "solid: no memory for the stencils of %zu points", stencils.num);
    if (status == CLSP_OK) {
        to->num_rows = stencils.num_rows;
        to->num = stencils.num;
    } else {
        release_stencils(to);
    }
    clspi_stencils_release(&stencils);
    return status;
}

/* ---- on the host ---- */

/* Subdivides points into memory of doubles, and copies them to the output. */
static clsp_status subdivide(const refine_call *call, const clsp_input *points,
                             const clsp_output *out)
{
    const clspi_incidence all = clspi_solid_incidence(call->mesh);
    double *const coarse = malloc(call->num * sizeof *coarse);
    double *const fine = malloc(call->num_fine * sizeof *fine);
    bool done = coarse && fine;

    for (size_t i = 0; i < call->num && done; i++)
        coarse[i] = points->type == CLSP_F64
                        ? ((const double *)points->host)[points->offset + i]
                        : (double)((const float *)points->host)[points->offset + i];
    done = done && clspi_subdivide(fine, coarse, call->dim, &all, clspi_solid_rule_of(call->rule));
    for (size_t i = 0; i < call->num_fine && done; i++) {
        if (out->type == CLSP_F64)
            ((double *)out->host)[out->offset + i] = fine[i];
        else
            ((float *)out->host)[out->offset + i] = (float)fine[i];
    }
    free(coarse);
    free(fine);
    return done ? CLSP_OK : clspi_solid_no_memory(call->mesh->ctx);
}

/* Makes all points as the one line of a work. */
static clsp_status make_points(const clspi_work *work, uint32_t worker, const clspi_part *part,
                               const char *const in[], char *out)
{
    const refine_call *const call = work->user;
    const clsp_input points = {.type = call->precision, .host = in[0]};
    const clsp_output fine = {.type = call->precision, .host = out};

    (void)worker;
    (void)part;
    return subdivide(call, &points, &fine);
}

/* Refines in memory of any kind on the host's own CPU. */
static clsp_status refine_anywhere(const refine_call *call, const clsp_input *points,
                                   const clsp_output *fine, const clsp_run *run)
{
    static const clspi_work_makers makers = {.on_host = make_points};
    const clspi_work_input in = {
        .input = points, .need = {"points", call->precision, call->num}, .planes = 1};
    const clspi_work work = {.plan = &call->mesh->refinement->base,
                             .makers = &makers,
                             .user = call,
                             .user_bytes = sizeof *call,
                             .tiling = {1, 1, 1, 1, 1},
                             .num_in = 1,
                             .in = &in,
                             .out = {fine, "fine", call->precision, call->num_fine, false},
                             .takes_all = true};

    return clspi_work_run(&work, run);
}

/* Refines where all memory is the host's. */
static clsp_status refine_on_host(const refine_call *call, const clsp_input *points,
                                  const clsp_output *fine, const clsp_run *run)
{
    clspi_plan *const base = &call->mesh->refinement->base;

    CLSPI_CHECK(clspi_solid_check_points(base->ctx, points, call->num));
    CLSPI_CHECK(
        clspi_solid_check_output(base->ctx, fine, "fine", call->num_fine, CLSP_F32, CLSP_F64));
    CLSPI_CHECK(clspi_run_wait(base, run));
    CLSPI_CHECK(subdivide(call, points, fine));
    return clspi_refinement_done(call->mesh->refinement, run);
}

/* ---- on the device ---- */

/* Returns how many dim an item makes: all, so that indices and weights are read once, except
   where they are many: items then read neighbouring reals. */
static uint32_t channels_of_item(uint32_t dim)
{
    return dim <= 4 ? dim : 1;
}

clspi_options clspi_refine_options(const clsp_context *ctx, clsp_type precision, uint32_t dim)
{
    clspi_options options = clspi_options_of(ctx, precision);

    clspi_option(&options, "DIM", dim);
    clspi_option(&options, "BLOCK", channels_of_item(dim));
    clspi_option(&options, "SLICE", CLSPI_STENCIL_SLICE);
    return options;
}

/* Makes the kernel of a call, unless it is there. */
static clsp_status prepare_kernel(clspi_refinement *r, const refine_call *call)
{
    const clspi_options options = clspi_refine_options(r->base.ctx, call->precision, call->dim);

    if (r->dim == call->dim && r->precision == call->precision) return CLSP_OK;
    r->dim = 0;
    clspi_kernel_release(&r->kernel);
    CLSPI_CHECK(clspi_kernel_create_for_group(&r->kernel, r->base.ctx, "refine_points",
                                              &clspi_refine_points_signature, &options,
                                              CLSPI_REFINE_GROUP));
    r->dim = call->dim;
    r->precision = call->precision;
    return CLSP_OK;
}

/* Launches all stencils, some at a time. */
static clsp_status launch(const clspi_refinement *r, clspi_series *series, const refine_call *call,
                          cl_mem points, cl_mem fine)
{
    const device_stencils *const s = &r->stencils[call->rule];
    const uint64_t terms = clspi_div_up(s->num_rows * CLSPI_STENCIL_SLICE, s->num);
    const uint32_t items = call->dim / channels_of_item(call->dim);
    const uint64_t most =
        clspi_launch_lines(&r->base.ctx->tuning, call->dim * terms, items, r->kernel.local, 1);

    for (size_t first = 0; first < s->num; first += most) {
        const size_t num = (size_t)clspi_min_u64(most, s->num - first);
        const clspi_refine_points_args args = {
            .points = points,
            .begin = s->begin,
            .index = s->index,
            .weight_begin = s->weight_begin,
            .weights = s->weights[call->precision == CLSP_F64],
            .target = s->target,
            .out = fine,
            .at = {.first = (uint32_t)first,
                   .num = (uint32_t)num,
                   .from = call->points.buffer ? call->points.offset : 0,
                   .to = call->fine.buffer ? call->fine.offset : 0}};
        CLSPI_CHECK(clspi_launch_refine_points(series, &r->kernel, &args, num * items));
    }
    return CLSP_OK;
}

/* Makes what is missing, and the points; host memory goes through buffers. */
static clsp_status enqueue(clspi_refinement *r, clspi_series *series, const refine_call *call)
{
    const size_t bytes = call->num * call->points.element;
    const size_t fine_bytes = call->num_fine * call->fine.element;
    cl_mem points = call->points.buffer, fine = call->fine.buffer;

    CLSPI_CHECK(prepare_kernel(r, call));
    CLSPI_CHECK(prepare_stencils(r, series, call));
    if (!points) {
        CLSPI_CHECK(clspi_buffer_reserve(&r->points, &r->points_bytes, r->base.ctx, bytes));
        CLSPI_CHECK(clspi_series_write(series, r->points, 0, call->points.host, bytes));
        points = r->points;
    }
    if (!fine) {
        CLSPI_CHECK(clspi_buffer_reserve(&r->fine, &r->fine_bytes, r->base.ctx, fine_bytes));
        fine = r->fine;
    }
    CLSPI_CHECK(launch(r, series, call, points, fine));
    return call->fine.buffer ? CLSP_OK
                             : clspi_series_read(series, fine, 0, call->fine.host, fine_bytes);
}

static clsp_status refine_by_kernel(clspi_refinement *r, const refine_call *call,
                                    const clsp_run *run)
{
    clspi_call all;

    CLSPI_CHECK(clspi_call_begin(&all, &r->base, run));
    clsp_status status = clspi_memory_acquire(&call->fine, &all.series);
    if (status == CLSP_OK)
        status = clspi_memory_release(&call->fine, &all.series, enqueue(r, &all.series, call));
    return call->points.buffer && call->fine.buffer ? clspi_call_end(&all, status)
                                                    : clspi_call_finish(&all, status);
}

static clsp_status refine_on_device(refine_call *call, const clsp_input *points,
                                    const clsp_output *fine, const clsp_run *run)
{
    clspi_refinement *const r = call->mesh->refinement;
    const clspi_memory_need read = {"points", call->precision, call->num};
    const clspi_memory_need write = {"fine", call->precision, call->num_fine};

    clsp_status status = clspi_input_open(&call->points, &r->base, points, &read);
    if (status == CLSP_OK) status = clspi_output_open(&call->fine, &r->base, fine, &write);
    if (status == CLSP_OK) status = refine_by_kernel(r, call, run);
    clspi_memory_close(&call->points);
    clspi_memory_close(&call->fine);
    return status;
}

/* Refines where some memory is the device's. */
static clsp_status refine_in_buffers(refine_call *call, const clsp_input *points,
                                     const clsp_output *fine, const clsp_run *run)
{
    clspi_refinement *const r = call->mesh->refinement;

    if (points->type != fine->type)
        return clspi_fail(&r->base.ctx->log, CLSP_ERROR_ARGUMENT,
                          "solid: points and fine are of two types, and not all in host memory");
    CLSPI_CHECK(clspi_precision_check(r->base.ctx, "solid", points->type));
    call->precision = points->type;
    pthread_mutex_lock(&r->lock);
    const clsp_status status = clspi_is_own_cpu(r->base.ctx)
                                   ? refine_anywhere(call, points, fine, run)
                                   : refine_on_device(call, points, fine, run);
    pthread_mutex_unlock(&r->lock);
    return status;
}

/* ---- the call ---- */

clsp_status clsp_solid_refine_points(const clsp_solid_mesh *mesh, clsp_solid_rule rule,
                                     uint32_t dim, clsp_input points, clsp_output fine,
                                     const clsp_run *run)
{
    refine_call call = {.mesh = mesh, .rule = rule, .dim = dim};

    if (!mesh) return clspi_context_null(NULL, "clsp_solid_refine_points");
    CLSPI_CHECK(clspi_context_check(mesh->ctx));
    if (rule == CLSP_SOLID_RULE_DEFAULT) rule = call.rule = CLSP_SOLID_TENSOR;
    if (dim < 1 || dim > CLSP_SOLID_MAX_DIM ||
        (rule != CLSP_SOLID_TENSOR && rule != CLSP_SOLID_JOY))
        return clspi_fail(&mesh->ctx->log, CLSP_ERROR_ARGUMENT,
                          "solid: %u dim, rule %d: 1 to %d, and a clsp_solid_rule", dim, (int)rule,
                          CLSP_SOLID_MAX_DIM);
    const clspi_incidence all = clspi_solid_incidence(mesh);
    const uint64_t vertices =
        (uint64_t)all.num_vertices + all.num_edges + all.num_faces + all.num_cells;
    if (vertices > CLSPI_MAX_CELLS || vertices > SIZE_MAX / sizeof(double) / dim)
        return clspi_solid_no_memory(mesh->ctx);
    call.num = all.num_vertices * dim;
    call.num_fine = (size_t)vertices * dim;
    CLSPI_CHECK(clspi_refinement_check(mesh->refinement, run, "refining points"));
    if (clspi_run_asks(run)) return clspi_run_report(run, call.num_fine);
    CLSPI_CHECK(clspi_output_unstage(&mesh->refinement->base, &fine, "fine", fine.type));
    if (points.buffer || points.svm || fine.buffer || fine.svm || fine.graphics)
        return refine_in_buffers(&call, &points, &fine, run);
    return refine_on_host(&call, &points, &fine, run);
}
