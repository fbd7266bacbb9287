/* Which splines of an IGES file are of the model, and which of them are trimmed. */
#ifndef CLSPLINE_TOOLS_IO_IGES_MODEL_H
#define CLSPLINE_TOOLS_IO_IGES_MODEL_H

#include "iges_file.h"
#include "shape_uses.h"
#include "splines.h"

/* Marks of entities. */
enum {
    IGES_IS_PART = 1,    /* of another shape */
    IGES_IS_TRIMMED = 2, /* only a part of it is of the model */
    IGES_IS_WHOLE = 4,   /* of the model as it is, whatever it depends on */
    IGES_IS_MET = 8      /* its own marks were passed on */
};

/* Marks the entities, finds the trimmed surfaces that take a B-spline surface within boundaries, by
   which it is not marked as trimmed, and counts the shapes of the model that are no splines. Copies
   that are placed elsewhere are refused. False with a message. */
bool iges_model_find(iges_file *f, splines *content, shape_uses *uses);

/* Tells whether an entity is of the model. */
bool iges_model_has(const iges_entity *of);

#endif
