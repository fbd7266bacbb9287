/* Heads of VTKHDF files of cells: all of such a file but the values of its arrays, whose places are
   known then. So values are written as those of other files are, in any order and by parts. The
   head depends on the shape alone. libhdf5 makes it, where the build has that. */
#ifndef CLSPLINE_TOOLS_IO_VTK_HDF_H
#define CLSPLINE_TOOLS_IO_VTK_HDF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "message.h"

struct vtu_shape;

/* Bytes in a row of a file, that belong to no array. */
typedef struct vtk_hdf_gap {
    uint64_t at, count;
} vtk_hdf_gap;

typedef struct vtk_hdf {
    uint64_t *at;         /* [arrays + 1] where each begins; where the file ends */
    vtk_hdf_gap *gaps;    /* [num_gaps] */
    unsigned char *bytes; /* of all gaps */
    size_t num_gaps;
} vtk_hdf;

/* Tells whether the build has libhdf5. False with a message for a file of that name. */
bool vtk_hdf_is_built(const char *name, io_message *message);

/* Makes the head of a file of cells; arrays are numbered as in vtu_file_begin, and behind the
   cells' points come their ends, with a 0 before them, and their types. It is made in a temporary
   file beside `path`, in which there are no bytes where values are to be. False with a message. */
bool vtk_hdf_make(vtk_hdf *h, const struct vtu_shape *s, const char *path, io_message *message);

/* Frees it; one that is 0 too. */
void vtk_hdf_clear(vtk_hdf *h);

#endif
