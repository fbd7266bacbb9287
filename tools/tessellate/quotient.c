#include "quotient.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A polynomial of degrees (p, q) by its Bernstein coefficients c[i * (q + 1) + j]. */
typedef struct form {
    size_t p, q;
    double *c;
} form;

/* Where forms take their coefficients, one after another. */
typedef struct pool {
    double *reals;
    size_t used;
} pool;

enum { POOL_FORMS = 40 }; /* of the largest degrees; more than there ever are */

static form make_form(pool *from, size_t p, size_t q)
{
    form made = {p, q, from->reals + from->used};
    from->used += (p + 1) * (q + 1);
    memset(made.c, 0, (p + 1) * (q + 1) * sizeof(double));
    return made;
}

/* What B_i^p B_k^q is of B_{i+k}^{p+q}: C(p, i) C(q, k) / C(p + q, i + k), at (i, k), from each to
   the next, so that no binomial overflows. */
static form product_ratios(pool *from, size_t p, size_t q)
{
    form made = make_form(from, p, q);
    double first = 1;
    for (size_t i = 0; i <= p; i++) {
        double *row = made.c + i * (q + 1);
        row[0] = first;
        for (size_t k = 0; k < q; k++)
            row[k + 1] = row[k] * (double)(q - k) / (double)(k + 1) * (double)(i + k + 1) /
                         (double)(p + q - i - k);
        first *= (double)(p - i) / (double)(p + q - i);
    }
    return made;
}

/* sum += scale times the product of two rows of coefficients. */
static void add_row_product(double *sum, double scale, const double *a, const double *b,
                            const form *ratios)
{
    for (size_t j = 0; j <= ratios->p; j++)
        for (size_t l = 0; l <= ratios->q; l++)
            sum[j + l] += scale * ratios->c[j * (ratios->q + 1) + l] * a[j] * b[l];
}

/* sum += scale a b; the degrees of sum are those of the product. */
static void add_product(pool *from, const form *sum, double scale, const form *a, const form *b)
{
    size_t mark = from->used;
    form along_u = product_ratios(from, a->p, b->p), along_v = product_ratios(from, a->q, b->q);
    for (size_t i = 0; i <= a->p; i++)
        for (size_t k = 0; k <= b->p; k++)
            add_row_product(sum->c + (i + k) * (sum->q + 1), scale * along_u.c[i * (b->p + 1) + k],
                            a->c + i * (a->q + 1), b->c + k * (b->q + 1), &along_v);
    from->used = mark;
}

/* The derivative along u (0) or v (1); the zero form, of degree 0 there, of what is constant. */
static form differentiate(pool *from, const form *a, int direction)
{
    size_t du = direction == 0, dv = direction == 1;
    bool constant = (direction == 0 ? a->p : a->q) == 0;
    if (constant) return make_form(from, a->p, a->q);
    form made = make_form(from, a->p - du, a->q - dv);
    double degree = (double)(direction == 0 ? a->p : a->q);
    for (size_t i = 0; i <= made.p; i++) {
        for (size_t j = 0; j <= made.q; j++) {
            const double *at = a->c + i * (a->q + 1) + j;
            made.c[i * (made.q + 1) + j] = degree * (at[du * (a->q + 1) + dv] - at[0]);
        }
    }
    return made;
}

static form extract(pool *from, const double *points, size_t p, size_t q, size_t coordinate)
{
    form made = make_form(from, p, q);
    for (size_t i = 0; i < (p + 1) * (q + 1); i++)
        made.c[i] = points[4 * i + coordinate];
    return made;
}

/* D_u or D_v of one coordinate. */
static form hodograph(pool *from, const form *n, const form *w, int direction)
{
    form dn = differentiate(from, n, direction), dw = differentiate(from, w, direction);
    form made = make_form(from, dn.p + w->p, dn.q + w->q);
    add_product(from, &made, 1, w, &dn);
    add_product(from, &made, -1, &dw, n);
    return made;
}

/* The numerator of the derivative of D / w^2. */
static form numerator(pool *from, const form *d, const form *w, int direction)
{
    form dd = differentiate(from, d, direction), dw = differentiate(from, w, direction);
    form made = make_form(from, dd.p + w->p, dd.q + w->q);
    add_product(from, &made, 1, w, &dd);
    add_product(from, &made, -2, &dw, d);
    return made;
}

/* The smallest Bernstein coefficient of w^3. */
static double smallest_cube(pool *from, const form *w)
{
    form square = make_form(from, 2 * w->p, 2 * w->q), cube = make_form(from, 3 * w->p, 3 * w->q);
    double smallest = HUGE_VAL;
    add_product(from, &square, 1, w, w);
    add_product(from, &cube, 1, &square, w);
    for (size_t i = 0; i < (cube.p + 1) * (cube.q + 1); i++)
        smallest = fmin(smallest, cube.c[i]);
    return smallest;
}

/* The longest coefficient of the numerator of D / w^2 differentiated, over the three coordinates.
 */
static double longest(pool *from, const form d[3], const form *w, int direction)
{
    size_t mark = from->used;
    double largest = 0;
    const form n[3] = {numerator(from, &d[0], w, direction), numerator(from, &d[1], w, direction),
                       numerator(from, &d[2], w, direction)};
    for (size_t i = 0; i < (n[0].p + 1) * (n[0].q + 1); i++)
        largest = fmax(largest, hypot(hypot(n[0].c[i], n[1].c[i]), n[2].c[i]));
    from->used = mark;
    return largest;
}

/* Room for all forms, and for the ratios of the largest product. */
static size_t pool_size(size_t p, size_t q)
{
    return POOL_FORMS * (3 * p + 1) * (3 * q + 1) + (2 * p + 1) * (p + 1) + (2 * q + 1) * (q + 1);
}

bool quotient_bounds(const double *points, size_t degree_u, size_t degree_v, double bounds[3])
{
    pool from = {malloc(pool_size(degree_u, degree_v) * sizeof(double)), 0};
    if (!from.reals) return false;
    form w = extract(&from, points, degree_u, degree_v, 3), d_u[3], d_v[3];
    for (size_t axis = 0; axis < 3; axis++) {
        form n = extract(&from, points, degree_u, degree_v, axis);
        d_u[axis] = hodograph(&from, &n, &w, 0);
        d_v[axis] = hodograph(&from, &n, &w, 1);
    }
    double smallest = smallest_cube(&from, &w);
    const double lengths[3] = {longest(&from, d_u, &w, 0), longest(&from, d_u, &w, 1),
                               longest(&from, d_v, &w, 1)};
    for (int k = 0; k < 3; k++)
        bounds[k] = lengths[k] > 0 ? lengths[k] / smallest : 0;
    free(from.reals);
    return true;
}
