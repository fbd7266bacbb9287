/* Where lists of some counts begin that follow each other. */
#ifndef CLSPI_BEGINS_H
#define CLSPI_BEGINS_H

#include <stddef.h>

/* Makes begins of num counts, and the end of all behind them: [num + 1]. Returns that end. */
static inline size_t clspi_begins_of_counts(size_t *count, size_t num)
{
    size_t sum = 0;

    for (size_t i = 0; i < num; i++) {
        const size_t own = count[i];
        count[i] = sum;
        sum += own;
    }
    count[num] = sum;
    return sum;
}

#endif
