/* The spans of a direction of splines, and their functions, for lists that the host makes. */
#ifndef CLSPI_LIST_SPANS_H
#define CLSPI_LIST_SPANS_H

#include "tensor_desc.h"

typedef struct clspi_list_spans {
    uint32_t num;    /* 0: not made */
    uint32_t order;  /* functions that are not 0 on a span */
    double *ends;    /* [num][2] */
    uint32_t *first; /* [num]: the number of the first function */
    uint32_t *part;  /* [num + 1]: in which span each of `num` equal parts of the domain begins, and
                       the last one ends */
    uint32_t *middle;  /* [num]: in which span the middle of each part is */
    double parts;      /* in a unit of length; NaN: they are not to be looked at */
    double *functions; /* [num][order][order], in terms of Bernstein polynomials: of each of
                          these a row, of each function a column */
    double *slopes; /* [num][order - 1][order - 1] likewise, of first derivatives: what differences
                       of control points are summed with, times their factors; NULL: not made */
} clspi_list_spans;

/* Tells whether the spans of a description take little memory. */
bool clspi_list_spans_fit(const clspi_tensor_desc *desc);

/* Tells whether vertices have first derivatives. */
bool clspi_list_has_slopes(const clspi_tensor_desc *desc);

/* Makes the spans of a direction, where that has not been done. False: no memory. */
bool clspi_list_spans_make(clspi_list_spans *spans, const clspi_tensor_desc *desc,
                           uint32_t direction);
void clspi_list_spans_release(clspi_list_spans *spans);

/* Finds the span of a real x in the domain: where the functions jump at a place that x is but for
   the rounding of that to the precision, the one that begins there. */
uint32_t clspi_list_span_of(const clspi_list_spans *spans, double x, bool is_double);

#endif
