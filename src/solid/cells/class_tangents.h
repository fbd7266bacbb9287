/* Derivatives where they have limits, or a plane of limits, though weights of the parameter itself
   do not end (docs/math.md, 19). */
#ifndef CLSPI_CLASS_TANGENTS_H
#define CLSPI_CLASS_TANGENTS_H

#include "cell_class.h"

/* Replaces the weights of a first derivative 2^-20 away from t, of clspi_class_weights, by those of
   its limit at t, where there is one: along a boundary face, and across the slices of a layered
   cell. Else they become their projection to the plane of tangents there. Those of other
   derivatives stay, and at a sharp edge across slices, where there is no such plane, those not
   along the boundary. Uses all scratch rows. */
void clspi_class_tangent(const clspi_class_set *set, uint32_t number, const double t[3],
                         const uint8_t by[3], uint32_t face, double *row);

#endif
