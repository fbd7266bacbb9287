/* Part of the suite solid: models, plans of them as contestants, and the plain loop beside them. */
#ifndef BENCH_SOLID_RUN_H
#define BENCH_SOLID_RUN_H

#include "bench.h"
#include "host_solid.h"
#include "solid_cases.h"

enum { SOLID_NAME_MAX = 64, SOLID_KINDS = 4 };

/* A mesh with its control points. */
typedef struct solid_model {
    char name[SOLID_NAME_MAX];
    clsp_solid_mesh *mesh;
    clsp_solid_counts counts;
    double *points; /* [vertices][3] */
} solid_model;

/* The cells of a plan, evaluated into one buffer, some at a time where it does not hold all. */
typedef struct solid_run {
    bench *b;
    const solid_model *model;
    const char *name;
    clsp_type precision;
    uint32_t samples; /* along each direction */
    clsp_solid_method method;
    uint32_t attributes; /* of vertices; 0: points */
    cl_mem shared;       /* another run's output; NULL: one of its own */
    clsp_solid_plan *plan;
    uint32_t stride; /* reals of a vertex */
    clsp_range cells;
    size_t most; /* cells of a call */
    cl_mem out;
} solid_run;

/* Make the mesh of a case, and of `copies` copies of a model in which cells of one kind stand side
   by side; kind_begin: [SOLID_KINDS + 1], where the cells of each begin. together: the children of
   a cell stay so, as in refined meshes; the last kind then are those that are not all regular. */
clsp_status solid_model_make(bench *b, solid_model *m, const solid_case *solid, const char *name);
clsp_status solid_model_sorted(bench *b, solid_model *m, const solid_model *one, size_t copies,
                               bool together, size_t *kind_begin);

/* Makes a buffer of a model's points in a precision. */
clsp_status solid_model_upload(bench *b, const solid_model *m, clsp_type precision, cl_mem *buffer);

/* Refines a model once; the old one is released. */
clsp_status solid_model_refine(solid_model *m);
void solid_model_release(solid_model *m);

/* Reads a file of tests/data. */
solid_case solid_model_file(const char *file);

/* Makes the plan of a model and loads its control points; the fields from b to shared are given.
   cells: all of them. */
clsp_status solid_run_start(solid_run *r);
clsp_status solid_run_enqueue(void *user);
void solid_run_release(solid_run *r);

double solid_run_points(const solid_run *r);

/* Gives how many control points the cells of a run depend on, on average. */
clsp_status solid_run_terms(const solid_run *r, double *terms);

/* Counts the cells of a run by kind: num, [SOLID_KINDS]; and the regular ones all of whose control
   points are there, not beyond the boundary. */
clsp_status solid_run_kinds(const solid_run *r, size_t *num, size_t *inside);

/* Compares points of some cells with the sums of weights that the library gives, in double. */
typedef struct solid_errors {
    double worst, mean, scale;
} solid_errors;
clsp_status solid_run_errors(const solid_run *r, solid_errors *errors);

/* The plain loop for up to `most` cells of a run, each the same number apart. */
typedef struct solid_host {
    host_solid job;
    size_t *first;
    uint32_t *index;
    const double **table;
    double **made; /* tables, by order */
    double *out;
    size_t num_made;
} solid_host;
clsp_status solid_host_start(solid_host *h, const solid_run *r, size_t most);
clsp_status solid_host_enqueue(void *user);
void solid_host_release(solid_host *h);

#endif
