#include "tuning.h"

#include <string.h>

#include "check.h"
#include "profile.h"

typedef struct tuning_row {
    clsp_device_class device_class; /* 0: any */
    const char *platform;           /* part of the platform's name; NULL: any */
    clspi_tuning tuning;
} tuning_row;

#define FMA_SLOW UINT64_C(4000000000)
#define FMA_FAST UINT64_C(100000000000)

/* The first row that fits counts.
   PoCL compiles every kernel of a program when its binary is asked for, and keeps a cache of its own.
   65535 groups: older Mesa drivers fail above. */
static const tuning_row rows[] = {
    {CLSP_CLASS_CPU, "Portable Computing", {4, 65535, 64, FMA_SLOW, 32, 0}},
    {CLSP_CLASS_CPU, NULL, {4, 65535, 64, FMA_SLOW, 32, 1}},
    {CLSP_CLASS_INTEGRATED, "Portable Computing", {64, 65535, 0, FMA_SLOW, 1024, 0}},
    {CLSP_CLASS_INTEGRATED, NULL, {64, 65535, 0, FMA_SLOW, 1024, 1}},
    {CLSP_CLASS_DISCRETE, "Portable Computing", {64, 65535, 0, FMA_FAST, 1024, 0}},
    {CLSP_CLASS_DISCRETE, NULL, {64, 65535, 0, FMA_FAST, 1024, 1}},
    {0, NULL, {64, 65535, 0, FMA_SLOW, 1024, 0}},
};

clspi_tuning clspi_tuning_for(const clsp_device_info *info)
{
    for (size_t i = 0; i + 1 < CLSPI_COUNT(rows); i++) {
        const tuning_row *const row = &rows[i];
        if (row->device_class == info->device_class &&
            (!row->platform || clspi_contains(info->platform, row->platform, strlen(row->platform))))
            return row->tuning;
    }
    return rows[CLSPI_COUNT(rows) - 1].tuning;
}
