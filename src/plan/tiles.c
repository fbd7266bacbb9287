#include "tiles.h"

static clspi_way way_of(const clsp_run *run)
{
    const clsp_share *const share = run ? run->share : NULL;
    const bool is_part = share && share->tiles.count > 0;

    if (clspi_run_asks(run)) return CLSPI_ASKED;
    if (!share) return CLSPI_BY_DEVICE;
    if (is_part && share->schedule == CLSP_SCHEDULE_DEVICE) return CLSPI_BY_DEVICE;
    if (is_part && share->schedule == CLSP_SCHEDULE_HOST) return CLSPI_BY_CALLER;
    return CLSPI_BY_ALL;
}

clsp_status clspi_tiles_of(clspi_tiles *tiles, const clspi_plan *plan, const clspi_tiling *tiling,
                           const clsp_run *run)
{
    const size_t num = clspi_num_tiles(tiling);
    const clsp_range all = {0, num};
    const clsp_range some = run && run->share ? run->share->tiles : (clsp_range){0, 0};

    if (some.count > 0 && (some.first > num || some.count > num - some.first))
        return clspi_fail(&plan->ctx->log, CLSP_ERROR_ARGUMENT, "%s: tiles %zu to %zu + %zu of %zu",
                          plan->family, some.first, some.first, some.count, num);
    *tiles = (clspi_tiles){.way = way_of(run), .tiles = some.count > 0 ? some : all};
    tiles->lines = clspi_lines_of(tiling, tiles->tiles);
    tiles->is_part = tiles->tiles.count < num;
    return CLSP_OK;
}

clsp_status clspi_tiles_report(const clspi_tiles *tiles, const clspi_tiling *tiling,
                               size_t line_elements, const clsp_run *run)
{
    const clsp_range elements = {tiles->lines.first * line_elements,
                                 tiles->lines.count * line_elements};

    *run->tiling = (clsp_tiling){.num_tiles = clspi_num_tiles(tiling), .elements = elements};
    return CLSP_OK;
}
