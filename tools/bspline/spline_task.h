/* Evaluation of B-splines by the library, as a source of a mesh: curves as lines, surfaces as
   quads, volumes as their six sides. */
#ifndef CLSPLINE_TOOLS_SPLINE_TASK_H
#define CLSPLINE_TOOLS_SPLINE_TASK_H

#include <clspline/clspline.h>

#include <stdbool.h>
#include <stdint.h>

#include "output.h"
#include "splines.h"
#include "mesh_source.h"

/* What to evaluate and how. */
typedef struct spline_task {
    mesh_source source; /* has a name, a precision, and whether there are normals and it is
                           streamed; spline_task_begin gives it the rest */
    clsp_context *ctx;
    const splines *content;    /* of 2 or 3 coordinates */
    uint32_t samples;          /* of each direction; 0: as many as spline_task_samples says */
    const clsp_share *sharing; /* NULL: by the context's device alone */
    /* Told of each shared call; NULL is fine. */
    void (*report)(void *user, const char *what, const clsp_report *report);
    void *user;
    const io_progress *progress;
    mesh_times *times;
    mesh_grid *made; /* the source's grids */
} spline_task;

/* What a plan has of splines of a type, in the type's own coordinates, without grids and
   attributes. */
clsp_bspline_desc spline_desc(const spline_type *type, mesh_precision precision);

/* The samples of a direction: those asked for, else 16 a span and one, so that uniform knots are
   among them, from 33 to 2049, of curves to 65537. */
uint32_t spline_task_samples(const spline_task *task, const spline_type *type, uint32_t direction);

/* Makes the source: the grids of all splines, batch after batch; of volumes all of one side, then
   of the next. Sides face outwards where S_u x S_v and S_w are on one side. The task must stay
   where it is. False with a complaint when memory runs out. */
bool spline_task_begin(spline_task *task);

/* Releases what spline_task_begin made. */
void spline_task_end(spline_task *task);

#endif
