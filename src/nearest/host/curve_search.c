#include "curve_search.h"

#include <stdlib.h>
#include <string.h>

#include "product_weights.h"

struct clspi_curve_search {
    const clspi_segment_functions *f;
    clspi_segments_of_curves curves;
};

/* ---- what spans decide ---- */

/* Makes an array of reals of doubles; NULL without memory. */
static void *reals_of(const clspi_curve_search *search, const double *values, size_t num)
{
    void *const reals = malloc(num * search->f->real_bytes);

    if (reals) search->f->narrow(reals, values, num);
    return reals;
}

static bool make_weights(clspi_curve_search *search)
{
    clspi_segments_of_curves *const c = &search->curves;
    const size_t num = clspi_product_weights(NULL, c->degree, c->rational);
    double *const w = malloc(num * sizeof *w);

    if (!w) return false;
    clspi_product_weights(w, c->degree, c->rational);
    c->weights = reals_of(search, w, num);
    free(w);
    return c->weights != NULL;
}

/* Keeps what the segments of all spans are made with. */
static bool keep_spans(clspi_curve_search *search, const clspi_spans *spans)
{
    clspi_segments_of_curves *const c = &search->curves;
    const size_t num = spans->sets * spans->spans, order = c->degree + 1;

    c->spans = spans->spans;
    c->has_own = spans->sets > 1;
    c->operators = reals_of(search, spans->operators, num * order * order);
    c->span_ends = reals_of(search, spans->ends, CLSPI_SPAN_ENDS * num);
    c->first = malloc(num * sizeof *c->first);
    if (c->first) memcpy(c->first, spans->first, num * sizeof *c->first);
    return c->operators && c->span_ends && c->first;
}

clspi_curve_search *clspi_curve_search_create(const clspi_search_desc *desc)
{
    clspi_curve_search *search = calloc(1, sizeof *search);

    if (!search) return NULL;
    search->f = desc->f64 ? &clspi_segment_functions_f64 : &clspi_segment_functions_f32;
    search->curves = (clspi_segments_of_curves){.degree = desc->degree[0],
                                                .dim = desc->dim,
                                                .rational = desc->rational,
                                                .controls = desc->controls[0]};
    if (!make_weights(search) || !keep_spans(search, desc->spans[0]))
        clspi_curve_search_destroy(&search);
    return search;
}

static void forget_curves(clspi_segments_of_curves *c)
{
    free(c->segments);
    free(c->nodes);
    c->segments = c->nodes = NULL;
    c->num_curves = 0;
}

void clspi_curve_search_destroy(clspi_curve_search **ptr)
{
    clspi_curve_search *const search = *ptr;

    if (!search) return;
    *ptr = NULL;
    forget_curves(&search->curves);
    free(search->curves.operators);
    free(search->curves.span_ends);
    free(search->curves.first);
    free(search->curves.weights);
    free(search);
}

/* ---- curves ---- */

static size_t nodes_of(size_t boxes)
{
    return boxes / CLSPI_BOX_LANES + (boxes % CLSPI_BOX_LANES > 0);
}

/* Counts the nodes of all tiers: those of each curve up to the one that holds it all, and above
   these nodes of curves up to one. */
static void count_tiers(clspi_segments_of_curves *c)
{
    size_t boxes = c->spans, before = 0;
    uint32_t t = 0;

    for (;; t++, boxes = nodes_of(boxes)) {
        c->num_boxes[t] = boxes;
        c->num_nodes[t] = nodes_of(boxes);
        c->before[t] = before;
        before += c->num_nodes[t] * c->num_curves;
        if (c->num_nodes[t] == 1) break;
    }
    c->own = ++t;
    for (boxes = c->num_curves; boxes > 1; boxes = c->num_nodes[t++]) {
        c->num_boxes[t] = boxes;
        c->num_nodes[t] = nodes_of(boxes);
        c->before[t] = before;
        before += c->num_nodes[t];
    }
    c->all = t;
    c->before[t] = before;
}

/* Allocates num arrays of so many bytes; NULL without memory, or where that is no number. */
static void *array_of(size_t num, size_t bytes)
{
    return num > SIZE_MAX / bytes ? NULL : malloc(num * bytes);
}

bool clspi_curve_search_load(clspi_curve_search *search, size_t num, const void *points)
{
    clspi_segments_of_curves *const c = &search->curves;
    const size_t segment = search->f->segment_reals(c) * search->f->real_bytes;
    const size_t node = 2 * c->dim * CLSPI_BOX_LANES * search->f->real_bytes;

    forget_curves(c);
    if (num == 0) return true;
    if (num > SIZE_MAX / 2 / c->spans) return false;
    c->num_curves = num;
    count_tiers(c);
    c->segments = array_of(num * c->spans, segment);
    c->nodes = array_of(c->before[c->all], node);
    if (!c->segments || !c->nodes) {
        forget_curves(c);
        return false;
    }
    search->f->make(c, points);
    return true;
}

void clspi_curve_search_find(const clspi_curve_search *search, const clspi_nearest_queries *queries)
{
    search->f->find(&search->curves, queries);
}
