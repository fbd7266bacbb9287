/* What tests of random calls share: numbers at the ends of what there can be, memory that is wrong
   in one way, and what is to be said of a call that was refused. */
#ifndef RANDOM_FIXTURE_H
#define RANDOM_FIXTURE_H

#include "support.h"

#include <clspline/clspline.h>

/* A number below n, one call in so many, and a number as nobody would mean it. */
uint32_t random_below(uint64_t *state, uint32_t n);
int one_in(uint64_t *state, uint32_t n);
size_t strange_size(uint64_t *state);
uint32_t strange_number(uint64_t *state);
double strange_real(uint64_t *state);

/* Makes memory, a range or options wrong in one way, or leaves them right by chance. There is never
   less memory than they say. */
void spoil_input(uint64_t *state, clsp_input *in);
void spoil_output(uint64_t *state, clsp_output *out);
void spoil_range(uint64_t *state, clsp_range *range);
void spoil_sync(uint64_t *state, clsp_run *sync);
void spoil_sharing(uint64_t *state, clsp_share *opts);

/* Fails unless a status is one that wrong arguments have, and the context says why. */
void check_refused(clsp_context *ctx, clsp_status status);

#endif
