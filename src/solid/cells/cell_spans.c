#include "cell_spans.h"

#include <stdlib.h>

bool clspi_cell_spans_make(clspi_cell_spans *spans, size_t num)
{
    spans->first = malloc((num + 1) * sizeof *spans->first);
    spans->last = malloc((num + 1) * sizeof *spans->last);
    return spans->first && spans->last;
}

void clspi_cell_spans_release(clspi_cell_spans *spans)
{
    free(spans->first);
    free(spans->last);
    *spans = (clspi_cell_spans){0};
}

void clspi_cell_spans_ready(clspi_cell_spans *spans, size_t num)
{
    for (size_t i = 1; i < num; i++)
        if (spans->last[i] < spans->last[i - 1]) spans->last[i] = spans->last[i - 1];
}

/* Returns how many of ascending numbers are below a limit. */
static size_t count_below(const uint32_t *numbers, size_t num, size_t limit)
{
    size_t low = 0, high = num;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (numbers[middle] < limit)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

size_t clspi_cell_spans_find(const clspi_cell_spans *spans, size_t num, size_t first, size_t end,
                             size_t *begin)
{
    *begin = count_below(spans->last, num, first);
    return count_below(spans->first, num, end);
}
