/* `clspline devices`: which devices there are, and how a device's compiler took the kernels. */
#include "command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "json.h"

static const char help[] =
    "usage: clspline devices [--verbose | --json]\n"
    "       clspline devices --kernels [--device DEVICE] [--json]\n"
    "\n"
    "Lists the OpenCL devices in the order in which an index names them. With --kernels,\n"
    "compiles every kernel for one device and lists what its compiler made of them.\n"
    "\n"
    "options:\n"
    "      --kernels         list the kernels\n"
    "  -d, --device DEVICE   for --kernels: an index, 'cpu', 'gpu', 'integrated', 'discrete',\n"
    "                        'accelerator', or parts of names as in 'pocl:' or 'nvidia:h200';\n"
    "                        default: $CLSPLINE_DEVICE, else the best one\n"
    "  -v, --verbose         in a wide table, also SVM, work-groups and drivers\n"
    "      --json            print JSON\n"
    "  -h, --help            this text\n"
    "\n"
    "examples:\n"
    "  clspline devices\n"
    "  clspline devices --json | python3 -m json.tool\n"
    "  clspline devices --kernels --device gpu\n";

enum { OPTION_KERNELS, OPTION_DEVICE, OPTION_JSON, OPTION_VERBOSE, OPTION_HELP };

static const args_option options[] = {{"kernels", 0, false}, {"device", 'd', true},
                                      {"json", 0, false},    {"verbose", 'v', false},
                                      {"help", 'h', false},  {NULL, 0, false}};

typedef struct request {
    bool kernels, json, verbose, help;
    const char *device;
} request;

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

static void print_member(const char *name, const char *text)
{
    printf(", \"%s\": ", name);
    json_string(stdout, text);
}

static void print_number(const char *name, uint64_t value)
{
    printf(", \"%s\": %llu", name, (unsigned long long)value);
}

static void print_bool(const char *name, uint32_t value)
{
    printf(", \"%s\": %s", name, value ? "true" : "false");
}

static void print_device_json(const clsp_device_info *d, size_t index)
{
    printf("{\"index\": %lu", (unsigned long)index);
    print_member("platform", d->platform);
    print_member("device", d->name);
    print_member("vendor", d->vendor);
    print_member("class", device_class_name(d->device_class));
    print_member("driver", d->driver);
    print_member("version", d->version);
    print_number("opencl_c_version", d->opencl_version);
    print_number("compute_units", d->compute_units);
    print_number("memory_bytes", d->global_bytes);
    print_number("max_alloc_bytes", d->max_alloc_bytes);
    print_number("local_bytes", d->local_bytes);
    print_number("work_group_limit", d->max_work_group);
    print_bool("fp64", d->fp64);
    print_bool("fp16", d->fp16);
    print_bool("images", d->images);
    print_bool("unified_memory", d->unified_memory);
    print_member("svm", svm_name(d->svm));
    fputc('}', stdout);
}

static void print_json(const clsp_device_info *infos, size_t count)
{
    fputc('[', stdout);
    for (size_t i = 0; i < count; i++) {
        fputs(i == 0 ? "\n" : ",\n", stdout);
        print_device_json(&infos[i], i);
    }
    fputs(count > 0 ? "\n]\n" : "]\n", stdout);
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
    clsp_device_info *infos = list_devices(&count);
    if (!infos) return EXIT_FAILED;
    if (r->json)
        print_json(infos, count);
    else if (count > 0)
        (r->verbose ? print_wide_table : print_table)(infos, count);
    free(infos);
    if (count > 0) return EXIT_OK;
    complain(
        "no OpenCL device was found: install your GPU's OpenCL driver, or PoCL, which computes "
        "on the CPU (Debian and Ubuntu: pocl-opencl-icd; Fedora: pocl; Homebrew: pocl)");
    return EXIT_FAILED;
}

/* What the kernel callback needs. */
typedef struct listing {
    bool json;
    size_t count;
} listing;

static void print_kernel(void *user, const clsp_kernel_info *k)
{
    listing *l = user;
    if (l->json) {
        fputs(l->count == 0 ? "\n{\"program\": " : ",\n{\"program\": ", stdout);
        json_string(stdout, k->program);
        print_member("kernel", k->kernel);
        print_member("options", k->options);
        print_number("work_group_limit", k->work_group_limit);
        print_number("preferred_multiple", k->preferred_multiple);
        print_number("private_bytes", k->private_bytes);
        print_number("local_bytes", k->local_bytes);
        printf(", \"build_ms\": %.3f}", k->build_ms);
    } else {
        if (l->count == 0)
            printf("%-20s  %-24s  %10s  %8s  %9s  %9s  %9s  %s\n", "program", "kernel",
                   "work-group", "multiple", "private B", "local B", "build ms", "options");
        printf("%-20s  %-24s  %10llu  %8llu  %9llu  %9llu  %9.1f  %s\n", k->program, k->kernel,
               (unsigned long long)k->work_group_limit, (unsigned long long)k->preferred_multiple,
               (unsigned long long)k->private_bytes, (unsigned long long)k->local_bytes,
               k->build_ms, k->options);
    }
    l->count++;
}

static int show_kernels(const request *r)
{
    clsp_context *ctx = NULL;
    clsp_device_info info;
    listing l = {.json = r->json};
    int result = EXIT_FAILED;
    if (!open_context(&ctx, r->device, VERBOSITY_NORMAL)) return EXIT_FAILED;

    clsp_status status = clsp_context_device(ctx, &info);
    if (status != CLSP_OK) {
        complain_status(ctx, status);
        goto fail;
    }
    if (r->json)
        fputc('[', stdout);
    else
        printf("%s (%s, driver %s)\n", info.name, info.platform, info.driver);
    status = clsp_context_build_all(ctx, print_kernel, &l);
    if (r->json) fputs(l.count > 0 ? "\n]\n" : "]\n", stdout);
    if (status != CLSP_OK)
        complain_status(ctx, status);
    else
        result = EXIT_OK;
fail:
    clsp_context_destroy(&ctx);
    return result;
}

/* Reads the arguments; EXIT_OK, or EXIT_USAGE with a complaint. */
static int read_request(request *r, int argc, char **argv)
{
    args a = args_start(argc, argv);
    for (int found; (found = args_next(&a, options)) != ARGS_END;) {
        switch (found) {
        case OPTION_KERNELS:
            r->kernels = true;
            break;
        case OPTION_DEVICE:
            r->device = a.value;
            break;
        case OPTION_JSON:
            r->json = true;
            break;
        case OPTION_VERBOSE:
            r->verbose = true;
            break;
        case OPTION_HELP:
            r->help = true;
            return EXIT_OK;
        case ARGS_OPERAND:
            return usage_error("devices", "unexpected argument '%s'", a.value);
        default:
            return usage_error("devices", "%s '%s'", args_error(found), a.word);
        }
    }
    if (r->verbose && (r->kernels || r->json))
        return usage_error("devices", "--verbose is of the table of devices");
    if (r->device && !r->kernels) return usage_error("devices", "--device needs --kernels");
    return EXIT_OK;
}

int command_devices(int argc, char **argv)
{
    request r = {0};
    int status = read_request(&r, argc, argv);
    if (status != EXIT_OK) return status;
    if (r.help) {
        fputs(help, stdout);
        return EXIT_OK;
    }
    return r.kernels ? show_kernels(&r) : show_devices(&r);
}
