/* What the tests of calls that devices and the host's cores share have in common, whatever the
   call: memory of every kind, what reports must say, and every way of sharing. */
#ifndef SCHEDULE_FIXTURE_H
#define SCHEDULE_FIXTURE_H

#include <stdbool.h>

#include <clspline/clspline.h>

#include "bezier_fixture.h"

/* ---- memory ---- */

typedef enum memory_kind { SHARED, PLAIN, UNALIGNED, KINDS } memory_kind;

typedef struct memory {
    clsp_context *ctx;
    memory_kind kind;
    unsigned char *base, *out;
    size_t bytes;
} memory;

/* Poisoned, and guarded on both sides; free_memory looks whether the guards are still there. */
memory take_memory(clsp_context *ctx, memory_kind kind, size_t bytes, size_t element);
void free_memory(memory *m);

/* ---- reports ---- */

clsp_device_info device_of(clsp_context *ctx);

const clsp_processor_report *host_of(const clsp_report *r);

/* What holds of every report of a call that succeeded. */
void check_report(const clsp_report *r, uint32_t num_processors);

/* All processors of a report went through. */
void shared_all_ok(const clsp_report *r);

/* ---- calls ---- */

/* Whether devices take tiles from a queue in shared memory. */
typedef enum queue_use { QUEUE_NEVER, QUEUE_PERHAPS, QUEUE_ALWAYS } queue_use;

/* A call that can be shared. */
typedef struct shared_call {
    const char *name;
    clsp_context *ctx;
    size_t bytes, element; /* of what it writes, and of one element of that */
    bool host;             /* the host's cores can make it */
    bool is_lone;          /* the host makes it where it is asked for, else the device alone */
    bool is_hosts;         /* the host makes it whatever is asked for */
    queue_use queue;
    void *work;
    clsp_status (*call)(void *work, void *out, const clsp_share *opts, clsp_report *report);
    /* Judges what was written by what the device alone makes. */
    void (*check)(void *work, const unsigned char *out, bool same_bits);
} shared_call;

/* Calls once, and checks the report and what was written. alike: all devices are the context's own,
   so that bits do not depend on which of them made a tile. */
void shared_check_call(const shared_call *c, memory_kind kind, const clsp_share *opts,
                       uint32_t num_processors, bool alike, clsp_report *report);

/* Calls once by one device and the host, and checks that what is asked for is what happens. */
void shared_check_way(const shared_call *c, memory_kind kind, const clsp_share *opts);

/* AUTO goes on trying and choosing; options and the report may be NULL. */
void shared_check_auto(const shared_call *c, memory_kind kind);

/* A call in double of a context of shared_with_drop_out. */
void shared_check_drop_out(const shared_call *c, memory_kind kind);

/* What each of two processors alone makes, of `piece` bytes that one of them makes. */
typedef struct shared_either {
    const char *name;
    clsp_context *ctx;
    clsp_type type;
    bool has_roots; /* normals or curvatures */
    const unsigned char *by_device, *by_host;
    size_t piece;
} shared_either;

/* Checks that each piece of what both have made together is as one of them makes it alone. Returns
   how many are as the device alone makes them. */
size_t shared_check_either(const shared_either *e, const unsigned char *out, size_t bytes);

/* The ways of sharing; the first CLSP_NUM_SCHEDULES are the schedules themselves. */
enum { SHARED_WAYS = 15, SHARED_LIMITS = 3 };
extern const clsp_share shared_ways[SHARED_WAYS];
extern const char *const shared_limits[SHARED_LIMITS]; /* of contexts */

/* ---- several devices ---- */

/* Skips the running test on Oclgrind, which ends in a fault when two threads call it. */
void shared_skip_on_oclgrind(void);

/* Runs a check in a context that a device without doubles has joined; not where its own has none.
 */
void shared_with_drop_out(void (*check)(clsp_context *ctx));

#endif
