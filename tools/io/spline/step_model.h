/* Which splines of a STEP file are of the model, and which of them are trimmed. */
#ifndef CLSPLINE_TOOLS_IO_STEP_MODEL_H
#define CLSPLINE_TOOLS_IO_STEP_MODEL_H

#include "shape_uses.h"
#include "splines.h"
#include "step_file.h"

/* Marks of instances that are no points. */
enum {
    STEP_IS_PART = 1,    /* of another shape, or in parameters */
    STEP_IS_TRIMMED = 2, /* only a part of it is of the model */
    STEP_IS_MODEL = 4,   /* for all that it is a part too */
    STEP_IS_NOTE = 8     /* in a drawing */
};

/* Marks the instances, finds the faces, trimmed curves and rectangles that take a spline, by which
   it is not marked as trimmed, counts the shapes of other kinds, takes note of
   the unit, and refuses parts that an assembly places elsewhere. False with a message. */
bool step_model_find(step_file *f, splines *content, shape_uses *uses);

#endif
