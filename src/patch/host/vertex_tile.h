/* Vertices of tensor-product patches on grids, on the host, by the formulas and within the error
   bounds of the kernels (docs/math.md, 3 to 7 and 11): patches, or rows of one, at a time. */
#ifndef CLSPI_VERTEX_TILE_H
#define CLSPI_VERTEX_TILE_H

#include "row_sums.h"
#include "vertex_sums.h"

/* What is evaluated. A curve has direction 0 (u), a surface 0 and 1, a volume all. */
typedef struct clspi_tile_desc {
    bool f64;
    bool rational;        /* control points have weights, whatever vertices have */
    uint32_t directions;  /* 1 to 3 */
    uint32_t controls[3]; /* control points; 1 in directions that there are not */
    uint32_t terms[3];    /* of them that a sample's sum has: all, or fewer, neighbours then */
    uint32_t nums[3];     /* samples; 1 in directions that there are not */
    clspi_row_vertex vertex;

    /* Writes the values of the basis functions that are not 0 at a sample of `num`, as many as the
       direction has terms less by, and returns the number of the first one. by: order of the
       derivative whose control points they are factors of. */
    uint32_t (*values)(const void *user, uint32_t direction, uint32_t by, uint32_t num,
                       uint32_t sample, double *values);
    const void *user; /* needed while the tile is made */
} clspi_tile_desc;

struct clspi_grid_method;

typedef struct clspi_vertex_tile_desc {
    clspi_tile_desc points;                 /* of the patch itself */
    const struct clspi_grid_method *method; /* of sums, of curves and surfaces whose patches all
                                               have the same numbers of samples; NULL: by strips */
    clspi_vertex_shape shape;
    bool only_points; /* points.vertex says all of a vertex, what follows is not read but edges */
    uint32_t num_sums;
    uint32_t numbers[SUM_KINDS]; /* of the sums, in the order of clspi_vertex_source */
    uint32_t by[SUM_KINDS][3];   /* and their order as derivatives */
    double axis[3][2];           /* where samples begin and end */
    const double *params[3];     /* samples of one's own; NULL: they are uniform */

    /* Numbers of samples that patches have, ascending, needed while the tile is made; NULL: all
       have those of points. */
    const uint32_t *nums[3];
    size_t num_nums[3];

    /* Factors of first (by 1) and second differences along a direction; NULL: those of Bernstein
       polynomials. */
    const double *(*factors)(const void *user, uint32_t direction, uint32_t by);

    bool is_bernstein; /* the functions are Bernstein polynomials, of a surface both */
    bool edges;        /* surfaces whose sides at parameters 0 and 1 are made again */
    bool watertight;   /* points there too */
} clspi_vertex_tile_desc;

/* Tables of a description; read alone after they are made, and shared by all workers. */
typedef struct clspi_vertex_tile clspi_vertex_tile;

/* What one worker keeps: the partial sums of the patches that it works on. */
typedef struct clspi_strips_scratch clspi_vertex_scratch;

/* Makes the tables of a description; NULL without memory. */
clspi_vertex_tile *clspi_vertex_tile_create(const clspi_vertex_tile_desc *desc);
void clspi_vertex_tile_destroy(clspi_vertex_tile **tile);

clspi_vertex_scratch *clspi_vertex_scratch_create(const clspi_vertex_tile *tile);
void clspi_vertex_scratch_destroy(clspi_vertex_scratch **scratch);

/* Says that the control points are no longer those that a scratch's sums are of. */
void clspi_vertex_scratch_forget(clspi_vertex_scratch *scratch);

/* Some rows (samples of u) of a patch, or of patches that follow each other. */
typedef struct clspi_tile_rows {
    const void *points; /* the first patch's control points, [controls[0]][controls[1]][controls[2]]
                           [dim, and the weight] */
    size_t patch;       /* its number, by which sums are known again */
    size_t more;        /* patches after it, which have the same rows and numbers of samples */
    const uint32_t *nums; /* of samples, [directions]; NULL: those of points */
    bool only_edges;      /* vertices are there: watertight points are made again */
    uint32_t first_row, num_rows;
    void *out; /* [1 + more][num_rows][samples of v][samples of w][stride] elements */
} clspi_tile_rows;

/* Evaluates rows. Other elements of a vertex than its attributes stay as they are. Results do not
   depend on how rows are split. */
void clspi_vertex_tile_eval(const clspi_vertex_tile *tile, clspi_vertex_scratch *scratch,
                            const clspi_tile_rows *rows);

/* Evaluates `count` vertices from `first` on of the patch of some rows, whose own numbers and
   `more` are not read: out begins with the first of them. False without memory. */
bool clspi_vertex_tile_some(const clspi_vertex_tile *tile, clspi_vertex_scratch *scratch,
                            const clspi_tile_rows *rows, size_t first, size_t count);

#endif
