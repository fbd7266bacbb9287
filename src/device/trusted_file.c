#include "trusted_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- folders ---- */

/* Tells whether somebody else can have made what a file or folder holds. */
static bool is_of_others(const struct stat *status)
{
    return status->st_uid != geteuid() && status->st_uid != 0;
}

static bool is_open_to_others(const struct stat *status)
{
    return (status->st_mode & (S_IWGRP | S_IWOTH)) != 0;
}

/* Opens a folder whose files can be trusted; -1, and *why not, with errno 0 where it is there. */
static int open_folder(const char *folder, const char **why)
{
    const int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct stat status;

    *why = NULL;
    if (descriptor < 0) {
        *why = strerror(errno);
        return -1;
    }
    if (fstat(descriptor, &status) != 0)
        *why = strerror(errno);
    else if (is_of_others(&status))
        *why = "the folder belongs to another user";
    else if (is_open_to_others(&status))
        *why = "others may write to the folder";
    if (!*why) return descriptor;
    close(descriptor);
    errno = 0;
    return -1;
}

const char *clspi_folder_refusal(const char *folder)
{
    const char *why;
    const int descriptor = open_folder(folder, &why);

    if (descriptor >= 0) close(descriptor);
    return why;
}

static const char *name_in(const char *path)
{
    const char *const slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* Opens the folder of a file. */
static int open_folder_of(const char *path, const char **why)
{
    const size_t length = (size_t)(name_in(path) - path);
    char *const folder = malloc(length + 2);

    if (!folder) {
        *why = strerror(ENOMEM);
        errno = 0;
        return -1;
    }
    memcpy(folder, path, length);
    strcpy(folder + length, length > 0 ? "" : ".");
    const int descriptor = open_folder(folder, why), code = errno;
    free(folder);
    errno = code;
    return descriptor;
}

/* ---- reading ---- */

/* Tells what speaks against a file; NULL: nothing does. */
static const char *refusal(const struct stat *status, uint64_t most_bytes)
{
    if (S_ISLNK(status->st_mode)) return "it is a link";
    if (!S_ISREG(status->st_mode)) return "it is not a regular file";
    if (is_of_others(status)) return "it belongs to another user";
    if (is_open_to_others(status)) return "others may write to it";
    if ((uint64_t)status->st_size > most_bytes) return "it is too large";
    return NULL;
}

static clspi_trusted_file refused(const char *why)
{
    return (clspi_trusted_file){.state = CLSPI_FILE_REFUSED, .why = why};
}

/* Gives the result of a system call that failed, by errno. */
static clspi_trusted_file failed(const char *why)
{
    const bool missing = errno == ENOENT || errno == ENOTDIR;

    return (clspi_trusted_file){.state = missing ? CLSPI_FILE_MISSING : CLSPI_FILE_REFUSED,
                                .why = why};
}

/* Opens a file of a folder that is trusted. It is looked at twice: before, since to open a device
   may do something, and afterwards, since only then it stays the same file. */
static clspi_trusted_file open_in(int folder, const char *name, uint64_t most_bytes)
{
    clspi_trusted_file opened = {.state = CLSPI_FILE_OPEN};
    struct stat status;

    if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0) return failed(strerror(errno));
    opened.why = refusal(&status, most_bytes);
    if (opened.why) return refused(opened.why);
    const int descriptor =
        openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (descriptor < 0) return failed(strerror(errno));
    opened.why = fstat(descriptor, &status) == 0 ? refusal(&status, most_bytes) : strerror(errno);
    if (!opened.why) opened.file = fdopen(descriptor, "rb");
    if (opened.file) return opened;
    if (!opened.why) opened.why = strerror(errno);
    close(descriptor);
    return refused(opened.why);
}

clspi_trusted_file clspi_trusted_open(const char *path, uint64_t most_bytes)
{
    const char *why;
    const int folder = open_folder_of(path, &why);

    if (folder < 0) return failed(why);
    const clspi_trusted_file opened = open_in(folder, name_in(path), most_bytes);
    close(folder);
    return opened;
}

/* ---- writing ---- */

/* Writes a new file of a folder; errno says why where that fails. */
static bool write_new(int folder, const char *name, clspi_file_writer write, const void *user)
{
    const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    const int descriptor = openat(folder, name, flags, 0600);
    FILE *const file = descriptor < 0 ? NULL : fdopen(descriptor, "wb");

    if (!file) {
        if (descriptor >= 0) close(descriptor);
        return false;
    }
    const bool written = write(file, user);
    return fclose(file) == 0 && written;
}

/* Writes the file `aside` and renames it, or removes it. */
static const char *replace_in(int folder, const char *aside, const char *name,
                              clspi_file_writer write, const void *user)
{
    if (write_new(folder, aside, write, user) && renameat(folder, aside, folder, name) == 0)
        return NULL;
    const char *const why = strerror(errno);
    unlinkat(folder, aside, 0);
    return why;
}

const char *clspi_trusted_replace(const char *path, clspi_file_writer write, const void *user)
{
    const char *const name = name_in(path), *why;
    const size_t size = strlen(name) + 64;
    const int folder = open_folder_of(path, &why);
    char *aside;

    if (folder < 0) return why;
    aside = malloc(size);
    if (aside) {
        /* the name is this process's and this thread's own */
        snprintf(aside, size, "%s.%ld.%p", name, (long)getpid(), (void *)&aside);
        why = replace_in(folder, aside, name, write, user);
    } else {
        why = strerror(ENOMEM);
    }
    free(aside);
    close(folder);
    return why;
}
