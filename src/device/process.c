#include "process.h"

#include <pthread.h>
#include <stdatomic.h>

#include "library.h"
#include "log.h"

const char clspi_made_before_fork[] =
    "made before fork: a forked process can only destroy what its parent has made";

/* Whether the process was forked. That stays so: a child's children have no more threads than the
   child. */
static atomic_bool forked;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool watching;

static void note_fork(void)
{
    atomic_store_explicit(&forked, true, memory_order_relaxed);
}

static void watch(void)
{
    watching = pthread_atfork(NULL, NULL, note_fork) == 0;
}

bool clspi_process_is_forked(void)
{
    return atomic_load_explicit(&forked, memory_order_relaxed);
}

clsp_status clspi_process_begin(const char *function)
{
    if (clspi_process_is_forked())
        return clspi_fail(NULL, CLSP_ERROR_STATE,
                          "%s: the process was forked after its parent had used OpenCL: fork "
                          "before the library is first used, or call exec",
                          function);
    if (pthread_once(&once, watch) == 0 && watching) return CLSP_OK;
    return clspi_fail(NULL, CLSP_ERROR_NO_MEMORY, "%s: no memory to notice forks", function);
}

static void keep_code(void)
{
    clspi_library_keep(&forked);
}

void clspi_process_keep_code(void)
{
    static pthread_once_t kept = PTHREAD_ONCE_INIT;

    pthread_once(&kept, keep_code);
}
