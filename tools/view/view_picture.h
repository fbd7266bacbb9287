/* Pictures of a model without a window. */
#ifndef CLSPLINE_TOOLS_VIEW_PICTURE_H
#define CLSPLINE_TOOLS_VIEW_PICTURE_H

#include "stage.h"

/* Draws what the request asks for into its output. Complains on failure. */
bool view_picture(const view_request *r);

/* Writes a frame that has been drawn as a PNG file; with alpha, what is behind the model is
   transparent. Complains on failure. */
bool view_picture_save(const gl_frame *f, bool alpha, const char *path);

#endif
