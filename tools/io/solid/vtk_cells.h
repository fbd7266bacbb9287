/* Cells as VTK's files list them, on their way to those of a solid. */
#ifndef CLSPLINE_TOOLS_IO_VTK_CELLS_H
#define CLSPLINE_TOOLS_IO_VTK_CELLS_H

#include "scanner.h"
#include "solid_cells.h"

/* Whole numbers in a row. */
typedef struct vtk_integers {
    uint32_t *values;
    size_t count, capacity;
} vtk_integers;

/* Appends a number that was read as a real. False with a message for what is not 0..2^31 - 1. */
bool vtk_integers_append(vtk_integers *list, scanner *s, double value);
void vtk_integers_clear(vtk_integers *list);

typedef struct vtk_cells {
    vtk_integers types;
    vtk_integers ends;  /* of each cell's vertices among all */
    vtk_integers index; /* the vertices; those of a polyhedron with its faces, where they are not
                           listed by themselves */
    vtk_integers faces, face_ends; /* of polyhedra; face_ends: 2^31 - 1 for other cells */
    bool has_faces;
} vtk_cells;

/* Adds all cells, and leaves out of the arrays of cells, which have values for all that are listed,
   those of points, lines and faces. Fails at a cell whose type is not read, or that has not as many
   vertices as its type. */
bool vtk_cells_add(solid_cells *to, const vtk_cells *from, scanner *s);
void vtk_cells_clear(vtk_cells *cells);

#endif
