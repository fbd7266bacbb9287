#include "reduce_curves.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reduce_parts.h"
#include "reduce_segments.h"

enum {
    SEGMENTS_MAX = 64,   /* whose control points are at hand at once, */
    REALS_MAX = 1 << 15, /* of all together, if they are several, */
    PARTS_MAX = 256,     /* and parts that are made at once */
    FEW = 9,             /* parts, which are tried one number after the other */
    ALIKE_GROWTH = 4 /* of control points of pieces by those of segments, where parts are alike */
};

/* Segments that are at hand, and parts of them. */
typedef struct desk {
    const clspi_reduce_curves *of;
    size_t num, reals; /* of segments, and of one's control points */
    double *points;    /* [num][reals] */
    double *room;      /* of parts */
    double *made;      /* [PARTS_MAX][to + 1][coordinates], pieces; NULL: none are made */
    clspi_reduce_segment segment[SEGMENTS_MAX];
    size_t num_parts;
    clspi_reduce_part part[PARTS_MAX];
    uint32_t owner[PARTS_MAX]; /* the segment of a part */
    double error[PARTS_MAX];
} desk;

/* ---- parts ---- */

/* Tells how many parts as long as the longest n parts are. */
static double lengths_of(const clspi_reduce_form *form, double n)
{
    return clspi_reduce_has_short_ends(form) && n > 1 ? n - 2 + 2 * CLSPI_REDUCE_SHORT : n;
}

double clspi_reduce_begin(const clspi_reduce_form *form, uint32_t n, uint32_t i)
{
    if (i == 0) return 0;
    if (i == n) return 1;
    return clspi_reduce_has_short_ends(form) ? (i - 1 + CLSPI_REDUCE_SHORT) / lengths_of(form, n)
                                             : (double)i / n;
}

/* Puts part i of n of a segment on the desk, behind the one before it if that is there. */
static void put_part(desk *d, uint32_t owner, uint32_t n, uint32_t i)
{
    const clspi_reduce_form *const form = &d->of->tables->form;
    const size_t at = d->num_parts++;
    const bool follows = at > 0 && d->owner[at - 1] == owner;
    const uint32_t kind =
        (i == 0) * (uint32_t)CLSPI_REDUCE_AT_BEGIN + (i + 1 == n) * (uint32_t)CLSPI_REDUCE_AT_END;

    d->owner[at] = owner;
    d->part[at] =
        (clspi_reduce_part){d->points + owner * d->reals,
                            follows ? d->part[at - 1].end : clspi_reduce_begin(form, n, i),
                            clspi_reduce_begin(form, n, i + 1), kind};
}

/* Makes all parts on the desk, and measures them or not. */
static void make_parts(desk *d, bool measures)
{
    const clspi_reduce_parts parts = {.tables = d->of->tables,
                                      .num = d->num_parts,
                                      .part = d->part,
                                      .error = measures ? d->error : NULL,
                                      .points = d->made,
                                      .room = d->room};

    clspi_reduce_parts_make(&parts);
}

/* ---- the desk ---- */

/* Makes an empty desk; NULL without memory. */
static desk *desk_create(const clspi_reduce_curves *curves, bool makes)
{
    const clspi_reduce_form *const form = &curves->tables->form;
    const size_t reals = (size_t)(form->degree + 1) * clspi_reduce_from_coords(form);
    const size_t most = reals * SEGMENTS_MAX > REALS_MAX ? REALS_MAX / reals : SEGMENTS_MAX;
    const size_t num = most > 0 ? most : 1, room = clspi_reduce_room(form);
    const size_t made =
        makes ? PARTS_MAX * (size_t)(form->to + 1) * clspi_reduce_to_coords(form) : 0;
    desk *const d = malloc(sizeof *d + (num * reals + room + made) * sizeof(double));

    if (!d) return NULL;
    d->of = curves;
    d->num = num;
    d->reals = reals;
    d->points = (double *)(void *)(d + 1);
    d->room = d->points + num * reals;
    d->made = makes ? d->room + room : NULL;
    d->num_parts = 0;
    return d;
}

/* ---- how many ---- */

/* The search for the least number of parts that are near enough. */
typedef struct search {
    uint32_t low, high; /* too few; enough, or above all */
    uint32_t near; /* the least number of which the part that was worst is near enough, or `high` */
    uint32_t now, next; /* the number that is looked at, and its part that is looked at next */
    uint32_t tries;
    bool all, done;      /* all parts are looked at, else that which was worst */
    double worst, error; /* where in the segment that was; of parts of `now` so far */
    double bound;        /* of parts of `high` */
} search;

/* Returns the part of n where t is. */
static uint32_t part_at(const clspi_reduce_form *form, uint32_t n, double t)
{
    const double at =
        t * lengths_of(form, n) + (lengths_of(form, n) < n ? 1 - CLSPI_REDUCE_SHORT : 0);

    return at < n ? (uint32_t)at : n - 1;
}

/* Returns a number of parts that are near enough, as far as n parts that err by so much tell. */
static double predict(const clspi_reduce_form *form, uint32_t n, double error, double limit)
{
    const double times = pow(error / limit, 1.0 / (form->to + 1));

    if (!(times < CLSPI_REDUCE_PIECES_MAX)) return 2.0 * n;
    const double lengths = lengths_of(form, n) * times;
    return ceil(lengths + (2 - lengths_of(form, 2)) - 0x1p-20);
}

/* Chooses what is looked at next. */
static void go_on(const clspi_reduce_form *form, search *s, double limit)
{
    const uint32_t above = s->near < s->high ? s->near : s->high;
    double n = predict(form, s->now, s->error, limit);

    s->all = s->low + 1 == above;
    s->done = s->low + 1 == s->high;
    if (++s->tries > 8)
        n = above > CLSPI_REDUCE_PIECES_MAX ? 4.0 * s->low : s->low + (above - s->low) / 2.0;
    if (!(n > s->low)) n = s->low + 1;
    s->now = s->all ? above : n < above ? (uint32_t)n : above - 1;
    s->next = s->all ? 0 : part_at(form, s->now, s->worst);
    s->error = 0;
}

/* Takes the error of what was looked at. */
static void conclude(const clspi_reduce_form *form, search *s, double limit)
{
    if (s->error <= limit || s->now == CLSPI_REDUCE_PIECES_MAX) {
        s->near = s->now;
        if (s->all) {
            s->high = s->now;
            s->bound = s->error;
        }
    } else {
        s->low = s->now;
        if (s->all) s->near = s->high;
    }
    go_on(form, s, limit);
}

/* Puts parts of a segment on the desk that are to be looked at, as far as there is room. */
static void put_search(desk *d, uint32_t owner, search *s)
{
    const uint32_t end = s->all ? s->now : s->next + 1;

    while (s->next < end && d->num_parts < PARTS_MAX) {
        put_part(d, owner, s->now, s->next++);
        if (!s->all) s->next = s->now;
    }
}

/* Notes the errors of parts, and concludes where nothing is left to be looked at. */
static void note_parts(desk *d, search *searches, uint32_t first, uint32_t end)
{
    const clspi_reduce_form *const form = &d->of->tables->form;

    for (size_t i = 0; i < d->num_parts; i++) {
        search *const s = &searches[d->owner[i]];
        if (!(d->error[i] > s->error)) continue;
        s->error = d->error[i];
        if (s->all) s->worst = 0.5 * (d->part[i].begin + d->part[i].end);
    }
    for (uint32_t i = first; i < end; i++) {
        search *const s = &searches[i];
        const double limit = d->segment[i].limit;
        if (!s->done && s->next > 0 && (s->next == s->now || s->error > limit))
            conclude(form, s, limit);
    }
}

/* Finds the numbers of parts of the segments on the desk. */
static void find_numbers(desk *d, uint32_t num, search *searches)
{
    uint32_t first = 0;

    while (first < num) {
        uint32_t end = first;
        d->num_parts = 0;
        for (; end < num && d->num_parts < PARTS_MAX; end++)
            if (!searches[end].done) put_search(d, end, &searches[end]);
        make_parts(d, true);
        note_parts(d, searches, first, end);
        while (first < num && searches[first].done)
            first++;
    }
}

/* Returns the size of the difference of the highest order of control points. */
static double difference_of(const clspi_reduce_tables *t, const double *points)
{
    const uint32_t dim = t->form.dim;
    double square = 0;

    for (uint32_t c = 0; c < dim; c++) {
        double sum = 0;
        for (uint32_t j = 0; j <= t->form.degree; j++)
            sum += t->difference[j] * points[j * dim + c];
        square += sum * sum;
    }
    return sqrt(square);
}

/* Returns what of n parts that are alike one is off by, as all would be if they were one. */
static double shared_by(const clspi_reduce_form *form, double all, double n)
{
    const double length = 1 / lengths_of(form, n);

    for (uint32_t k = 0; k < form->degree; k++)
        all *= length;
    return all;
}

/* Finds the number of parts that are alike; one part with the tangents at both ends has still to be
   looked at. */
static search find_alike(const clspi_reduce_tables *t, const double *points, double limit)
{
    const clspi_reduce_form *const form = &t->form;
    const bool shortens = clspi_reduce_has_short_ends(form);
    const double end = shortens ? t->alike[1] : 0;
    const double all = (end > t->alike[0] ? end : t->alike[0]) * difference_of(t, points);
    const double most = limit - ALIKE_GROWTH * t->rounding;
    double n = 1 + shortens;

    while (n < FEW && shared_by(form, all, n) > most)
        n++;
    if (n == FEW) {
        const double lengths = pow(all / most, 1.0 / form->degree);
        const double more = ceil(lengths + n - lengths_of(form, n) - 0x1p-20);
        n = more < CLSPI_REDUCE_PIECES_MAX ? fmax(FEW, more) : CLSPI_REDUCE_PIECES_MAX;
    }
    if (shared_by(form, all, n) > most && n < CLSPI_REDUCE_PIECES_MAX) n++;
    const uint32_t num = (uint32_t)n;
    return (search){.high = num,
                    .near = num,
                    .now = 1,
                    .all = true,
                    .done = num > 2 || !shortens || all > most,
                    .bound = shared_by(form, all, n) + limit - most};
}

/* Begins the search for a segment: one that is not sound has one piece, one that is not there
   none. */
static search begin_search(const clspi_reduce_tables *t, const double *points,
                           const clspi_reduce_segment *segment)
{
    const uint32_t above = CLSPI_REDUCE_PIECES_MAX + 1;

    if (!segment->is_sound) return (search){.high = 1, .done = true};
    if (t->alike[0] > 0 && segment->limit > 2 * ALIKE_GROWTH * t->rounding)
        return find_alike(t, points, segment->limit);
    return (search){.high = above,
                    .near = above,
                    .now = 1,
                    .all = true,
                    .worst = clspi_reduce_has_short_ends(&t->form) ? 0 : 0.5};
}

double clspi_reduce_count(const clspi_reduce_curves *curves, size_t first, size_t num,
                          uint32_t *counts)
{
    desk *const d = desk_create(curves, false);
    search searches[SEGMENTS_MAX];
    double most = 0;

    if (!d) return -1;
    for (size_t done = 0, some; done < num; done += some) {
        some = num - done < d->num ? num - done : d->num;
        for (uint32_t i = 0; i < some; i++) {
            const size_t segment = first + done + i;
            searches[i] = (search){.high = 0, .done = true};
            if (!clspi_reduce_is_there(curves, segment)) continue;
            clspi_reduce_load(curves, segment, d->points + i * d->reals, &d->segment[i]);
            searches[i] = begin_search(curves->tables, d->points + i * d->reals, &d->segment[i]);
        }
        find_numbers(d, (uint32_t)some, searches);
        for (uint32_t i = 0; i < some; i++) {
            const double unseen = curves->tables->alike[0] > 0 ? d->segment[i].rounding : 0;
            counts[done + i] = searches[i].high;
            if (searches[i].high > 0)
                most = fmax(most, clspi_reduce_bound(&d->segment[i], searches[i].bound) + unseen);
        }
    }
    free(d);
    return most;
}

/* ---- pieces ---- */

/* Writes a control point of a piece: those of its segment are relative to the origin, and scaled.
   given: the point as it is given; NULL: p is one of the piece. */
static void write_point(const desk *d, const clspi_reduce_segment *s, const double *p,
                        const double *given, void *to, size_t at)
{
    const clspi_reduce_form *const form = &d->of->tables->form;
    const uint32_t coords = clspi_reduce_to_coords(form), dim = form->dim;
    double x[CLSPI_REDUCE_COORDS];

    if (!given) {
        const double w = coords > dim ? p[dim] * s->weight : 1;
        const double one = s->scale[0] * (coords > dim ? s->weight : 1), other = s->scale[1];
        for (uint32_t c = 0; c < dim; c++)
            x[c] = p[c] * one * other + s->origin[c] * w;
        x[dim] = w;
        given = x;
    }
    for (uint32_t c = 0; c < coords; c++)
        if (form->f64)
            ((double *)to)[at + c] = given[c];
        else
            ((float *)to)[at + c] = (float)given[c];
}

/* Writes the parts on the desk as pieces of segments from `first` on, behind so many, and without
   the first `skip`. Where a piece begins is where the one before ends, but at the begin of a
   segment. */
static void write_parts(const desk *d, size_t skip, size_t first, size_t before,
                        const clspi_reduce_pieces *to)
{
    const clspi_reduce_form *const form = &d->of->tables->form;
    const uint32_t coords = clspi_reduce_to_coords(form), last = form->to * coords;

    for (size_t k = skip; k < d->num_parts; k++) {
        const size_t at = before + k - skip;
        const clspi_reduce_segment *const s = &d->segment[d->owner[k]];
        const double *const p = d->made + k * (last + coords);
        const bool begins = d->part[k].begin == 0, ends = d->part[k].end == 1;
        for (uint32_t i = 0; i <= last; i += coords)
            write_point(d, s, i == 0 && !begins ? p - coords : p + i,
                        i == 0 && begins    ? s->begin
                        : i == last && ends ? s->end
                                            : NULL,
                        to->points, at * (last + coords) + i);
        if (to->ends) to->ends[2 * at] = d->part[k].begin;
        if (to->ends) to->ends[2 * at + 1] = d->part[k].end;
        if (to->bounds) to->bounds[at] = clspi_reduce_bound(s, d->error[k]);
        if (to->segments) to->segments[at] = (uint32_t)(first + d->owner[k]);
    }
}

bool clspi_reduce_write(const clspi_reduce_curves *curves, const uint32_t *counts, size_t first,
                        uint32_t skip, size_t num, const clspi_reduce_pieces *to)
{
    desk *const d = desk_create(curves, true);
    uint32_t next = skip;

    if (!d) return false;
    for (size_t done = 0, some; done < num; done += some) {
        const size_t before = next > 0; /* the part that ends where the first one begins */
        const size_t most = num - done < PARTS_MAX ? num - done + before : PARTS_MAX;
        uint32_t owner = 0;
        d->num_parts = 0;
        next -= (uint32_t)before;
        for (;; owner++, next = 0) {
            const uint32_t n = counts[first + owner];
            if (next < n) {
                clspi_reduce_load(curves, first + owner, d->points + owner * d->reals,
                                  &d->segment[owner]);
                clspi_reduce_find_ends(curves, first + owner, &d->segment[owner]);
            }
            while (next < n && d->num_parts < most)
                put_part(d, owner, n, next++);
            if (d->num_parts == most || owner + 1 == d->num) break;
        }
        make_parts(d, to->bounds != NULL);
        some = d->num_parts - before;
        write_parts(d, before, first, done, to);
        first += owner;
        if (next == counts[first]) {
            first++;
            next = 0;
        }
    }
    free(d);
    return true;
}
