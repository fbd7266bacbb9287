/* One patch by StarPU, tile by tile: its tasks run the library's own kernels, on an OpenCL device
   of StarPU's by schedule device with tiles and on a CPU worker by schedule host with tiles, so
   that what differs is who hands out the tiles. */
#ifndef BENCH_STARPU_TILES_H
#define BENCH_STARPU_TILES_H

#include "bezier_run.h"

/* StarPU running, with its performance models. */
typedef struct starpu_session starpu_session;

/* Starts StarPU with one CPU worker and one OpenCL device, paused. Performance models are kept in
   folder; calibrate: it measures tasks and does not trust them yet. NULL when it has no such
   processors, or the device is another one; *why then says so. */
starpu_session *starpu_session_start(const bench *b, const char *scheduler, bool calibrate,
                                     const char *folder, const char **why);
void starpu_session_stop(starpu_session *session);

enum { STARPU_TILES_ORDER_MAX = 16 };

typedef struct starpu_tiles starpu_tiles;

/* A patch [order][order][3] of a case with one patch, evaluated into [samples][samples][3] floats.
   out must outlive it, and so must the session. */
clsp_status starpu_tiles_create(starpu_tiles **tiles, starpu_session *session, const bezier_case *c,
                                const float *points, float *out);
void starpu_tiles_destroy(starpu_tiles **tiles);

/* Makes all tiles and returns when they are in out; user: a starpu_tiles. Not while paused. */
clsp_status starpu_tiles_run(void *user);

/* Lets the workers work, or sleep: for the turns of others. */
void starpu_tiles_around(void *user, bool begins);

/* Tiles that the OpenCL device made since it was asked last, and all of them. */
void starpu_tiles_counts(starpu_tiles *tiles, unsigned *device, unsigned *all);

#endif
