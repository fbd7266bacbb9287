#include "evaluate.h"

#include <stdio.h>
#include <stdlib.h>

#include "normals.h"
#include "progress.h"
#include "staging.h"

/* A patch of a batch may be two to the library: its points, and the normals of a PN patch. */
typedef struct net {
    uint32_t degree_u, degree_v;
    bool rational, is_normal;
    uint32_t attributes; /* that the library makes, */
    const double *points;
    size_t num_reals;
    size_t vertex_reals; /* and their numbers */
    clsp_patch_plan *plan;
    staged_vertices staged;
} net;

/* What a patch is made for: nothing, since others make it; only its edges, which those that are
   made take from it; or itself. */
enum { USE_NONE, USE_EDGES, USE_ALL };

/* One batch on its way into the sink. */
typedef struct job {
    const evaluate_task *task;
    const mesh_sink *sink;
    const bezierview_batch *batch;
    const uint32_t *num;  /* [num_patches][2] of the batch */
    const size_t *firsts; /* [num_patches + 1]: the numbers of their first vertices, and the end */
    const char *uses;     /* [num_patches]: what each is made for */
    size_t done;          /* patches of the batches before */
    size_t made, total;   /* patches that go into the sink, over all batches */
    net nets[2];
    size_t num_nets;
} job;

/* ---- control points ---- */

static bool set_points(const job *j, const net *n)
{
    staged_reals reals;
    const size_t patches = j->batch->num_patches;
    if (!staging_open_reals(&reals, j->task->source.precision, n->points, n->num_reals))
        return mesh_source_memory(&j->task->source);
    const bool done = staging_check(
        j->task->ctx, clsp_patch_set_control_points(n->plan, patches, reals.input, NULL));
    staging_close_reals(&reals);
    return done;
}

/* ---- vertices ---- */

/* Makes `count` staged vectors unit vectors. */
static void make_unit(const clsp_output *staged, size_t count)
{
    float *f32 = staged->host;
    double *f64 = staged->host;
    for (size_t i = 0; i < count; i++) {
        double v[3];
        for (size_t axis = 0; axis < 3; axis++)
            v[axis] = staged->type == CLSP_F32 ? (double)f32[3 * i + axis] : f64[3 * i + axis];
        normals_make_unit(v);
        for (size_t axis = 0; axis < 3; axis++) {
            if (staged->type == CLSP_F32)
                f32[3 * i + axis] = (float)v[axis];
            else
                f64[3 * i + axis] = v[axis];
        }
    }
}

/* Patches from `first` on that one call evaluates, all of one use: as many as STAGING_POINTS allow,
   at least one. */
static size_t chunk_patches(const job *j, size_t first)
{
    size_t end = first + 1;
    while (end < j->batch->num_patches && j->uses[end] == j->uses[first] &&
           j->firsts[end + 1] - j->firsts[first] <= STAGING_POINTS)
        end++;
    return end - first;
}

static size_t largest_chunk(const job *j)
{
    size_t largest = 0;
    for (size_t first = 0, count; first < j->batch->num_patches; first += count) {
        count = chunk_patches(j, first);
        size_t points = j->firsts[first + count] - j->firsts[first];
        if (points > largest) largest = points;
    }
    return largest;
}

static bool share_chunk(const job *j, const net *n, clsp_range patches)
{
    clsp_report report = {0};
    char what[80];
    if (!staging_check(j->task->ctx,
                       clsp_patch_eval(n->plan, patches, n->staged.output,
                                       &(clsp_run){.share = j->task->sharing, .report = &report})))
        return false;
    snprintf(what, sizeof(what), "patches %lu to %lu", (unsigned long)(j->done + patches.first + 1),
             (unsigned long)(j->done + patches.first + patches.count));
    if (j->task->report) j->task->report(j->task->user, what, &report);
    return true;
}

static bool eval_chunk(const job *j, const net *n, clsp_range patches)
{
    if (j->task->sharing) return share_chunk(j, n, patches);
    return staging_check(j->task->ctx, clsp_patch_eval(n->plan, patches, n->staged.output, NULL));
}

/* Welds staged vertices to those of other patches. */
static bool weld(const job *j, clsp_range patches)
{
    const net *n = &j->nets[0];
    const seam_vertices vertices = {.precision = j->task->source.precision,
                                    .reals = n->staged.output.host,
                                    .stride = n->vertex_reals,
                                    .first_patch = j->done + patches.first,
                                    .num_patches = patches.count,
                                    .firsts = j->firsts + patches.first};
    return seams_weld(j->task->edges, j->task->grids->num, &vertices) ||
           mesh_source_memory(&j->task->source);
}

/* Gives the staged vertices of some patches to the sink. */
static bool take_chunk(const job *j, clsp_range patches)
{
    const net *n = &j->nets[0];
    const size_t real = clsp_type_bytes(n->staged.output.type);
    const char *first = n->staged.output.host;
    mesh_vertices v = {.count = j->firsts[patches.first + patches.count] - j->firsts[patches.first],
                       .precision = j->task->source.precision,
                       .positions = n->staged.output.host,
                       .stride = n->vertex_reals,
                       .normal_stride = n->vertex_reals};
    if (!weld(j, patches)) return false;
    if (j->uses[patches.first] == USE_EDGES) return true;
    if (n->attributes & CLSP_VERTEX_NORMAL) v.normals = first + 3 * real;
    if (n->attributes & CLSP_VERTEX_CURVATURE) v.curvature = first + (n->vertex_reals - 2) * real;
    if (j->num_nets == 2) {
        make_unit(&j->nets[1].staged.output, v.count);
        v.normals = j->nets[1].staged.output.host;
        v.normal_stride = 3;
    }
    return j->sink->take(j->sink->user, &v);
}

static bool run_chunk(const job *j, clsp_range patches)
{
    double start = seconds_now();
    for (size_t i = 0; i < j->num_nets; i++)
        if (!eval_chunk(j, &j->nets[i], patches)) return false;
    double evaluated = seconds_now();
    j->task->times->evaluate += evaluated - start;
    bool done = take_chunk(j, patches);
    j->task->times->take += seconds_now() - evaluated;
    return done;
}

/* ---- batches ---- */

static clsp_bezier_desc describe(const job *j, const net *n)
{
    bool triangle = j->batch->type.form == BEZIERVIEW_TRIANGLE;
    clsp_bezier_desc desc = {.form = triangle ? CLSP_BEZIER_TRIANGLE : CLSP_BEZIER_SURFACE,
                             .precision = staging_type(j->task->source.precision),
                             .degree = {n->degree_u, n->degree_v},
                             .dim = 3,
                             .rational = n->rational,
                             .vertex = {.attributes = n->attributes}};
    if (j->task->grids->uniform) {
        desc.axis[0].num = j->num[0];
        desc.axis[1].num = j->num[1];
        desc.method = j->task->method;
        /* The host's cores do not make watertight points; seams_weld closes what they leave. */
        desc.watertight = !triangle && !n->is_normal && !j->task->sharing;
    }
    return desc;
}

/* Gives each patch its grid. To the library a triangle has one direction. */
static bool set_grids(const job *j, const net *n)
{
    const size_t patches = j->batch->num_patches;
    const size_t directions = j->batch->type.form == BEZIERVIEW_TRIANGLE ? 1 : 2;
    uint32_t *num = malloc(patches * directions * sizeof(*num));
    if (!num) return mesh_source_memory(&j->task->source);
    for (size_t i = 0; i < patches * directions; i++)
        num[i] = j->num[2 / directions * i];
    bool done =
        staging_check(j->task->ctx, clsp_patch_set_grids(n->plan, NULL, patches,
                                                         clsp_in_u32(num, patches * directions)));
    free(num);
    return done;
}

static bool open_net(job *j, net *n)
{
    clsp_bezier_desc desc = describe(j, n);
    double start = seconds_now();
    if (!staging_check(j->task->ctx, clsp_bezier_plan_create(&n->plan, j->task->ctx, &desc)))
        return false;
    double planned = seconds_now();
    bool done = set_points(j, n) && (j->task->grids->uniform || set_grids(j, n)) &&
                staging_open_vertices(&n->staged, j->task->ctx, &j->task->source,
                                      j->task->sharing != NULL, largest_chunk(j) * n->vertex_reals);
    j->task->times->plan += planned - start;
    j->task->times->evaluate += seconds_now() - planned;
    return done;
}

static void close_net(net *n)
{
    staging_close_vertices(&n->staged);
    clsp_patch_plan_destroy(&n->plan);
}

/* Chooses what a patch's vertices have besides points: 3 numbers of a normal, 2 of curvature. */
static void choose_attributes(net *n, bool normals, bool curvature)
{
    n->attributes = CLSP_VERTEX_POINT;
    if (normals) n->attributes |= CLSP_VERTEX_NORMAL;
    if (curvature) n->attributes |= CLSP_VERTEX_CURVATURE;
    n->vertex_reals = (size_t)3 + (normals ? 3 : 0) + (curvature ? 2 : 0);
}

/* Names what the library is to evaluate of a batch. */
static void list_nets(job *j)
{
    const bezierview_batch *batch = j->batch;
    const bezierview_type *type = &batch->type;
    const bool normals = j->task->source.has_normals;
    j->nets[0] = (net){.degree_u = type->degree_u,
                       .degree_v = type->degree_v,
                       .rational = type->rational,
                       .points = batch->points,
                       .num_reals = batch->num_reals};
    j->nets[1] = (net){.degree_u = type->normal_u,
                       .degree_v = type->normal_v,
                       .is_normal = true,
                       .points = batch->normals,
                       .num_reals = batch->num_normal_reals};
    choose_attributes(&j->nets[0], normals && !type->has_normals,
                      mesh_source_has_curvature(&j->task->source));
    choose_attributes(&j->nets[1], false, false);
    j->num_nets = normals && type->has_normals ? 2 : 1;
}

/* Tells whether any patch of the batch is made. */
static bool is_used(const job *j)
{
    for (size_t i = 0; i < j->batch->num_patches; i++)
        if (j->uses[i] != USE_NONE) return true;
    return false;
}

static bool run_batch(job *j)
{
    bool done = true;
    if (!is_used(j)) return true;
    list_nets(j);
    for (size_t i = 0; done && i < j->num_nets; i++)
        done = open_net(j, &j->nets[i]);
    for (size_t first = 0, count; done && first < j->batch->num_patches; first += count) {
        count = chunk_patches(j, first);
        if (j->uses[first] != USE_NONE) done = run_chunk(j, (clsp_range){first, count});
        if (j->uses[first] == USE_ALL) j->made += count;
        io_report(j->task->progress, j->made, j->total);
    }
    for (size_t i = 0; i < j->num_nets; i++)
        close_net(&j->nets[i]);
    return done;
}

/* The numbers of the first vertices of all patches, and the end; the caller frees. */
static size_t *find_firsts(const mesh_source *s)
{
    size_t *firsts = malloc((s->num_grids + 1) * sizeof(*firsts));
    if (!firsts) {
        mesh_source_memory(s);
        return NULL;
    }
    firsts[0] = 0;
    for (size_t i = 0; i < s->num_grids; i++)
        firsts[i + 1] = firsts[i] + mesh_grid_points(&s->grids[i]);
    return firsts;
}

/* Finds what each patch is made for; the caller frees. */
static char *find_uses(const mesh_source *s, const seams *edges)
{
    char *uses = calloc(s->num_grids + 1, 1);
    if (!uses) {
        mesh_source_memory(s);
        return NULL;
    }
    for (size_t i = s->first; i < s->end; i++)
        uses[i] = USE_ALL;
    for (size_t i = 0; i < edges->num_edges; i++) {
        const size_t patch = edges->edges[i].patch;
        char *leader = &uses[edges->edges[edges->edges[i].leader].patch];
        if (uses[patch] == USE_ALL && *leader == USE_NONE) *leader = USE_EDGES;
    }
    return uses;
}

static bool make(const mesh_source *s, const mesh_sink *sink)
{
    const evaluate_task *task = s->user;
    job j = {.task = task, .sink = sink, .total = s->end - s->first};
    size_t *firsts = find_firsts(s);
    char *uses = firsts ? find_uses(s, task->edges) : NULL;
    bool done = uses != NULL;
    for (size_t i = 0; done && i < task->content->num_batches; i++) {
        j.batch = &task->content->batches[i];
        j.num = task->grids->num + 2 * j.done;
        j.firsts = firsts + j.done;
        j.uses = uses + j.done;
        done = run_batch(&j);
        j.done += j.batch->num_patches;
    }
    free(firsts);
    free(uses);
    return done;
}

bool evaluate_begin(evaluate_task *task)
{
    mesh_source *s = &task->source;
    s->advice = task->grids->uniform ? "use fewer --samples" : "use a larger --tolerance";
    s->most_samples = CLSP_PATCH_MAX_SAMPLES;
    s->num_grids = s->end = bezierview_num_patches(task->content);
    s->rest = &task->content->polyhedra;
    s->make = make;
    s->user = task;
    s->grids = task->made = tessellation_grids(task->grids, task->content);
    return task->made || mesh_source_memory(s);
}

void evaluate_end(evaluate_task *task)
{
    free(task->made);
    task->made = NULL;
    task->source.grids = NULL;
}
