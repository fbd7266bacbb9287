#define _XOPEN_SOURCE 700 /* realpath */

#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_TRIES = 100 };

/* The temporary file that output_remove_temporary removes. A signal handler can be given nothing,
   so that this is the one variable of the program that belongs to no object. */
static const char *volatile pending;

void io_report(const io_progress *progress, size_t done, size_t total)
{
    if (progress && total > 0) progress->report(progress->user, (double)done / (double)total);
}

/* Finds the file behind the name; the rename must not replace a link, nor a device such as
   /dev/null. */
static bool find_target(output *out)
{
    struct stat status;
    if (lstat(out->name, &status) == 0 && S_ISLNK(status.st_mode))
        out->target = realpath(out->name, NULL);
    else
        out->target = strdup(out->name);
    if (!out->target) return io_fail_errno(out->message, out->name, "cannot write");
    if (stat(out->target, &status) == 0 && !S_ISREG(status.st_mode))
        return io_fail(out->message, "%s: cannot write: not a regular file", out->name);
    return true;
}

/* Opens a new file beside the target, with the rights that the user's umask gives. */
static bool open_temporary(output *out)
{
    const char *slash = strrchr(out->target, '/');
    int folder = slash ? (int)(slash - out->target) + 1 : 0;
    size_t size = (size_t)folder + 64;
    out->temporary = malloc(size);
    if (!out->temporary) return io_fail_errno(out->message, out->name, "cannot write");

    int descriptor = -1;
    for (int i = 0; i < MAX_TRIES && descriptor < 0; i++) {
        snprintf(out->temporary, size, "%.*s.clspline-%ld-%d.tmp", folder, out->target,
                 (long)getpid(), i);
        descriptor = open(out->temporary, O_WRONLY | O_CREAT | O_EXCL, 0666);
        if (descriptor < 0 && errno != EEXIST) break;
    }
    if (descriptor < 0) {
        io_fail_errno(out->message, out->name, "cannot write");
        free(out->temporary);
        out->temporary = NULL; /* nothing to remove */
        return false;
    }
    pending = out->temporary;
    out->file = fdopen(descriptor, "wb");
    if (out->file) return true;
    io_fail_errno(out->message, out->name, "cannot write");
    close(descriptor);
    return false;
}

static void release(output *out)
{
    pending = NULL;
    if (out->temporary) remove(out->temporary); /* gone by now when all went well */
    free(out->temporary);
    free(out->target);
    *out = (output){0};
}

bool output_open(output *out, const char *name, io_message *message)
{
    *out = (output){.name = name, .message = message};
    if (find_target(out) && open_temporary(out)) return true;
    release(out);
    return false;
}

bool output_close(output *out, bool done)
{
    if (!out->file) return false;
    bool failed = ferror(out->file) != 0;
    errno = failed ? errno : 0;
    if (fflush(out->file) != 0) failed = true;
    int reason = errno;
    if (fclose(out->file) != 0 && !failed) {
        failed = true;
        reason = errno;
    }
    if (done && !failed && rename(out->temporary, out->target) != 0) {
        failed = true;
        reason = errno;
    }
    errno = reason;
    if (done && failed) io_fail_errno(out->message, out->name, "cannot write");
    release(out);
    return done && !failed;
}

void output_remove_temporary(void)
{
    if (pending) unlink(pending);
}

static void write_bytes(FILE *file, uint64_t bits, int count, bool big)
{
    unsigned char bytes[8];
    for (int i = 0; i < count; i++)
        bytes[i] = (unsigned char)(bits >> (8 * (big ? count - 1 - i : i)) & 0xff);
    fwrite(bytes, 1, (size_t)count, file);
}

static uint32_t f32_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static uint64_t f64_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

void output_u32_little(FILE *file, uint32_t value)
{
    write_bytes(file, value, 4, false);
}

void output_u32_big(FILE *file, uint32_t value)
{
    write_bytes(file, value, 4, true);
}

void output_f32_little(FILE *file, float value)
{
    write_bytes(file, f32_bits(value), 4, false);
}

void output_f32_big(FILE *file, float value)
{
    write_bytes(file, f32_bits(value), 4, true);
}

void output_f64_little(FILE *file, double value)
{
    write_bytes(file, f64_bits(value), 8, false);
}

void output_f64_big(FILE *file, double value)
{
    write_bytes(file, f64_bits(value), 8, true);
}
