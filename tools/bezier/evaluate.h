/* Evaluation of a file's Bezier patches by the library, as a source of a mesh. */
#ifndef CLSPLINE_TOOLS_EVALUATE_H
#define CLSPLINE_TOOLS_EVALUATE_H

#include <clspline/clspline.h>

#include <stdbool.h>

#include "bezierview.h"
#include "output.h"
#include "seams.h"
#include "tessellation.h"
#include "mesh_source.h"

/* What to evaluate and how. */
typedef struct evaluate_task {
    mesh_source source; /* has a name, a precision, and whether there are normals and it is
                           streamed; evaluate_begin gives it the rest */
    clsp_context *ctx;  /* may be NULL where there are no patches */
    const bezierview *content;
    seams *edges;
    const tessellation *grids;
    clsp_bezier_method method; /* of a uniform tessellation */
    const clsp_share *sharing; /* NULL: by the context's device alone */
    /* Told of each shared call; NULL is fine. */
    void (*report)(void *user, const char *what, const clsp_report *report);
    void *user;
    const io_progress *progress;
    mesh_times *times;
    mesh_grid *made; /* the source's grids */
} evaluate_task;

/* Makes the source: the grids of all patches, batch after batch. Patches that share an edge get the
   same vertices along it. The task must stay where it is. False with a complaint when memory runs
   out. */
bool evaluate_begin(evaluate_task *task);

/* Releases what evaluate_begin made. */
void evaluate_end(evaluate_task *task);

#endif
