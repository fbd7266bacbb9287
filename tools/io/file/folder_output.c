#include "folder_output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "leftovers.h"

enum { MAX_TRIES = 100 };

/* The temporary folder that folder_output_end removes: who waits for signals can be given nothing.
 */
static const char *pending;
static pthread_mutex_t pending_lock = PTHREAD_MUTEX_INITIALIZER;

static bool is_empty(const char *name)
{
    DIR *const files = opendir(name);
    size_t num = 0;
    if (!files) return false;
    for (const struct dirent *d; num <= 2 && (d = readdir(files)) != NULL;)
        num++;
    closedir(files);
    return num <= 2; /* itself and the one that it is in */
}

bool folder_is_free(const char *name, io_message *message)
{
    struct stat status;
    if (lstat(name, &status) != 0 || (S_ISDIR(status.st_mode) && is_empty(name))) return true;
    return io_fail(message, "%s: is there already, and a folder replaces nothing: remove it first",
                   name);
}

/* Makes a new folder beside the target, which another run does not take for a leftover. */
static bool make_temporary(folder_output *out)
{
    const char *slash = strrchr(out->name, '/');
    const size_t folder = slash ? (size_t)(slash - out->name) + 1 : 0, size = folder + 64;
    out->temporary = malloc(size);
    if (!out->temporary) return false;
    memcpy(out->temporary, out->name, folder);
    strcpy(out->temporary + folder, folder > 0 ? "" : ".");
    leftovers_remove(out->temporary);
    for (int i = 0; i < MAX_TRIES; i++) {
        leftover_name(out->temporary + folder, size - folder, i);
        if (mkdir(out->temporary, 0777) == 0) break;
        if (errno != EEXIST || i + 1 == MAX_TRIES) return false;
    }
    out->descriptor = open(out->temporary, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (out->descriptor >= 0 && leftover_hold(out->descriptor)) return true;
    rmdir(out->temporary);
    return false;
}

bool folder_output_open(folder_output *out, const char *name, io_message *message)
{
    *out = (folder_output){.name = name, .message = message, .descriptor = -1};
    if (!folder_is_free(name, message)) return false;
    pthread_mutex_lock(&pending_lock); /* so that a folder that there is, is known */
    const bool done = make_temporary(out);
    if (done) pending = out->temporary;
    pthread_mutex_unlock(&pending_lock);
    if (done) return true;
    io_fail_errno(message, name, "cannot write");
    if (out->descriptor >= 0) close(out->descriptor);
    free(out->temporary);
    out->descriptor = -1;
    return false;
}

bool folder_output_close(folder_output *out, bool done)
{
    if (out->descriptor < 0) return false;
    if (done && !folder_is_free(out->name, out->message)) done = false;
    pthread_mutex_lock(&pending_lock);
    if (done && rename(out->temporary, out->name) != 0)
        done = io_fail_errno(out->message, out->name, "cannot write");
    if (!done) leftover_remove_folder(AT_FDCWD, out->temporary);
    pending = NULL;
    pthread_mutex_unlock(&pending_lock);
    close(out->descriptor);
    free(out->temporary);
    out->descriptor = -1;
    return done;
}

void folder_output_end(void)
{
    pthread_mutex_lock(&pending_lock); /* for good: no other folder comes after it */
    /* another thread may still be writing there, until folders are missing that it needs */
    for (int i = 0; pending && i < MAX_TRIES; i++)
        if (leftover_remove_folder(AT_FDCWD, pending)) break;
}
