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
    const clspi_search_desc *descs; /* [num_sources] */
    clspi_surface_parts *parts;     /* [chunks] */
    bool *done;                     /* [chunks] */
} loader;

static size_t chunk_end(const clspi_surface_search *s, size_t chunk)
{
    const size_t end = (chunk + 1) * CHUNK;

    return end < s->num_pieces ? end : s->num_pieces;
}

/* ---- pieces ---- */

/* Returns the number of a span of a patch along u among those of its description. */
static size_t span_at(const clspi_spans *spans, size_t patch, uint32_t span)
{
    return (spans->sets > 1 ? patch * spans->spans : 0) + span;
}

/* Reads the control points that count for a piece. */
static void read_points(const clspi_search_desc *d, size_t patch, const uint32_t span[2],
                        double *points)
{
    const size_t coords = d->dim + d->rational, row = d->controls[1] * coords;
    const size_t length = (d->degree[1] + 1) * coords;
    const size_t first = d->spans[0]->first[span_at(d->spans[0], patch, span[0])];
    const size_t column = d->spans[1] ? d->spans[1]->first[span[1]] : 0;
    const size_t begin = (patch * d->controls[0] + first) * row + column * coords;

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
static void extract(const clspi_spans *spans, size_t span, double *points, size_t stride,
                    size_t length)
{
    const uint32_t order = spans->order;
    const double *const operators = spans->operators + span * order * order;
    double line[CLSPI_LINE_ORDER_MAX];

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
    const size_t coords = d->dim + d->rational, row = (d->degree[1] + 1) * coords;

    read_points(d, patch, span, points);
    move_points(d, points, origin);
    extract(d->spans[0], span_at(d->spans[0], patch, span[0]), points, row, row);
    for (uint32_t i = 0; d->spans[1] && i <= d->degree[0]; i++)
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

static void make_piece(const loader *job, size_t number)
{
    clspi_surface_piece *const piece = &job->search->pieces[number];
    const clspi_surface_source *const from = clspi_surface_source_of(job->search, piece->patch);
    const size_t patch = piece->patch - from->first_patch, columns = from->spans[1];
    const size_t at = number - from->first_piece - patch * from->spans[0] * columns;
    const uint32_t span[2] = {(uint32_t)(at / columns), (uint32_t)(at % columns)};
    double points[CLSPI_SURFACE_ORDER_MAX * CLSPI_SURFACE_ORDER_MAX * CLSPI_SURFACE_COORDS_MAX];

    for (int i = 0; i < 2; i++)
        memcpy(piece->ends[i], ends_of(from, i, patch) + span[i], sizeof piece->ends[i]);
    make_points(&job->descs[from - job->search->sources], patch, span, piece->origin, points);
    spread_controls(piece->shape, points, piece->controls);
    piece->extent = size_of(piece->shape, piece->controls);
    for (uint32_t l = 0; l < LANES; l++) {
        if (l >= piece->shape->dim) piece->origin[l] = 0;
        if (!(fabs(piece->origin[l]) < (double)INFINITY)) piece->extent = (double)INFINITY;
    }
}

static void make_pieces(void *user, size_t chunk)
{
    const loader *const job = user;

    for (size_t i = chunk * CHUNK; i < chunk_end(job->search, chunk); i++)
        make_piece(job, i);
}

/* ---- leaves ---- */

/* Scales a piece, and finds the largest distance of its control points from the origin. */
static void scale_piece(double scale, clspi_surface_piece *piece)
{
    const clspi_surface_shape *const shape = piece->shape;
    double *const controls = piece->controls;
    double most = 0;

    for (size_t k = 0; k < shape->reals; k += shape->lanes) {
        const double w = shape->rational ? controls[k + shape->dim] : 1;
        double square = 0;
        for (uint32_t l = 0; l < shape->dim; l++) {
            controls[k + l] *= scale;
            square += controls[k + l] / w * (controls[k + l] / w);
        }
        most = fmax(most, square);
    }
    for (int l = 0; l < LANES; l++)
        piece->origin[l] *= scale;
    piece->extent = sqrt(most);
}

static void make_leaves(void *user, size_t chunk)
{
    const loader *const job = user;
    clspi_surface_search *const s = job->search;
    bool done = true;

    for (size_t i = chunk * CHUNK; done && i < chunk_end(s, chunk); i++) {
        clspi_surface_piece *const piece = &s->pieces[i];
        if (!(piece->extent < (double)INFINITY)) continue;
        scale_piece(s->scale, piece);
        done = clspi_surface_leaves(&job->parts[chunk], (uint32_t)i, piece);
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

static size_t pieces_of_patch(const clspi_surface_source *from)
{
    return (size_t)from->spans[0] * from->spans[1];
}

/* Puts pieces among the items of a tree. */
static size_t put_items(const clspi_surface_search *s, size_t first, size_t end,
                        clspi_surface_item *items, clspi_surface_patch *to)
{
    size_t num = 0;

    for (size_t i = first; i < end; i++) {
        const clspi_surface_piece *const piece = &s->pieces[i];
        if (piece->root == KIND_NONE) continue;
        items[num++] = (clspi_surface_item){piece->box, KIND_PIECE | (uint32_t)i};
        clspi_box_join(&to->box, &piece->box);
        to->extent = fmax(to->extent, piece->extent);
    }
    return num;
}

/* Makes the tree over a patch's pieces and, from number *line on, the curves that bound it. */
static bool make_patch(clspi_surface_search *s, const clspi_surface_source *from, size_t patch,
                       clspi_surface_item *items, size_t *line)
{
    const size_t of_patch = pieces_of_patch(from), first = from->first_piece + patch * of_patch;
    const size_t number = from->first_patch + patch, lines = *line;
    clspi_surface_patch *const to = &s->patches[number];

    to->root = KIND_NONE;
    to->box = clspi_no_box();
    size_t num = put_items(s, first, first + of_patch, items, to);
    while (*line < s->num_pieces && s->pieces[*line].patch == number)
        ++*line;
    num += put_items(s, lines, *line, items + num, to);
    return num == 0 || clspi_surface_tree(&s->parts, items, num, &to->root);
}

/* Makes the trees over all pieces: those of patches, and one of these and of edges in space. */
static bool make_trees(clspi_surface_search *s)
{
    clspi_surface_item *const items = malloc(s->num_pieces * sizeof *items);
    clspi_surface_patch all = {.box = clspi_no_box()};
    size_t line = s->num_pieces - s->num_lines, num = 0;
    bool done = items != NULL;

    for (size_t i = 0; i < s->num_sources; i++)
        for (size_t k = 0; done && k < s->sources[i].num_patches; k++)
            done = make_patch(s, &s->sources[i], k, items, &line);
    for (size_t i = 0; done && i < s->num_patches; i++) {
        if (s->patches[i].root == KIND_NONE) continue;
        items[num++] = (clspi_surface_item){s->patches[i].box, s->patches[i].root};
        clspi_box_join(&all.box, &s->patches[i].box);
    }
    if (done) num += put_items(s, line, s->num_pieces, items + num, &all);
    s->box = all.box;
    s->root = KIND_NONE;
    if (done && num > 0) done = clspi_surface_tree(&s->parts, items, num, &s->root);
    free(items);
    return done;
}

/* ---- all ---- */

/* Chooses the scale by the largest |coordinate| of pieces. */
static double scale_for(const clspi_surface_search *s)
{
    double size = 0;

    for (size_t i = 0; i < s->num_pieces; i++) {
        const clspi_surface_piece *const piece = &s->pieces[i];
        if (!(piece->extent < (double)INFINITY)) continue;
        size = fmax(size, piece->extent);
        for (int l = 0; l < LANES; l++)
            size = fmax(size, fabs(piece->origin[l]));
    }
    if (!(size > 0)) return 1;
    const int exponent = ilogb(size);
    return abs(exponent) <= SAFE ? 1 : ldexp(1.0, exponent < -SAFE_MOST ? SAFE_MOST : -exponent);
}

/* Appends the lines of trims to pieces. */
static bool append_lines(clspi_surface_search *s)
{
    const struct clspi_surface_trims *const t = s->trims;
    const size_t num = s->num_pieces + t->num_lines;
    clspi_surface_piece *const pieces =
        num > NUMBER_MASK / 4 ? NULL : realloc(s->pieces, num * sizeof *pieces);

    if (!pieces) return false;
    s->pieces = pieces;
    for (size_t i = 0; i < s->num_pieces; i++)
        if (t->faces[pieces[i].patch].num_arcs > 0) pieces[i].trim = &t->faces[pieces[i].patch];
    for (size_t i = 0; i < t->num_lines; i++) {
        const clspi_trim_line *const line = &t->lines[i];
        clspi_surface_piece *const to = &pieces[s->num_pieces + i];
        *to = (clspi_surface_piece){.shape = line->shape,
                                    .controls = t->line_reals + line->controls,
                                    .patch = line->patch,
                                    .root = KIND_NONE};
        memcpy(to->origin, line->origin, sizeof to->origin);
        to->extent = size_of(to->shape, to->controls);
    }
    s->num_pieces = num;
    s->num_lines = t->num_lines;
    return true;
}

/* Makes leaves of all pieces and puts them together. */
static bool load_leaves(clspi_surface_search *s, const clspi_parallel *threads)
{
    const size_t chunks = (s->num_pieces + CHUNK - 1) / CHUNK;
    loader job = {.search = s};

    job.parts = calloc(chunks, sizeof *job.parts);
    job.done = calloc(chunks, sizeof *job.done);
    bool done = job.parts && job.done;
    if (done) {
        clspi_in_parallel(threads, chunks, make_leaves, &job);
        done = join_chunks(&job, chunks) && make_trees(s);
    }
    for (size_t i = 0; job.parts && i < chunks; i++) {
        free(job.parts[i].leaves);
        free(job.parts[i].nodes);
    }
    free(job.parts);
    free(job.done);
    return done;
}

/* Makes all of pieces, for which there is room. */
static bool load(clspi_surface_search *s, const clspi_search_desc *descs,
                 const clspi_trim_desc *trims, const clspi_parallel *threads)
{
    loader job = {.search = s, .descs = descs};

    clspi_in_parallel(threads, (s->num_pieces + CHUNK - 1) / CHUNK, make_pieces, &job);
    if (trims) {
        s->trims = clspi_surface_trims_make(s, trims);
        if (!s->trims || s->trims->status != CLSPI_TRIM_OK || !append_lines(s)) return false;
        for (size_t i = 0; trims->turned && i < s->num_patches; i++)
            s->patches[i].is_turned = trims->turned[i];
    }
    s->scale = scale_for(s);
    return load_leaves(s, threads);
}

/* Copies where spans begin and end. */
static bool copy_ends(clspi_surface_source *to, int way, const clspi_spans *spans)
{
    const size_t sets = spans ? spans->sets : 1, num = to->spans[way];

    if (way == 0) to->has_own = sets > 1;
    to->ends[way] = malloc(sets * (num + 1) * sizeof *to->ends[way]);
    for (size_t i = 0; to->ends[way] && i < sets; i++) {
        double *const ends = to->ends[way] + i * (num + 1);
        const double *const from = spans ? spans->ends + i * num * CLSPI_SPAN_ENDS : NULL;
        for (size_t k = 0; k <= num; k++)
            ends[k] = !from ? (double)k : k > 0 ? from[CLSPI_SPAN_ENDS * (k - 1) + 1] : from[0];
    }
    return to->ends[way] != NULL;
}

/* Copies what a description says. *reals: of the control points of all pieces. */
static bool add_source(clspi_surface_search *s, const clspi_search_desc *desc, size_t *reals)
{
    const size_t most = NUMBER_MASK / 4;
    clspi_surface_source *const to = &s->sources[s->num_sources++];

    *to = (clspi_surface_source){.first_patch = s->num_patches,
                                 .num_patches = desc->num_patches,
                                 .first_piece = s->num_pieces};
    to->shape = clspi_surface_shape_of(desc->degree, desc->dim, desc->rational);
    for (int i = 0; i < 2; i++) {
        to->spans[i] = desc->spans[i] ? desc->spans[i]->spans : 1;
        if (!copy_ends(to, i, desc->spans[i])) return false;
    }
    const size_t of_patch = pieces_of_patch(to);
    if (of_patch > most || desc->num_patches > (most - s->num_pieces) / of_patch) return false;
    s->num_patches += desc->num_patches;
    s->num_pieces += desc->num_patches * of_patch;
    *reals += desc->num_patches * of_patch * to->shape.reals;
    return true;
}

/* Begins all pieces of a source. */
static double *begin_pieces(clspi_surface_search *s, const clspi_surface_source *from,
                            double *controls)
{
    const size_t of_patch = pieces_of_patch(from), num = from->num_patches * of_patch;

    for (size_t i = 0; i < num; i++, controls += from->shape.reals)
        s->pieces[from->first_piece + i] =
            (clspi_surface_piece){.shape = &from->shape,
                                  .controls = controls,
                                  .patch = (uint32_t)(from->first_patch + i / of_patch),
                                  .root = KIND_NONE};
    return controls;
}

/* Copies what descriptions say, and makes room for pieces. */
static bool prepare(clspi_surface_search *s, const clspi_search_desc *descs, size_t num)
{
    size_t reals = 0;

    s->dim = descs[0].dim;
    s->root = KIND_NONE;
    s->scale = 1;
    s->sources = calloc(num, sizeof *s->sources);
    if (!s->sources) return false;
    for (size_t i = 0; i < num; i++)
        if (!add_source(s, &descs[i], &reals)) return false;
    if (s->num_pieces == 0) return true;
    s->controls = malloc(reals * sizeof *s->controls);
    s->pieces = malloc(s->num_pieces * sizeof *s->pieces);
    s->patches = calloc(s->num_patches, sizeof *s->patches);
    if (!s->controls || !s->pieces || !s->patches) return false;
    double *controls = s->controls;
    for (size_t i = 0; i < num; i++)
        controls = begin_pieces(s, &s->sources[i], controls);
    return true;
}

clspi_surface_search *clspi_surface_search_create(const clspi_search_desc *descs, size_t num,
                                                  const clspi_trim_desc *trims, bool *too_high,
                                                  const clspi_parallel *threads)
{
    clspi_surface_search *search = calloc(1, sizeof *search);

    if (too_high) *too_high = false;
    if (!search) return NULL;
    if (!prepare(search, descs, num) ||
        (search->num_pieces > 0 && !load(search, descs, trims, threads))) {
        if (too_high) *too_high = search->trims && search->trims->status == CLSPI_TRIM_DEGREE;
        clspi_surface_search_destroy(&search);
    }
    return search;
}

void clspi_surface_search_destroy(clspi_surface_search **ptr)
{
    clspi_surface_search *const search = *ptr;

    if (!search) return;
    *ptr = NULL;
    for (size_t i = 0; i < search->num_sources; i++)
        for (int k = 0; k < 2; k++)
            free(search->sources[i].ends[k]);
    clspi_surface_trims_destroy(&search->trims);
    free(search->sources);
    free(search->controls);
    free(search->pieces);
    free(search->patches);
    free(search->parts.leaves);
    free(search->parts.nodes);
    free(search);
}
