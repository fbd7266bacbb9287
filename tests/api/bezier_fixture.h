/* What the Bezier tests share: a context with given limits, a job with random patches, and its
 * check by the oracle. */
#ifndef BEZIER_FIXTURE_H
#define BEZIER_FIXTURE_H

#include <stdbool.h>

#include <clspline/clspline.h>

/* A plan with patches of its own, evaluated into host memory. Numbers are kept as doubles whatever
 * the precision. */
typedef struct job {
    clsp_context *ctx;
    clsp_bezier_plan *plan;
    clsp_bezier_desc desc;
    unsigned dim; /* of desc, resolved */
    size_t num_patches;
    size_t num_controls; /* reals, of all patches */
    size_t num_points;   /* reals, of all patches */
    double *controls;    /* [num_patches][degree_u + 1][degree_v + 1][dim], representable in the
                            precision */
    double *points;      /* [num_patches][num_u][num_v][dim], as evaluated */
} job;

/* CLSPLINE_TEST_SIZE=tiny: for implementations that check every access and are thousands of times
 * slower. */
bool tiny(void);

/* Whether there is nothing to test on, and says so; the program exits with 77 then. */
bool no_device(void);

/* Whether the environment names limits: then tests need no others of their own. */
bool given_limits(void);

/* A context with the words of clsp_context_opts.limits added to those of the environment. */
clsp_context *context_with(const char *limits);
bool has_fp64(clsp_context *ctx);

/* Repeatable numbers in [-1, 1). */
void seed(unsigned value);
double random_real(void);

/* The description of a polynomial surface with the default of everything else. */
clsp_bezier_desc surface(clsp_precision precision, uint32_t degree_u, uint32_t degree_v,
                         uint32_t dim, uint32_t num_u, uint32_t num_v);

/* Makes the plan, fills controls at random and loads them. */
void job_create(job *j, clsp_context *ctx, clsp_bezier_desc desc, size_t num_patches);

/* Loads j->controls again. */
void job_load(job *j);

/* Evaluates a range of patches by the host-pointer call into j->points, at its place. The memory
 * beside it is guarded. */
void job_eval(job *j, size_t first, size_t count);

/* The same through a buffer, with an offset. */
void job_eval_buffer(job *j, size_t first, size_t count, size_t offset);

/* Some rows of a patch by clsp_bezier_eval_rows, through a buffer with an offset, into their place.
 */
void job_eval_rows(job *j, size_t patch, uint32_t first_row, uint32_t num_rows, size_t offset);

/* Largest error over all points, or over about `samples` of them when that is not 0, in units of
 * eps(precision) * scale. */
double job_error(const job *j, size_t samples);

void job_destroy(job *j);

/* Bytes of n reals of the job's precision. */
size_t real_bytes(const job *j);

#endif
