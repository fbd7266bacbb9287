/* How large files of solids become, before they are made. */
#ifndef CLSPLINE_TOOLS_SOLID_SIZE_H
#define CLSPLINE_TOOLS_SOLID_SIZE_H

#include "solid_model.h"
#include "vtu.h"

/* Chooses how a file of cells has data of cells: whole numbers that the file has as such stay so,
   in as few bytes as hold all of them. */
vtu_number solid_size_number(const solid_array *a);

/* Estimates the bytes of an output of a hexahedral mesh that has so many vertices, faces and cells
   when it is written: of VTU all but the head, of others within some tenths. */
double solid_size_of(const solid_model *m, const char *path, double vertices, double faces,
                     double cells);

/* Tells of files that will have many bytes, and complains of one for which the disk has no room
   behind those before it. False then. bytes: [the request's outputs]. */
bool solid_size_fits(const solid_model *m, const double *bytes);

/* Tells of a file for which the disk has no room unless it is compressed. bytes: before that. */
void solid_size_note(const solid_model *m, const char *path, double bytes);

#endif
