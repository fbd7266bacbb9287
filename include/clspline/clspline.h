/* clspline: splines in bulk on any OpenCL device. This header includes all the others. */
#ifndef CLSPLINE_CLSPLINE_H
#define CLSPLINE_CLSPLINE_H

#include <clspline/version.h>
#include <clspline/types.h>
#include <clspline/context.h>
#include <clspline/graphics.h>
#include <clspline/share.h>
#include <clspline/plan.h>
#include <clspline/vertex.h>
#include <clspline/patch.h>
#include <clspline/bezier.h>
#include <clspline/bspline.h>
#include <clspline/nearest.h>
#include <clspline/reduce.h>
#include <clspline/image.h>
#include <clspline/solid.h>

#endif
