/* What the suites about Bezier patches share: one case, that is patches and a grid, evaluated by
   several plans and kernels in turns into one ring of outputs, and the check of their points. */
#ifndef BENCH_BEZIER_RUN_H
#define BENCH_BEZIER_RUN_H

#include "bench.h"

/* Outputs go round in one buffer, several times as large as caches, so that a small grid is not
   timed in a cache that the floor, measured on large data, does not use. */
typedef struct bezier_ring {
    cl_mem buffer;
    char *host; /* instead, where there is no OpenCL */
    size_t bytes;
} bezier_ring;

clsp_status bezier_ring_create(bench *b, bezier_ring *ring);
void bezier_ring_release(bezier_ring *ring);

/* patches of order x order control points with 3 coordinates on grids of samples x samples */
typedef struct bezier_case {
    size_t order, samples, patches;
} bezier_case;

enum { BEZIER_NAME_MAX = 64 };

/* Writes the name of a case, such as "8x8, 10 of 300x300". */
void bezier_case_name(const bezier_case *c, char name[BEZIER_NAME_MAX]);

/* Says whether the case is to run. */
bool bezier_case_wanted(bench *b, const bezier_case *c);

typedef struct bezier_run {
    bench *b;
    const char *suite;
    bezier_case c;
    clsp_type precision;
    size_t real_bytes;
    const bezier_ring *out;
    char name[BEZIER_NAME_MAX];
    double *points; /* [patches][order][order][3] */
    size_t num_points;
    size_t stride, element_bytes; /* elements of a vertex of the output, and their size, */
    clsp_type element;            /* and type */
    size_t chunk;                 /* patches of an eval call: a case with more patches than the ring
                                     holds is evaluated in ranges */
    size_t slots, slot;           /* chunks that the ring holds, and the next one */
    size_t last_first, last_slot; /* the last range that was evaluated, and where */
    void *host_points;            /* of the precision */
    cl_mem device_points;         /* NULL without OpenCL */
} bezier_run;

/* Makes control points, the same in every run, and uploads them. Vertices are packed points until
   bezier_run_vertices is called. */
clsp_status bezier_run_start(bezier_run *r, bench *b, const char *suite, const bezier_case *c,
                             clsp_type precision, const bezier_ring *out);
clsp_status bezier_run_vertices(bezier_run *r, size_t stride, clsp_type element);
void bezier_run_release(bezier_run *r);

double bezier_run_points(const bezier_run *r); /* of a whole evaluation */

/* Of the separable method, contracting the direction first that leaves less to do. */
double bezier_run_flops(const bezier_run *r);

/* Writes doubles into a new buffer in the run's precision. */
clsp_status bezier_run_upload(const bezier_run *r, const double *values, size_t count,
                              cl_mem *buffer);

/* The place in the ring, in chunks, for a range; moves on. */
size_t bezier_run_take(bezier_run *r, size_t first);

/* Takes a place likewise, as an output for the library. */
clsp_output bezier_run_output(bezier_run *r, size_t first);

size_t bezier_run_chunk_points(const bezier_run *r);
size_t bezier_run_range(const bezier_run *r, size_t first); /* patches of the range from first on */

/* The description of a surface of the run, with the default of everything else. */
clsp_bezier_desc bezier_run_desc(const bezier_run *r);

/* A plan that evaluates a run. */
typedef struct bezier_way {
    bezier_run *run;
    clsp_patch_plan *plan;
} bezier_way;

/* Makes the plan and, where control points have 3 coordinates, loads the run's. */
clsp_status bezier_way_create(bezier_way *way, bezier_run *run, const clsp_bezier_desc *desc);
void bezier_way_release(bezier_way *way);

/* Loads control points of the run's precision from a buffer; NULL: the run's from host memory. */
clsp_status bezier_way_load(const bezier_way *way, cl_mem points);

/* Enqueues the evaluation of all patches; user: a bezier_way. */
clsp_status bezier_way_enqueue(void *user);

/* Worst error over some points of the last range, whose vertices must begin with a point in the
   precision, in eps * largest coordinate of all control points: those are spread over all of [-1,
   1], so it is that of each patch within a few per cent. */
clsp_status bezier_run_check(const bezier_run *r, double *worst);

/* Enqueues once more, since another may have been the last, and checks. */
clsp_status bezier_run_check_of(bezier_run *r, const bench_contestant *contestant, double *worst);

/* Lines of a run. */
bench_row bezier_run_row(const bezier_run *r, const char *method);
void bezier_run_report(const bezier_run *r, const char *method, bench_timing time, double error);
void bezier_run_ratio(const bezier_run *r, const char *method, double ratio, double least);

/* Kernels for GPUs that CLSPLINE_LIMITS brings to a CPU need not be fast there. */
bool bezier_takes_own_shape(const bench *b);

#endif
