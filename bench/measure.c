#include "measure.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"

static double ms_of(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

double bench_now_ms(void)
{
    return ms_of(CLOCK_MONOTONIC);
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

bench_timing bench_timing_of(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare_doubles);
    return (bench_timing){(values[(count - 1) / 2] + values[count / 2]) / 2, values[0]};
}

double bench_ratio(const bench_contestant *a, const bench_contestant *b)
{
    const unsigned rounds = a->rounds < b->rounds ? a->rounds : b->rounds;
    double ratios[BENCH_ROUNDS];

    for (unsigned i = 0; i < rounds; i++)
        ratios[i] = b->in_round[i] / a->in_round[i];
    return bench_timing_of(ratios, rounds).median_ms;
}

/* Time of `calls` calls with one clFinish. */
static clsp_status time_calls(cl_command_queue queue, const bench_contestant *c, unsigned calls,
                              double *ms)
{
    const clockid_t clock = c->by_processor ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
    const double start = ms_of(clock);
    clsp_status status;

    for (unsigned i = 0; i < calls; i++)
        BENCH_TRY(c->enqueue(c->user));
    if (queue) BENCH_TRY(bench_check(clFinish(queue), "clFinish"));
    *ms = ms_of(clock) - start;
    return CLSP_OK;

fail:
    return status;
}

/* Finds how many calls take batch_ms. The first call, which may compile or page in, does not count.
 */
static clsp_status choose_batch(cl_command_queue queue, bench_contestant *c, double batch_ms)
{
    enum { MOST = 4096 };
    clsp_status status;
    double ms;

    c->batch = 1;
    if (c->around) c->around(c->user, true);
    BENCH_TRY(time_calls(queue, c, 1, &ms));
    for (;;) {
        BENCH_TRY(time_calls(queue, c, c->batch, &ms));
        if (ms >= 0.7 * batch_ms || c->batch >= MOST) break;
        const double wanted = c->batch * batch_ms / (ms > 0 ? ms : 1e-3);
        const double next = wanted < 8.0 * c->batch ? wanted : 8.0 * c->batch;
        c->batch = next < (double)MOST ? (unsigned)next + 1 : MOST;
    }

fail:
    if (c->around) c->around(c->user, false);
    return status;
}

/* One contestant's turn in a round. */
static clsp_status take_turn(cl_command_queue queue, const bench_contestant *c, double *sustained,
                             double *alone)
{
    clsp_status status;

    if (c->around) c->around(c->user, true);
    /* not counted, where calls are short: it finds the caches as another contestant left them */
    if (c->batch > 1) BENCH_TRY(time_calls(queue, c, 1, alone));
    BENCH_TRY(time_calls(queue, c, c->batch, sustained));
    *sustained /= c->batch;
    /* calls as long as a batch are measured once for both */
    *alone = *sustained;
    if (c->batch > 1) BENCH_TRY(time_calls(queue, c, 1, alone));

fail:
    if (c->around) c->around(c->user, false);
    return status;
}

/* Another order of the contestants in each round, the same in each run: what a turn leaves behind
   in caches and clocks meets all of them. */
static void shuffle(size_t *order, size_t count, unsigned round)
{
    uint32_t state = 2463534242u + round;

    for (size_t i = 0; i < count; i++)
        order[i] = i;
    for (size_t i = count; i > 1; i--) {
        state = state * 1664525u + 1013904223u;
        const size_t j = (state >> 8) % i, kept = order[j];
        order[j] = order[i - 1];
        order[i - 1] = kept;
    }
}

clsp_status bench_measure(cl_command_queue queue, bench_contestant *contestants, size_t count,
                          double batch_ms)
{
    clsp_status status;
    double sustained[BENCH_CONTESTANTS][BENCH_ROUNDS], alone[BENCH_CONTESTANTS][BENCH_ROUNDS];
    unsigned rounds[BENCH_CONTESTANTS];

    if (count > BENCH_CONTESTANTS) return bench_check(CLSP_ERROR_ARGUMENT, "too many contestants");
    for (size_t i = 0; i < count; i++) {
        BENCH_TRY(choose_batch(queue, &contestants[i], batch_ms));
        rounds[i] = BENCH_ROUNDS;
    }
    for (unsigned round = 0; round < BENCH_ROUNDS; round++) {
        size_t order[BENCH_CONTESTANTS];
        shuffle(order, count, round);
        for (size_t k = 0; k < count; k++) {
            const size_t i = order[k];
            if (round >= rounds[i]) continue;
            BENCH_TRY(take_turn(queue, &contestants[i], &sustained[i][round], &alone[i][round]));
            if (round + 1 == BENCH_SLOW_ROUNDS && sustained[i][round] > (double)BENCH_SLOW_MS)
                rounds[i] = BENCH_SLOW_ROUNDS;
        }
    }
    for (size_t i = 0; i < count; i++) {
        bench_contestant *const c = &contestants[i];
        c->rounds = rounds[i];
        memcpy(c->in_round, sustained[i], rounds[i] * sizeof c->in_round[0]);
        c->sustained = bench_timing_of(sustained[i], rounds[i]);
        c->alone = bench_timing_of(alone[i], rounds[i]);
    }
    return CLSP_OK;

fail:
    return status;
}

clsp_status bench_measure_some(cl_command_queue queue, bench_contestant *contestants, size_t count,
                               double batch_ms)
{
    bench_contestant present[BENCH_CONTESTANTS];
    size_t num = 0;
    clsp_status status;

    if (count > BENCH_CONTESTANTS) return bench_check(CLSP_ERROR_ARGUMENT, "too many contestants");
    for (size_t i = 0; i < count; i++)
        if (contestants[i].enqueue) present[num++] = contestants[i];
    BENCH_TRY(bench_measure(queue, present, num, batch_ms));
    for (size_t i = count; i-- > 0;)
        if (contestants[i].enqueue) contestants[i] = present[--num];
    return CLSP_OK;

fail:
    return status;
}
