/* The public calls that make plans of images. */
#include <stdlib.h>

#include "buffer.h"
#include "check.h"
#include "image_plan.h"

/* ---- peers ---- */

static clsp_image_plan *image_plan_of(clspi_plan *plan)
{
    return (clsp_image_plan *)plan; /* whose first member it is */
}

static clsp_status create_peer(clspi_plan **peer, clsp_context *ctx, const clspi_plan *plan)
{
    clsp_image_plan *made;
    clsp_image_desc desc = ((const clsp_image_plan *)plan)->desc;

    desc.storage = CLSP_IMAGE_ON_HOST;
    desc.fetch = CLSP_IMAGE_BUFFERS;
    const clsp_status status = clsp_image_plan_create(&made, ctx, &desc);
    *peer = status == CLSP_OK ? &made->base : NULL;
    return status;
}

static void destroy_peer(clspi_plan **peer)
{
    clsp_image_plan *plan = image_plan_of(*peer);

    clsp_image_plan_destroy(&plan);
    *peer = NULL;
}

/* Gives a peer what does not come by windows. */
static clsp_status load_peer(clspi_plan *peer, clspi_plan *plan)
{
    const clsp_image_plan *const owner = image_plan_of(plan);

    if (!owner->store.range) return CLSP_OK; /* of a call that only makes coefficients */
    return clspi_image_range_to_device(image_plan_of(peer), owner->store.range,
                                       owner->num_images * owner->layout.channels);
}

static const clspi_peer_kind peers = {create_peer, destroy_peer, load_peer};

/* ---- creation ---- */

/* Makes what a plan needs on its device; kernels of the host's own CPU are made when they are
   needed, save that a prefilter by name has its own at once. */
static clsp_status make(clsp_image_plan *plan)
{
    CLSPI_CHECK(clspi_image_filter_create(plan));
    if (plan->desc.clip && !clspi_image_is_filtered_by_host(plan))
        CLSPI_CHECK(clspi_image_range_create(&plan->range, plan->base.ctx, &plan->desc));
    return clspi_is_own_cpu(plan->base.ctx) ? CLSP_OK : clspi_image_values_prepare(plan);
}

clsp_status clsp_image_plan_create(clsp_image_plan **out, clsp_context *ctx,
                                   const clsp_image_desc *given)
{
    clspi_image_layout layout;

    if (out) *out = NULL;
    if (!out || !ctx || !given) return clspi_context_null(ctx, "clsp_image_plan_create");
    clsp_image_desc desc = *given;
    CLSPI_CHECK(clspi_context_usable(ctx));
    CLSPI_CHECK(clspi_image_resolve(ctx, &desc));
    CLSPI_CHECK(clspi_image_lay_out(&layout, ctx, &desc));
    clsp_image_plan *plan = calloc(1, sizeof *plan);
    if (!plan) return clspi_fail(&ctx->log, CLSP_ERROR_NO_MEMORY, "image: no memory for a plan");
    clsp_status status = clspi_plan_init(&plan->base, ctx, "image");
    if (status != CLSP_OK) {
        free(plan);
        return status;
    }
    plan->desc = desc;
    plan->layout = layout;
    plan->peers.kind = &peers;
    status = make(plan);
    if (status == CLSP_OK)
        *out = plan;
    else
        clsp_image_plan_destroy(&plan);
    return status;
}

void clsp_image_plan_destroy(clsp_image_plan **ptr)
{
    clsp_image_plan *const plan = ptr ? *ptr : NULL;

    if (!plan) return;
    *ptr = NULL;
    if (clspi_context_is_inherited(plan->base.ctx)) return;
    clspi_peers_release(&plan->peers);
    clspi_plan_release(&plan->base);
    clspi_image_filter_release(&plan->filter);
    clspi_image_kernels_release(&plan->kernels);
    clspi_image_kernels_release(&plan->windowed);
    clspi_image_range_release(&plan->range);
    clspi_image_store_forget(plan);
    clspi_image_window_release(&plan->window);
    clspi_image_strips_release(&plan->strips);
    clspi_image_textures_release(&plan->textures);
    clspi_buffer_release(&plan->coefficients);
    free(plan);
}

clsp_status clsp_image_plan_desc(const clsp_image_plan *plan, clsp_image_desc *desc)
{
    if (!plan || !desc)
        return clspi_null_argument(plan ? &plan->base : NULL, "clsp_image_plan_desc");
    CLSPI_CHECK(clspi_context_check(plan->base.ctx));
    *desc = plan->desc;
    return CLSP_OK;
}
