/* Samples of a solid's cells, some cells at a time. */
#ifndef CLSPLINE_TOOLS_SOLID_SAMPLES_H
#define CLSPLINE_TOOLS_SOLID_SAMPLES_H

#include "progress.h"
#include "solid_model.h"

typedef struct solid_samples {
    const solid_model *m;
    clsp_solid_plan *plan;
    clsp_solid_plan *gradients; /* of values and gradients in lists, once they are asked for */
    mesh_precision precision;
    solid_grid grid;
    size_t most;         /* cells at a time */
    void *made;          /* in the precision */
    double *values;      /* [count][along][along][across][channels], w fastest */
    size_t first, count; /* cells that are there */
    double seconds;      /* of evaluation */
    progress_bar *bar;   /* cleared where a report is printed; may be NULL */
} solid_samples;

/* Prepares samples. False with a complaint. */
bool solid_samples_open(solid_samples *s, const solid_model *m, mesh_precision precision,
                        solid_grid grid);

/* Tells whether cells are unlike: grids are made much faster than lists of points. */
bool solid_samples_are_unlike(const solid_samples *s);

/* Makes the samples of so many cells from `first` on, at most s->most, unless they are there. */
bool solid_samples_make(solid_samples *s, size_t first, size_t count);

/* Calls `take` for all cells in turn, with their samples, until it says false. False then, or with
   a complaint. */
typedef bool (*solid_cell_taker)(void *user, uint32_t cell, const double *samples);
bool solid_samples_visit(solid_samples *s, solid_cell_taker take, void *user, progress_bar *bar);

/* Evaluates at parameters, by one processor or several, as the request has it: points, or points
   with their three derivatives behind them. */
bool solid_samples_points(solid_samples *s, const clsp_points *points, bool with_gradients,
                          clsp_output out);

/* Returns the reals of a cell. */
size_t solid_samples_reals(const solid_samples *s);

void solid_samples_close(solid_samples *s);

#endif
