/* Projection onto one curve, of as many points as are asked for: by the library on its device, with
   curves that are loaded and with curves that are loaded anew, and by SISL on one thread. */
#ifndef BENCH_PROJECT_RUN_H
#define BENCH_PROJECT_RUN_H

#include "bench.h"
#include "curve_cases.h"

enum { PROJECT_NAME_MAX = 64 };

typedef struct project_case {
    const curve_case *curve;
    curve_kind kind;
    bool on_curve; /* the points lie on the curve, and not anywhere in the unit cube */
    size_t num;    /* points */
} project_case;

/* Writes the name of a case, such as "i wild, 10000 on it". */
void project_case_name(const project_case *c, char name[PROJECT_NAME_MAX]);

/* What is measured in turns. */
enum {
    PROJECT_EXACT,
    PROJECT_EXACT_LOADED,  /* control points are loaded, and projected onto for the first time */
    PROJECT_EXACT_PREPARE, /* the same with one point alone */
    PROJECT_MREP,
    PROJECT_MREP_LOADED,
    PROJECT_MREP_PREPARE,
    PROJECT_ALL_MINIMA, /* SISL's s1953 and s1957, of the first num_few points */
    PROJECT_NEWTON,
    PROJECT_WAYS
};

typedef struct project_run project_run;

typedef struct project_way {
    project_run *run;
    clsp_nearest_method method;
    bool loads;
    size_t num;
} project_way;

struct project_run {
    bench *b;
    project_case c;
    clsp_type precision;
    char name[PROJECT_NAME_MAX];
    double controls[CURVE_CASE_REALS];
    clsp_patch_plan *plan;
    cl_mem device_controls, points, results;
    size_t num_few;
    double *few;                     /* the first points */
    double *distances[PROJECT_WAYS]; /* of these; NULL: none */
    project_way ways[PROJECT_WAYS];
    bench_contestant contestants[PROJECT_WAYS]; /* those that run have an enqueue */
};

/* Makes the plan, loads the curve and makes the points. */
clsp_status project_run_start(project_run *r, bench *b, const project_case *c, clsp_type precision);
void project_run_release(project_run *r);

/* Lets mrep take part. */
void project_run_with_mrep(project_run *r);

/* Lets SISL take part with so many of the points, where it was built in. */
clsp_status project_run_with_sisl(project_run *r, size_t num_few);

/* Measures all that take part. */
clsp_status project_run_measure(project_run *r);

/* The share of the first points whose distance by one way is above that by another by more than so
   much; NAN where one of them did not run. */
double project_run_share_above(const project_run *r, int way, int other, double by);

#endif
