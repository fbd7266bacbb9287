#include "surface_leftover.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "kernel_arguments.h"
#include "nearest_search.h"

bool clspi_surface_leftover_make(clspi_surface_leftover *l, const clspi_tensor_desc *desc,
                                 size_t num)
{
    const bool f64 = desc->precision == CLSP_F64;

    *l = (clspi_surface_leftover){.num = num,
                                  .dim = desc->dim,
                                  .real_bytes = clsp_type_bytes(desc->precision),
                                  .result_bytes =
                                      f64 ? sizeof(clspi_nearest_f64) : sizeof(clspi_nearest_f32)};
    l->entries = malloc(num * CLSPI_SURFACE_LIST_QUERY_WORDS * sizeof *l->entries);
    l->points = malloc(num * l->dim * l->real_bytes);
    l->hints = malloc(num * 2 * l->real_bytes);
    l->patches = malloc(num * sizeof *l->patches);
    l->results = malloc(num * l->result_bytes);
    l->normals = malloc(num * CLSPI_NORMAL_REALS * l->real_bytes);
    return l->entries && l->points && l->hints && l->patches && l->results && l->normals;
}

void clspi_surface_leftover_release(clspi_surface_leftover *l)
{
    free(l->entries);
    free(l->points);
    free(l->hints);
    free(l->patches);
    free(l->results);
    free(l->normals);
}

/* Reads numbers that were of the precision before. */
static void take_reals(const clspi_surface_leftover *l, const cl_uint *words, size_t num, void *to,
                       size_t first)
{
    for (size_t k = 0; k < num; k++) {
        double x;
        memcpy(&x, words + 2 * k, sizeof x);
        clspi_real_put(l->real_bytes == sizeof x, to, first + k, x);
    }
}

clspi_nearest_queries clspi_surface_leftover_queries(clspi_surface_leftover *l, double max_dist)
{
    const clspi_nearest_queries queries = {.f64 = l->real_bytes == sizeof(double),
                                           .num = l->num,
                                           .num_nearest = 1,
                                           .points = l->points,
                                           .patches = l->has_patches ? l->patches : NULL,
                                           .hints = l->has_hints ? l->hints : NULL,
                                           .max_dist = max_dist,
                                           .out = l->results,
                                           .normals = l->has_normals ? l->normals : NULL};

    for (size_t i = 0; i < l->num; i++) {
        const cl_uint *const entry = l->entries + i * CLSPI_SURFACE_LIST_QUERY_WORDS;
        l->patches[i] = entry[CLSPI_SURFACE_LIST_QUERY_PATCH];
        take_reals(l, entry + CLSPI_SURFACE_LIST_QUERY_POINT, l->dim, l->points, i * l->dim);
        take_reals(l, entry + CLSPI_SURFACE_LIST_QUERY_HINT, 2, l->hints, i * 2);
    }
    return queries;
}
