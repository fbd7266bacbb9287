/* Vertices of the sums that they are made of, on the host, in two precisions: control points of
   derivatives, the quotient rule, unit normals, and the layout and storage of a vertex; as
   vertex.clh does (docs/math.md, 4 to 7). Plain C that compilers turn into vectors. A real is what
   the precision says. */
#ifndef CLSPI_VERTEX_SUMS_H
#define CLSPI_VERTEX_SUMS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "attributes.clh"
#include "level.h"
#include "row_sums.h"

typedef struct clspi_vertex_shape {
    uint32_t dim, rational, directions;
    clspi_row_type type;    /* of an element */
    size_t stride;          /* elements from one vertex to the next */
    int32_t at[ATTRIBUTES]; /* the element where an attribute begins; negative: it has none */
} clspi_vertex_shape;

/* Returns the sums that a vertex is made of, as bits (attributes.clh). */
static inline uint32_t clspi_shape_sums(const clspi_vertex_shape *shape)
{
    uint32_t attributes = 0;

    for (uint32_t k = 0; k < ATTRIBUTES; k++)
        attributes |= (uint32_t)(shape->at[k] >= 0) << k;
    return SUMS_NEEDED(attributes, shape->directions, shape->rational);
}

/* Tells whether the normal of a vertex is (0, 0, 0). */
static inline bool clspi_normal_is_lost(const clspi_vertex_shape *shape, const char *vertex)
{
    const ptrdiff_t at = shape->at[ATTRIBUTE_NORMAL];
    uint64_t f64[3];
    uint32_t f32[3];
    uint16_t f16[3];

    switch (shape->type) {
    case CLSPI_ROW_F64:
        memcpy(f64, vertex + at * (ptrdiff_t)sizeof *f64, sizeof f64);
        return (f64[0] | f64[1] | f64[2]) == 0;
    case CLSPI_ROW_F32:
        memcpy(f32, vertex + at * (ptrdiff_t)sizeof *f32, sizeof f32);
        return (f32[0] | f32[1] | f32[2]) == 0;
    default:
        memcpy(f16, vertex + at * (ptrdiff_t)sizeof *f16, sizeof f16);
        return (f16[0] | f16[1] | f16[2]) == 0;
    }
}

/* What vertices are made of. */
typedef struct clspi_vertex_source {
    size_t count;
    const void *sum[SUM_KINDS]; /* [count][dim, and the weight]; NULL: 0 */
    const void *param[3];       /* [count]; not read without ATTRIBUTE_PARAMS */
    const void
        *largest[2][2];   /* [count], of curves one: of the tangents along u and v the largest
                             |partial sum| of coordinates and of the weight; of surfaces, which
                             are polynomial, inverted; not read without normals and curvatures */
    const double *centre; /* that points are relative to; NULL: to the origin */
    bool of_each; /* each vertex has a centre, [count][dim], and of curves what its tangent's
                     errors are relative to, largest[0][0] */
} clspi_vertex_source;

typedef struct clspi_vertex_functions {
    size_t real_bytes;

    /* out[outer][n - 1][inner] = differences of in[outer][n][inner] along the middle, times
       factors[n - 1] or, if there are none, times factor. in and out may be the same. */
    void (*difference)(const void *in, void *out, const size_t sizes[3], const double *factors,
                       double factor);
    void (*scale)(void *values, size_t count, double factor);

    /* Finds the centre of a rational patch, and takes its control points, [count][dim + 1],
       relative to it. */
    void (*centre)(void *points, size_t count, uint32_t dim, double centre[4]);

    /* values[k] = parameter of sample first + k of num on an axis; both ends exactly. */
    void (*params)(void *values, double begin, double end, uint32_t num, uint32_t first,
                   size_t count);

    /* limits[k] = given_limit of vertex.clh at parameter k of Bernstein polynomials of a degree. */
    void (*limits)(void *limits, const void *params, size_t count, uint32_t degree);

    /* *largest = the largest |value| of `count`, num times, stride apart. */
    void (*largest)(void *largest, const void *values, uint32_t count, size_t num, size_t stride);

    /* values[k] = 1 / values[k]; 0 where that is no moderate number. */
    void (*invert)(void *values, size_t count);

    void (*make)(const clspi_vertex_shape *shape, const clspi_vertex_source *source, void *out);
} clspi_vertex_functions;

CLSPI_LEVELS(extern const clspi_vertex_functions, clspi_vertex_functions_f32, );
CLSPI_LEVELS(extern const clspi_vertex_functions, clspi_vertex_functions_f64, );
#define clspi_vertex_functions_f32 CLSPI_AT_LEVEL(clspi_vertex_functions_f32)
#define clspi_vertex_functions_f64 CLSPI_AT_LEVEL(clspi_vertex_functions_f64)

#endif
