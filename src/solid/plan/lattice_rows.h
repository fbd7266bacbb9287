/* Along each direction of a cell what a lattice's samples are sums of: four adjacent points. */
#ifndef CLSPI_LATTICE_ROWS_H
#define CLSPI_LATTICE_ROWS_H

#include <stdbool.h>

#include <clspline/solid.h>

enum { CLSPI_LATTICE_STEPS = 4 }; /* at most */

/* Starts and weights as cl/solid/lattice_points.cl has them: of each step, and of samples. */
typedef struct clspi_lattice_rows {
    uint32_t steps;
    uint32_t num;
    uint32_t step_row[CLSPI_LATTICE_STEPS]; /* where the rows of each begin */
    uint32_t sample_row[3];
    uint32_t *start;     /* [num] */
    double (*weight)[4]; /* [num] */
} clspi_lattice_rows;

/* Returns after how many steps no sample within a cell is in a child beside an edge or a vertex of
   the cell; more than CLSPI_LATTICE_STEPS: too many. */
uint32_t clspi_lattice_steps(const clsp_solid_desc *desc);

/* Makes the rows of so many steps. To be released whatever happens; false: no memory. */
bool clspi_lattice_rows_make(clspi_lattice_rows *rows, const clsp_solid_desc *desc);
void clspi_lattice_rows_release(clspi_lattice_rows *rows);

#endif
