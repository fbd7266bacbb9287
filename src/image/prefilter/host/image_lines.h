/* The prefilter of images on the host: what the kernels of cl/image/prefilter compute, in two
   precisions (docs/math.md, 18). Directions are z, y, x. A real is what the precision says.

   Lines are filtered in blocks of CLSPI_LINE_BLOCK coefficients, which begin at multiples of it,
   counted from the whole's begin. A block is made of its samples and the halos beside it and of
   nothing else, so that neither tiles nor threads nor parts of images change a bit. */
#ifndef CLSPI_IMAGE_LINES_H
#define CLSPI_IMAGE_LINES_H

#include "image_points.h"
#include "level.h"
#include "spline_orders.clh"

enum { CLSPI_LINE_BLOCK = 128, CLSPI_LINE_HALO_MAX = HALO_MAX };

/* A filter along lines; it needs `halo` samples on either side. */
typedef struct clspi_line_filter {
    enum { CLSPI_LINE_COPY, CLSPI_LINE_RECURSION, CLSPI_LINE_FIR } kind;
    uint32_t halo;
    uint32_t num_poles; /* of a recursion */
    double poles[POLES_MAX];
    const double *taps; /* 0 to halo */
} clspi_line_filter;

/* A plane in host memory: samples of a type, `step` elements apart, continued by their modes before
   the first and behind the last of a direction by pad of them; so `stored` can be asked for, and
   what lies beyond these is continued by extend. Memory has num of the `size` samples, from `first`
   on, which stand in for those that are missing. */
typedef struct clspi_line_source {
    const char *at;
    uint32_t type; /* of pixels */
    size_t step;
    double cval;
    uint32_t size[3], pad[3], mode[3], stored[3], extend[3], first[3], num[3];
} clspi_line_source;

/* Rows first_y to first_y + num_y - 1 of each of some slices, and of each num_x from first_x on. */
typedef struct clspi_line_box {
    uint32_t first_z, num_z, first_y, num_y, first_x, num_x;
} clspi_line_box;

/* What is made of a source, and where: element (z, y, x) of a box, of reals or halves, stands at
   z * slice + y * row + x. A recursion leaves its gain to `scale`, by which samples are multiplied.
 */
typedef struct clspi_line_work {
    const clspi_line_source *from;
    clspi_line_filter along_x, across; /* the latter along y, or of slices z */
    long double scale;
    void *out;
    size_t row, slice;
    bool halves;
    void *memory; /* memory_bytes of the thread's own, with any content */
} clspi_line_work;

/* Columns across slices: `width` from element `at` of each on, and slices first to first + num - 1,
   in blocks of so many, CLSPI_LINE_BLOCK at most. in_place: they are written where they are read,
   all that there are, in blocks of CLSPI_LINE_BLOCK. */
typedef struct clspi_slice_range {
    size_t at, width;
    uint32_t first, num, block;
    bool in_place;
} clspi_slice_range;

typedef struct clspi_line_functions {
    /* Reads reals of a box, [num_0][num_1][num_2], which with all indices may be beyond the ends.
     */
    void (*read)(const clspi_line_source *from, const int64_t first[3], const size_t num[3],
                 void *out);

    /* Finds the least and the greatest sample, two reals; NaN is passed over. */
    void (*range)(const clspi_line_source *from, void *range);

    /* Filters the rows of a box within the whole, and then columns of what comes of them. */
    void (*bands)(const clspi_line_work *pass, const clspi_line_box *box);

    /* Filters columns across slices of a plane of reals without padding. */
    void (*slices)(const clspi_line_work *pass, const clspi_slice_range *range);

    size_t memory_bytes;
} clspi_line_functions;

CLSPI_LEVELS(extern const clspi_line_functions, clspi_line_functions_f32, );
CLSPI_LEVELS(extern const clspi_line_functions, clspi_line_functions_f64, );
#define clspi_line_functions_f32 CLSPI_AT_LEVEL(clspi_line_functions_f32)
#define clspi_line_functions_f64 CLSPI_AT_LEVEL(clspi_line_functions_f64)

#endif
