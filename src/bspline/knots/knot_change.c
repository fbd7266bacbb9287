#include "knot_change.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a change amounts to. */
typedef struct plan {
    const clspi_knots *from;
    const clspi_knot_change *change;
    uint32_t source;   /* degree of the derivative that is changed, */
    uint32_t degree;   /* and of the result */
    double begin, end; /* of the result's domain */
    double *insert;    /* sorted */
} plan;

/* Knots that are written one after the other. */
typedef struct writer {
    double *u; /* NULL: only counted */
    size_t num;
} writer;

static void put(writer *w, double u, size_t times)
{
    for (size_t k = 0; k < times; k++, w->num++)
        if (w->u) w->u[w->num] = u;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Returns how many knots there are, those outside of the domain too. */
static size_t num_knots(const clspi_knots *knots)
{
    return (size_t)knots->controls + knots->degree + 1;
}

/* Counts the knots from number i on that are equal. */
static size_t count_from(const clspi_knots *knots, size_t i)
{
    size_t k = i;

    while (k < num_knots(knots) && knots->u[k] == knots->u[i])
        k++;
    return k - i;
}

/* Returns the number of the first knot that is not below u. */
static size_t first_from(const clspi_knots *knots, double u)
{
    size_t low = 0, count = num_knots(knots);

    while (count > 0) {
        const size_t half = count / 2;
        if (knots->u[low + half] < u) {
            low += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return low;
}

/* Returns the multiplicity in the result of a knot that has this multiplicity in the source, so
   that the derivative is as smooth there. */
static size_t times_of(const plan *p, size_t times)
{
    return least(times, p->source + 1) + p->change->elevate;
}

/* Counts how often a knot is inserted. */
static size_t times_inserted(const plan *p, double u)
{
    size_t times = 0;

    for (size_t k = 0; k < p->change->num_insert; k++)
        times += p->insert[k] == u;
    return times;
}

/* ---- outside of the domain ---- */

/* Tells whether the knots outside of the domain are those of the source. */
static bool keeps_ends(const plan *p)
{
    return p->change->by == 0 && p->change->elevate == 0;
}

static bool is_clamped(const plan *p)
{
    return p->change->restricted || p->change->pieces;
}

/* Writes the knots below the domain and its begin. Those below are as many as the degree needs, the
   nearest ones of what there would be. */
static void put_begin(writer *w, const plan *p)
{
    const clspi_knots *const from = p->from;
    const size_t first = first_from(from, p->begin), own = count_from(from, first);

    if (is_clamped(p)) {
        put(w, p->begin, p->degree + 1);
        return;
    }
    if (keeps_ends(p)) {
        for (size_t i = 0; i < first + own; i++)
            put(w, from->u[i], 1);
        put(w, p->begin, times_inserted(p, p->begin));
        return;
    }
    size_t left = p->degree + 1 - times_of(p, own), i = first;
    double *const begin = w->u ? w->u + w->num : NULL;
    w->num += left;
    while (left > 0) { /* downwards */
        const size_t last = i;
        i = first_from(from, from->u[last - 1]);
        const size_t times = least(left, times_of(p, last - i));
        for (size_t k = 0; k < times; k++, left--)
            if (begin) begin[left - 1] = from->u[i];
    }
    put(w, p->begin, times_of(p, own) + times_inserted(p, p->begin));
}

/* Writes the end of the domain and the knots above. */
static void put_end(writer *w, const plan *p)
{
    const clspi_knots *const from = p->from;
    const size_t first = first_from(from, p->end), own = count_from(from, first);

    if (is_clamped(p)) {
        put(w, p->end, p->degree + 1);
        return;
    }
    if (keeps_ends(p)) {
        put(w, p->end, times_inserted(p, p->end));
        for (size_t i = first; i < num_knots(from); i++)
            put(w, from->u[i], 1);
        return;
    }
    put(w, p->end, times_of(p, own) + times_inserted(p, p->end));
    size_t left = p->degree + 1 - times_of(p, own);
    for (size_t i = first + own; left > 0;) {
        const size_t there = count_from(from, i), times = least(left, times_of(p, there));
        put(w, from->u[i], times);
        left -= times;
        i += there;
    }
}

/* ---- within the domain ---- */

/* Writes knot u, which the source has `there` times, and which is inserted `more` times. Returns
   false where that is too often for the degree. */
static bool put_inner(writer *w, const plan *p, double u, size_t there, size_t more)
{
    const size_t times = (there > 0 ? times_of(p, there) : 0) + more;

    put(w, u, p->change->pieces ? p->degree + 1 : times);
    return times <= p->degree + 1;
}

/* Tells whether an end of the domain is inserted no more often than the degree allows. */
static bool has_room(const plan *p, double u)
{
    const size_t more = times_inserted(p, u);

    if (more == 0 || p->change->restricted) return more == 0;
    return times_of(p, count_from(p->from, first_from(p->from, u))) + more <= p->degree + 1;
}

static bool put_domain(writer *w, const plan *p, clspi_knot_defect *defect)
{
    const size_t num = p->change->num_insert - times_inserted(p, p->end);
    const size_t end = first_from(p->from, p->end);
    size_t i = first_from(p->from, p->begin), k = times_inserted(p, p->begin);

    if (!has_room(p, p->begin) || !has_room(p, p->end)) {
        const bool at_end = has_room(p, p->begin);
        *defect = (clspi_knot_defect){"is inserted too often", at_end ? (uint32_t)num : 0,
                                      at_end ? p->end : p->begin};
        return false;
    }
    if (i < end && p->from->u[i] == p->begin) i += count_from(p->from, i);
    while (i < end || k < num) {
        const bool is_old = i < end && (k == num || p->from->u[i] <= p->insert[k]);
        const double u = is_old ? p->from->u[i] : p->insert[k];
        const size_t there = is_old ? count_from(p->from, i) : 0, first = k;
        while (k < num && p->insert[k] == u)
            k++;
        i += there;
        if (put_inner(w, p, u, there, k - first)) continue;
        *defect = (clspi_knot_defect){"is inserted too often", (uint32_t)first, u};
        return false;
    }
    return true;
}

/* ---- checks ---- */

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Looks for a defect of the interval and of what is inserted. */
static clspi_knot_defect look(const plan *p)
{
    const clspi_knot_change *const change = p->change;
    const double low = p->from->u[p->from->degree], high = p->from->u[p->from->controls];

    if (change->restricted && !(change->begin >= low && change->begin < high))
        return (clspi_knot_defect){"begins an interval outside of the domain", 0, change->begin};
    if (change->restricted && !(change->end > change->begin && change->end <= high))
        return (clspi_knot_defect){"ends an interval that is empty or outside of the domain", 0,
                                   change->end};
    for (size_t k = 0; k < change->num_insert; k++)
        if (!(change->insert[k] >= p->begin && change->insert[k] <= p->end))
            return (clspi_knot_defect){"is not within the domain", (uint32_t)k, change->insert[k]};
    return (clspi_knot_defect){NULL, 0, 0.0};
}

/* ---- all of it ---- */

static bool write(writer *w, const plan *p, clspi_knot_defect *defect)
{
    w->num = 0;
    put_begin(w, p);
    if (!put_domain(w, p, defect)) return false;
    put_end(w, p);
    return true;
}

/* Makes the result of a plan that is sound but for how often knots are inserted. */
static bool make(clspi_knots *to, const plan *p, clspi_knot_defect *defect)
{
    writer w = {NULL, 0};

    if (!write(&w, p, defect)) return false;
    if (w.num > UINT32_MAX) return false;
    w.u = malloc(w.num * sizeof *w.u);
    const bool made = w.u && write(&w, p, defect) &&
                      clspi_knots_make(to, w.u, p->degree, (uint32_t)(w.num - p->degree - 1));
    free(w.u);
    return made;
}

bool clspi_knots_change(clspi_knots *to, const clspi_knots *from, const clspi_knot_change *change,
                        clspi_knot_defect *defect)
{
    const uint32_t source = from->degree - change->by;
    plan p = {.from = from,
              .change = change,
              .source = source,
              .degree = source + change->elevate,
              .begin = change->restricted ? change->begin : from->u[from->degree],
              .end = change->restricted ? change->end : from->u[from->controls]};

    *to = (clspi_knots){0};
    *defect = look(&p);
    if (defect->what) return false;
    p.insert = malloc((change->num_insert + 1) * sizeof *p.insert);
    if (!p.insert) return false;
    if (change->num_insert > 0) {
        memcpy(p.insert, change->insert, change->num_insert * sizeof *p.insert);
        qsort(p.insert, change->num_insert, sizeof *p.insert, compare);
    }
    const bool made = make(to, &p, defect);
    free(p.insert);
    return made;
}
