/* What the tests of shared evaluations of patches have in common: jobs, what results must be, and
   cases. */
#ifndef SHARED_FIXTURE_H
#define SHARED_FIXTURE_H

#include <stdbool.h>

#include "schedule_fixture.h"
#include "vertex_fixture.h"

/* What is evaluated: patches first .. first + count - 1 of num_patches. */
typedef struct shape {
    const char *name;
    clsp_bezier_desc d;
    size_t num_patches, first, count;
    int precision; /* 32 or 64: there alone; 0: in both */
} shape;

typedef struct shared {
    shape s;
    layout l;
    clsp_context *ctx;
    double *controls;
    clsp_patch_plan *plan;
    size_t num;               /* vertices of the range */
    size_t bytes;             /* of them */
    unsigned char *reference; /* by the device, on poison */
} shared;

/* With random control points; rational weights are in [0.5, 2]. */
shared shared_start(clsp_context *ctx, const shape *s, clsp_type precision);
void shared_finish(shared *j);

/* Evaluates reference, bytes and num again after a change of the plan. */
void make_reference(shared *j);

size_t row_bytes(const shared *j);

/* clsp_bezier_cooperate into host memory of the range's size. */
clsp_status shared_eval(clsp_patch_plan *plan, const layout *l, size_t first, size_t count,
                        void *out, const clsp_share *opts, clsp_report *report);

/* ---- checks ---- */

/* Whether the host's cores make such vertices. Of another type than the precision the library may
   leave them to devices: then it is asked. */
bool host_can(const shared *j);

/* Some vertices, against the oracle. */
void check_oracle(const shared *j, const unsigned char *out);

/* All elements, against the device's; bits of what is not to be written too. */
void check_all(const shared *j, const unsigned char *out);

/* The device's bits. */
void check_bits(const shared *j, const unsigned char *out);

/* The evaluation of a job into memory of a kind, and shared_check_call of it. */
shared_call call_of(shared *j, memory_kind kind);
void check_call(shared *j, memory_kind kind, const clsp_share *opts, uint32_t num_processors,
                bool alike, clsp_report *report);

/* Largest error over its bound since the last call. */
double shared_worst(void);

/* ---- changes ---- */

/* New control points; from a buffer, the host reads them back. */
void reload(shared *j);
void reload_from_buffer(shared *j);
void change_grid(shared *j, uint32_t num_u, uint32_t num_v);
void change_degrees(shared *j, uint32_t degree_u, uint32_t degree_v); /* reloads, too */

/* ---- cases ---- */

enum { SHARED_SHAPES = 32 };
extern const shape shared_shapes[SHARED_SHAPES];

/* For implementations that check every access: less of each. */
shape reduced(const shape *s);

/* Whether the turn is case i's (in_turn), as it is in all tests that go through the cases, so that
   they have kernels in common; none in a precision that is not its own. */
bool shape_in_turn(size_t i, clsp_type precision);

#endif
