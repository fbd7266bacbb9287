#include "spline_task.h"

#include <stdio.h>
#include <stdlib.h>

#include "normals.h"
#include "progress.h"
#include "staging.h"

enum {
    SPAN_SAMPLES = 16,
    LEAST_SAMPLES = 33,
    MOST_SAMPLES = 2049,
    MOST_CURVE_SAMPLES = 65537,
    VOLUME_SIDES = 6,
    MESH_DIM = 3
};

/* One batch on its way into the sink. */
typedef struct job {
    const spline_task *task;
    const mesh_source *source;
    const mesh_sink *sink;
    const spline_batch *batch;
    clsp_patch_plan *plan;
    staged_vertices staged;
    int side;             /* of volumes */
    size_t grid_points;   /* of a spline, or its side */
    size_t vertex_reals;  /* of a vertex that the library makes */
    size_t before;        /* splines of the batches before */
    size_t grids;         /* of these, and of the sides before */
    uint64_t done, total; /* points, over all batches */
} job;

static int num_sides(const spline_type *type)
{
    return type->directions == 3 ? VOLUME_SIDES : 1;
}

uint32_t spline_task_samples(const spline_task *task, const spline_type *type, uint32_t direction)
{
    if (task->samples > 0) return task->samples;
    const uint32_t most = type->directions == 1 ? MOST_CURVE_SAMPLES : MOST_SAMPLES;
    const uint32_t samples = SPAN_SAMPLES * spline_spans(type, direction) + 1; /* below 2^29 */
    if (samples < LEAST_SAMPLES) return LEAST_SAMPLES;
    return samples < most ? samples : most;
}

/* ---- grids ---- */

/* A side of a volume: the direction that is constant there and whether at its end, the other two
   directions, and whether the first of these is run through backwards, so that S_a x S_b as sampled
   points out of a volume whose S_u, S_v, S_w are right-handed. */
typedef struct side {
    uint32_t constant, a, b;
    bool at_end, reversed;
} side;

static side find_side(int number)
{
    const uint32_t constant = (uint32_t)number / 2;
    const bool at_end = number % 2 == 1;
    return (side){.constant = constant,
                  .a = constant == 0 ? 1 : 0,
                  .b = constant == 2 ? 1 : 2,
                  .at_end = at_end,
                  .reversed = constant == 1 ? at_end : !at_end}; /* S_u x S_w is against S_v */
}

/* The grid of a spline of the type, or of its side. */
static mesh_grid find_grid(const spline_task *task, const spline_type *type, int number)
{
    const side s = find_side(number);
    if (type->directions == 1)
        return (mesh_grid){.num_u = spline_task_samples(task, type, 0), .num_v = 1};
    return (mesh_grid){.num_u = spline_task_samples(task, type, type->directions == 3 ? s.a : 0),
                       .num_v = spline_task_samples(task, type, type->directions == 3 ? s.b : 1)};
}

static clsp_axis whole_axis(const job *j, uint32_t direction, bool reversed)
{
    const spline_type *type = &j->batch->type;
    const double begin = spline_begin(type, direction), end = spline_end(type, direction);
    return (clsp_axis){.num = spline_task_samples(j->task, type, direction),
                       .begin = reversed ? end : begin,
                       .end = reversed ? begin : end};
}

/* The samples of all directions, for the side that is to be made. */
static void set_axes(const job *j, clsp_axis axis[SPLINES_MAX_DIRECTIONS])
{
    const spline_type *type = &j->batch->type;
    for (uint32_t k = 0; k < type->directions; k++)
        axis[k] = whole_axis(j, k, false);
    if (type->directions < 3) return;
    const side s = find_side(j->side);
    axis[s.a] = whole_axis(j, s.a, s.reversed);
    axis[s.constant] = whole_axis(j, s.constant, s.at_end);
    axis[s.constant].num = 1; /* at its begin */
}

/* ---- plans ---- */

/* What vertices have: normals are made by the library of surfaces, here of volumes. */
static uint32_t find_attributes(const job *j)
{
    static const uint32_t derivatives[] = {CLSP_VERTEX_DU, CLSP_VERTEX_DV, CLSP_VERTEX_DW};
    const uint32_t directions = j->batch->type.directions;
    const uint32_t curvature =
        mesh_source_has_curvature(&j->task->source) ? CLSP_VERTEX_CURVATURE : 0;
    if (!j->task->source.has_normals || directions == 1) return CLSP_VERTEX_POINT;
    if (directions == 2) return CLSP_VERTEX_POINT | CLSP_VERTEX_NORMAL | curvature;
    return CLSP_VERTEX_POINT | derivatives[0] | derivatives[1] | derivatives[2];
}

/* The numbers of a vertex: three for each attribute, of curvature two. */
static size_t count_reals(uint32_t attributes)
{
    size_t reals = attributes & CLSP_VERTEX_CURVATURE ? 2 : 0;
    for (attributes &= ~(uint32_t)CLSP_VERTEX_CURVATURE; attributes > 0;
         attributes &= attributes - 1)
        reals += MESH_DIM;
    return reals;
}

clsp_bspline_desc spline_desc(const spline_type *type, mesh_precision precision)
{
    clsp_bspline_desc desc = {.directions = type->directions,
                              .precision = staging_type(precision),
                              .dim = type->dim,
                              .rational = type->rational};
    for (uint32_t k = 0; k < type->directions; k++) {
        desc.degree[k] = type->degree[k];
        desc.num_controls[k] = type->num_controls[k];
        desc.knots[k] = type->knots[k];
    }
    return desc;
}

static bool make_plan(job *j)
{
    clsp_bspline_desc desc = spline_desc(&j->batch->type, j->task->source.precision);
    desc.dim = MESH_DIM;
    desc.vertex.attributes = find_attributes(j);
    set_axes(j, desc.axis);
    j->vertex_reals = count_reals(desc.vertex.attributes);
    return staging_check(j->task->ctx, clsp_bspline_plan_create(&j->plan, j->task->ctx, &desc));
}

/* The control points of a batch in 3 coordinates; the caller frees. NULL when memory runs out. */
static double *widen(const spline_batch *batch, size_t *num_reals)
{
    const size_t dim = batch->type.dim, from_each = spline_coordinates(&batch->type);
    const size_t each = MESH_DIM + (from_each - dim), num = batch->num_reals / from_each;
    double *to = calloc(num * each + 1, sizeof(double));
    *num_reals = num * each;
    for (size_t i = 0; to && i < num; i++)
        for (size_t k = 0; k < from_each; k++)
            to[i * each + (k < dim ? k : MESH_DIM)] = batch->points[i * from_each + k];
    return to;
}

static bool set_points(const job *j)
{
    size_t num_reals;
    double *points = widen(j->batch, &num_reals);
    staged_reals reals = {.floats = NULL};
    bool done = points && staging_open_reals(&reals, j->task->source.precision, points, num_reals);
    if (done)
        done = staging_check(j->task->ctx, clsp_patch_set_control_points(
                                               j->plan, j->batch->num_splines, reals.input, NULL));
    else
        mesh_source_memory(&j->task->source);
    staging_close_reals(&reals);
    free(points);
    return done;
}

/* ---- vertices ---- */

static void get_vector(const clsp_output *from, size_t at, double v[3])
{
    const float *f32 = from->host;
    const double *f64 = from->host;
    for (size_t axis = 0; axis < 3; axis++)
        v[axis] = from->type == CLSP_F32 ? (double)f32[at + axis] : f64[at + axis];
}

static void put_vector(const clsp_output *to, size_t at, const double v[3])
{
    float *f32 = to->host;
    double *f64 = to->host;
    for (size_t axis = 0; axis < 3; axis++) {
        if (to->type == CLSP_F32)
            f32[at + axis] = (float)v[axis];
        else
            f64[at + axis] = v[axis];
    }
}

/* Puts the normals of a side in the place of the first derivatives, behind each point. */
static void make_normals(const job *j, size_t count)
{
    const side s = find_side(j->side);
    const clsp_output *staged = &j->staged.output;
    for (size_t i = 0; i < count; i++) {
        double a[3], b[3], normal[3];
        const size_t vertex = i * j->vertex_reals;
        get_vector(staged, vertex + MESH_DIM * (1 + s.a), a);
        get_vector(staged, vertex + MESH_DIM * (1 + s.b), b);
        normals_make_unit(a); /* of any length, far from the ends of floats */
        normals_make_unit(b);
        for (int k = 0; k < 3; k++) {
            const double across = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
            normal[k] = s.reversed ? -across : across;
        }
        normals_make_unit(normal);
        put_vector(staged, vertex + MESH_DIM, normal);
    }
}

static bool share_chunk(const job *j, clsp_range range)
{
    clsp_report report = {0};
    char what[80];
    if (!staging_check(j->task->ctx,
                       clsp_patch_eval(j->plan, range, j->staged.output,
                                       &(clsp_run){.share = j->task->sharing, .report = &report})))
        return false;
    snprintf(what, sizeof(what), "splines %lu to %lu", (unsigned long)(j->before + range.first + 1),
             (unsigned long)(j->before + range.first + range.count));
    if (j->task->report) j->task->report(j->task->user, what, &report);
    return true;
}

static bool eval_chunk(const job *j, clsp_range range)
{
    if (j->task->sharing) return share_chunk(j, range);
    return staging_check(j->task->ctx, clsp_patch_eval(j->plan, range, j->staged.output, NULL));
}

/* Gives staged vertices to the sink. Curves have no normals: (0, 0, 0). */
static bool take_chunk(const job *j, size_t count)
{
    static const double none[3] = {0, 0, 0}; /* of floats too */
    const size_t real = clsp_type_bytes(j->staged.output.type);
    mesh_vertices v = {.count = count,
                       .precision = j->task->source.precision,
                       .positions = j->staged.output.host,
                       .stride = j->vertex_reals};
    if (j->task->source.has_normals && j->vertex_reals > MESH_DIM) {
        if (j->batch->type.directions == 3) make_normals(j, count);
        v.normals = (const char *)j->staged.output.host + MESH_DIM * real;
        v.normal_stride = j->vertex_reals;
        if (find_attributes(j) & CLSP_VERTEX_CURVATURE)
            v.curvature = (const char *)j->staged.output.host + (j->vertex_reals - 2) * real;
    } else if (j->task->source.has_normals) {
        v.normals = none;
    }
    return j->sink->take(j->sink->user, &v);
}

static bool run_chunk(job *j, clsp_range range)
{
    const size_t points = range.count * j->grid_points;
    double start = seconds_now();
    if (!eval_chunk(j, range)) return false;
    double evaluated = seconds_now();
    j->task->times->evaluate += evaluated - start;
    bool done = take_chunk(j, points);
    j->task->times->take += seconds_now() - evaluated;
    j->done += points;
    io_report(j->task->progress, (size_t)j->done, (size_t)j->total);
    return done;
}

/* ---- batches ---- */

/* Makes the grids of one side, or the only ones. */
static bool run_side(job *j)
{
    size_t first, end;
    if (!mesh_source_clip(j->source, j->grids, j->batch->num_splines, &first, &end)) return true;
    const mesh_grid grid = find_grid(j->task, &j->batch->type, j->side);
    j->grid_points = mesh_grid_points(&grid);
    size_t each = STAGING_POINTS / j->grid_points;
    if (each == 0) each = 1;
    if (each > end - first) each = end - first;
    bool done =
        staging_open_vertices(&j->staged, j->task->ctx, &j->task->source, j->task->sharing != NULL,
                              each * j->grid_points * j->vertex_reals);
    for (; done && first < end; first += each)
        done = run_chunk(j, (clsp_range){first, end - first < each ? end - first : each});
    staging_close_vertices(&j->staged);
    return done;
}

static bool run_batch(job *j)
{
    const size_t num = j->batch->num_splines;
    size_t first, end;
    const size_t all = num * (size_t)num_sides(&j->batch->type);
    if (!mesh_source_clip(j->source, j->grids, all, &first, &end)) {
        j->grids += all;
        return true;
    }
    double start = seconds_now();
    j->side = 0;
    bool done = make_plan(j) && set_points(j);
    j->task->times->plan += seconds_now() - start;
    for (; done && j->side < num_sides(&j->batch->type); j->side++, j->grids += num) {
        clsp_axis axis[SPLINES_MAX_DIRECTIONS] = {{.num = 0}};
        set_axes(j, axis);
        if (j->side > 0)
            done = staging_check(j->task->ctx,
                                 clsp_patch_set_grids(j->plan, axis, 0, (clsp_input){0}));
        done = done && run_side(j);
    }
    clsp_patch_plan_destroy(&j->plan);
    return done;
}

static bool make(const mesh_source *s, const mesh_sink *sink)
{
    const spline_task *task = s->user;
    job j = {.task = task, .source = s, .sink = sink, .total = mesh_source_points(s)};
    bool done = true;
    for (size_t i = 0; done && i < task->content->num_batches; i++) {
        j.batch = &task->content->batches[i];
        done = run_batch(&j);
        j.before += j.batch->num_splines;
    }
    return done;
}

static size_t count_grids(const splines *content)
{
    size_t count = 0;
    for (size_t i = 0; i < content->num_batches; i++)
        count += content->batches[i].num_splines * (size_t)num_sides(&content->batches[i].type);
    return count;
}

static void list_grids(const spline_task *task, mesh_grid *next)
{
    for (size_t i = 0; i < task->content->num_batches; i++) {
        const spline_batch *batch = &task->content->batches[i];
        for (int number = 0; number < num_sides(&batch->type); number++)
            for (size_t k = 0; k < batch->num_splines; k++)
                *next++ = find_grid(task, &batch->type, number);
    }
}

bool spline_task_begin(spline_task *task)
{
    mesh_source *s = &task->source;
    s->advice = "use fewer --samples";
    s->most_samples = CLSP_PATCH_MAX_SAMPLES;
    s->num_grids = s->end = count_grids(task->content);
    s->make = make;
    s->user = task;
    s->grids = task->made = malloc((s->num_grids + 1) * sizeof(*task->made));
    if (!task->made) return mesh_source_memory(s);
    list_grids(task, task->made);
    return true;
}

void spline_task_end(spline_task *task)
{
    free(task->made);
    task->made = NULL;
    task->source.grids = NULL;
}
