/* What a search for a nearest point gives. */
#ifndef CLSPI_NEAREST_RESULT_H
#define CLSPI_NEAREST_RESULT_H

#include <stdint.h>

/* What becomes of a query. */
typedef enum clspi_search_status {
    CLSPI_SEARCH_FOUND,
    CLSPI_SEARCH_CUT,
    CLSPI_SEARCH_NONE,
    CLSPI_SEARCH_INVALID
} clspi_search_status;

/* A result: distance, bound, parameter, point, number of the patch, clspi_search_status. */
typedef struct clspi_nearest_f32 {
    float distance, bound, param[3], point[4];
    uint32_t patch, status;
} clspi_nearest_f32;

typedef struct clspi_nearest_f64 {
    double distance, bound, param[3], point[4];
    uint32_t patch, status;
} clspi_nearest_f64;

#endif
