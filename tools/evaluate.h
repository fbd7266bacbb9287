/* Evaluation of a file's Bezier patches by the library, into a mesh. */
#ifndef CLSPLINE_TOOLS_EVALUATE_H
#define CLSPLINE_TOOLS_EVALUATE_H

#include <clspline/clspline.h>

#include <stdbool.h>

#include "io/bezierview.h"
#include "io/mesh.h"
#include "io/output.h"
#include "io/seams.h"
#include "io/tessellation.h"

/* What to evaluate and how. */
typedef struct evaluate_task {
    const char *name; /* of the file, for messages */
    const bezierview *content;
    const seams *edges;
    const tessellation *grids;
    clsp_bezier_method method;          /* of a uniform tessellation */
    const clsp_cooperate_opts *sharing; /* NULL: by the context's device alone */
    /* Told of each shared call; NULL is fine. */
    void (*report)(void *user, const char *what, const clsp_cooperate_report *report);
    void *user;
} evaluate_task;

/* Seconds that the stages took, over all batches. */
typedef struct evaluate_times {
    double plan, evaluate;
} evaluate_times;

/* Whether the mesh of so many points (and a part of them on its way) fits vertex numbers and this
   machine's memory, with normals or without. Complains in the name of the file when not. */
bool evaluate_check_size(const evaluate_task *task, const mesh *m);

/* Evaluates all patches, batch after batch, and adds them to the mesh, which is empty and has the
   precision of the computation; normals too where it has them. Patches that share an edge then have
   the same vertices along it. Complains on failure. */
bool evaluate_patches(clsp_context *ctx, const evaluate_task *task, mesh *m,
                      const io_progress *progress, evaluate_times *times);

#endif
