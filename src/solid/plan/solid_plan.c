/* The public calls that make plans of solids. */
#include "solid_plan.h"

#include <stdlib.h>

#include "buffer.h"
#include "check.h"
#include "device_lists.h"
#include "host_cells.h"
#include "lattice.h"
#include "points.h"
#include "solid_desc.h"
#include "solid_locate.h"
#include "solid_mesh.h"
#include "solid_upload.h"
#include "tensor_desc.h"

/* ---- points and faces ---- */

/* Finds the classes and points of all cells. */
static clsp_status find_points(clsp_solid_plan *plan, const clsp_solid_mesh *mesh)
{
    const clspi_parallel threads = clspi_solid_threads(mesh->ctx);
    const bool done = clspi_class_set_make(&plan->classes) &&
                      clspi_cell_points_make(&plan->points, &plan->classes, &mesh->cells, &threads);

    if (done) return CLSP_OK;
    if (plan->classes.too_large && plan->classes.cell != CLSPI_NO_CELL)
        return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_ARGUMENT,
                          "solid: more than %d cells, or %d vertices of theirs, touch cell %u",
                          CLSPI_RING_CELLS, CLSPI_RING_POINTS, plan->classes.cell);
    if (plan->classes.too_large)
        return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_ARGUMENT,
                          "solid: more than %d cells, or %d vertices of theirs, touch one after a "
                          "refinement",
                          CLSPI_RING_CELLS, CLSPI_RING_POINTS);
    return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_NO_MEMORY,
                      "solid: no memory for the points of %zu cells", plan->num_cells);
}

/* Finds the boundary faces of all cells, where normals are asked for. */
static clsp_status find_faces(clsp_solid_plan *plan, const clspi_cell_mesh *cells)
{
    if (!plan->shape.has_normal) return CLSP_OK;
    plan->faces = calloc(plan->num_cells + 1, sizeof *plan->faces);
    if (!plan->faces)
        return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_NO_MEMORY,
                          "solid: no memory for the faces of %zu cells", plan->num_cells);
    for (size_t i = 0; i < plan->num_cells * CLSPI_CELL_FACES; i++)
        if (cells->across[i] == CLSPI_NO_CELL)
            plan->faces[i / CLSPI_CELL_FACES] |= (uint8_t)(1 << i % CLSPI_CELL_FACES);
    return CLSP_OK;
}

/* Takes over classes and points of another plan, whose they stay; scratch memory is the plan's
   own. */
static clsp_status borrow_points(clsp_solid_plan *plan, const clsp_solid_plan *owner)
{
    plan->points = owner->points;
    plan->classes = owner->classes;
    for (uint32_t i = 0; i < CLSPI_COUNT(plan->classes.scratch); i++)
        plan->classes.scratch[i] = malloc(CLSPI_RING_POINTS * sizeof *plan->classes.scratch[i]);
    if (plan->classes.scratch[0] && plan->classes.scratch[1]) return CLSP_OK;
    return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_NO_MEMORY, "solid: no memory for classes");
}

/* ---- making plans ---- */

/* Builds what a plan whose points are known, or its lattice, has beyond them. */
static clsp_status build(clsp_solid_plan *plan)
{
    plan->has_grid = clspi_grid_size(&plan->desc) > 0;
    plan->cell_reals = clspi_grid_size(&plan->desc) * plan->desc.dim * plan->shape.num_sums;
    plan->cell_elements = clspi_grid_size(&plan->desc) * plan->shape.stride;
    if (!plan->lattice) CLSPI_CHECK(clspi_cell_layout_make(plan));
    return plan->by_host ? CLSP_OK : clspi_solid_device_ready(plan, NULL);
}

/* Makes the lattice of a plan of a mesh. */
static clsp_status make_lattice(clsp_solid_plan *plan, const clspi_cell_mesh *cells)
{
    plan->points.num_vertices = cells->num_vertices; /* there are no others */
    return clspi_lattice_make(plan, cells);
}

/* Makes the lattice of a plan like another one's. */
static clsp_status make_like(clsp_solid_plan *plan, const clsp_solid_plan *owner)
{
    CLSPI_CHECK(make_lattice(plan, &owner->lattice->mesh));
    if (plan->lattice->makes_grid == owner->lattice->makes_grid) return CLSP_OK;
    return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_ARGUMENT,
                      "solid: no room for lattices of so many samples on this device, or on that "
                      "of the plan");
}

/* Allocates a plan of so many vertices and cells. */
static clsp_status allocate(clsp_solid_plan **plan, clsp_context *ctx, const clsp_solid_desc *desc,
                            size_t num_vertices, size_t num_cells)
{
    clsp_solid_plan *const made = calloc(1, sizeof *made);

    if (!made) return clspi_fail(&ctx->log, CLSP_ERROR_NO_MEMORY, "solid: no memory for a plan");
    clsp_status status = clspi_plan_init(&made->base, ctx, "solid");
    if (status != CLSP_OK) {
        free(made);
        return status;
    }
    made->shape = clspi_solid_shape_of(desc);
    made->is_plain = clspi_solid_is_plain(desc);
    made->has_gaps = clspi_solid_has_gaps(desc);
    made->num_vertices = num_vertices;
    made->num_cells = num_cells;
    made->desc = *desc;
    status = clspi_axes_copy(made->params, ctx, made->desc.axis);
    if (status == CLSP_OK) status = clspi_host_state_init(&made->host, &made->base, free);
    if (status != CLSP_OK) {
        clspi_axes_free(made->params);
        clspi_plan_release(&made->base);
        free(made);
        return status;
    }
    *plan = made;
    return CLSP_OK;
}

/* ---- peers ---- */

/* Makes a plan that computes the same as another one, on another device and of the same cells,
   which stay the other one's. It has no control points. */
static clsp_status plan_like(clsp_solid_plan **plan, clsp_context *ctx,
                             const clsp_solid_plan *owner)
{
    clsp_status status;

    *plan = NULL;
    CLSPI_CHECK(clspi_context_usable(ctx));
    CLSPI_CHECK(clspi_precision_check(ctx, "solid", owner->desc.precision));
    CLSPI_CHECK(allocate(plan, ctx, &owner->desc, owner->num_vertices, owner->num_cells));
    (*plan)->owner = owner;
    (*plan)->faces = owner->faces;
    status = owner->lattice ? make_like(*plan, owner) : borrow_points(*plan, owner);
    if (status == CLSP_OK) status = build(*plan);
    if (status != CLSP_OK) clsp_solid_plan_destroy(plan);
    return status;
}

static clsp_status create_peer(clspi_plan **peer, clsp_context *ctx, const clspi_plan *plan)
{
    clsp_solid_plan *made;
    const clsp_status status = plan_like(&made, ctx, (const clsp_solid_plan *)plan);

    *peer = status == CLSP_OK ? &made->base : NULL;
    return status;
}

static void destroy_peer(clspi_plan **peer)
{
    clsp_solid_plan *plan = (clsp_solid_plan *)*peer; /* whose first member it is */

    clsp_solid_plan_destroy(&plan);
    *peer = NULL;
}

/* Brings the control points that the owner has in host memory, those beyond the boundary too. */
static clsp_status load_peer(clspi_plan *base, clspi_plan *owner)
{
    clsp_solid_plan *const peer = (clsp_solid_plan *)base;
    clspi_call call;

    peer->is_loaded = false;
    CLSPI_CHECK(clspi_call_begin(&call, base, NULL));
    const clsp_status status = clspi_call_finish(
        &call, clspi_control_upload(peer, &call.series, ((clsp_solid_plan *)owner)->host.data));
    peer->is_loaded = status == CLSP_OK;
    return status;
}

static const clspi_peer_kind peers = {create_peer, destroy_peer, load_peer};

/* ---- the calls ---- */

clsp_status clsp_solid_plan_create(clsp_solid_plan **plan, const clsp_solid_mesh *mesh,
                                   const clsp_solid_desc *desc)
{
    clsp_solid_desc all;
    clsp_status status;

    if (plan) *plan = NULL;
    if (!plan || !mesh || !desc)
        return clspi_context_null(mesh ? mesh->ctx : NULL, "clsp_solid_plan_create");
    CLSPI_CHECK(clspi_context_usable(mesh->ctx));
    all = *desc;
    CLSPI_CHECK(clspi_solid_desc_resolve(mesh->ctx, &all));
    if (!mesh->is_hexahedral)
        return clspi_fail(&mesh->ctx->log, CLSP_ERROR_ARGUMENT,
                          "solid: the mesh is not hexahedral; refine it");
    CLSPI_CHECK(clspi_solid_check_creases(mesh));
    if (all.method == CLSP_SOLID_METHOD_DEFAULT) all.method = clspi_lattice_choose(&mesh->cells);
    CLSPI_CHECK(allocate(plan, mesh->ctx, &all, mesh->cells.num_vertices, mesh->cells.num_cells));
    (*plan)->peers.kind = &peers;
    (*plan)->by_host = clspi_is_own_cpu(mesh->ctx) && clspi_solid_has_host(&all);
    status = all.method == CLSP_SOLID_LATTICES ? make_lattice(*plan, &mesh->cells)
                                               : find_points(*plan, mesh);
    if (status == CLSP_OK) status = find_faces(*plan, &mesh->cells);
    if (status == CLSP_OK) status = build(*plan);
    if (status != CLSP_OK) clsp_solid_plan_destroy(plan);
    return status;
}

/* Releases classes and points, or what of them is not another plan's. */
static void release_points(clsp_solid_plan *plan)
{
    if (!plan->owner) {
        clspi_cell_points_release(&plan->points);
        clspi_class_set_release(&plan->classes);
        free(plan->faces);
        return;
    }
    for (uint32_t i = 0; i < CLSPI_COUNT(plan->classes.scratch); i++)
        free(plan->classes.scratch[i]);
}

void clsp_solid_plan_destroy(clsp_solid_plan **ptr)
{
    clsp_solid_plan *const plan = ptr ? *ptr : NULL;

    if (!plan) return;
    *ptr = NULL;
    if (clspi_context_is_inherited(plan->base.ctx)) return;
    clspi_plan_settle(&plan->base);
    clspi_peers_release(&plan->peers);
    clspi_solid_device_release(plan);
    clspi_buffer_release(&plan->control);
    clspi_device_lists_release(plan);
    clspi_cell_layout_release(&plan->layout);
    clspi_lattice_release(plan);
    clspi_solid_locate_destroy(&plan->located);
    clsp_solid_plan_destroy(&plan->by_classes);
    release_points(plan);
    clspi_solid_host_release(plan);
    clspi_axes_free(plan->params);
    clspi_plan_release(&plan->base);
    free(plan);
}

clsp_status clsp_solid_plan_desc(const clsp_solid_plan *plan, clsp_solid_desc *desc)
{
    if (!plan || !desc)
        return clspi_null_argument(plan ? &plan->base : NULL, "clsp_solid_plan_desc");
    CLSPI_CHECK(clspi_context_check(plan->base.ctx));
    *desc = plan->desc;
    return CLSP_OK;
}

clsp_status clspi_solid_cells_check(const clsp_solid_plan *plan, clsp_range cells)
{
    if (cells.first <= plan->num_cells && cells.count <= plan->num_cells - cells.first)
        return CLSP_OK;
    return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_ARGUMENT,
                      "solid: cells %zu to %zu + %zu of %zu", cells.first, cells.first, cells.count,
                      plan->num_cells);
}

/* ---- by classes ---- */

/* Makes the plan beside a lattice. */
static clsp_status create_by_classes(clsp_solid_plan *plan)
{
    const clsp_solid_mesh mesh = {
        .ctx = plan->base.ctx, .is_hexahedral = true, .cells = plan->lattice->mesh};
    clsp_solid_desc desc = plan->desc;

    for (uint32_t a = 0; a < 3; a++)
        desc.axis[a] = (clsp_axis){.num = 0};
    desc.method = CLSP_SOLID_CELLS;
    return clsp_solid_plan_create(&plan->by_classes, &mesh, &desc);
}

clsp_status clspi_solid_by_classes(clsp_solid_plan *plan, clsp_solid_plan **by_classes)
{
    if (plan->lattice && !plan->by_classes) CLSPI_CHECK(create_by_classes(plan));
    *by_classes = plan->lattice ? plan->by_classes : plan;
    return CLSP_OK;
}
