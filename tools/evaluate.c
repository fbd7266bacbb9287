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

/* One batch on its way into the mesh. */
typedef struct job {
    clsp_context *ctx;
    const evaluate_task *task;
    const bezierview_batch *batch;
    const uint32_t *num;  /* [num_patches][2] of the batch */
    const size_t *firsts; /* [num_patches + 1]: where its patches begin in the mesh, and the end */
    mesh *m;
    const io_progress *progress;
    size_t done, total; /* patches, over all batches */
    clsp_bezier_plan *plan;
} job;

/* A patch of a batch may be two to the library: its points, and the normals of a PN patch. */
typedef struct net {
    uint32_t degree_u, degree_v;
    bool rational, is_normal;
    const double *points;
    size_t num_reals;
} net;

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

bool evaluate_check_size(const evaluate_task *task, const mesh *m)
{
    uint64_t largest, points = tessellation_num_points(task->grids, task->content);
    bool triangles, countable = check_patches(task, &largest, &triangles);
    if (!countable || points > MESH_MAX_VERTICES - task->content->polyhedra.num_vertices) {
        complain("%s: these are more points than a mesh may have; %s", task->name, advice(task));
        return false;
    }
    /* A point: its vectors and its part of the faces (corners and an end; two triangles or a quad);
       and of the largest patch the numbers from the library. */
    size_t vectors = m->has_normals ? 2 : 1, faces = triangles ? 2 : 1, corners = triangles ? 3 : 4;
    size_t real = m->precision == MESH_F32 ? sizeof(float) : sizeof(double);
    size_t point =
        3 * vectors * sizeof(double) + faces * (corners * sizeof(uint32_t) + sizeof(size_t));
    double needed = (double)points * (double)point + (double)largest * (double)(3 * vectors * real);
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

static bool load_points(const job *j, clsp_input points)
{
    return check(j->ctx,
                 clsp_bezier_set_control_points(j->plan, j->batch->num_patches, points, NULL));
}

static bool set_points_f32(const job *j, const net *n)
{
    float *points = malloc((n->num_reals + 1) * sizeof(float));
    bool done = points ? true : out_of_memory(j->task);
    for (size_t i = 0; done && i < n->num_reals; i++)
        points[i] = (float)n->points[i];
    done = done && load_points(j, clsp_in_f32(points, n->num_reals));
    free(points);
    return done;
}

static bool set_points(const job *j, const net *n)
{
    if (j->m->precision == MESH_F32) return set_points_f32(j, n);
    return load_points(j, clsp_in_f64(n->points, n->num_reals));
}

/* ---- vertices ---- */

/* Moves 3 reals of a staged vertex to the mesh. */
static void take_vector(const clsp_output *from, size_t at, double target[3])
{
    const float *f32 = from->host;
    const double *f64 = from->host;
    for (size_t axis = 0; axis < 3; axis++)
        target[axis] = from->type == CLSP_F32 ? (double)f32[at + axis] : f64[at + axis];
}

/* Moves staged vertices to the mesh from vertex `first` on. */
static void take_vertices(const job *j, const net *n, const clsp_output *from, size_t first,
                          size_t count)
{
    mesh *m = j->m;
    for (size_t i = 0; i < count; i++) {
        size_t to = 3 * (first + i);
        if (n->is_normal) {
            take_vector(from, 3 * i, m->normals + to);
            normals_make_unit(m->normals + to);
        } else if (m->has_normals && !j->batch->type.has_normals) {
            take_vector(from, 6 * i, m->positions + to);
            take_vector(from, 6 * i + 3, m->normals + to);
        } else {
            take_vector(from, 3 * i, m->positions + to);
        }
    }
}

/* Reals of a vertex of a net. */
static size_t vertex_reals(const job *j, const net *n)
{
    return !n->is_normal && j->m->has_normals && !j->batch->type.has_normals ? 6 : 3;
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

static bool share_chunk(const job *j, clsp_range patches, clsp_output vertices)
{
    clsp_cooperate_report report = {0};
    char what[80];
    if (!check(j->ctx,
               clsp_bezier_cooperate(j->plan, patches, vertices, j->task->sharing, &report)))
        return false;
    snprintf(what, sizeof(what), "patches %lu to %lu", (unsigned long)(j->done + patches.first + 1),
             (unsigned long)(j->done + patches.first + patches.count));
    if (j->task->report) j->task->report(j->task->user, what, &report);
    return true;
}

static bool eval_chunk(const job *j, clsp_range patches, clsp_output vertices)
{
    if (j->task->sharing) return share_chunk(j, patches, vertices);
    return check(j->ctx, clsp_bezier_eval(j->plan, patches, vertices, NULL));
}

static clsp_type precision_of(const job *j)
{
    return j->m->precision == MESH_F32 ? CLSP_F32 : CLSP_F64;
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

static bool eval_net(job *j, const net *n)
{
    clsp_output s;
    bool done = stage(j, largest_chunk(j) * vertex_reals(j, n), &s);
    for (size_t first = 0, count; done && first < j->batch->num_patches; first += count) {
        count = chunk_patches(j, first);
        done = eval_chunk(j, (clsp_range){first, count}, s);
        if (!done) break;
        take_vertices(j, n, &s, j->firsts[first], j->firsts[first + count] - j->firsts[first]);
        io_report(j->progress, j->done + first + count, j->total);
    }
    unstage(j, &s);
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
    if (vertex_reals(j, n) == 6) desc.vertex.attributes |= CLSP_VERTEX_NORMAL;
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
static bool set_grids(const job *j)
{
    const size_t patches = j->batch->num_patches;
    const size_t directions = j->batch->type.form == BEZIERVIEW_TRIANGLE ? 1 : 2;
    uint32_t *num = malloc(patches * directions * sizeof(*num));
    if (!num) return out_of_memory(j->task);
    for (size_t i = 0; i < patches * directions; i++)
        num[i] = j->num[2 / directions * i];
    bool done = check(j->ctx, clsp_bezier_set_patch_grids(j->plan, patches,
                                                          clsp_in_u32(num, patches * directions)));
    free(num);
    return done;
}

static bool run_net(job *j, const net *n, evaluate_times *times)
{
    clsp_bezier_desc desc = describe(j, n);
    double start = seconds_now();
    if (!check(j->ctx, clsp_bezier_plan_create(&j->plan, j->ctx, &desc))) return false;
    double planned = seconds_now();
    bool done = set_points(j, n);
    if (done && !j->task->grids->uniform) done = set_grids(j);
    done = done && eval_net(j, n);
    times->plan += planned - start;
    times->evaluate += seconds_now() - planned;
    clsp_bezier_plan_destroy(&j->plan);
    return done;
}

static bool run_batch(job *j, evaluate_times *times)
{
    const bezierview_batch *batch = j->batch;
    const bezierview_type *type = &batch->type;
    const net points = {.degree_u = type->degree_u,
                        .degree_v = type->degree_v,
                        .rational = type->rational,
                        .points = batch->points,
                        .num_reals = batch->num_reals};
    const net normals = {.degree_u = type->normal_u,
                         .degree_v = type->normal_v,
                         .is_normal = true,
                         .points = batch->normals,
                         .num_reals = batch->num_normal_reals};
    if (!run_net(j, &points, times)) return false;
    return !j->m->has_normals || !type->has_normals || run_net(j, &normals, times);
}

/* Makes room for all vertices and faces at once. */
static bool reserve(const evaluate_task *task, mesh *m)
{
    const uint32_t *num = task->grids->num;
    size_t vertices = 0, faces = 0, corners = 0;
    for (size_t i = 0; i < task->content->num_batches; i++) {
        const bezierview_batch *batch = &task->content->batches[i];
        for (size_t patch = 0; patch < batch->num_patches; patch++, num += 2) {
            bool triangle = batch->type.form == BEZIERVIEW_TRIANGLE;
            size_t cells = (size_t)(num[0] - 1) * (num[1] - 1);
            vertices += (size_t)tessellation_patch_points(&batch->type, num);
            faces += cells;
            corners += (triangle ? 3 : 4) * cells;
        }
    }
    return mesh_reserve(m, vertices, faces, corners);
}

/* Adds the grids of all patches with their faces; their vertices are still unset. firsts receives
   where each begins, and the end. False when memory runs out. */
static bool add_grids(const evaluate_task *task, mesh *m, size_t *firsts)
{
    const uint32_t *num = task->grids->num;
    if (!reserve(task, m)) return false;
    for (size_t i = 0; i < task->content->num_batches; i++) {
        const bezierview_batch *batch = &task->content->batches[i];
        bool triangle = batch->type.form == BEZIERVIEW_TRIANGLE;
        for (size_t patch = 0; patch < batch->num_patches; patch++, num += 2) {
            *firsts++ = m->num_vertices;
            if (!(triangle ? mesh_add_triangle_grid(m, num[0]) : mesh_add_grid(m, num[0], num[1])))
                return false;
        }
    }
    *firsts = m->num_vertices;
    return true;
}

bool evaluate_patches(clsp_context *ctx, const evaluate_task *task, mesh *m,
                      const io_progress *progress, evaluate_times *times)
{
    size_t total = bezierview_num_patches(task->content);
    size_t *firsts = malloc((total + 1) * sizeof(size_t));
    job j = {.ctx = ctx, .task = task, .m = m, .progress = progress, .total = total};
    bool done = firsts && add_grids(task, m, firsts);
    if (!done) out_of_memory(task);
    for (size_t i = 0; done && i < task->content->num_batches; i++) {
        j.batch = &task->content->batches[i];
        j.num = task->grids->num + 2 * j.done;
        j.firsts = firsts + j.done;
        done = run_batch(&j, times);
        j.done += j.batch->num_patches;
    }
    if (done) seams_weld(task->edges, task->grids->num, firsts, m);
    free(firsts);
    return done;
}
