/* What the calls of meshes share. */
#include "check.h"
#include "solid_mesh.h"

clsp_status clspi_solid_no_memory(clsp_context *ctx)
{
    return clspi_fail(&ctx->log, CLSP_ERROR_NO_MEMORY,
                      "solid: no memory, or more than %d of anything", CLSPI_MAX_CELLS);
}

clspi_incidence clspi_solid_incidence(const clsp_solid_mesh *mesh)
{
    return mesh->is_hexahedral    ? clspi_incidence_of(&mesh->cells)
           : mesh->is_tetrahedral ? clspi_tetra_incidence(&mesh->tetra)
                                  : clspi_poly_incidence(&mesh->poly);
}

/* Checks that memory of a name has room for what is asked of it. */
static clsp_status check_room(clsp_context *ctx, const char *name, size_t offset, size_t size,
                              size_t count)
{
    if (offset <= size && size - offset >= count) return CLSP_OK;
    return clspi_fail(&ctx->log, CLSP_ERROR_BUFFER_SIZE,
                      "solid: %s: %zu elements from %zu on are asked for, and there are %zu", name,
                      count, offset, size);
}

clsp_status clspi_solid_check_output(clsp_context *ctx, const clsp_output *out, const char *name,
                                     size_t count, clsp_type type, clsp_type other)
{
    CLSPI_CHECK(clspi_reserved_check_some(&ctx->log, "clsp_output", out->reserved,
                                          CLSPI_COUNT(out->reserved)));
    if (!out->host || out->buffer || out->svm || out->graphics ||
        (out->type != type && out->type != other))
        return clspi_fail(&ctx->log, CLSP_ERROR_ARGUMENT, "solid: %s: host memory of %s only", name,
                          type == CLSP_U32 ? "32-bit numbers" : "floats or doubles");
    return check_room(ctx, name, out->offset, out->size, count);
}

clsp_status clspi_solid_check_points(clsp_context *ctx, const clsp_input *in, size_t count)
{
    CLSPI_CHECK(clspi_reserved_check(&ctx->log, "clsp_input", in->reserved));
    if (!in->host || in->buffer || in->svm || (in->type != CLSP_F32 && in->type != CLSP_F64))
        return clspi_fail(&ctx->log, CLSP_ERROR_ARGUMENT,
                          "solid: points: host memory of floats or doubles only");
    return check_room(ctx, "points", in->offset, in->size, count);
}
