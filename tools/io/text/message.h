/* One line that tells the user what went wrong, and how far work is that takes long. */
#ifndef CLSPLINE_TOOLS_IO_MESSAGE_H
#define CLSPLINE_TOOLS_IO_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>

#if defined(__GNUC__) || defined(__clang__)
#define IO_PRINTF(text, values) __attribute__((format(printf, text, values)))
#else
#define IO_PRINTF(text, values)
#endif

/* Room for the longest path and a sentence. */
typedef struct io_message {
    char text[4608];
} io_message;

/* Writes the message, cut where it is too long, and returns false, so that a function can end in
   `return io_fail(...)`. message may be NULL. */
bool io_fail(io_message *message, const char *format, ...) IO_PRINTF(2, 3);

/* Writes the message of a failed call on a file, "NAME: ACTION: reason", with the reason from
   errno, and returns false. */
bool io_fail_errno(io_message *message, const char *name, const char *action);

/* Told now and then how much of a long task is done, 0..1. Where a function takes one, NULL is
   fine. */
typedef struct io_progress {
    void (*report)(void *user, double fraction);
    void *user;
} io_progress;

void io_report(const io_progress *progress, size_t done, size_t total);

#endif
