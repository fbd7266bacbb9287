/* What a plan of tensor-product patches computes: the description that a family makes of its own
   one, and what it tells of its basis functions. */
#ifndef CLSPI_TENSOR_DESC_H
#define CLSPI_TENSOR_DESC_H

#include <clspline/patch.h>

#include "launch.h"

enum {
    CLSPI_DERIVATIVES = 3,   /* orders of a derivative in one direction: 0, 1, 2 */
    CLSPI_ROWS_MULTIPLE = 32 /* parts of a patch begin at multiples of this row: of every block of
                                 rows and of every vector */
};

struct clspi_basis_table;

/* A sample of an axis that has num of them, and the order of the derivative there. */
typedef struct clspi_sample {
    uint32_t direction, by, num, sample;
} clspi_sample;

/* The basis functions of a plan. Those of the by-th derivative are what the control points'
   differences are summed with: of Bernstein polynomials those of a degree less by `by`. */
typedef struct clspi_basis {
    const void *user;

    /* Writes the values of the functions that are not 0 at a sample, as many as the direction has
       terms less by, and returns the number of the first one. */
    uint32_t (*values)(const void *user, uint32_t direction, uint32_t by, uint32_t sample,
                       double *values);

    /* Writes the same at a sample of an axis of which the begin and the end are the plan's, and the
       number of samples may be another. */
    uint32_t (*uniform_values)(const void *user, const clspi_sample *at, double *values);

    /* Fills a whole table, [terms][stride] with zeros in the padding, on the device; NULL: large
       tables are filled on the host too. */
    clsp_status (*fill)(const void *user, clspi_series *series,
                        const struct clspi_basis_table *table, cl_mem whole, uint32_t stride);

    /* Directions of equal identity have equal values at equal samples. */
    uint64_t (*identity)(const void *user, uint32_t direction, uint32_t by);

    /* Factors of first (by 1) and second differences of control points along a direction; NULL, and
       of every direction then: those of Bernstein polynomials. */
    const double *(*factors)(const void *user, uint32_t direction, uint32_t by);

    /* Counts the spans of a direction, on each of which the functions that are not 0 are
       polynomials; NULL: there is one. */
    uint32_t (*num_spans)(const void *user, uint32_t direction);

    /* Describes a span: where it begins and ends, and in terms of Bernstein polynomials on it its
       functions, as many as degree + 1, a row each, or with by 1 those of a degree less that
       differences of control points are summed with. Returns the number of the first one. */
    uint32_t (*span)(const void *user, uint32_t direction, uint32_t span, uint32_t by,
                     double ends[2], double *functions);

    /* Tells whether first derivatives of a direction jump between spans. */
    bool (*has_kinks)(const void *user, uint32_t direction);

    bool is_symmetric; /* value i at u is value n - i at 1 - u, on [0, 1] */
    bool is_bernstein; /* the derivative of a sum is p times the sum of degree p - 1 over the
                          differences of its terms, whatever these are */
} clspi_basis;

typedef struct clspi_tensor_desc {
    clsp_type precision;
    uint32_t directions; /* 1 to 3 */
    bool is_triangle;    /* over a triangle: u and v share direction 0 of what follows */
    uint32_t dim;        /* coordinates of a point */
    uint32_t rational;   /* 1: control points have a weight behind them */
    bool check_weights;  /* weights on the device are looked at too when they are loaded */
    uint32_t degrees[3];
    uint32_t controls[3]; /* control points; of directions that there are not 1 */
    uint32_t terms[3];    /* of a sample's sum: all control points, or fewer, neighbours then */
    clsp_axis axis[3];    /* of the grid; num 0: there is none */
    cl_mem samples;       /* of axes with params, where vertices need them (own_samples.h); borrowed
                             from the plan, else NULL */
    double domain[3][2];  /* of each direction's parameter */
    size_t num_controls;  /* of a patch */
    uint32_t watertight;  /* 1: points on edges of patch grids are the edges' alone */
    clsp_vertex_layout vertex; /* resolved by clspi_layout_resolve */
    clspi_basis basis;
    size_t own_bases; /* patches that have a basis each, of curves only: then vertices are made one
                         by one, and an axis over the whole domain is one over each patch's own. 0:
                         they share one */
    size_t basis_reals; /* of each of these bases on the device */
} clspi_tensor_desc;

/* Returns the coordinates of a control point, the weight among them. */
static inline uint32_t clspi_coords(const clspi_tensor_desc *d)
{
    return d->dim + d->rational;
}

static inline bool clspi_is_banded(const clspi_tensor_desc *d, uint32_t direction)
{
    return d->terms[direction] < d->controls[direction];
}

/* Tells whether rows u and 1 - u of a grid on [0, 1] may be made of the same sums and differences
   of terms: not of rational patches, where the terms of one end may be far smaller than those of
   the other, and be lost (docs/math.md, 4). */
static inline bool clspi_pairs_rows(const clspi_tensor_desc *d)
{
    return d->basis.is_symmetric && !d->rational;
}

/* Tells whether the sums of a grid are those of control points relative to a centre of each patch:
   where there are derivatives of rational patches (centre_points.h). */
static inline bool clspi_is_centred(const clspi_tensor_desc *d)
{
    const unsigned plain = CLSP_VERTEX_POINT | CLSP_VERTEX_WEIGHT | CLSP_VERTEX_PARAMS;

    return d->rational && (d->vertex.attributes & ~plain) != 0;
}

/* Returns the directions that a grid has numbers for: of triangles one. */
static inline uint32_t clspi_grid_directions(const clspi_tensor_desc *d)
{
    return d->is_triangle ? 1 : d->directions;
}

/* Tells whether two descriptions have the same numbers of control points and the same degrees. */
bool clspi_same_controls(const clspi_tensor_desc *a, const clspi_tensor_desc *b);

/* Tells whether an axis runs over all of [0, 1] from 0 to 1. */
bool clspi_is_unit_axis(const clsp_axis *axis);

/* Tells whether rows u and 1 - u share no sums, so that vertex_bands.cl makes vertices whose sums
   vertex_rows.cl would. */
static inline bool clspi_vertex_rows_in_bands(const clspi_tensor_desc *d)
{
    return clspi_is_banded(d, 0) || !clspi_pairs_rows(d) || !clspi_is_unit_axis(&d->axis[0]);
}

/* Checks an axis: num at most CLSP_PATCH_MAX_SAMPLES, begin and end within the domain; both 0
   become the domain. family begins messages. */
clsp_status clspi_axis_resolve(clspi_log *log, const char *family, clsp_axis *axis,
                               const double domain[2]);

/* Checks all axes of a grid of so many directions, which has samples along all of them or along
   none. */
clsp_status clspi_axes_resolve(clspi_log *log, const char *family, clsp_axis axis[3],
                               const double domain[3][2], uint32_t directions);

/* Returns what rounding to a precision takes from a number. */
static inline double clspi_rounded_off(clsp_type precision, double x)
{
    return precision == CLSP_F64 ? 0.0 : x - (double)(float)x;
}

/* Returns the axis with the first and the last of its own samples as its ends, as a tensor
   description has it. */
clsp_axis clspi_axis_with_ends(const clsp_axis *axis);

/* Checks that a precision is CLSP_F32 or CLSP_F64 (CLSP_ERROR_ARGUMENT) and that the device has it
   (CLSP_ERROR_NO_FP64). */
clsp_status clspi_precision_check(clsp_context *ctx, const char *family, clsp_type precision);

#endif
