#include "leftovers.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

void leftover_name(char *name, size_t size, int i)
{
    snprintf(name, size, ".clspline-%ld-%d.tmp", (long)getpid(), i);
}

static bool is_temporary(const char *name)
{
    long process;
    int number, length = 0;
    return sscanf(name, ".clspline-%ld-%d.tmp%n", &process, &number, &length) == 2 && length > 0 &&
           name[length] == 0;
}

/* A file system without locks is as good as one where each is granted: nothing is removed there. */
bool leftover_hold(int descriptor)
{
    struct stat status;
    flock(descriptor, LOCK_EX | LOCK_NB);
    return fstat(descriptor, &status) != 0 || status.st_nlink > 0;
}

/* Removes all that is in a folder, which is closed. */
static void remove_content(int descriptor)
{
    DIR *const listing = fdopendir(descriptor);
    if (!listing) {
        close(descriptor);
        return;
    }
    for (const struct dirent *entry; (entry = readdir(listing)) != NULL;) {
        const char *name = entry->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) continue;
        if (unlinkat(descriptor, name, 0) != 0) leftover_remove_folder(descriptor, name);
    }
    closedir(listing);
}

bool leftover_remove_folder(int at, const char *name)
{
    const int descriptor = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (descriptor >= 0) remove_content(descriptor);
    return unlinkat(at, name, AT_REMOVEDIR) == 0 || errno == ENOENT;
}

static void remove_leftover(int folder, const char *name)
{
    struct stat status;
    int descriptor = openat(folder, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (descriptor < 0 && errno == EISDIR)
        descriptor = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (descriptor < 0) return;
    if (fstat(descriptor, &status) == 0 && status.st_uid == geteuid() &&
        flock(descriptor, LOCK_EX | LOCK_NB) == 0) {
        if (S_ISREG(status.st_mode)) unlinkat(folder, name, 0);
        if (S_ISDIR(status.st_mode)) leftover_remove_folder(folder, name);
    }
    close(descriptor);
}

void leftovers_remove(const char *folder)
{
    DIR *listing = opendir(folder);
    if (!listing) return;
    for (struct dirent *entry; (entry = readdir(listing));)
        if (is_temporary(entry->d_name)) remove_leftover(dirfd(listing), entry->d_name);
    closedir(listing);
}
