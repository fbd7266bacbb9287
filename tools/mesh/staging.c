#include "staging.h"

#include <float.h>
#include <stdlib.h>

#include "command.h"

bool staging_check(const clsp_context *ctx, clsp_status status)
{
    if (status != CLSP_OK) complain_status(ctx, status);
    return status == CLSP_OK;
}

clsp_type staging_type(mesh_precision precision)
{
    return precision == MESH_F32 ? CLSP_F32 : CLSP_F64;
}

void staging_note_floats(const request *r, const char *name, double diagonal, double largest)
{
    const bool is_coarse = diagonal > 0 && staging_is_coarse(diagonal / largest / 32);
    if (r->quiet || r->precision == MESH_F64 || !is_coarse) return;
    complain(
        "warning: %s: floats round coordinates up to %.3g by %.2g, and the model's diagonal is "
        "%.3g; use --precision f64",
        name, largest, largest * (double)FLT_EPSILON / 2, diagonal);
}

bool staging_open_reals(staged_reals *r, mesh_precision precision, const double *reals,
                        size_t count)
{
    *r = (staged_reals){.input = clsp_in_f64(reals, count)};
    if (precision == MESH_F64) return true;
    r->floats = malloc((count + 1) * sizeof(float));
    if (!r->floats) return false;
    for (size_t i = 0; i < count; i++)
        r->floats[i] = (float)reals[i];
    r->input = clsp_in_f32(r->floats, count);
    return true;
}

void staging_close_reals(staged_reals *r)
{
    free(r->floats);
    r->floats = NULL;
}

bool staging_open_vertices(staged_vertices *v, clsp_context *ctx, const mesh_source *source,
                           bool is_shared, size_t reals)
{
    const clsp_type type = staging_type(source->precision);
    const size_t bytes = reals * clsp_type_bytes(type);
    *v = (staged_vertices){
        .ctx = ctx, .is_shared = is_shared, .output = {.type = type, .size = reals}};
    if (is_shared) return staging_check(ctx, clsp_shared_alloc(ctx, bytes, &v->output.host));
    v->output.host = malloc(bytes);
    return v->output.host ? true : mesh_source_memory(source);
}

void staging_close_vertices(staged_vertices *v)
{
    if (!v->output.host) return;
    if (v->is_shared)
        clsp_shared_free(v->ctx, v->output.host);
    else
        free(v->output.host);
    v->output.host = NULL;
}
