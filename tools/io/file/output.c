#define _XOPEN_SOURCE 700 /* realpath */

#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "leftovers.h"
#include "part_file.h"

enum { MAX_TRIES = 100 };

/* The temporary file that output_end removes. Who waits for signals can be given
   nothing, so that these are the variables of the program that belong to no object. */
static const char *pending;
static pthread_mutex_t pending_lock = PTHREAD_MUTEX_INITIALIZER;

/* Locks it against other threads, and against handlers of signals in this one, which lock it too.
 */
static void lock_pending(sigset_t *before)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, before);
    pthread_mutex_lock(&pending_lock);
}

static void unlock_pending(const sigset_t *before)
{
    pthread_mutex_unlock(&pending_lock);
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

/* Finds the file behind the name; the rename must not replace a link, nor a device such as
   /dev/null, nor what the user may not write. */
static bool find_target(output *out, bool follows)
{
    struct stat status;
    if (follows && lstat(out->name, &status) == 0 && S_ISLNK(status.st_mode))
        out->target = realpath(out->name, NULL);
    else
        out->target = strdup(out->name);
    if (!out->target) return io_fail_errno(out->message, out->name, "cannot write");
    if (lstat(out->target, &status) != 0) return true;
    if (!S_ISREG(status.st_mode))
        return io_fail(out->message, "%s: cannot write: not a regular file", out->name);
    if (faccessat(AT_FDCWD, out->target, W_OK, AT_EACCESS) != 0)
        return io_fail_errno(out->message, out->name, "cannot write");
    return true;
}

/* Opens the temporary file number i, which another run does not take for a leftover. */
static int create_temporary(output *out, int i, size_t folder, size_t size)
{
    sigset_t before;
    leftover_name(out->temporary + folder, size - folder, i);
    lock_pending(&before); /* so that a file that there is, is known */
    pending = out->temporary;
    int descriptor = open(out->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    unlock_pending(&before);
    if (descriptor < 0 || leftover_hold(descriptor)) return descriptor;
    close(descriptor);
    errno = EEXIST;
    return -1;
}

/* Gives the new file the rights that the target has; those of a group only where that can be kept.
   A new target has the rights that the user's umask gives. */
static void keep_mode(const output *out, int descriptor)
{
    struct stat status;
    if (stat(out->target, &status) != 0) return;
    mode_t mode = status.st_mode & 0777;
    if (fchown(descriptor, (uid_t)-1, status.st_gid) != 0)
        mode = (mode & ~(mode_t)070) | (mode & 07) << 3;
    fchmod(descriptor, mode);
}

/* Names the folder of the target in out->temporary, with room for a file's name. */
static bool begin_temporary(output *out, size_t *folder, size_t *size)
{
    const char *slash = strrchr(out->target, '/');
    *folder = slash ? (size_t)(slash - out->target) + 1 : 0;
    *size = *folder + 64;
    out->temporary = malloc(*size);
    if (!out->temporary) return io_fail_errno(out->message, out->name, "cannot write");
    memcpy(out->temporary, out->target, *folder);
    strcpy(out->temporary + *folder, *folder > 0 ? "" : ".");
    leftovers_remove(out->temporary);
    return true;
}

/* Frees the temporary file's name. */
static void forget_temporary(output *out)
{
    sigset_t before;
    lock_pending(&before);
    pending = NULL;
    unlock_pending(&before);
    free(out->temporary);
    out->temporary = NULL;
}

/* Opens a new file beside the target. */
static bool open_temporary(output *out)
{
    size_t folder, size;
    if (!begin_temporary(out, &folder, &size)) return false;
    int descriptor = -1;
    for (int i = 0; i < MAX_TRIES && descriptor < 0; i++) {
        descriptor = create_temporary(out, i, folder, size);
        if (descriptor < 0 && errno != EEXIST) break;
    }
    if (descriptor < 0) {
        io_fail_errno(out->message, out->name, "cannot write");
        forget_temporary(out);
        return false;
    }
    keep_mode(out, descriptor);
    out->lock = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    out->file = fdopen(descriptor, "wb");
    if (out->file) return true;
    io_fail_errno(out->message, out->name, "cannot write");
    close(descriptor);
    return false;
}

static void release(output *out)
{
    if (out->temporary) remove(out->temporary); /* gone by now when all went well */
    forget_temporary(out);
    if (out->lock >= 0) close(out->lock);
    free(out->target);
    *out = (output){.lock = -1};
}

/* Opens standard output once more, so that closing it is told from what else is printed. */
static bool open_stdout(output *out)
{
    int descriptor = dup(STDOUT_FILENO);
    out->name = "standard output";
    out->file = descriptor < 0 ? NULL : fdopen(descriptor, "wb");
    if (out->file) return true;
    io_fail_errno(out->message, out->name, "cannot write");
    if (descriptor >= 0) close(descriptor);
    return false;
}

static bool open_file(output *out, const char *name, bool follows, io_message *message)
{
    *out = (output){.name = name, .lock = -1, .message = message};
    if (find_target(out, follows) && open_temporary(out)) return true;
    release(out);
    return false;
}

bool output_open(output *out, const char *name, io_message *message)
{
    if (strcmp(name, "-") != 0) return open_file(out, name, true, message);
    *out = (output){.lock = -1, .message = message};
    return open_stdout(out);
}

bool output_open_plain(output *out, const char *name, io_message *message)
{
    return open_file(out, name, false, message);
}

/* Gives the file its name. Where files cannot have two, two processes may each take themselves for
   the first: the one that is finds that its file is another one. */
static bool place(const output *out)
{
    struct stat status;
    if (!out->is_first) return rename(out->temporary, out->target) == 0;
    if (link(out->temporary, out->target) == 0 || errno == EEXIST) return true;
    return lstat(out->target, &status) == 0 || rename(out->temporary, out->target) == 0;
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
    if (done && !failed && out->target && !place(out)) {
        failed = true;
        reason = errno;
    }
    errno = reason;
    if (done && failed) io_fail_errno(out->message, out->name, "cannot write");
    done = done && !failed;
    if (out->part) done = part_file_close(&out->part->file, &out->part->record, done);
    release(out);
    return done;
}

/* Finds the folder that a file is in. */
static bool find_folder(const char *name, struct stat *status)
{
    const char *slash = strrchr(name, '/');
    char *folder = strndup(slash ? name : "./", slash ? (size_t)(slash - name) + 1 : 2);
    bool found = folder && stat(folder, status) == 0;
    free(folder);
    return found;
}

bool output_disk_of(const char *name, output_disk *disk)
{
    struct stat folder, status;
    struct statvfs space;
    const char *slash = strrchr(name, '/');
    char *path = strndup(slash ? name : "./", slash ? (size_t)(slash - name) + 1 : 2);
    bool found = path && statvfs(path, &space) == 0 && stat(path, &folder) == 0;
    free(path);
    if (!found) return false;
    *disk = (output_disk){.device = (uint64_t)folder.st_dev,
                          .room = (double)space.f_bavail * (double)space.f_frsize};
    if (stat(name, &status) != 0) return true;
    disk->replaced = (double)status.st_size;
    return S_ISREG(status.st_mode);
}

static const char *last_part(const char *name)
{
    const char *slash = strrchr(name, '/');
    return slash ? slash + 1 : name;
}

bool output_is_same(const char *name, const char *other)
{
    struct stat a, b;
    const bool has_a = stat(name, &a) == 0, has_b = stat(other, &b) == 0;
    if (strcmp(name, other) == 0) return true;
    if (has_a != has_b) return false;
    if (!has_a && (strcmp(last_part(name), last_part(other)) != 0 || !find_folder(name, &a) ||
                   !find_folder(other, &b)))
        return false;
    return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

void output_end(void)
{
    pthread_mutex_lock(&pending_lock); /* for good: no other file comes after it */
    if (pending) unlink(pending);
}
