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

#include "support.h"
#include "tile_fixture.h"
#include "bezier_ref.h"

static bool size_is(const char *name)
{
    const char *const size = getenv("CLSPLINE_TEST_SIZE");
    return size && strcmp(size, name) == 0;
}

bool tiny(void)
{
    return size_is("tiny");
}

bool full(void)
{
    return size_is("full");
}

bool given_limits(void)
{
    const char *const limits = getenv("CLSPLINE_LIMITS");
    return limits && *limits;
}

/* Whether there is a word with the key of another one. */
static bool has_key(const char *limits, const char *word)
{
    const size_t length = strcspn(word, "=") + 1;

    for (; *limits; limits += strspn(limits, ", ")) {
        if (strncmp(limits, word, length) == 0) return true;
        limits += strcspn(limits, ",");
    }
    return false;
}

/* Joins the environment's words, but those that the test's own replace, and these. */
static void join_limits(char *words, size_t size, const char *environment, const char *limits)
{
    words[0] = 0;
    for (; *environment; environment += strspn(environment, ", ")) {
        const size_t length = strcspn(environment, ",");
        if (!has_key(limits, environment))
            snprintf(words + strlen(words), size - strlen(words), "%.*s,", (int)length,
                     environment);
        environment += length;
    }
    snprintf(words + strlen(words), size - strlen(words), "%s", limits);
}

static clsp_context *context_on(cl_command_queue queue, const char *limits)
{
    const char *const environment = getenv("CLSPLINE_LIMITS");
    char words[512];
    clsp_context *ctx;
    clsp_context_opts opts = {.limits = words};

    join_limits(words, sizeof words, environment ? environment : "", limits);
    const clsp_status status = clsp_context_create(&ctx, queue, &opts);
    if (status == CLSP_ERROR_NO_DEVICE) support_needs_opencl(NULL); /* a class is of OpenCL's */
    assert_int_equal(status, CLSP_OK);
    return ctx;
}

clsp_context *context_with(const char *limits)
{
    return context_on(support_queue(), limits);
}

clsp_context *context_apart(const char *limits)
{
    return context_on(NULL, limits);
}

bool has_fp64(clsp_context *ctx)
{
    clsp_device_info info;
    assert_int_equal(clsp_context_device(ctx, &info), CLSP_OK);
    return info.fp64 != 0;
}

/* ---- contexts that stay ---- */

enum { MAX_LENT = 16 };

static struct {
    const char *limits; /* static storage */
    clsp_context *ctx;
} lent[MAX_LENT];

clsp_context *lent_context(const char *limits)
{
    size_t i = 0;

    while (i < MAX_LENT && lent[i].ctx && strcmp(lent[i].limits, limits) != 0)
        i++;
    assert_true(i < MAX_LENT);
    if (!lent[i].ctx) {
        lent[i].limits = limits;
        lent[i].ctx = context_with(limits);
    }
    return lent[i].ctx;
}

int close_lent(void **state)
{
    (void)state;
    for (size_t i = 0; i < MAX_LENT && lent[i].ctx; i++)
        clsp_context_destroy(&lent[i].ctx);
    return 0;
}

/* ---- turns ---- */

static struct {
    size_t index, num; /* of the running check */
    size_t first;      /* the index that has case 0 in a thin run; another one for each check */
} turn = {0, 1, 0};

bool is_thin(void)
{
    return !full();
}

bool is_left_out(size_t i)
{
    return is_thin() && !tiny() && i % 2 != given_limits();
}

bool in_turn(size_t i)
{
    const size_t left = tiny() ? i : i / 2; /* the number of the case among those not left out */

    return !is_thin() || (!is_left_out(i) && (left + turn.first) % turn.num == turn.index);
}

bool program_in_turn(size_t program)
{
    return !is_thin() || program % turn.num == turn.index;
}

/* The turns of one precision; only counted without a check. */
static void take_turns(const char *const limits[], size_t num, clsp_type precision, turn_fn check)
{
    for (size_t i = 0; i < num; i++) {
        clsp_context *const ctx = lent_context(limits[i]);
        if (precision == CLSP_F64 && (!has_fp64(ctx) || (tiny() && i > 0))) continue;
        if (!check) {
            turn.num++;
            continue;
        }
        seed((unsigned)(2 * i + (precision == CLSP_F64) + 1));
        check(ctx, precision);
        turn.index++;
    }
}

void each_turn(const char *const limits[], size_t num, size_t num_tiny, turn_fn check)
{
    if (tiny() && num > num_tiny) num = num_tiny;
    if (given_limits()) num = 1;
    turn.index = turn.num = 0;
    take_turns(limits, num, CLSP_F32, NULL);
    take_turns(limits, num, CLSP_F64, NULL);
    take_turns(limits, num, CLSP_F32, check);
    take_turns(limits, num, CLSP_F64, check);
    turn.index = 0;
    turn.num = 1;
    turn.first += 3;
}

/* ---- memory ---- */

clsp_input host_in(clsp_type type, const void *memory, size_t size)
{
    const clsp_input in = {.type = type, .host = memory, .size = size};
    return in;
}

clsp_output host_out(clsp_type type, void *memory, size_t size)
{
    const clsp_output out = {.type = type, .host = memory, .size = size};
    return out;
}

cl_context cl_context_of(const clsp_context *ctx)
{
    cl_context context;

    support_needs_opencl(ctx);
    assert_int_equal(clGetCommandQueueInfo(clsp_context_queue(ctx), CL_QUEUE_CONTEXT,
                                           sizeof context, &context, NULL),
                     CL_SUCCESS);
    return context;
}

cl_mem buffer_of(const clsp_context *ctx, size_t bytes, const void *contents)
{
    const cl_mem_flags copy = contents ? CL_MEM_COPY_HOST_PTR : 0;
    cl_int code;
    const cl_mem buffer = clCreateBuffer(cl_context_of(ctx), CL_MEM_READ_WRITE | copy, bytes,
                                         (void *)(uintptr_t)contents, &code);

    assert_int_equal(code, CL_SUCCESS);
    return buffer;
}

void read_buffer(const clsp_context *ctx, cl_mem buffer, size_t bytes, void *contents)
{
    assert_int_equal(clEnqueueReadBuffer(clsp_context_queue(ctx), buffer, CL_TRUE, 0, bytes,
                                         contents, 0, NULL, NULL),
                     CL_SUCCESS);
}

/* ---- numbers ---- */

long double axis_parameter(const clsp_axis *axis, size_t a, size_t num)
{
    const long double end = axis->begin == 0.0 && axis->end == 0.0 ? 1.0L : axis->end;
    const long double last = num > 1 ? num - 1 : 1;

    return (axis->begin * (last - a) + end * a) / last;
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

/* ---- jobs ---- */

clsp_bezier_desc surface(clsp_type precision, uint32_t degree_u, uint32_t degree_v, uint32_t dim,
                         uint32_t num_u, uint32_t num_v)
{
    const clsp_bezier_desc desc = {.precision = precision,
                                   .degree = {degree_u, degree_v},
                                   .dim = dim,
                                   .axis = {{.num = num_u}, {.num = num_v}}};
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
    return (size_t)j->desc.axis[0].num * j->desc.axis[1].num * j->dim;
}

static size_t patch_controls(const job *j)
{
    return (size_t)(j->desc.degree[0] + 1) * (j->desc.degree[1] + 1) * j->dim;
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
    const clsp_input in = host_in(j->desc.precision, controls, j->num_controls);

    assert_int_equal(clsp_patch_set_control_points(j->plan, j->num_patches, in, NULL), CLSP_OK);
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
    clsp_patch_plan_destroy(&j->plan);
    assert_null(j->plan);
    free(j->controls);
    free(j->points);
}

void assert_poison(const void *memory, size_t bytes)
{
    const unsigned char *const all = memory;

    for (size_t i = 0; i < bytes; i++)
        assert_int_equal(all[i], POISON);
}

void job_eval(job *j, size_t first, size_t count)
{
    const size_t reals = count * patch_points(j), bytes = reals * real_bytes(j);
    unsigned char *const memory = malloc(bytes + 2 * GUARD);
    void *const out = memory + GUARD;

    assert_non_null(memory);
    memset(memory, POISON, bytes + 2 * GUARD);
    assert_int_equal(clsp_patch_eval(j->plan, (clsp_range){first, count},
                                     host_out(j->desc.precision, out, reals), NULL),
                     CLSP_OK);
    assert_poison(memory, GUARD);
    assert_poison(memory + GUARD + bytes, GUARD);
    from_precision(j, j->points + first * patch_points(j), out, reals);
    free(memory);
}

/* Evaluates tiles of whole patches, with count 0 all of them, into a guarded buffer, and reads them
   to `points`. Returns the reals that there are. */
static size_t eval_buffer(job *j, clsp_range patches, clsp_range tiles, size_t offset,
                          double *points)
{
    const size_t reals = bezier_tiling(j->plan, patches, tiles).elements.count;
    const size_t all = (offset + reals) * real_bytes(j) + GUARD;
    unsigned char *const memory = malloc(all);

    assert_non_null(memory);
    memset(memory, POISON, all);
    const cl_mem buffer = buffer_of(j->ctx, all, memory);
    const clsp_output out = clsp_out_buffer(buffer, j->desc.precision, offset);
    assert_int_equal(tiles.count > 0
                         ? eval_tiles(j->plan, patches, tiles, CLSP_SCHEDULE_DEVICE, out, NULL)
                         : clsp_patch_eval(j->plan, patches, out, NULL),
                     CLSP_OK);
    read_buffer(j->ctx, buffer, all, memory);
    assert_poison(memory, offset * real_bytes(j));
    assert_poison(memory + all - GUARD, GUARD);
    from_precision(j, points, memory + offset * real_bytes(j), reals);
    clReleaseMemObject(buffer);
    free(memory);
    return reals;
}

void job_eval_buffer(job *j, size_t first, size_t count, size_t offset)
{
    eval_buffer(j, (clsp_range){first, count}, (clsp_range){0, 0}, offset,
                j->points + first * patch_points(j));
}

void job_eval_tiles(job *j, size_t num_patches, size_t step)
{
    const clsp_range patches = {0, num_patches};
    const size_t num = bezier_tiling(j->plan, patches, (clsp_range){0, 0}).num_tiles;
    double *points = j->points;

    for (size_t tile = 0, count; tile < num; tile += count) {
        count = tile + step <= num ? step : num - tile;
        points += eval_buffer(j, patches, (clsp_range){tile, count}, 3 * tile % 7, points);
    }
}

static double scale_of(const double *values, size_t count)
{
    double scale = 0.0;
    for (size_t i = 0; i < count; i++)
        scale = fmax(scale, fabs(values[i]));
    return scale > 0.0 ? scale : 1.0;
}

/* Error of one point, all coordinates; scale: of its patch. */
static double point_error(const job *j, size_t point, double scale, long double *scratch)
{
    const clsp_bezier_desc *const d = &j->desc;
    const size_t per_patch = (size_t)d->axis[0].num * d->axis[1].num, patch = point / per_patch;
    const size_t a = point % per_patch / d->axis[1].num, b = point % d->axis[1].num;
    const long double u = d->axis[0].num > 1 ? (long double)a / (d->axis[0].num - 1) : 0.0L;
    const long double v = d->axis[1].num > 1 ? (long double)b / (d->axis[1].num - 1) : 0.0L;
    const double *const controls = j->controls + patch * patch_controls(j);
    const double eps = d->precision == CLSP_F64 ? DBL_EPSILON : (double)FLT_EPSILON;
    long double exact[4];
    double worst = 0.0;

    ref_bezier_point(controls, d->degree[0], d->degree[1], j->dim, u, v, scratch, exact);
    for (unsigned c = 0; c < j->dim; c++) {
        const double error =
            (double)fabsl(j->points[point * j->dim + c] - exact[c]) / (eps * scale);
        if (isnan(error)) return INFINITY;
        worst = support_worse(worst, error);
    }
    return worst;
}

double job_error(const job *j, size_t samples)
{
    const size_t points = j->num_points / j->dim, per_patch = patch_points(j) / j->dim;
    const size_t step = samples && points > samples ? points / samples : 1;
    double *const scales = calloc(j->num_patches + 1, sizeof *scales); /* 0: not yet known */
    long double *const scratch =
        malloc((j->desc.degree[0] + j->desc.degree[1] + 2) * sizeof *scratch);
    double worst = 0.0;

    assert_true(scales && scratch);
    for (size_t next = step / 2, p; next < points + step; next += step) {
        p = next < points ? next : points - 1; /* the last one in any case */
        if (points == 0) break;
        double *const scale = &scales[p / per_patch];
        if (*scale == 0.0)
            *scale = scale_of(j->controls + p / per_patch * patch_controls(j), patch_controls(j));
        worst = support_worse(worst, point_error(j, p, *scale, scratch));
    }
    free(scales);
    free(scratch);
    return worst;
}
