#include "bezier_at.h"

#include <stdio.h>
#include <stdlib.h>

#include "bezier_desc.h"
#include "bezier_own.h"
#include "buffer.h"
#include "check.h"

/* ---- kernels ---- */

static const struct {
    const char *program, *kernel;
} names[CLSPI_AT_KINDS] = {
    {"bezier_at", "bezier_at"}, {"bezier_at", "bezier_own"}, {"bezier_faces", "bezier_faces"}};

static void kernel_options(char text[CLSPI_BEZIER_OPTIONS_MAX], const clsp_bezier_plan *plan,
                           clspi_bezier_at_kind kind)
{
    const bool triangle = plan->desc.form == CLSP_BEZIER_TRIANGLE;

    if (kind == CLSPI_AT_FACES) {
        clspi_bezier_faces_options(text, CLSPI_BEZIER_OPTIONS_MAX, plan->ctx, triangle);
        return;
    }
    const int used = clspi_bezier_vertex_options(text, CLSPI_BEZIER_OPTIONS_MAX, plan, 1);
    snprintf(text + used, (size_t)(CLSPI_BEZIER_OPTIONS_MAX - used),
             " -DCLSP_DIRECTIONS=%u -DCLSP_TRIANGLE=%d -DCLSP_WATERTIGHT=%u", plan->directions,
             triangle, plan->desc.watertight);
}

clsp_status clspi_bezier_at_prepare(clsp_bezier_plan *plan)
{
    if (!plan->at) plan->at = calloc(1, sizeof *plan->at);
    if (plan->at) return CLSP_OK;
    return clspi_fail(&plan->ctx->log, CLSP_ERROR_NO_MEMORY, "bezier: no memory for a plan");
}

clsp_status clspi_bezier_at_kernel(clsp_bezier_plan *plan, clspi_bezier_at_kind kind,
                                   const clspi_kernel **kernel)
{
    char options[CLSPI_BEZIER_OPTIONS_MAX];
    clsp_status status;

    CLSPI_TRY(clspi_bezier_at_prepare(plan));
    if (!plan->at->kernels[kind].kernel) {
        kernel_options(options, plan, kind);
        CLSPI_TRY(clspi_kernel_create(&plan->at->kernels[kind], plan->ctx, names[kind].program,
                                      options, names[kind].kernel));
    }
    *kernel = &plan->at->kernels[kind];
    return CLSP_OK;

fail:
    return status;
}

void clspi_bezier_at_release(clsp_bezier_plan *plan)
{
    struct clspi_bezier_at *const at = plan->at;

    clspi_bezier_own_clear(plan);
    if (!at) return;
    for (int kind = 0; kind < CLSPI_AT_KINDS; kind++)
        clspi_kernel_release(&at->kernels[kind]);
    clspi_buffer_release(&at->patches);
    clspi_buffer_release(&at->params);
    free(at);
    plan->at = NULL;
}

size_t clspi_bezier_at_most(const clsp_bezier_plan *plan)
{
    enum { MOST = 1 << 29, DIVISION = 16 }; /* a division costs about so many multiply-adds */
    const clspi_tuning *const tuning = &plan->ctx->tuning;
    const uint64_t controls = clspi_bezier_num_controls(&plan->desc);
    uint64_t sums = 1;

    for (unsigned i = 0; i < CLSP_BEZIER_ATTRIBUTES; i++)
        if (plan->desc.attributes & 1u << i) sums += 1u << i == CLSP_BEZIER_NORMAL ? 2 : 1;
    const uint64_t fma = controls * sums * (DIVISION + 2 * plan->coords);
    const uint64_t most = clspi_max(1, (size_t)(tuning->max_launch_fma / fma));
    return clspi_min(clspi_min((size_t)most, MOST), tuning->max_groups * tuning->work_group);
}

clspi_arg clspi_bezier_interval_arg(clspi_bezier_interval *value, clsp_precision precision,
                                    const double interval[2])
{
    const double ends[4] = {interval[0], interval[1], 1.0 - interval[0], 1.0 - interval[1]};

    for (int i = 0; i < 4; i++) {
        if (precision == CLSP_F64)
            value->wide.s[i] = ends[i];
        else
            value->narrow.s[i] = (float)ends[i];
    }
    return precision == CLSP_F64 ? (clspi_arg)CLSPI_ARG(value->wide)
                                 : (clspi_arg)CLSPI_ARG(value->narrow);
}

size_t clspi_bezier_vertex_bytes(const clsp_bezier_plan *plan)
{
    return plan->desc.vertex_stride * plan->store_bytes;
}

/* ---- scattered ---- */

/* The buffers of one call, and elements before what is meant in each. */
typedef struct scattered {
    cl_mem patches, params, out;
    size_t patches_offset, params_offset, offset;
} scattered;

static clsp_status enqueue(clsp_bezier_plan *plan, clspi_series *series, const scattered *s,
                           size_t num)
{
    const clsp_bezier_desc *const d = &plan->desc;
    const size_t most = clspi_bezier_at_most(plan);
    const cl_uint2 reals = clspi_halves(plan->points_per_patch);
    const cl_uint num_patches = (cl_uint)clspi_min(plan->num_patches, UINT32_MAX);
    const clspi_kernel *kernel;
    clsp_status status;

    CLSPI_TRY(clspi_bezier_at_kernel(plan, CLSPI_AT_SCATTERED, &kernel));
    for (size_t first = 0; first < num; first += most) {
        const cl_uint items = (cl_uint)clspi_min(most, num - first);
        const cl_uint2 patches = clspi_halves(s->patches_offset + first);
        const cl_uint2 params = clspi_halves(s->params_offset + first * plan->directions);
        const cl_uint2 offset = clspi_halves(s->offset + first * d->vertex_stride);
        const clspi_arg args[] = {
            CLSPI_ARG(plan->points), CLSPI_ARG(reals),       CLSPI_ARG(num_patches),
            CLSPI_ARG(d->degree_u),  CLSPI_ARG(d->degree_v), CLSPI_ARG(d->degree_w),
            CLSPI_ARG(s->patches),   CLSPI_ARG(patches),     CLSPI_ARG(s->params),
            CLSPI_ARG(params),       CLSPI_ARG(items),       CLSPI_ARG(s->out),
            CLSPI_ARG(offset)};
        CLSPI_TRY(clspi_series_launch(series, kernel, args, CLSPI_COUNT(args), items));
    }
    return CLSP_OK;

fail:
    return status;
}

/* Elements of params and of vertices. */
static clsp_status count_elements(const clsp_bezier_plan *plan, size_t num, size_t *params,
                                  size_t *vertices)
{
    size_t bytes = sizeof(double);

    *params = plan->directions;
    *vertices = plan->desc.vertex_stride;
    if (clspi_size_mul(&bytes, plan->desc.vertex_stride + plan->directions) &&
        clspi_size_mul(&bytes, num) && clspi_size_mul(params, num) && clspi_size_mul(vertices, num))
        return CLSP_OK;
    return clspi_fail(&plan->ctx->log, CLSP_ERROR_NO_MEMORY,
                      "bezier: %zu vertices are more than the address space", num);
}

clsp_status clsp_bezier_eval_at(clsp_bezier_plan *plan, size_t num, cl_mem patches,
                                size_t patches_offset, cl_mem params, size_t params_offset,
                                cl_mem vertices, size_t offset, cl_uint num_wait,
                                const cl_event *wait, cl_event *done)
{
    clsp_status status;
    clspi_series series = {0};
    size_t num_params, num_elements;

    if (!plan) return clspi_fail(NULL, CLSP_ERROR_ARGUMENT, "clsp_bezier_eval_at: plan is NULL");
    clsp_context *const ctx = plan->ctx;
    const scattered s = {patches, params, vertices, patches_offset, params_offset, offset};
    CLSPI_TRY(clspi_context_usable(ctx));
    CLSPI_TRY(clspi_bezier_check_range(plan, 0, 0));
    CLSPI_TRY(clspi_wait_list_check(ctx, num_wait, wait));
    CLSPI_TRY(count_elements(plan, num, &num_params, &num_elements));
    CLSPI_TRY(clspi_buffer_check(ctx, patches, patches_offset, num, sizeof(cl_uint), "patches"));
    CLSPI_TRY(
        clspi_buffer_check(ctx, params, params_offset, num_params, plan->real_bytes, "params"));
    CLSPI_TRY(
        clspi_buffer_check(ctx, vertices, offset, num_elements, plan->store_bytes, "vertices"));
    CLSPI_TRY(clspi_bezier_begin(plan, &series, num_wait, wait, done));
    if (num > 0) CLSPI_TRY(enqueue(plan, &series, &s, num));
    CLSPI_TRY(clspi_bezier_end(plan, &series, done));
    return CLSP_OK;

fail:
    return clspi_series_fail(&series, status);
}

/* ---- scattered, host memory ---- */

static clsp_status check_patches(const clsp_bezier_plan *plan, size_t num, const uint32_t *patches)
{
    for (size_t k = 0; k < num; k++)
        if (patches[k] >= plan->num_patches)
            return clspi_fail(&plan->ctx->log, CLSP_ERROR_ARGUMENT,
                              "bezier: patches[%zu] is %u of %zu", k, patches[k],
                              plan->num_patches);
    return CLSP_OK;
}

static clsp_status eval_part(clsp_bezier_plan *plan, size_t num, const uint32_t *patches,
                             const char *params, char *vertices)
{
    struct clspi_bezier_at *const at = plan->at;
    const scattered s = {at->patches, at->params, plan->staging, 0, 0, 0};
    const size_t bytes = num * clspi_bezier_vertex_bytes(plan);
    clspi_series series = {0};
    clsp_status status;

    CLSPI_TRY(clspi_bezier_begin(plan, &series, 0, NULL, NULL));
    CLSPI_TRY(clspi_series_write(&series, at->patches, 0, patches, num * sizeof *patches));
    CLSPI_TRY(clspi_series_write(&series, at->params, 0, params,
                                 num * plan->directions * plan->real_bytes));
    if (clspi_bezier_used_elements(&plan->desc) <
        plan->desc.vertex_stride) /* some are the caller's */
        CLSPI_TRY(clspi_series_write(&series, plan->staging, 0, vertices, bytes));
    CLSPI_TRY(enqueue(plan, &series, &s, num));
    CLSPI_TRY(clspi_series_read(&series, plan->staging, 0, vertices, bytes));
    CLSPI_TRY(clspi_bezier_end(plan, &series, NULL));
    return CLSP_OK;

fail:
    return clspi_series_fail(&series, status);
}

static clsp_status reserve(clsp_bezier_plan *plan, size_t num)
{
    clsp_context *const ctx = plan->ctx;
    clsp_status status;

    CLSPI_TRY(clspi_bezier_at_prepare(plan));
    CLSPI_TRY(clspi_buffer_reserve(&plan->at->patches, &plan->at->patches_bytes, ctx,
                                   num * sizeof(cl_uint)));
    CLSPI_TRY(clspi_buffer_reserve(&plan->at->params, &plan->at->params_bytes, ctx,
                                   num * plan->directions * plan->real_bytes));
    return clspi_bezier_reserve_staging(plan, num * clspi_bezier_vertex_bytes(plan));

fail:
    return status;
}

static clsp_status eval_from_host(clsp_bezier_plan *plan, size_t num, const uint32_t *patches,
                                  const void *params, void *vertices, clsp_precision precision)
{
    const clsp_storage storage = precision == CLSP_F64 ? CLSP_STORE_F64 : CLSP_STORE_F32;
    size_t num_params, num_elements;
    clsp_status status;

    if (!plan || (num > 0 && (!patches || !params || !vertices)) ||
        plan->desc.precision != precision || plan->desc.storage != storage)
        return clspi_fail(plan ? &plan->ctx->log : NULL, CLSP_ERROR_ARGUMENT,
                          "bezier: eval_at: a NULL argument, or precision or storage are not the "
                          "plan's");
    CLSPI_TRY(clspi_context_usable(plan->ctx));
    CLSPI_TRY(clspi_bezier_check_range(plan, 0, 0));
    CLSPI_TRY(count_elements(plan, num, &num_params, &num_elements));
    CLSPI_TRY(check_patches(plan, num, patches));
    const size_t param = plan->directions * plan->real_bytes;
    const size_t vertex = clspi_bezier_vertex_bytes(plan);
    const size_t part = clspi_min(num, clspi_bezier_staging_vertices(plan));
    if (num > 0) CLSPI_TRY(reserve(plan, part));
    for (size_t k = 0; k < num; k += part)
        CLSPI_TRY(eval_part(plan, clspi_min(part, num - k), patches + k,
                            (const char *)params + k * param, (char *)vertices + k * vertex));
    return CLSP_OK;

fail:
    return status;
}

clsp_status clsp_bezier_eval_at_f32(clsp_bezier_plan *plan, size_t num, const uint32_t *patches,
                                    const float *params, float *vertices)
{
    return eval_from_host(plan, num, patches, params, vertices, CLSP_F32);
}

clsp_status clsp_bezier_eval_at_f64(clsp_bezier_plan *plan, size_t num, const uint32_t *patches,
                                    const double *params, double *vertices)
{
    return eval_from_host(plan, num, patches, params, vertices, CLSP_F64);
}

/* ---- all programs ---- */

static clsp_status build(clsp_context *ctx, const clsp_bezier_desc *desc, clsp_kernel_fn fn,
                         void *user)
{
    clsp_bezier_plan plan = {.ctx = ctx};
    char options[CLSPI_BEZIER_OPTIONS_MAX];
    clsp_status status;

    CLSPI_TRY(clspi_bezier_resolve(ctx, desc, &plan.desc));
    plan.directions = clspi_bezier_directions(desc->form);
    plan.store_bytes = plan.desc.storage == CLSP_STORE_F64 ? sizeof(double) : sizeof(float);
    kernel_options(options, &plan, CLSPI_AT_SCATTERED);
    return clspi_program_report(ctx, "bezier_at", options, fn, user);

fail:
    return status;
}

clsp_status clspi_bezier_at_build_all(clsp_context *ctx, clsp_kernel_fn fn, void *user)
{
    enum { P = CLSP_BEZIER_POINT, N = CLSP_BEZIER_NORMAL, DUV = CLSP_BEZIER_DUV };
    static const struct {
        clsp_bezier_form form;
        uint32_t rational, attributes;
    } typical[] = {{CLSP_BEZIER_SURFACE, 0, P},
                   {CLSP_BEZIER_SURFACE, 0, P | N},
                   {CLSP_BEZIER_SURFACE, 1, P | N | DUV},
                   {CLSP_BEZIER_CURVE, 0, P},
                   {CLSP_BEZIER_VOLUME, 0, P},
                   {CLSP_BEZIER_TRIANGLE, 0, P | N}};
    const clsp_precision last = ctx->device.fp64 ? CLSP_F64 : CLSP_F32;
    clsp_status status;

    for (clsp_precision p = CLSP_F32; p <= last; p++) {
        for (size_t i = 0; i < CLSPI_COUNT(typical); i++) {
            const clsp_bezier_desc desc = {.precision = p,
                                           .form = typical[i].form,
                                           .rational = typical[i].rational,
                                           .attributes = typical[i].attributes};
            CLSPI_TRY(build(ctx, &desc, fn, user));
        }
    }
    return CLSP_OK;

fail:
    return status;
}
