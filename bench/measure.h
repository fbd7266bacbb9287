/* The timing protocol.

   Times are wall times of the host, or where asked for processor times of the process, from the
   first enqueue to the end of clFinish, so that they hold on every device and for calls of any
   number of launches. Two things are measured:
     - the sustained time of a call: batches of calls one behind another with one clFinish at the
   end, divided by their number. A batch is long enough that the clFinish does not count. That is
   the device's own time, as long as the host can enqueue faster than the device works;
     - the time of one call alone, enqueue to clFinish, with the device idle before.
   What is to be compared is measured in turns, round by round, so that another load on the machine
   hits all alike. Before the rounds everything has run at least twice. Medians and minima of
   BENCH_ROUNDS rounds are kept, of BENCH_SLOW_ROUNDS where a call takes more than BENCH_SLOW_MS. */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <stdbool.h>

#include <clspline/clspline.h>

enum { BENCH_ROUNDS = 11, BENCH_SLOW_ROUNDS = 3, BENCH_SLOW_MS = 100 };

/* That one measurement may have. */
enum { BENCH_CONTESTANTS = 24 };

typedef struct bench_timing {
    double median_ms, min_ms;
} bench_timing;

/* Something to measure: enqueue puts one call's commands on the queue and returns. */
typedef struct bench_contestant {
    clsp_status (*enqueue)(void *user);
    /* Called before and after each turn, outside of the times measured; may be NULL. */
    void (*around)(void *user, bool begins);
    void *user;
    bool by_processor;             /* times are those that all threads of the process compute */
    bench_timing sustained, alone; /* results */
    unsigned batch;                /* calls of a batch, found by measuring */
    unsigned rounds;               /* that were measured */
    double in_round[BENCH_ROUNDS]; /* sustained, in ms: for ratios of contestants in turns */
} bench_contestant;

double bench_now_ms(void);

/* Median and minimum of the values, which it sorts. */
bench_timing bench_timing_of(double *values, size_t count);

/* Median over the rounds of b's sustained time over a's, of the same measurement. */
double bench_ratio(const bench_contestant *a, const bench_contestant *b);

/* Measures all contestants in turns, in another order each round. queue: NULL where calls end
   before they return. A batch takes about batch_ms; those whose calls take much longer than any
   batch have fewer rounds. */
clsp_status bench_measure(cl_command_queue queue, bench_contestant *contestants, size_t count,
                          double batch_ms);

/* Measures the contestants that have an enqueue in turns; all stay in their places. */
clsp_status bench_measure_some(cl_command_queue queue, bench_contestant *contestants, size_t count,
                               double batch_ms);

#endif
