/* What a search for nearest points is asked, and what it gives: of curves and of surfaces. */
#ifndef CLSPI_NEAREST_QUERY_H
#define CLSPI_NEAREST_QUERY_H

#include <stdbool.h>
#include <stddef.h>
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

/* Reads number i of doubles, or of floats. */
static inline double clspi_real_at(bool f64, const void *from, size_t i)
{
    return f64 ? ((const double *)from)[i] : (double)((const float *)from)[i];
}

/* Writes number i of doubles, or of floats. */
static inline void clspi_real_put(bool f64, void *to, size_t i, double x)
{
    if (f64)
        ((double *)to)[i] = x;
    else
        ((float *)to)[i] = (float)x;
}

/* What a nearest point is on: its edge's tolerance, the edge and the face; UINT32_MAX: none. */
typedef struct clspi_nearest_foot {
    double tolerance;
    uint32_t edge, face;
} clspi_nearest_foot;

enum { CLSPI_NORMAL_REALS = 4 /* a normal and a signed distance */ };

/* Queries, and where their results go. */
typedef struct clspi_nearest_queries {
    bool f64;                /* points, hints and results are doubles, else floats */
    size_t num;              /* of them to be searched for */
    const uint32_t *order;   /* [num], which ones, of surfaces; NULL: 0 to num - 1 */
    const void *points;      /* [..][dim] */
    const uint32_t *patches; /* [..], the patch of each; NULL: all patches */
    const void *hints;       /* [..][directions], NaN: none; NULL: none at all. With more than one
                                patch only beside patches */
    uint32_t num_nearest;    /* results of each: of surfaces 1, of curves up to
                                CLSPI_SEARCH_NEAREST_MAX local minima */
    double max_dist;         /* 0: no limit */
    void *out;               /* [..][num_nearest] of clspi_nearest_f32 or clspi_nearest_f64 */
    void *normals;           /* of surfaces of three dimensions: [..][CLSPI_NORMAL_REALS]; NULL: not
                                asked for */
    bool has_probes; /* of searches of several plans: sides are also looked for where nearest
                        points do not tell them */
    clspi_nearest_foot *feet; /* of searches of several plans: [..]; NULL: not asked for */
} clspi_nearest_queries;

#endif
