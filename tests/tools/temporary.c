#include "temporary.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[64];
static char path[512];

int temporary_setup(void **state)
{
    (void)state;
    /* in memory where that can be: thousands of small files take a disk milliseconds each */
    static const char *const places[] = {"/dev/shm", "/tmp"};
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        snprintf(folder, sizeof(folder), "%s/clspline-test-XXXXXX", places[i]);
        if (mkdtemp(folder)) return 0;
    }
    return -1;
}

const char *temporary_path(const char *name)
{
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return path;
}

/* Counts the files and, if asked to, removes them. */
static int visit(int removing)
{
    int count = 0;
    DIR *listing = opendir(folder);
    if (!listing) return -1;
    for (struct dirent *entry; (entry = readdir(listing));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        count++;
        if (removing) remove(temporary_path(entry->d_name));
    }
    closedir(listing);
    return count;
}

int temporary_teardown(void **state)
{
    (void)state;
    visit(1);
    return rmdir(folder);
}

const char *temporary_file(const char *name, const void *bytes, size_t count)
{
    FILE *file = fopen(temporary_path(name), "wb");
    if (!file) abort();
    size_t written = fwrite(bytes, 1, count, file);
    if (fclose(file) != 0 || written != count) abort();
    return path;
}

int temporary_count(void)
{
    return visit(0);
}
