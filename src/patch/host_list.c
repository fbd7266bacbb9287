#include "host_list.h"

#include <math.h>
#include <string.h>

#include "check.h"
#include "float_state.h"
#include "list_sums.h"
#include "recipe_points.h"
#include "vertex_layout.h"

enum {
    EDGE_MARGIN = 4, /* of what tangents on edges may be off by: they are looked at again there */
    COORDS = 5
};

_Static_assert(CLSPI_LIST_CHUNK *(4 + 1 + 2 * 4 + 3 + 2) <= CLSPI_FIRST_ELEMENTS,
               "of vertices: a point, a weight, two derivatives, a normal, parameters");

static const double side_width = 0x1p-22; /* more than rounding takes from a parameter on a side */

/* A chunk on its way from parameters to vertices. */
typedef struct list_chunk {
    clspi_list_chunk sums;
    clspi_vertex_source source;
    double sum[3][CLSPI_LIST_CHUNK * COORDS], largest[2][CLSPI_LIST_CHUNK];
    double param[2][CLSPI_LIST_CHUNK], none[CLSPI_LIST_CHUNK]; /* of the plan's reals */
    bool is_lost[CLSPI_LIST_CHUNK]; /* a parameter is NaN, or there is no such patch */
} list_chunk;

static bool has(const clspi_tensor_desc *d, uint32_t attributes)
{
    return (d->vertex.attributes & attributes) != 0;
}

/* Returns the degree along a direction, 0 where there is none. */
static uint32_t degree_of(const clspi_tensor_desc *d, uint32_t direction)
{
    return direction < d->directions ? d->degrees[direction] : 0;
}

double clspi_host_list_ns(const clsp_patch_plan *plan)
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
    c->source = (clspi_vertex_source){0};
    for (int k = 0; k < 3; k++) {
        const bool wanted = has(d, attribute[k]) || (k > 0 && normals);
        const bool is_there = wanted && (k == 0 || degree_of(d, (uint32_t)k - 1) > 0);
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

/* Tells whether a point may be on a side. */
static bool on_side(const list_chunk *c, int direction, size_t p)
{
    const double x = c->sums.x[direction][p];

    return x <= side_width || x >= 1 - side_width;
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

/* Takes over at most CLSPI_POINT_CHUNK points of a list. */
static void take_chunk(const clspi_list_recipe *recipe, const clspi_host_list *list, size_t first,
                       size_t num, clspi_point *points)
{
    const clspi_tensor_desc *const d = &recipe->desc;
    const bool is_double = d->precision == CLSP_F64;

    for (size_t p = 0; p < num; p++) {
        const char *const from = list->params + (first + p) * list->point_step;
        uint32_t item = 0;
        if (list->items) memcpy(&item, list->items + (first + p) * sizeof item, sizeof item);
        clspi_point_begin(recipe, list->points, item, list->num_patches, &points[p]);
        for (uint32_t k = 0; k < d->directions; k++)
            clspi_point_at(recipe, points[p].is_lost ? 0 : item, k,
                           real_at(is_double, from + k * list->direction_step), &points[p]);
    }
}

/* Makes what points on sides have of their own. */
static void make_sides(const list_chunk *c, const clspi_list_recipe *recipe,
                       const clspi_host_list *list, size_t first, char *out)
{
    const size_t vertex = clspi_vertex_bytes(&recipe->desc);
    clspi_point point;

    for (size_t p = 0; p < c->sums.num; p++)
        if (on_side(c, 0, p) || on_side(c, 1, p)) {
            take_chunk(recipe, list, first + p, 1, &point);
            clspi_point_sides(&recipe->maker, &point, 1, out + p * vertex);
        }
}

/* Makes the vertices of a chunk whose points have been taken over. */
static void make_chunk(list_chunk *c, const clspi_tensor_desc *d, const clspi_vertex_shape *shape,
                       char *out)
{
    const bool is_double = d->precision == CLSP_F64;
    const clspi_vertex_functions *const functions =
        is_double ? &clspi_vertex_functions_f64 : &clspi_vertex_functions_f32;

    (is_double ? clspi_list_sums_f64 : clspi_list_sums_f32)(&c->sums);
    add_margins(c, is_double);
    for (int k = 0; k < 2; k++)
        if (d->directions == 2 && c->sums.largest[k])
            functions->invert(c->largest[k], clspi_round_up(c->sums.num, CLSPI_LIST_BLOCK));
    c->source.count = clspi_round_up(c->sums.num, CLSPI_LIST_BLOCK);
    clspi_first_vertices(functions, shape, &c->source, c->sums.num, out);
}

/* Makes a part of a list whose sums are quick. */
static void make_quick(const clspi_list_recipe *recipe, const clspi_host_list *list,
                       const clspi_part *part, char *out)
{
    const clspi_tensor_desc *const d = &recipe->desc;
    const bool flushes = d->precision == CLSP_F32 && !d->rational;
    const size_t vertex = clspi_vertex_bytes(d);
    list_chunk c;

    choose_sums(&c, d);
    for (size_t done = 0; done < part->num_lines; done += c.sums.num) {
        char *const to = out + done * vertex;
        const clspi_float_state before = clspi_float_flush(flushes);
        c.sums.num = clspi_min(CLSPI_LIST_CHUNK, part->num_lines - done);
        take_points(&c, recipe, list, part->piece + done);
        make_chunk(&c, d, &recipe->maker.vertex, to);
        clspi_float_state_set(before);
        if (d->watertight || has(d, CLSP_VERTEX_NORMAL))
            make_sides(&c, recipe, list, part->piece + done, to);
        for (size_t p = 0; p < c.sums.num; p++)
            if (c.is_lost[p]) clspi_point_lose(&recipe->maker.vertex, to + p * vertex);
    }
}

void clspi_host_list_make(const clspi_list_recipe *recipe, const clspi_host_list *list,
                          const clspi_part *part, char *out)
{
    const size_t vertex = clspi_vertex_bytes(&recipe->desc);
    clspi_point_maker maker = recipe->maker;
    clspi_point points[CLSPI_POINT_CHUNK];

    if (recipe->is_quick && !list->only_edges) {
        make_quick(recipe, list, part, out);
        return;
    }
    if (list->only_edges) maker.vertex.at[ATTRIBUTE_NORMAL] = -1;
    for (size_t done = 0, num; done < part->num_lines; done += num) {
        num = clspi_min(CLSPI_POINT_CHUNK, part->num_lines - done);
        take_chunk(recipe, list, part->piece + done, num, points);
        (list->only_edges ? clspi_point_sides : clspi_point_vertices)(&maker, points, num,
                                                                      out + done * vertex);
    }
}
