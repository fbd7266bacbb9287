/* Numbers on their way into plans, and vertices on their way out of them. */
#ifndef CLSPLINE_TOOLS_STAGING_H
#define CLSPLINE_TOOLS_STAGING_H

#include <clspline/clspline.h>

#include <stdbool.h>
#include <stddef.h>

#include "mesh_source.h"
#include "request.h"

/* Points evaluated by one call, when a patch has fewer: enough to keep a device busy, few enough to
   show progress. */
#define STAGING_POINTS ((size_t)1 << 22)

/* Complains of a call that failed. Returns whether it did not. */
bool staging_check(const clsp_context *ctx, clsp_status status);

/* The type of a precision's numbers. */
clsp_type staging_type(mesh_precision precision);

/* Tells whether floats hold less than eight bits of a length beside coordinates of which it is this
   share. */
static inline bool staging_is_coarse(double share)
{
    return share < 0x1p-16;
}

/* Warns that floats are asked for which are coarse beside a model's coordinates: of a picture or a
   mesh of 32 samples across its diagonal. */
void staging_note_floats(const request *r, const char *name, double diagonal, double largest);

/* Doubles as the plans of a precision take them. */
typedef struct staged_reals {
    clsp_input input;
    float *floats; /* made of the doubles; NULL in double precision */
} staged_reals;

/* Makes the input of doubles, which must outlive it. False, without a complaint, when memory runs
   out. */
bool staging_open_reals(staged_reals *r, mesh_precision precision, const double *reals,
                        size_t count);
void staging_close_reals(staged_reals *r);

/* Memory for what a plan makes, which suits all who share the work. */
typedef struct staged_vertices {
    clsp_context *ctx;
    bool is_shared;
    clsp_output output;
} staged_vertices;

/* Makes memory for so many numbers, for calls that are shared or not. False with a complaint when
   there is none. */
bool staging_open_vertices(staged_vertices *v, clsp_context *ctx, const mesh_source *source,
                           bool is_shared, size_t reals);
void staging_close_vertices(staged_vertices *v);

#endif
