/* Making what surface_search.h searches: pieces, their leaves and the tree over all. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "surface_parts.h"

enum {
    LANES = CLSPI_SURFACE_LANES,
    CHUNK = 32,      /* pieces that a thread takes at once */
    SAFE = 240,      /* products of four coordinates between 2^-SAFE and 2^SAFE are numbers */
    SAFE_MOST = 1000 /* powers of two that are numbers */
};

/* One thread's work, by chunks. */
typedef struct loader {
    clspi_surface_search *search;
    const clspi_search_desc *desc;
    clspi_surface_parts *parts; /* [chunks] */
    double *sizes;              /* [chunks], the largest |coordinate| */
    bool *done;                 /* [chunks] */
} loader;

static size_t chunk_end(const clspi_surface_search *s, size_t chunk)
{
    const size_t end = (chunk + 1) * CHUNK;

    return end < s->num_pieces ? end : s->num_pieces;
}

/* ---- pieces ---- */

/* Reads the control points that count for a piece. */
static void read_points(const clspi_search_desc *d, size_t patch, const uint32_t first[2],
                        double *points)
{
    const size_t coords = d->dim + d->rational, row = d->controls[1] * coords;
    const size_t length = (d->degree[1] + 1) * coords;
    const size_t begin = (patch * d->controls[0] + first[0]) * row + first[1] * coords;

    for (uint32_t i = 0; i <= d->degree[0]; i++)
        for (size_t k = 0; k < length; k++)
            points[i * length + k] = clspi_real_at(d->f64, d->points, begin + i * row + k);
}

/* Makes points relative to the middle one, Euclidean, of homogeneous ones. Fused, so that what is
   left of places far from 0 has all its digits. */
static void move_points(const clspi_search_desc *d, double *points, double *origin)
{
    const uint32_t coords = d->dim + d->rational, order[2] = {d->degree[0] + 1, d->degree[1] + 1};
    const double *const middle =
        points + ((size_t)(order[0] / 2) * order[1] + order[1] / 2) * coords;

    for (uint32_t k = 0; k < d->dim; k++)
        origin[k] = d->rational ? middle[k] / middle[d->dim] : middle[k];
    for (size_t i = 0; i < (size_t)order[0] * order[1]; i++)
        for (uint32_t k = 0; k < d->dim; k++) {
            double *const x = points + i * coords + k;
            *x = d->rational ? fma(-points[i * coords + d->dim], origin[k], *x) : *x - origin[k];
        }
}

/* Multiplies by the operator of a span along u (stride: a row) or v. */
static void extract(const clspi_spans *spans, uint32_t span, double *points, size_t stride,
                    size_t length)
{
    const uint32_t order = spans->order;
    const double *const operators = spans->operators + (size_t)span * order * order;
    double line[CLSPI_SURFACE_ORDER_MAX];

    for (size_t c = 0; c < length; c++) {
        for (uint32_t k = 0; k < order; k++) {
            line[k] = 0;
            for (uint32_t i = 0; i < order; i++)
                line[k] += operators[i * order + k] * points[i * stride + c];
        }
        for (uint32_t k = 0; k < order; k++)
            points[k * stride + c] = line[k];
    }
}

/* Makes the control points of a piece: [degree_u + 1][degree_v + 1][dim, and the weight], relative
   to an origin of its own, homogeneous where there are weights: w (P - origin), w. */
static void make_points(const clspi_search_desc *d, size_t patch, const uint32_t span[2],
                        double *origin, double *points)
{
    const uint32_t first[2] = {d->spans[0]->first[span[0]], d->spans[1]->first[span[1]]};
    const size_t coords = d->dim + d->rational, row = (d->degree[1] + 1) * coords;

    read_points(d, patch, first, points);
    move_points(d, points, origin);
    extract(d->spans[0], span[0], points, row, row);
    for (uint32_t i = 0; i <= d->degree[0]; i++)
        extract(d->spans[1], span[1], points + i * row, coords, coords);
}

/* Copies control points to lanes, and brings weights to about 1. */
static void spread_controls(const clspi_surface_shape *shape, const double *points,
                            double *controls)
{
    const uint32_t coords = shape->dim + shape->rational;
    const size_t num = shape->reals / shape->lanes;
    double most = 0;
    int down = 0;

    for (size_t k = 0; shape->rational && k < num; k++)
        most = fmax(most, points[k * coords + shape->dim]);
    if (most > 0 && most < (double)INFINITY)
        down = ilogb(most) < -SAFE_MOST ? SAFE_MOST : -ilogb(most);
    const double by = ldexp(1.0, down);
    for (size_t k = 0; k < num; k++)
        for (uint32_t l = 0; l < shape->lanes; l++)
            controls[k * shape->lanes + l] = l < coords ? points[k * coords + l] * by : 0;
}

/* Returns the largest |coordinate| of control points; infinite where one is no number, or a weight
   not positive. */
static double size_of(const clspi_surface_shape *shape, const double *controls)
{
    double most = 0;

    for (size_t k = 0; k < shape->reals; k += shape->lanes) {
        const double w = shape->rational ? controls[k + shape->dim] : 1;
        if (!(w > 0)) return (double)INFINITY;
        for (uint32_t l = 0; l < shape->dim; l++) {
            const double x = fabs(controls[k + l] / w);
            if (!(x < (double)INFINITY)) return (double)INFINITY;
            most = fmax(most, x);
        }
    }
    return most;
}

static void make_piece(const loader *job, size_t number, double *size)
{
    clspi_surface_search *const s = job->search;
    const size_t of_patch = (size_t)s->spans[0] * s->spans[1], at = number % of_patch;
    const uint32_t span[2] = {(uint32_t)(at / s->spans[1]), (uint32_t)(at % s->spans[1])};
    double points[CLSPI_SURFACE_ORDER_MAX * CLSPI_SURFACE_ORDER_MAX * CLSPI_SURFACE_COORDS_MAX];
    clspi_surface_piece *const piece = &s->pieces[number];
    double *const controls = s->controls + number * s->shape.reals;
    double far = 0;

    memset(piece, 0, sizeof *piece);
    piece->root = KIND_NONE;
    make_points(job->desc, number / of_patch, span, piece->origin, points);
    spread_controls(&s->shape, points, controls);
    piece->extent = size_of(&s->shape, controls);
    for (uint32_t l = 0; l < LANES; l++) {
        if (l >= s->shape.dim) piece->origin[l] = 0;
        if (!(fabs(piece->origin[l]) < (double)INFINITY)) piece->extent = (double)INFINITY;
        far = fmax(far, fabs(piece->origin[l]));
    }
    if (piece->extent < (double)INFINITY) *size = fmax(*size, fmax(far, piece->extent));
}

static void make_pieces(void *user, size_t chunk)
{
    const loader *const job = user;

    for (size_t i = chunk * CHUNK; i < chunk_end(job->search, chunk); i++)
        make_piece(job, i, &job->sizes[chunk]);
}

/* ---- leaves ---- */

/* Scales a piece, and finds the largest distance of its control points from the origin. */
static void scale_piece(const clspi_surface_search *s, clspi_surface_piece *piece, double *controls)
{
    const clspi_surface_shape *const shape = &s->shape;
    double most = 0;

    for (size_t k = 0; k < shape->reals; k += shape->lanes) {
        const double w = shape->rational ? controls[k + shape->dim] : 1;
        double square = 0;
        for (uint32_t l = 0; l < shape->dim; l++) {
            controls[k + l] *= s->scale;
            square += controls[k + l] / w * (controls[k + l] / w);
        }
        most = fmax(most, square);
    }
    for (int l = 0; l < LANES; l++)
        piece->origin[l] *= s->scale;
    piece->extent = sqrt(most);
}

static void make_leaves(void *user, size_t chunk)
{
    const loader *const job = user;
    clspi_surface_search *const s = job->search;
    bool done = true;

    for (size_t i = chunk * CHUNK; done && i < chunk_end(s, chunk); i++) {
        clspi_surface_piece *const piece = &s->pieces[i];
        double *const controls = s->controls + i * s->shape.reals;
        if (!(piece->extent < (double)INFINITY)) continue;
        scale_piece(s, piece, controls);
        done = clspi_surface_leaves(&job->parts[chunk], &s->shape, (uint32_t)i, piece, controls);
    }
    job->done[chunk] = done;
}

/* ---- the tree ---- */

static uint32_t moved(uint32_t code, const clspi_surface_parts *before)
{
    const uint32_t kind = code & KIND_MASK;

    return kind == KIND_LEAF   ? code + (uint32_t)before->num_leaves
           : kind == KIND_NODE ? code + (uint32_t)before->num_nodes
                               : code;
}

/* Appends what a chunk has made. */
static void append(clspi_surface_search *s, const clspi_surface_parts *from, size_t chunk)
{
    clspi_surface_parts *const to = &s->parts;

    for (size_t i = chunk * CHUNK; i < chunk_end(s, chunk); i++)
        s->pieces[i].root = moved(s->pieces[i].root, to);
    for (size_t i = 0; i < from->num_nodes; i++) {
        to->nodes[to->num_nodes + i] = from->nodes[i];
        for (int k = 0; k < BOXES; k++)
            to->nodes[to->num_nodes + i].kid[k] = moved(from->nodes[i].kid[k], to);
    }
    if (from->num_leaves > 0)
        memcpy(to->leaves + to->num_leaves, from->leaves, from->num_leaves * sizeof *from->leaves);
    to->num_nodes += from->num_nodes;
    to->num_leaves += from->num_leaves;
}

/* Puts the leaves of all chunks together. */
static bool join_chunks(loader *job, size_t chunks)
{
    clspi_surface_parts *const to = &job->search->parts;
    bool done = true;

    for (size_t i = 0; i < chunks; i++) {
        to->leaf_room += job->parts[i].num_leaves;
        to->node_room += job->parts[i].num_nodes;
        done = done && job->done[i];
    }
    if (!done || to->leaf_room > NUMBER_MASK / 2 || to->node_room > NUMBER_MASK / 2) return false;
    to->node_room += job->search->num_pieces + 16; /* those above pieces */
    to->leaves = malloc((to->leaf_room + 1) * sizeof *to->leaves);
    to->nodes = malloc(to->node_room * sizeof *to->nodes);
    if (!to->leaves || !to->nodes) return false;
    for (size_t i = 0; i < chunks; i++)
        append(job->search, &job->parts[i], i);
    return true;
}

/* Makes the tree over a patch's pieces. */
static bool make_patch(clspi_surface_search *s, size_t patch, clspi_surface_item *items)
{
    const size_t of_patch = (size_t)s->spans[0] * s->spans[1];
    clspi_surface_patch *const to = &s->patches[patch];
    size_t num = 0;

    *to = (clspi_surface_patch){.root = KIND_NONE};
    to->box = clspi_no_box();
    for (size_t i = patch * of_patch; i < (patch + 1) * of_patch; i++) {
        const clspi_surface_piece *const piece = &s->pieces[i];
        if (piece->root == KIND_NONE) continue;
        items[num++] = (clspi_surface_item){piece->box, KIND_PIECE | (uint32_t)i};
        clspi_box_join(&to->box, &piece->box);
        to->extent = fmax(to->extent, piece->extent);
    }
    return num == 0 || clspi_surface_tree(&s->parts, items, num, &to->root);
}

/* Makes the trees over all pieces. */
static bool make_trees(clspi_surface_search *s)
{
    const size_t of_patch = (size_t)s->spans[0] * s->spans[1];
    const size_t most = of_patch > s->num_patches ? of_patch : s->num_patches;
    clspi_surface_item *const items = malloc(most * sizeof *items);
    bool done = items != NULL;
    size_t num = 0;

    for (size_t i = 0; done && i < s->num_patches; i++)
        done = make_patch(s, i, items);
    s->box = clspi_no_box();
    for (size_t i = 0; done && i < s->num_patches; i++) {
        if (s->patches[i].root == KIND_NONE) continue;
        items[num++] = (clspi_surface_item){s->patches[i].box, s->patches[i].root};
        clspi_box_join(&s->box, &s->patches[i].box);
    }
    s->root = KIND_NONE;
    if (done && num > 0) done = clspi_surface_tree(&s->parts, items, num, &s->root);
    free(items);
    return done;
}

/* ---- all ---- */

static double scale_for(const double *sizes, size_t chunks)
{
    double size = 0;

    for (size_t i = 0; i < chunks; i++)
        size = fmax(size, sizes[i]);
    if (!(size > 0)) return 1;
    const int exponent = ilogb(size);
    return abs(exponent) <= SAFE ? 1 : ldexp(1.0, exponent < -SAFE_MOST ? SAFE_MOST : -exponent);
}

/* Makes all of pieces, for which there is room. */
static bool load(loader *job, size_t chunks, const clspi_parallel *threads)
{
    clspi_in_parallel(threads, chunks, make_pieces, job);
    job->search->scale = scale_for(job->sizes, chunks);
    clspi_in_parallel(threads, chunks, make_leaves, job);
    return join_chunks(job, chunks) && make_trees(job->search);
}

static bool load_chunks(clspi_surface_search *s, const clspi_search_desc *desc,
                        const clspi_parallel *threads)
{
    const size_t chunks = (s->num_pieces + CHUNK - 1) / CHUNK;
    loader job = {.search = s, .desc = desc};

    job.parts = calloc(chunks, sizeof *job.parts);
    job.sizes = calloc(chunks, sizeof *job.sizes);
    job.done = calloc(chunks, sizeof *job.done);
    const bool done = job.parts && job.sizes && job.done && load(&job, chunks, threads);
    for (size_t i = 0; job.parts && i < chunks; i++) {
        free(job.parts[i].leaves);
        free(job.parts[i].nodes);
    }
    free(job.parts);
    free(job.sizes);
    free(job.done);
    return done;
}

/* Copies what a description says, and makes room for pieces. */
static bool prepare(clspi_surface_search *s, const clspi_search_desc *desc)
{
    const size_t most = NUMBER_MASK / 4,
                 of_patch = (size_t)desc->spans[0]->spans * desc->spans[1]->spans;
    clspi_surface_shape *const shape = &s->shape;

    *shape = (clspi_surface_shape){.dim = desc->dim, .rational = desc->rational};
    shape->lanes = desc->dim + desc->rational > LANES ? 2 * LANES : LANES;
    shape->reals = shape->lanes;
    for (int i = 0; i < 2; i++) {
        shape->degree[i] = desc->degree[i];
        shape->reals *= desc->degree[i] + 1;
        const double *const ends = desc->spans[i]->ends;
        s->spans[i] = desc->spans[i]->spans;
        s->ends[i] = malloc((s->spans[i] + 1) * sizeof *s->ends[i]);
        if (!s->ends[i]) return false;
        for (uint32_t k = 0; k <= s->spans[i]; k++)
            s->ends[i][k] = k > 0 ? ends[CLSPI_SPAN_ENDS * (k - 1) + 1] : ends[0];
    }
    s->num_patches = desc->num_patches;
    s->root = KIND_NONE;
    s->scale = 1;
    if (s->num_patches == 0) return true;
    if (of_patch > most || s->num_patches > most / of_patch) return false;
    s->num_pieces = s->num_patches * of_patch;
    s->controls = malloc(s->num_pieces * shape->reals * sizeof *s->controls);
    s->pieces = malloc(s->num_pieces * sizeof *s->pieces);
    s->patches = malloc(s->num_patches * sizeof *s->patches);
    return s->controls && s->pieces && s->patches;
}

clspi_surface_search *clspi_surface_search_create(const clspi_search_desc *desc,
                                                  const clspi_parallel *threads)
{
    clspi_surface_search *search = calloc(1, sizeof *search);

    if (!search) return NULL;
    if (!prepare(search, desc) || (search->num_pieces > 0 && !load_chunks(search, desc, threads)))
        clspi_surface_search_destroy(&search);
    return search;
}

void clspi_surface_search_destroy(clspi_surface_search **ptr)
{
    clspi_surface_search *const search = *ptr;

    if (!search) return;
    *ptr = NULL;
    free(search->ends[0]);
    free(search->ends[1]);
    free(search->controls);
    free(search->pieces);
    free(search->patches);
    free(search->parts.leaves);
    free(search->parts.nodes);
    free(search);
}
