#include "process.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "library.h"

const char clspi_made_before_fork[] =
    "made before fork: a forked process can only destroy what its parent has made";

static atomic_uint process;

/* How often OpenCL was entered; and whether that was before a fork, which stays so: a child's
   children have no more threads than the child. */
static atomic_uint num_entered;
static atomic_bool lost_opencl;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool watching;

static void note_fork(void)
{
    atomic_fetch_add(&process, 1);
    if (atomic_load(&num_entered) > 0) atomic_store(&lost_opencl, true);
}

static void watch(void)
{
    watching = pthread_atfork(NULL, NULL, note_fork) == 0;
}

uint32_t clspi_process(void)
{
    return atomic_load_explicit(&process, memory_order_relaxed);
}

clsp_status clspi_process_enter_opencl(clspi_log *log)
{
    atomic_fetch_add(&num_entered, 1);
    if (!atomic_load(&lost_opencl)) return CLSP_OK;
    return clspi_fail(log, CLSP_ERROR_STATE,
                      "the process was forked after its parent had used OpenCL, which does not "
                      "survive that: fork before, call exec, or name the device \"host\"");
}

bool clspi_process_lost_opencl(void)
{
    return atomic_load(&lost_opencl);
}

void clspi_process_leave_opencl(void)
{
    atomic_fetch_sub(&num_entered, 1);
}

clsp_status clspi_process_begin(const char *function)
{
    if (pthread_once(&once, watch) == 0 && watching) return CLSP_OK;
    return clspi_fail(NULL, CLSP_ERROR_NO_MEMORY, "%s: no memory to notice forks", function);
}

static void keep_code(void)
{
    clspi_library_keep(&process);
}

void clspi_process_keep_code(void)
{
    static pthread_once_t kept = PTHREAD_ONCE_INIT;

    pthread_once(&kept, keep_code);
}
