#define _GNU_SOURCE /* sched_getaffinity */
#include "report.h"

#include <fnmatch.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "bench_commit.h"

/* A line that is kept, with its text. */
typedef struct kept_row {
    bench_row row;
    char suite[32], name[96], method[96];
} kept_row;

struct bench_report {
    FILE *json;
    clsp_device_info device;
    char date[32], system[256];
    long cores;     /* of the host that this process may use */
    char suite[32]; /* of the line before */
    kept_row *kept; /* [num_kept]; each points to its own text */
    size_t num_kept, room;
    bool keeps;
};

bench_row bench_row_empty(const char *suite, const char *name, const char *method, int precision)
{
    return (bench_row){.suite = suite,
                       .name = name,
                       .method = method,
                       .precision = precision,
                       .time = {NAN, NAN},
                       .work = NAN,
                       .rate = NAN,
                       .bytes = NAN,
                       .floor_ms = NAN,
                       .error = NAN,
                       .least = NAN,
                       .most = NAN};
}

static void look_at_host(bench_report *report)
{
    const time_t now = time(NULL);
    struct utsname host;
    struct tm day;

    if (gmtime_r(&now, &day))
        strftime(report->date, sizeof report->date, "%Y-%m-%dT%H:%M:%SZ", &day);
    if (uname(&host) == 0)
        snprintf(report->system, sizeof report->system, "%s %s %s", host.sysname, host.release,
                 host.machine);
    report->cores = sysconf(_SC_NPROCESSORS_ONLN);
#ifdef CPU_COUNT
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) report->cores = CPU_COUNT(&set);
#endif
}

bench_report *bench_report_open(const char *json, const clsp_device_info *device)
{
    bench_report *const report = calloc(1, sizeof *report);

    if (!report) {
        perror("the report");
        return NULL;
    }
    report->device = *device;
    look_at_host(report);
    if (json) report->json = fopen(json, "w");
    if (json && !report->json) {
        perror(json);
        free(report);
        return NULL;
    }
    printf("%s: %s, driver %s\n", device->platform, device->name, device->driver);
    return report;
}

/* ---- JSON ---- */

static void json_string(FILE *file, const char *key, const char *text)
{
    fprintf(file, "\"%s\": \"", key);
    for (const char *c = text; *c; c++) {
        if (*c == '"' || *c == '\\') fputc('\\', file);
        if ((unsigned char)*c >= ' ') fputc(*c, file);
    }
    fputs("\", ", file);
}

static void json_number(FILE *file, const char *key, double value, const char *end)
{
    if (isfinite(value))
        fprintf(file, "\"%s\": %.6g%s", key, value, end);
    else
        fprintf(file, "\"%s\": null%s", key, end);
}

/* Writes where the line comes from. */
static void json_origin(const bench_report *report)
{
    static const char *const classes[] = {"",         "cpu",         "integrated",
                                          "discrete", "accelerator", "host"};
    const clsp_device_info *const device = &report->device;
    const char *const limits = getenv("CLSPLINE_LIMITS");

    json_string(report->json, "platform", device->platform);
    json_string(report->json, "device", device->name);
    json_string(report->json, "driver", device->driver);
    json_string(report->json, "class", classes[device->device_class]);
    json_string(report->json, "limits", limits ? limits : "");
    fprintf(report->json, "\"compute_units\": %u, ", device->compute_units);
    fprintf(report->json, "\"cores\": %ld, ", report->cores);
    json_string(report->json, "system", report->system);
    json_string(report->json, "version", CLSP_VERSION_STRING);
    json_string(report->json, "commit", BENCH_COMMIT);
    json_string(report->json, "date", report->date);
}

static void write_json(const bench_report *report, const bench_row *row, double fraction)
{
    FILE *const file = report->json;

    fputc('{', file);
    json_string(file, "suite", row->suite);
    json_string(file, "case", row->name);
    json_string(file, "method", row->method);
    if (row->precision)
        fprintf(file, "\"precision\": \"f%d\", ", row->precision);
    else
        fputs("\"precision\": null, ", file);
    json_origin(report);
    json_number(file, "time_ms_median", row->time.median_ms, ", ");
    json_number(file, "time_ms_min", row->time.min_ms, ", ");
    json_number(file, "work", row->work, ", ");
    if (row->unit)
        json_string(file, "unit", row->unit);
    else
        fputs("\"unit\": null, ", file);
    json_number(file, "rate", row->rate, ", ");
    json_number(file, "bytes", row->bytes, ", ");
    json_number(file, "floor_ms", row->floor_ms, ", ");
    json_number(file, "fraction_of_floor", fraction, ", ");
    json_number(file, "error", row->error, ", ");
    if (row->printed) json_string(file, "printed", row->printed);
    fputs("\"error_unit\": \"eps * largest coordinate\"}\n", file);
    fflush(file);
}

/* ---- table ---- */

/* A number of a cell, or nothing. */
static void print_cell(int width, int digits, double value)
{
    if (isnan(value))
        printf(" %*s", width, "");
    else
        printf(" %*.*f", width, digits, value);
}

static void print_rate(int width, double rate, const char *unit)
{
    char text[32] = "";

    if (unit && !isnan(rate)) {
        if (strcmp(unit, "ratio") == 0)
            snprintf(text, sizeof text, "%.3g x", rate);
        else if (strcmp(unit, "grey") == 0)
            snprintf(text, sizeof text, "%.4g %s", rate, unit);
        else if (strcmp(unit, "us/point") == 0 || strcmp(unit, "ms") == 0 ||
                 strcmp(unit, "ppb") == 0 || strcmp(unit, "%") == 0)
            snprintf(text, sizeof text, "%.3g %s", rate, unit);
        else if (strcmp(unit, "frame/s") == 0 || strcmp(unit, "B/cell") == 0 ||
                 strcmp(unit, "cells") == 0)
            snprintf(text, sizeof text, "%.5g %s", rate, unit);
        else if (rate >= 1e12)
            snprintf(text, sizeof text, "%.2f T%s", rate * 1e-12, unit);
        else if (rate >= 1e9)
            snprintf(text, sizeof text, "%.2f G%s", rate * 1e-9, unit);
        else
            snprintf(text, sizeof text, "%.2f M%s", rate * 1e-6, unit);
    }
    printf(" %*s", width, text);
}

static void print_heading(bench_report *report, const bench_row *row)
{
    if (strcmp(report->suite, row->suite) == 0) return;
    snprintf(report->suite, sizeof report->suite, "%s", row->suite);
    if (row->printed) {
        printf("\n%-46s %-46s %-4s %10s  %s\n", row->suite, "number", "", "here", "printed");
        return;
    }
    printf("\n%s\n%-26s %-22s %-4s %10s %10s %16s %9s %6s %6s\n", row->suite, "case", "method", "",
           "median ms", "min ms", "rate", "floor ms", "/floor", "error");
}

static void print_limits(const bench_row *row)
{
    const double value = isnan(row->rate) ? row->time.median_ms : row->rate;

    if (!isnan(row->least))
        printf("  %s: at least %g", value >= row->least ? "good" : "! BELOW", row->least);
    if (!isnan(row->most))
        printf("  %s: at most %g", value <= row->most ? "good" : "! ABOVE", row->most);
}

static void print_row(const bench_row *row, double fraction)
{
    const char *const precision = row->precision == 64 ? "f64" : row->precision == 32 ? "f32" : "";

    if (row->printed) {
        printf("%-46s %-46s %-4s", row->name, row->method, precision);
        print_rate(10, row->rate, row->unit);
        printf("  %s\n", row->printed);
        return;
    }
    printf("%-26s %-22s %-4s", row->name, row->method, precision);
    print_cell(10, 4, row->time.median_ms);
    print_cell(10, 4, row->time.min_ms);
    print_rate(16, row->rate, row->unit);
    print_cell(9, 4, row->floor_ms);
    print_cell(6, 2, fraction);
    print_cell(6, 2, row->error);
    print_limits(row);
    putchar('\n');
    fflush(stdout);
}

/* ---- lines that are kept ---- */

void bench_report_keep(bench_report *report)
{
    report->keeps = true;
    report->num_kept = 0;
}

/* Keeps a line; without memory for it, it is as if it had not been measured. */
static void keep(bench_report *report, const bench_row *row)
{
    if (report->num_kept == report->room) {
        const size_t room = 2 * report->room + 64;
        kept_row *const grown = realloc(report->kept, room * sizeof *grown);
        if (!grown) return;
        report->kept = grown;
        report->room = room;
    }
    kept_row *const to = &report->kept[report->num_kept++];
    to->row = *row;
    snprintf(to->suite, sizeof to->suite, "%s", row->suite);
    snprintf(to->name, sizeof to->name, "%s", row->name);
    snprintf(to->method, sizeof to->method, "%s", row->method);
    for (size_t i = 0; i < report->num_kept; i++) { /* they may have moved */
        kept_row *const k = &report->kept[i];
        k->row.suite = k->suite;
        k->row.name = k->name;
        k->row.method = k->method;
    }
}

const bench_row *bench_report_next(const bench_report *report, const bench_row *after,
                                   const char *suite, const char *cases, const char *method)
{
    size_t i = 0;

    while (after && i < report->num_kept && &report->kept[i++].row != after)
        ;
    for (; i < report->num_kept; i++) {
        const bench_row *const row = &report->kept[i].row;
        if (strcmp(row->suite, suite) == 0 && fnmatch(cases, row->name, 0) == 0 &&
            fnmatch(method, row->method, 0) == 0)
            return row;
    }
    return NULL;
}

const bench_row *bench_report_other(const bench_report *report, const bench_row *row,
                                    const char *method)
{
    for (size_t i = 0; i < report->num_kept; i++) {
        const bench_row *const other = &report->kept[i].row;
        if (strcmp(other->suite, row->suite) == 0 && strcmp(other->name, row->name) == 0 &&
            strcmp(other->method, method) == 0 && other->precision == row->precision &&
            !isnan(other->time.median_ms))
            return other;
    }
    return NULL;
}

/* ---- all ---- */

void bench_report_row(bench_report *report, const bench_row *row)
{
    bench_row full = *row;

    if (isnan(full.rate) && full.unit) full.rate = full.work / (full.time.median_ms * 1e-3);
    const double fraction = full.floor_ms / full.time.median_ms;
    print_heading(report, &full);
    print_row(&full, fraction);
    if (report->json) write_json(report, &full, fraction);
    if (report->keeps) keep(report, &full);
}

void bench_report_note(bench_report *report, const char *text)
{
    report->suite[0] = '\0'; /* the table goes on with its heading */
    printf("\n%s\n", text);
}

int bench_report_close(bench_report *report)
{
    int failed = 0;

    if (report->json) {
        failed = ferror(report->json) != 0;
        failed |= fclose(report->json) != 0;
    }
    free(report->kept);
    free(report);
    return failed;
}
