/* Vertices of solids on the host: the sums that they are made of, the layout, and their storage, as
   solid_vertex.clh has them (docs/math.md, 19). */
#ifndef CLSPI_SOLID_VERTEX_H
#define CLSPI_SOLID_VERTEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.clh"
#include "solid_numbers.clh"

enum {
    CLSPI_ORDERS = SUM_KINDS, /* of derivatives, at most 2 in all directions together */
    CLSPI_MOST_ORDER = 2,
    CLSPI_VALUE = 0, /* sums by their numbers (attributes.clh) */
    CLSPI_BY_U = 1,
    CLSPI_BY_V = 2,
    CLSPI_BY_W = 3,
    CLSPI_NOWHERE = NO_FACE + 1, /* in the place of a face: no such cell or parameter */
    CLSPI_SOLID_PARTS = ATTRIBUTES
};

/* How often each sum is derived along u, v and w. */
extern const uint8_t clspi_order_by[CLSPI_ORDERS][3];

typedef struct clspi_solid_shape {
    uint32_t dim;
    bool is_double;                /* sums are of doubles, else of floats */
    uint32_t bits;                 /* of an element: 16, 32, 64 */
    size_t stride;                 /* elements from one vertex to the next */
    int32_t at[CLSPI_SOLID_PARTS]; /* where an attribute begins; -1: there is none */
    uint32_t num_sums;
    uint8_t number[CLSPI_ORDERS]; /* of the sums that are made */
    int8_t place[CLSPI_ORDERS];   /* of a sum among those; -1: it is not made */
    bool has_params, has_normal;
} clspi_solid_shape;

/* Finds out which sums a vertex needs; dim, is_double, bits, stride and at are there. */
void clspi_solid_shape_complete(clspi_solid_shape *shape);

/* Returns where the k-th sum that is made begins in a vertex; -1: it is no attribute. */
int32_t clspi_solid_sum_at(const clspi_solid_shape *shape, uint32_t k);

/* Returns the sums that are made as bits. */
uint32_t clspi_solid_sums(const clspi_solid_shape *shape);

/* Vertices on their way from sums. */
typedef struct clspi_solid_source {
    const void *sums; /* reals: sum k of vertex i begins at k * plane + i * step */
    size_t plane, step;
    uint32_t first, used; /* channels that are there */
    double (*params)[3];  /* [count]; NULL without has_params and has_normal */
    const uint8_t *faces; /* [count]: the boundary face that each is on; NULL: none is on any */
} clspi_solid_source;

/* Stores so many vertices; gaps between attributes stay as they are. What is no sum is stored with
   the first channel. */
void clspi_solid_vertices_store(const clspi_solid_shape *shape, const clspi_solid_source *source,
                                void *out, size_t count);

/* Returns the first of a cell's boundary faces, bits, that has a parameter on it. */
uint8_t clspi_solid_face_at(uint8_t faces, const double t[3]);

#endif
