#include "evaluate.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "command.h"
#include "progress.h"

/* Points evaluated by one call, when a patch has fewer: enough to keep a device busy, few enough to
   show progress. */
static const size_t chunk_points = (size_t)1 << 22;

/* One batch on its way into the mesh. */
typedef struct job {
    clsp_context *ctx;
    const bezierview_batch *batch;
    size_t points; /* of a patch */
    clsp_bezier_plan *plan;
    double *target; /* [num_patches][samples][samples][3] in the mesh */
    const io_progress *progress;
    size_t done, total; /* patches, over all batches */
} job;

uint64_t evaluate_num_points(const bezierview *content, uint32_t samples)
{
    uint64_t points = (uint64_t)samples * samples;
    uint64_t patches = bezierview_num_patches(content);
    return patches > UINT64_MAX / points ? UINT64_MAX : patches * points;
}

/* Memory of the machine in bytes; HUGE_VAL where the system does not tell. */
static double machine_memory(void)
{
#ifdef _SC_PHYS_PAGES
    long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
    if (pages > 0 && bytes > 0) return (double)pages * (double)bytes;
#endif
    return HUGE_VAL;
}

bool evaluate_check_size(const bezierview *content, uint32_t samples, const char *name)
{
    /* A point: position and its part of the quads (4 corners, one end), and a float copy of the
       patch in work. */
    const double point_bytes = 3 * sizeof(double) + 4 * sizeof(uint32_t) + sizeof(size_t);
    double patch_bytes = 3.0 * sizeof(float) * samples * samples;
    uint64_t points = evaluate_num_points(content, samples);
    if (points > MESH_MAX_VERTICES - content->polyhedra.num_vertices) {
        complain("%s: %llu patches of %u x %u samples are more points than a mesh may have; use "
                 "fewer --samples",
                 name, (unsigned long long)bezierview_num_patches(content), (unsigned)samples,
                 (unsigned)samples);
        return false;
    }
    double needed = (double)points * point_bytes + patch_bytes;
    if (needed <= machine_memory()) return true;
    complain(
        "%s: %llu points need %.1f GiB, more memory than this machine has; use fewer --samples",
        name, (unsigned long long)points, needed / (1024.0 * 1024.0 * 1024.0));
    return false;
}

static bool check(const clsp_context *ctx, clsp_status status)
{
    if (status != CLSP_OK) complain_status(ctx, status);
    return status == CLSP_OK;
}

static bool out_of_memory(void)
{
    complain("not enough memory; use fewer --samples");
    return false;
}

/* The batch's control points as floats, which the caller frees; NULL with a complaint where one is
   too large. */
static float *control_points_f32(const bezierview_batch *batch)
{
    float *points = malloc((batch->num_reals > 0 ? batch->num_reals : 1) * sizeof(float));
    if (!points) {
        out_of_memory();
        return NULL;
    }
    for (size_t i = 0; i < batch->num_reals; i++) {
        if (fabs(batch->points[i]) > FLT_MAX) {
            complain("the coordinate %g is too large for a float; use --precision f64",
                     batch->points[i]);
            free(points);
            return NULL;
        }
        points[i] = (float)batch->points[i];
    }
    return points;
}

static bool set_points(job *j, mesh_precision precision)
{
    const bezierview_batch *batch = j->batch;
    if (precision == MESH_F64)
        return check(
            j->ctx, clsp_bezier_set_control_points_f64(j->plan, batch->num_patches, batch->points));
    float *points = control_points_f32(batch);
    if (!points) return false;
    clsp_status status = clsp_bezier_set_control_points_f32(j->plan, batch->num_patches, points);
    free(points);
    return check(j->ctx, status);
}

/* Evaluates patches first .. first + count - 1. `staging` has room for them in float, and is NULL
   in double. */
static bool eval_chunk(job *j, size_t first, size_t count, float *staging)
{
    size_t reals = count * j->points * 3;
    double *target = j->target + 3 * first * j->points;
    if (!staging) return check(j->ctx, clsp_bezier_eval_f64(j->plan, first, count, target));
    if (!check(j->ctx, clsp_bezier_eval_f32(j->plan, first, count, staging))) return false;
    for (size_t i = 0; i < reals; i++)
        target[i] = (double)staging[i];
    return true;
}

static bool eval_batch(job *j, mesh_precision precision)
{
    bool done = true;
    size_t patches = j->batch->num_patches;
    size_t chunk = j->points < chunk_points ? chunk_points / j->points : 1;
    if (chunk > patches) chunk = patches;
    float *staging = NULL;
    if (precision == MESH_F32) {
        staging = malloc(chunk * j->points * 3 * sizeof(float));
        if (!staging) return out_of_memory();
    }
    for (size_t first = 0; done && first < patches; first += chunk) {
        size_t count = patches - first < chunk ? patches - first : chunk;
        done = eval_chunk(j, first, count, staging);
        io_report(j->progress, j->done + first + count, j->total);
    }
    free(staging);
    return done;
}

static bool run_batch(job *j, uint32_t samples, mesh *m, evaluate_times *times)
{
    clsp_bezier_desc desc = {.precision = m->precision == MESH_F32 ? CLSP_F32 : CLSP_F64,
                             .degree_u = j->batch->degree_u,
                             .degree_v = j->batch->degree_v,
                             .dim = 3,
                             .num_u = samples,
                             .num_v = samples};
    double start = seconds_now();
    j->target = mesh_add_grids(m, j->batch->num_patches, samples, samples);
    if (!j->target) return out_of_memory();
    if (!check(j->ctx, clsp_bezier_plan_create(&j->plan, j->ctx, &desc))) return false;
    double planned = seconds_now();
    bool done = set_points(j, m->precision) && eval_batch(j, m->precision);
    times->plan += planned - start;
    times->evaluate += seconds_now() - planned;
    clsp_bezier_plan_destroy(&j->plan);
    return done;
}

bool evaluate_patches(clsp_context *ctx, const bezierview *content, uint32_t samples, mesh *m,
                      const io_progress *progress, evaluate_times *times)
{
    job j = {.ctx = ctx,
             .points = (size_t)samples * samples,
             .progress = progress,
             .total = bezierview_num_patches(content)};
    for (size_t i = 0; i < content->num_batches; i++) {
        j.batch = &content->batches[i];
        if (!run_batch(&j, samples, m, times)) return false;
        j.done += j.batch->num_patches;
    }
    return true;
}
