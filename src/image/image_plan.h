/* A plan of images. Within the library directions are z, y, x, x the fastest, whatever their
   number: of those that there are not the size is 1. */
#ifndef CLSPI_IMAGE_PLAN_H
#define CLSPI_IMAGE_PLAN_H

#include <clspline/image.h>

#include "image_filter.h"
#include "image_kernels.h"
#include "image_range.h"
#include "image_store.h"
#include "image_strips.h"
#include "image_textures.h"
#include "image_window.h"
#include "peers.h"

struct clsp_image_plan {
    clspi_plan base; /* first: the plan layer knows the plan by it */
    clsp_image_desc desc;
    clspi_image_layout layout;
    clspi_image_filter filter;             /* without steps where the host filters */
    clspi_image_kernels kernels, windowed; /* of all coefficients, and of windows of them */
    clspi_image_range range;               /* of plans that clip */
    bool has_samples;                      /* loaded, be it none */
    size_t num_images;
    cl_mem coefficients; /* [num_images][channels][plane] */
    size_t coefficient_bytes;
    clspi_image_store store;
    clspi_image_window window;
    clspi_image_strips strips;
    clspi_image_textures textures;
    clspi_peers peers;
};

/* Checks a description and puts defaults in place. */
clsp_status clspi_image_resolve(clsp_context *ctx, clsp_image_desc *desc);

/* Works out the layout of a description that has been resolved. Errors: CLSP_ERROR_NO_MEMORY (sizes
   overflow). */
clsp_status clspi_image_lay_out(clspi_image_layout *layout, clsp_context *ctx,
                                const clsp_image_desc *desc);

/* Returns the build options of what reads samples, scalar. */
clspi_options clspi_sample_options(const clsp_context *ctx, const clsp_image_desc *desc);

/* Returns the number by which pixel.clh knows a type: 0 for the precision. */
static inline uint64_t clspi_pixel_type(clsp_type type, clsp_type precision)
{
    return type == precision ? 0 : (uint64_t)type;
}

/* Returns the order of interpolation as a number. */
static inline uint32_t clspi_image_order(const clsp_image_desc *desc)
{
    return desc->order == CLSP_IMAGE_NEAREST_SAMPLE ? 0 : (uint32_t)desc->order;
}

/* Returns the bytes of a real. */
static inline size_t clspi_image_real(const clsp_image_plan *plan)
{
    return clsp_type_bytes(plan->desc.precision);
}

/* Returns the host's functions of a plan's precision. */
static inline const clspi_line_functions *clspi_image_line_functions(const clsp_image_plan *plan)
{
    return plan->desc.precision == CLSP_F64 ? &clspi_line_functions_f64 : &clspi_line_functions_f32;
}

/* Returns the planes of all images loaded. */
static inline size_t clspi_image_num_planes(const clsp_image_plan *plan)
{
    return plan->num_images * plan->layout.channels;
}

/* Tells whether sums may take small floats for 0; samples come back as they are by orders 0 and 1.
 */
static inline bool clspi_image_flushes(const clsp_image_desc *desc)
{
    return desc->precision == CLSP_F32 && clspi_image_order(desc) > 1;
}

/* Tells whether the host filters whatever a plan loads: its device is the host's own CPU, and no
   kernels are asked for. */
static inline bool clspi_image_is_filtered_by_host(const clsp_image_plan *plan)
{
    return clspi_is_own_cpu(plan->base.ctx) && plan->desc.kernels == CLSP_IMAGE_KERNELS_DEFAULT;
}

#endif
