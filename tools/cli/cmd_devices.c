/* `clspline devices`: which devices there are, and how a device's compiler took the kernels. */
#include "command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drivers.h"
#include "json.h"
#include "plain_requests.h"
#include "progress.h"

/* A text of the SVM bits, such as "fine+atomics". */
static const char *svm_name(uint32_t svm)
{
    bool atomics = (svm & CLSP_SVM_ATOMICS) != 0;
    if (svm & CLSP_SVM_FINE_SYSTEM) return atomics ? "system+atomics" : "system";
    if (svm & CLSP_SVM_FINE_BUFFER) return atomics ? "fine+atomics" : "fine";
    return svm & CLSP_SVM_COARSE ? "coarse" : "none";
}

static double gibibytes(uint64_t bytes)
{
    return (double)bytes / (1024.0 * 1024.0 * 1024.0);
}

static size_t widest_platform(const clsp_device_info *infos, size_t count)
{
    size_t width = strlen("platform");
    for (size_t i = 0; i < count; i++)
        if (strlen(infos[i].platform) > width) width = strlen(infos[i].platform);
    return width;
}

static size_t widest_name(const clsp_device_info *infos, size_t count)
{
    size_t width = strlen("device");
    for (size_t i = 0; i < count; i++)
        if (strlen(infos[i].name) > width) width = strlen(infos[i].name);
    return width;
}

/* Prints a narrow table; the devices of a platform stand behind its name. */
static void print_table(const clsp_device_info *infos, size_t count)
{
    printf("index  %-11s  %9s  fp64  device\n", "class", "memory");
    for (size_t i = 0; i < count; i++) {
        const clsp_device_info *d = &infos[i];
        if (i == 0 || strcmp(infos[i - 1].platform, d->platform) != 0) printf("%s:\n", d->platform);
        printf("%5lu  %-11s  %5.1f GiB  %-4s  %s\n", (unsigned long)i,
               device_class_name(d->device_class), gibibytes(d->global_bytes),
               d->fp64 ? "yes" : "no", d->name);
    }
}

static void print_wide_table(const clsp_device_info *infos, size_t count)
{
    int platform = (int)widest_platform(infos, count), name = (int)widest_name(infos, count);
    printf("%5s  %-*s  %-*s  %-11s  %9s  %-4s  %-14s  %10s  %s\n", "index", platform, "platform",
           name, "device", "class", "memory", "fp64", "SVM", "work-group", "driver");
    for (size_t i = 0; i < count; i++) {
        const clsp_device_info *d = &infos[i];
        printf("%5lu  %-*s  %-*s  %-11s  %5.1f GiB  %-4s  %-14s  %10llu  %s\n", (unsigned long)i,
               platform, d->platform, name, d->name, device_class_name(d->device_class),
               gibibytes(d->global_bytes), d->fp64 ? "yes" : "no", svm_name(d->svm),
               (unsigned long long)d->max_work_group, d->driver);
    }
}

static bool print_json(const clsp_device_info *infos, size_t count)
{
    json_list list = {.count = 0};
    for (size_t i = 0; i < count; i++) {
        const clsp_device_info *d = &infos[i];
        cJSON *o = json_object(&list);
        json_add_count(&list, o, "index", i);
        json_add_text(&list, o, "platform", d->platform);
        json_add_text(&list, o, "device", d->name);
        json_add_text(&list, o, "vendor", d->vendor);
        json_add_text(&list, o, "class", device_class_name(d->device_class));
        json_add_text(&list, o, "driver", d->driver);
        json_add_text(&list, o, "version", d->version);
        json_add_count(&list, o, "opencl_c_version", d->opencl_version);
        json_add_count(&list, o, "compute_units", d->compute_units);
        json_add_count(&list, o, "memory_bytes", d->global_bytes);
        json_add_count(&list, o, "max_alloc_bytes", d->max_alloc_bytes);
        json_add_count(&list, o, "local_bytes", d->local_bytes);
        json_add_count(&list, o, "work_group_limit", d->max_work_group);
        json_add_bool(&list, o, "fp64", d->fp64);
        json_add_bool(&list, o, "fp16", d->fp16);
        json_add_bool(&list, o, "images", d->images);
        json_add_bool(&list, o, "unified_memory", d->unified_memory);
        json_add_text(&list, o, "svm", svm_name(d->svm));
        json_list_print(&list, o);
    }
    return json_list_end(&list);
}

/* All devices, in memory that the caller frees; NULL with a complaint on failure. */
static clsp_device_info *list_devices(size_t *count)
{
    clsp_device_info *infos = NULL;
    size_t capacity = 0;
    clsp_status status = clsp_device_list(NULL, 0, &capacity);
    if (status == CLSP_OK) {
        infos = calloc(capacity > 0 ? capacity : 1, sizeof(*infos));
        status = infos ? clsp_device_list(infos, capacity, count) : CLSP_ERROR_NO_MEMORY;
    }
    if (status != CLSP_OK) {
        complain_status(NULL, status);
        free(infos);
        return NULL;
    }
    if (*count > capacity) *count = capacity; /* a device that came in between */
    return infos;
}

static int show_devices(const request *r)
{
    size_t count = 0;
    bool done = true;
    clsp_context *none = NULL;
    clsp_device_info *infos = list_devices(&count);
    if (!infos) return EXIT_FAILED;
    if (r->json)
        done = print_json(infos, count);
    else
        (r->verbose ? print_wide_table : print_table)(infos, count);
    free(infos);
    if (count == 1 && open_context(&none, ":", VERBOSITY_QUIET)) /* it says why there are no more */
        clsp_context_destroy(&none);
    if (count > 1 && r->verbose) drivers_complain(NULL, NULL);
    return done ? EXIT_OK : EXIT_FAILED;
}

/* What the kernel callback needs. */
typedef struct listing {
    bool is_json;
    json_list json;
    size_t count;
    progress_bar bar;
    char stage[64]; /* of the bar */
} listing;

static void print_object(json_list *list, const clsp_kernel_info *k)
{
    cJSON *o = json_object(list);
    json_add_text(list, o, "program", k->program);
    json_add_text(list, o, "kernel", k->kernel);
    json_add_text(list, o, "options", k->options);
    json_add_count(list, o, "work_group_limit", k->work_group_limit);
    json_add_count(list, o, "preferred_multiple", k->preferred_multiple);
    json_add_count(list, o, "private_bytes", k->private_bytes);
    json_add_count(list, o, "local_bytes", k->local_bytes);
    json_add_real(list, o, "build_ms", k->build_ms);
    json_list_print(list, o);
}

static void print_row(listing *l, const clsp_kernel_info *k)
{
    if (l->count++ == 0)
        printf("%-20s  %-24s  %10s  %8s  %9s  %9s  %9s  %s\n", "program", "kernel", "work-group",
               "multiple", "private B", "local B", "build ms", "options");
    printf("%-20s  %-24s  %10llu  %8llu  %9llu  %9llu  %9.1f  %s\n", k->program, k->kernel,
           (unsigned long long)k->work_group_limit, (unsigned long long)k->preferred_multiple,
           (unsigned long long)k->private_bytes, (unsigned long long)k->local_bytes, k->build_ms,
           k->options);
}

/* Lists a kernel as soon as it is there, and shows how many programs are. */
static void print_kernel(void *user, const clsp_kernel_info *k)
{
    listing *l = user;
    progress_end(&l->bar); /* until it is drawn anew */
    if (l->is_json)
        print_object(&l->json, k);
    else
        print_row(l, k);
    fflush(stdout);
    snprintf(l->stage, sizeof(l->stage), "%llu of %llu", (unsigned long long)k->build,
             (unsigned long long)k->num_builds);
    l->bar.stage = l->stage;
    l->bar.shown = 0; /* at once: the next kernel may take long */
    progress_report(&l->bar, (double)k->build / (double)k->num_builds);
}

static int show_kernels(const request *r)
{
    clsp_context *ctx = NULL;
    clsp_device_info info;
    listing l = {.is_json = r->json};
    int result = EXIT_FAILED;
    if (!open_context(&ctx, r->device, VERBOSITY_NORMAL)) return EXIT_FAILED;

    clsp_status status = clsp_context_device(ctx, &info);
    if (status != CLSP_OK) {
        complain_status(ctx, status);
        goto fail;
    }
    if (!r->json) printf("%s (%s, driver %s)\n", info.name, info.platform, info.driver);
    complain(info.device_class == CLSP_CLASS_HOST
                 ? "%s is the host, which has no kernels: --device names others"
                 : "compiling every kernel for %s, which takes minutes where none is cached",
             info.name);
    progress_start(&l.bar, "compiling", VERBOSITY_NORMAL);
    status = clsp_context_build_all(ctx, print_kernel, &l);
    progress_end(&l.bar);
    const bool listed = !r->json || json_list_end(&l.json);
    if (status != CLSP_OK)
        complain_status(ctx, status);
    else if (listed)
        result = EXIT_OK;
fail:
    clsp_context_destroy(&ctx);
    return result;
}

int devices_run(request *r)
{
    return ((const devices_request *)r)->kernels ? show_kernels(r) : show_devices(r);
}
