/* Solids of hexahedra that tests and benchmarks share: boxes, prisms around an edge, and meshes
   read from files. */
#ifndef SOLID_CASES_H
#define SOLID_CASES_H

#include <stddef.h>
#include <stdint.h>

typedef struct solid_case {
    size_t num_points, num_cells, num_creases;
    double *point;    /* [num_points][3] */
    uint32_t *cell;   /* [num_cells][8], in VTK's order */
    uint32_t *crease; /* [num_creases][2] */
} solid_case;

/* Make a box of x * y * z unit cells; and a prism of `sectors` quadrilaterals around an edge along
   z, each of 2 x 2 cells, all the way around or with a gap, `layers` high. They abort without
   memory. */
solid_case solid_box(uint32_t x, uint32_t y, uint32_t z);
solid_case solid_prism(uint32_t sectors, int is_closed, uint32_t layers);

/* Reads the hexahedra of an unstructured grid of a VTK legacy file in text. A case without cells:
   there is no such file, or it is none. */
solid_case solid_read_vtk(const char *path);

void solid_free(solid_case *solid);

/* Moves all points by up to `amount` in each direction, the same way for the same seed. */
void solid_jitter(solid_case *solid, double amount, uint64_t seed);

/* Makes creases of the boundary edges whose two faces enclose more than an angle, in radians. */
void solid_crease(solid_case *solid, double angle);

/* Returns the cells cut into six tetrahedra each, the same way in all of them: 24 vertices a cell,
   to be freed. */
uint32_t *solid_tetrahedra(const solid_case *solid);

#endif
