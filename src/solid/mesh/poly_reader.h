/* Reading cells of all kinds. */
#ifndef CLSPI_POLY_READER_H
#define CLSPI_POLY_READER_H

#include "poly_mesh.h"

/* Where reading has come to. */
typedef struct clspi_cell_reader {
    const clspi_cells *cells;
    clspi_mesh_defect *defect;
    size_t at;           /* of the indices */
    size_t cell;         /* number of the cell that is read */
    size_t sides, loops; /* so far */
} clspi_cell_reader;

/* Reads all cells; mesh NULL: counts their sides. */
clspi_mesh_status clspi_poly_read_cells(clspi_cell_reader *r, clspi_poly_mesh *mesh);

#endif
