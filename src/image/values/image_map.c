#include "image_map.h"

#include <math.h>
#include <string.h>

#include "check.h"
#include "memory.h"

#define COORDINATE_MAX                                                                             \
    0x1p29 /* of fixed-point coordinates; with a displacement as large an int                      \
            */

static clsp_status bad(const clsp_image_plan *plan, const char *what, double value)
{
    return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_ARGUMENT, "image: %s: %g", what, value);
}

/* ---- checks ---- */

/* Checks attributes, 0 being the value. */
static clsp_status check_attributes(const clsp_image_plan *plan, uint32_t *attributes)
{
    const clsp_type type = plan->desc.values;

    if (*attributes == 0) *attributes = CLSP_IMAGE_VALUE;
    if (*attributes >= CLSPI_ATTRIBUTE_SETS)
        return bad(plan, "no such attributes of map", *attributes);
    if (*attributes & CLSP_IMAGE_GRADIENT && type != CLSP_F16 && type != CLSP_F32 &&
        type != CLSP_F64)
        return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_ARGUMENT,
                          "image: a gradient of values of an integer type: %s",
                          clspi_type_name(type));
    return CLSP_OK;
}

static clsp_status refuse(const clsp_image_plan *plan, const char *why)
{
    return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_ARGUMENT, "image: %s", why);
}

/* Tells whether all numbers of a map's matrix are 0. */
static bool has_no_matrix(const clsp_image_map *map)
{
    bool is_none = true;

    for (uint32_t d = 0; d < 3; d++)
        for (uint32_t k = 0; k < 4; k++)
            is_none = is_none && map->matrix[d][k] == 0.0;
    return is_none;
}

/* Tells whether a map says nothing of a grid. */
static bool has_no_grid(const clsp_image_map *map)
{
    bool is_none = has_no_matrix(map) && map->areas == 0;

    for (uint32_t d = 0; d < 3; d++)
        is_none = is_none && map->size[d] == 0 && map->origin[d] == 0;
    return is_none;
}

/* Checks the list of coordinates of a map, and that nothing else is given beside one. */
static clsp_status check_list(const clsp_image_plan *plan, const clsp_image_map *map)
{
    const clsp_points *const at = &map->at;

    CLSPI_CHECK(clspi_reserved_check(&plan->base.ctx->log, "clsp_points", at->reserved));
    if (at->planar > 1) return refuse(plan, "planar is neither 0 nor 1");
    if (clspi_input_is_there(&at->item))
        return refuse(plan, "coordinates are the same ones for each image: they have no items");
    if (!clspi_input_is_there(&at->params))
        return at->num > 0 || at->planar > 0
                   ? refuse(plan, "coordinates: none of buffer, host and svm")
                   : CLSP_OK;
    if (clspi_input_is_there(&map->displacements))
        return refuse(plan, "both coordinates and displacements");
    return has_no_grid(map)
               ? CLSP_OK
               : refuse(plan,
                        "both coordinates and a matrix, a size, an origin or areas of the map");
}

static clsp_status check(const clsp_image_plan *plan, const clsp_image_map *map)
{
    const uint32_t num = plan->desc.directions;
    const uint64_t reserved = map->reserved[0];

    CLSPI_CHECK(clspi_reserved_check_some(&plan->base.ctx->log, "clsp_image_map", &reserved, 1));
    if (map->areas > 1) return bad(plan, "areas of map are neither 0 nor 1", map->areas);
    CLSPI_CHECK(check_list(plan, map));
    for (uint32_t d = 0; d < num; d++) {
        if (map->size[d] > CLSP_IMAGE_MAX_SIZE)
            return bad(plan, "size of map is above 2^28", map->size[d]);
        if (!isfinite(map->matrix[d][3]))
            return bad(plan, "the matrix is not finite", map->matrix[d][3]);
        for (uint32_t k = 0; k < num; k++)
            if (!isfinite(map->matrix[d][k]))
                return bad(plan, "the matrix is not finite", map->matrix[d][k]);
    }
    return CLSP_OK;
}

/* Tells whether the output has no coordinate beyond what fixed-point numbers have. */
static bool is_near(const clspi_image_map *map)
{
    for (uint32_t d = 0; d < 3; d++) {
        double reach = fabs(map->matrix[d][3]);
        for (uint32_t k = 0; k < 3; k++)
            reach += fabs(map->matrix[d][k]) * ((double)map->origin[k] + map->size[k]);
        if (!(reach < COORDINATE_MAX)) return false;
    }
    return true;
}

/* Finds which points of a direction of the output are made. */
static clsp_status take_points(const clsp_image_plan *plan, const clsp_image_map *given, uint32_t d,
                               clspi_image_map *map)
{
    const uint32_t from = d - (3 - plan->desc.directions), size = given->size[from];
    const uint64_t before = size > 0 ? 0 : plan->layout.begin[d];
    const uint64_t most = CLSP_IMAGE_MAX_SIZE;

    map->size[d] = size > 0 ? size : plan->layout.size[d];
    if (given->origin[from] > most || given->origin[from] + before + map->size[d] > most)
        return bad(plan, "origin and size of map are above 2^28", (double)given->origin[from]);
    map->origin[d] = (uint32_t)(given->origin[from] + before);
    return CLSP_OK;
}

clsp_status clspi_image_map_resolve(const clsp_image_plan *plan, const clsp_image_map *given,
                                    clspi_image_map *map)
{
    const uint32_t missing = 3 - plan->desc.directions;
    clsp_image_map public_map = given ? *given : clsp_image_identity();

    CLSPI_CHECK(check(plan, &public_map));
    if (has_no_matrix(&public_map))
        memcpy(public_map.matrix, clsp_image_identity().matrix, sizeof public_map.matrix);
    *map = (clspi_image_map){.size = {1, 1, 1},
                             .middle = public_map.areas ? 0.5 : 0.0,
                             .attributes = public_map.attributes};
    CLSPI_CHECK(check_attributes(plan, &map->attributes));
    for (uint32_t d = missing; d < 3; d++) {
        CLSPI_CHECK(take_points(plan, &public_map, d, map));
        map->matrix[d][3] = public_map.matrix[d - missing][3] - map->middle;
        for (uint32_t k = missing; k < 3; k++)
            map->matrix[d][k] = public_map.matrix[d - missing][k - missing];
    }
    map->is_fixed = plan->desc.precision == CLSP_F32 && is_near(map);
    return CLSP_OK;
}

/* ---- numbers ---- */

/* A whole number, and the 64 bits behind the point. */
typedef struct fixed {
    uint32_t whole, high, low;
} fixed;

static fixed fixed_of(const clspi_image_map *map, double x)
{
    const double whole = floor(x), scaled = (x - whole) * 0x1p32, high = floor(scaled);
    const double low = floor((scaled - high) * 0x1p32);

    if (!map->is_fixed) return (fixed){0, 0, 0};
    return (fixed){(uint32_t)(int32_t)whole, (uint32_t)high, (uint32_t)low};
}

/* Adds half of 2^-28, to whose multiples kernels cut coordinates off. */
static fixed rounded(const clspi_image_map *map, fixed x)
{
    if (!map->is_fixed) return x;
    x.high += 8;
    x.whole += x.high < 8;
    return x;
}

clspi_map_axis clspi_image_map_axis(const clspi_image_map *map, uint32_t k)
{
    const double *const row = map->matrix[k];
    const fixed z = fixed_of(map, row[0]), y = fixed_of(map, row[1]), x = fixed_of(map, row[2]);
    const double first = row[3] + map->middle * (row[0] + row[1] + row[2]);
    const fixed at = rounded(map, fixed_of(map, first));

    return (clspi_map_axis){.z = row[0],
                            .y = row[1],
                            .x = row[2],
                            .at = row[3],
                            .middle = map->middle,
                            .z_whole = z.whole,
                            .z_high = z.high,
                            .z_low = z.low,
                            .y_whole = y.whole,
                            .y_high = y.high,
                            .y_low = y.low,
                            .x_whole = x.whole,
                            .x_high = x.high,
                            .x_low = x.low,
                            .at_whole = at.whole,
                            .at_high = at.high,
                            .at_low = at.low};
}
