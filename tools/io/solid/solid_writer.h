/* Writer of the cells of a solid as they are in memory, with all digits of their numbers and what
   is told of points, cells and edges: what solid_file.h reads. */
#ifndef CLSPLINE_TOOLS_IO_SOLID_WRITER_H
#define CLSPLINE_TOOLS_IO_SOLID_WRITER_H

#include "solid_cells.h"

/* The ending of the format that holds all of the cells: "mesh", MEDIT's, where edges or corners are
   marked, else "vtk", the legacy text format. */
const char *solid_writer_ending(const solid_cells *c);

/* Writes them to a file of that format. False with a message; no file is then left, and one that
   there was stays. */
bool solid_writer_write(const solid_cells *c, const char *path, io_message *message);

#endif
