#include "surface_cases.h"

#include <math.h>

double surface_case_uniform(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 40) * 0x1p-24;
}

double surface_case_normal(uint64_t *state)
{
    const double u = 1 - surface_case_uniform(state), v = surface_case_uniform(state);

    return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

unsigned surface_case_controls(const surface_case *c)
{
    return c->spans + c->degree;
}

void surface_case_knots(const surface_case *c, double *knots)
{
    const unsigned num = surface_case_controls(c) + c->degree + 1;

    for (unsigned i = 0; i < num; i++)
        knots[i] = i <= c->degree              ? 0
                   : i >= c->degree + c->spans ? 1
                                               : (double)(i - c->degree) / (double)c->spans;
}

static double rounded(double x)
{
    return (double)(float)x;
}

void surface_case_points(const surface_case *c, double *points)
{
    const unsigned num = surface_case_controls(c), coords = c->dim + (c->rational ? 1 : 0);
    uint64_t seed = 1 + c->kind + 3 * c->degree + 100 * c->spans + 10000 * c->dim;

    for (unsigned i = 0; i < num; i++)
        for (unsigned j = 0; j < num; j++) {
            const double x = (double)i / (num - 1), y = (double)j / (num - 1);
            const double z = 0.25 * sin(4 * x + 1) * cos(5 * y) + 0.1 * sin(9 * (x + y));
            const double flat[4] = {x, y, z, 0.5 * cos(3 * x - 2 * y)};
            double *const to = points + ((size_t)i * num + j) * coords;
            const double w = c->rational ? rounded(0.5 * pow(4, surface_case_uniform(&seed))) : 1;
            for (unsigned k = 0; k < c->dim; k++) {
                const double random = surface_case_uniform(&seed);
                const int is_random =
                    c->kind == SURFACE_CLOUD || (c->kind == SURFACE_SPIKY && k > 1);
                to[k] = rounded(w * (is_random ? random : flat[k]));
            }
            if (c->rational) to[c->dim] = w;
        }
}

/* ---- degenerate ones ---- */

static void to_point(double u, double v, double *x)
{
    (void)u;
    (void)v;
    x[0] = x[1] = x[2] = 0.25;
}

static void to_line(double u, double v, double *x)
{
    (void)v;
    x[0] = u;
    x[1] = 2 * u;
    x[2] = -u;
}

static void to_pole(double u, double v, double *x)
{
    x[0] = u * cos(2 * v);
    x[1] = u * sin(2 * v);
    x[2] = 0.4 * u * u;
}

static void to_fold(double u, double v, double *x)
{
    x[0] = (u - 0.5) * (u - 0.5);
    x[1] = v;
    x[2] = 0.5 * (u - 0.5) * (u - 0.5) * (u - 0.5);
}

static void to_plane(double u, double v, double *x)
{
    x[0] = floor(1.5 * u); /* points one upon another */
    x[1] = v;
    x[2] = 0;
}

static void to_cusp(double u, double v, double *x)
{
    x[0] = u > 0.1 && u < 0.9 ? 1 - u : u; /* a loop of the control net, */
    x[1] = 1e-9 * v;                       /* of a sliver */
    x[2] = u * (1 - u);
}

const surface_fn surface_degenerates[SURFACE_DEGENERATES] = {to_point, to_line,  to_pole,
                                                             to_fold,  to_plane, to_cusp};
