/* Results: a table on stdout for people, and JSON lines in a file for programs. Each line says of
   itself where it comes from: device, driver, class, limits, version, commit, date, cores, system.
 */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include <clspline/clspline.h>

#include "measure.h"

/* One line. NAN in a number, or 0 in precision, is "does not apply": null in JSON. */
typedef struct bench_row {
    const char *suite, *name, *method; /* name: the field "case" */
    int precision;                     /* 32 or 64 */
    bench_timing time;
    double work;        /* points, bytes, operations: what unit counts */
    const char *unit;   /* of rate: "point/s", "byte/s", "flop/s", "frame/s", "pixel/s", "cell/s",
                           "piece/s", "B/cell", "us/point", "ms", "%", "grey" (levels of 255),
                           "ppb", "ratio"; NULL for times alone */
    double rate;        /* NAN: work over the median time */
    double bytes;       /* that the call must write */
    double floor_ms;    /* time that the device needs at best */
    double error;       /* worst of the values looked at, in eps * largest coordinate of the data */
    double least, most; /* limits that this line is to keep; for the table only */
    const char *printed; /* what a paper has for it; NULL: nothing */
} bench_row;

/* A row with nothing in it. */
bench_row bench_row_empty(const char *suite, const char *name, const char *method, int precision);

typedef struct bench_report bench_report;

/* json: path of the JSON file, or NULL for none. NULL when there is no memory or no such file can
 * be written. */
bench_report *bench_report_open(const char *json, const clsp_device_info *device);

/* Writes the line at once, so that an interrupted run leaves what it has. */
void bench_report_row(bench_report *report, const bench_row *row);

/* Begins to keep the lines that are reported, in place of those kept before. */
void bench_report_keep(bench_report *report);

/* Returns the next line that is kept behind `after`, or the first one behind NULL, of a suite and
   by globs of the case and the method; NULL where there is none. */
const bench_row *bench_report_next(const bench_report *report, const bench_row *after,
                                   const char *suite, const char *cases, const char *method);

/* Returns the line with a time of another method in the case and precision of one that is kept. */
const bench_row *bench_report_other(const bench_report *report, const bench_row *row,
                                    const char *method);

/* A line of text in the table. */
void bench_report_note(bench_report *report, const char *text);

/* Non-zero when a line could not be written. */
int bench_report_close(bench_report *report);

#endif
