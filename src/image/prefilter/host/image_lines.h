/* The prefilter of images on the host, one direction at a time: what image_passes.cl and
   image_fir.cl compute, in two precisions (docs/math.md, 18). Directions are z, y, x. A real is
   what the precision says. */
#ifndef CLSPI_IMAGE_LINES_H
#define CLSPI_IMAGE_LINES_H

#include "image_points.h"
#include "level.h"

enum { CLSPI_LINE_HALO_MAX = 64 };

/* A filter along lines; it needs `halo` samples on either side. */
typedef struct clspi_line_filter {
    enum { CLSPI_LINE_COPY, CLSPI_LINE_RECURSION, CLSPI_LINE_FIR } kind;
    uint32_t halo;
    double poles[2];    /* of a recursion; the second one may be 0 */
    double scale;       /* by which a recursion multiplies besides */
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

/* Rows first_y to first_y + num_y - 1 of each of some slices, and of each num_x from first_x on. y
   may be beyond the ends. */
typedef struct clspi_line_box {
    int64_t first_y;
    uint32_t first_z, num_z, num_y, first_x, num_x;
} clspi_line_box;

typedef struct clspi_line_functions {
    /* Reads reals of a row, which with all indices may be beyond the ends. */
    void (*read)(const clspi_line_source *from, int64_t z, int64_t y, int64_t x, size_t num,
                 void *out);

    /* Filters rows: out is [num_z][num_y][num_x], of reals or halves. */
    void (*rows)(const clspi_line_filter *f, const clspi_line_source *from,
                 const clspi_line_box *box, void *out, bool halves);

    /* Filters columns of num + 2 halo rows of reals, which are num_x long: out is [num][num_x],
       rows `stride` elements apart. */
    void (*columns)(const clspi_line_filter *f, const void *const *rows, size_t num, size_t num_x,
                    void *out, size_t stride, bool halves);
} clspi_line_functions;

CLSPI_LEVELS(extern const clspi_line_functions, clspi_line_functions_f32, );
CLSPI_LEVELS(extern const clspi_line_functions, clspi_line_functions_f64, );
#define clspi_line_functions_f32 CLSPI_AT_LEVEL(clspi_line_functions_f32)
#define clspi_line_functions_f64 CLSPI_AT_LEVEL(clspi_line_functions_f64)

#endif
