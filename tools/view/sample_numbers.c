#include "sample_numbers.h"

uint32_t sample_numbers_nest(uint32_t wanted, uint32_t present)
{
    uint32_t samples = 2;
    while (samples < wanted && samples < SAMPLE_NUMBERS_MOST)
        samples = 2 * samples - 1;
    /* A step down is taken when the cells wanted are at most 3/8 of those present, so that a view
       between two steps has the samples that it had. */
    if (present > samples && 8 * (uint64_t)(wanted - 1) > 3 * (uint64_t)(present - 1))
        return present;
    return samples;
}

void sample_numbers_limit(uint32_t *num, size_t count, uint64_t budget, sample_counter triangles,
                          const void *user)
{
    for (uint32_t most = SAMPLE_NUMBERS_MOST; most > 2 && triangles(user, num) > budget;) {
        most = (most - 1) / 2 + 1;
        for (size_t i = 0; i < count; i++)
            if (num[i] > most) num[i] = most;
    }
}
