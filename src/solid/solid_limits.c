/* The public call of limits at vertices and middles. */
#include <stdlib.h>

#include "check.h"
#include "limit_points.h"
#include "solid_mesh.h"

static clsp_status no_memory(const clsp_solid_mesh *mesh)
{
    return clspi_fail(&mesh->ctx->log, CLSP_ERROR_NO_MEMORY, "solid: no memory for limits");
}

/* Returns how many limits a call gives. */
static size_t count_limits(const clspi_incidence *all, clsp_solid_places places)
{
    return places == CLSP_SOLID_VERTICES
               ? all->num_vertices
               : all->num_vertices + all->num_edges + all->num_faces + all->num_cells;
}

/* Makes the limits of all vertices of the refined mesh, whose first vertices are those of this
   mesh. */
static clsp_status limits_of_next(const clsp_solid_mesh *mesh, uint32_t dim,
                                  const clsp_input *points, double **limits)
{
    clsp_solid_mesh *fine = NULL;
    double *refined = NULL;
    clsp_status status;

    CLSPI_TRY(clsp_solid_mesh_refine(&fine, mesh));
    const size_t num = (size_t)fine->cells.num_vertices * dim;
    refined = malloc(num * sizeof *refined);
    *limits = malloc(num * sizeof **limits);
    status = refined && *limits ? CLSP_OK : no_memory(mesh);
    if (status == CLSP_OK)
        status = clsp_solid_refine_points(mesh, CLSP_SOLID_TENSOR, dim, *points,
                                          clsp_out_f64(refined, num), NULL);
    if (status == CLSP_OK && !clspi_limit_points(*limits, refined, dim, &fine->cells))
        status = no_memory(mesh);
fail:
    clsp_solid_mesh_destroy(&fine);
    free(refined);
    return status;
}

static clsp_status limits_of_vertices(const clsp_solid_mesh *mesh, uint32_t dim,
                                      const clsp_input *points, double **limits)
{
    const size_t num = (size_t)mesh->cells.num_vertices * dim;
    double *const exact = malloc(num * sizeof *exact);

    *limits = malloc(num * sizeof **limits);
    for (size_t i = 0; i < num && exact; i++)
        exact[i] = points->type == CLSP_F64
                       ? ((const double *)points->host)[points->offset + i]
                       : (double)((const float *)points->host)[points->offset + i];
    const bool done = exact && *limits && clspi_limit_points(*limits, exact, dim, &mesh->cells);
    free(exact);
    return done ? CLSP_OK : no_memory(mesh);
}

clsp_status clsp_solid_limit_points(const clsp_solid_mesh *mesh, clsp_solid_places places,
                                    uint32_t dim, clsp_input points, clsp_output limits,
                                    const clsp_run *run)
{
    double *made = NULL;
    clsp_status status;

    if (!mesh) return clspi_context_null(NULL, "clsp_solid_limit_points");
    CLSPI_CHECK(clspi_context_check(mesh->ctx));
    if (places == CLSP_SOLID_PLACES_DEFAULT) places = CLSP_SOLID_VERTICES;
    if (dim < 1 || dim > CLSP_SOLID_MAX_DIM ||
        (places != CLSP_SOLID_VERTICES && places != CLSP_SOLID_MIDDLES))
        return clspi_fail(&mesh->ctx->log, CLSP_ERROR_ARGUMENT,
                          "solid: %u dim, places %d: 1 to %d, and clsp_solid_places", dim,
                          (int)places, CLSP_SOLID_MAX_DIM);
    const clspi_incidence all = clspi_solid_incidence(mesh);
    if (count_limits(&all, places) > SIZE_MAX / sizeof(double) / dim) return no_memory(mesh);
    const size_t num = count_limits(&all, places) * dim;
    CLSPI_CHECK(clspi_solid_check_creases(mesh));
    CLSPI_CHECK(clspi_refinement_check(mesh->refinement, run, "making limits"));
    if (clspi_run_asks(run)) return clspi_run_report(run, num);
    CLSPI_CHECK(clspi_solid_check_points(mesh->ctx, &points, all.num_vertices * dim));
    CLSPI_CHECK(clspi_solid_check_output(mesh->ctx, &limits, "limits", num, CLSP_F32, CLSP_F64));
    CLSPI_CHECK(clspi_refinement_wait(mesh->refinement, run));
    if (places == CLSP_SOLID_VERTICES && mesh->is_hexahedral)
        status = limits_of_vertices(mesh, dim, &points, &made);
    else
        status = limits_of_next(mesh, dim, &points, &made);
    for (size_t i = 0; i < num && status == CLSP_OK; i++) {
        if (limits.type == CLSP_F64)
            ((double *)limits.host)[limits.offset + i] = made[i];
        else
            ((float *)limits.host)[limits.offset + i] = (float)made[i];
    }
    free(made);
    return status == CLSP_OK ? clspi_refinement_done(mesh->refinement, run) : status;
}
