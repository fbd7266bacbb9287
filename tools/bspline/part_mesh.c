#include "part_mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cad_model.h"
#include "progress.h"
#include "staging.h"

enum { DIM = 3, NORMAL = 3, CURVATURE = 6, VERTEX_REALS = 8 };

/* The mesh on its way. */
typedef struct part_job {
    const spline_task *task;
    const cad_model *model;
    mesh *m;
    double *values;
    uint32_t *uses; /* of nodes by vertices */
} part_job;

/* The vertices of a batch's faces. */
typedef struct face_points {
    size_t num;
    uint32_t *item; /* [num]: splines of the batch */
    double *params; /* [num][2] */
    staged_vertices staged;
} face_points;

bool part_mesh_suits(const splines *content)
{
    const cad_model *model = content->cad;
    return model && model->triangles.num > 0 && cad_model_count(model) == content->num_splines;
}

/* ---- evaluation ---- */

static size_t num_vertices(const cad_model *m, size_t face)
{
    return m->vertex.at[face + 1] - m->vertex.at[face];
}

/* Lists the vertices of all faces of a batch. */
static bool list_points(const part_job *j, const spline_batch *batch, face_points *p)
{
    const cad_model *m = j->model;
    for (size_t i = 0; i < batch->num_splines; i++)
        p->num += num_vertices(m, batch->numbers[i]);
    p->item = malloc((p->num + 1) * sizeof(*p->item));
    p->params = malloc((2 * p->num + 1) * sizeof(*p->params));
    if (!p->item || !p->params) return mesh_source_memory(&j->task->source);
    size_t at = 0;
    for (size_t i = 0; i < batch->num_splines; i++) {
        const size_t first = m->vertex.at[batch->numbers[i]];
        for (size_t k = 0; k < num_vertices(m, batch->numbers[i]); k++, at++) {
            p->item[at] = (uint32_t)i;
            p->params[2 * at] = m->params.at[2 * (first + k)];
            p->params[2 * at + 1] = m->params.at[2 * (first + k) + 1];
        }
    }
    return true;
}

static uint32_t find_attributes(const mesh_source *s)
{
    return CLSP_VERTEX_POINT | CLSP_VERTEX_NORMAL |
           (mesh_source_has_curvature(s) ? (uint32_t)CLSP_VERTEX_CURVATURE : 0u);
}

static bool make_plan(const part_job *j, const spline_batch *batch, clsp_patch_plan **plan)
{
    const spline_task *t = j->task;
    clsp_bspline_desc desc = spline_desc(&batch->type, t->source.precision);
    staged_reals reals = {.floats = NULL};
    desc.vertex.attributes = find_attributes(&t->source);
    desc.vertex.stride = VERTEX_REALS;
    if (!staging_check(t->ctx, clsp_bspline_plan_create(plan, t->ctx, &desc))) return false;
    bool done = staging_open_reals(&reals, t->source.precision, batch->points, batch->num_reals) ||
                mesh_source_memory(&t->source);
    done = done && staging_check(t->ctx, clsp_patch_set_control_points(*plan, batch->num_splines,
                                                                       reals.input, NULL));
    staging_close_reals(&reals);
    return done;
}

static bool eval_points(const part_job *j, clsp_patch_plan *plan, face_points *p)
{
    const spline_task *t = j->task;
    staged_reals params = {.floats = NULL};
    bool done = staging_open_vertices(&p->staged, t->ctx, &t->source, false, VERTEX_REALS * p->num);
    if (done)
        done = staging_open_reals(&params, t->source.precision, p->params, 2 * p->num) ||
               mesh_source_memory(&t->source);
    const clsp_points points = {
        .num = p->num, .item = clsp_in_u32(p->item, p->num), .params = params.input};
    done = done &&
           staging_check(t->ctx, clsp_patch_eval_points(plan, &points, p->staged.output, NULL));
    staging_close_reals(&params);
    return done;
}

/* ---- vertices ---- */

static double real_at(const face_points *p, size_t at)
{
    const float *f32 = p->staged.output.host;
    const double *f64 = p->staged.output.host;
    return p->staged.output.type == CLSP_F32 ? (double)f32[at] : f64[at];
}

static double value_of(const part_job *j, const face_points *p, size_t at, size_t face)
{
    const double turn = j->model->faces[face].is_turned ? -1 : 1;
    const coloring_kind colors = j->task->source.colors;
    if (colors == COLORING_PATCH) return (double)face;
    const double principal[2] = {turn * real_at(p, VERTEX_REALS * at + CURVATURE),
                                 turn * real_at(p, VERTEX_REALS * at + CURVATURE + 1)};
    return coloring_curvature(colors, principal);
}

/* Takes point `at` of a batch as the vertex of a face: on an edge the edge's place. */
static void take_vertex(const part_job *j, const face_points *p, size_t at, size_t face,
                        size_t vertex)
{
    const cad_model *model = j->model;
    const uint32_t node = model->node.at[vertex];
    const double turn = model->faces[face].is_turned ? -1 : 1;
    for (size_t k = 0; k < DIM; k++) {
        const double on_edge = model->nodes.at[DIM * (size_t)node + k];
        j->m->positions[DIM * vertex + k] = j->uses[node] < 2 ? real_at(p, VERTEX_REALS * at + k)
                                            : j->task->source.precision == MESH_F32
                                                ? (double)(float)on_edge
                                                : on_edge;
        if (j->m->has_normals)
            j->m->normals[DIM * vertex + k] = turn * real_at(p, VERTEX_REALS * at + NORMAL + k);
    }
    if (j->values) j->values[vertex] = value_of(j, p, at, face);
}

static bool run_batch(const part_job *j, const spline_batch *batch)
{
    clsp_patch_plan *plan = NULL;
    face_points p = {.num = 0};
    double start = seconds_now();
    bool done = list_points(j, batch, &p);
    done = done && (p.num == 0 || make_plan(j, batch, &plan));
    j->task->times->plan += seconds_now() - start;
    start = seconds_now();
    done = done && (p.num == 0 || eval_points(j, plan, &p));
    j->task->times->evaluate += seconds_now() - start;
    size_t at = 0;
    for (size_t i = 0; done && i < batch->num_splines; i++) {
        const size_t face = batch->numbers[i], first = j->model->vertex.at[face];
        for (size_t k = 0; k < num_vertices(j->model, face); k++)
            take_vertex(j, &p, at++, face, first + k);
    }
    staging_close_vertices(&p.staged);
    clsp_patch_plan_destroy(&plan);
    free(p.item);
    free(p.params);
    return done;
}

/* ---- the mesh ---- */

static bool add_faces(const part_job *j)
{
    const cad_model *model = j->model;
    const size_t num = model->node.num, corners = model->triangles.num;
    mesh *m = j->m;
    if (!mesh_reserve(m, num, corners / 3, corners) || !mesh_add_vertices(m, num)) return false;
    for (size_t f = 0; f < model->num_faces; f++)
        for (size_t c = model->corner.at[f]; c < model->corner.at[f + 1]; c++)
            if (!mesh_add_corner(m, model->vertex.at[f] + model->triangles.at[c]) ||
                (c % 3 == 2 && !mesh_end_face(m)))
                return false;
    m->is_pieced = true;
    return true;
}

/* Makes room for the values that are asked for. False when memory runs out. */
static bool make_values(part_job *j, double **values)
{
    const coloring_kind colors = j->task->source.colors;
    if (!values || colors == COLORING_PLAIN || colors == COLORING_DISTANCE) return true;
    j->values = *values = malloc((j->model->node.num + 1) * sizeof(**values));
    return *values != NULL;
}

bool part_mesh_colors(const spline_task *task, unsigned char **colors)
{
    const cad_model *m = task->content->cad;
    unsigned char rgb[3];
    bool has_colors = false;
    *colors = NULL;
    for (size_t f = 0; f < m->num_faces; f++)
        has_colors = has_colors || cad_model_rgb(m, f, rgb);
    if (!has_colors) return true;
    *colors = malloc(DIM * m->node.num + 1);
    if (!*colors) return mesh_source_memory(&task->source);
    for (size_t f = 0; f < m->num_faces; f++) {
        const bool is_own = cad_model_rgb(m, f, rgb);
        for (size_t i = m->vertex.at[f]; i < m->vertex.at[f + 1]; i++)
            memcpy(*colors + DIM * i, is_own ? rgb : color_of_plain, DIM);
    }
    return true;
}

bool part_mesh_make(const spline_task *task, mesh *m, double **values)
{
    const splines *content = task->content;
    part_job j = {
        .task = task, .model = content->cad, .m = m, .uses = cad_model_uses(content->cad)};
    bool done =
        (j.uses && add_faces(&j) && make_values(&j, values)) || mesh_source_memory(&task->source);
    for (size_t i = 0; done && i < content->num_batches; i++)
        done = run_batch(&j, &content->batches[i]);
    free(j.uses);
    return done;
}
