/* The public calls that tell the classes of cells. */
#include "check.h"
#include "lattice.h"
#include "solid_mesh.h"
#include "solid_plan.h"

/* Finds the plan that has the classes: plans are the library's memory, whatever the caller may
   write of it. */
static clsp_status find_classes(const clsp_solid_plan **plan)
{
    clsp_solid_plan *by_classes;

    CLSPI_CHECK(clspi_solid_by_classes((clsp_solid_plan *)(uintptr_t)*plan, &by_classes));
    *plan = by_classes;
    return CLSP_OK;
}

clsp_status clsp_solid_classes(const clsp_solid_plan *plan, clsp_solid_class *classes, size_t room,
                               size_t *num)
{
    if (!plan || !num || (room && !classes))
        return clspi_null_argument(plan ? &plan->base : NULL, "clsp_solid_classes");
    CLSPI_CHECK(clspi_context_check(plan->base.ctx));
    CLSPI_CHECK(find_classes(&plan));
    *num = 1 + (size_t)plan->classes.num;
    for (size_t i = 0; i < room && i < *num; i++) {
        classes[i] = (clsp_solid_class){.kind = CLSP_SOLID_REGULAR, .num_points = 64};
        if (i == 0) continue;
        const clspi_cell_class *const entry = &plan->classes.entry[i - 1];
        classes[i].kind = entry->kind == CLSPI_KIND_LAYERED     ? CLSP_SOLID_LAYERED
                          : entry->kind == CLSPI_KIND_IRREGULAR ? CLSP_SOLID_IRREGULAR
                                                                : CLSP_SOLID_SPLIT;
        classes[i].num_points = entry->num_points;
    }
    for (uint32_t u = 0; u < plan->layout.num_uses; u++) {
        const clspi_cell_use *const use = &plan->layout.uses[u];
        const size_t i = use->of.number == CLSPI_REGULAR ? 0 : 1 + (size_t)use->of.number;
        if (i < room) classes[i].num_cells += use->num_cells;
    }
    return CLSP_OK;
}

clsp_status clsp_solid_cell_classes(const clsp_solid_plan *plan, clsp_range cells,
                                    clsp_output classes)
{
    if (!plan) return clspi_null_argument(NULL, "clsp_solid_cell_classes");
    CLSPI_CHECK(clspi_context_check(plan->base.ctx));
    CLSPI_CHECK(clspi_solid_cells_check(plan, cells));
    CLSPI_CHECK(clspi_solid_check_output(plan->base.ctx, &classes, "classes", cells.count, CLSP_U32,
                                         CLSP_TYPE_DEFAULT));
    CLSPI_CHECK(find_classes(&plan));
    uint32_t *const to = (uint32_t *)classes.host + classes.offset;
    for (size_t c = 0; c < cells.count; c++) {
        const uint32_t number = plan->points.use[cells.first + c].number;
        to[c] = number == CLSPI_REGULAR ? 0 : 1 + number;
    }
    return CLSP_OK;
}
