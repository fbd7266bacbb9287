/* A job that counts how often each of its tiles was made: a tile is one int, and making it adds 1.
 */
#ifndef TESTS_LEDGER_FIXTURE_H
#define TESTS_LEDGER_FIXTURE_H

#include "../support.h"

#include <stdatomic.h>
#include <stdbool.h>

#include "job.h"

enum { LEDGER_DEVICES = CLSP_MAX_PROCESSORS - 1 };

typedef struct ledger {
    clspi_job job;
    clsp_context *ctx;
    const char *options;  /* of the persistent kernel; NULL: those of the device */
    uint32_t num_workers; /* that may call, by their numbers */
    bool ready[LEDGER_DEVICES];
    clspi_kernel add[LEDGER_DEVICES], take[LEDGER_DEVICES];
    /* faults: the n-th call of a callback gives this status; 0: none does */
    atomic_int host_fails_at, enqueue_fails_at, persistent_fails_at;
    clsp_status fault;
    bool may_fail; /* processors may drop out */
} ledger;

/* A job of num_tiles tiles in out, which is num_tiles ints. filled: tiles do not depend on what was
   there before, the job has no gaps, and a tile that was made twice does not show. */
void ledger_init(ledger *l, clsp_context *ctx, size_t num_tiles, void *out, bool filled);
void ledger_release(ledger *l);

/* Empties the ledger, runs the job and gives the number of tiles that were not made once. */
size_t ledger_run(ledger *l, const clsp_share *opts, clsp_report *report, clsp_status *status);

/* Runs the job as ledger_run does, and fails unless all tiles are right and the report adds up. */
void ledger_check(ledger *l, const clsp_share *opts, clsp_report *report);

/* A report that adds up, of a job that was made. */
void ledger_check_report(const ledger *l, const clsp_report *report);

/* What the sizes of tests are to be divided by: 1, or more where kernels run slowly. */
size_t ledger_scale(void);

/* Tells whether devices can be joined here: Oclgrind is not made for several threads. */
bool ledger_joins_run_here(void);

#endif
