#include "reduce_tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bernstein.h"
#include "reduce_parts.h"

#define PI 3.14159265358979323846

enum { ALIKE_ORDER = 5, ALIKE_ROOM = 8 * (1 + 2 * (2 * ALIKE_ORDER + 1) * 4) };

/* Computes the places that are interpolated: where the least polynomial of its degree has its zeros
   that has single, or double, ones at 0 and 1 as well. */
static double place_of(const clspi_reduce_tables *t, uint32_t l)
{
    const double ends = t->first == 1 ? 0.5 : 1.5, of = t->inner + 2.0 * t->first;
    const double stretch = t->first == 1 ? cos(0.5 * PI / of) : 1;

    return 0.5 - 0.5 * cos((l + 1 + ends) * PI / of) / stretch;
}

/* Solves the equations of the inner control points, by elimination with pivots: row l of `values`
   has those of all functions at place l. */
static void solve_inner(const clspi_reduce_tables *t, double values[][CLSPI_REDUCE_TO_MAX + 1])
{
    const uint32_t num = t->inner, columns = t->form.to + 1;
    double a[CLSPI_REDUCE_TO_MAX][2 * (CLSPI_REDUCE_TO_MAX + 1)];

    for (uint32_t l = 0; l < num; l++) /* the unknowns, and what they are equal to */
        for (uint32_t i = 0; i < columns; i++) {
            const bool is_inner = i >= t->first && i < t->first + num;
            if (is_inner) a[l][i - t->first] = values[l][i];
            a[l][num + i] = is_inner ? i - t->first == l : -values[l][i];
        }
    for (uint32_t k = 0; k < num; k++) {
        uint32_t pivot = k;
        for (uint32_t l = k + 1; l < num; l++)
            if (fabs(a[l][k]) > fabs(a[pivot][k])) pivot = l;
        for (uint32_t i = 0; i < num + columns; i++) {
            const double x = a[pivot][i];
            a[pivot][i] = a[k][i];
            a[k][i] = x;
        }
        for (uint32_t i = num + columns; i-- > k;)
            a[k][i] /= a[k][k];
        for (uint32_t l = 0; l < num; l++)
            for (uint32_t i = num + columns; l != k && i-- > k;)
                a[l][i] -= a[l][k] * a[k][i];
    }
    for (uint32_t l = 0; l < num; l++)
        memcpy(t->inner_of + l * columns, a[l] + num, columns * sizeof(double));
}

static void make_inner(const clspi_reduce_tables *t)
{
    double values[CLSPI_REDUCE_TO_MAX][CLSPI_REDUCE_TO_MAX + 1];
    const uint32_t order = t->form.degree + 1;

    for (uint32_t l = 0; l < t->inner; l++) {
        const double z = place_of(t, l);
        clspi_bernstein(values[l], t->form.to, z, 1 - z);
        clspi_bernstein(t->inner_from + (size_t)l * order, t->form.degree, z, 1 - z);
    }
    solve_inner(t, values);
}

/* Makes the weights of degree elevation, a degree at a time (Farin, Curves and Surfaces for CAGD,
   5.1). */
static void make_raise(const clspi_reduce_tables *t)
{
    const uint32_t columns = t->form.to + 1;

    for (uint32_t j = 0; j < columns; j++)
        for (uint32_t i = 0; i < columns; i++)
            t->raise[j * columns + i] = i == j;
    for (uint32_t n = columns; n <= t->form.degree; n++)
        for (uint32_t j = n + 1; j-- > 0;)
            for (uint32_t i = 0; i < columns; i++) {
                double *const x = t->raise + (size_t)j * columns + i;
                const double own = j < n ? (double)(n - j) / n * *x : 0;
                *x = own + (j > 0 ? (double)j / n * x[-(ptrdiff_t)columns] : 0);
            }
}

static void make_nodes(const clspi_reduce_tables *t)
{
    const uint32_t order = t->form.degree + 1, columns = t->form.to + 1;
    double *from = t->node_from, *to = t->node_to;

    for (uint32_t m = 1; m <= t->nodes; m++, from += 2 * (size_t)order) {
        const double s = sin(m * PI / (4.0 * t->nodes)), c = cos(m * PI / (4.0 * t->nodes));
        const double x = s * s, y = c * c;
        clspi_bernstein(from, order - 1, x, y);
        clspi_bernstein(from + order, order - 1, y, x);
        for (uint32_t j = 0; j < order && !t->form.rational; j++) {
            const double at = from[j], opposite = from[order + j];
            from[j] = 0.5 * (at + opposite);
            from[order + j] = 0.5 * (at - opposite);
        }
        if (!t->form.rational) continue;
        clspi_bernstein(to, columns - 1, x, y);
        clspi_bernstein(to + columns, columns - 1, y, x);
        to += 2 * columns;
    }
}

/* Makes the errors of parts that are alike, of the curve t^degree. */
static void measure_alike(clspi_reduce_tables *t)
{
    double curve[ALIKE_ORDER * 4] = {0}, room[ALIKE_ROOM];
    const clspi_reduce_part part[2] = {{curve, 0, 1, CLSPI_REDUCE_FREE},
                                       {curve, 0, 1, CLSPI_REDUCE_AT_BEGIN}};
    const clspi_reduce_parts parts = {
        .tables = t, .num = 2, .part = part, .error = t->alike, .room = room};

    if (t->form.rational || t->form.degree != t->form.to + 1 || t->form.to > 3) return;
    curve[t->form.degree * t->form.dim] = 1;
    t->difference[t->form.degree] = 1;
    for (uint32_t j = t->form.degree; j > 0; j--) /* binomials, of either sign */
        t->difference[j - 1] = -t->difference[j] * j / (t->form.degree - j + 1.0);
    clspi_reduce_parts_make(&parts);
    t->alike[1] *= pow(CLSPI_REDUCE_SHORT, t->form.degree);
}

bool clspi_reduce_tables_make(clspi_reduce_tables *t, const clspi_reduce_form *form)
{
    const uint32_t measured = form->degree + (form->rational ? form->to : 0);
    const size_t order = form->degree + 1, columns = form->to + 1;

    *t = (clspi_reduce_tables){.form = *form, .first = form->tangents && form->to > 2 ? 2 : 1};
    t->inner = form->to + 1 - 2 * t->first;
    t->nodes = measured < 6 ? 12 : 2 * measured;
    t->factor = 1 / cos(measured * PI / (4 * t->nodes));
    const size_t num = t->inner * (order + columns) + order * columns +
                       2 * (size_t)t->nodes * (order + (form->rational ? columns : 0));
    t->inner_from = malloc(num * sizeof *t->inner_from);
    if (!t->inner_from) return false;
    t->inner_of = t->inner_from + t->inner * order;
    t->raise = t->inner_of + t->inner * columns;
    t->node_from = t->raise + order * columns;
    t->node_to = t->node_from + 2 * (size_t)t->nodes * order;
    make_inner(t);
    make_raise(t);
    make_nodes(t);
    t->of_parts = sqrt(form->dim) * (4.0 * form->degree + 6) * 0x1p-52;
    t->of_reals = sqrt(form->dim) * ((form->f64 ? 0 : 0x1p-24) + (form->degree + 4) * 0x1p-53);
    t->rounding = t->of_reals + sqrt(form->dim) * (form->to + 2) * 0x1p-52;
    measure_alike(t);
    return true;
}

void clspi_reduce_tables_release(clspi_reduce_tables *t)
{
    free(t->inner_from);
    t->inner_from = NULL;
}
