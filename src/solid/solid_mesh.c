/* The public calls of meshes. */
#include "solid_mesh.h"

#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "context_internal.h"
#include "host_pieces.h"

/* ---- making meshes ---- */

static clsp_status check_cells(clsp_context *ctx, const clsp_solid_cells *cells)
{
    CLSPI_CHECK(clspi_reserved_check(&ctx->log, "clsp_solid_cells", cells->reserved));
    if ((cells->num_indices && !cells->index) || (cells->num_creases && !cells->crease) ||
        (cells->num_corners && !cells->corner))
        return clspi_context_null(ctx, "clsp_solid_mesh_create");
    if (cells->orient > 1)
        return clspi_fail(&ctx->log, CLSP_ERROR_ARGUMENT, "solid: orient %u: 0 or 1",
                          cells->orient);
    return CLSP_OK;
}

/* Lists the creases of a mesh. */
static bool list_creases(clsp_solid_mesh *mesh)
{
    const clspi_incidence all = clspi_solid_incidence(mesh);
    size_t num = 0;

    for (size_t e = 0; e < all.num_edges; e++)
        num += !!(all.edge_flag[e] & CLSPI_CREASE);
    mesh->crease = malloc((2 * num + 1) * sizeof *mesh->crease);
    mesh->sharpness = malloc((num + 1) * sizeof *mesh->sharpness);
    if (!mesh->crease || !mesh->sharpness) return false;
    for (size_t e = 0; e < all.num_edges; e++) {
        if (!(all.edge_flag[e] & CLSPI_CREASE)) continue;
        mesh->crease[2 * mesh->num_creases] = all.edge_vertex[2 * e];
        mesh->crease[2 * mesh->num_creases + 1] = all.edge_vertex[2 * e + 1];
        mesh->sharpness[mesh->num_creases++] = clspi_sharpness(&all, e);
    }
    return true;
}

uint32_t clspi_solid_fading(const clsp_solid_mesh *mesh)
{
    float most = 0.0f;

    for (size_t i = 0; i < mesh->num_creases; i++)
        if (isfinite(mesh->sharpness[i])) most = fmaxf(most, mesh->sharpness[i]);
    return (uint32_t)ceilf(most);
}

clsp_status clspi_solid_check_creases(const clsp_solid_mesh *mesh)
{
    const uint32_t steps = clspi_solid_fading(mesh);

    return steps == 0 ? CLSP_OK
                      : clspi_fail(&mesh->ctx->log, CLSP_ERROR_ARGUMENT,
                                   "solid: the mesh has creases that fade; refine it %u more times",
                                   steps);
}

/* Makes the parts of a mesh whose cells are alike. Defective: they are not, or are to be looked at
   by make_of_any. */
static clspi_mesh_status make_of_alike(clsp_solid_mesh *mesh, const clspi_cells *all)
{
    const clspi_parallel threads = clspi_solid_threads(mesh->ctx);
    clspi_turned_cells turned = {0};
    clspi_mesh_status status = CLSPI_MESH_DEFECTIVE;

    if (clspi_are_all(all, CLSPI_HEXAHEDRON)) {
        status = clspi_alike_hexahedra(&mesh->cells, &turned, all, &threads);
        mesh->is_hexahedral = status == CLSPI_MESH_SOUND;
    } else if (clspi_are_all(all, CLSPI_TETRAHEDRON)) {
        status = clspi_alike_tetrahedra(&mesh->tetra, &turned, all, &threads);
        mesh->is_tetrahedral = status == CLSPI_MESH_SOUND;
    }
    mesh->num_inside_out = turned.num;
    if (!all->orient) mesh->num_inside_out_children = turned.num_children;
    return status;
}

/* Makes the parts of a mesh of any cells. */
static clspi_mesh_status make_of_any(clsp_solid_mesh *mesh, const clspi_cells *all,
                                     clspi_mesh_defect *defect)
{
    const clspi_parallel threads = clspi_solid_threads(mesh->ctx);
    const clspi_mesh_status status = clspi_poly_mesh_make(&mesh->poly, all, &threads, defect);

    if (status != CLSPI_MESH_SOUND) return status;
    mesh->is_hexahedral = mesh->poly.is_hexahedral;
    mesh->num_inside_out = mesh->poly.num_inside_out;
    if (!all->orient) mesh->num_inside_out_children = mesh->poly.num_inside_out_children;
    if (!mesh->is_hexahedral) return CLSPI_MESH_SOUND;
    const bool made = clspi_poly_hexahedra(&mesh->cells, &mesh->poly, &threads);
    clspi_poly_mesh_release(&mesh->poly);
    return made ? CLSPI_MESH_SOUND : CLSPI_MESH_NO_MEMORY;
}

/* Makes the parts of a mesh. */
static clsp_status fill_mesh(clsp_solid_mesh *mesh, const clsp_solid_cells *cells)
{
    const clspi_cells all = {.num_vertices = cells->num_vertices,
                             .num_cells = cells->num_cells,
                             .num_indices = cells->num_indices,
                             .kind = cells->kinds,
                             .index = cells->index,
                             .crease = cells->crease,
                             .num_creases = cells->num_creases,
                             .sharpness = cells->sharpness,
                             .corner = cells->corner,
                             .num_corners = cells->num_corners,
                             .points = cells->points,
                             .orient = cells->orient};
    clspi_mesh_defect defect = {0};
    clspi_mesh_status status = make_of_alike(mesh, &all);

    if (status == CLSPI_MESH_DEFECTIVE) status = make_of_any(mesh, &all, &defect);
    if (status == CLSPI_MESH_NO_MEMORY) return clspi_solid_no_memory(mesh->ctx);
    if (status == CLSPI_MESH_DEFECTIVE)
        return clspi_fail(&mesh->ctx->log, CLSP_ERROR_ARGUMENT, "solid: %s", defect.text);
    return CLSP_OK;
}

/* Makes an empty mesh; NULL without memory. */
static clsp_solid_mesh *new_mesh(clsp_context *ctx)
{
    clsp_solid_mesh *made = calloc(1, sizeof *made);

    if (!made) return NULL;
    made->ctx = ctx;
    made->refinement = clspi_refinement_create(ctx);
    if (!made->refinement) clsp_solid_mesh_destroy(&made);
    return made;
}

clsp_status clsp_solid_mesh_create(clsp_solid_mesh **mesh, clsp_context *ctx,
                                   const clsp_solid_cells *cells)
{
    clsp_status status;

    if (mesh) *mesh = NULL;
    if (!mesh || !ctx || !cells) return clspi_context_null(ctx, "clsp_solid_mesh_create");
    CLSPI_CHECK(clspi_context_check(ctx));
    CLSPI_CHECK(check_cells(ctx, cells));
    clsp_solid_mesh *made = new_mesh(ctx);
    if (!made) return clspi_solid_no_memory(ctx);
    status = fill_mesh(made, cells);
    if (status == CLSP_OK && !list_creases(made)) status = clspi_solid_no_memory(ctx);
    if (status != CLSP_OK) clsp_solid_mesh_destroy(&made);
    *mesh = made;
    return status;
}

void clsp_solid_mesh_destroy(clsp_solid_mesh **mesh)
{
    clsp_solid_mesh *const old = mesh ? *mesh : NULL;

    if (!old) return;
    *mesh = NULL;
    if (clspi_context_is_inherited(old->ctx)) return;
    clspi_refinement_destroy(old->refinement);
    clspi_poly_mesh_release(&old->poly);
    clspi_tetra_mesh_release(&old->tetra);
    clspi_cell_mesh_release(&old->cells);
    free(old->crease);
    free(old->sharpness);
    free(old);
}

static void run_pieces(void *host, size_t num, clspi_piece_fn fn, void *user)
{
    clspi_host_pieces(host, num, fn, user);
}

clspi_parallel clspi_solid_threads(clsp_context *ctx)
{
    return (clspi_parallel){run_pieces, ctx};
}

clsp_status clsp_solid_mesh_refine(clsp_solid_mesh **fine, const clsp_solid_mesh *mesh)
{
    if (fine) *fine = NULL;
    if (!fine || !mesh)
        return clspi_context_null(mesh ? mesh->ctx : NULL, "clsp_solid_mesh_refine");
    CLSPI_CHECK(clspi_context_check(mesh->ctx));
    const clspi_parallel threads = clspi_solid_threads(mesh->ctx);
    clsp_solid_mesh *made = new_mesh(mesh->ctx);
    if (!made) return clspi_solid_no_memory(mesh->ctx);
    made->is_hexahedral = true;
    made->num_inside_out = mesh->num_inside_out_children;
    made->num_inside_out_children = CLSPI_CORNERS * made->num_inside_out;
    const bool refined =
        mesh->is_hexahedral    ? clspi_cell_mesh_refine(&made->cells, &mesh->cells, &threads)
        : mesh->is_tetrahedral ? clspi_tetra_hexahedra(&made->cells, &mesh->tetra, &threads)
                               : clspi_poly_hexahedra(&made->cells, &mesh->poly, &threads);
    if (!refined || !list_creases(made)) {
        clsp_solid_mesh_destroy(&made);
        return clspi_solid_no_memory(mesh->ctx);
    }
    *fine = made;
    return CLSP_OK;
}

/* ---- what a mesh has ---- */

clsp_status clsp_solid_mesh_counts(const clsp_solid_mesh *mesh, clsp_solid_counts *counts)
{
    if (!mesh || !counts)
        return clspi_context_null(mesh ? mesh->ctx : NULL, "clsp_solid_mesh_counts");
    CLSPI_CHECK(clspi_context_check(mesh->ctx));
    const clspi_incidence all = clspi_solid_incidence(mesh);
    *counts = (clsp_solid_counts){.num_vertices = all.num_vertices,
                                  .num_edges = all.num_edges,
                                  .num_faces = all.num_faces,
                                  .num_cells = all.num_cells,
                                  .num_indices = mesh->is_hexahedral ? 8 * all.num_cells : 0,
                                  .is_hexahedral = mesh->is_hexahedral,
                                  .num_inside_out = mesh->num_inside_out,
                                  .num_creases = mesh->num_creases,
                                  .crease = mesh->crease,
                                  .sharpness = mesh->sharpness,
                                  .fading_steps = clspi_solid_fading(mesh)};
    return CLSP_OK;
}

clsp_status clsp_solid_mesh_cells(const clsp_solid_mesh *mesh, clsp_output index)
{
    static const uint8_t order[8] = {0, 1, 3, 2, 4, 5, 7, 6};

    if (!mesh) return clspi_context_null(NULL, "clsp_solid_mesh_cells");
    CLSPI_CHECK(clspi_context_check(mesh->ctx));
    if (!mesh->is_hexahedral)
        return clspi_fail(&mesh->ctx->log, CLSP_ERROR_ARGUMENT,
                          "solid: the mesh is not hexahedral; refine it");
    const size_t num = (size_t)mesh->cells.num_cells * CLSPI_CORNERS;
    CLSPI_CHECK(
        clspi_solid_check_output(mesh->ctx, &index, "index", num, CLSP_U32, CLSP_TYPE_DEFAULT));
    uint32_t *const out = (uint32_t *)index.host + index.offset;
    for (size_t i = 0; i < num; i++)
        out[i] = mesh->cells.cell_vertex[i - i % 8 + order[i % 8]];
    return CLSP_OK;
}
