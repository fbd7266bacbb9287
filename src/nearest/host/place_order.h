/* Points in the order of a curve that fills space (Morton's), so that what follows each other lies
   together. */
#ifndef CLSPI_PLACE_ORDER_H
#define CLSPI_PLACE_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Points of dim coordinates, doubles or floats. */
typedef struct clspi_places {
    bool f64;
    uint32_t dim;
    size_t num; /* below 2^32 */
    const void *points;
} clspi_places;

/* Fills order, [num], with the numbers of the points. False without memory. */
bool clspi_place_order(const clspi_places *places, uint32_t *order);

#endif
