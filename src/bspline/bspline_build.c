#include "bspline_plan.h"
#include "check.h"
#include "curve_device.h"
#include "methods.h"
#include "own_target.h"
#include "piece_order.h"
#include "surface_device.h"
#include "surface_pieces.h"
#include "patch_build.h"
#include "vertex_layout.h"

enum { P = CLSP_VERTEX_POINT, N = CLSP_VERTEX_NORMAL, K = CLSP_VERTEX_CURVATURE };

/* Plans that stand for those that users make: kernels differ by what a vertex holds, and sums by
   the order, up to MAX_ORDER. */
enum { MAX_ORDER = 8 };

static const struct {
    uint32_t directions, rational, attributes;
} kinds[] = {{2, 0, P}, {2, 0, P | N}, {2, 1, P | N}, {2, 1, P | K},
             {1, 0, P}, {1, 1, P | K}, {3, 0, P}};

/* Builds what makes vertices of surfaces in one pass. */
static clsp_status build_rows(const clspi_build *build, clspi_tensor_desc tensor)
{
    static const uint32_t orders[] = {2, 3, 4, 6, 8, 12, 16};
    bool fits = tensor.directions == 2;

    for (size_t i = 0; i < CLSPI_COUNT(orders) && fits; i++) {
        for (int k = 0; k < 2; k++) {
            tensor.degrees[k] = orders[i] - 1;
            tensor.terms[k] = orders[i];
        }
        CLSPI_CHECK(clspi_patch_build_rows(build, &tensor, &fits));
    }
    return CLSP_OK;
}

static clsp_status build_kind(const clspi_build *build, clsp_type precision, size_t kind)
{
    clspi_tensor_desc tensor = {.precision = precision,
                                .directions = kinds[kind].directions,
                                .dim = 3,
                                .rational = kinds[kind].rational,
                                .degrees = {3, 3, 3},
                                .controls = {64, 64, 64},
                                .terms = {4, 4, 4},
                                .num_controls = 64,
                                .vertex.attributes = kinds[kind].attributes};

    CLSPI_CHECK(clspi_layout_resolve(build->ctx, &tensor, "bspline", UINT32_MAX));
    if (kind == 0) {
        CLSPI_CHECK(clspi_patch_build_sums(build, &tensor, MAX_ORDER));
        CLSPI_CHECK(clspi_piece_order_build(build, precision));
        CLSPI_CHECK(clspi_surface_pieces_build(build, &tensor));
        CLSPI_CHECK(clspi_own_target_build(build, &tensor));
    }
    if (kind > 0) CLSPI_CHECK(build_rows(build, tensor));
    CLSPI_CHECK(clspi_patch_build_points(build, &tensor, "bspline_points"));
    if (tensor.directions > 1) return CLSP_OK;
    tensor.own_bases = 1;
    return clspi_patch_build_points(build, &tensor, "bspline_points");
}

/* ---- projection ---- */

static const struct {
    uint32_t degree, dim, rational;
} curves[] = {{3, 2, 0}, {3, 3, 0}, {2, 3, 1}, {3, 2, 1}, {5, 3, 0}};

static clsp_status build_search(const clspi_build *build, clsp_type precision, size_t kind)
{
    const clspi_tensor_desc tensor = {.precision = precision,
                                      .directions = 1,
                                      .dim = curves[kind].dim,
                                      .rational = curves[kind].rational,
                                      .degrees = {curves[kind].degree}};

    CLSPI_CHECK(clspi_curve_device_build(build, &tensor, kind == 1));
    if (curves[kind].rational || !clspi_published_mrep.build) return CLSP_OK;
    return clspi_published_mrep.build(build, &tensor);
}

/* Builds the search on bicubic surfaces, and on surfaces of several shapes, where the device makes
   it. */
static clsp_status build_surface_search(const clspi_build *build, clsp_type precision)
{
    const clspi_tensor_desc tensor = {
        .precision = precision, .directions = 2, .dim = 3, .degrees = {3, 3}};

    CLSPI_CHECK(clspi_surface_device_build(build, &tensor, false));
    return clspi_surface_device_build(build, &tensor, true);
}

clsp_status clspi_bspline_build(const clspi_build *build)
{
    const bool wide = build->ctx->device.fp64;

    if (clspi_surface_device_searches(build->ctx)) {
        CLSPI_CHECK(build_surface_search(build, CLSP_F32));
        CLSPI_CHECK(build_surface_search(build, CLSP_F64));
    }

    for (size_t kind = 0; kind < CLSPI_COUNT(curves); kind++) {
        CLSPI_CHECK(build_search(build, CLSP_F32, kind));
        if (wide) CLSPI_CHECK(build_search(build, CLSP_F64, kind));
    }

    for (size_t kind = 0; kind < CLSPI_COUNT(kinds); kind++) {
        CLSPI_CHECK(build_kind(build, CLSP_F32, kind));
        if (wide) CLSPI_CHECK(build_kind(build, CLSP_F64, kind));
    }
    return CLSP_OK;
}
