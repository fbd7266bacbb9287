#include "tile_fixture.h"

clsp_tiling bezier_tiling(clsp_patch_plan *plan, clsp_range patches, clsp_range tiles)
{
    const clsp_share share = {.tiles = tiles};
    clsp_tiling tiling = {.num_tiles = 0};
    const clsp_run ask = {.share = &share, .tiling = &tiling};
    const clsp_output none = {.type = CLSP_TYPE_DEFAULT};

    clsp_patch_eval(plan, patches, none, &ask);
    return tiling;
}

clsp_status eval_tiles(clsp_patch_plan *plan, clsp_range patches, clsp_range tiles,
                       clsp_schedule by, clsp_output out, const clsp_run *wait)
{
    clsp_share share = {.schedule = by, .tiles = tiles};
    clsp_run run = wait ? *wait : (clsp_run){.num_wait = 0};

    if (tiles.count == 0) share.tiles.count = bezier_tiling(plan, patches, tiles).num_tiles;
    run.share = &share;
    return clsp_patch_eval(plan, patches, out, &run);
}

clsp_status eval_by_caller(clsp_patch_plan *plan, clsp_range patches, clsp_output out)
{
    return eval_tiles(plan, patches, (clsp_range){0, 0}, CLSP_SCHEDULE_HOST, out, NULL);
}
