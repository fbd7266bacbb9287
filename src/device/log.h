/* Messages to the caller's log callback, and the last error in words. */
#ifndef CLSPI_LOG_H
#define CLSPI_LOG_H

#include <pthread.h>
#include <stdbool.h>
#include <clspline/context.h>

#include "opencl.h"

enum { CLSPI_MESSAGE_MAX = 16384 };

typedef struct clspi_log {
    clsp_log_fn fn;
    void *user;
    pthread_mutex_t lock;
    uint32_t process;             /* that the context is of (process.h) */
    char last[CLSPI_MESSAGE_MAX]; /* the last error's message */
} clspi_log;

#if defined(__GNUC__) || defined(__clang__)
#define CLSPI_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define CLSPI_PRINTF(text, first)
#endif

clsp_status clspi_log_init(clspi_log *log, clsp_log_fn fn, void *user);
void clspi_log_release(clspi_log *log);

/* Tells whether another process has made it, before fork: then its lock may be held for good. */
bool clspi_log_is_inherited(const clspi_log *log);

/* Formats and hands on one message; longer ones are cut. log NULL keeps an error for the calling
 * thread. */
void clspi_message(clspi_log *log, clsp_log_level level, const char *format, ...)
    CLSPI_PRINTF(3, 4);

/* Hands on the message of an error; returns status, so that a check is one line. */
clsp_status clspi_fail(clspi_log *log, clsp_status status, const char *format, ...)
    CLSPI_PRINTF(3, 4);

/* Turns what an OpenCL call returned into a status; an error is reported as "what: name of the
 * code". */
clsp_status clspi_cl(clspi_log *log, cl_int code, const char *what);

/* Gives CLSP_ERROR_ARGUMENT where a reserved field of a public struct is not 0; what: names the
   struct. */
clsp_status clspi_reserved_check(clspi_log *log, const char *what,
                                 const uint64_t reserved[CLSP_RESERVED]);

/* Gives CLSP_ERROR_ARGUMENT likewise where one of the first `num` reserved fields is not 0, of a
   struct in which other fields have taken the place of the rest. */
clsp_status clspi_reserved_check_some(clspi_log *log, const char *what, const uint64_t *reserved,
                                      int num);

/* Returns the name of a type, for messages. */
const char *clspi_type_name(clsp_type type);

/* Copies the last error as clsp_context_last_error describes. Of a log that is inherited messages
   reach the callback alone, and the last error is why calls are refused. */
size_t clspi_last_error(clspi_log *log, char *text, size_t size);

#endif
