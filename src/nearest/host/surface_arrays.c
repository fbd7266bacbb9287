#include "surface_arrays.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "surface_parts.h"

enum { LANES = CLSPI_SURFACE_LANES, DIM = 3, OWN_POINTS = 36 };

/* ---- sizes ---- */

static const clspi_surface_shape *shape_of(const clspi_surface_search *s,
                                           const clspi_surface_leaf *leaf)
{
    return s->pieces[leaf->piece].shape;
}

/* Tells whether a leaf has control points of its own: of few, which devices look into, and where it
   is not all of its piece. */
static bool has_own(const clspi_surface_search *s, const clspi_surface_leaf *leaf)
{
    return shape_of(s, leaf)->reals <= OWN_POINTS * LANES && leaf->depth[0] + leaf->depth[1] > 0;
}

bool clspi_surface_arrays_mixed(const clspi_surface_search *search)
{
    const clspi_surface_shape *const first = &search->sources->shape;

    for (size_t i = 0; i < search->num_sources; i++) {
        const clspi_surface_shape *const shape = &search->sources[i].shape;
        if (clspi_is_curve(shape) || shape->rational != first->rational ||
            shape->degree[0] != first->degree[0] || shape->degree[1] != first->degree[1])
            return true;
    }
    return false;
}

/* Returns the reals of all pieces' control points. */
static size_t piece_reals(const clspi_surface_search *s)
{
    const clspi_surface_piece *const end = s->pieces + s->num_pieces;

    return s->num_pieces > 0 ? (size_t)(end[-1].controls - s->controls) + end[-1].shape->reals : 0;
}

static void count(clspi_surface_arrays *a, const clspi_surface_search *s)
{
    const bool is_one = s->num_sources == 1;
    size_t controls = piece_reals(s);

    for (size_t i = 0; i < s->parts.num_leaves; i++)
        controls += has_own(s, &s->parts.leaves[i]) ? shape_of(s, &s->parts.leaves[i])->reals : 0;

    a->is_mixed = clspi_surface_arrays_mixed(s);
    for (int i = 0; i < 2; i++)
        a->spans[i] = is_one ? s->sources->spans[i] : 0;
    a->frames = HEAD_REALS + controls;
    a->leaves = a->frames + s->num_pieces * FRAME_REALS;
    a->ends = a->leaves + s->parts.num_leaves * LEAF_REALS;
    a->num_reals = a->ends + (is_one ? a->spans[0] + a->spans[1] + 2 : 0);
    a->roots = s->parts.num_nodes * BOXES;
    a->patch_roots = a->roots + s->num_pieces;
    a->leaf_pieces = a->patch_roots + s->num_patches;
    a->leaf_controls = a->leaf_pieces + s->parts.num_leaves;
    a->num_words = a->leaf_controls + s->parts.num_leaves;
    a->num_boxes = s->parts.num_nodes * BOXES * 2 * DIM;
}

size_t clspi_surface_arrays_most(const clspi_surface_search *search)
{
    clspi_surface_arrays a;

    count(&a, search);
    const size_t reals = a.num_reals * sizeof *a.reals, words = a.num_words * sizeof *a.words;
    const size_t boxes = a.num_boxes * sizeof *a.boxes, most = reals > words ? reals : words;
    return most > boxes ? most : boxes;
}

static bool allocate(clspi_surface_arrays *a, const clspi_surface_search *s)
{
    count(a, s);
    a->root = s->root;
    a->reals = calloc(a->num_reals, sizeof *a->reals);
    a->words = malloc((a->num_words + 1) * sizeof *a->words);
    a->boxes = malloc((a->num_boxes + 1) * sizeof *a->boxes);
    return a->reals && a->words && a->boxes;
}

void clspi_surface_arrays_release(clspi_surface_arrays *arrays)
{
    free(arrays->reals);
    free(arrays->words);
    free(arrays->boxes);
    *arrays = (clspi_surface_arrays){.reals = NULL};
}

/* ---- numbers ---- */

/* Chooses in which units, and relative to what, boxes are small numbers. */
static void choose_units(clspi_surface_arrays *a, const clspi_surface_search *s)
{
    double size = 0;

    a->reals[HEAD_SCALE] = s->scale;
    a->reals[HEAD_UNIT] = 1;
    if (s->root == KIND_NONE) return;
    for (uint32_t k = 0; k < s->dim; k++) {
        a->reals[HEAD_MIDDLE + k] = s->box.low[k] / 2 + s->box.high[k] / 2;
        size = fmax(size, s->box.high[k] - s->box.low[k]);
    }
    if (size > 0) a->reals[HEAD_UNIT] = ldexp(1.0, -ilogb(size));
}

/* Rounds a coordinate of a box outward; way: -1 down, 1 up. More than the roundings of a query on
   its way there, whose difference to the middle is as large. */
static float box_end(const clspi_surface_arrays *a, double x, int axis, int way)
{
    const double at = (x - a->reals[HEAD_MIDDLE + axis]) * a->reals[HEAD_UNIT];

    if (isinf(x)) return (float)x; /* of no box */
    return (float)(at + way * (fabs(at) * 0x1p-22 + 1e-37));
}

static void put_boxes(clspi_surface_arrays *a, const clspi_surface_search *s)
{
    for (size_t i = 0; i < s->parts.num_nodes; i++) {
        const clspi_surface_node *const node = &s->parts.nodes[i];
        memcpy(a->words + i * BOXES, node->kid, sizeof node->kid);
        for (int l = 0; l < DIM; l++)
            for (int side = 0; side < 2; side++)
                for (int k = 0; k < BOXES; k++)
                    a->boxes[(i * 2 * DIM + 2 * (size_t)l + (size_t)side) * BOXES + (size_t)k] =
                        (uint32_t)l < s->dim ? box_end(a, node->box[l][side][k], l, side ? 1 : -1)
                                             : 0;
    }
}

static void put_frame(double *to, const clspi_surface_search *s, const clspi_surface_piece *piece)
{
    memcpy(to, piece->origin, DIM * sizeof *to);
    to[PIECE_EXTENT] = piece->extent;
    to[PIECE_WEIGHTS] = piece->weights;
    memcpy(to + PIECE_ENDS, piece->ends, sizeof piece->ends);
    to[PIECE_PATCH] = piece->patch;
    for (int i = 0; i < 2; i++)
        to[PIECE_DEGREES + i] = piece->shape->degree[i];
    to[PIECE_CONTROLS] = (double)((size_t)(piece->controls - s->controls) / LANES);
}

static void put_vector(double *to, const double *x)
{
    memcpy(to, x, DIM * sizeof *to);
}

static void put_leaf(double *to, const clspi_surface_leaf *leaf)
{
    for (int i = 0; i < 2; i++) {
        to[LEAF_LOW + i] = leaf->low[i];
        to[LEAF_HIGH + i] = leaf->high[i];
        to[LEAF_BEND + i] = leaf->bend[i];
        put_vector(to + LEAF_AXES + DIM * i, leaf->axes[i]);
        put_vector(to + LEAF_GUESS + DIM * i, leaf->guess[i]);
    }
    put_vector(to + LEAF_MIDDLE, leaf->middle);
    put_vector(to + LEAF_NORMAL, leaf->normal);
    put_vector(to + LEAF_LEAST, leaf->least);
    put_vector(to + LEAF_GREATEST, leaf->greatest);
    put_vector(to + LEAF_LENGTHS, (const double[DIM]){leaf->l11, leaf->l21, leaf->l22});
    to[LEAF_SHRINK] = leaf->shrink;
    to[LEAF_BEND_ALONG] = leaf->bend_along;
    to[LEAF_SPREAD] = leaf->spread;
    to[LEAF_SLACK] = leaf->slack;
}

/* ---- control points ---- */

/* Makes the control points of a leaf. */
static void put_controls(double *to, const clspi_surface_search *s, const clspi_surface_leaf *leaf)
{
    const clspi_surface_piece *const piece = &s->pieces[leaf->piece];
    const uint32_t *const n = piece->shape->degree;
    const size_t row = (n[1] + 1) * (size_t)LANES;

    memcpy(to, piece->controls, piece->shape->reals * sizeof *to);
    for (uint32_t k = 0; k <= n[1] && leaf->depth[0] > 0; k++)
        clspi_restrict_line(to + k * LANES, n[0], row, leaf->index[0], leaf->depth[0]);
    for (uint32_t i = 0; i <= n[0] && leaf->depth[1] > 0; i++)
        clspi_restrict_line(to + i * row, n[1], LANES, leaf->index[1], leaf->depth[1]);
}

/* Puts the weights of control points of the plane where those of space have theirs, and 1 where
   there are none and other pieces have some. */
static void put_weights(const clspi_surface_arrays *a, const clspi_surface_shape *shape,
                        double *reals)
{
    for (size_t i = 0; i < shape->reals; i += LANES) {
        if (shape->rational && shape->dim == 2) {
            reals[i + 3] = reals[i + 2];
            reals[i + 2] = 0;
        } else if (a->is_mixed && !shape->rational)
            reals[i + 3] = 1;
    }
}

static void put_all_controls(clspi_surface_arrays *a, const clspi_surface_search *s)
{
    double *const to = a->reals + HEAD_REALS;
    size_t num = piece_reals(s);

    if (num > 0) memcpy(to, s->controls, num * sizeof *to);
    for (size_t i = 0; i < s->num_pieces; i++)
        put_weights(a, s->pieces[i].shape, to + (s->pieces[i].controls - s->controls));
    for (size_t i = 0; i < s->parts.num_leaves; i++) {
        const clspi_surface_leaf *const leaf = &s->parts.leaves[i];
        const clspi_surface_piece *const piece = &s->pieces[leaf->piece];
        size_t at = (size_t)(piece->controls - s->controls);
        if (has_own(s, leaf)) {
            at = num;
            put_controls(to + at, s, leaf);
            put_weights(a, piece->shape, to + at);
            num += piece->shape->reals;
        }
        a->words[a->leaf_controls + i] =
            (uint32_t)(at / (a->is_mixed ? (size_t)LANES : piece->shape->reals));
    }
}

/* ---- all ---- */

bool clspi_surface_arrays_make(clspi_surface_arrays *arrays, const clspi_surface_search *search)
{
    const clspi_surface_search *const s = search;
    clspi_surface_arrays *const a = arrays;

    *a = (clspi_surface_arrays){.reals = NULL};
    if (!allocate(a, s)) return false;
    choose_units(a, s);
    put_boxes(a, s);
    put_all_controls(a, s);
    for (size_t i = 0; i < s->num_pieces; i++) {
        put_frame(a->reals + a->frames + i * FRAME_REALS, s, &s->pieces[i]);
        a->words[a->roots + i] = s->pieces[i].root;
    }
    for (size_t i = 0; i < s->num_patches; i++)
        a->words[a->patch_roots + i] = s->patches[i].root;
    for (size_t i = 0; i < s->parts.num_leaves; i++) {
        put_leaf(a->reals + a->leaves + i * LEAF_REALS, &s->parts.leaves[i]);
        a->words[a->leaf_pieces + i] = s->parts.leaves[i].piece;
    }
    for (int i = 0; i < 2 && s->num_sources == 1; i++)
        memcpy(a->reals + a->ends + (size_t)i * (a->spans[0] + 1), s->sources->ends[i],
               (a->spans[i] + 1) * sizeof *a->reals);
    return true;
}
