/* What points are projected onto: the curves and surfaces of some files. */
#ifndef CLSPLINE_TOOLS_PROJECT_MODEL_H
#define CLSPLINE_TOOLS_PROJECT_MODEL_H

#include "mesh.h"
#include "splines.h"

/* Reads files of curves and surfaces (model_file.h) into *content. False with a complaint, also
   where they are not all curves and surfaces of as many coordinates and of a degree that is
   projected onto. The caller releases *content by splines_clear. */
bool project_model_read(splines *content, const char *const *paths, size_t num,
                        mesh_precision precision);

#endif
