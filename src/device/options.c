#include "options.h"

#include <stdio.h>

#include "check.h"

static void add(clspi_options *options, const char *format, const char *name,
                unsigned long long value)
{
    const size_t room = sizeof options->text - options->used;
    const int length = snprintf(options->text + options->used, room, format, name, value);

    if (length < 0 || (size_t)length >= room) {
        options->too_long = true;
        options->text[options->used] = '\0';
    } else {
        options->used += (size_t)length;
    }
}

void clspi_option(clspi_options *options, const char *name, uint64_t value)
{
    add(options, options->used > 0 ? " -DCLSP_%s=%llu" : "-DCLSP_%s=%llu", name, value);
}

void clspi_option_registers(clspi_options *options, uint32_t most)
{
    add(options, " %s=%llu", "-cl-nv-maxrregcount", most);
}

clspi_options clspi_options_after(const char *text)
{
    clspi_options options = {.used = 0};

    add(&options, "%s", text, 0);
    return options;
}

void clspi_options_add(clspi_options *options, const clspi_options *more)
{
    if (more->used > 0) add(options, options->used > 0 ? " %s" : "%s", more->text, 0);
    options->too_long = options->too_long || more->too_long;
    if (more->real_bytes > 0) options->real_bytes = more->real_bytes;
}

clspi_options clspi_options_of(const clsp_context *ctx, clsp_type precision)
{
    clspi_options options = {.real_bytes = clsp_type_bytes(precision)};

    clspi_option(&options, "REAL", 8 * options.real_bytes);
    clspi_option(&options, "FMA", precision == CLSP_F64 || ctx->device.fma);
    clspi_option(&options, "ADDRESS", ctx->device.address_bits);
    return options;
}
