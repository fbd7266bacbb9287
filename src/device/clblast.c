#include "clblast.h"

#include <pthread.h>
#include <string.h>

#include "library.h"
#include "opencl.h"

/* What its library is called, and how it is installed. */
#if defined(_WIN32)
#define LIBRARY "clblast.dll"
#define ADVICE  "put it beside the program"
#elif defined(__APPLE__)
#define LIBRARY "libclblast.1.dylib"
#define ADVICE  "brew install clblast"
#elif defined(__ANDROID__)
#define LIBRARY "libclblast.so"
#define ADVICE  "put it among the app's libraries"
#else
#define LIBRARY "libclblast.so.1"
#define ADVICE  "apt install libclblast1, or elsewhere the package clblast"
#endif

/* Values of CLBlastStatusCode that are not OpenCL's. */
enum {
    INSUFFICIENT_MEMORY_TEMP = -2050,
    INVALID_LOCAL_MEM_USAGE = -2046,
    NO_DOUBLE_PRECISION = -2044,
    INVALID_MATRIX_A = -1022,
    INVALID_MATRIX_B = -1021,
    INVALID_MATRIX_C = -1020,
    INVALID_DIMENSION = -1017,
    INVALID_LEAD_DIM_A = -1016,
    INVALID_LEAD_DIM_B = -1015,
    INVALID_LEAD_DIM_C = -1014,
    INSUFFICIENT_MEMORY_A = -1011,
    INSUFFICIENT_MEMORY_B = -1010,
    INSUFFICIENT_MEMORY_C = -1009
};

static const char *const libraries[] = {
    LIBRARY,
#ifdef __APPLE__
    "/opt/homebrew/lib/" LIBRARY, /* macOS does not look there */
#endif
    NULL};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static clspi_clblast functions;
static bool found;

/* Writes the address of a function to *function. C has no cast between the two kinds of pointer. */
static bool get(void *library, const char *name, void *function)
{
    void *const address = clspi_library_function(library, name);

    memcpy(function, &address, sizeof address);
    return address != NULL;
}

static bool get_all(void *library)
{
    return get(library, "CLBlastSgemm", &functions.sgemm) &&
           get(library, "CLBlastDgemm", &functions.dgemm);
}

static void find(void)
{
    void *library = NULL;

    found = get_all(library);
    if (!found) library = clspi_library_open(libraries);
    if (library) found = get_all(library);
}

bool clspi_clblast_is_built(void)
{
    return CLSPI_CLBLAST;
}

const clspi_clblast *clspi_clblast_find(void)
{
    if (CLSPI_CLBLAST) pthread_once(&once, find);
    return found ? &functions : NULL;
}

const char *clspi_clblast_absence(void)
{
    return CLSPI_CLBLAST ? "CLBlast is not installed: no " LIBRARY " has its products (" ADVICE ")"
                         : "this library is built without CLBlast";
}

clsp_status clspi_clblast_status(int code)
{
    switch (code) {
    case INSUFFICIENT_MEMORY_A:
    case INSUFFICIENT_MEMORY_B:
    case INSUFFICIENT_MEMORY_C:
        return CLSP_ERROR_BUFFER_SIZE;
    case INVALID_MATRIX_A:
    case INVALID_MATRIX_B:
    case INVALID_MATRIX_C:
    case INVALID_DIMENSION:
    case INVALID_LEAD_DIM_A:
    case INVALID_LEAD_DIM_B:
    case INVALID_LEAD_DIM_C:
        return CLSP_ERROR_ARGUMENT;
    case NO_DOUBLE_PRECISION:
        return CLSP_ERROR_NO_FP64;
    case INSUFFICIENT_MEMORY_TEMP:
    case INVALID_LOCAL_MEM_USAGE:
        return CL_OUT_OF_RESOURCES;
    default:
        return code <= 0 && code > -1000 ? code : CL_INVALID_OPERATION;
    }
}
