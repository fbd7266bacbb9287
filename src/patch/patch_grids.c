#include "patch_grids.h"

#include <stdlib.h>
#include <string.h>

#include "buffer.h"
#include "check.h"
#include "vertex_layout.h"

/* ---- counting ---- */

static bool has_facets(const clspi_tensor_desc *desc)
{
    return desc->directions == 2;
}

/* Counts the vertices and facets of one grid, nums: [clspi_grid_directions]. */
static bool count_grid(const clspi_tensor_desc *desc, const uint32_t *nums, size_t *vertices,
                       size_t *facets)
{
    const size_t num = nums[0], other = desc->directions == 2 && !desc->is_triangle ? nums[1] : num;
    bool fits = true;

    *vertices = num;
    *facets = 0;
    if (desc->is_triangle) *vertices = num % 2 == 0 ? num / 2 : num;
    for (uint32_t k = 1; k < clspi_grid_directions(desc); k++)
        fits = fits && clspi_size_mul(vertices, nums[k]);
    if (desc->is_triangle) fits = clspi_size_mul(vertices, num % 2 == 0 ? num + 1 : (num + 1) / 2);
    if (has_facets(desc) && num > 1 && other > 1) {
        *facets = num - 1;
        fits = fits && clspi_size_mul(facets, other - 1);
    }
    return fits;
}

bool clspi_count_grid(const clspi_tensor_desc *desc, size_t *vertices, size_t *facets)
{
    const uint32_t nums[] = {desc->axis[0].num, desc->axis[1].num, desc->axis[2].num};

    return count_grid(desc, nums, vertices, facets);
}

uint32_t clspi_samples_of(const clspi_patch_grids *grids, const clspi_tensor_desc *desc,
                          size_t patch, uint32_t direction)
{
    const uint32_t directions = clspi_grid_directions(desc);

    if (!clspi_has_patch_grids(grids) || direction >= directions) return desc->axis[direction].num;
    return grids->nums[patch * directions + direction];
}

bool clspi_count_patches(const clspi_patch_grids *grids, const clspi_tensor_desc *desc,
                         clsp_range patches, size_t *vertices, size_t *facets)
{
    size_t bytes = clspi_vertex_bytes(desc), index_bytes = 6 * sizeof(uint32_t);

    if (clspi_has_patch_grids(grids)) {
        const size_t end = patches.first + patches.count;
        *vertices = grids->first_vertex[end] - grids->first_vertex[patches.first];
        *facets = grids->first_facet[end] - grids->first_facet[patches.first];
    } else if (!clspi_count_grid(desc, vertices, facets) ||
               !clspi_size_mul(vertices, patches.count) || !clspi_size_mul(facets, patches.count)) {
        return false;
    }
    return clspi_size_mul(&bytes, *vertices) && clspi_size_mul(&index_bytes, *facets);
}

/* ---- numbers of samples ---- */

uint32_t *clspi_patch_grids_nums(const clspi_patch_grids *grids, const clspi_tensor_desc *desc,
                                 uint32_t direction, size_t *count)
{
    uint32_t most = 0, *nums;

    for (size_t p = 0; p < grids->num; p++)
        most = (uint32_t)clspi_max(most, clspi_samples_of(grids, desc, p, direction));
    unsigned char *const bits = calloc(1, most / 8 + 1); /* one for each number */
    *count = 0;
    for (size_t p = 0; p < grids->num && bits; p++) {
        const uint32_t num = clspi_samples_of(grids, desc, p, direction);
        unsigned char *const at = &bits[num / 8];
        *count += !(*at >> num % 8 & 1);
        *at = (unsigned char)(*at | 1u << num % 8);
    }
    nums = bits ? malloc(clspi_max(1, *count) * sizeof *nums) : NULL;
    for (uint32_t num = 1, k = 0; num <= most && nums; num++)
        if (bits[num / 8] >> num % 8 & 1) nums[k++] = num;
    free(bits);
    return nums;
}

/* ---- setting ---- */

static void release_buffers(clspi_patch_grids *grids)
{
    clspi_buffer_release(&grids->nums_buffer);
    clspi_buffer_release(&grids->vertex_buffer);
    clspi_buffer_release(&grids->facet_buffer);
}

void clspi_patch_grids_clear(clspi_patch_grids *grids)
{
    free(grids->nums);
    free(grids->first_vertex);
    free(grids->first_facet);
    release_buffers(grids);
    memset(grids, 0, sizeof *grids);
}

clsp_status clspi_patch_grids_check(clsp_context *ctx, const clspi_tensor_desc *desc,
                                    size_t num_patches, const uint32_t *nums)
{
    const uint32_t directions = clspi_grid_directions(desc);

    for (size_t i = 0; i < num_patches * directions; i++)
        if (nums[i] < 1 || nums[i] > CLSP_PATCH_MAX_SAMPLES)
            return clspi_fail(&ctx->log, CLSP_ERROR_ARGUMENT,
                              "a grid of %u samples in direction %zu for patch %zu: 1 to %d",
                              nums[i], i % directions, i / directions, CLSP_PATCH_MAX_SAMPLES);
    return CLSP_OK;
}

static bool add(size_t *sum, size_t more)
{
    if (more > SIZE_MAX - *sum) return false;
    *sum += more;
    return true;
}

/* Fills the host's arrays; false when all vertices together are more than the address space. */
static bool count_all(clspi_patch_grids *grids, const clspi_tensor_desc *desc)
{
    const uint32_t directions = clspi_grid_directions(desc);
    size_t vertices = 0, facets = 0, more_vertices, more_facets;
    size_t bytes = clspi_vertex_bytes(desc);

    for (size_t p = 0; p < grids->num; p++) {
        grids->first_vertex[p] = vertices;
        grids->first_facet[p] = facets;
        grids->longest_row =
            clspi_max(grids->longest_row, clspi_samples_of(grids, desc, p, 1) *
                                              (size_t)clspi_samples_of(grids, desc, p, 2));
        if (!count_grid(desc, grids->nums + p * directions, &more_vertices, &more_facets) ||
            !add(&vertices, more_vertices) || !add(&facets, more_facets))
            return false;
    }
    grids->first_vertex[grids->num] = vertices;
    grids->first_facet[grids->num] = facets;
    return clspi_size_mul(&bytes, vertices);
}

/* Makes room for the host's arrays, before any number is read; false without memory. */
static bool make_arrays(clspi_patch_grids *grids, const clspi_tensor_desc *desc, size_t num_patches)
{
    size_t bytes = clspi_grid_directions(desc) * sizeof *grids->nums;

    if (num_patches >= PTRDIFF_MAX / sizeof(size_t) || !clspi_size_mul(&bytes, num_patches))
        return false;
    grids->num = num_patches;
    grids->nums = malloc(clspi_max(1, bytes));
    grids->first_vertex = malloc((num_patches + 1) * sizeof *grids->first_vertex);
    grids->first_facet = malloc((num_patches + 1) * sizeof *grids->first_facet);
    return grids->nums && grids->first_vertex && grids->first_facet;
}

/* Fills the host's arrays. */
static clsp_status take_nums(clspi_patch_grids *grids, clsp_context *ctx,
                             const clspi_tensor_desc *desc, const uint32_t *nums)
{
    const size_t count = grids->num * clspi_grid_directions(desc);

    memcpy(grids->nums, nums, count * sizeof *nums);
    if (count_all(grids, desc)) return CLSP_OK;
    return clspi_fail(&ctx->log, CLSP_ERROR_NO_MEMORY,
                      "the vertices of %zu grids are more than the address space", grids->num);
}

clsp_status clspi_patch_grids_set(clspi_patch_grids *grids, clsp_context *ctx,
                                  const clspi_tensor_desc *desc, size_t num_patches,
                                  const uint32_t *nums)
{
    clspi_patch_grids made = {0};
    clsp_status status;

    if (make_arrays(&made, desc, num_patches))
        status = take_nums(&made, ctx, desc, nums);
    else
        status =
            clspi_fail(&ctx->log, CLSP_ERROR_NO_MEMORY, "no memory for %zu grids", num_patches);
    if (status != CLSP_OK) clspi_patch_grids_clear(&made);
    clspi_patch_grids_clear(grids);
    *grids = made;
    return status;
}

/* ---- on the device ---- */

static clsp_status upload(clspi_series *series, cl_mem *buffer, const void *numbers, size_t count)
{
    const size_t bytes = count * sizeof(uint32_t);

    CLSPI_CHECK(clspi_buffer_create(buffer, series->ctx, bytes));
    return clspi_series_write(series, *buffer, 0, numbers, bytes);
}

/* Uploads the low halves of long numbers. */
static clsp_status upload_low(clspi_series *series, cl_mem *buffer, const size_t *numbers,
                              size_t count)
{
    uint32_t *const low = malloc(count * sizeof *low);
    clsp_status status;

    if (!low)
        return clspi_fail(&series->ctx->log, CLSP_ERROR_NO_MEMORY, "no memory for %zu grids",
                          count);
    for (size_t p = 0; p < count; p++)
        low[p] = (uint32_t)numbers[p];
    status = upload(series, buffer, low, count);
    free(low);
    return status;
}

static clsp_status upload_all(clspi_patch_grids *grids, clspi_series *series,
                              const clspi_tensor_desc *desc)
{
    CLSPI_CHECK(
        upload(series, &grids->nums_buffer, grids->nums, grids->num * clspi_grid_directions(desc)));
    CLSPI_CHECK(upload_low(series, &grids->vertex_buffer, grids->first_vertex, grids->num));
    return upload_low(series, &grids->facet_buffer, grids->first_facet, grids->num);
}

clsp_status clspi_patch_grids_upload(clspi_patch_grids *grids, clspi_series *series,
                                     const clspi_tensor_desc *desc)
{
    if (!clspi_has_patch_grids(grids) || grids->nums_buffer) return CLSP_OK;
    const clsp_status status = upload_all(grids, series, desc);
    if (status != CLSP_OK) release_buffers(grids);
    return status;
}

/* ---- cuts ---- */

clspi_cut clspi_patch_grids_cut(const clspi_patch_grids *grids, const size_t *prefix,
                                size_t per_patch, size_t first_patch, clsp_range range)
{
    clspi_cut cut = {.prefix = prefix,
                     .per_piece = clspi_max(1, per_patch),
                     .piece = first_patch,
                     .left = range.count};
    size_t low = first_patch, high = grids->num;

    if (range.first == 0 || range.count == 0) return cut;
    if (!prefix) {
        cut.piece += range.first / cut.per_piece;
        cut.line = range.first % cut.per_piece;
        return cut;
    }
    const size_t wanted = prefix[low] + range.first;
    while (high - low > 1) { /* the last patch that begins at or before it */
        const size_t middle = low + (high - low) / 2;
        if (prefix[middle] <= wanted)
            low = middle;
        else
            high = middle;
    }
    cut.piece = low;
    cut.line = wanted - prefix[low];
    return cut;
}
