#include "message.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool io_fail(io_message *message, const char *format, ...)
{
    if (message) {
        va_list args;
        va_start(args, format);
        vsnprintf(message->text, sizeof(message->text), format, args);
        va_end(args);
    }
    return false;
}

bool io_fail_errno(io_message *message, const char *name, const char *action)
{
    int code = errno; /* 0 where the C library has set none */
    return io_fail(message, "%s: %s%s%s", name, action, code ? ": " : "",
                   code ? strerror(code) : "");
}

void io_report(const io_progress *progress, size_t done, size_t total)
{
    if (progress && total > 0) progress->report(progress->user, (double)done / (double)total);
}
