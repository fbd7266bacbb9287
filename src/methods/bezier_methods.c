#include <clspline/bezier.h>

#include "bezier_sums.h"
#include "check.h"

static clsp_status check_degrees(clspi_log *log, const clsp_bezier_desc *d, const char *method,
                                 uint32_t value, uint32_t most)
{
    if (value <= most) return CLSP_OK;
    return clspi_fail(
        log, CLSP_ERROR_DEGREE,
        "bezier: degrees %u and %u: %s is at most %u in this precision; other methods "
        "have no such bound",
        d->degree[0], d->degree[1], method, most);
}

/* Checks the bounds of powers (docs/math.md, 8) and of C(n, k) in the precision's range. */
static clsp_status check(clspi_log *log, const clsp_bezier_desc *d)
{
    const bool wide = d->precision == CLSP_F64;
    const uint32_t most_matrix = wide ? 64 : 22, most_brute = wide ? 900 : 100;
    const uint32_t larger = d->degree[0] > d->degree[1] ? d->degree[0] : d->degree[1];

    if (d->method == CLSP_BEZIER_MATRIX)
        return check_degrees(log, d, "by the method matrix their sum", d->degree[0] + d->degree[1],
                             most_matrix);
    if (d->method != CLSP_BEZIER_BRUTE) return CLSP_OK;
    if (d->axis[0].params || d->axis[1].params)
        return clspi_fail(log, CLSP_ERROR_ARGUMENT,
                          "bezier: the method brute has uniform axes alone, not params of: %g",
                          (double)d->axis[0].num);
    return check_degrees(log, d, "by the method brute each", larger, most_brute);
}

const clspi_bezier_methods clspi_published_bezier = {
    .sums = {[CLSP_BEZIER_MULTILEVEL] = &clspi_table_sums,
             [CLSP_BEZIER_MATRIX] = &clspi_matrix_sums,
             [CLSP_BEZIER_BRUTE] = &clspi_power_sums},
    .check = check};
