#include "drivers.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"

enum { PATH_BYTES = 4096 };

/* Complains of a library that cannot be loaded, or one of those that it needs. */
static void look_at_icd(const char *path)
{
    char name[PATH_BYTES] = "";
    FILE *file = fopen(path, "r");
    const bool read = file && fgets(name, sizeof(name), file);
    if (file) fclose(file);
    name[strcspn(name, "\r\n")] = 0;
    if (!read)
        complain("%s: cannot be read, so that its driver is not used", path);
    else if (!dlopen(name, RTLD_LAZY | RTLD_LOCAL)) /* it stays, as some cannot be unloaded */
        complain("%s: its driver %s cannot be loaded: %s; install what is missing, or name its "
                 "folder in LD_LIBRARY_PATH",
                 path, name, dlerror());
}

/* Complains of a device that this user may not open. */
static void look_at_node(const char *path)
{
    struct stat status;
    const int node = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
    if (node >= 0) close(node);
    if (node >= 0 || (errno != EACCES && errno != EPERM) || stat(path, &status) != 0) return;
    const struct group *group = getgrgid(status.st_gid);
    complain("%s: this user may not open it, so that GPUs are not found: be a member of its group, "
             "%s (usermod -aG)",
             path, group ? group->gr_name : "which has no name here");
}

static bool ends_in_icd(const char *name)
{
    const size_t length = strlen(name);
    return length > 4 && strcmp(name + length - 4, ".icd") == 0;
}

static bool is_render_node(const char *name)
{
    return strncmp(name, "renderD", strlen("renderD")) == 0;
}

/* Looks at the files of a folder that have such names. Returns how many there are. */
static size_t look_into(const char *folder, bool (*is_one)(const char *name),
                        void (*look)(const char *path))
{
    char path[PATH_BYTES];
    size_t num = 0;
    DIR *const list = opendir(folder);
    for (const struct dirent *entry; list && (entry = readdir(list)) != NULL;) {
        if (!is_one(entry->d_name)) continue;
        const int length = snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
        if (length > 0 && (size_t)length < sizeof(path)) look(path);
        num++;
    }
    if (list) closedir(list);
    return num;
}

void drivers_complain(const char *vendors, const char *nodes)
{
    struct stat status;
    if (!vendors) vendors = getenv("OCL_ICD_VENDORS");
    if (!vendors)
        look_into("/etc/OpenCL/vendors", ends_in_icd, look_at_icd);
    else if (ends_in_icd(vendors) && stat(vendors, &status) == 0 && S_ISREG(status.st_mode))
        look_at_icd(vendors);
    else if (look_into(vendors, ends_in_icd, look_at_icd) == 0)
        complain("OCL_ICD_VENDORS: %s has no .icd file, by which drivers are found", vendors);
    look_into(nodes ? nodes : "/dev/dri", is_render_node, look_at_node);
}
