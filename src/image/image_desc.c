#include "image_plan.h"

#include <math.h>

#include "check.h"
#include "fir_taps.h"
#include "image_reals.h"
#include "tensor_desc.h"

static clsp_status bad(clsp_context *ctx, const char *what, double value)
{
    return clspi_fail(&ctx->log, CLSP_ERROR_ARGUMENT, "image: %s: %g", what, value);
}

static clsp_status bad_type(clsp_context *ctx, const char *what, clsp_type type)
{
    return clspi_fail(&ctx->log, CLSP_ERROR_ARGUMENT, "image: %s: %s", what, clspi_type_name(type));
}

/* ---- checks ---- */

/* Checks numbers that are enumerations, or that have a maximum. */
static clsp_status check_numbers(clsp_context *ctx, const clsp_image_desc *d)
{
    const struct {
        unsigned is, most;
        const char *what;
    } numbers[] = {{d->directions, 3, "directions is above 3"},
                   {d->channels, CLSP_IMAGE_MAX_CHANNELS, "channels is above the maximum"},
                   {(unsigned)d->storage, CLSP_IMAGE_ON_HOST, "no such storage"},
                   {d->planar, 1, "planar is neither 0 nor 1"},
                   {d->clip, 1, "clip is neither 0 nor 1"},
                   {(unsigned)d->rounding, CLSP_IMAGE_ROUND_UP, "no such rounding"},
                   {(unsigned)d->prefilter, CLSP_IMAGE_NONE, "no such prefilter"},
                   {(unsigned)d->kernels, CLSP_IMAGE_LINES, "no such kernels"},
                   {clspi_image_order(d), ORDER_MAX, "no such order"}};

    for (size_t i = 0; i < CLSPI_COUNT(numbers); i++)
        if (numbers[i].is > numbers[i].most) return bad(ctx, numbers[i].what, numbers[i].is);
    return CLSP_OK;
}

static clsp_status check_shape(clsp_context *ctx, const clsp_image_desc *d)
{
    CLSPI_CHECK(
        clspi_reserved_check_some(&ctx->log, "clsp_image_desc", d->reserved, CLSP_RESERVED - 3));
    CLSPI_CHECK(check_numbers(ctx, d));
    for (uint32_t k = 0; k < d->directions; k++) {
        if (d->size[k] < 1 || d->size[k] > CLSP_IMAGE_MAX_SIZE)
            return bad(ctx, "size is not 1 to 2^28", d->size[k]);
        if ((unsigned)d->mode[k] > CLSP_IMAGE_WRAP) return bad(ctx, "no such mode", d->mode[k]);
    }
    return CLSP_OK;
}

/* Checks where the samples lie among those of a whole. */
static clsp_status check_part(clsp_context *ctx, const clsp_image_desc *d)
{
    bool is_part = false;

    for (uint32_t k = 0; k < d->directions; k++) {
        const uint32_t whole = d->part.whole[k], begin = d->part.begin[k];
        if (whole == 0 && begin > 0) return bad(ctx, "the begin of a part of no whole", begin);
        if (whole == 0) continue;
        if (whole > CLSP_IMAGE_MAX_SIZE) return bad(ctx, "the whole is above 2^28", whole);
        if (begin > whole || d->size[k] > whole - begin)
            return bad(ctx, "the part is not within the whole, which has", whole);
        is_part = is_part || d->size[k] < whole;
    }
    if (is_part && d->clip)
        return clspi_fail(&ctx->log, CLSP_ERROR_ARGUMENT,
                          "image: clip: a part has not the range of all samples");
    return is_part && d->kernels == CLSP_IMAGE_LINES
               ? clspi_fail(&ctx->log, CLSP_ERROR_ARGUMENT,
                            "image: kernels of whole lines: a part does not have them")
               : CLSP_OK;
}

static bool is_pixel(clsp_type type, clsp_type precision)
{
    return type == CLSP_U8 || type == CLSP_U16 || type == CLSP_S16 || type == CLSP_F16 ||
           type == CLSP_F32 || (type == CLSP_F64 && precision == CLSP_F64);
}

static clsp_status check_types(clsp_context *ctx, const clsp_image_desc *d)
{
    CLSPI_CHECK(clspi_precision_check(ctx, "image", d->precision));
    if (!is_pixel(d->samples, d->precision))
        return bad_type(ctx, "samples is no type that the precision can have", d->samples);
    if (!is_pixel(d->values, d->precision))
        return bad_type(ctx, "values is no type that the precision can have", d->values);
    if (d->coefficients == CLSP_F16 && (d->samples == CLSP_U16 || d->samples == CLSP_S16))
        return bad_type(ctx, "coefficients in CLSP_F16 cannot hold samples of", d->samples);
    return d->coefficients == d->precision || d->coefficients == CLSP_F16
               ? CLSP_OK
               : bad_type(ctx, "coefficients is neither the precision nor CLSP_F16",
                          d->coefficients);
}

static bool is_fir(const clsp_image_desc *d)
{
    return d->prefilter == CLSP_IMAGE_LEAST_SQUARES || d->prefilter == CLSP_IMAGE_TRUNCATED;
}

static clsp_status check_filter(clsp_context *ctx, const clsp_image_desc *d)
{
    if (d->taps > 0 && !is_fir(d)) return bad(ctx, "taps of a prefilter that is no FIR", d->taps);
    if (d->taps > 0 && (d->taps % 2 == 0 || d->taps < 3 || d->taps > CLSP_IMAGE_MAX_TAPS))
        return bad(ctx, "taps is not odd and 3 to 127", d->taps);
    if (d->kernels == CLSP_IMAGE_LINES && d->prefilter != CLSP_IMAGE_RECURSIVE)
        return bad(ctx, "kernels of the recursive prefilter alone", d->kernels);
    if (d->kernels == CLSP_IMAGE_TILES && d->prefilter == CLSP_IMAGE_NONE)
        return bad(ctx, "kernels of prefilters alone", d->kernels);
    if (d->kernels == CLSP_IMAGE_STAGED && !is_fir(d))
        return bad(ctx, "kernels of FIR prefilters alone", d->kernels);
    return CLSP_OK;
}

/* ---- defaults ---- */

static void default_types(clsp_image_desc *d)
{
    if (d->precision == CLSP_TYPE_DEFAULT) d->precision = CLSP_F32;
    if (d->samples == CLSP_TYPE_DEFAULT) d->samples = d->precision;
    if (d->values == CLSP_TYPE_DEFAULT) d->values = d->samples;
    if (d->coefficients == CLSP_TYPE_DEFAULT) d->coefficients = d->precision;
    if (d->fetch == CLSP_IMAGE_FETCH_DEFAULT) d->fetch = CLSP_IMAGE_BUFFERS;
    if (d->rounding == CLSP_IMAGE_ROUNDING_DEFAULT) d->rounding = CLSP_IMAGE_ROUND_EVEN;
}

/* Returns how far a FIR prefilter may be off so that the samples' type hardly shows it: of integers
   a unit in half their range, which is half a unit in the whole, of others eps. */
static double fir_error(clsp_type samples)
{
    switch (samples) {
    case CLSP_U8:
        return 1.0 / 255.0;
    case CLSP_U16:
    case CLSP_S16:
        return 1.0 / 65535.0;
    case CLSP_F16:
        return 0x1p-10;
    case CLSP_F32:
        return 0x1p-23;
    default:
        return 0x1p-52;
    }
}

/* Chooses the taps of a FIR prefilter: of integers by values, of others by the spectrum. */
static clsp_status default_taps(clsp_context *ctx, clsp_image_desc *d)
{
    const uint32_t order = clspi_image_order(d);
    const double error = fir_error(d->samples);
    const bool is_integer =
        d->samples != CLSP_F16 && d->samples != CLSP_F32 && d->samples != CLSP_F64;
    const bool best = d->prefilter == CLSP_IMAGE_LEAST_SQUARES;
    const uint32_t half = is_integer
                              ? clspi_fir_half_length_of_values(order, d->directions, best, error)
                              : clspi_fir_half_length(order, error);

    d->taps = 2 * half + 1;
    return half > 0 ? CLSP_OK
                    : clspi_fail(&ctx->log, CLSP_ERROR_NO_MEMORY, "image: no memory for taps");
}

static clsp_status default_filter(clsp_context *ctx, clsp_image_desc *d)
{
    if (d->order == CLSP_IMAGE_ORDER_DEFAULT) d->order = CLSP_IMAGE_CUBIC;
    if (d->prefilter == CLSP_IMAGE_PREFILTER_DEFAULT) d->prefilter = CLSP_IMAGE_RECURSIVE;
    if (d->order == CLSP_IMAGE_LINEAR || d->order == CLSP_IMAGE_NEAREST_SAMPLE) {
        d->prefilter = CLSP_IMAGE_NONE;
        d->taps = 0;
        d->kernels = CLSP_IMAGE_KERNELS_DEFAULT;
    }
    return is_fir(d) && d->taps == 0 ? default_taps(ctx, d) : CLSP_OK;
}

static void default_shape(clsp_image_desc *d)
{
    if (d->directions == 0) d->directions = 2;
    if (d->channels == 0) d->channels = 1;
    for (uint32_t k = 0; k < 3; k++) {
        if (d->mode[k] == CLSP_IMAGE_MODE_DEFAULT) d->mode[k] = CLSP_IMAGE_CONSTANT;
        if (k >= d->directions) d->size[k] = 1;
        if (k >= d->directions) d->mode[k] = CLSP_IMAGE_CONSTANT;
        if (k >= d->directions) d->part.begin[k] = d->part.whole[k] = 0;
        if (d->part.whole[k] == 0) d->part.whole[k] = d->size[k];
    }
}

clsp_status clspi_image_resolve(clsp_context *ctx, clsp_image_desc *d)
{
    default_types(d);
    if (d->directions == 0) d->directions = 2;
    CLSPI_CHECK(check_shape(ctx, d));
    CLSPI_CHECK(check_part(ctx, d));
    CLSPI_CHECK(check_types(ctx, d));
    if (d->prefilter == CLSP_IMAGE_PREFILTER_DEFAULT) d->prefilter = CLSP_IMAGE_RECURSIVE;
    CLSPI_CHECK(check_filter(ctx, d));
    default_shape(d);
    CLSPI_CHECK(default_filter(ctx, d));
    return clspi_image_check_fetch(ctx, d);
}

/* ---- layout ---- */

/* Returns the coefficients that stand before the samples of a direction. */
static uint32_t pad_of(const clsp_image_desc *d, clsp_image_mode mode)
{
    const bool is_padded = mode == CLSP_IMAGE_NEAREST || mode == CLSP_IMAGE_GRID_CONSTANT;

    return is_padded && d->prefilter != CLSP_IMAGE_NONE ? CLSP_IMAGE_PAD : 0;
}

/* Lays out one direction. */
static void lay_out_direction(clspi_image_layout *layout, uint32_t k, const clsp_image_desc *d)
{
    const uint32_t missing = 3 - d->directions, from = k - missing;
    const bool is_there = k >= missing;

    layout->size[k] = is_there ? d->size[from] : 1;
    layout->begin[k] = is_there ? d->part.begin[from] : 0;
    layout->mode[k] = (uint32_t)(is_there ? d->mode[from] : CLSP_IMAGE_MIRROR);
    layout->pad[k] = is_there ? pad_of(d, d->mode[from]) : 0;
    layout->whole[k] = (is_there ? d->part.whole[from] : 1) + 2 * layout->pad[k];
    layout->low[k] = clspi_given_begin(layout, k);
    layout->stored[k] = clspi_given_end(layout, k) - layout->low[k];
}

/* Gives a part all coefficients of a whole that is small: so it is made as such a whole is, which
   may be the host's work. */
static void grow_small(clspi_image_layout *layout, const clsp_image_desc *d)
{
    layout->is_small =
        d->directions == 2 && clspi_whole_is_small(layout, d->directions, d->channels);
    if (!layout->is_small) return;
    for (uint32_t k = 0; k < 3; k++) {
        layout->stored[k] = layout->whole[k];
        layout->low[k] = 0;
    }
}

clsp_status clspi_image_lay_out(clspi_image_layout *layout, clsp_context *ctx,
                                const clsp_image_desc *d)
{
    *layout = (clspi_image_layout){.channels = d->channels, .planar = d->planar != 0};
    layout->samples = layout->plane = 1;
    double whole = 1.0;
    for (uint32_t k = 0; k < 3; k++) {
        lay_out_direction(layout, k, d);
        whole *= layout->whole[k];
    }
    bool fits = whole <= 0x1p60;
    grow_small(layout, d);
    for (uint32_t k = 0; k < 3; k++)
        fits = fits && clspi_size_mul(&layout->samples, layout->size[k]) &&
               clspi_size_mul(&layout->plane, layout->stored[k]);
    size_t bytes = layout->plane;
    fits = fits && clspi_size_mul(&bytes, d->channels * sizeof(double)) && bytes <= PTRDIFF_MAX;
    const size_t least =
        clspi_min(layout->stored[2], clspi_min((size_t)layout->stored[1], layout->stored[0]));
    if (fits && layout->plane / clspi_max(least, 1) <= UINT32_MAX) return CLSP_OK;
    return clspi_fail(&ctx->log, CLSP_ERROR_NO_MEMORY,
                      "image: %u x %u x %u samples are more than can be counted", layout->size[0],
                      layout->size[1], layout->size[2]);
}
