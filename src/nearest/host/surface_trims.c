#include "surface_trims.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "trim_curves.h"

enum {
    COORDS = CLSPI_PLANE_COORDS,
    EDGE_COORDS = 4,
    SPLITS_MAX = 4096,
    ARC_HALVINGS = 6,
    ROOT_STEPS = 60,
    ARCS_OF_ROW = 4 /* or so */
};

#define FLAT     0.05  /* height of an arc by its chord */
#define TOUCHING 1e-12 /* of the domain: what is as near touches */
#define OUTSIDE  1e-13 /* of a span: what is farther off the domain is not on the surface */

/* A Bezier piece of a loop. */
typedef struct loop_piece {
    size_t controls;
    uint32_t degree, edge;
    double begin[2], end[2];
} loop_piece;

/* What is being made. */
typedef struct trim_maker {
    const clspi_surface_search *search;
    const clspi_trim_desc *desc;
    struct clspi_surface_trims *to;
    const double *knots, *controls; /* of the next curve */
    size_t curve;                   /* its number */
    loop_piece *pieces;             /* of a loop */
    size_t num_pieces, piece_room;
    uint32_t patch; /* the face at hand */
    const clspi_surface_source *source;
    clspi_trim_face *face;
    size_t arc_room;
} trim_maker;

static void *grow(trim_maker *m, void *array, size_t num, size_t *room, size_t bytes)
{
    if (num <= *room) return array;
    const size_t more = 2 * num + 16;
    void *const to = realloc(array, more * bytes);
    if (!to) {
        m->to->status = CLSPI_TRIM_NO_MEMORY;
        return NULL;
    }
    *room = more;
    return to;
}

/* Appends reals to those of planes, or of lines; SIZE_MAX without memory. */
static size_t put_reals(trim_maker *m, bool of_line, const double *reals, size_t num)
{
    struct clspi_surface_trims *const t = m->to;
    double **const array = of_line ? &t->line_reals : &t->reals;
    size_t *const count = of_line ? &t->num_line_reals : &t->num_reals;
    size_t *const room = of_line ? &t->line_real_room : &t->real_room;
    double *const to = grow(m, *array, *count + num, room, sizeof *to);

    if (!to) return SIZE_MAX;
    *array = to;
    memcpy(to + *count, reals, num * sizeof *to);
    *count += num;
    return *count - num;
}

/* ---- arcs ---- */

/* Returns how far control points are from the chord, by its length, u and v by the domain's. */
static double height_of(const clspi_trim_face *face, const double *controls, uint32_t degree)
{
    double p[2][2], most = 0;

    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 2; i++) {
            const double *const c = controls + (i ? degree * COORDS : 0);
            p[i][k] = c[k] / c[2] / face->size[k];
        }
    const double du = p[1][0] - p[0][0], dv = p[1][1] - p[0][1], length = hypot(du, dv);
    for (uint32_t i = 0; i <= degree; i++) {
        const double *const c = controls + i * COORDS;
        const double u = c[0] / c[2] / face->size[0] - p[0][0];
        const double v = c[1] / c[2] / face->size[1] - p[0][1];
        most = fmax(most, fabs(u * dv - v * du));
    }
    return length > 0 ? most / (length * length) : 0;
}

static void put_arc(trim_maker *m, const double *controls, uint32_t degree, const double begin[2],
                    const double end[2])
{
    clspi_trim_face *const f = m->face;
    clspi_trim_arc arc = {.degree = degree};
    clspi_trim_arc *const to = grow(m, f->arcs, (size_t)f->num_arcs + 1, &m->arc_room, sizeof *to);

    if (!to) return;
    f->arcs = to;
    arc.controls = put_reals(m, false, controls, (degree + 1) * (size_t)COORDS);
    for (int k = 0; k < 2; k++) {
        arc.begin[k] = begin[k];
        arc.end[k] = end[k];
        arc.low[k] = fmin(begin[k], end[k]);
        arc.high[k] = fmax(begin[k], end[k]);
        for (uint32_t i = 0; i <= degree; i++) {
            const double x = controls[i * COORDS + (uint32_t)k] / controls[i * COORDS + 2];
            arc.low[k] = fmin(arc.low[k], x);
            arc.high[k] = fmax(arc.high[k], x);
        }
    }
    to[f->num_arcs++] = arc;
}

/* Halves a curve until its parts are nearly straight. */
static void put_arcs(trim_maker *m, const double *controls, uint32_t degree, const double begin[2],
                     const double end[2], int halvings)
{
    double part[CLSPI_TRIM_REALS], middle[2];

    if (halvings == ARC_HALVINGS || height_of(m->face, controls, degree) <= FLAT) {
        put_arc(m, controls, degree, begin, end);
        return;
    }
    clspi_trim_point(controls, degree, 0.5, middle);
    clspi_trim_restrict(controls, degree, 0, 0.5, part);
    put_arcs(m, part, degree, begin, middle, halvings + 1);
    clspi_trim_restrict(controls, degree, 0.5, 1, part);
    put_arcs(m, part, degree, middle, end, halvings + 1);
}

/* ---- lines ---- */

static const clspi_surface_shape *shape_for(trim_maker *m, const clspi_surface_shape *shape)
{
    clspi_surface_shape **const at = &m->to->shapes[shape->degree[0]][shape->rational];

    if (!*at && (*at = malloc(sizeof **at)) != NULL) **at = *shape;
    if (!*at) m->to->status = CLSPI_TRIM_NO_MEMORY;
    return *at;
}

static void put_line(trim_maker *m, clspi_trim_line line, const clspi_surface_shape *shape,
                     const double *controls)
{
    struct clspi_surface_trims *const t = m->to;
    clspi_trim_line *const to = grow(m, t->lines, t->num_lines + 1, &t->line_room, sizeof *to);

    if (!to) return;
    t->lines = to;
    line.shape = shape_for(m, shape);
    line.controls = put_reals(m, true, controls, shape->reals);
    to[t->num_lines++] = line;
}

/* Finds the span of a direction that a parameter is in; false: it is off the domain. */
static bool find_span(const clspi_surface_source *from, int way, double x, uint32_t *span)
{
    const double *const ends = from->ends[way];
    const uint32_t num = from->spans[way];
    const double slack = OUTSIDE * (ends[num] - ends[0]);

    *span = 0;
    if (!(x >= ends[0] - slack && x <= ends[num] + slack)) return false;
    while (*span + 1 < num && x >= ends[*span + 1])
        ++*span;
    return true;
}

/* Makes the curve on the surface of a part of a loop that is within one piece. */
static void put_boundary(trim_maker *m, const double *controls, uint32_t degree, uint32_t edge)
{
    double middle[2], plane[CLSPI_TRIM_REALS],
        space[2 * CLSPI_SURFACE_LANES * CLSPI_LINE_ORDER_MAX];
    clspi_surface_shape shape;
    uint32_t span[2];

    clspi_trim_point(controls, degree, 0.5, middle);
    for (int k = 0; k < 2; k++)
        if (!find_span(m->source, k, middle[k], &span[k])) return;
    for (uint32_t i = 0; i <= degree; i++)
        for (int k = 0; k < 2; k++) {
            const double *const ends = m->source->ends[k] + span[k], w = controls[i * COORDS + 2];
            plane[i * COORDS + 2] = w;
            plane[i * COORDS + (uint32_t)k] =
                (controls[i * COORDS + (uint32_t)k] - ends[0] * w) / (ends[1] - ends[0]);
        }
    const size_t in_patch = m->patch - m->source->first_patch, columns = m->source->spans[1];
    const size_t number =
        m->source->first_piece + (in_patch * m->source->spans[0] + span[0]) * columns + span[1];
    const clspi_surface_piece *const piece = &m->search->pieces[number];
    if (!(piece->extent < (double)INFINITY)) return;
    if (!clspi_trim_on_piece(piece, plane, degree, &shape, space)) {
        m->to->status = CLSPI_TRIM_DEGREE;
        return;
    }
    clspi_trim_line line = {.patch = m->patch,
                            .edge = edge,
                            .piece = (uint32_t)number,
                            .plane_degree = degree,
                            .plane = put_reals(m, false, plane, (degree + 1) * (size_t)COORDS)};
    memcpy(line.origin, piece->origin, sizeof line.origin);
    put_line(m, line, &shape, space);
}

/* ---- loops ---- */

static int by_value(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;

    return (a > b) - (a < b);
}

/* Finds where a piece of a loop meets the ends of spans, or turns back along u or v. */
static size_t find_splits(const trim_maker *m, const double *controls, uint32_t degree,
                          double *splits)
{
    clspi_trim_roots roots = {.at = splits, .room = SPLITS_MAX};

    for (int k = 0; k < 2; k++) {
        double low = INFINITY, high = -INFINITY;
        for (uint32_t i = 0; i <= degree; i++) {
            const double x = controls[i * COORDS + (uint32_t)k] / controls[i * COORDS + 2];
            low = fmin(low, x);
            high = fmax(high, x);
        }
        if (degree > 1) clspi_trim_turns(controls, degree, k, &roots);
        for (uint32_t i = 0; i <= m->source->spans[k]; i++) {
            const double x = m->source->ends[k][i];
            if (x > low && x < high) clspi_trim_crossings(controls, degree, k, x, &roots);
        }
    }
    if (roots.num == SPLITS_MAX) m->to->status = CLSPI_TRIM_NO_MEMORY;
    qsort(splits, roots.num, sizeof *splits, by_value);
    return roots.num;
}

/* Divides a piece of a loop into arcs and curves on the surface. */
static void put_piece(trim_maker *m, const loop_piece *p)
{
    double splits[SPLITS_MAX + 1], all[CLSPI_TRIM_REALS], part[CLSPI_TRIM_REALS];
    double begin[2] = {p->begin[0], p->begin[1]}, low = 0;

    memcpy(all, m->to->reals + p->controls, (p->degree + 1) * COORDS * sizeof *all);
    const size_t num = find_splits(m, all, p->degree, splits);
    splits[num] = 1;
    for (size_t i = 0; i <= num; i++) {
        double end[2] = {p->end[0], p->end[1]};
        if (splits[i] - low < 1e-13 || (i < num && splits[i] > 1 - 1e-13)) continue;
        if (i < num) clspi_trim_point(all, p->degree, splits[i], end);
        clspi_trim_restrict(all, p->degree, low, splits[i], part);
        put_boundary(m, part, p->degree, p->edge);
        put_arcs(m, part, p->degree, begin, end, 0);
        low = splits[i];
        memcpy(begin, end, sizeof begin);
    }
}

/* Appends a Bezier piece to the loop at hand. */
static void add_piece(trim_maker *m, const double *controls, uint32_t degree, uint32_t edge)
{
    loop_piece *const to = grow(m, m->pieces, m->num_pieces + 1, &m->piece_room, sizeof *to);
    loop_piece p = {.degree = degree, .edge = edge};

    if (!to) return;
    m->pieces = to;
    p.controls = put_reals(m, false, controls, (degree + 1) * (size_t)COORDS);
    for (int k = 0; k < 2; k++) {
        p.begin[k] = controls[k] / controls[2];
        p.end[k] = controls[degree * COORDS + (uint32_t)k] / controls[degree * COORDS + 2];
    }
    to[m->num_pieces++] = p;
}

/* Appends the pieces of the next curve. */
static void add_curve(trim_maker *m)
{
    const clspi_curve_rows *const rows = &m->desc->curves;
    const uint32_t degree = rows->degree[m->curve], num = rows->num_controls[m->curve];
    double piece[CLSPI_TRIM_REALS];

    for (uint32_t at = degree; at < num; at++) {
        if (!(m->knots[at] < m->knots[at + 1])) continue;
        clspi_bezier_of_span(m->knots, degree, at, m->controls, COORDS, piece);
        add_piece(m, piece, degree, m->desc->edge[m->curve]);
    }
    m->knots += num + degree + 1;
    m->controls += num * COORDS;
    m->curve++;
}

/* Returns how far two ends are from each other, by the domain. */
static double gap_of(const trim_maker *m, const double *x, const double *y)
{
    return fmax(fabs(x[0] - y[0]) / m->face->size[0], fabs(x[1] - y[1]) / m->face->size[1]);
}

/* Joins the pieces of a loop: where ends are near by moving one, else by a line. */
static void close_loop(trim_maker *m)
{
    const size_t num = m->num_pieces;

    for (size_t i = 0; i < num && m->to->status == CLSPI_TRIM_OK; i++) {
        const loop_piece *const from = &m->pieces[i];
        loop_piece *const to = &m->pieces[(i + 1) % num];
        if (gap_of(m, from->end, to->begin) <= m->desc->snap) {
            double *const first = m->to->reals + to->controls;
            for (int k = 0; k < 2; k++) {
                to->begin[k] = from->end[k];
                first[k] = from->end[k] * first[2];
            }
        } else {
            const double line[2 * COORDS] = {from->end[0], from->end[1], 1,
                                             to->begin[0], to->begin[1], 1};
            m->to->num_gaps++;
            add_piece(m, line, 1, UINT32_MAX);
        }
    }
}

static void make_loop(trim_maker *m, size_t loop)
{
    m->num_pieces = 0;
    for (size_t i = m->desc->curve[loop]; i < m->desc->curve[loop + 1]; i++)
        add_curve(m);
    close_loop(m);
    for (size_t i = 0; i < m->num_pieces && m->to->status == CLSPI_TRIM_OK; i++)
        put_piece(m, &m->pieces[i]);
}

/* ---- faces ---- */

/* Returns the row of a parameter v. */
static uint32_t row_of(const clspi_trim_face *f, double v)
{
    const double row = (v - f->low) * f->rows_per_v;

    return !(row > 0) ? 0 : row < f->num_rows - 1 ? (uint32_t)row : f->num_rows - 1;
}

/* Shares arcs out among rows. */
static void make_rows(trim_maker *m)
{
    clspi_trim_face *const f = m->face;
    double high = -INFINITY;
    size_t num = 0;

    f->low = INFINITY;
    for (uint32_t i = 0; i < f->num_arcs; i++) {
        f->low = fmin(f->low, f->arcs[i].low[1]);
        high = fmax(high, f->arcs[i].high[1]);
    }
    f->num_rows = f->num_arcs / ARCS_OF_ROW + 1;
    f->rows_per_v = high > f->low ? f->num_rows / (high - f->low) : 0;
    f->row_first = calloc((size_t)f->num_rows + 1, sizeof *f->row_first);
    for (uint32_t i = 0; f->row_first && i < f->num_arcs; i++)
        for (uint32_t r = row_of(f, f->arcs[i].low[1]); r <= row_of(f, f->arcs[i].high[1]); r++)
            f->row_first[r]++;
    for (uint32_t r = 0; f->row_first && r < f->num_rows; r++)
        f->row_first[r] = (uint32_t)(num += f->row_first[r]); /* where rows end */
    f->row_arcs = malloc((num + 1) * sizeof *f->row_arcs);
    if (!f->row_first || !f->row_arcs) {
        m->to->status = CLSPI_TRIM_NO_MEMORY;
        return;
    }
    f->row_first[f->num_rows] = (uint32_t)num;
    for (uint32_t i = 0; i < f->num_arcs; i++)
        for (uint32_t r = row_of(f, f->arcs[i].low[1]); r <= row_of(f, f->arcs[i].high[1]); r++)
            f->row_arcs[--f->row_first[r]] = i;
}

static void make_face(trim_maker *m, uint32_t patch)
{
    const size_t first = m->desc->loop[patch], end = m->desc->loop[patch + 1];

    if (first == end) return;
    m->patch = patch;
    m->source = clspi_surface_source_of(m->search, patch);
    m->face = &m->to->faces[patch];
    m->arc_room = 0;
    for (int k = 0; k < 2; k++)
        m->face->size[k] = m->source->ends[k][m->source->spans[k]] - m->source->ends[k][0];
    for (size_t i = first; i < end && m->to->status == CLSPI_TRIM_OK; i++)
        make_loop(m, i);
    if (m->to->status == CLSPI_TRIM_OK) make_rows(m);
}

/* ---- edges ---- */

/* Appends a Bezier piece of an edge in space. */
static void put_edge(trim_maker *m, const double *controls, uint32_t degree, uint32_t edge)
{
    const uint32_t to[2] = {degree, 0};
    const double *const middle = controls + degree / 2 * EDGE_COORDS;
    clspi_trim_line line = {.patch = UINT32_MAX, .edge = edge, .piece = UINT32_MAX};
    double space[2 * CLSPI_SURFACE_LANES * CLSPI_LINE_ORDER_MAX] = {0};
    bool rational = false;

    for (uint32_t i = 1; i <= degree; i++)
        rational = rational || controls[i * EDGE_COORDS + 3] != controls[3];
    const clspi_surface_shape shape = clspi_surface_shape_of(to, m->search->dim, rational);
    for (uint32_t l = 0; l < 3; l++)
        line.origin[l] = middle[l] / middle[3];
    for (uint32_t i = 0; i <= degree; i++) {
        const double *const from = controls + i * EDGE_COORDS;
        for (uint32_t l = 0; l < 3; l++)
            space[i * shape.lanes + l] =
                fma(-from[3], line.origin[l], from[l]) / (rational ? 1 : from[3]);
        if (rational) space[i * shape.lanes + 3] = from[3];
    }
    put_line(m, line, &shape, space);
}

static void make_edges(trim_maker *m)
{
    const clspi_curve_rows *const rows = &m->desc->edges;
    const double *knots = rows->knots, *controls = rows->controls;
    double piece[CLSPI_LINE_ORDER_MAX * EDGE_COORDS];

    for (size_t i = 0; i < rows->num && m->to->status == CLSPI_TRIM_OK; i++) {
        const uint32_t degree = rows->degree[i], num = rows->num_controls[i];
        for (uint32_t at = degree; at < num; at++) {
            if (!(knots[at] < knots[at + 1])) continue;
            clspi_bezier_of_span(knots, degree, at, controls, EDGE_COORDS, piece);
            put_edge(m, piece, degree, (uint32_t)i);
        }
        knots += num + degree + 1;
        controls += (size_t)num * EDGE_COORDS;
    }
}

/* Notes the lines on surfaces of each edge, in the order of faces, and tolerances. */
static void note_uses(trim_maker *m)
{
    struct clspi_surface_trims *const t = m->to;
    const size_t num = t->num_edges = m->desc->edges.num;
    size_t uses = 0;

    t->edge_first = calloc(num + 2, sizeof *t->edge_first);
    t->edge_lines = malloc((t->num_lines + 1) * sizeof *t->edge_lines);
    t->tolerance = calloc(num + 1, sizeof *t->tolerance);
    t->edge_uses = calloc(num + 1, sizeof *t->edge_uses);
    if (!t->edge_first || !t->edge_lines || !t->tolerance || !t->edge_uses) {
        t->status = CLSPI_TRIM_NO_MEMORY;
        return;
    }
    for (size_t i = 0; i < num && m->desc->tolerance; i++)
        t->tolerance[i] = m->desc->tolerance[i];
    for (size_t i = 0; i < m->desc->curves.num; i++)
        if (m->desc->edge[i] < num) t->edge_uses[m->desc->edge[i]]++;
    for (size_t i = 0; i < t->num_lines; i++)
        if (t->lines[i].piece != UINT32_MAX && t->lines[i].edge < num)
            t->edge_first[t->lines[i].edge]++;
    for (size_t i = 0; i <= num; i++) {
        uses += t->edge_first[i];
        t->edge_first[i] = (uint32_t)uses; /* where those of an edge end */
    }
    for (size_t i = t->num_lines; i-- > 0;)
        if (t->lines[i].piece != UINT32_MAX && t->lines[i].edge < num)
            t->edge_lines[--t->edge_first[t->lines[i].edge]] = (uint32_t)i;
}

struct clspi_surface_trims *clspi_surface_trims_make(const clspi_surface_search *search,
                                                     const clspi_trim_desc *desc)
{
    struct clspi_surface_trims *const to = calloc(1, sizeof *to);
    trim_maker m = {.search = search,
                    .desc = desc,
                    .to = to,
                    .knots = desc->curves.knots,
                    .controls = desc->curves.controls};

    if (!to) return NULL;
    to->num_faces = search->num_patches;
    to->faces = calloc(to->num_faces + 1, sizeof *to->faces);
    if (!to->faces) to->status = CLSPI_TRIM_NO_MEMORY;
    for (size_t i = 0; i < to->num_faces && to->status == CLSPI_TRIM_OK; i++)
        make_face(&m, (uint32_t)i);
    make_edges(&m);
    if (to->status == CLSPI_TRIM_OK) note_uses(&m);
    for (size_t i = 0; to->faces && i < to->num_faces; i++)
        to->faces[i].reals = to->reals;
    free(m.pieces);
    return to;
}

void clspi_surface_trims_destroy(struct clspi_surface_trims **ptr)
{
    struct clspi_surface_trims *const t = *ptr;

    if (!t) return;
    *ptr = NULL;
    for (size_t i = 0; t->faces && i < t->num_faces; i++) {
        free(t->faces[i].arcs);
        free(t->faces[i].row_first);
        free(t->faces[i].row_arcs);
    }
    for (int i = 0; i < CLSPI_LINE_ORDER_MAX; i++)
        for (int k = 0; k < 2; k++)
            free(t->shapes[i][k]);
    free(t->faces);
    free(t->tolerance);
    free(t->edge_uses);
    free(t->edge_first);
    free(t->edge_lines);
    free(t->lines);
    free(t->reals);
    free(t->line_reals);
    free(t);
}

/* ---- inside ---- */

/* Finds the point of an arc whose coordinate `axis` is x, which is between those of its ends. */
static void find_on_arc(const clspi_trim_face *f, const clspi_trim_arc *arc, int axis, double x,
                        double point[2])
{
    const double *const controls = f->reals + arc->controls;
    const bool falls = arc->begin[axis] > arc->end[axis];
    double low = 0, high = 1, t = (x - arc->begin[axis]) / (arc->end[axis] - arc->begin[axis]);

    for (int i = 0; i < ROOT_STEPS && high - low > 0x1p-53; i++) {
        clspi_trim_point(controls, arc->degree, t, point);
        if (point[axis] == x) return;
        if ((point[axis] < x) != falls)
            low = t;
        else
            high = t;
        /* a chord's place first, where arcs are straight, and halves behind it */
        const double step = (x - point[axis]) / (arc->end[axis] - arc->begin[axis]);
        t = i < 8 && t + step > low && t + step < high ? t + step : (low + high) / 2;
        if (i < 8 && fabs(step) < 0x1p-54) return;
    }
}

bool clspi_trim_inside(const clspi_trim_face *face, double u, double v)
{
    const uint32_t row = row_of(face, v);
    bool is = false;

    for (uint32_t i = face->row_first[row]; i < face->row_first[row + 1]; i++) {
        const clspi_trim_arc *const arc = &face->arcs[face->row_arcs[i]];
        double point[2];
        if ((arc->begin[1] > v) == (arc->end[1] > v) || u > arc->high[0]) continue;
        if (u >= arc->low[0]) {
            find_on_arc(face, arc, 1, v, point);
            if (!(point[0] > u)) continue;
        }
        is = !is;
    }
    return is;
}

bool clspi_trim_on_loop(const clspi_trim_face *face, double u, double v)
{
    const double at[2] = {u, v};

    for (uint32_t i = 0; i < face->num_arcs; i++) {
        const clspi_trim_arc *const arc = &face->arcs[i];
        double off[2], point[2] = {arc->begin[0], arc->begin[1]};
        bool is_near = true;
        for (int k = 0; k < 2; k++) {
            off[k] = TOUCHING * face->size[k];
            is_near = is_near && at[k] >= arc->low[k] - off[k] && at[k] <= arc->high[k] + off[k];
        }
        if (!is_near) continue;
        const int axis = fabs(arc->end[1] - arc->begin[1]) / face->size[1] >
                         fabs(arc->end[0] - arc->begin[0]) / face->size[0];
        const double low = fmin(arc->begin[axis], arc->end[axis]);
        const double high = fmax(arc->begin[axis], arc->end[axis]);
        if (high > low) find_on_arc(face, arc, axis, fmin(fmax(at[axis], low), high), point);
        if (fabs(point[0] - u) <= off[0] && fabs(point[1] - v) <= off[1]) return true;
    }
    return false;
}

size_t clspi_surface_search_gaps(const clspi_surface_search *search)
{
    return search->trims ? search->trims->num_gaps : 0;
}

uint8_t clspi_surface_search_contains(const clspi_surface_search *search, size_t patch, double u,
                                      double v)
{
    const clspi_surface_source *const from = clspi_surface_source_of(search, patch);
    const clspi_trim_face *const face = search->trims && search->trims->faces[patch].num_arcs > 0
                                            ? &search->trims->faces[patch]
                                            : NULL;
    const double at[2] = {u, v};
    bool is_side = false;

    for (int k = 0; k < 2; k++) {
        const double low = from->ends[k][0], high = from->ends[k][from->spans[k]];
        const double off = TOUCHING * (high - low);
        if (!(at[k] >= low - off && at[k] <= high + off)) return 0;
        is_side = is_side || at[k] <= low + off || at[k] >= high - off;
    }
    if (face && clspi_trim_on_loop(face, u, v)) return 2;
    if (face && !clspi_trim_inside(face, u, v)) return 0;
    return is_side ? 2 : 1;
}

/* ---- boxes ---- */

/* Tells whether an arc is on one side of a box, along the axes or across its chord. */
static bool is_apart(const clspi_trim_face *f, const clspi_trim_arc *arc, const double low[2],
                     const double high[2])
{
    const double du = arc->end[0] - arc->begin[0], dv = arc->end[1] - arc->begin[1];
    const double middle[2] = {(low[0] + high[0]) / 2, (low[1] + high[1]) / 2};
    double least = INFINITY, most = -INFINITY;

    for (int k = 0; k < 2; k++)
        if (arc->low[k] > high[k] || arc->high[k] < low[k]) return true;
    for (uint32_t i = 0; i <= arc->degree; i++) {
        const double *const c = f->reals + arc->controls + i * COORDS;
        const double x = dv * (c[0] / c[2] - middle[0]) - du * (c[1] / c[2] - middle[1]);
        least = fmin(least, x);
        most = fmax(most, x);
    }
    const double half =
        (fabs(dv) * (high[0] - low[0]) + fabs(du) * (high[1] - low[1])) / 2 * (1 + TOUCHING);
    return least > half || most < -half;
}

/* Widens a box by what touches it. */
static void widen(const clspi_trim_face *f, const double box[2], double way, double to[2])
{
    for (int k = 0; k < 2; k++)
        to[k] = box[k] + way * TOUCHING * f->size[k];
}

static bool is_middle_inside(const clspi_trim_face *f, const double low[2], const double high[2])
{
    return clspi_trim_inside(f, (low[0] + high[0]) / 2, (low[1] + high[1]) / 2);
}

clspi_trim_kind clspi_trim_box(const clspi_trim_face *face, const double low[2],
                               const double high[2], const uint32_t *arcs, uint32_t *touching,
                               uint32_t *num)
{
    double wide_low[2], wide_high[2];
    uint32_t count = 0;

    widen(face, low, -1, wide_low);
    widen(face, high, 1, wide_high);
    for (uint32_t i = 0; i < *num; i++) {
        const uint32_t number = arcs ? arcs[i] : i;
        if (!is_apart(face, &face->arcs[number], wide_low, wide_high)) touching[count++] = number;
    }
    *num = count;
    if (count > 0) return CLSPI_TRIM_MIXED;
    return is_middle_inside(face, low, high) ? CLSPI_TRIM_IN : CLSPI_TRIM_OUT;
}

bool clspi_trim_outside(const clspi_trim_face *face, const double low[2], const double high[2])
{
    double wide_low[2], wide_high[2];

    widen(face, low, -1, wide_low);
    widen(face, high, 1, wide_high);
    const uint32_t first = face->row_first[row_of(face, wide_low[1])];
    const uint32_t end = face->row_first[row_of(face, wide_high[1]) + 1];
    for (uint32_t i = first; i < end; i++)
        if (!is_apart(face, &face->arcs[face->row_arcs[i]], wide_low, wide_high)) return false;
    return !is_middle_inside(face, low, high);
}
