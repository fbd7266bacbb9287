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

/* A lock that another process has is that of one which is about to remove the file. A file system
   without locks is as good as one where each is granted: nothing is removed there. */
bool leftover_hold(int descriptor)
{
    struct stat status;
    if (flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return false;
    return fstat(descriptor, &status) != 0 || status.st_nlink > 0;
}

static void remove_leftover(int folder, const char *name)
{
    struct stat status;
    const int descriptor =
        openat(folder, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (descriptor < 0) return;
    if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
        flock(descriptor, LOCK_EX | LOCK_NB) == 0)
        unlinkat(folder, name, 0);
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
