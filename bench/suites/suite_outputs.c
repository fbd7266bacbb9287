/* Bezier surfaces whose vertices are more than points: with normals, of four floats, of halves,
   rational; against what the device can store. */
#include <math.h>
#include <stdlib.h>

#include "bezier_run.h"

static const char suite[] = "outputs";

/* What a vertex holds, and its elements. */
typedef struct layout {
    const char *name;
    unsigned attributes;
    uint32_t rational;
    clsp_type type; /* of an element; default: the precision */
    size_t elements;
    double wanted; /* of the store floor, on GPUs with outputs of at least 256 MB; NAN: none */
} layout;

static const layout layouts[] = {
    {"points + normals", CLSP_VERTEX_POINT | CLSP_VERTEX_NORMAL, 0, CLSP_TYPE_DEFAULT, 6, 0.75},
    {"points + weight", CLSP_VERTEX_POINT | CLSP_VERTEX_WEIGHT, 0, CLSP_TYPE_DEFAULT, 4, NAN},
    {"points in halves", CLSP_VERTEX_POINT, 0, CLSP_F16, 3, NAN},
    {"both in halves", CLSP_VERTEX_POINT | CLSP_VERTEX_NORMAL, 0, CLSP_F16, 6, NAN},
    {"rational points", CLSP_VERTEX_POINT, 1, CLSP_TYPE_DEFAULT, 3, NAN},
    {"rational + normals", CLSP_VERTEX_POINT | CLSP_VERTEX_NORMAL, 1, CLSP_TYPE_DEFAULT, 6, NAN},
};

static const size_t orders[] = {4, 8, 12, 16};

/* Homogeneous control points: those of the run with weights in [1, 2]. */
static clsp_status load_rational(bezier_way *way)
{
    const bezier_run *const r = way->run;
    const size_t num = r->num_points / 3;
    double *const points = malloc(num * 4 * sizeof *points);
    cl_mem buffer = NULL;
    clsp_status status;

    if (!points) return bench_check(CLSP_ERROR_NO_MEMORY, r->name);
    for (size_t i = 0; i < num; i++) {
        for (size_t c = 0; c < 3; c++)
            points[4 * i + c] = r->points[3 * i + c];
        points[4 * i + 3] = 1.5 + 0.5 * r->points[3 * i];
    }
    BENCH_TRY(bezier_run_upload(r, points, num * 4, &buffer));
    BENCH_TRY(bench_check(bezier_way_load(way, buffer), "clsp_patch_set_control_points"));

fail:
    if (buffer) clReleaseMemObject(buffer);
    free(points);
    return status;
}

typedef struct store_job {
    bezier_run *run;
    size_t items;
} store_job;

static clsp_status enqueue_store(void *user)
{
    const store_job *const x = user;
    bench_floor *const floor = &x->run->b->floor[x->run->precision];

    return bench_kernel_launch(&floor->store, bezier_run_take(x->run, 0) * x->items, x->items,
                               NULL);
}

static clsp_status race(bezier_run *r, const layout *l, bezier_way *way)
{
    bench *const b = r->b;
    const bench_floor *const floor = &b->floor[r->precision];
    const size_t bytes = bezier_run_chunk_points(r) * r->stride * r->element_bytes;
    store_job store = {r, bytes / r->real_bytes / floor->store_reals};
    bench_contestant all[] = {{.enqueue = bezier_way_enqueue, .user = way},
                              {.enqueue = enqueue_store, .user = &store}};
    const bench_arg arg = BENCH_ARG(r->out->buffer);
    const bool holds = !b->is_cpu && bezier_takes_own_shape(b) && bytes >= (size_t)256 << 20;
    clsp_status status;

    BENCH_TRY(bench_kernel_args(&floor->store, &arg, 1));
    BENCH_TRY(bench_measure(b->queue, all, BENCH_COUNT(all), b->quick ? 5 : 20));
    bezier_run_report(r, l->name, all[0].sustained, NAN);
    bezier_run_ratio(r, "of the store", all[1].sustained.median_ms / all[0].sustained.median_ms,
                     holds ? l->wanted : NAN);

fail:
    return status;
}

static clsp_status run_case(bench *b, size_t order, size_t samples, const layout *l,
                            clsp_type precision, const bezier_ring *out)
{
    const bezier_case c = {order, samples, 1};
    clsp_status status;
    bezier_run r = {0};
    bezier_way way = {0};

    if (!bezier_case_wanted(b, &c)) return CLSP_OK;
    BENCH_TRY(bezier_run_start(&r, b, suite, &c, precision, out));
    BENCH_TRY(
        bezier_run_vertices(&r, l->elements, l->type == CLSP_TYPE_DEFAULT ? precision : l->type));
    clsp_bezier_desc desc = bezier_run_desc(&r);
    desc.rational = l->rational;
    desc.vertex.attributes = l->attributes;
    desc.vertex.type = l->type;
    BENCH_TRY(bezier_way_create(&way, &r, &desc));
    if (l->rational) BENCH_TRY(load_rational(&way));
    BENCH_TRY(race(&r, l, &way));

fail:
    bezier_way_release(&way);
    bezier_run_release(&r);
    return status;
}

/* On GPUs with room for it at least 256 MB: 3400 x 3400 vertices of 24 bytes are 277 MB. */
static size_t samples_of(const bench *b, const bezier_ring *out)
{
    const size_t wanted = b->quick ? 1000 : b->is_cpu ? 2000 : 3400;
    const size_t most = (size_t)sqrt((double)out->bytes / (6 * sizeof(double)));

    return wanted < most ? wanted : most;
}

clsp_status bench_suite_outputs(bench *b)
{
    clsp_status status;
    bezier_ring out = {0};

    BENCH_TRY(bench_floor_measure(b));
    BENCH_TRY(bezier_ring_create(b, &out));
    for (clsp_type p = CLSP_F32; p <= CLSP_F64; p++) {
        for (size_t k = 0; k < BENCH_COUNT(layouts) && b->wanted[p]; k++) {
            for (size_t i = 0; i < BENCH_COUNT(orders); i++) {
                if (b->quick && (p == CLSP_F64 || i > 0)) continue;
                BENCH_TRY(run_case(b, orders[i], samples_of(b, &out), &layouts[k], p, &out));
            }
        }
    }

fail:
    bezier_ring_release(&out);
    return status;
}
