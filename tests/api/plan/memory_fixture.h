/* Memory of every kind that calls read and write, poisoned and guarded, and the calls themselves as
   tables, so that each can be tried with each. */
#ifndef MEMORY_FIXTURE_H
#define MEMORY_FIXTURE_H

#include <stdbool.h>

#include "bezier_fixture.h"

/* ---- stores ---- */

typedef enum store_kind { HOST, BUFFER, SVM_COARSE, SVM_FINE, STORE_KINDS } store_kind;

/* So many elements of a type, `offset` behind the pointer or the buffer's begin, which for SVM lies
   at an odd place of the allocation. */
typedef struct store {
    const clsp_context *ctx;
    store_kind kind;
    clsp_type type;
    size_t offset, size;
    size_t bytes;         /* of all, guards included */
    unsigned char *image; /* what it holds, as far as is known; of SVM_FINE and HOST the memory */
    unsigned char *svm;
    cl_mem buffer;
} store;

/* Whether the device has memory of the kind. */
bool has_kind(const clsp_context *ctx, store_kind kind);

/* A poisoned store, or one with these contents. */
store store_make(const clsp_context *ctx, store_kind kind, clsp_type type, size_t offset,
                 size_t size, const void *contents);

/* A store as calls take it, of a capacity that it just fills. */
clsp_input store_in(const store *s);
clsp_output store_out(const store *s);

/* A store's elements after all that was enqueued, once everything around them has been found as it
   was; store_elements: of HOST and SVM_FINE, whatever is enqueued. Valid until the store is freed.
 */
const unsigned char *store_read(store *s);
const unsigned char *store_elements(const store *s);

void store_free(store *s);

/* ---- calls ---- */

/* A plan of a rational patch batch whose vertices have gaps, and what calls of it need. */
typedef struct memory_job {
    clsp_context *ctx;
    clsp_patch_plan *plan;
    float *controls;
    size_t num_controls;
    uint32_t *patches; /* [MEMORY_POINTS] */
    float *params;     /* [MEMORY_POINTS][2] */
    uint32_t *nums;    /* [MEMORY_PATCHES][2] */
} memory_job;

enum { MEMORY_PATCHES = 3, MEMORY_POINTS = 11, MEMORY_STRIDE = 5 };

memory_job memory_start(clsp_context *ctx);
void memory_finish(memory_job *j);

/* A call that writes `size` elements of a type into memory of the kinds that are bits here. */
typedef struct output_call {
    const char *name;
    clsp_status (*call)(const memory_job *j, clsp_output out, const clsp_run *sync);
    clsp_status (*nothing)(const memory_job *j, clsp_output out); /* the same for no elements */
    clsp_type type;
    size_t size;
    unsigned kinds;
    bool takes_sync;
} output_call;

/* A call that reads, and one that writes vertices by what was read; `result` has room for them. */
typedef struct input_call {
    const char *name;
    clsp_status (*call)(const memory_job *j, clsp_input in, const clsp_run *sync, float *result);
    clsp_status (*nothing)(const memory_job *j, clsp_input in);
    const void *(*contents)(const memory_job *j);
    clsp_type type;
    size_t size;
    unsigned kinds;
    bool takes_sync;
} input_call;

enum { OUTPUT_CALLS = 6, INPUT_CALLS = 4, MEMORY_RESULT = 4096 };
extern const output_call output_calls[OUTPUT_CALLS];
extern const input_call input_calls[INPUT_CALLS];

/* ---- checks ---- */

typedef void (*check_fn)(memory_job *j);

/* Runs a check with a job in each kernel shape. */
void everywhere(check_fn check);

/* Whether a call takes memory of the kind, and the device has it. */
bool can(const memory_job *j, unsigned kinds, store_kind kind);

/* What a call writes, with poison in the gaps; to be freed. */
unsigned char *written_by(const memory_job *j, const output_call *c);

/* Loads another batch, so that a call that reads nothing is found out. */
void forget(const memory_job *j);

/* Element k of memory of a type. */
double element_of(const void *memory, clsp_type type, size_t k);
void set_element(void *memory, clsp_type type, size_t k, double x);

#endif
