/* The kernel that tests of the device layer launch: a table of Bernstein values on [0, 1]. */
#ifndef TESTS_TABLE_FIXTURE_H
#define TESTS_TABLE_FIXTURE_H

#include "kernel_arguments.h"

static inline clspi_bernstein_table_args table_args(cl_mem table, cl_uint order, cl_uint num,
                                                    cl_uint stride)
{
    const clspi_bernstein_table_args args = {.table = table,
                                             .axis = {.begin = 0.0,
                                                      .end = 1.0,
                                                      .begin_rest = 0.0,
                                                      .end_rest = 0.0,
                                                      .t_begin = 0.0,
                                                      .t_end = 1.0,
                                                      .s_begin = 1.0,
                                                      .s_end = 0.0,
                                                      .num = num},
                                             .order = order,
                                             .stride = stride};

    return args;
}

#endif
