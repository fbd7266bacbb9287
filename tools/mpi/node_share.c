#define _GNU_SOURCE /* sched_getaffinity */

#include "node_share.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __linux__
#include <sched.h>
#endif

#include "command.h"

enum { MAX_CORES = 1024 };

/* ---- cores ---- */

/* Marks the cores that the process may use. */
static void find_cores(int cores[MAX_CORES])
{
#ifdef __linux__
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof(set), &set) == 0) {
        for (int i = 0; i < MAX_CORES && i < CPU_SETSIZE; i++)
            cores[i] = CPU_ISSET((size_t)i, &set) != 0;
        return;
    }
#endif
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    for (int i = 0; i < MAX_CORES && i < online; i++)
        cores[i] = 1;
}

/* Returns how many cores there are for this rank: a core that several may use is shared evenly. */
static int count_cores(MPI_Comm node)
{
    int own[MAX_CORES] = {0}, users[MAX_CORES];
    double sum = 0;
    find_cores(own);
    MPI_Allreduce(own, users, MAX_CORES, MPI_INT, MPI_SUM, node);
    for (int i = 0; i < MAX_CORES; i++)
        if (own[i]) sum += 1.0 / users[i];
    return sum < 1 ? 1 : (int)(sum + 1e-6); /* thirds of cores add up to less than one */
}

/* Tells PoCL how many threads to make: it makes one for each core of the node, whichever of them
   the process may use. */
static void limit_pocl(int cores)
{
    static const char *const names[] = {"POCL_MAX_PTHREAD_COUNT", "POCL_CPU_MAX_CU_COUNT",
                                        "POCL_MAX_COMPUTE_UNITS"}; /* before 4.0, since, since 7 */
    const size_t num = sizeof(names) / sizeof(names[0]);
    char text[16];
    snprintf(text, sizeof(text), "%d", cores);
    for (size_t i = 0; i < num; i++)
        if (getenv(names[i])) return;
    for (size_t i = 0; i < 2; i++)
        setenv(names[i], text, 0);
}

/* ---- devices ---- */

/* Finds the device that is taken where none is named. */
static bool find_default(clsp_device_info *info)
{
    clsp_context *ctx;
    if (clsp_context_create(&ctx, NULL, NULL) != CLSP_OK) return false; /* who needs it says why */
    const bool done = clsp_context_device(ctx, info) == CLSP_OK;
    clsp_context_destroy(&ctx);
    return done;
}

/* Finds the indices of all devices that are like another one, and returns how many there are. */
static size_t find_alike(const clsp_device_info *infos, size_t count, const clsp_device_info *other,
                         size_t *alike)
{
    size_t num = 0;
    for (size_t i = 0; i < count; i++)
        if (strcmp(infos[i].name, other->name) == 0 &&
            strcmp(infos[i].platform, other->platform) == 0 &&
            strcmp(infos[i].driver, other->driver) == 0)
            alike[num++] = i;
    return num;
}

/* Chooses a device by the rank's number in its node, and writes its index. */
static void choose_device(int rank, char index[24])
{
    clsp_device_info best, *infos = NULL;
    size_t count = 0, *alike = NULL;
    if (getenv("CLSPLINE_DEVICE") || clsp_device_list(NULL, 0, &count) != CLSP_OK || count < 2)
        return;
    infos = calloc(count, sizeof(*infos));
    alike = calloc(count, sizeof(*alike));
    size_t listed = 0;
    if (infos && alike && clsp_device_list(infos, count, &listed) == CLSP_OK && listed == count &&
        find_default(&best)) {
        const size_t num = find_alike(infos, count, &best, alike);
        if (num > 1) snprintf(index, 24, "%zu", alike[(size_t)rank % num]);
        if (num > 1) setenv("CLSPLINE_DEVICE", index, 0);
    }
    free(infos);
    free(alike);
}

void node_share_take(MPI_Comm world, node_share *share)
{
    int rank;
    *share = (node_share){.cores = 1};
    MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &share->node);
    MPI_Comm_rank(share->node, &rank);
    share->cores = count_cores(share->node);
    limit_pocl(share->cores);
    choose_device(rank, share->device);
}

void node_share_release(node_share *share)
{
    MPI_Comm_free(&share->node);
}
