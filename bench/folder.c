#define _XOPEN_SOURCE 700 /* nftw */

#include "folder.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *where)
{
    (void)info;
    (void)type;
    (void)where;
    return remove(path);
}

bool bench_folder_make(char *path, size_t size)
{
    const char *const parent = getenv("TMPDIR");

    snprintf(path, size, "%s/clspline-bench-XXXXXX", parent && *parent ? parent : "/tmp");
    if (mkdtemp(path)) return true;
    perror(path);
    return false;
}

void bench_folder_remove(const char *path)
{
    if (nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS) != 0) perror(path);
}
