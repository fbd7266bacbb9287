/* Build options of programs. */
#ifndef CLSPI_OPTIONS_H
#define CLSPI_OPTIONS_H

#include "context_internal.h"

enum { CLSPI_OPTIONS_MAX = 1024 };

/* A text that knows when it was too long; programs refuse it then. */
typedef struct clspi_options {
    char text[CLSPI_OPTIONS_MAX];
    size_t used;
    bool too_long;
    size_t
        real_bytes; /* of the precision: by it kernels get their arguments; 0: they have no reals */
    uint32_t registers; /* of an item at most, where a compiler can be told and does not have to
                           spill then; 0: as many as it takes */
} clspi_options;

/* Makes the options that real.clh asks for. */
clspi_options clspi_options_of(const clsp_context *ctx, clsp_type precision);

/* Makes options that begin with a text of their own, such as the OpenCL C that they need. */
clspi_options clspi_options_after(const char *text);

/* Adds -DCLSP_NAME=value. */
void clspi_option(clspi_options *options, const char *name, uint64_t value);

/* Adds the most registers of an item, in the words of NVIDIA's compiler. */
void clspi_option_registers(clspi_options *options, uint32_t most);

/* Adds all of another text of options. */
void clspi_options_add(clspi_options *options, const clspi_options *more);

#endif
