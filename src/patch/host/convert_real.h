/* Vertices of reals stored in another type; the file that includes this one names `real`. */
#ifndef CLSPI_CONVERT_REAL_H
#define CLSPI_CONVERT_REAL_H

#include "half.h"
#include "row_sums.h"

enum {
    CONVERT_BLOCK = 64,       /* vertices */
    CONVERT_ELEMENTS_MAX = 56 /* of each */
};

/* Where the elements of vertices go. */
typedef struct placement {
    clspi_row_type type;
    size_t stride;     /* from one vertex to the next */
    size_t num;        /* elements of each that are stored */
    const int32_t *at; /* where each begins */
} placement;

/* Changes the type of `num` reals, by one loop for each type. */
CLSPI_INLINE void change_type(clspi_row_type type, void *restrict out, const real *restrict from,
                              size_t num)
{
    switch (type) {
    case CLSPI_ROW_F16:
        clspi_halves(out, from, num);
        break;
    case CLSPI_ROW_F32:
        for (size_t k = 0; k < num; k++)
            ((float *)out)[k] = (float)from[k];
        break;
    default:
        for (size_t k = 0; k < num; k++)
            ((double *)out)[k] = (double)from[k];
        break;
    }
}

/* Puts elements of `bytes` bytes, a constant where this is inlined, where they go. */
CLSPI_INLINE void place(const placement *to, char *restrict out, const char *restrict from,
                        size_t count, size_t bytes)
{
    for (size_t k = 0; k < to->num; k++)
        for (size_t i = 0; i < count; i++)
            memcpy(out + (i * to->stride + (size_t)to->at[k]) * bytes,
                   from + (i * to->num + k) * bytes, bytes);
}

/* Tells whether vertices have no other elements, and these in order. */
static bool is_whole(const placement *to)
{
    bool whole = to->num == to->stride;

    for (size_t k = 0; k < to->num; k++)
        whole = whole && to->at[k] == (int32_t)k;
    return whole;
}

/* Stores at most CONVERT_BLOCK vertices, made side by side, in another type. */
CLSPI_INLINE void convert_vertices(const placement *to, void *out, const real *made, size_t count)
{
    double memory[CONVERT_BLOCK * CONVERT_ELEMENTS_MAX];
    const bool whole = is_whole(to);

    change_type(to->type, whole ? out : memory, made, count * to->num);
    if (whole) return;
    if (to->type == CLSPI_ROW_F16)
        place(to, out, (const char *)memory, count, 2);
    else if (to->type == CLSPI_ROW_F32)
        place(to, out, (const char *)memory, count, 4);
    else
        place(to, out, (const char *)memory, count, 8);
}

#endif
