#include "select.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "graphics_context.h"
#include "host_device.h"
#include "process.h"
#include "profile.h"

/* Tells whether asking PoCL 3.1 for devices would end the process: it calls assert() when HOME is
   set but empty and nothing else names its cache folder. Such a platform is passed over instead. */
static bool home_aborts_pocl(void)
{
    const char *const home = getenv("HOME");
    return home && !*home && !getenv("POCL_CACHE_DIR") && !getenv("XDG_CACHE_HOME");
}

#define SET_HOME "set HOME, or POCL_CACHE_DIR, to a folder that can be written"

enum { NAME_BYTES = 256 };

/* Asks for a platform's name, which is empty where it has none to tell. */
static const char *name_of(cl_platform_id platform, char name[NAME_BYTES])
{
    if (clGetPlatformInfo(platform, CL_PLATFORM_NAME, NAME_BYTES, name, NULL) != CL_SUCCESS)
        *name = '\0';
    name[NAME_BYTES - 1] = '\0';
    return name;
}

static bool platform_would_abort(const char *name, clspi_log *log)
{
    if (!home_aborts_pocl() || !clspi_is_pocl(name)) return false;
    clspi_message(log, CLSP_LOG_WARNING,
                  "PoCL was passed over because HOME is empty, which aborts it: " SET_HOME);
    return true;
}

/* Tells whether a platform's name holds some words, or they are of PoCL's, whose platform has a
   name that nobody calls it by. */
static bool platform_matches(const char *platform, const char *words, size_t length)
{
    return clspi_contains(platform, words, length) ||
           (clspi_is_pocl(platform) && clspi_contains("PoCL", words, length));
}

/* Counts platforms. Returns NULL, or why there is none. */
static const char *count_platforms(cl_uint *count, clspi_opencl_address address)
{
    const char *const why_not = clspi_opencl_open(address);

    *count = 0;
    if (why_not) return why_not;
    if (clGetPlatformIDs(0, NULL, count) == CL_SUCCESS && *count > 0) return NULL;
    *count = 0; /* -1001: the loader found no implementation */
    return "there is no driver";
}

/* Lists platforms; none is no error. why_not: becomes what count_platforms gives; may be NULL. */
static clsp_status get_platforms(cl_platform_id **platforms, cl_uint *count, const char **why_not,
                                 clspi_opencl_address address, clspi_log *log)
{
    clsp_status status = CLSP_OK;

    *platforms = NULL;
    CLSPI_CHECK(clspi_process_enter_opencl(log));
    const char *const why = count_platforms(count, address);
    if (why_not) *why_not = why;
    if (why) {
        clspi_process_leave_opencl();
        return CLSP_OK;
    }
    *platforms = calloc(*count, sizeof **platforms);
    if (!*platforms)
        return clspi_fail(log, CLSP_ERROR_NO_MEMORY, "no memory for %u platforms", *count);
    CLSPI_TRY(clspi_cl(log, clGetPlatformIDs(*count, *platforms, NULL), "clGetPlatformIDs"));
    return CLSP_OK;

fail:
    free(*platforms);
    *platforms = NULL;
    *count = 0;
    return status;
}

/* Whether a GPU was listed, by this process or a parent of it. */
static atomic_bool has_gpu;

static bool is_gpu(const clsp_device_info *info)
{
    return info->device_class == CLSP_CLASS_INTEGRATED || info->device_class == CLSP_CLASS_DISCRETE;
}

/* Appends the devices of one platform; a platform that fails to list them has none. */
static clsp_status append_devices(cl_platform_id platform, clsp_device_info **infos, size_t *count,
                                  clspi_log *log)
{
    cl_device_id *ids = NULL;
    cl_uint num = 0;
    clsp_device_info *grown;

    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &num) != CL_SUCCESS || num == 0)
        return CLSP_OK;
    ids = calloc(num, sizeof *ids);
    grown = realloc(*infos, (*count + num + 1) * sizeof **infos); /* with room for the host */
    if (grown) *infos = grown;
    if (!ids || !grown) {
        free(ids);
        return clspi_fail(log, CLSP_ERROR_NO_MEMORY, "no memory for %u devices", num);
    }
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, num, ids, NULL) == CL_SUCCESS) {
        for (cl_uint i = 0; i < num; i++, (*count)++) {
            clspi_profile_query(&(*infos)[*count], ids[i]);
            if (is_gpu(&(*infos)[*count])) atomic_store(&has_gpu, true);
        }
    }
    free(ids);
    return CLSP_OK;
}

/* Appends the devices of all platforms that words name. */
static clsp_status append_platforms(clsp_device_info **infos, size_t *count, const clspi_wish *wish,
                                    clspi_log *log)
{
    clsp_status status;
    cl_platform_id *platforms = NULL;
    char name[NAME_BYTES];
    const char *const words = wish->words, *const colon = strchr(words, ':');
    cl_uint num_platforms;

    CLSPI_TRY(get_platforms(&platforms, &num_platforms, NULL, wish->address, log));
    for (cl_uint i = 0; i < num_platforms; i++) {
        name_of(platforms[i], name);
        if (colon && !platform_matches(name, words, (size_t)(colon - words))) continue;
        if (!platform_would_abort(name, log))
            CLSPI_TRY(append_devices(platforms[i], infos, count, log));
    }
    status = CLSP_OK;

fail:
    free(platforms);
    return status;
}

/* Tells whether words name the host: "host", or its platform with a colon. */
static bool is_host_word(const char *words)
{
    const size_t length = strcspn(words, ":");

    return length == strlen("host") && clspi_contains("host", words, length);
}

clsp_status clspi_devices(clsp_device_info **infos, size_t *count, const clspi_wish *wish,
                          clspi_log *log)
{
    clsp_status status;

    *count = 0;
    *infos = malloc(sizeof **infos);
    if (!*infos) return clspi_fail(log, CLSP_ERROR_NO_MEMORY, "no memory for devices");
    if (!is_host_word(wish->words)) CLSPI_TRY(append_platforms(infos, count, wish, log));
    clspi_host_describe(&(*infos)[(*count)++]);
    return CLSP_OK;

fail:
    free(*infos);
    *infos = NULL;
    *count = 0;
    return status;
}

clsp_status clsp_device_list(clsp_device_info *infos, size_t capacity, size_t *count)
{
    clsp_device_info *all;
    clsp_status status;

    if (!count || (!infos && capacity > 0))
        return clspi_fail(NULL, CLSP_ERROR_ARGUMENT, "clsp_device_list: count or infos is NULL");
    *count = 0;
    CLSPI_CHECK(clspi_process_begin("clsp_device_list"));
    status = clspi_devices(&all, count, &(clspi_wish){.words = ""}, NULL);
    if (status != CLSP_OK) return status;
    if (infos) memcpy(infos, all, clspi_min(capacity, *count) * sizeof *infos);
    free(all);
    return CLSP_OK;
}

/* ---- choice ---- */

/* Ranks a device, larger is better: one that graphics uses, if it has this UUID, then by class,
   then by doubles (which sets software rasterisers behind), then by compute units. */
static uint64_t rank(const clsp_device_info *info, const uint8_t *uuid)
{
    static const uint64_t class_rank[] = {[CLSP_CLASS_HOST] = 0,
                                          [CLSP_CLASS_ACCELERATOR] = 1,
                                          [CLSP_CLASS_CPU] = 2,
                                          [CLSP_CLASS_INTEGRATED] = 3,
                                          [CLSP_CLASS_DISCRETE] = 4};

    const uint64_t draws = uuid && clspi_has_uuid(info->id, uuid);

    return draws << 48 | class_rank[info->device_class] << 40 | (uint64_t)info->fp64 << 36 |
           info->compute_units;
}

static bool is_class_word(const char *words, clsp_device_class *low, clsp_device_class *high)
{
    static const struct {
        const char *word;
        clsp_device_class low, high;
    } classes[] = {
        {"cpu", CLSP_CLASS_CPU, CLSP_CLASS_CPU},
        {"gpu", CLSP_CLASS_INTEGRATED, CLSP_CLASS_DISCRETE},
        {"integrated", CLSP_CLASS_INTEGRATED, CLSP_CLASS_INTEGRATED},
        {"discrete", CLSP_CLASS_DISCRETE, CLSP_CLASS_DISCRETE},
        {"accelerator", CLSP_CLASS_ACCELERATOR, CLSP_CLASS_ACCELERATOR},
    };

    for (size_t i = 0; i < CLSPI_COUNT(classes); i++) {
        if (strlen(words) == strlen(classes[i].word) &&
            clspi_contains(words, classes[i].word, strlen(classes[i].word))) {
            *low = classes[i].low;
            *high = classes[i].high;
            return true;
        }
    }
    return false;
}

static bool is_index(const char *words, size_t *index)
{
    char *end;

    if (words[strspn(words, "0123456789")] != '\0' || strlen(words) > 9) return false;
    *index = strtoul(words, &end, 10);
    return true;
}

/* Tells whether a device fits words. The host, whose processor has a maker's name too, is never
   found by names. */
static bool matches(const clsp_device_info *info, size_t position, const clspi_wish *wish)
{
    clsp_device_class low, high;
    size_t index;
    const char *const words = wish->words, *const colon = strchr(words, ':');
    const bool is_host = info->device_class == CLSP_CLASS_HOST;

    if (is_host && wish->is_opencl) return false;
    if (*words == '\0') return wish->is_opencl || wish->uuid || is_host || is_gpu(info);
    if (is_index(words, &index)) return index == position;
    if (is_host) return is_host_word(words);
    if (is_class_word(words, &low, &high))
        return info->device_class >= low && info->device_class <= high;
    if (colon)
        return platform_matches(info->platform, words, (size_t)(colon - words)) &&
               clspi_contains(info->name, colon + 1, strlen(colon + 1));
    return platform_matches(info->platform, words, strlen(words)) ||
           clspi_contains(info->name, words, strlen(words));
}

/* Says why a platform may have no device. */
static const char *why_none(const char *platform)
{
    if (clspi_is_pocl(platform))
        return home_aborts_pocl() ? "passed over because HOME is empty, which aborts it: " SET_HOME
                                  : "no device, as where it can write no cache: " SET_HOME;
    if (clspi_contains(platform, "rusticl", strlen("rusticl")) && !getenv("RUSTICL_ENABLE"))
        return "no device: set RUSTICL_ENABLE to a driver, as iris, radeonsi, panfrost, llvmpipe";
    return "no device";
}

/* Reports that there is no device at all, and what can be done about it. */
static clsp_status fail_without_devices(const clspi_wish *wish, clspi_log *log)
{
    const char *why;
    cl_platform_id *platforms;
    cl_uint num;
    char name[NAME_BYTES], list[1024] = "";

    CLSPI_CHECK(get_platforms(&platforms, &num, &why, wish->address, log));
    for (cl_uint i = 0; i < num; i++) {
        const size_t used = strlen(list);
        name_of(platforms[i], name);
        snprintf(list + used, sizeof list - used, "%s%s: %s", i ? "; " : "", name, why_none(name));
    }
    free(platforms);
    return clspi_fail(log, CLSP_ERROR_NO_DEVICE, "no OpenCL device was found: %s%s",
                      why ? why : list,
                      !why ? ""
                           : ": install an OpenCL driver for the GPU, or PoCL for the CPU "
                             "(pocl-opencl-icd of Debian, else pocl)");
}

/* Reports what devices there are: "no device fits 'arc'; there are: 0 'Portable Computing
   Language:pthread-...', ...". source: the variable that the words are from, or NULL. */
static clsp_status fail_with_list(const clsp_device_info *infos, size_t count, const char *words,
                                  const char *source, clspi_log *log)
{
    char list[2048] = "";
    size_t used = 0;

    for (size_t i = 0; i < count && used < sizeof list - 1; i++) {
        const int n = snprintf(list + used, sizeof list - used, "%s%zu '%s:%s'", i ? ", " : "", i,
                               infos[i].platform, infos[i].name);
        if (n > 0) used = clspi_min(used + (size_t)n, sizeof list - 1);
    }
    return clspi_fail(
        log, CLSP_ERROR_NO_DEVICE,
        "%s%sno device fits '%s'; there are: %s; a device is named by its index, by "
        "parts of its names or by a class: cpu, gpu, integrated, discrete, accelerator, host",
        source ? source : "", source ? ": " : "", words, list);
}

/* Finds the best device that fits; NULL: none. A UUID is asked for where no words are. */
static const clsp_device_info *find_best(const clsp_device_info *infos, size_t count,
                                         const clspi_wish *wish)
{
    const clsp_device_info *best = NULL;
    const uint8_t *const uuid = wish->uuid;

    for (size_t i = 0; i < count; i++) {
        if (matches(&infos[i], i, wish) && (!best || rank(&infos[i], uuid) > rank(best, uuid)))
            best = &infos[i];
    }
    return best && uuid && !*wish->words && !clspi_has_uuid(best->id, uuid) ? NULL : best;
}

/* Tells whether a process that has lost OpenCL by a fork gets the host by default: its parent did.
 */
static bool is_host_anyway(const clspi_wish *wish)
{
    return !*wish->words && !wish->uuid && !wish->is_opencl && !atomic_load(&has_gpu) &&
           clspi_process_lost_opencl();
}

clsp_status clspi_select(clsp_device_info *chosen, const clspi_wish *wanted, clspi_log *log)
{
    clsp_device_info *infos;
    size_t count;
    static const char variable[] = "CLSPLINE_DEVICE";
    char uuid[8 + CLSPI_UUID_TEXT] = "UUID ";
    clspi_wish wish = *wanted;
    const bool given = wish.words && *wish.words;
    clsp_status status = CLSP_OK;

    if (!given) wish.words = getenv(variable);
    if (!wish.words) wish.words = "";
    if (is_host_anyway(&wish)) {
        clspi_host_describe(chosen);
        return CLSP_OK;
    }
    CLSPI_CHECK(clspi_devices(&infos, &count, &wish, log));
    const clsp_device_info *const best = find_best(infos, count, &wish);
    if (!best && (strchr(wish.words, ':') || is_host_word(wish.words))) {
        free(infos); /* others are asked for the list alone */
        CLSPI_CHECK(clspi_devices(&infos, &count,
                                  &(clspi_wish){.words = "", .address = wish.address}, log));
    }
    if (best)
        *chosen = *best;
    else if (count == 1)
        status = fail_without_devices(&wish, log);
    else if (*wish.words)
        status = fail_with_list(infos, count, wish.words, given ? NULL : variable, log);
    else {
        clspi_uuid_text(uuid + strlen(uuid), wish.uuid);
        status = fail_with_list(infos, count, uuid, NULL, log);
    }
    free(infos);
    return status;
}
