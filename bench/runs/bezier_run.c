#include "bezier_run.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reference.h"

enum { SAMPLES_CHECKED = 64 };

/* ---- the ring ---- */

/* On GPUs with room for it it holds 1000 patches of 300x300 points in double. On CPUs it is paged
   in; NVIDIA's driver hangs when it is to fill more than 2 GiB at once. */
clsp_status bezier_ring_create(bench *b, bezier_ring *ring)
{
    const size_t wanted = (b->is_discrete ? (size_t)9 << 28 : 0), large = bench_large_bytes(b);
    const size_t most = (size_t)b->info.max_alloc_bytes;
    const cl_uchar zero = 0;
    cl_int code;

    ring->bytes =
        wanted > large && wanted <= most && wanted <= b->info.global_bytes / 4 ? wanted : large;
    ring->host = b->queue ? NULL : malloc(ring->bytes);
    if (ring->host) memset(ring->host, 0, ring->bytes);
    if (!b->queue) return bench_check(ring->host ? CLSP_OK : CLSP_ERROR_NO_MEMORY, "outputs");
    ring->buffer = clCreateBuffer(b->context, CL_MEM_READ_WRITE, ring->bytes, NULL, &code);
    if (code != CL_SUCCESS) return bench_check(code, "clCreateBuffer");
    if (!b->is_cpu) return CLSP_OK;
    code = clEnqueueFillBuffer(b->queue, ring->buffer, &zero, 1, 0, ring->bytes, 0, NULL, NULL);
    return bench_check(code, "clEnqueueFillBuffer");
}

void bezier_ring_release(bezier_ring *ring)
{
    if (ring->buffer) clReleaseMemObject(ring->buffer);
    free(ring->host);
    *ring = (bezier_ring){.host = NULL};
}

size_t bezier_run_chunk_points(const bezier_run *r)
{
    return r->chunk * r->c.samples * r->c.samples;
}

size_t bezier_run_range(const bezier_run *r, size_t first)
{
    return r->chunk < r->c.patches - first ? r->chunk : r->c.patches - first;
}

size_t bezier_run_take(bezier_run *r, size_t first)
{
    r->last_first = first;
    r->last_slot = r->slot;
    r->slot = (r->slot + 1) % r->slots;
    return r->last_slot;
}

clsp_output bezier_run_output(bezier_run *r, size_t first)
{
    const size_t reals = bezier_run_chunk_points(r) * r->stride;
    const size_t offset = bezier_run_take(r, first) * reals;

    if (r->out->host)
        return (clsp_output){
            .type = r->element, .host = r->out->host + offset * r->element_bytes, .size = reals};
    return clsp_out_buffer(r->out->buffer, r->element, offset);
}

/* ---- runs ---- */

void bezier_case_name(const bezier_case *c, char name[BEZIER_NAME_MAX])
{
    if (c->patches > 1)
        snprintf(name, BEZIER_NAME_MAX, "%zux%zu, %zu of %zux%zu", c->order, c->order, c->patches,
                 c->samples, c->samples);
    else
        snprintf(name, BEZIER_NAME_MAX, "%zux%zu, %zux%zu", c->order, c->order, c->samples,
                 c->samples);
}

bool bezier_case_wanted(bench *b, const bezier_case *c)
{
    char name[BEZIER_NAME_MAX];

    bezier_case_name(c, name);
    return bench_wants(b, name);
}

/* Copies doubles to memory of the precision, for free; NULL: there is none. */
static void *narrow(const bezier_run *r, const double *values, size_t count)
{
    void *const reals = malloc(count * r->real_bytes);

    for (size_t i = 0; reals && i < count; i++)
        if (r->precision == CLSP_F64)
            ((double *)reals)[i] = values[i];
        else
            ((float *)reals)[i] = (float)values[i];
    return reals;
}

clsp_status bezier_run_upload(const bezier_run *r, const double *values, size_t count,
                              cl_mem *buffer)
{
    const size_t bytes = count * r->real_bytes;
    void *const source = narrow(r, values, count);
    cl_int code = CL_OUT_OF_HOST_MEMORY;

    if (!source) return bench_check(code, "upload");
    *buffer = clCreateBuffer(r->b->context, CL_MEM_READ_ONLY, bytes, NULL, &code);
    if (code == CL_SUCCESS)
        code = clEnqueueWriteBuffer(r->b->queue, *buffer, CL_TRUE, 0, bytes, source, 0, NULL, NULL);
    free(source);
    return bench_check(code, "upload");
}

clsp_status bezier_run_vertices(bezier_run *r, size_t stride, clsp_type element)
{
    const size_t element_bytes = clsp_type_bytes(element);
    const size_t patch_bytes = r->c.samples * r->c.samples * stride * element_bytes;
    const size_t fit = r->out->bytes / patch_bytes;

    if (fit == 0) return bench_check(CLSP_ERROR_BUFFER_SIZE, r->name);
    r->stride = stride;
    r->element = element;
    r->element_bytes = element_bytes;
    r->chunk = fit < r->c.patches ? fit : r->c.patches;
    r->slots = r->out->bytes / (r->chunk * patch_bytes);
    r->slot = 0;
    return CLSP_OK;
}

clsp_status bezier_run_start(bezier_run *r, bench *b, const char *suite, const bezier_case *c,
                             clsp_type precision, const bezier_ring *out)
{
    clsp_status status;

    r->b = b;
    r->suite = suite;
    r->c = *c;
    r->precision = precision;
    r->real_bytes = clsp_type_bytes(precision);
    r->out = out;
    bezier_case_name(c, r->name);
    BENCH_TRY(bezier_run_vertices(r, 3, precision));
    r->num_points = c->patches * c->order * c->order * 3;
    r->points = malloc(r->num_points * sizeof *r->points);
    if (!r->points) return bench_check(CLSP_ERROR_NO_MEMORY, r->name);
    bench_random_fill(r->points, r->num_points);
    r->host_points = narrow(r, r->points, r->num_points);
    if (!r->host_points) return bench_check(CLSP_ERROR_NO_MEMORY, r->name);
    if (!b->queue) return CLSP_OK;
    return bezier_run_upload(r, r->points, r->num_points, &r->device_points);

fail:
    return status;
}

void bezier_run_release(bezier_run *r)
{
    if (r->device_points) clReleaseMemObject(r->device_points);
    free(r->points);
    free(r->host_points);
}

double bezier_run_points(const bezier_run *r)
{
    return (double)r->c.patches * (double)(r->c.samples * r->c.samples);
}

double bezier_run_flops(const bezier_run *r)
{
    const double order = (double)r->c.order, num = (double)r->c.samples;

    return 6.0 * (double)r->c.patches * (order * order * num + order * num * num);
}

/* ---- ways to evaluate ---- */

clsp_bezier_desc bezier_run_desc(const bezier_run *r)
{
    const uint32_t degree = (uint32_t)(r->c.order - 1), num = (uint32_t)r->c.samples;

    return (clsp_bezier_desc){.precision = r->precision,
                              .degree = {degree, degree},
                              .axis = {{.num = num}, {.num = num}},
                              .dim = 3};
}

clsp_status bezier_way_load(const bezier_way *way, cl_mem points)
{
    const bezier_run *const r = way->run;

    const clsp_input host = {.type = r->precision, .host = r->host_points, .size = r->num_points};

    return clsp_patch_set_control_points(
        way->plan, r->c.patches, points ? clsp_in_buffer(points, r->precision, 0) : host, NULL);
}

clsp_status bezier_way_create(bezier_way *way, bezier_run *run, const clsp_bezier_desc *desc)
{
    clsp_status status;

    way->run = run;
    BENCH_TRY(clsp_bezier_plan_create(&way->plan, run->b->ctx, desc));
    if (desc->dim + desc->rational == 3) BENCH_TRY(bezier_way_load(way, run->device_points));
    return CLSP_OK;

fail:
    return bench_check(status, run->name);
}

void bezier_way_release(bezier_way *way)
{
    clsp_patch_plan_destroy(&way->plan);
}

clsp_status bezier_way_enqueue(void *user)
{
    const bezier_way *const way = user;
    bezier_run *const r = way->run;
    clsp_status status = CLSP_OK;

    for (size_t first = 0; first < r->c.patches && status == CLSP_OK; first += r->chunk) {
        const clsp_range patches = {first, bezier_run_range(r, first)};
        status = clsp_patch_eval(way->plan, patches, bezier_run_output(r, first), NULL);
    }
    return bench_check(status, "clsp_patch_eval");
}

/* ---- accuracy ---- */

static clsp_status read_point(const bezier_run *r, size_t index, double point[3])
{
    float floats[3];
    const bool is_double = r->precision == CLSP_F64;
    const size_t at = index * r->stride * r->element_bytes, bytes = 3 * r->real_bytes;
    void *const to = is_double ? (void *)point : floats;
    cl_int code = CL_SUCCESS;

    if (r->out->host)
        memcpy(to, r->out->host + at, bytes);
    else
        code =
            clEnqueueReadBuffer(r->b->queue, r->out->buffer, CL_TRUE, at, bytes, to, 0, NULL, NULL);

    for (size_t i = 0; i < 3 && !is_double; i++)
        point[i] = (double)floats[i];
    return bench_check(code, "clEnqueueReadBuffer");
}

/* Sample 0 and 1 are two corners, the others anywhere. */
static size_t pick(unsigned long long *state, size_t k, size_t num)
{
    return k == 0 ? 0 : k == 1 ? num - 1 : bench_random_below(state, num);
}

clsp_status bezier_run_check(const bezier_run *r, double *worst)
{
    const size_t order = r->c.order, num = r->c.samples;
    const double eps = r->precision == CLSP_F64 ? DBL_EPSILON : (double)FLT_EPSILON;
    unsigned long long state = 7;
    double largest = 0.0;
    clsp_status status;

    *worst = 0.0;
    for (size_t i = 0; i < r->num_points; i++)
        largest = fmax(largest, fabs(r->points[i]));
    for (size_t k = 0; k < SAMPLES_CHECKED; k++) {
        const size_t patch = bench_random_below(&state, bezier_run_range(r, r->last_first));
        const size_t a = pick(&state, k, num), b = pick(&state, k, num);
        const size_t index =
            r->last_slot * bezier_run_chunk_points(r) + (patch * num + a) * num + b;
        long double at_u[BENCH_ORDER_MAX], at_v[BENCH_ORDER_MAX], expected[3];
        double point[3];

        bench_bernstein(order, a, num, at_u);
        bench_bernstein(order, b, num, at_v);
        bench_reference_point(order, r->points + (r->last_first + patch) * order * order * 3, at_u,
                              at_v, expected);
        BENCH_TRY(read_point(r, index, point));
        for (size_t i = 0; i < 3; i++) {
            const double off =
                fabs((double)((long double)point[i] - expected[i])) / (eps * largest);
            if (!isnan(*worst) && !(off <= *worst)) *worst = off; /* a NaN stays */
        }
    }
    return CLSP_OK;

fail:
    return status;
}

clsp_status bezier_run_check_of(bezier_run *r, const bench_contestant *contestant, double *worst)
{
    clsp_status status;

    BENCH_TRY(contestant->enqueue(contestant->user));
    BENCH_TRY(bezier_run_check(r, worst));
    return CLSP_OK;

fail:
    return status;
}

/* ---- results ---- */

bench_row bezier_run_row(const bezier_run *r, const char *method)
{
    return bench_row_empty(r->suite, r->name, method, (int)(8 * r->real_bytes));
}

void bezier_run_report(const bezier_run *r, const char *method, bench_timing time, double error)
{
    bench_row row = bezier_run_row(r, method);

    row.time = time;
    row.work = bezier_run_points(r);
    row.unit = "point/s";
    row.bytes = row.work * (double)(r->stride * r->element_bytes);
    row.floor_ms = bench_floor_ms(&r->b->floor[r->precision], row.bytes, bezier_run_flops(r));
    row.error = error;
    bench_report_row(r->b->report, &row);
}

void bezier_run_ratio(const bezier_run *r, const char *method, double ratio, double least)
{
    bench_row row = bezier_run_row(r, method);

    row.rate = ratio;
    row.unit = "ratio";
    row.least = least;
    bench_report_row(r->b->report, &row);
}

bool bezier_takes_own_shape(const bench *b)
{
    return b->is_cpu ==
           (b->info.device_class == CLSP_CLASS_CPU || b->info.device_class == CLSP_CLASS_HOST);
}
