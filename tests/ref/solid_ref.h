/* The oracle of solids: explicit subdivision by the rules alone, a level after the other, of the
   cells that touch the one where the parameter is. It knows no classes, no frames and no closed
   forms, finds edges and faces anew at each level by comparing vertices, and shares no line with
   the library.

   Rules, with c a cell's mean, A a face's, M an edge's: face point (c + 2 A + c') / 4, on the
   boundary A; edge point (mean c + 2 mean A + (n - 3) M) / n for n faces, on the boundary
   (A + A' + 2 M) / 4 of its two boundary faces, on a crease M; vertex point
   (mean c + 3 mean A) / m + sum_e n_e (n_e - 3) / m^2 M_e + k V for m cells, k what lacks of 1; on
   the boundary (mean A + 2 mean M + (n - 3) V) / n of its n boundary faces, with two creases
   (M + M' + 2 V) / 4, with more V. The sharpness of a crease is one less after each level; below 1
   it is the share of the sharp rule in the edge's point, and the mean of those to 1 at a vertex the
   share of its own rule, where another one holds at the next level. Points whose rule asks for
   cells that are not there become NaN, so that a result shows that none was needed. */
#ifndef SOLID_REF_H
#define SOLID_REF_H

#include <stddef.h>
#include <stdint.h>

/* Corner i of a cell is at (u, v, w) = bits 0, 1 and 2 of i. */
typedef struct ref_solid {
    size_t num_cells;
    const uint32_t *cell; /* [num_cells][8] */
    const double *point;  /* [vertices][3] */
    size_t num_creases, num_corners;
    const uint32_t *crease;  /* [num_creases][2] */
    const double *sharpness; /* [num_creases], or NULL: endless */
    const uint32_t *corner;
} ref_solid;

/* Computes the limit at a parameter of a cell: so many levels, then the trilinear interpolation of
   what is left of the cell. */
void ref_solid_limit(const ref_solid *solid, size_t cell, const long double t[3], unsigned levels,
                     long double limit[3]);

/* Computes a derivative, by[a] times in direction a, each at most 2, by differences over
   h that are exact for polynomials of degree 4. t must be 2 h from the cell's faces, or the limit
   differentiable there. */
void ref_solid_derivative(const ref_solid *solid, size_t cell, const long double t[3],
                          const unsigned by[3], long double h, long double derivative[3]);

/* Computes the unit normal, outward of cells of positive Jacobian, at the limit of a boundary
   vertex without creases of n boundary faces: the cross product of sum_i A c_i e_i + (c_i +
   c_{i+1}) f_i and the same a face on, with c_i = cos(2 pi i / n), A = 1 + c_1 + cos(pi / n) sqrt(2
   (9 + c_1)), e_i and f_i the other ends of edges and the diagonals of faces (Halstead, Kass and
   DeRose, SIGGRAPH 1993). */
void ref_solid_normal(const ref_solid *solid, uint32_t vertex, long double normal[3]);

#endif
