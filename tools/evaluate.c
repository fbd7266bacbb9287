#include "evaluate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "command.h"
#include "io/normals.h"
#include "progress.h"

/* Points evaluated by one call, when a patch has fewer: enough to keep a device busy, few enough to
   show progress. */
static const size_t chunk_points = (size_t)1 << 22;

/* A patch of a batch may be two to the library: its points, and the normals of a PN patch. */
typedef struct net {
    uint32_t degree_u, degree_v;
    bool rational, is_normal;
    const double *points;
    size_t num_reals;
    size_t vertex_reals; /* of a vertex that the library makes */
    clsp_bezier_plan *plan;
    clsp_output staged; /* vertices on their way */
} net;

/* One batch on its way into the sink. */
typedef struct job {
    clsp_context *ctx;
    const evaluate_task *task;
    const evaluate_sink *sink;
    const bezierview_batch *batch;
    const uint32_t *num;  /* [num_patches][2] of the batch */
    const size_t *firsts; /* [num_patches + 1]: the numbers of their first vertices, and the end */
    const io_progress *progress;
    evaluate_times *times;
    size_t done, total; /* patches, over all batches */
    net nets[2];
    size_t num_nets;
} job;

/* Memory of the machine in bytes; HUGE_VAL where the system does not tell. */
static double machine_memory(void)
{
#ifdef _SC_PHYS_PAGES
    long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
    if (pages > 0 && bytes > 0) return (double)pages * (double)bytes;
#endif
    return HUGE_VAL;
}

/* What makes the mesh smaller. */
static const char *advice(const evaluate_task *task)
{
    return task->grids->uniform ? "use fewer --samples" : "use a larger --tolerance";
}

/* Whether no direction has more samples than the library takes; *largest becomes the points of the
   largest patch, and *triangles whether there are Bezier triangles. */
static bool check_patches(const evaluate_task *task, uint64_t *largest, bool *triangles)
{
    const uint32_t *num = task->grids->num;
    *largest = 0;
    *triangles = false;
    for (size_t i = 0; i < task->content->num_batches; i++) {
        const bezierview_batch *batch = &task->content->batches[i];
        *triangles = *triangles || batch->type.form == BEZIERVIEW_TRIANGLE;
        for (size_t patch = 0; patch < batch->num_patches; patch++, num += 2) {
            uint64_t points = tessellation_patch_points(&batch->type, num);
            if (num[0] > CLSP_BEZIER_MAX_SAMPLES || num[1] > CLSP_BEZIER_MAX_SAMPLES) return false;
            if (points > *largest) *largest = points;
        }
    }
    return true;
}

/* Bytes of memory for a mesh: its points, each with its vectors and its part of the faces (corners
   and an end; two triangles or a quad). */
static double mesh_bytes(const evaluate_task *task, uint64_t points, bool triangles)
{
    size_t vectors = task->has_normals ? 2 : 1, faces = triangles ? 2 : 1;
    size_t corners = triangles ? 3 : 4;
    return (double)points * (double)(3 * vectors * sizeof(double) +
                                     faces * (corners * sizeof(uint32_t) + sizeof(size_t)));
}

bool evaluate_check_size(const evaluate_task *task)
{
    uint64_t largest, points = tessellation_num_points(task->grids, task->content);
    bool triangles, countable = check_patches(task, &largest, &triangles);
    if (!countable || points > MESH_MAX_VERTICES - task->content->polyhedra.num_vertices) {
        complain("%s: these are more points than a mesh may have; %s", task->name, advice(task));
        return false;
    }
    size_t real = task->precision == MESH_F32 ? sizeof(float) : sizeof(double);
    double needed = (double)largest * (double)((task->has_normals ? 6 : 3) * real);
    if (!task->streamed) needed += mesh_bytes(task, points, triangles);
    if (needed <= machine_memory()) return true;
    complain("%s: %llu points need %.1f GiB, more memory than this machine has; %s", task->name,
             (unsigned long long)points, needed / (1024.0 * 1024.0 * 1024.0), advice(task));
    return false;
}

static bool check(const clsp_context *ctx, clsp_status status)
{
    if (status != CLSP_OK) complain_status(ctx, status);
    return status == CLSP_OK;
}

static bool out_of_memory(const evaluate_task *task)
{
    complain("%s: not enough memory; %s", task->name, advice(task));
    return false;
}

/* ---- control points ---- */

static clsp_type precision_of(const job *j)
{
    return j->task->precision == MESH_F32 ? CLSP_F32 : CLSP_F64;
}

static bool load_points(const job *j, const net *n, clsp_input points)
{
    return check(j->ctx,
                 clsp_bezier_set_control_points(n->plan, j->batch->num_patches, points, NULL));
}

static bool set_points_f32(const job *j, const net *n)
{
    float *points = malloc((n->num_reals + 1) * sizeof(float));
    bool done = points ? true : out_of_memory(j->task);
    for (size_t i = 0; done && i < n->num_reals; i++)
        points[i] = (float)n->points[i];
    done = done && load_points(j, n, clsp_in_f32(points, n->num_reals));
    free(points);
    return done;
}

static bool set_points(const job *j, const net *n)
{
    if (precision_of(j) == CLSP_F32) return set_points_f32(j, n);
    return load_points(j, n, clsp_in_f64(n->points, n->num_reals));
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

/* Patches from `first` on that one call evaluates: as many as chunk_points allow, at least one. */
static size_t chunk_patches(const job *j, size_t first)
{
    size_t end = first + 1;
    while (end < j->batch->num_patches && j->firsts[end + 1] - j->firsts[first] <= chunk_points)
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
    clsp_cooperate_report report = {0};
    char what[80];
    if (!check(j->ctx,
               clsp_bezier_cooperate(n->plan, patches, n->staged, j->task->sharing, &report)))
        return false;
    snprintf(what, sizeof(what), "patches %lu to %lu", (unsigned long)(j->done + patches.first + 1),
             (unsigned long)(j->done + patches.first + patches.count));
    if (j->task->report) j->task->report(j->task->user, what, &report);
    return true;
}

static bool eval_chunk(const job *j, const net *n, clsp_range patches)
{
    if (j->task->sharing) return share_chunk(j, n, patches);
    return check(j->ctx, clsp_bezier_eval(n->plan, patches, n->staged, NULL));
}

/* Makes memory for so many reals, which suits all who share the work. False with a complaint when
   there is none. */
static bool stage(const job *j, size_t reals, clsp_output *s)
{
    *s = (clsp_output){.type = precision_of(j), .size = reals};
    size_t bytes = reals * clsp_type_bytes(s->type);
    if (j->task->sharing) return check(j->ctx, clsp_shared_alloc(j->ctx, bytes, &s->host));
    s->host = malloc(bytes);
    return s->host ? true : out_of_memory(j->task);
}

static void unstage(const job *j, const clsp_output *s)
{
    if (j->task->sharing)
        clsp_shared_free(j->ctx, s->host);
    else
        free(s->host);
}

/* Welds staged vertices to those of other patches. */
static bool weld(const job *j, clsp_range patches)
{
    const net *n = &j->nets[0];
    const seam_vertices vertices = {.precision = j->task->precision,
                                    .reals = n->staged.host,
                                    .stride = n->vertex_reals,
                                    .first_patch = j->done + patches.first,
                                    .num_patches = patches.count,
                                    .firsts = j->firsts + patches.first};
    return seams_weld(j->task->edges, j->task->grids->num, &vertices) || out_of_memory(j->task);
}

/* Gives the staged vertices of some patches to the sink. */
static bool take_chunk(const job *j, clsp_range patches)
{
    const net *n = &j->nets[0];
    const size_t real = clsp_type_bytes(n->staged.type);
    mesh_vertices v = {.count = j->firsts[patches.first + patches.count] - j->firsts[patches.first],
                       .precision = j->task->precision,
                       .positions = n->staged.host,
                       .stride = n->vertex_reals,
                       .normal_stride = n->vertex_reals};
    if (!weld(j, patches)) return false;
    if (n->vertex_reals == 6) v.normals = (const char *)n->staged.host + 3 * real;
    if (j->num_nets == 2) {
        make_unit(&j->nets[1].staged, v.count);
        v.normals = j->nets[1].staged.host;
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
    j->times->evaluate += evaluated - start;
    bool done = take_chunk(j, patches);
    j->times->take += seconds_now() - evaluated;
    return done;
}

/* ---- batches ---- */

static clsp_bezier_desc describe(const job *j, const net *n)
{
    bool triangle = j->batch->type.form == BEZIERVIEW_TRIANGLE;
    clsp_bezier_desc desc = {.form = triangle ? CLSP_BEZIER_TRIANGLE : CLSP_BEZIER_SURFACE,
                             .precision = precision_of(j),
                             .degree = {n->degree_u, n->degree_v},
                             .dim = 3,
                             .rational = n->rational,
                             .vertex = {.attributes = CLSP_VERTEX_POINT}};
    if (n->vertex_reals == 6) desc.vertex.attributes |= CLSP_VERTEX_NORMAL;
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
    if (!num) return out_of_memory(j->task);
    for (size_t i = 0; i < patches * directions; i++)
        num[i] = j->num[2 / directions * i];
    bool done = check(j->ctx, clsp_bezier_set_patch_grids(n->plan, patches,
                                                          clsp_in_u32(num, patches * directions)));
    free(num);
    return done;
}

static bool open_net(job *j, net *n)
{
    clsp_bezier_desc desc = describe(j, n);
    double start = seconds_now();
    if (!check(j->ctx, clsp_bezier_plan_create(&n->plan, j->ctx, &desc))) return false;
    double planned = seconds_now();
    bool done = set_points(j, n) && (j->task->grids->uniform || set_grids(j, n)) &&
                stage(j, largest_chunk(j) * n->vertex_reals, &n->staged);
    j->times->plan += planned - start;
    j->times->evaluate += seconds_now() - planned;
    return done;
}

static void close_net(const job *j, net *n)
{
    if (n->staged.host) unstage(j, &n->staged);
    clsp_bezier_plan_destroy(&n->plan);
}

/* Names what the library is to evaluate of a batch. */
static void list_nets(job *j)
{
    const bezierview_batch *batch = j->batch;
    const bezierview_type *type = &batch->type;
    const bool normals = j->task->has_normals;
    j->nets[0] = (net){.degree_u = type->degree_u,
                       .degree_v = type->degree_v,
                       .rational = type->rational,
                       .points = batch->points,
                       .num_reals = batch->num_reals,
                       .vertex_reals = normals && !type->has_normals ? 6 : 3};
    j->nets[1] = (net){.degree_u = type->normal_u,
                       .degree_v = type->normal_v,
                       .is_normal = true,
                       .points = batch->normals,
                       .num_reals = batch->num_normal_reals,
                       .vertex_reals = 3};
    j->num_nets = normals && type->has_normals ? 2 : 1;
}

static bool run_batch(job *j)
{
    bool done = true;
    list_nets(j);
    for (size_t i = 0; done && i < j->num_nets; i++)
        done = open_net(j, &j->nets[i]);
    for (size_t first = 0, count; done && first < j->batch->num_patches; first += count) {
        count = chunk_patches(j, first);
        done = run_chunk(j, (clsp_range){first, count});
        io_report(j->progress, j->done + first + count, j->total);
    }
    for (size_t i = 0; i < j->num_nets; i++)
        close_net(j, &j->nets[i]);
    return done;
}

/* The numbers of the first vertices of all patches, and the end; the caller frees. */
static size_t *find_firsts(const evaluate_task *task, size_t num_patches)
{
    mesh_grid *grids = tessellation_grids(task->grids, task->content);
    size_t *firsts = malloc((num_patches + 1) * sizeof(*firsts));
    if (grids && firsts) {
        firsts[0] = 0;
        for (size_t i = 0; i < num_patches; i++)
            firsts[i + 1] = firsts[i] + mesh_grid_points(&grids[i]);
        free(grids);
        return firsts;
    }
    free(grids);
    free(firsts);
    out_of_memory(task);
    return NULL;
}

bool evaluate_patches(clsp_context *ctx, const evaluate_task *task, const evaluate_sink *sink,
                      const io_progress *progress, evaluate_times *times)
{
    job j = {.ctx = ctx, .task = task, .sink = sink, .progress = progress, .times = times};
    j.total = bezierview_num_patches(task->content);
    size_t *firsts = find_firsts(task, j.total);
    bool done = firsts != NULL;
    for (size_t i = 0; done && i < task->content->num_batches; i++) {
        j.batch = &task->content->batches[i];
        j.num = task->grids->num + 2 * j.done;
        j.firsts = firsts + j.done;
        done = run_batch(&j);
        j.done += j.batch->num_patches;
    }
    free(firsts);
    return done;
}

/* ---- into a mesh ---- */

/* Makes room for all vertices and faces at once, and adds them; the vertices are still unset. */
static bool add_grids(const evaluate_task *task, mesh *m)
{
    const size_t num = bezierview_num_patches(task->content);
    mesh_grid *grids = tessellation_grids(task->grids, task->content);
    bool done = grids != NULL;
    if (done) {
        const mesh_shape shape = mesh_shape_of_grids(grids, num, NULL);
        done = mesh_reserve(m, shape.num_vertices, shape.num_faces, shape.num_corners);
    }
    for (size_t i = 0; done && i < num; i++)
        done = (grids[i].triangle ? mesh_add_triangle_grid(m, grids[i].num_u)
                                  : mesh_add_grid(m, grids[i].num_u, grids[i].num_v)) != NULL;
    free(grids);
    return done || out_of_memory(task);
}

/* The mesh that is filled, and with how many vertices it is. */
typedef struct filling {
    mesh *m;
    size_t num_done;
} filling;

static bool fill(void *user, const mesh_vertices *v)
{
    filling *f = user;
    double *positions = f->m->positions + 3 * f->num_done;
    for (size_t i = 0; i < v->count; i++)
        get_triple(v, v->positions, i * v->stride, positions + 3 * i);
    for (size_t i = 0; f->m->has_normals && i < v->count; i++)
        get_triple(v, v->normals, i * v->normal_stride, f->m->normals + 3 * (f->num_done + i));
    f->num_done += v->count;
    return true;
}

bool evaluate_mesh(clsp_context *ctx, const evaluate_task *task, mesh *m,
                   const io_progress *progress, evaluate_times *times)
{
    filling f = {.m = m};
    const evaluate_sink sink = {fill, &f};
    return add_grids(task, m) && evaluate_patches(ctx, task, &sink, progress, times);
}
