#include "image_alpha.h"

#include <math.h>
#include <stdlib.h>

#include "image_labels.h"

/* ---- what is to be done ---- */

/* Returns the alpha of what is opaque. */
static double full_alpha(image_type type)
{
    return type == IMAGE_U8    ? UINT8_MAX
           : type == IMAGE_U16 ? UINT16_MAX
           : type == IMAGE_S16 ? INT16_MAX
           : type == IMAGE_U32 ? (double)UINT32_MAX
           : type == IMAGE_S32 ? (double)INT32_MAX
           : type == IMAGE_U64 ? (double)UINT64_MAX
           : type == IMAGE_S64 ? (double)INT64_MAX
                               : 1;
}

/* Tells whether every sample is opaque. Values between opaque ones are, so that weights change
   nothing, unless transparent ones come in from outside. */
static bool is_opaque(const image_request *r, const image_array *a)
{
    const size_t num = image_array_count(a);
    const double full = full_alpha(a->type);
    for (size_t i = 0; i < r->mode.num; i++)
        if (r->mode.values[i] == IMAGE_MODE_GRID_CONSTANT) return false;
    for (size_t i = a->channels - 1; i < num; i += a->channels)
        if (image_array_get(a, i) != full) return false;
    return r->repeat == 1;
}

image_alpha image_alpha_choose(const image_request *r, const image_array *a)
{
    const bool comes_weighted = a->alpha == IMAGE_ALPHA_ASSOCIATED, is_png = r->format == IMAGE_PNG;
    const bool may_be = r->format != IMAGE_NPY;
    const bool is_alpha = a->alpha == IMAGE_ALPHA_STRAIGHT || is_png || r->has_alpha ||
                          (may_be && a->alpha == IMAGE_ALPHA_UNKNOWN);
    image_alpha alpha = {.full = full_alpha(a->type), .clips = r->clip};
    if (a->channels % 2 != 0) return alpha;
    alpha.divides = comes_weighted && is_png;
    alpha.weights =
        is_alpha && !comes_weighted && r->alpha == IMAGE_WEIGHTED && !image_labels_are(r, a);
    if (alpha.weights && !isnan(r->cval)) alpha.cval = r->cval;
    return alpha;
}

void image_alpha_look(image_alpha *alpha, const image_request *r, const image_array *a)
{
    if (alpha->weights && is_opaque(r, a)) alpha->weights = false;
}

/* ---- before ---- */

/* Finds the range of each channel where something can be seen, cval included. */
static void find_ranges(image_alpha *alpha, const image_array *a)
{
    const uint32_t channels = a->channels;
    const size_t num = image_array_count(a);
    for (uint32_t k = 0; k < channels; k++)
        alpha->low[k] = alpha->high[k] = alpha->cval;
    for (size_t i = 0; i < num; i += channels) {
        const bool is_seen = image_array_get(a, i + channels - 1) > 0;
        for (uint32_t k = is_seen ? 0 : channels - 1; k < channels; k++) {
            const double value = image_array_get(a, i + k);
            alpha->low[k] = fmin(alpha->low[k], value);
            alpha->high[k] = fmax(alpha->high[k], value);
        }
    }
}

bool image_alpha_begin(image_alpha *alpha, image_array *a, image_type real)
{
    image_array made = *a;
    const size_t num = image_array_count(a);
    const double cval = alpha->cval, full = alpha->full;
    if (!alpha->weights || alpha->is_begun) return true;
    find_ranges(alpha, a);
    made.type = real;
    if (!image_array_make(&made)) return false;
    for (size_t i = 0; i < num; i += a->channels) {
        const size_t last = i + a->channels - 1;
        const double weight = image_array_get(a, last);
        for (size_t k = i; k < last; k++)
            image_array_set(&made, k, (image_array_get(a, k) * weight - cval * cval) / full);
        image_array_set(&made, last, weight - cval);
    }
    free(a->values);
    *a = made;
    alpha->is_begun = true;
    return true;
}

/* ---- afterwards ---- */

/* Returns the smallest alpha of which colours are more than rounding. */
static double faintest(const image_alpha *alpha, image_type type)
{
    return type >= IMAGE_F32 ? alpha->full / 65536 : 0.5;
}

bool image_alpha_end(const image_alpha *alpha, image_array *a, image_type type)
{
    image_array made = *a;
    const size_t num = image_array_count(a);
    const double cval = alpha->is_begun ? alpha->cval : 0, full = alpha->full;
    if (!alpha->is_begun && !alpha->divides) return image_array_convert(a, type);
    made.type = type;
    if (!image_array_make(&made)) return false;
    for (size_t i = 0; i < num; i += a->channels) {
        const uint32_t last = a->channels - 1;
        double weight = image_array_get(a, i + last) + cval;
        const bool is_faint = weight < faintest(alpha, type);
        for (uint32_t k = 0; k < last; k++) {
            double value = image_array_get(a, i + k) * full + cval * cval;
            value = is_faint ? 0 : value / weight;
            if (alpha->clips && alpha->is_begun)
                value = fmin(fmax(value, alpha->low[k]), alpha->high[k]);
            image_array_set(&made, i + k, value);
        }
        if (alpha->is_begun && !isnan(weight))
            weight = fmin(fmax(weight, alpha->low[last]), alpha->high[last]);
        image_array_set(&made, i + last, weight);
    }
    free(a->values);
    *a = made;
    return true;
}
