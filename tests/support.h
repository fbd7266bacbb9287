/* What the test programs share: random numbers, poisoned buffers with guard zones, a device at
   hand. */
#ifndef TESTS_SUPPORT_H
#define TESTS_SUPPORT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <pthread.h>

#include <CL/cl.h>
#include <clspline/bezier.h>
#include <clspline/bspline.h>

#include "worst.h"

/* Fails the test with the library's words when a call does not succeed. */
#define assert_ok(ctx, call)                                                                       \
    support_assert_status((ctx), (call), CLSP_OK, #call, __FILE__, __LINE__)
#define assert_status(ctx, call, wanted)                                                           \
    support_assert_status((ctx), (call), (wanted), #call, __FILE__, __LINE__)

/* Skips the running test, saying why. */
#define skip_because(reason)                                                                       \
    do {                                                                                           \
        print_message("skipped: %s\n", (reason));                                                  \
        skip();                                                                                    \
    } while (0)

void support_assert_status(clsp_context *ctx, clsp_status got, clsp_status wanted, const char *call,
                           const char *file, int line);

/* Called first in main: has contexts made on the best device of OpenCL where there is one and the
   environment says nothing else, and on the host elsewhere. */
void support_begin(void);

/* Does what support_begin does, for a program whose tests all need OpenCL: returns 77, which the
   program returns, where the machine has no device of it, else 0. */
int support_no_device(void);

/* Skips the running test where the machine has no device of OpenCL, and fails it where there is one
   and the context is the host's; ctx NULL: it could not be made. */
void support_needs_opencl(const clsp_context *ctx);

/* Whether the library is built with the published methods, as a plan by one of them says; fails
   where the build has said otherwise by CLSPLINE_TEST_METHODS, 1 or 0. support_needs_methods skips
   the running test where it is not. */
bool support_has_methods(void);
void support_needs_methods(void);

/* CLSPLINE_TEST_SIZE=full: every combination of cases; tiny: small cases. */
int support_full(void);
int support_tiny(void);

/* The device that a context picks by itself. */
clsp_device_info support_device(void);

/* The description of a plan of one of the kinds. */
clsp_bezier_desc support_bezier_desc(const clsp_patch_plan *plan);
clsp_bspline_desc support_bspline_desc(const clsp_patch_plan *plan);

/* Whether a context's device is the host's own CPU, which is memory alone: the host makes all. */
bool support_is_own_cpu(clsp_context *ctx);

/* Whether calls into buffers wait for their list: on own CPUs whose queues take no functions of the
   host's. */
bool support_waits(clsp_context *ctx);

/* Opens an event of the user's before such a call, or behind one that only enqueues. */
void support_open_before(clsp_context *ctx, cl_event event);
void support_open_behind(clsp_context *ctx, cl_event event);

/* Has a CPU stand for a GPU that shares memory, unless limits give a class: processors share then.
   For the head of main. */
void support_stand_in(void);

/* Whether a user's event may fail while commands wait for it. PoCL 5.0 ends the process then, now
   and again (docs/testing.md). */
bool support_events_may_fail(clsp_context *ctx);

/* Whether a context's device has image objects of one channel of floats, as images are fetched
   from. PoCL 7.1 has images, but not these. */
bool support_has_texels(clsp_context *ctx);

/* Queues of that device, both of one OpenCL context that the program keeps: with them a test makes
   many contexts of the library fast also where a driver takes tenths of a second for its own. */
cl_command_queue support_queue(void);
cl_command_queue support_second_queue(void);

/* An event of the user's that commands wait for. A thread opens it 20 ms after support_open_soon:
   calls that wait for commands of the host's can be made behind it. support_opened waits for that.
 */
typedef struct support_gate {
    cl_event event;
    pthread_t thread;
} support_gate;

void support_open_soon(support_gate *gate, cl_event event);
void support_opened(const support_gate *gate);

/* A seeded generator (SplitMix64), the same on every machine. */
uint64_t support_random(uint64_t *state);

/* Uniform in [-1, 1), a multiple of 2^-24 (exact in float and double). */
double support_uniform(uint64_t *state);

enum { SUPPORT_GUARD = 64 }; /* elements before and after a guarded range */

/* Fills bytes with 0xff: a NaN of float and of double that no arithmetic gives, at whichever byte a
   range starts. */
void support_poison(void *bytes, size_t size);

/* Whether all bytes still are. */
int support_poisoned(const void *bytes, size_t size);

/* ---- calls that are made to fail, one run of a test for each ---- */

/* Milliseconds on a clock that only goes forward. */
double support_now_ms(void);

/* How many calls of each kind may be made to fail, where there are calls[k] of kind k and time for
   so many runs: the most for which the sum over all kinds fits, at least 1. 0 where there is time
   for all of them, or the test is full. */
unsigned support_most_calls(const unsigned calls[], size_t num_kinds, double runs);

/* The number of the call to fail after call n, of `num`, when at most `most` may: the next one
   while less than half of these have failed, then one of those that are spread over the rest. */
unsigned support_next_call(unsigned n, unsigned num, unsigned most);

/* Starts the program again as a child: args after its name, up to a NULL, and variables
   "NAME=value", or "NAME" to unset one, up to a NULL. support_start returns its process id,
   support_wait its exit status, or 128 + the signal that ended it. For what must happen before any
   OpenCL call, or may end a process. */
void support_remember_self(const char *program);
int support_start(const char *const args[], const char *const variables[]);
int support_wait(int process);

/* A new empty folder, and its end with the files in it. path: [SUPPORT_PATH_MAX]. */
enum { SUPPORT_PATH_MAX = 256 };
void support_make_folder(char *path);
void support_remove_folder(const char *path);

/* Path of the n-th file of a folder, in no order; 0 when there are fewer. */
int support_file_in(const char *folder, size_t n, char *path);

#endif
