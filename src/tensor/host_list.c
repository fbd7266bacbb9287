#include "host_list.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "float_state.h"
#include "list_spans.h"
#include "list_sums.h"
#include "tensor_share.h"
#include "vertex_layout.h"

enum {
    EDGE_MARGIN = 4, /* of what tangents on edges may be off by: they are looked at again there */
    COORDS = 5,
    ELEMENTS_MAX = 20 /* of a vertex: a point, a weight, two derivatives, a normal, parameters */
};

/* What is read of a plan when its lists are made, which may be when the plan is gone. */
struct clspi_list_recipe {
    atomic_uint references;
    clspi_tensor_desc desc; /* its axes and what its basis works on belong to the plan */
    size_t patch_reals;
    clspi_list_spans spans[2]; /* of splines */
};

/* A chunk on its way from parameters to vertices. */
typedef struct list_chunk {
    clspi_list_chunk sums;
    clspi_vertex_source source;
    double sum[3][CLSPI_LIST_CHUNK * COORDS], largest[2][CLSPI_LIST_CHUNK];
    double param[2][CLSPI_LIST_CHUNK], none[CLSPI_LIST_CHUNK]; /* of the plan's reals */
    bool is_lost[CLSPI_LIST_CHUNK]; /* a parameter is NaN, or there is no such patch */
    double near;                    /* parameters to here are on the edge that they begin at */
} list_chunk;

static bool has(const clspi_tensor_desc *d, uint32_t attributes)
{
    return (d->vertex.attributes & attributes) != 0;
}

/* Tells whether functions are Bernstein polynomials whose derivatives the host makes. */
static bool is_bernstein(const clspi_tensor_desc *d)
{
    return d->basis.is_bernstein && !d->basis.factors;
}

/* Tells whether functions are splines whose spans take little memory and that have the derivatives
   asked for, wherever a parameter is. */
static bool is_spline(const clspi_tensor_desc *d)
{
    bool is = d->basis.num_spans && clspi_list_spans_fit(d);

    for (cl_uint k = 0; k < d->directions && is && clspi_list_has_slopes(d); k++)
        is = !d->basis.has_kinks(d->basis.user, k);
    return is;
}

/* Returns the degree along a direction, 0 where there is none. */
static uint32_t degree_of(const clspi_tensor_desc *d, cl_uint direction)
{
    return direction < d->directions ? d->degrees[direction] : 0;
}

bool clspi_host_list_fits(const clspi_tensor_plan *plan)
{
    const uint32_t plain = CLSP_VERTEX_POINT | CLSP_VERTEX_WEIGHT | CLSP_VERTEX_PARAMS;
    const uint32_t slopes = CLSP_VERTEX_DU | CLSP_VERTEX_DV;
    const clspi_tensor_desc *const d = &plan->desc;
    const uint32_t normals = is_bernstein(d) ? CLSP_VERTEX_NORMAL : 0;

    return d->directions <= 2 && !d->is_triangle && d->own_bases == 0 &&
           (is_bernstein(d) || is_spline(d)) && d->degrees[0] <= CLSPI_LIST_DEGREE &&
           degree_of(d, 1) <= CLSPI_LIST_DEGREE &&
           !has(d, ~(d->rational ? plain : plain | slopes | normals));
}

bool clspi_host_list_prepare(clspi_tensor_plan *plan)
{
    if (plan->list_recipe) return true;
    clspi_list_recipe *const recipe = calloc(1, sizeof *recipe);
    bool is_done = recipe != NULL;

    if (!is_done) return false;
    atomic_init(&recipe->references, 1);
    recipe->desc = plan->desc;
    recipe->patch_reals = plan->patch_reals;
    for (cl_uint k = 0; k < plan->desc.directions && plan->desc.basis.num_spans; k++)
        is_done = is_done && clspi_list_spans_make(&recipe->spans[k], &plan->desc, k);
    if (is_done)
        plan->list_recipe = recipe;
    else
        clspi_list_recipe_release(recipe);
    return is_done;
}

clspi_list_recipe *clspi_list_recipe_retain(clspi_list_recipe *recipe)
{
    atomic_fetch_add(&recipe->references, 1);
    return recipe;
}

void clspi_list_recipe_release(clspi_list_recipe *recipe)
{
    if (!recipe || atomic_fetch_sub(&recipe->references, 1) > 1) return;
    for (int k = 0; k < 2; k++)
        clspi_list_spans_release(&recipe->spans[k]);
    free(recipe);
}

double clspi_host_list_ns(const clspi_tensor_plan *plan)
{
    const clspi_tensor_desc *const d = &plan->desc;
    const double sums = has(d, CLSP_VERTEX_DU | CLSP_VERTEX_DV | CLSP_VERTEX_NORMAL) ? 3 : 1;
    const double terms = ((double)d->degrees[0] + 1) * ((double)degree_of(d, 1) + 1);

    return 10 + sums * terms * clspi_coords(d) * 0.5;
}

/* Reads a real at any address. */
static double real_at(bool is_double, const char *at)
{
    float narrow;
    double wide;

    if (is_double) {
        memcpy(&wide, at, sizeof wide);
        return wide;
    }
    memcpy(&narrow, at, sizeof narrow);
    return (double)narrow;
}

static void set_real(bool is_double, void *reals, size_t i, double x)
{
    if (is_double)
        ((double *)reals)[i] = x;
    else
        ((float *)reals)[i] = (float)x;
}

/* ---- what points are made of ---- */

/* Takes over the patches of a chunk's points: places[p] is where the first control point of one
   is, in reals. Patch 0 is taken in the place of one that is not there. */
static void take_items(list_chunk *c, const clspi_list_recipe *recipe, const clspi_host_list *list,
                       size_t first, size_t *places)
{
    const char *const items = list->items ? list->items + first * sizeof(uint32_t) : NULL;
    const size_t num_patches = list->num_patches, patch_reals = recipe->patch_reals;

    memset(places, 0, c->sums.num * sizeof *places);
    memset(c->is_lost, 0, sizeof c->is_lost);
    for (size_t p = 0; p < c->sums.num && items; p++) {
        uint32_t item;
        memcpy(&item, items + p * sizeof item, sizeof item);
        const bool is_there = item < num_patches;
        places[p] = is_there ? item * patch_reals : 0;
        c->is_lost[p] = !is_there;
    }
}

/* Reads the parameters of a chunk's points along direction k, and brings them into the domain. NaN
   is taken where that begins. */
static void take_params(list_chunk *c, const clspi_tensor_desc *d, const clspi_host_list *list,
                        size_t first, int k, double *within)
{
    const bool is_double = d->precision == CLSP_F64;
    const double begin = d->domain[k][0], end = d->domain[k][1];
    const size_t step = list->point_step;
    const char *const from = list->params + first * step + (size_t)k * list->direction_step;

    for (size_t p = 0; p < c->sums.num && is_double; p++)
        within[p] = real_at(true, from + p * step);
    for (size_t p = 0; p < c->sums.num && !is_double; p++)
        within[p] = real_at(false, from + p * step);
    for (size_t p = 0; p < c->sums.num; p++) {
        const double x = within[p];
        c->is_lost[p] |= isnan(x) != 0;
        within[p] = !(x > begin) ? begin : x > end ? end : x;
    }
    for (size_t p = 0; p < c->sums.num && is_double; p++)
        c->param[k][p] = within[p];
    for (size_t p = 0; p < c->sums.num && !is_double; p++)
        ((float *)c->param[k])[p] = (float)within[p];
}

/* Finds the spans of parameters along direction k: what counts there, where the parameters are in
   them, and how far on the first control point is. */
static void take_spans(list_chunk *c, const clspi_list_recipe *recipe, int k, const double *within,
                       size_t *places)
{
    const clspi_list_spans *const spans = &recipe->spans[k];
    const clspi_tensor_desc *const d = &recipe->desc;
    const bool is_double = d->precision == CLSP_F64;
    const size_t order = spans->order, coords = clspi_coords(d);
    const size_t step = k == 0 ? d->controls[1] * coords : coords;
    double *const x = c->sums.x[k], *const y = c->sums.y[k];

    for (size_t p = 0; p < c->sums.num; p++) {
        const size_t span = clspi_list_span_of(spans, within[p], is_double);
        const double *const ends = spans->ends + 2 * span;
        x[p] = within[p] > ends[0] ? within[p] - ends[0] : 0;
        y[p] = within[p] < ends[1] ? ends[1] - within[p] : 0;
        c->sums.functions[k][p] = spans->functions + span * order * order;
        c->sums.slopes[k][p] =
            spans->slopes ? spans->slopes + span * (order - 1) * (order - 1) : NULL;
        places[p] += spans->first[span] * step;
    }
    for (size_t p = 0; p < c->sums.num; p++) {
        const double length = x[p] + y[p];
        x[p] /= length;
        y[p] /= length;
    }
}

/* Takes over the points of a chunk, which begins at point `first` of the list. */
static void take_points(list_chunk *c, const clspi_list_recipe *recipe, const clspi_host_list *list,
                        size_t first)
{
    const clspi_tensor_desc *const d = &recipe->desc;
    const size_t real = clsp_type_bytes(d->precision);
    double within[CLSPI_LIST_CHUNK];
    size_t places[CLSPI_LIST_CHUNK];

    take_items(c, recipe, list, first, places);
    for (int k = 0; k < (int)d->directions; k++) {
        take_params(c, d, list, first, k, within);
        if (c->sums.has_functions)
            take_spans(c, recipe, k, within, places);
        else
            for (size_t p = 0; p < c->sums.num; p++) {
                c->sums.x[k][p] = within[p];
                c->sums.y[k][p] = 1 - within[p];
            }
    }
    for (size_t p = 0; p < c->sums.num; p++)
        c->sums.patch[p] = (const char *)list->points + places[p] * real;
}

/* Says which sums there are, of a description whose vertices have these. */
static void choose_sums(list_chunk *c, const clspi_tensor_desc *d)
{
    const uint32_t attribute[3] = {CLSP_VERTEX_POINT | CLSP_VERTEX_WEIGHT, CLSP_VERTEX_DU,
                                   CLSP_VERTEX_DV};
    static const double one = 1;
    const bool normals = has(d, CLSP_VERTEX_NORMAL);

    c->sums.degree[0] = d->degrees[0];
    c->sums.degree[1] = degree_of(d, 1);
    c->sums.coords = clspi_coords(d);
    c->sums.row = (size_t)d->controls[1] * c->sums.coords;
    c->sums.has_functions = d->basis.num_spans != NULL;
    /* 1 less it rounds to 1: the neighbour of a watertight patch takes it for its end */
    c->near = !d->watertight ? 0 : d->precision == CLSP_F64 ? 0x1p-54 : 0x1p-25;
    c->source = (clspi_vertex_source){0};
    for (int k = 0; k < 3; k++) {
        const bool wanted = has(d, attribute[k]) || (k > 0 && normals);
        const bool is_there = wanted && (k == 0 || degree_of(d, (cl_uint)k - 1) > 0);
        c->sums.sum[k] = is_there ? c->sum[k] : NULL;
        c->source.sum[k] = c->sums.sum[k];
    }
    for (int k = 0; k < 2; k++) {
        c->sums.largest[k] = normals && c->sums.sum[k + 1] ? c->largest[k] : NULL;
        c->source.largest[k][0] = c->sums.largest[k] ? c->largest[k] : c->none;
        c->source.largest[k][1] = c->none;
        c->source.param[k] = c->param[k];
    }
    for (size_t p = 0; p < CLSPI_LIST_CHUNK; p++) /* of curves; else points have their own */
        c->sums.functions[1][p] = &one;
    memset(c->none, 0, sizeof c->none);
    memset(c->param, 0, sizeof c->param);
    memset(c->sums.x, 0, sizeof c->sums.x);
    memset(c->sums.y, 0, sizeof c->sums.y);
}

static bool on_side(const list_chunk *c, int direction, size_t p)
{
    return c->sums.x[direction][p] <= c->near || c->sums.x[direction][p] == 1;
}

/* Enlarges what tangents on edges may be off by. */
static void add_margins(list_chunk *c, bool is_double)
{
    const size_t bytes = is_double ? sizeof(double) : sizeof(float);

    for (size_t p = 0; p < c->sums.num; p++)
        for (int k = 0; k < 2 && (on_side(c, 0, p) || on_side(c, 1, p)); k++)
            if (c->sums.largest[k])
                set_real(is_double, c->largest[k], p,
                         EDGE_MARGIN * real_at(is_double, (const char *)c->largest[k] + p * bytes));
}

/* ---- vertices ---- */

/* Makes the normal of a point on a side again, if it was lost, and what is watertight. */
static void make_side(const list_chunk *c, const clspi_tensor_desc *d,
                      const clspi_vertex_functions *functions, const clspi_vertex_shape *shape,
                      int across, size_t p, char *vertex)
{
    const bool ends = c->sums.x[across][p] > 0.5;
    const ptrdiff_t coords = (ptrdiff_t)c->sums.coords;
    const ptrdiff_t steps[2] = {(ptrdiff_t)d->controls[1] * coords, coords};
    const size_t corner = ends ? (size_t)(d->controls[across] - 1) * (size_t)steps[across] : 0;
    const clspi_edge edge = {.corner =
                                 (const char *)c->sums.patch[p] + corner * functions->real_bytes,
                             .degree = d->degrees[1 - across],
                             .depth = d->controls[across],
                             .step_t = steps[1 - across],
                             .step_n = ends ? -steps[across] : steps[across],
                             .right_handed = (across == 0) == !ends,
                             .watertight = d->watertight,
                             .end = 1,
                             .params = &c->sums.x[1 - across][p],
                             .num = 1,
                             .count = 1,
                             .out = vertex};

    functions->edge(shape, &edge);
}

/* Makes what points on edges have of these. */
static void make_sides(const list_chunk *c, const clspi_tensor_desc *d,
                       const clspi_vertex_functions *functions, const clspi_vertex_shape *shape,
                       char *out)
{
    const size_t vertex = clspi_vertex_bytes(d);

    for (size_t p = 0; p < c->sums.num; p++)
        for (int k = 2; k-- > 0;) /* corners are those along u: last */
            if (on_side(c, k, p) && !c->is_lost[p])
                make_side(c, d, functions, shape, k, p, out + p * vertex);
}

/* Returns how many elements a vertex has of a part. */
static uint32_t elements_of(const clspi_tensor_desc *d, unsigned part)
{
    return part == CLSPI_PART_WEIGHT ? 1 : part == CLSPI_PART_PARAMS ? d->directions : d->dim;
}

/* Writes NaN to all attributes of a vertex. */
static void lose_vertex(const clspi_tensor_desc *d, const clspi_vertex_shape *shape, char *vertex)
{
    static const uint16_t half_nan = 0x7e00;
    const size_t element = clsp_type_bytes(d->vertex.type);

    for (unsigned k = 0; k < CLSPI_PARTS; k++)
        for (uint32_t e = 0; e < elements_of(d, k) && shape->at[k] >= 0; e++) {
            char *const to = vertex + ((size_t)shape->at[k] + e) * element;
            if (d->vertex.type == CLSP_F16)
                memcpy(to, &half_nan, sizeof half_nan);
            else
                set_real(d->vertex.type == CLSP_F64, to, 0, (double)NAN);
        }
}

/* Makes vertices of the sums that are there, those of a block that is not full aside: compilers may
   fuse other products at the end of a loop, and a list has the same bits however it is cut. */
static void make_vertices(list_chunk *c, const clspi_tensor_desc *d,
                          const clspi_vertex_functions *functions, const clspi_vertex_shape *shape,
                          char *out)
{
    const size_t num = c->sums.num, full = num / CLSPI_LIST_BLOCK * CLSPI_LIST_BLOCK;
    const size_t element = clsp_type_bytes(d->vertex.type), vertex = clspi_vertex_bytes(d);
    double aside[CLSPI_LIST_CHUNK * ELEMENTS_MAX];
    clspi_vertex_shape packed = *shape;

    c->source.count = full;
    if (full == num) {
        functions->make(shape, &c->source, out);
        return;
    }
    packed.stride = 0;
    for (unsigned k = 0; k < CLSPI_PARTS; k++)
        if (shape->at[k] >= 0) {
            packed.at[k] = (int32_t)packed.stride;
            packed.stride += elements_of(d, k);
        }
    c->source.count = full + CLSPI_LIST_BLOCK;
    functions->make(&packed, &c->source, aside);
    for (size_t p = 0; p < num; p++)
        for (unsigned k = 0; k < CLSPI_PARTS; k++)
            if (shape->at[k] >= 0)
                memcpy(out + p * vertex + (size_t)shape->at[k] * element,
                       (const char *)aside + (p * packed.stride + (size_t)packed.at[k]) * element,
                       elements_of(d, k) * element);
}

static const clspi_vertex_functions *functions_of(const clspi_tensor_desc *d)
{
    return d->precision == CLSP_F64 ? &clspi_vertex_functions_f64 : &clspi_vertex_functions_f32;
}

/* Makes the vertices of a chunk whose points have been taken over. */
static void make_chunk(list_chunk *c, const clspi_tensor_desc *d, const clspi_vertex_shape *shape,
                       char *out)
{
    const bool is_double = d->precision == CLSP_F64;
    const clspi_vertex_functions *const functions = functions_of(d);
    const size_t vertex = clspi_vertex_bytes(d);

    (is_double ? clspi_list_sums_f64 : clspi_list_sums_f32)(&c->sums);
    add_margins(c, is_double);
    for (int k = 0; k < 2; k++)
        if (d->directions == 2 && c->sums.largest[k])
            functions->invert(c->largest[k], clspi_round_up(c->sums.num, CLSPI_LIST_BLOCK));
    make_vertices(c, d, functions, shape, out);
    if (d->watertight || has(d, CLSP_VERTEX_NORMAL)) make_sides(c, d, functions, shape, out);
    for (size_t p = 0; p < c->sums.num; p++)
        if (c->is_lost[p]) lose_vertex(d, shape, out + p * vertex);
}

void clspi_host_list_make(const clspi_list_recipe *recipe, const clspi_host_list *list,
                          const clspi_part *part, char *out)
{
    const clspi_tensor_desc *const d = &recipe->desc;
    const clspi_float_state before = clspi_float_flush(d->precision == CLSP_F32 && !d->rational);
    clspi_vertex_shape shape = clspi_vertex_shape_of(d);
    list_chunk c;

    if (list->only_edges) shape.at[CLSPI_PART_NORMAL] = -1;
    choose_sums(&c, d);
    for (size_t done = 0; done < part->num_lines; done += c.sums.num) {
        char *const to = out + done * clspi_vertex_bytes(d);
        c.sums.num = clspi_min(CLSPI_LIST_CHUNK, part->num_lines - done);
        take_points(&c, recipe, list, part->piece + done);
        if (list->only_edges)
            make_sides(&c, d, functions_of(d), &shape, to);
        else
            make_chunk(&c, d, &shape, to);
    }
    clspi_float_state_set(before);
}
