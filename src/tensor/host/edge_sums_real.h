/* The edges of surfaces, by the sums of a family's kernel of edges (docs/math.md, 7 and 11); a part
   of vertex_sums_real.h. Sums are those of three coordinates and a weight, and of magnitudes. */

/* A sum of control points in homogeneous coordinates, the weight in x[4], and in size and weight
   the same sum of their magnitudes. */
typedef struct tracked {
    real x[COORDS_MAX], size, weight;
} tracked;

/* A derivative of the patch itself, and its running error bound. */
typedef struct tangent {
    real x[3], error;
} tangent;

static const tracked zero;

/* ---- chains of convex combinations ---- */

/* A step's factors: of what there was, and of the control point. */
typedef struct factors {
    real old, fresh;
} factors;

static factors next_factors(real fresh, uint32_t degree, uint32_t k, real t, real s)
{
    const real x = t * (real)(degree - k + 1) * fresh, y = s * (real)k;
    const real part = (x < y ? x : y) / (x + y);
    const factors f = {x < y ? 1 - part : part, x < y ? part : 1 - part};

    return f;
}

static tracked track(tracked a)
{
    a.size = max_of(max_of(abs_of(a.x[0]), abs_of(a.x[1])), max_of(abs_of(a.x[2]), abs_of(a.x[3])));
    a.weight = abs_of(a.x[4]);
    return a;
}

/* Loads a control point, of a rational patch relative to a centre (homogeneous_near of
   vertex.clh). */
static tracked load(const clspi_vertex_shape *shape, const real *p, const real *centre)
{
    tracked a = zero;

    for (uint32_t c = 0; c < shape->dim; c++)
        a.x[c] = shape->rational ? FMA(-centre[c], p[shape->dim], p[c]) : p[c];
    if (shape->rational) a.x[4] = p[shape->dim];
    return track(a);
}

static tracked minus(const tracked *a, const tracked *b)
{
    tracked d = zero;

    for (int c = 0; c < COORDS_MAX; c++)
        d.x[c] = a->x[c] - b->x[c];
    return track(d);
}

/* Adds a control point to a chain. */
static void combine(tracked *q, const tracked *w, factors f)
{
    const bool near_w = f.fresh > f.old;
    const real part = near_w ? f.old : f.fresh;

    for (int c = 0; c < COORDS_MAX; c++) {
        const real x0 = near_w ? w->x[c] : q->x[c], x1 = near_w ? q->x[c] : w->x[c];
        q->x[c] = x0 + part * (x1 - x0);
    }
    q->size = f.fresh * w->size + f.old * q->size;
    q->weight = f.fresh * w->weight + f.old * q->weight;
}

static void multiply(tracked *a, real f)
{
    for (int c = 0; c < COORDS_MAX; c++)
        a->x[c] *= f;
    a->size *= abs_of(f);
    a->weight *= abs_of(f);
}

/* ---- normals ---- */

static tangent tangent_of(const clspi_vertex_shape *shape, const tracked *d, const tracked *point)
{
    const real one_over_w = shape->rational ? 1 / point->x[4] : 1;
    tangent t = {{d->x[0], d->x[1], d->x[2]}, d->size};

    if (!shape->rational) return t;
    const real size = largest3(point->x[0], point->x[1], point->x[2]) * abs_of(one_over_w);
    for (int c = 0; c < 3; c++)
        t.x[c] = (d->x[c] - d->x[4] * (point->x[c] * one_over_w)) * one_over_w;
    t.error = (d->size + d->weight * size) * one_over_w;
    return t;
}

/* Makes a second derivative; a and b: the first ones in its two directions, of which da and db are
   the homogeneous ones. */
static tangent second_of(const clspi_vertex_shape *shape, const tracked *d, const tracked *point,
                         const tracked *da, const tangent *a, const tracked *db, const tangent *b)
{
    const real one_over_w = shape->rational ? 1 / point->x[4] : 0;
    tangent t = tangent_of(shape, d, point);

    for (int c = 0; c < 3; c++)
        t.x[c] -= (da->x[4] * b->x[c] + db->x[4] * a->x[c]) * one_over_w;
    t.error += (da->weight * b->error + db->weight * a->error) * one_over_w;
    return t;
}

/* Adds f (a x b) to n, and its error bound. */
static void add_cross(tangent *n, real f, const tangent *a, const tangent *b)
{
    for (int c = 0; c < 3; c++) {
        const int d = (c + 1) % 3, e = (c + 2) % 3;
        n->x[c] += f * (a->x[d] * b->x[e] - a->x[e] * b->x[d]);
    }
    n->error += abs_of(f) * (a->error * largest3(b->x[0], b->x[1], b->x[2]) +
                             b->error * largest3(a->x[0], a->x[1], a->x[2]));
}

static void shorten(tangent *t, real factor)
{
    for (int c = 0; c < 3; c++)
        t->x[c] *= factor;
    t->error *= factor;
}

/* Scales a tangent; one that may be all rounding becomes 0, as the tangents of a collapsed edge
   are, so that no product takes what it is off by. */
static void shorten_sound(tangent *t, real factor)
{
    const bool sound = largest3(t->x[0], t->x[1], t->x[2]) > 8 * REAL_EPS * t->error;

    shorten(t, sound ? factor : 0);
}

/* Tangents of an edge: inwards n, along it t, and second derivatives. */
typedef struct edge_tangents {
    tangent n, t, nn, nt, tt;
} edge_tangents;

/* Makes the limit of n x t from the inside; along: the direction of the inside along the edge. */
static void limit_normal(const edge_tangents *of, real along, real normal[3])
{
    const real largest = max_of(
        max_of(max_of(of->n.error, of->t.error), max_of(of->nn.error, of->tt.error)), of->nt.error);
    const real factor = largest > REAL_TINY ? 1 / largest : 0;
    edge_tangents e = *of;
    tangent sum = {{0}, 0};

    shorten_sound(&e.n, factor);
    shorten_sound(&e.t, factor);
    shorten_sound(&e.nn, factor);
    shorten_sound(&e.nt, factor);
    shorten_sound(&e.tt, factor);
    add_cross(&sum, 1, &e.nn, &e.t);
    add_cross(&sum, 1, &e.n, &e.nt);
    add_cross(&sum, along, &e.nt, &e.t);
    add_cross(&sum, along, &e.n, &e.tt);
    const real size = largest3(sum.x[0], sum.x[1], sum.x[2]);
    if (!(size > 32 * REAL_EPS * sum.error && size > REAL_TINY)) return;
    shorten(&sum, 1 / size);
    const real length = SQRT(sum.x[0] * sum.x[0] + sum.x[1] * sum.x[1] + sum.x[2] * sum.x[2]);
    for (int c = 0; c < 3; c++)
        normal[c] = sum.x[c] / length;
}

/* Makes the normal of tangents, or its limit. */
static void edge_normal(const edge_tangents *of, real along, real normal[3])
{
    unit_normal(normal, of->n.x, of->t.x, of->n.error, of->t.error);
    if (normal[0] == 0 && normal[1] == 0 && normal[2] == 0) limit_normal(of, along, normal);
}

/* ---- edges ---- */

/* Tells from which end an edge comes first: -1 from its begin, 1 from its end, 0 both alike. */
static int direction_of(const clspi_vertex_shape *shape, const clspi_edge *edge)
{
    const uint32_t coords = shape->dim + shape->rational;

    for (uint32_t i = 0; 2 * i < edge->degree; i++) {
        const real *const a = (const real *)edge->corner + (ptrdiff_t)i * edge->step_t;
        const real *const b =
            (const real *)edge->corner + (ptrdiff_t)(edge->degree - i) * edge->step_t;
        for (uint32_t c = 0; c < coords; c++)
            if (a[c] != b[c]) return a[c] < b[c] ? -1 : a[c] > b[c] ? 1 : 0;
    }
    return 0;
}

/* The sums of an edge: of its row of control points, and of the differences inwards and along. */
typedef struct edge_sums {
    tracked s, n, nn, t, nt, tt;
} edge_sums;

/* Sums an edge at the ratio at[0] : at[1], from the end that p points to; step: along from there.
   centre: of normals; NULL: the points alone. */
static edge_sums sum_edge(const clspi_vertex_shape *shape, const clspi_edge *edge, const real *p,
                          ptrdiff_t step, const real at[2], const real *centre)
{
    static const real origin[4];
    const real *const from = centre ? centre : origin;
    const real t = at[0], s = at[1];
    const ptrdiff_t in1 = edge->depth > 1 ? edge->step_n : 0;
    const ptrdiff_t in2 = edge->depth > 2 ? 2 * edge->step_n : in1;
    const uint32_t n = edge->degree;
    edge_sums e = {zero, zero, zero, zero, zero, zero};
    factors f = {0, 1}, f1 = f, f2 = f;
    tracked r0 = zero, rn = zero, d0 = zero;

    for (uint32_t i = 0; i <= n; i++, p += step) {
        const tracked p0 = load(shape, p, from);
        if (i > 0) f = next_factors(f.fresh, n, i, t, s);
        combine(&e.s, &p0, f);
        if (!centre) continue;
        const tracked p1 = load(shape, p + in1, from), p2 = load(shape, p + in2, from);
        const tracked pn = minus(&p1, &p0), p21 = minus(&p2, &p1), pnn = minus(&p21, &pn);
        const tracked d = minus(&p0, &r0), dn = minus(&pn, &rn), dd = minus(&d, &d0);
        combine(&e.n, &pn, f);
        if (edge->depth > 2) combine(&e.nn, &pnn, f);
        if (i > 1) f1 = next_factors(f1.fresh, n - 1, i - 1, t, s);
        if (i > 0) combine(&e.t, &d, f1);
        if (i > 0) combine(&e.nt, &dn, f1);
        if (i > 2) f2 = next_factors(f2.fresh, n - 2, i - 2, t, s);
        if (i > 1) combine(&e.tt, &dd, f2);
        d0 = d;
        r0 = p0;
        rn = pn;
    }
    return e;
}

/* Makes the tangents of sums relative to a centre, `from`. */
static edge_tangents tangents_of(const clspi_vertex_shape *shape, const clspi_edge *edge,
                                 edge_sums *e, const real *from, bool flip)
{
    const real inwards = (real)(edge->depth - 1), degree = (real)edge->degree;
    const real towards = flip ? -degree : degree;
    edge_tangents of;

    multiply(&e->n, inwards);
    multiply(&e->nn, inwards * (inwards - 1));
    multiply(&e->t, towards);
    multiply(&e->nt, inwards * towards);
    multiply(&e->tt, degree * (degree - 1));
    const real far = max_of(largest3(from[0], from[1], from[2]), abs_of(from[3]));
    const real w = e->s.x[4];
    tracked *const all[] = {&e->n, &e->nn, &e->t, &e->nt, &e->tt};
    for (int k = 0; k < 5 && shape->rational; k++)
        all[k]->size += given_size(all[k]->weight, REAL_MAX, w, far);
    of.n = tangent_of(shape, &e->n, &e->s);
    of.t = tangent_of(shape, &e->t, &e->s);
    of.nn = second_of(shape, &e->nn, &e->s, &e->n, &of.n, &e->n, &of.n);
    of.nt = second_of(shape, &e->nt, &e->s, &e->n, &of.n, &e->t, &of.t);
    of.tt = second_of(shape, &e->tt, &e->s, &e->t, &of.t, &e->t, &of.t);
    return of;
}

static void store_point(const clspi_vertex_shape *shape, void *out, ptrdiff_t at, const tracked *s)
{
    const real one_over_w = shape->rational ? 1 / s->x[4] : 1;

    for (uint32_t c = 0; c < shape->dim && shape->at[CLSPI_PART_POINT] >= 0; c++)
        store(shape->type, out, at + shape->at[CLSPI_PART_POINT] + (int32_t)c,
              s->x[c] * one_over_w);
    if (shape->rational && shape->at[CLSPI_PART_WEIGHT] >= 0)
        store(shape->type, out, at + shape->at[CLSPI_PART_WEIGHT], s->x[4]);
}

/* Makes the vertex of sample k; found: as direction_of tells. */
static void edge_vertex(const clspi_vertex_shape *shape, const clspi_edge *edge, uint32_t k,
                        int found)
{
    const ptrdiff_t at = (ptrdiff_t)(k - edge->first) * edge->to_next;
    const int32_t at_normal = shape->at[CLSPI_PART_NORMAL];
    const bool lost = at_normal >= 0 && is_lost(shape->type, edge->out, at + at_normal);

    if (!lost && !edge->watertight) return;
    const uint32_t last = edge->num > 1 ? edge->num - 1 : 1;
    const real begin = (real)edge->begin, end = (real)edge->end;
    const double *const own = edge->params;
    const real y = own ? (real)(1 - own[k]) : (1 - begin) * (real)(last - k) + (1 - end) * (real)k;
    /* what y, which is rounded, leaves of 1 is the same from both ends */
    const bool even = edge->watertight && y >= (real)0.5;
    const real x = !own ? begin * (real)(last - k) + end * (real)k : even ? 1 - y : (real)own[k];
    const bool flip = found > 0 || (found == 0 && x > y);
    const real t = flip ? y : x, s = flip ? x : y;
    const real *const p = edge->corner;
    const real *const from = flip ? p + (ptrdiff_t)edge->degree * edge->step_t : p;
    const ptrdiff_t step = flip ? -edge->step_t : edge->step_t;
    const real ratio[2] = {t, s};
    real normal[3], centre[4] = {0};
    edge_sums e = {.s = zero};
    if (edge->watertight || shape->rational) e = sum_edge(shape, edge, from, step, ratio, NULL);
    if (edge->watertight) store_point(shape, edge->out, at, &e.s);
    if (!lost) return;
    for (uint32_t c = 0; c < shape->dim && shape->rational; c++)
        centre[c] = e.s.x[c] * (1 / e.s.x[4]);
    e = sum_edge(shape, edge, from, step, ratio, centre);
    /* at a corner the patch's inside lies along the edge too */
    const bool begins = t == 0, ends = s == 0;
    const real along = begins == ends ? 0 : begins != flip ? 1 : -1;
    const edge_tangents of = tangents_of(shape, edge, &e, centre, flip);
    edge_normal(&of, along, normal);
    for (int c = 0; c < 3; c++)
        store(shape->type, edge->out, at + shape->at[CLSPI_PART_NORMAL] + c,
              edge->right_handed ? normal[c] : -normal[c]);
}

static void edge(const clspi_vertex_shape *shape, const clspi_edge *of)
{
    const int found = direction_of(shape, of);

    for (uint32_t k = of->first; k < of->first + of->count; k++)
        edge_vertex(shape, of, k, found);
}
