/* What a context holds; for src/device alone and for plans to read. */
#ifndef CLSPI_CONTEXT_INTERNAL_H
#define CLSPI_CONTEXT_INTERNAL_H

#include <stdatomic.h>
#include <stdbool.h>

#include "graphics_context.h"
#include "log.h"
#include "profile.h"
#include "tuning.h"

struct clspi_program; /* program.c */

/* What a layer above keeps in a context: the head of its own struct. */
typedef struct clspi_context_helper {
    /* Called before the context releases anything of its own. */
    void (*release)(struct clspi_context_helper *helper);
} clspi_context_helper;

struct clsp_context {
    clspi_log log;
    cl_context context;
    cl_command_queue queue;
    bool in_order;           /* the queue runs commands one after another */
    bool is_cpu;             /* the device's own type, whatever class it stands for */
    clsp_device_info device; /* as narrowed */
    clspi_tuning tuning;
    clspi_graphics_link graphics;
    atomic_bool lost;  /* a command failed in a way that leaves the queue unusable */
    atomic_bool gated; /* commands may have to wait for events of the caller's */

    pthread_mutex_t programs_lock;
    struct clspi_program *programs; /* list of all programs built so far */
    char *cache_dir;                /* of programs and measured speeds; NULL: none */
    bool keeps_binaries;            /* programs are kept there too */
    atomic_bool told_absence;       /* the log has said that there is no CLBlast */
    /* The device set of src/cooperate; NULL before the first shared call. */
    _Atomic(clspi_context_helper *) device_set;
};

/* Tells whether the context was made before fork, by a parent of this process (process.h). */
bool clspi_context_is_inherited(const clsp_context *ctx);

/* Gives CLSP_ERROR_STATE of a context that is inherited, with the reason in its log, else CLSP_OK.
   Called at the head of every public call that takes a context or what was made of one and does not
   call clspi_context_usable, before anything else of it is looked at. */
clsp_status clspi_context_check(const clsp_context *ctx);

/* Gives CLSP_ERROR_STATE likewise, and CLSP_ERROR_DEVICE_LOST once the device failed. Called at the
   head of every public call that enqueues. */
clsp_status clspi_context_usable(clsp_context *ctx);

/* Reports that a public function got NULL for an argument; ctx: the one that it has got, or NULL.
 */
clsp_status clspi_context_null(const clsp_context *ctx, const char *function);

/* Reports the result of a call that waited for the device, and remembers when the device is gone.
 */
clsp_status clspi_waited(clsp_context *ctx, cl_int code, const char *what);

#endif
