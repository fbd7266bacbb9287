/* What the Bezier tests share: a context with given limits, memory as calls take it, a job with
 * random patches, and its check by the oracle. */
#ifndef BEZIER_FIXTURE_H
#define BEZIER_FIXTURE_H

#include <stdbool.h>

#include <clspline/clspline.h>

#include "opencl_calls.h"

/* A plan with patches of its own, evaluated into host memory. Numbers are kept as doubles whatever
 * the precision. */
typedef struct job {
    clsp_context *ctx;
    clsp_patch_plan *plan;
    clsp_bezier_desc desc;
    unsigned dim; /* of desc, resolved */
    size_t num_patches;
    size_t num_controls; /* reals, of all patches */
    size_t num_points;   /* reals, of all patches */
    double *controls;    /* [num_patches][degree_u + 1][degree_v + 1][dim], representable in the
                            precision */
    double *points;      /* [num_patches][num_u][num_v][dim], as evaluated */
} job;

/* What memory is filled with, far from every result, and so many bytes on both sides of it. */
enum { POISON = 0xfe, GUARD = 64 };
void assert_poison(const void *memory, size_t bytes);

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* CLSPLINE_TEST_SIZE=tiny: for implementations that check every access and are thousands of times
 * slower. CLSPLINE_TEST_SIZE=full: every combination. */
bool tiny(void);
bool full(void);

/* Whether the environment names limits: then tests need no others of their own. */
bool given_limits(void);

/* A context with the words of clsp_context_opts.limits added to those of the environment, on the
   queue that the program keeps; and one whose OpenCL context is no other's. */
clsp_context *context_with(const char *limits);
clsp_context *context_apart(const char *limits);
bool has_fp64(clsp_context *ctx);

/* One that stays until the program's tests are over, with the programs that it has compiled; lent
 * again for the same words. close_lent is the group's teardown. */
clsp_context *lent_context(const char *limits);
int close_lent(void **state);

/* ---- turns ---- */

/* Runs a check with contexts of these limits, first in single precision and then in double on those
 * that have it: each is a turn, with numbers of its own. Where the environment names limits, those
 * alone; when tiny, the first num_tiny. */
typedef void (*turn_fn)(clsp_context *ctx, clsp_type precision);
void each_turn(const char *const limits[], size_t num, size_t num_tiny, turn_fn check);

/* Whether a test need not try every combination in this run: unless it is full. */
bool is_thin(void);

/* Whether case i is left out of a thin run that is not tiny: every other case is, and where the
 * environment names limits, as a run on a stand-in for another device has it, the others. */
bool is_left_out(size_t i);

/* Whether it is the turn of case i. In a thin run each case that is not left out has one turn, and
 * checks begin with different turns. So kernel shapes, precisions and half of the cases are met,
 * but not all pairs of them: most of a pair's time is a compiler's. Always true unless the run is
 * thin. */
bool in_turn(size_t i);

/* Whether it is the turn of cases whose kernels differ by a number alone: in a thin run each number
 * has one turn, the same in all checks, so that fewer kernels are compiled. None is left out. */
bool program_in_turn(size_t program);

/* Host memory of `size` elements of a type, as calls take it. */
clsp_input host_in(clsp_type type, const void *memory, size_t size);
clsp_output host_out(clsp_type type, void *memory, size_t size);

/* The cl_context of a context; a buffer in it, with these contents unless they are NULL; what a
 * buffer holds. */
cl_context cl_context_of(const clsp_context *ctx);
cl_mem buffer_of(const clsp_context *ctx, size_t bytes, const void *contents);
void read_buffer(const clsp_context *ctx, cl_mem buffer, size_t bytes, void *contents);

/* The parameter of sample a of num on an axis, whose own number does not matter. */
long double axis_parameter(const clsp_axis *axis, size_t a, size_t num);

/* Repeatable numbers in [-1, 1). */
void seed(unsigned value);
double random_real(void);

/* The description of a polynomial surface with the default of everything else. */
clsp_bezier_desc surface(clsp_type precision, uint32_t degree_u, uint32_t degree_v, uint32_t dim,
                         uint32_t num_u, uint32_t num_v);

/* Makes the plan, fills controls at random and loads them. */
void job_create(job *j, clsp_context *ctx, clsp_bezier_desc desc, size_t num_patches);

/* Loads j->controls again. */
void job_load(job *j);

/* Evaluates a range of patches into host memory of exactly that size, and copies it to its place in
 * j->points. The memory beside it is guarded. */
void job_eval(job *j, size_t first, size_t count);

/* Evaluates a range of patches through a buffer, with an offset. */
void job_eval_buffer(job *j, size_t first, size_t count, size_t offset);

/* Evaluates patches from the first on tile by tile on the device, `step` tiles a call, through
   buffers with offsets. */
void job_eval_tiles(job *j, size_t num_patches, size_t step);

/* Largest error over all points, or over about `samples` of them when that is not 0, in units of
 * eps(precision) * scale. */
double job_error(const job *j, size_t samples);

void job_destroy(job *j);

/* Bytes of n reals of the job's precision. */
size_t real_bytes(const job *j);

#endif
