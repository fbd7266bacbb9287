#include "patch_info.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#include "command.h"
#include "evaluate.h"
#include "info_box.h"

enum { SAMPLES = 65 }; /* odd: each second one is taken too, to extrapolate the area */

/* What is measured on the surface. */
typedef struct survey {
    const mesh_grid *next; /* of the patch that comes next */
    info_box points;
    double fine, coarse; /* areas of triangles, on all samples and on each second one */
} survey;

/* A file and what was found in it. */
typedef struct info {
    const char *name;
    bezierview content;
    seams edges;
    tessellation grids;
    info_box controls;
    survey found;
} info;

static double triangle_area(const double p[3], const double q[3], const double r[3])
{
    double a[3], b[3];
    for (int axis = 0; axis < 3; axis++) {
        a[axis] = q[axis] - p[axis];
        b[axis] = r[axis] - p[axis];
    }
    return hypot(hypot(a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2]),
                 a[0] * b[1] - a[1] * b[0]) /
           2;
}

/* Vertices of one patch. */
typedef struct patch_points {
    const mesh_vertices *v;
    size_t first;
    const mesh_grid *grid;
} patch_points;

static void get_point(const patch_points *p, size_t a, size_t b, double position[3])
{
    const mesh_grid *g = p->grid;
    const size_t row = g->triangle ? a * g->num_u - a * (a - 1) / 2 : a * g->num_v;
    get_triple(p->v, p->v->positions, (p->first + row + b) * p->v->stride, position);
}

/* The area of the triangles between each step-th sample. */
static double patch_area(const patch_points *p, size_t step)
{
    double area = 0, corners[4][3];
    const mesh_grid *g = p->grid;
    for (size_t a = 0; a + step < g->num_u; a += step) {
        for (size_t b = 0; b + step < (g->triangle ? g->num_u - a : g->num_v); b += step) {
            get_point(p, a, b, corners[0]);
            get_point(p, a + step, b, corners[1]);
            get_point(p, a, b + step, corners[2]);
            area += triangle_area(corners[0], corners[1], corners[2]);
            if (g->triangle && a + b + 2 * step >= g->num_u) continue;
            get_point(p, a + step, b + step, corners[3]);
            area += triangle_area(corners[1], corners[3], corners[2]);
        }
    }
    return area;
}

static bool take(void *user, const mesh_vertices *v)
{
    survey *s = user;
    for (size_t first = 0; first < v->count; s->next++) {
        const patch_points patch = {v, first, s->next};
        s->fine += patch_area(&patch, 1);
        s->coarse += patch_area(&patch, 2);
        first += mesh_grid_points(s->next);
    }
    for (size_t i = 0; i < v->count; i++) {
        double position[3];
        get_triple(v, v->positions, i * v->stride, position);
        info_box_grow(&s->points, position);
    }
    return true;
}

static void survey_polyhedra(info *f)
{
    const mesh *m = &f->content.polyhedra;
    for (size_t i = 0; i < m->num_vertices; i++) {
        info_box_grow(&f->controls, m->positions + 3 * i);
        info_box_grow(&f->found.points, m->positions + 3 * i);
    }
    for (size_t face = 0; face < m->num_faces; face++) {
        size_t count;
        const uint32_t *corners = mesh_face(m, face, &count);
        for (size_t i = 1; i + 1 < count; i++) {
            double area = triangle_area(m->positions + 3 * (size_t)corners[0],
                                        m->positions + 3 * (size_t)corners[i],
                                        m->positions + 3 * (size_t)corners[i + 1]);
            f->found.fine += area;
            f->found.coarse += area;
        }
    }
}

static void survey_controls(info *f)
{
    for (size_t i = 0; i < f->content.num_batches; i++) {
        const bezierview_batch *batch = &f->content.batches[i];
        const size_t coordinates = bezierview_coordinates(&batch->type);
        for (size_t at = 0; at < batch->num_reals; at += coordinates) {
            const double *p = batch->points + at, w = batch->type.rational ? p[3] : 1;
            info_box_grow(&f->controls, (const double[3]){p[0] / w, p[1] / w, p[2] / w});
        }
    }
}

/* ---- printing ---- */

static void print_type(const bezierview_type *type, size_t count)
{
    printf("  %-12s %lu ", "patches", (unsigned long)count);
    if (type->form == BEZIERVIEW_TRIANGLE)
        printf("%striangles of degree %u", type->has_normals ? "PN " : "", type->degree_u);
    else
        printf("%s%s of degrees %u x %u", type->rational ? "rational " : "",
               type->has_normals ? "PN quads" : "surfaces", type->degree_u, type->degree_v);
    fputc('\n', stdout);
}

/* The error of both sums is of second order in the step (Richardson). */
static double extrapolate(const survey *s)
{
    return s->fine + (s->fine - s->coarse) / 3;
}

static void print_text(const info *f)
{
    const bezierview *c = &f->content;
    printf("%s\n", f->name);
    for (size_t i = 0; i < c->num_batches; i++)
        print_type(&c->batches[i].type, c->batches[i].num_patches);
    if (c->polyhedra.num_vertices > 0)
        printf("  %-12s %lu vertices, %lu faces\n", "polyhedra",
               (unsigned long)c->polyhedra.num_vertices, (unsigned long)c->polyhedra.num_faces);
    info_box_print(&f->controls, "control box");
    info_box_print(&f->found.points, "box");
    printf("  %-12s %.6g\n", "area", extrapolate(&f->found));
}

static void print_json(const info *f, json_list *list)
{
    const bezierview *c = &f->content;
    cJSON *o = json_object(list), *polyhedra;
    json_add_text(list, o, "file", f->name);
    cJSON *patches = json_add_array(list, o, "patches");
    for (size_t i = 0; i < c->num_batches; i++) {
        const bezierview_type *type = &c->batches[i].type;
        cJSON *kind = json_add_object(list, patches, NULL);
        json_add_text(list, kind, "form",
                      type->form == BEZIERVIEW_TRIANGLE ? "triangle" : "surface");
        json_add_bool(list, kind, "rational", type->rational);
        json_add_bool(list, kind, "pn", type->has_normals);
        json_add_reals(list, kind, "degrees", (const double[]){type->degree_u, type->degree_v}, 2);
        json_add_count(list, kind, "count", c->batches[i].num_patches);
    }
    polyhedra = json_add_object(list, o, "polyhedra");
    json_add_count(list, polyhedra, "vertices", c->polyhedra.num_vertices);
    json_add_count(list, polyhedra, "faces", c->polyhedra.num_faces);
    info_box_json(&f->controls, list, o, "control_box");
    info_box_json(&f->found.points, list, o, "box");
    json_add_real(list, o, "area", extrapolate(&f->found));
    json_list_print(list, o);
}

/* ---- files ---- */

static bool open_device(patch_info_device *d)
{
    clsp_device_info device_info = {0};
    if (d->ctx) return true;
    if (!open_context(&d->ctx, d->name, VERBOSITY_NORMAL)) return false;
    d->precision = MESH_F32;
    if (clsp_context_device(d->ctx, &device_info) == CLSP_OK && device_info.fp64)
        d->precision = MESH_F64;
    return true;
}

/* Whether the numbers of patches are ones in the precision too; complains of one that is not. */
static bool check_range(const info *f, mesh_precision precision)
{
    if (precision == MESH_F64) return true;
    for (size_t i = 0; i < f->content.num_batches; i++) {
        const bezierview_batch *batch = &f->content.batches[i];
        for (size_t k = 0; k < batch->num_reals; k++) {
            const bool is_weight = batch->type.rational && k % 4 == 3;
            if (fabs(batch->points[k]) <= FLT_MAX && (!is_weight || (float)batch->points[k] > 0))
                continue;
            complain("%s: %g is not in the range of float, and the device has no double precision",
                     f->name, batch->points[k]);
            return false;
        }
    }
    return true;
}

static bool survey_patches(info *f, clsp_context *ctx, mesh_precision precision)
{
    mesh_times times = {0};
    const mesh_sink sink = {take, &f->found};
    evaluate_task task = {.source = {.name = f->name, .precision = precision, .streamed = true},
                          .ctx = ctx,
                          .content = &f->content,
                          .edges = &f->edges,
                          .grids = &f->grids,
                          .times = &times};
    bool done =
        seams_find(&f->edges, &f->content) && tessellation_uniform(&f->grids, &f->content, SAMPLES);
    if (!done) complain("%s: not enough memory", f->name);
    done = done && evaluate_begin(&task);
    f->found.next = task.source.grids;
    done = done && task.source.make(&task.source, &sink);
    evaluate_end(&task);
    return done;
}

bool patch_info_show(const char *path, patch_info_device *d, json_list *list)
{
    io_message message;
    info f = {.name = path, .controls = info_box_none(3), .found = {.points = info_box_none(3)}};
    bool done = bezierview_add(&f.content, f.name, MESH_F64, &message);
    if (!done) complain("%s", message.text);
    if (done && f.content.num_batches > 0)
        done = open_device(d) && check_range(&f, d->precision) &&
               survey_patches(&f, d->ctx, d->precision);
    if (done) {
        survey_controls(&f);
        survey_polyhedra(&f);
        if (list)
            print_json(&f, list);
        else
            print_text(&f);
    }
    tessellation_clear(&f.grids);
    seams_clear(&f.edges);
    bezierview_clear(&f.content);
    return done;
}
