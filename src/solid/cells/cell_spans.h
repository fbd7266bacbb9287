/* Records of cells, such as blocks and sets, found by the cells that they have. */
#ifndef CLSPI_CELL_SPANS_H
#define CLSPI_CELL_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The first and the last cell of a record. */
typedef struct clspi_cell_span {
    uint32_t first, last;
} clspi_cell_span;

/* Spans of records whose first cells ascend; once they are ready, the last cell of each is that of
   all before, too. */
typedef struct clspi_cell_spans {
    uint32_t *first, *last;
} clspi_cell_spans;

/* Makes room for so many records, of which none is known; to be released whatever happens. False:
   no memory. */
bool clspi_cell_spans_make(clspi_cell_spans *spans, size_t num);
void clspi_cell_spans_release(clspi_cell_spans *spans);

/* To be called when all records are there. */
void clspi_cell_spans_ready(clspi_cell_spans *spans, size_t num);

/* Returns the end of the records that may have cells first .. end - 1, of which *begin is the
   first. */
size_t clspi_cell_spans_find(const clspi_cell_spans *spans, size_t num, size_t first, size_t end,
                             size_t *begin);

#endif
