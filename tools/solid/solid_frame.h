/* The frame of a solid's slices: its extent across them, in pixels. */
#ifndef CLSPLINE_TOOLS_SOLID_FRAME_H
#define CLSPLINE_TOOLS_SOLID_FRAME_H

#include "slice_cover.h"
#include "solid_blocks.h"

/* Finds the frame that the request asks for, which covers the limit to 1e-4 of a pixel. Sets the
   blocks' size of what is small to about a pixel. False with a complaint. */
bool solid_frame_find(solid_blocks *blocks, slice_frame *frame, progress_bar *bar);

#endif
