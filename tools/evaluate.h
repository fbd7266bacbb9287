/* Evaluation of a file's Bezier patches by the library, into a mesh. */
#ifndef CLSPLINE_TOOLS_EVALUATE_H
#define CLSPLINE_TOOLS_EVALUATE_H

#include <clspline/clspline.h>

#include <stdbool.h>

#include "io/bezierview.h"
#include "io/mesh.h"
#include "io/output.h"

/* Seconds that the stages took, over all batches. */
typedef struct evaluate_times {
    double plan, evaluate;
} evaluate_times;

/* Points that the patches give with `samples` in each direction; UINT64_MAX when that does not fit.
 */
uint64_t evaluate_num_points(const bezierview *content, uint32_t samples);

/* Whether the mesh of so many points (and one patch of them on its way) fits vertex numbers and
   this machine's memory. Complains in the name of the file when not. */
bool evaluate_check_size(const bezierview *content, uint32_t samples, const char *name);

/* Evaluates all patches, batch after batch, with `samples` in each direction, and adds them to the
   mesh, which has the precision of the computation. Complains on failure. */
bool evaluate_patches(clsp_context *ctx, const bezierview *content, uint32_t samples, mesh *m,
                      const io_progress *progress, evaluate_times *times);

#endif
