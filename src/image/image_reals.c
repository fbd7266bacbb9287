#include "image_reals.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "image_plan.h"

enum {
    SMALL = 1 << 15, /* reals of all images with their margins */
    MARGIN = 4       /* what the taps of points at the edges need, at least */
};

/* ---- shape ---- */

/* Describes planes of reals without margins. */
static clspi_image_planes narrow_shape(const clsp_image_plan *plan)
{
    const clspi_image_layout *const l = &plan->layout;
    clspi_image_planes planes = {.order = clspi_image_order(&plan->desc),
                                 .directions = plan->desc.directions,
                                 .cval = plan->desc.cval,
                                 .type = plan->desc.values,
                                 .rounds_up = plan->desc.rounding == CLSP_IMAGE_ROUND_UP};

    for (uint32_t d = 0; d < 3; d++) {
        planes.size[d] = l->whole[d];
        planes.low[d] = (int32_t)l->low[d];
        planes.stored[d] = l->stored[d];
        planes.pad[d] = l->pad[d];
        planes.mode[d] = l->mode[d];
    }
    return planes;
}

/* Returns the margin of so many coefficients, in which images, but not volumes, may be turned about
   their middle. */
static uint32_t margin_of(uint32_t directions, uint32_t size)
{
    return MARGIN + (directions > 2 ? 0 : size / 4);
}

/* Describes them with margins. */
static clspi_image_planes wide_shape(const clsp_image_plan *plan)
{
    clspi_image_planes planes = narrow_shape(plan);

    for (uint32_t d = 3 - planes.directions; d < 3; d++)
        planes.margin[d] = margin_of(planes.directions, planes.size[d]);
    return planes;
}

/* Counts the reals of so many planes with their margins; false: they are more than the address
   space. */
static bool count_reals(const clspi_image_planes *planes, size_t num_planes, size_t *num)
{
    bool fits = true;

    *num = num_planes;
    for (uint32_t d = 0; d < 3; d++)
        fits = fits && clspi_size_mul(num, planes->stored[d] + 2 * (size_t)planes->margin[d]);
    return fits;
}

bool clspi_whole_is_small(const clspi_image_layout *layout, uint32_t directions, size_t num_planes)
{
    size_t num = num_planes;
    bool fits = true;

    for (uint32_t d = 3 - directions; d < 3; d++)
        fits =
            fits && clspi_size_mul(&num, layout->whole[d] +
                                             2 * (size_t)margin_of(directions, layout->whole[d]));
    return fits && num <= SMALL;
}

bool clspi_image_is_small(const clsp_image_plan *plan, size_t num_images)
{
    size_t num = num_images;

    return !clspi_is_cut(&plan->layout) && clspi_size_mul(&num, plan->layout.channels) &&
           clspi_whole_is_small(&plan->layout, plan->desc.directions, num);
}

static bool is_small(const clsp_image_plan *plan)
{
    return clspi_image_is_small(plan, plan->num_images);
}

static clspi_image_planes shape_of(const clsp_image_plan *plan)
{
    return is_small(plan) ? wide_shape(plan) : narrow_shape(plan);
}

/* Returns how many reals a plane has with its margins. */
static size_t plane_reals(const clspi_image_planes *planes)
{
    size_t all = 1;

    for (uint32_t d = 0; d < 3; d++)
        all *= planes->stored[d] + 2 * (size_t)planes->margin[d];
    return all;
}

clspi_image_planes clspi_image_host_planes(const clsp_image_plan *plan, size_t first, uint32_t num)
{
    const clspi_image_store *const store = &plan->store;
    const char *const reals = store->reals ? store->reals : store->host;
    clspi_image_planes planes = shape_of(plan);

    planes.planes = reals + first * plane_reals(&planes) * clspi_image_real(plan);
    planes.channels = num;
    if (plan->desc.clip) planes.range = store->range + first * 2 * clspi_image_real(plan);
    return planes;
}

/* ---- reals ---- */

/* Makes room for all planes of a shape, and for what is read behind them. */
static char *make_room(const clsp_image_plan *plan, const clspi_image_planes *planes)
{
    const size_t real = clspi_image_real(plan), spare = CLSPI_IMAGE_SPARE * real;
    size_t bytes;

    if (!count_reals(planes, clspi_image_num_planes(plan), &bytes) ||
        !clspi_size_mul(&bytes, real) || bytes > SIZE_MAX - spare)
        return NULL;
    char *const reals = malloc(bytes + spare);
    if (reals) memset(reals + bytes, 0, spare);
    return reals;
}

static bool is_half(const clsp_image_plan *plan)
{
    return plan->desc.coefficients != plan->desc.precision;
}

clsp_status clspi_image_reals_reserve(clsp_image_plan *plan)
{
    const clspi_image_planes planes = shape_of(plan);

    if (plan->store.reals || (!is_half(plan) && !is_small(plan))) return CLSP_OK;
    plan->store.reals = make_room(plan, &planes);
    return plan->store.reals ? CLSP_OK : clspi_image_no_memory(plan, "coefficients as reals");
}

/* Copies one plane of coefficients of a type to reals of a shape, with its margins. */
static void copy_plane(const clsp_image_plan *plan, const clspi_image_planes *planes,
                       const void *coefficients, uint32_t type, void *reals)
{
    clspi_line_source from = {.at = coefficients, .type = type, .step = 1, .cval = plan->desc.cval};
    int64_t first[3];
    size_t num[3];

    for (uint32_t k = 0; k < 3; k++) {
        from.size[k] = from.stored[k] = from.num[k] = planes->stored[k];
        from.mode[k] = from.extend[k] = planes->mode[k];
        first[k] = -(int64_t)planes->margin[k];
        num[k] = planes->stored[k] + 2 * (size_t)planes->margin[k];
    }
    clspi_image_line_functions(plan)->read(&from, first, num, reals);
}

void clspi_image_reals_renew(clsp_image_plan *plan)
{
    const clsp_image_desc *const d = &plan->desc;
    const clspi_image_planes planes = shape_of(plan);
    const size_t reals = plane_reals(&planes) * clspi_image_real(plan);

    if (!plan->store.reals) return;
    for (size_t k = 0; k < clspi_image_num_planes(plan); k++)
        copy_plane(plan, &planes,
                   plan->store.host + k * plan->layout.plane * clsp_type_bytes(d->coefficients),
                   (uint32_t)d->coefficients, plan->store.reals + k * reals);
}

clsp_status clspi_image_host_reals(clsp_image_plan *plan)
{
    if (plan->store.reals) return CLSP_OK;
    CLSPI_CHECK(clspi_image_reals_reserve(plan));
    clspi_image_reals_renew(plan);
    return CLSP_OK;
}

/* ---- pieces with margins ---- */

static clspi_image_planes widened(const clspi_image_planes *planes)
{
    clspi_image_planes wide = *planes;

    for (uint32_t d = 3 - planes->directions; d < 3; d++)
        wide.margin[d] = MARGIN;
    return wide;
}

size_t clspi_image_wide_bytes(const clsp_image_plan *plan, const clspi_image_planes *planes)
{
    const clspi_image_planes wide = widened(planes);
    size_t reals;

    if (planes->margin[2] > 0 || planes->order < 2 || clspi_is_cut(&plan->layout) ||
        !count_reals(&wide, planes->channels, &reals) || reals > SMALL)
        return 0;
    return (reals + CLSPI_IMAGE_SPARE) * clspi_image_real(plan);
}

void clspi_image_widen(const clsp_image_plan *plan, clspi_image_planes *planes, void *room)
{
    const clspi_image_planes wide = widened(planes);
    const size_t real = clspi_image_real(plan), bytes = plane_reals(&wide) * real;
    const size_t narrow = plane_reals(planes) * real;

    for (uint32_t k = 0; k < planes->channels; k++)
        copy_plane(plan, &wide, (const char *)planes->planes + k * narrow,
                   (uint32_t)plan->desc.precision, (char *)room + k * bytes);
    memset((char *)room + planes->channels * bytes, 0, CLSPI_IMAGE_SPARE * real);
    *planes = wide;
    planes->planes = room;
}
