/* Evaluation of a file's Bezier patches by the library, into a mesh. */
#ifndef CLSPLINE_TOOLS_EVALUATE_H
#define CLSPLINE_TOOLS_EVALUATE_H

#include <clspline/clspline.h>

#include <stdbool.h>

#include "io/bezierview.h"
#include "io/mesh_file.h"
#include "io/output.h"
#include "io/seams.h"
#include "io/tessellation.h"

/* What to evaluate and how. */
typedef struct evaluate_task {
    const char *name; /* of the file, for messages */
    const bezierview *content;
    seams *edges;
    const tessellation *grids;
    mesh_precision precision; /* of the computation */
    bool has_normals;
    bool streamed;                      /* vertices are not kept */
    clsp_bezier_method method;          /* of a uniform tessellation */
    const clsp_cooperate_opts *sharing; /* NULL: by the context's device alone */
    /* Told of each shared call; NULL is fine. */
    void (*report)(void *user, const char *what, const clsp_cooperate_report *report);
    void *user;
} evaluate_task;

/* Seconds that the stages took, over all batches; `take` is what was done with vertices. */
typedef struct evaluate_times {
    double plan, evaluate, take;
} evaluate_times;

/* Where vertices go. False ends the evaluation. */
typedef struct evaluate_sink {
    bool (*take)(void *user, const mesh_vertices *v);
    void *user;
} evaluate_sink;

/* Whether so many points fit vertex numbers, and this machine's memory with their mesh, or where
   they are streamed with what is on its way. Complains in the name of the file when not. */
bool evaluate_check_size(const evaluate_task *task);

/* Evaluates all patches, batch after batch, and gives their vertices to the sink in order, some
   millions at a time. Patches that share an edge have the same vertices along it. Complains on
   failure, save of the sink. */
bool evaluate_patches(clsp_context *ctx, const evaluate_task *task, const evaluate_sink *sink,
                      const io_progress *progress, evaluate_times *times);

/* The same into a mesh, which is empty and has normals where the task has them. */
bool evaluate_mesh(clsp_context *ctx, const evaluate_task *task, mesh *m,
                   const io_progress *progress, evaluate_times *times);

#endif
