/* The way from a cell of a class to those of its descendants where a parameter is, and that of
   weights back. */
#ifndef CLSPI_CLASS_DESCENT_H
#define CLSPI_CLASS_DESCENT_H

#include "cell_class.h"

enum { CLSPI_DESCENT_ROOM = 1008 }; /* 2^1008 is a double */

/* A parameter on its way from a cell to its children. */
typedef struct clspi_descent {
    double t[3];
    uint8_t by[3];
    double factor; /* of the derivative */
    uint32_t depth;
    uint32_t number[CLSPI_DESCENT_ROOM]; /* classes on the way */
    uint8_t corner[CLSPI_DESCENT_ROOM];  /* children */
} clspi_descent;

void clspi_descent_begin(clspi_descent *way, const double t[3], const uint8_t by[3]);

/* Goes to the child of a class where the parameter is; returns the child's class. */
uint32_t clspi_descend(const clspi_class_set *set, clspi_descent *way, uint32_t number);

/* Turns weights of a child's points into weights of its parent's points. */
void clspi_ascend(const clspi_class_child *child, const double *from, double *to,
                  uint32_t num_points);

/* Takes from the weights of a derivative what rounding has left in their sum, which is 0: on the
   way up all else becomes less, and the factor is as large as that. */
void clspi_balance(double *row, uint32_t num_points);

/* Computes the weights of the layers of a class that has slices, at t across them, derived `by`
   times; none of layers beyond the boundary, which continue those there are. */
void clspi_layer_weights(const clspi_cell_class *of, double t, uint32_t by, double weight[4]);

/* Sums the weights of a column: a point of a slice in all layers. */
double clspi_column_sum(const clspi_cell_class *of, const double *row, size_t point);

/* Makes the weights of a column's points `value` by those of layers. */
void clspi_column_set(const clspi_cell_class *of, size_t point, double value,
                      const double weight[4], double *row);

#endif
