#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "bezier_fixture.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bezier_ref.h"

enum { GUARD = 64, POISON = 0xfe }; /* bytes of POISON are far from every result */

bool tiny(void)
{
    const char *const size = getenv("CLSPLINE_TEST_SIZE");
    return size && strcmp(size, "tiny") == 0;
}

bool no_device(void)
{
    size_t count = 0;

    if (clsp_device_list(NULL, 0, &count) == CLSP_OK && count > 0) return false;
    puts("skipped: no OpenCL device");
    return true;
}

bool given_limits(void)
{
    const char *const limits = getenv("CLSPLINE_LIMITS");
    return limits && *limits;
}

clsp_context *context_with(const char *limits)
{
    const char *const environment = getenv("CLSPLINE_LIMITS");
    char words[512];
    clsp_context *ctx;
    clsp_context_opts opts = {.limits = words};

    snprintf(words, sizeof words, "%s%s%s", environment ? environment : "",
             environment && *limits ? "," : "", limits);
    assert_int_equal(clsp_context_create(&ctx, NULL, &opts), CLSP_OK);
    return ctx;
}

bool has_fp64(clsp_context *ctx)
{
    clsp_device_info info;
    assert_int_equal(clsp_context_device(ctx, &info), CLSP_OK);
    return info.fp64 != 0;
}

static uint64_t random_state = 1;

void seed(unsigned value)
{
    random_state = value * UINT64_C(2654435761) + 1;
}

double random_real(void)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(random_state >> 11) / 4503599627370496.0 - 1.0;
}

clsp_bezier_desc surface(clsp_precision precision, uint32_t degree_u, uint32_t degree_v,
                         uint32_t dim, uint32_t num_u, uint32_t num_v)
{
    const clsp_bezier_desc desc = {.precision = precision,
                                   .degree_u = degree_u,
                                   .degree_v = degree_v,
                                   .dim = dim,
                                   .num_u = num_u,
                                   .num_v = num_v};
    return desc;
}

static double rounded(const job *j, double x)
{
    return j->desc.precision == CLSP_F64 ? x : (double)(float)x;
}

size_t real_bytes(const job *j)
{
    return j->desc.precision == CLSP_F64 ? sizeof(double) : sizeof(float);
}

static size_t patch_points(const job *j)
{
    return (size_t)j->desc.num_u * j->desc.num_v * j->dim;
}

static size_t patch_controls(const job *j)
{
    return (size_t)(j->desc.degree_u + 1) * (j->desc.degree_v + 1) * j->dim;
}

static void *to_precision(const job *j, const double *values, size_t count)
{
    void *const out = malloc(count * real_bytes(j) + 1);

    assert_non_null(out);
    for (size_t i = 0; i < count; i++) {
        if (j->desc.precision == CLSP_F64)
            ((double *)out)[i] = values[i];
        else
            ((float *)out)[i] = (float)values[i];
    }
    return out;
}

static void from_precision(const job *j, double *values, const void *in, size_t count)
{
    for (size_t i = 0; i < count; i++)
        values[i] = j->desc.precision == CLSP_F64 ? ((const double *)in)[i]
                                                  : (double)((const float *)in)[i];
}

void job_load(job *j)
{
    void *const controls = to_precision(j, j->controls, j->num_controls);
    const clsp_status status =
        j->desc.precision == CLSP_F64
            ? clsp_bezier_set_control_points_f64(j->plan, j->num_patches, controls)
            : clsp_bezier_set_control_points_f32(j->plan, j->num_patches, controls);
    assert_int_equal(status, CLSP_OK);
    free(controls);
}

void job_create(job *j, clsp_context *ctx, clsp_bezier_desc desc, size_t num_patches)
{
    memset(j, 0, sizeof *j);
    j->ctx = ctx;
    j->desc = desc;
    j->dim = desc.dim ? desc.dim : 3;
    j->num_patches = num_patches;
    j->num_controls = num_patches * patch_controls(j);
    j->num_points = num_patches * patch_points(j);
    j->controls = malloc(j->num_controls * sizeof(double) + 1);
    j->points = malloc(j->num_points * sizeof(double) + 1);
    assert_true(j->controls && j->points);
    for (size_t i = 0; i < j->num_controls; i++)
        j->controls[i] = rounded(j, random_real());
    assert_int_equal(clsp_bezier_plan_create(&j->plan, ctx, &desc), CLSP_OK);
    job_load(j);
}

void job_destroy(job *j)
{
    clsp_bezier_plan_destroy(&j->plan);
    assert_null(j->plan);
    free(j->controls);
    free(j->points);
}

static void assert_poison(const unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_int_equal(bytes[i], POISON);
}

void job_eval(job *j, size_t first, size_t count)
{
    const size_t reals = count * patch_points(j), bytes = reals * real_bytes(j);
    unsigned char *const memory = malloc(bytes + 2 * GUARD);
    void *const out = memory + GUARD;

    assert_non_null(memory);
    memset(memory, POISON, bytes + 2 * GUARD);
    const clsp_status status = j->desc.precision == CLSP_F64
                                   ? clsp_bezier_eval_f64(j->plan, first, count, out)
                                   : clsp_bezier_eval_f32(j->plan, first, count, out);
    assert_int_equal(status, CLSP_OK);
    assert_poison(memory, GUARD);
    assert_poison(memory + GUARD + bytes, GUARD);
    from_precision(j, j->points + first * patch_points(j), out, reals);
    free(memory);
}

/* Evaluates whole patches, or with num_rows above 0 rows of the first, into a guarded buffer, and
 * reads them to `points`. */
static void eval_buffer(job *j, size_t first, size_t count, uint32_t first_row, uint32_t num_rows,
                        size_t offset, double *points)
{
    const size_t reals =
        num_rows > 0 ? (size_t)num_rows * j->desc.num_v * j->dim : count * patch_points(j);
    const size_t all = (offset + reals) * real_bytes(j) + GUARD;
    unsigned char *const memory = malloc(all);
    const cl_command_queue queue = clsp_context_queue(j->ctx);
    cl_context context;
    cl_int code;

    assert_non_null(memory);
    memset(memory, POISON, all);
    assert_int_equal(clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL),
                     CL_SUCCESS);
    cl_mem buffer =
        clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, all, memory, &code);
    assert_int_equal(code, CL_SUCCESS);
    const clsp_status status =
        num_rows > 0 ? clsp_bezier_eval_rows(j->plan, first, first_row, num_rows, buffer, offset, 0,
                                             NULL, NULL)
                     : clsp_bezier_eval(j->plan, first, count, buffer, offset, 0, NULL, NULL);
    assert_int_equal(status, CLSP_OK);
    assert_int_equal(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, all, memory, 0, NULL, NULL),
                     CL_SUCCESS);
    assert_poison(memory, offset * real_bytes(j));
    assert_poison(memory + all - GUARD, GUARD);
    from_precision(j, points, memory + offset * real_bytes(j), reals);
    clReleaseMemObject(buffer);
    free(memory);
}

void job_eval_buffer(job *j, size_t first, size_t count, size_t offset)
{
    eval_buffer(j, first, count, 0, 0, offset, j->points + first * patch_points(j));
}

void job_eval_rows(job *j, size_t patch, uint32_t first_row, uint32_t num_rows, size_t offset)
{
    eval_buffer(j, patch, 1, first_row, num_rows, offset,
                j->points + patch * patch_points(j) + (size_t)first_row * j->desc.num_v * j->dim);
}

static double scale_of(const double *values, size_t count)
{
    double scale = 0.0;
    for (size_t i = 0; i < count; i++)
        scale = fmax(scale, fabs(values[i]));
    return scale > 0.0 ? scale : 1.0;
}

/* Error of one point, all coordinates. */
static double point_error(const job *j, size_t point, long double *scratch)
{
    const clsp_bezier_desc *const d = &j->desc;
    const size_t per_patch = (size_t)d->num_u * d->num_v, patch = point / per_patch;
    const size_t a = point % per_patch / d->num_v, b = point % d->num_v;
    const long double u = d->num_u > 1 ? (long double)a / (d->num_u - 1) : 0.0L;
    const long double v = d->num_v > 1 ? (long double)b / (d->num_v - 1) : 0.0L;
    const double *const controls = j->controls + patch * patch_controls(j);
    const double eps = d->precision == CLSP_F64 ? DBL_EPSILON : (double)FLT_EPSILON;
    const double unit = eps * scale_of(controls, patch_controls(j));
    long double (*const oracle)(const double *, unsigned, unsigned, unsigned, unsigned, long double,
                                long double, long double *) =
        d->degree_u > 64 || d->degree_v > 64 ? ref_bezier_sum : ref_bezier_surface;
    double worst = 0.0;

    for (unsigned c = 0; c < j->dim; c++) {
        const long double exact =
            oracle(controls, d->degree_u, d->degree_v, j->dim, c, u, v, scratch);
        const double error = (double)fabsl(j->points[point * j->dim + c] - exact) / unit;
        if (isnan(error)) return INFINITY;
        worst = fmax(worst, error);
    }
    return worst;
}

double job_error(const job *j, size_t samples)
{
    const size_t points = j->num_points / j->dim,
                 step = samples && points > samples ? points / samples : 1;
    long double *const scratch =
        malloc((j->desc.degree_u + j->desc.degree_v + 2) * sizeof *scratch);
    double worst = 0.0;

    assert_non_null(scratch);
    for (size_t p = step / 2; p < points; p += step)
        worst = fmax(worst, point_error(j, p, scratch));
    if (points > 0) worst = fmax(worst, point_error(j, points - 1, scratch));
    free(scratch);
    return worst;
}
