#include "patch_surface.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "normals.h"
#include "staging.h"

static bool no_memory(void)
{
    complain("not enough memory to draw the patches");
    return false;
}

static bool is_triangle(const bezierview_batch *batch)
{
    return batch->type.form == BEZIERVIEW_TRIANGLE;
}

/* ---- plans ---- */

static clsp_vertex_layout layout_of(uint32_t attributes)
{
    clsp_vertex_layout layout = {.attributes = attributes, .type = CLSP_F32, .stride = VIEW_STRIDE};
    layout.offset[8] = VIEW_NORMAL;
    layout.offset[9] = VIEW_PARAMS;
    layout.offset[10] = VIEW_CURVATURE;
    return layout;
}

/* Loads points of a group's patches, of which a patch has so many reals, as floats. */
static bool load(const patch_surface *s, const patch_group *g, clsp_patch_plan *plan,
                 const double *points, size_t each)
{
    float *floats = malloc((g->num_patches * each + 1) * sizeof(*floats));
    if (!floats) return no_memory();
    for (size_t i = 0; i < g->num_patches; i++)
        for (size_t k = 0; k < each; k++)
            floats[i * each + k] = (float)points[g->patches[i] * each + k];
    const bool done = staging_check(
        s->ctx, clsp_patch_set_control_points(plan, g->num_patches,
                                              clsp_in_f32(floats, g->num_patches * each), NULL));
    free(floats);
    return done;
}

static const bezierview_batch *batch_of(const patch_surface *s, const patch_group *g)
{
    return &s->content->batches[g->batch];
}

static bool load_points(const patch_surface *s, const patch_group *g)
{
    const bezierview_batch *batch = batch_of(s, g);
    return load(s, g, g->points, batch->points, batch->num_reals / batch->num_patches);
}

/* The description of a group's plan but for its degrees and layout. */
static clsp_bezier_desc describe(const patch_surface *s, const patch_group *g)
{
    const bool triangle = is_triangle(batch_of(s, g));
    return (clsp_bezier_desc){.form = triangle ? CLSP_BEZIER_TRIANGLE : CLSP_BEZIER_SURFACE,
                              .axis = {{.num = g->num[0]}, {.num = triangle ? 0 : g->num[1]}}};
}

static bool make_points(const patch_surface *s, patch_group *g, uint32_t attributes)
{
    const bezierview_type *type = &batch_of(s, g)->type;
    clsp_bezier_desc desc = describe(s, g);
    desc.degree[0] = type->degree_u;
    desc.degree[1] = type->degree_v;
    desc.rational = type->rational;
    desc.vertex = layout_of(attributes);
    clsp_patch_plan_destroy(&g->points);
    g->attributes = attributes;
    return staging_check(s->ctx, clsp_bezier_plan_create(&g->points, s->ctx, &desc)) &&
           load_points(s, g);
}

/* Makes the plan of normals of PN patches, which have points as an attribute: the places of normals
   are theirs. */
static bool make_normals(const patch_surface *s, patch_group *g)
{
    const bezierview_batch *batch = batch_of(s, g);
    clsp_bezier_desc desc = describe(s, g);
    desc.degree[0] = batch->type.normal_u;
    desc.degree[1] = batch->type.normal_v;
    desc.vertex = (clsp_vertex_layout){
        .attributes = CLSP_VERTEX_POINT, .type = CLSP_F32, .stride = VIEW_STRIDE};
    desc.vertex.offset[0] = VIEW_NORMAL;
    return staging_check(s->ctx, clsp_bezier_plan_create(&g->normals, s->ctx, &desc)) &&
           load(s, g, g->normals, batch->normals, batch->num_normal_reals / batch->num_patches);
}

static uint32_t attributes_of(const bezierview_batch *batch, bool curvature)
{
    const uint32_t plain = CLSP_VERTEX_POINT | CLSP_VERTEX_PARAMS;
    return plain | (batch->type.has_normals ? 0u : (uint32_t)CLSP_VERTEX_NORMAL) |
           (curvature ? (uint32_t)CLSP_VERTEX_CURVATURE : 0u);
}

static bool make_plans(patch_surface *s)
{
    for (patch_group *g = s->groups; g < s->groups + s->num_groups; g++)
        if (!make_points(s, g, attributes_of(batch_of(s, g), false)) ||
            (batch_of(s, g)->type.has_normals && !make_normals(s, g)))
            return false;
    return true;
}

static void clear_groups(patch_surface *s)
{
    for (patch_group *g = s->groups; g && g < s->groups + s->num_groups; g++) {
        clsp_patch_plan_destroy(&g->points);
        clsp_patch_plan_destroy(&g->normals);
    }
    free(s->groups);
    s->groups = NULL;
    s->num_groups = 0;
}

bool patch_surface_open(patch_surface *s, clsp_context *ctx, const bezierview *content)
{
    const mesh *rest = &content->polyhedra;
    *s = (patch_surface){
        .ctx = ctx, .content = content, .num_patches = bezierview_num_patches(content)};
    s->num = calloc(2 * s->num_patches + 1, sizeof(*s->num));
    s->firsts = calloc(s->num_patches + 1, sizeof(*s->firsts));
    s->members = calloc(s->num_patches + 1, sizeof(*s->members));
    if (rest->num_corners > 0) s->corner_normals = mesh_corner_normals(rest, 0);
    return (s->num && s->firsts && s->members && (rest->num_corners == 0 || s->corner_normals) &&
            seams_find(&s->edges, content)) ||
           no_memory();
}

bool patch_surface_load(patch_surface *s)
{
    for (const patch_group *g = s->groups; g < s->groups + s->num_groups; g++)
        if (!load_points(s, g)) return false;
    seams_clear(&s->edges);
    return seams_find(&s->edges, s->content) || no_memory();
}

/* ---- groups ---- */

/* A patch by what groups are made by. */
typedef struct sorted_patch {
    size_t batch, patch;
    const uint32_t *num;
} sorted_patch;

static int compare_patches(const void *a, const void *b)
{
    const sorted_patch *p = a, *q = b;
    if (p->batch != q->batch) return p->batch < q->batch ? -1 : 1;
    for (int k = 0; k < 2; k++)
        if (p->num[k] != q->num[k]) return p->num[k] < q->num[k] ? -1 : 1;
    return p->patch < q->patch ? -1 : p->patch > q->patch;
}

static bool is_same_group(const sorted_patch *a, const sorted_patch *b)
{
    return a->batch == b->batch && a->num[0] == b->num[0] && a->num[1] == b->num[1];
}

/* Lists the patches in the order of their groups, and counts these. NULL without memory. */
static sorted_patch *sort_patches(patch_surface *s)
{
    sorted_patch *sorted = malloc((s->num_patches + 1) * sizeof(*sorted));
    size_t number = 0;
    for (size_t i = 0; sorted && i < s->content->num_batches; i++)
        for (size_t k = 0; k < s->content->batches[i].num_patches; k++, number++)
            sorted[number] = (sorted_patch){i, k, s->num + 2 * number};
    if (sorted) qsort(sorted, s->num_patches, sizeof(*sorted), compare_patches);
    s->num_groups = 0;
    for (size_t i = 0; sorted && i < s->num_patches; i++)
        s->num_groups += i == 0 || !is_same_group(&sorted[i - 1], &sorted[i]);
    return sorted;
}

/* Fills the groups, and where the vertices of each patch begin. */
static void fill_groups(patch_surface *s, const sorted_patch *sorted)
{
    patch_group *g = s->groups - 1;
    size_t vertex = 0, before = 0, batch = 0;
    for (size_t i = 0; i < s->num_patches; i++) {
        const sorted_patch *p = &sorted[i];
        for (; batch < p->batch; batch++)
            before += s->content->batches[batch].num_patches;
        if (i == 0 || !is_same_group(p - 1, p))
            *++g = (patch_group){.batch = p->batch,
                                 .num = {p->num[0], p->num[1]},
                                 .patches = s->members + i,
                                 .first_patch = before,
                                 .first_vertex = vertex};
        s->members[i] = p->patch;
        g->num_patches++;
        s->firsts[before + p->patch] = vertex;
        vertex += (size_t)tessellation_patch_points(&batch_of(s, g)->type, p->num);
    }
    s->num_vertices = vertex;
}

static bool make_groups(patch_surface *s)
{
    clear_groups(s);
    sorted_patch *sorted = sort_patches(s);
    s->groups = sorted ? calloc(s->num_groups + 1, sizeof(*s->groups)) : NULL;
    if (s->groups)
        fill_groups(s, sorted);
    else
        s->num_groups = 0;
    free(sorted);
    return s->groups ? make_plans(s) : no_memory();
}

/* ---- the mesh ---- */

static uint64_t grid_triangles(const bezierview_batch *batch, const uint32_t num[2])
{
    const uint64_t u = num[0] - 1, v = num[1] - 1;
    return is_triangle(batch) ? u * u : 2 * u * v;
}

static size_t polyhedra_triangles(const mesh *m)
{
    size_t triangles = 0;
    for (size_t face = 0, count; face < m->num_faces; face++) {
        mesh_face(m, face, &count);
        triangles += count > 2 ? count - 2 : 0;
    }
    return triangles;
}

uint64_t patch_surface_triangles(const patch_surface *s, const uint32_t *num)
{
    uint64_t sum = polyhedra_triangles(&s->content->polyhedra);
    for (size_t i = 0; i < s->content->num_batches; i++)
        for (size_t k = 0; k < s->content->batches[i].num_patches; k++, num += 2)
            sum += grid_triangles(&s->content->batches[i], num);
    return sum;
}

/* Sets the marks of a patch's vertices. */
static void mark_patch(const patch_surface *s, const patch_group *g, size_t patch, view_mark *marks)
{
    const bezierview_type *type = &batch_of(s, g)->type;
    const view_mark mark = {.value = NAN,
                            .cells = {(float)(g->num[0] - 1), type->form == BEZIERVIEW_TRIANGLE
                                                                  ? -1
                                                                  : (float)(g->num[1] - 1)},
                            .patch = (uint32_t)patch};
    const size_t count = (size_t)tessellation_patch_points(type, g->num);
    for (size_t i = 0; i < count; i++)
        marks[s->firsts[patch] + i] = mark;
}

/* Lists the triangles of a group from an index on, and marks its vertices. Returns the index behind
   them; SIZE_MAX with a complaint. */
static size_t list_group(const patch_surface *s, const patch_group *g, size_t index, view_mesh *m)
{
    const clsp_range all = {0, g->num_patches};
    const clsp_output out = {
        .type = CLSP_U32, .host = m->indices + index, .size = m->num_indices - index};
    clsp_mesh_size size;
    if (!staging_check(s->ctx, clsp_patch_mesh_size(g->points, all, &size)) ||
        !staging_check(s->ctx, clsp_patch_indices(g->points, CLSP_FACES_TRIANGLES, all, out, NULL)))
        return SIZE_MAX;
    for (size_t i = 0; i < 3 * size.triangles; i++)
        m->indices[index + i] += (uint32_t)g->first_vertex;
    for (size_t i = 0; i < g->num_patches; i++)
        mark_patch(s, g, g->first_patch + g->patches[i], m->marks);
    return index + 3 * size.triangles;
}

/* Lists the triangles of the polyhedra, each of whose corners is a vertex, and marks these. */
static void list_polyhedra(const patch_surface *s, size_t index, view_mesh *m)
{
    const mesh *rest = &s->content->polyhedra;
    const size_t base = s->num_vertices;
    for (size_t face = 0; face < rest->num_faces; face++) {
        size_t count;
        const size_t first = base + (size_t)(mesh_face(rest, face, &count) - rest->corners);
        for (size_t i = 0; i < count; i++)
            m->marks[first + i] = (view_mark){.value = s->face_values ? s->face_values[face] : NAN,
                                              .patch = (uint32_t)s->num_patches};
        for (size_t i = 1; i + 1 < count; i++) {
            m->indices[index++] = (uint32_t)first;
            m->indices[index++] = (uint32_t)(first + i);
            m->indices[index++] = (uint32_t)(first + i + 1);
        }
    }
}

size_t patch_surface_vertices(const patch_surface *s)
{
    return s->num_vertices + s->content->polyhedra.num_corners;
}

bool patch_surface_set_samples(patch_surface *s, const uint32_t *num, size_t curve_vertices,
                               size_t curves, view_mesh *m)
{
    memcpy(s->num, num, 2 * s->num_patches * sizeof(*num));
    if (!make_groups(s)) return false;
    const size_t triangles = (size_t)patch_surface_triangles(s, num);
    if (!view_mesh_make(m, patch_surface_vertices(s) + curve_vertices, 3 * triangles, curves))
        return no_memory();
    size_t index = 0;
    for (const patch_group *g = s->groups; g < s->groups + s->num_groups; g++) {
        index = list_group(s, g, index, m);
        if (index == SIZE_MAX) return false;
    }
    list_polyhedra(s, index, m);
    return true;
}

/* ---- vertices ---- */

static bool eval_plan(const patch_surface *s, const patch_group *g, clsp_patch_plan *plan,
                      const vertex_target *to)
{
    const size_t each = (size_t)tessellation_patch_points(&batch_of(s, g)->type, g->num);
    return staging_check(
        s->ctx,
        clsp_patch_eval(plan, (clsp_range){0, g->num_patches},
                        vertex_target_output(to, g->first_vertex, each * g->num_patches), NULL));
}

static bool eval_group(const patch_surface *s, patch_group *g, bool curvature,
                       const vertex_target *to)
{
    const uint32_t attributes = attributes_of(batch_of(s, g), curvature);
    return (attributes == g->attributes || make_points(s, g, attributes)) &&
           eval_plan(s, g, g->points, to) && (!g->normals || eval_plan(s, g, g->normals, to));
}

/* Gives equal edges equal points. */
static bool weld(patch_surface *s, float *vertices)
{
    static const size_t none = 0;
    bool done = true;
    for (size_t patch = 0; done && patch < s->num_patches; patch++) {
        const seam_vertices welded = {.precision = MESH_F32,
                                      .reals = vertices + VIEW_STRIDE * s->firsts[patch],
                                      .stride = VIEW_STRIDE,
                                      .first_patch = patch,
                                      .num_patches = 1,
                                      .firsts = &none};
        done = seams_weld(&s->edges, s->num, &welded);
    }
    return done || no_memory();
}

void patch_surface_corners(const patch_surface *s, float *corners)
{
    const mesh *m = &s->content->polyhedra;
    float *next = corners;
    for (size_t i = 0; i < m->num_corners; i++, next += VIEW_STRIDE) {
        memset(next, 0, VIEW_STRIDE * sizeof(float));
        for (size_t k = 0; k < 3; k++) {
            next[VIEW_POINT + k] = (float)m->positions[3 * (size_t)m->corners[i] + k];
            next[VIEW_NORMAL + k] = (float)s->corner_normals[3 * i + k];
        }
    }
}

bool patch_surface_eval(patch_surface *s, bool curvature, const vertex_target *to)
{
    for (patch_group *g = s->groups; g < s->groups + s->num_groups; g++)
        if (!eval_group(s, g, curvature, to)) return false;
    if (!to->host) return true;
    patch_surface_corners(s, to->host + VIEW_STRIDE * s->num_vertices);
    return weld(s, to->host);
}

void patch_surface_places(const patch_surface *s, uint32_t *place)
{
    seams_places(&s->edges, s->num, s->firsts, place);
}

void patch_surface_close(patch_surface *s)
{
    clear_groups(s);
    seams_clear(&s->edges);
    free(s->num);
    free(s->firsts);
    free(s->members);
    free(s->corner_normals);
    *s = (patch_surface){.ctx = NULL};
}
