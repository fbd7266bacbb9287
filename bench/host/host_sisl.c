#include <math.h>
#include <sisl.h>
#include <stdlib.h>

#include "host_surfaces.h"

enum { ROWS = 16 }; /* of a block */

/* Packs points and unit normals of a block: SISL gives point, S_v, S_u and their cross product. */
static void pack(const double *all, const double *normals, size_t count, double *to)
{
    for (size_t k = 0; k < count; k++, all += 9, normals += 3, to += 6) {
        const double length =
            sqrt(normals[0] * normals[0] + normals[1] * normals[1] + normals[2] * normals[2]);
        const double by = length > 0 ? -1 / length : 0; /* it has u and v the other way round */
        for (size_t i = 0; i < 3; i++) {
            to[i] = all[i];
            to[3 + i] = normals[i] * by;
        }
    }
}

/* Makes a block of rows of a patch. */
static int make_block(const host_surfaces *s, SISLSurf *surface, double *samples, size_t k,
                      double *scratch)
{
    const size_t blocks = (s->num + ROWS - 1) / ROWS, first = k % blocks * ROWS;
    const size_t rows = s->num - first < ROWS ? s->num - first : ROWS, count = rows * s->num;
    double *const to =
        (double *)s->out + (k / blocks * s->num + first) * s->num * (s->has_normals ? 6 : 3);
    double *const normals = scratch + 9 * ROWS * s->num;
    int status = 0;

    s1506(surface, s->has_normals, (int)s->num, samples, (int)rows, samples + first,
          s->has_normals ? scratch : to, normals, &status);
    if (status >= 0 && s->has_normals) pack(scratch, normals, count, to);
    return status >= 0;
}

/* Makes a Bezier patch of SISL's: v is its first direction, since that is the fastest in memory. */
static SISLSurf *surface_of(const host_surfaces *s, size_t patch)
{
    const size_t reals = s->order * s->order * 3;
    const int order = (int)s->order;
    double *const knots = malloc(2 * s->order * sizeof *knots);
    SISLSurf *surface = NULL;

    for (size_t i = 0; knots && i < 2 * s->order; i++)
        knots[i] = i < s->order ? 0 : 1;
    if (knots) {
        double *const points = (double *)s->points + patch * reals; /* they are copied */
        surface = newSurf(order, order, order, order, knots, knots, points, 1, 3, 1);
    }
    free(knots);
    return surface;
}

int host_sisl_run(const host_surfaces *s)
{
    const size_t blocks = (s->num + ROWS - 1) / ROWS;
    double *const samples = malloc(s->num * sizeof *samples);
    int good = samples != NULL;

    for (size_t a = 0; samples && a < s->num; a++)
        samples[a] = s->num > 1 ? (double)a / (double)(s->num - 1) : 0;
#pragma omp parallel
    {
        double *const scratch = malloc(12 * ROWS * s->num * sizeof *scratch);
        SISLSurf *surface = NULL;
        size_t has = s->patches;
        int mine = scratch && samples;
#pragma omp for schedule(dynamic)
        for (size_t k = 0; k < s->patches * blocks; k++) {
            if (has != k / blocks) {
                if (surface) freeSurf(surface);
                has = k / blocks;
                surface = surface_of(s, has);
            }
            mine = mine && surface && make_block(s, surface, samples, k, scratch);
        }
        if (surface) freeSurf(surface);
        free(scratch);
        if (!mine) {
#pragma omp atomic write
            good = 0;
        }
    }
    free(samples);
    return good;
}
