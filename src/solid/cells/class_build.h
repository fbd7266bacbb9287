/* What classes of cells are built of. */
#ifndef CLSPI_CLASS_BUILD_H
#define CLSPI_CLASS_BUILD_H

#include "cell_class.h"

/* Finds the class of a cell that is not regular, a new one where it is new; set->found then has the
   cell's control points in the order of the class. False: no memory, or set->too_large. */
bool clspi_class_find(clspi_class_set *set, const clspi_cell_mesh *mesh, uint32_t cell,
                      clspi_class_use *use);

/* Looks for an axis along which the slices of a class are alike: by its points, and then by its
   weights, which ask whatever creases and corners there are. mesh: of the class's ring. False: no
   memory. */
bool clspi_class_find_slices(clspi_class_set *set, uint32_t number, const clspi_cell_mesh *mesh);

#endif
