#include "bernstein_basis.h"
#include "bezier_edges.h"
#include "bezier_plan.h"
#include "check.h"
#include "index_buffers.h"
#include "patch_build.h"
#include "vertex_rows.h"

enum { MAX_ORDER = 32 };

/* Makes a tensor description that stands for those that users give: kernels differ by what a vertex
   holds, and where they sum by the order. desc has dim 3; other dimensions differ by an index only.
 */
static clsp_status sketch(const clspi_build *build, const clsp_bezier_desc *given,
                          clspi_tensor_desc *tensor)
{
    clsp_bezier_desc desc = *given;

    CLSPI_CHECK(clspi_bezier_resolve(build->ctx, &desc, tensor));
    tensor->basis = clspi_bernstein_basis(tensor);
    return CLSP_OK;
}

/* ---- grids ---- */

enum {
    P = CLSP_VERTEX_POINT,
    N = CLSP_VERTEX_NORMAL,
    K = CLSP_VERTEX_CURVATURE,
    DUV = CLSP_VERTEX_DUV
};

static const struct {
    uint32_t attributes, rational;
    clsp_type type;
} vertices[] = {
    {P | N, 0, CLSP_TYPE_DEFAULT},
    {P | N, 1, CLSP_TYPE_DEFAULT},
    {P | N | CLSP_VERTEX_PARAMS, 0, CLSP_TYPE_DEFAULT},
    {P | CLSP_VERTEX_DU | CLSP_VERTEX_DV, 0, CLSP_TYPE_DEFAULT},
    {P | CLSP_VERTEX_WEIGHT, 0, CLSP_TYPE_DEFAULT},
    {P, 1, CLSP_TYPE_DEFAULT},
    {P, 0, CLSP_F16},
    {P | CLSP_VERTEX_DUU | DUV | CLSP_VERTEX_DVV, 1, CLSP_TYPE_DEFAULT},
    {K, 1, CLSP_TYPE_DEFAULT},
};

/* Makes a surface of an order in both directions, with vertices of a kind. */
static clsp_status sketch_surface(const clspi_build *build, clsp_type precision, size_t kind,
                                  uint32_t order, bool watertight, clspi_tensor_desc *tensor)
{
    enum { SAMPLES = 1000 };
    const clsp_bezier_desc desc = {
        .precision = precision,
        .degree = {order - 1, order - 1},
        .axis = {{.num = SAMPLES}, {.num = SAMPLES}},
        .rational = vertices[kind].rational,
        .vertex = {.attributes = vertices[kind].attributes, .type = vertices[kind].type},
        .watertight = watertight};

    return sketch(build, &desc, tensor);
}

/* Builds what goes over edges: for watertight ones, and for normals alone. */
static clsp_status build_edges(const clspi_build *build, clsp_type precision, size_t kind)
{
    clspi_tensor_desc tensor;

    for (int watertight = 1; watertight >= 0; watertight--) {
        CLSPI_CHECK(sketch_surface(build, precision, kind, 4, watertight != 0, &tensor));
        if (clspi_bezier_edges_needed(&tensor))
            CLSPI_CHECK(clspi_bezier_edges_build(build, &tensor,
                                                 clspi_vertex_rows_fit(build->ctx, &tensor)));
    }
    return CLSP_OK;
}

/* Builds what makes vertices: by assembly at any order, in one pass at low ones. */
static clsp_status build_vertices(const clspi_build *build, clsp_type precision, size_t kind)
{
    static const uint32_t orders[] = {2, 3, 4, 8, 9, 12, 13, 16, 20};
    clspi_tensor_desc tensor;
    bool fits = true;

    for (size_t i = 0; i < CLSPI_COUNT(orders) && fits; i++) {
        CLSPI_CHECK(sketch_surface(build, precision, kind, orders[i], true, &tensor));
        CLSPI_CHECK(clspi_patch_build_rows(build, &tensor, &fits));
    }
    CLSPI_CHECK(sketch_surface(build, precision, kind, 4, true, &tensor));
    CLSPI_CHECK(clspi_patch_build_assembly(build, &tensor));
    return build_edges(build, precision, kind);
}

/* ---- points ---- */

static const struct {
    clsp_bezier_form form;
    uint32_t rational, attributes;
} points[] = {{CLSP_BEZIER_SURFACE, 0, P},
              {CLSP_BEZIER_SURFACE, 0, P | N},
              {CLSP_BEZIER_SURFACE, 1, P | N | DUV},
              {CLSP_BEZIER_SURFACE, 1, P | K},
              {CLSP_BEZIER_CURVE, 0, P},
              {CLSP_BEZIER_CURVE, 1, P | K},
              {CLSP_BEZIER_VOLUME, 0, P},
              {CLSP_BEZIER_TRIANGLE, 0, P | N}};

static clsp_status build_points(const clspi_build *build, clsp_type precision)
{
    clspi_tensor_desc tensor;

    for (size_t i = 0; i < CLSPI_COUNT(points); i++) {
        const clsp_bezier_desc desc = {.precision = precision,
                                       .form = points[i].form,
                                       .rational = points[i].rational,
                                       .vertex = {.attributes = points[i].attributes}};
        CLSPI_CHECK(sketch(build, &desc, &tensor));
        CLSPI_CHECK(clspi_patch_build_points(build, &tensor, "bezier_points"));
    }
    return CLSP_OK;
}

/* ---- all ---- */

static clsp_status build_precision(const clspi_build *build, clsp_type precision)
{
    clspi_tensor_desc tensor;

    CLSPI_CHECK(sketch_surface(build, precision, 0, 4, true, &tensor));
    CLSPI_CHECK(clspi_bernstein_build(build, precision));
    CLSPI_CHECK(clspi_patch_build_sums(build, &tensor, MAX_ORDER));
    CLSPI_CHECK(clspi_patch_build_derivatives(build, &tensor));
    for (size_t kind = 0; kind < CLSPI_COUNT(vertices); kind++)
        CLSPI_CHECK(build_vertices(build, precision, kind));
    return build_points(build, precision);
}

clsp_status clspi_bezier_build(const clspi_build *build)
{
    CLSPI_CHECK(build_precision(build, CLSP_F32));
    if (build->ctx->device.fp64) CLSPI_CHECK(build_precision(build, CLSP_F64));
    return clspi_faces_build(build);
}
