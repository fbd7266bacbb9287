/* Calls that are restricted to tiles of their job. */
#ifndef TILE_FIXTURE_H
#define TILE_FIXTURE_H

#include <clspline/clspline.h>

/* Asks what an evaluation of patches would do with these tiles; count 0: with all. */
clsp_tiling bezier_tiling(clsp_patch_plan *plan, clsp_range patches, clsp_range tiles);

/* Evaluates some tiles by CLSP_SCHEDULE_DEVICE, or by _HOST on the calling thread; count 0: all of
   them. wait: lists and events; may be NULL. */
clsp_status eval_tiles(clsp_patch_plan *plan, clsp_range patches, clsp_range tiles,
                       clsp_schedule by, clsp_output out, const clsp_run *wait);

/* Evaluates all of some patches on the calling thread. */
clsp_status eval_by_caller(clsp_patch_plan *plan, clsp_range patches, clsp_output out);

#endif
