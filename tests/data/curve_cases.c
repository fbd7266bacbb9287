#include "curve_cases.h"

#include <math.h>

const curve_case curve_cases[CURVE_CASES] = {
    {"a", 2, 4, 5},  {"b", 2, 5, 6},  {"c", 2, 6, 7},  {"d", 2, 4, 9},  {"e", 2, 5, 12},
    {"f", 2, 6, 15}, {"g", 2, 4, 30}, {"h", 2, 5, 16}, {"i", 2, 6, 50}, {"j", 3, 4, 5},
    {"k", 3, 5, 6},  {"l", 3, 6, 7},  {"m", 3, 4, 9},  {"n", 3, 5, 12}, {"o", 3, 6, 15},
    {"p", 3, 4, 30}, {"q", 3, 5, 40}, {"r", 3, 6, 50},
};

double curve_case_uniform(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ z >> 31) >> 40) / (1 << 24);
}

/* A step of at most 1/4 that stays in [0, 1]. */
static double walk(double from, uint64_t *state)
{
    const double to = from + (curve_case_uniform(state) - 0.5) / 2;

    return to < 0 ? -to : to > 1 ? 2 - to : to;
}

static double exact(double x)
{
    return floor(x * (1 << 24)) / (1 << 24);
}

void curve_case_controls(const curve_case *c, curve_kind kind, double *controls)
{
    uint64_t state = (uint64_t)(2 * c->name[0] + (int)kind) << 32;

    for (unsigned i = 0; i < c->controls; i++)
        for (unsigned k = 0; k < c->dim; k++) {
            double *const x = &controls[i * c->dim + k];
            if (kind == CURVE_WILD || (i == 0 && k > 0))
                *x = curve_case_uniform(&state);
            else
                *x = exact(k == 0 ? (double)i / (c->controls - 1) : walk(x[-(int)c->dim], &state));
        }
}
