#include "profile.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "level.h"

int clspi_contains(const char *text, const char *part, size_t part_length)
{
    for (; strlen(text) >= part_length; text++) {
        size_t i = 0;
        while (i < part_length &&
               tolower((unsigned char)text[i]) == tolower((unsigned char)part[i]))
            i++;
        if (i == part_length) return 1;
        if (*text == '\0') return 0;
    }
    return 0;
}

int clspi_is_pocl(const char *platform)
{
    return strcmp(platform, "Portable Computing Language") == 0;
}

int clspi_is_nvidia(const char *platform)
{
    return strcmp(platform, "NVIDIA CUDA") == 0;
}

int clspi_is_rusticl(const char *platform)
{
    return strcmp(platform, "rusticl") == 0;
}

static const struct {
    clsp_device_class device_class;
    const char *name;
} class_names[] = {
    {CLSP_CLASS_CPU, "cpu"},           {CLSP_CLASS_INTEGRATED, "integrated"},
    {CLSP_CLASS_DISCRETE, "discrete"}, {CLSP_CLASS_ACCELERATOR, "accelerator"},
    {CLSP_CLASS_HOST, "host"},
};

const char *clspi_class_name(clsp_device_class device_class)
{
    for (size_t i = 0; i < CLSPI_COUNT(class_names); i++)
        if (class_names[i].device_class == device_class) return class_names[i].name;
    return "unknown";
}

/* ---- queries ---- */

static void query(cl_device_id device, cl_device_info what, void *value, size_t size)
{
    memset(value, 0, size);
    if (clGetDeviceInfo(device, what, size, value, NULL) != CL_SUCCESS) memset(value, 0, size);
}

static uint64_t query_ulong(cl_device_id device, cl_device_info what)
{
    cl_ulong value;
    query(device, what, &value, sizeof value);
    return value;
}

static uint32_t query_uint(cl_device_id device, cl_device_info what)
{
    cl_uint value;
    query(device, what, &value, sizeof value);
    return value;
}

static uint64_t query_size(cl_device_id device, cl_device_info what)
{
    size_t value;
    query(device, what, &value, sizeof value);
    return value;
}

/* Fetches a string whole, since it may be longer than the field, and cuts it. */
static void query_text(cl_device_id device, cl_device_info what, char *text, size_t size)
{
    size_t length = 0;
    char *whole = NULL;

    text[0] = '\0';
    if (clGetDeviceInfo(device, what, 0, NULL, &length) != CL_SUCCESS || length == 0) return;
    whole = malloc(length + 1);
    if (!whole) return;
    if (clGetDeviceInfo(device, what, length, whole, NULL) == CL_SUCCESS) {
        whole[length] = '\0';
        snprintf(text, size, "%s", whole);
    }
    free(whole);
}

static void query_platform_name(cl_device_id device, char *text, size_t size)
{
    cl_platform_id platform;
    char name[256] = "";

    text[0] = '\0';
    query(device, CL_DEVICE_PLATFORM, &platform, sizeof platform);
    if (platform &&
        clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name - 1, name, NULL) == CL_SUCCESS)
        snprintf(text, size, "%s", name);
}

bool clspi_has_extension(cl_device_id device, const char *word)
{
    const size_t length = strlen(word);
    size_t size = 0;
    char *list = NULL;
    bool found = false;

    if (clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, 0, NULL, &size) != CL_SUCCESS) return false;
    list = calloc(1, size + 1);
    if (!list) return false;
    if (clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, size, list, NULL) == CL_SUCCESS) {
        for (const char *at = strstr(list, word); at && !found; at = strstr(at + 1, word))
            found = (at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0');
    }
    free(list);
    return found;
}

/* Reads the version of OpenCL C: "OpenCL C 1.2 vendor words" is 120. */
static uint32_t query_opencl_c_version(cl_device_id device)
{
    char text[128];
    unsigned major = 0, minor = 0;

    query_text(device, CL_DEVICE_OPENCL_C_VERSION, text, sizeof text);
    if (sscanf(text, "OpenCL C %u.%u", &major, &minor) != 2) return 0;
    return major * 100 + minor * 10;
}

static uint32_t query_svm(cl_device_id device)
{
    cl_device_svm_capabilities bits;
    uint32_t svm = 0;

    if (!clSVMAlloc || !clSVMFree || !clSetKernelArgSVMPointer) return 0;
    query(device, CL_DEVICE_SVM_CAPABILITIES, &bits, sizeof bits);
    if (bits & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER) svm |= CLSP_SVM_COARSE;
    if (bits & CL_DEVICE_SVM_FINE_GRAIN_BUFFER) svm |= CLSP_SVM_FINE_BUFFER;
    if (bits & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM) svm |= CLSP_SVM_FINE_SYSTEM;
    if (bits & CL_DEVICE_SVM_ATOMICS) svm |= CLSP_SVM_ATOMICS;
    return svm;
}

static clsp_device_class query_class(cl_device_id device)
{
    cl_device_type type;
    cl_bool unified;

    query(device, CL_DEVICE_TYPE, &type, sizeof type);
    query(device, CL_DEVICE_HOST_UNIFIED_MEMORY, &unified, sizeof unified);
    if (type & CL_DEVICE_TYPE_GPU) return unified ? CLSP_CLASS_INTEGRATED : CLSP_CLASS_DISCRETE;
    if (type & CL_DEVICE_TYPE_CPU) return CLSP_CLASS_CPU;
    return CLSP_CLASS_ACCELERATOR;
}

/* Tells whether local memory is a memory of its own. The query alone does not tell: Mesa's rusticl
   reports Global for AMD's LDS, and CPU runtimes may report Local. So a GPU counts as having it
   when it says so, or when its vendor is known to build it into every GPU. */
static uint32_t query_local_is_real(cl_device_id device, const clsp_device_info *info)
{
    static const char *const vendors[] = {"NVIDIA", "AMD",      "Advanced Micro",
                                          "Intel",  "Qualcomm", "freedreno"};
    cl_device_local_mem_type type;

    if (info->device_class != CLSP_CLASS_INTEGRATED && info->device_class != CLSP_CLASS_DISCRETE)
        return 0;
    query(device, CL_DEVICE_LOCAL_MEM_TYPE, &type, sizeof type);
    if (type == CL_LOCAL) return 1;
    for (size_t i = 0; i < CLSPI_COUNT(vendors); i++)
        if (clspi_contains(info->vendor, vendors[i], strlen(vendors[i]))) return 1;
    return 0;
}

/* Tells whether fma() is an instruction in float. Mesa's rusticl never says so, and its compiler
   makes one on all GPUs of these makers; on others it may take some hundred operations instead. */
static uint32_t query_fma(cl_device_id device, const clsp_device_info *info)
{
    static const char *const vendors[] = {"Arm", "Intel"};
    cl_device_fp_config fp32;

    query(device, CL_DEVICE_SINGLE_FP_CONFIG, &fp32, sizeof fp32);
    if (fp32 & CL_FP_FMA) return 1;
    for (size_t i = 0; i < CLSPI_COUNT(vendors) && clspi_is_rusticl(info->platform); i++)
        if (clspi_contains(info->vendor, vendors[i], strlen(vendors[i]))) return 1;
    return 0;
}

/* Tells whether a CPU runs functions of the host's in its queue. */
static uint32_t query_native(cl_device_id device, const clsp_device_info *info)
{
    cl_device_exec_capabilities bits;

    query(device, CL_DEVICE_EXECUTION_CAPABILITIES, &bits, sizeof bits);
    return info->device_class == CLSP_CLASS_CPU && (bits & CL_EXEC_NATIVE_KERNEL) != 0;
}

void clspi_profile_query(clsp_device_info *info, cl_device_id device)
{
    cl_device_fp_config fp64;
    cl_bool images, unified;

    memset(info, 0, sizeof *info);
    info->id = device;
    query_text(device, CL_DEVICE_NAME, info->name, sizeof info->name);
    query_platform_name(device, info->platform, sizeof info->platform);
    query_text(device, CL_DEVICE_VENDOR, info->vendor, sizeof info->vendor);
    query_text(device, CL_DRIVER_VERSION, info->driver, sizeof info->driver);
    query_text(device, CL_DEVICE_VERSION, info->version, sizeof info->version);
    info->device_class = query_class(device);
    info->opencl_version = query_opencl_c_version(device);
    const uint32_t units = query_uint(device, CL_DEVICE_MAX_COMPUTE_UNITS);
    info->compute_units = units ? units : 1; /* work is divided by them */
    info->svm = query_svm(device);
    query(device, CL_DEVICE_HOST_UNIFIED_MEMORY, &unified, sizeof unified);
    info->unified_memory = unified != 0;
    query(device, CL_DEVICE_DOUBLE_FP_CONFIG, &fp64, sizeof fp64);
    info->fp64 = fp64 != 0;
    info->fp16 = clspi_has_extension(device, "cl_khr_fp16");
    info->fma = query_fma(device, info);
    query(device, CL_DEVICE_IMAGE_SUPPORT, &images, sizeof images);
    info->images = images != 0;
    if (images) {
        info->image_2d_max[0] = query_size(device, CL_DEVICE_IMAGE2D_MAX_WIDTH);
        info->image_2d_max[1] = query_size(device, CL_DEVICE_IMAGE2D_MAX_HEIGHT);
    }
    info->native_vector_bytes =
        query_uint(device, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT) * (uint32_t)sizeof(cl_float);
    info->max_work_group = query_size(device, CL_DEVICE_MAX_WORK_GROUP_SIZE);
    info->local_bytes = query_ulong(device, CL_DEVICE_LOCAL_MEM_SIZE);
    info->global_bytes = query_ulong(device, CL_DEVICE_GLOBAL_MEM_SIZE);
    /* a buffer's size is a size_t of the host */
    info->max_alloc_bytes =
        clspi_min_u64(query_ulong(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE), SIZE_MAX);
    info->address_bits = query_uint(device, CL_DEVICE_ADDRESS_BITS) == 32 ? 32 : 64;
    info->base_align_bytes = query_uint(device, CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8;
    info->cacheline_bytes = query_uint(device, CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE);
    info->local_is_real = query_local_is_real(device, info);
    info->native = query_native(device, info);
}

/* ---- narrowing ---- */

enum {
    SVM_BITS = CLSP_SVM_COARSE | CLSP_SVM_FINE_BUFFER | CLSP_SVM_FINE_SYSTEM | CLSP_SVM_ATOMICS
};

static void narrow_u32(uint32_t *field, uint64_t value)
{
    if (value < *field) *field = (uint32_t)value;
}

static void narrow_u64(uint64_t *field, uint64_t value)
{
    if (value < *field) *field = value;
}

static bool narrow_class(clsp_device_info *info, const char *name, size_t length)
{
    for (size_t i = 0; i < CLSPI_COUNT(class_names); i++) {
        if (class_names[i].device_class != CLSP_CLASS_HOST &&
            strlen(class_names[i].name) == length &&
            strncmp(class_names[i].name, name, length) == 0) {
            info->device_class = class_names[i].device_class;
            return true;
        }
    }
    return false;
}

static void narrow_images(clsp_device_info *info, uint64_t value)
{
    narrow_u32(&info->images, value);
    if (!info->images) info->image_2d_max[0] = info->image_2d_max[1] = 0;
}

/* Takes another vendor's name, by which the tuning table goes: so a device stands in for that
   vendor's GPUs. */
static bool narrow_vendor(clsp_device_info *info, const char *name, size_t length)
{
    if (length == 0 || length >= sizeof info->vendor) return false;
    memset(info->vendor, 0, sizeof info->vendor);
    memcpy(info->vendor, name, length);
    return true;
}

/* Tells whether a number is a version of OpenCL C. */
static bool is_version(uint64_t value)
{
    return value == 100 || value == 110 || value == 120 || value == 200 || value == 300;
}

static bool narrow_number(clsp_device_info *info, const char *key, size_t length, uint64_t value)
{
#define IS(word) (length == sizeof(word) - 1 && strncmp(key, word, length) == 0)
    if (IS("fp64") && value <= 1)
        narrow_u32(&info->fp64, value);
    else if (IS("fp16") && value <= 1)
        narrow_u32(&info->fp16, value);
    else if (IS("fma") && value <= 1)
        narrow_u32(&info->fma, value);
    else if (IS("images") && value <= 1)
        narrow_images(info, value);
    else if (IS("svm") && value <= SVM_BITS)
        info->svm &= (uint32_t)value;
    else if (IS("native") && value <= 1)
        narrow_u32(&info->native, value);
    else if (IS("work_group") && value > 0)
        narrow_u64(&info->max_work_group, value);
    else if (IS("local"))
        narrow_u64(&info->local_bytes, value);
    else if (IS("alloc") && value > 0)
        narrow_u64(&info->max_alloc_bytes, value);
    else if (IS("opencl") && is_version(value))
        narrow_u32(&info->opencl_version, value);
    else if (IS("local_is_real") && value <= 1)
        info->local_is_real = (uint32_t)value;
    else
        return false;
    return true;
#undef IS
}

/* Tells whether the host's code, whose level CLSPLINE_LIMITS has chosen for the whole process, is
   of a level or below. */
static bool is_level(const char *name, size_t length)
{
    const clspi_level_number level = clspi_level_of(name, length);

    return level && clspi_level() <= level;
}

/* Applies one word, "key=value". */
static bool narrow_word(clsp_device_info *info, const char *word, size_t length)
{
    const char *equals = memchr(word, '=', length);
    char digits[24];
    char *end;
    uint64_t value;

    if (!equals) return false;
    const size_t key_length = (size_t)(equals - word);
    const size_t value_length = length - key_length - 1;
    if (key_length == 5 && strncmp(word, "class", 5) == 0)
        return narrow_class(info, equals + 1, value_length);
    if (key_length == 6 && strncmp(word, "vendor", 6) == 0)
        return narrow_vendor(info, equals + 1, value_length);
    if (key_length == 5 && strncmp(word, "level", 5) == 0)
        return is_level(equals + 1, value_length);
    if (value_length == 0 || value_length >= sizeof digits || !isdigit((unsigned char)equals[1]))
        return false;
    memcpy(digits, equals + 1, value_length);
    digits[value_length] = '\0';
    errno = 0;
    value = strtoull(digits, &end, 10);
    return *end == '\0' && errno == 0 && narrow_number(info, word, key_length, value);
}

/* Tells whether a word of the list has the key of an earlier one. */
static bool is_repeated(const char *list, const char *word)
{
    const size_t length = strcspn(word, "=,");

    while (list < word) {
        if (strcspn(list, "=,") == length && strncmp(list, word, length) == 0) return true;
        list += strcspn(list, ",") + 1;
        list += strspn(list, " ");
    }
    return false;
}

bool clspi_profile_has_class(const char *limits)
{
    static const char key[] = "class=";
    const char *const word = limits ? strstr(limits, key) : NULL;

    return word && (word == limits || word[-1] == ',' || word[-1] == ' ');
}

clsp_status clspi_profile_narrow(clsp_device_info *info, const char *limits, const char *source,
                                 clspi_log *log)
{
    static const char words[] =
        "fp64=0, fp16=0, fma=0, images=0, svm=0, native=0, local_is_real=0|1, work_group=N, "
        "local=BYTES, alloc=BYTES, opencl=120, class=cpu|integrated|discrete|accelerator, "
        "vendor=NAME, level=base|v3|v4 (of the whole process)";

    const char *const list = limits;

    if (!limits) return CLSP_OK;
    while (*limits) {
        const size_t length = strcspn(limits, ",");
        if (is_repeated(list, limits))
            return clspi_fail(log, CLSP_ERROR_ARGUMENT, "%s: '%.*s' stands there twice", source,
                              (int)clspi_min(strcspn(limits, "=,"), 80), limits);
        if (!narrow_word(info, limits, length))
            return clspi_fail(log, CLSP_ERROR_ARGUMENT,
                              "%s: '%.*s' is none of the words that limits are made of, separated "
                              "by commas: %s",
                              source, (int)clspi_min(length, 80), limits, words);
        limits += length;
        if (*limits == ',') limits += 1 + strspn(limits + 1, " ");
    }
    return CLSP_OK;
}
