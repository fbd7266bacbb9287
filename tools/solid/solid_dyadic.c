#include "solid_dyadic.h"

#include <stdlib.h>
#include <string.h>

#include "staging.h"

enum {
    MOST_CELLS = 1 << 22, /* refined */
    MOST_STEPS = 6,
    LIKE = 8 /* cells that are like each other, where plans are best */
};

/* Returns k of 2^k + 1 samples; more than MOST_STEPS: there are others. */
static uint32_t steps_of(uint32_t samples)
{
    uint32_t steps = 0;
    while (steps <= MOST_STEPS && samples != (1u << steps) + 1)
        steps++;
    return steps;
}

/* ---- choosing ---- */

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 31) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 29) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 32;
}

static int compare_numbers(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Tells cells apart by how many cells there are at the vertices of theirs and of their neighbours,
   and counts those that differ. at_vertex, of_cell: zero, and memory. */
static size_t count_unlike(const solid_model *m, uint64_t *at_vertex, uint64_t *of_cell)
{
    const size_t cells = m->counts.num_cells;
    size_t num = 0;
    for (size_t i = 0; i < 8 * cells; i++)
        at_vertex[m->index[i]]++;
    for (int round = 0; round < 2; round++) {
        for (size_t c = 0; c < cells; c++) {
            of_cell[c] = 0;
            for (size_t i = 0; i < 8; i++)
                of_cell[c] += mix(at_vertex[m->index[8 * c + i]]);
        }
        if (round == 0) memset(at_vertex, 0, m->counts.num_vertices * sizeof(*at_vertex));
        for (size_t i = 0; round == 0 && i < 8 * cells; i++)
            at_vertex[m->index[i]] += mix(of_cell[i / 8]);
    }
    qsort(of_cell, cells, sizeof(*of_cell), compare_numbers);
    for (size_t c = 0; c < cells; c++)
        num += c == 0 || of_cell[c] != of_cell[c - 1];
    return num;
}

bool solid_dyadic_is_best(const solid_model *m, uint32_t samples)
{
    const uint32_t steps = steps_of(samples);
    const size_t cells = m->counts.num_cells;
    if (steps > MOST_STEPS || cells > (size_t)MOST_CELLS >> 3 * steps) return false;
    uint64_t *at_vertex = calloc(m->counts.num_vertices + 1, sizeof(*at_vertex));
    uint64_t *of_cell = malloc((cells + 1) * sizeof(*of_cell));
    const bool best = at_vertex && of_cell && count_unlike(m, at_vertex, of_cell) > cells / LIKE;
    free(at_vertex);
    free(of_cell);
    return best;
}

/* ---- making ---- */

/* Finds where samples are among the corners of refined cells: those of a cell are in the order of
   bits, u first, and so are theirs. */
static void find_places(solid_dyadic *d, uint32_t steps)
{
    static const uint8_t order[8] = {0, 1, 3, 2, 4, 5, 7, 6};
    const uint32_t n = d->samples;
    for (uint32_t i = 0; i < n * n * n; i++) {
        uint32_t at[3] = {i / (n * n), i / n % n, i % n}, place = 0, corner = 0;
        for (uint32_t half = 1u << steps >> 1; half > 0; half >>= 1) {
            uint32_t child = 0;
            for (uint32_t k = 0; k < 3; k++) {
                if (at[k] < half) continue;
                at[k] -= half;
                child |= 1u << k;
            }
            place = 8 * place + child;
        }
        for (uint32_t k = 0; k < 3; k++)
            corner |= at[k] << k;
        d->place[i] = 8 * place + order[corner];
    }
}

/* Refines a mesh and its points once. *made, *points: of the last step, NULL: the model's; they are
   replaced. */
static bool refine(const solid_model *m, clsp_solid_mesh **made, double **points)
{
    const clsp_solid_mesh *from = *made ? *made : m->mesh;
    const double *old = *points ? *points : m->points;
    clsp_solid_mesh *fine = NULL;
    clsp_solid_counts coarse, counts;
    if (!staging_check(m->ctx, clsp_solid_mesh_counts(from, &coarse)) ||
        !staging_check(m->ctx, clsp_solid_mesh_refine(&fine, from)))
        return false;
    clsp_solid_mesh_counts(fine, &counts);
    const clsp_input input = clsp_in_f64(old, coarse.num_vertices * m->channels);
    const size_t num = counts.num_vertices * m->channels;
    double *refined = malloc((num + 1) * sizeof(*refined));
    bool done = refined || solid_model_memory(m);
    if (done)
        done = staging_check(m->ctx,
                             clsp_solid_refine_points(from, CLSP_SOLID_TENSOR, m->channels, input,
                                                      clsp_out_f64(refined, num), NULL));
    clsp_solid_mesh_destroy(made);
    free(*points);
    *made = fine;
    *points = refined;
    return done;
}

/* Takes the index and the limits of the refined mesh. */
static bool take(solid_dyadic *d, const solid_model *m, const clsp_solid_mesh *from,
                 const double *points)
{
    clsp_solid_counts counts;
    if (!staging_check(m->ctx, clsp_solid_mesh_counts(from, &counts))) return false;
    const size_t num = counts.num_vertices * m->channels;
    d->index = malloc((counts.num_indices + 1) * sizeof(*d->index));
    d->limits = malloc((num + 1) * sizeof(*d->limits));
    if (!d->index || !d->limits) return solid_model_memory(m);
    const clsp_output index = {.type = CLSP_U32, .host = d->index, .size = counts.num_indices};
    const clsp_output limits = clsp_out_f64(d->limits, num);
    return staging_check(m->ctx, clsp_solid_mesh_cells(from, index)) &&
           staging_check(m->ctx, clsp_solid_limit_points(from, CLSP_SOLID_VERTICES, m->channels,
                                                         clsp_in_f64(points, num), limits, NULL));
}

bool solid_dyadic_open(solid_dyadic *d, const solid_model *m, uint32_t samples)
{
    const uint32_t steps = steps_of(samples);
    clsp_solid_mesh *fine = NULL;
    double *points = NULL;
    *d = (solid_dyadic){.samples = samples, .corners = (size_t)8 << 3 * steps};
    d->place = malloc((size_t)samples * samples * samples * sizeof(*d->place));
    bool done = d->place || solid_model_memory(m);
    if (done) find_places(d, steps);
    for (uint32_t i = 0; i < steps && done; i++)
        done = refine(m, &fine, &points);
    done = done && take(d, m, fine ? fine : m->mesh, points ? points : m->points);
    clsp_solid_mesh_destroy(&fine);
    free(points);
    return done;
}

void solid_dyadic_copy(const solid_dyadic *d, uint32_t channels, size_t first, size_t count,
                       double *to)
{
    const size_t each = (size_t)d->samples * d->samples * d->samples;
    for (size_t i = 0; i < count * each; i++) {
        const uint32_t *index = d->index + (first + i / each) * d->corners;
        memcpy(to + i * channels, d->limits + (size_t)index[d->place[i % each]] * channels,
               channels * sizeof(*to));
    }
}

void solid_dyadic_close(solid_dyadic *d)
{
    free(d->place);
    free(d->index);
    free(d->limits);
    *d = (solid_dyadic){.samples = 0};
}
