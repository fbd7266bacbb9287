/* Which splines of a STEP file are of the model, and which of them are trimmed. */
#ifndef CLSPLINE_TOOLS_IO_STEP_MODEL_H
#define CLSPLINE_TOOLS_IO_STEP_MODEL_H

#include "splines.h"
#include "step_file.h"

/* Marks of instances that are no points. */
enum {
    STEP_IS_PART = 1,    /* of another shape, or in parameters */
    STEP_IS_TRIMMED = 2, /* only a part of it is of the model */
    STEP_IS_MODEL = 4    /* for all that it is a part too */
};

/* What takes a spline as its shape or a part of it: a face, TRIMMED_CURVE or
   RECTANGULAR_TRIMMED_SURFACE. The splines are not marked as trimmed by these. */
typedef struct step_use {
    size_t shape, user;
} step_use;

typedef struct step_uses {
    step_use *items; /* by rising shapes; to be freed */
    size_t num, capacity;
} step_uses;

/* Returns the number of the first use of a shape, or of one behind it. */
size_t step_uses_find(const step_uses *uses, size_t shape);

/* Marks the instances, finds the uses of splines, counts the shapes of other kinds, takes note of
   the unit, and refuses parts that an assembly places elsewhere. False with a message. */
bool step_model_find(step_file *f, splines *content, step_uses *uses);

#endif
