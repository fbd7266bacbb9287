#include "info_box.h"

#include <math.h>
#include <stdio.h>

info_box info_box_none(uint32_t dim)
{
    info_box b = {.dim = dim};
    for (uint32_t k = 0; k < INFO_MAX_DIM; k++) {
        b.low[k] = HUGE_VAL;
        b.high[k] = -HUGE_VAL;
    }
    return b;
}

void info_box_grow(info_box *b, const double *point)
{
    for (uint32_t k = 0; k < b->dim; k++) {
        b->low[k] = fmin(b->low[k], point[k]);
        b->high[k] = fmax(b->high[k], point[k]);
    }
}

static void print_corner(const double *corner, uint32_t dim)
{
    for (uint32_t k = 0; k < dim; k++)
        printf("%s%.7g", k > 0 ? ", " : "(", corner[k]);
    putchar(')');
}

void info_box_print(const info_box *b, const char *name)
{
    printf("  %-12s ", name);
    print_corner(b->low, b->dim);
    fputs(" to ", stdout);
    print_corner(b->high, b->dim);
    putchar('\n');
}

void info_box_json(const info_box *b, json_list *list, cJSON *to, const char *name)
{
    cJSON *corners = json_add_array(list, to, name);
    json_add_reals(list, corners, NULL, b->low, b->dim);
    json_add_reals(list, corners, NULL, b->high, b->dim);
}
