#include "log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "process.h"

/* For failures before there is a context to keep them. */
static _Thread_local char thread_last[CLSPI_MESSAGE_MAX];

clsp_status clspi_log_init(clspi_log *log, clsp_log_fn fn, void *user)
{
    log->fn = fn;
    log->user = user;
    log->process = clspi_process();
    log->last[0] = '\0';
    return pthread_mutex_init(&log->lock, NULL) == 0 ? CLSP_OK : CLSP_ERROR_NO_MEMORY;
}

void clspi_log_release(clspi_log *log)
{
    pthread_mutex_destroy(&log->lock);
}

bool clspi_log_is_inherited(const clspi_log *log)
{
    return log->process != clspi_process();
}

static void deliver(clspi_log *log, clsp_log_level level, const char *text)
{
    if (!log) {
        if (level == CLSP_LOG_ERROR) strcpy(thread_last, text);
        return;
    }
    if (clspi_log_is_inherited(log)) {
        if (log->fn) log->fn(log->user, level, text);
        return;
    }
    pthread_mutex_lock(&log->lock);
    if (level == CLSP_LOG_ERROR) strcpy(log->last, text);
    if (log->fn) log->fn(log->user, level, text);
    pthread_mutex_unlock(&log->lock);
}

static void format_and_deliver(clspi_log *log, clsp_log_level level, const char *format,
                               va_list args)
{
    char text[CLSPI_MESSAGE_MAX];

    if (vsnprintf(text, sizeof text, format, args) < 0) strcpy(text, "(message lost)");
    deliver(log, level, text);
}

void clspi_message(clspi_log *log, clsp_log_level level, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    format_and_deliver(log, level, format, args);
    va_end(args);
}

clsp_status clspi_fail(clspi_log *log, clsp_status status, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    format_and_deliver(log, CLSP_LOG_ERROR, format, args);
    va_end(args);
    return status;
}

clsp_status clspi_cl(clspi_log *log, cl_int code, const char *what)
{
    enum { NVIDIA_FAULT = -9999 }; /* a kernel has touched memory that is none, or the like */

    if (code == CL_SUCCESS) return CLSP_OK;
    if (code == NVIDIA_FAULT)
        return clspi_fail(log, CLSP_ERROR_DEVICE_LOST,
                          "%s: OpenCL status %d, a fault on the device", what, code);
    return clspi_fail(log, code, "%s: %s", what, clsp_status_str(code));
}

clsp_status clspi_reserved_check_some(clspi_log *log, const char *what, const uint64_t *reserved,
                                      int num)
{
    for (int i = 0; i < num; i++)
        if (reserved[i] != 0)
            return clspi_fail(log, CLSP_ERROR_ARGUMENT, "%s: reserved[%d] is not 0", what, i);
    return CLSP_OK;
}

clsp_status clspi_reserved_check(clspi_log *log, const char *what,
                                 const uint64_t reserved[CLSP_RESERVED])
{
    return clspi_reserved_check_some(log, what, reserved, CLSP_RESERVED);
}

size_t clspi_last_error(clspi_log *log, char *text, size_t size)
{
    const bool inherited = log && clspi_log_is_inherited(log);
    const bool locks = log && !inherited;
    const char *const last = inherited ? clspi_made_before_fork : log ? log->last : thread_last;
    size_t length;

    if (locks) pthread_mutex_lock(&log->lock);
    length = strlen(last);
    if (text && size > 0) {
        const size_t kept = length < size ? length : size - 1;
        memcpy(text, last, kept);
        text[kept] = '\0';
    }
    if (locks) pthread_mutex_unlock(&log->lock);
    return length;
}
