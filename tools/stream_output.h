/* A file that is written while patches are evaluated, without a mesh of them in memory. */
#ifndef CLSPLINE_TOOLS_STREAM_OUTPUT_H
#define CLSPLINE_TOOLS_STREAM_OUTPUT_H

#include "bezier_request.h"
#include "evaluate.h"

/* Whether the output that is asked for can be written so: there is only one, no picture decides on
   its points, and its format takes each vertex at once. */
bool stream_suits(const bezier_request *r);

/* Evaluates the patches and writes them and the polyhedra to the output. Complains on failure, and
   leaves no file then. ctx may be NULL where there are no patches. */
bool stream_output(clsp_context *ctx, const bezier_request *r, const evaluate_task *task,
                   const io_progress *progress, evaluate_times *times);

#endif
