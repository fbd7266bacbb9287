#include "image_blocks.h"

#include <math.h>
#include <string.h>

#include "check.h"
#include "profile.h"

/* Rows that a group loads at a time: 2 TILE_Y of image_blocks.cl. */
enum { ROW_STEP = 2 * BLOCK_GROUP / VALUE_TILE };

/* Tells whether the kernel's compiler ends the process: PoCL 5.0's does at a branch of two loops
   that stands between the barriers of a loop. */
static bool ends_compiler(const clsp_device_info *device)
{
    return clspi_is_pocl(device->platform) && strncmp(device->driver, "5.", 2) == 0;
}

bool clspi_image_has_blocks(const clsp_context *ctx, const clsp_image_desc *desc)
{
    const uint64_t bytes = (uint64_t)BLOCK_SIDE * BLOCK_SIDE * sizeof(float);

    return !ends_compiler(&ctx->device) && ctx->device.local_is_real &&
           ctx->device.local_bytes >= bytes && desc->precision == CLSP_F32 &&
           desc->directions == 2 && desc->order >= CLSP_IMAGE_QUADRATIC;
}

/* Returns how far the coordinates of a tile go below that of its first point, in 2^-32 and at most
   0, by steps that are not above the true ones. */
static int64_t below_first(const clspi_map_axis *axis)
{
    const int64_t y = (int64_t)((uint64_t)axis->y_whole << 32 | axis->y_high);
    const int64_t x = (int64_t)((uint64_t)axis->x_whole << 32 | axis->x_high);

    return (VALUE_TILE - 1) * ((y < 0 ? y : 0) + (x < 0 ? x : 0));
}

/* Returns how many taps stand side by side that the points of a tile have along a direction. */
static double taps_of_tile(const clspi_image_job *job, uint32_t direction)
{
    const double *const row = job->map.matrix[direction];
    const double margin = 0x1p-20; /* more than steps of 2^-32 leave out */
    const uint32_t order = clspi_image_order(&job->plan->desc);
    const double reach = (fabs(row[1]) + fabs(row[2])) * (VALUE_TILE - 1) + margin;

    /* knots from the whole number of the first to that of the last one; of even orders they are
       halves, and the first may be the next one's */
    return floor(reach) + 2 + order + (order % 2 == 0);
}

/* Returns where the first tap of a tile is, counted from its first point's coordinate, in 2^-32. */
static uint64_t first_tap(const clspi_image_job *job, uint32_t direction)
{
    const clspi_map_axis axis = clspi_image_map_axis(&job->map, direction);
    const int64_t whole =
        (int64_t)job->plan->layout.pad[direction] - clspi_image_order(&job->plan->desc) / 2;

    return (uint64_t)below_first(&axis) + ((uint64_t)whole << 32);
}

bool clspi_image_find_block(const clspi_image_job *job, clspi_tap_block *block)
{
    const clspi_image_layout *const l = &job->plan->layout;
    const double rows = taps_of_tile(job, 1), columns = taps_of_tile(job, 2);

    if (l->mode[1] == CLSP_IMAGE_WRAP || l->mode[2] == CLSP_IMAGE_WRAP) return false;
    if (!(rows <= BLOCK_SIDE) || !(columns <= BLOCK_SIDE)) return false;
    const uint64_t y = first_tap(job, 1), x = first_tap(job, 2);
    *block = (clspi_tap_block){.rows = (uint32_t)clspi_div_up((size_t)rows, ROW_STEP) * ROW_STEP,
                               .columns = (uint32_t)clspi_max((size_t)columns, VALUE_TILE),
                               .y_whole = (uint32_t)(y >> 32),
                               .y_high = (uint32_t)y,
                               .x_whole = (uint32_t)(x >> 32),
                               .x_high = (uint32_t)x};
    return true;
}
