#include "surface_peers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef BENCH_OCCT
#include <dlfcn.h>
#endif

enum { SAMPLES = 20000, MOST_SLOW = 1000, LEAST_SLOW = 10 };

/* Returns how many of 100 distances are larger than others by more than 1e-6 of the size. */
static double percent_wrong(const surface_peers *p, size_t num, const double *distances,
                            const double *others)
{
    size_t wrong = 0;

    for (size_t i = 0; i < num; i++)
        wrong += distances[i] > others[i] + 1e-6 * p->size;
    return 100 * (double)wrong / (double)num;
}

static void report(const surface_peers *p, const char *method, double rate, const char *unit)
{
    bench_row row = bench_row_empty(p->suite, p->name, method, 64);

    row.rate = rate;
    row.unit = unit;
    bench_report_row(p->b->report, &row);
}

static void report_peer(const surface_peers *p, const char *method, size_t num, double seconds,
                        const double *distances)
{
    char wrong[64];

    report(p, method, 1e6 * seconds / (double)num, "us/point");
    snprintf(wrong, sizeof wrong, "%s, wrong", method);
    report(p, wrong, percent_wrong(p, num, distances, p->distances), "%");
    snprintf(wrong, sizeof wrong, "wrong beside %s", method);
    report(p, wrong, percent_wrong(p, num, p->distances, distances), "%");
}

#if defined BENCH_SISL || defined BENCH_OCCT
/* Asks a peer that takes a microsecond or more a piece and point for some of the distances. */
static void measure_slow(const surface_peers *p, const char *method,
                         int (*find)(const host_nearest_surfaces *, const double *, size_t,
                                     double *),
                         double *distances)
{
    const size_t spans = p->surfaces.controls - p->surfaces.degree;
    const size_t some = MOST_SLOW * MOST_SLOW / (p->surfaces.num * spans * spans);
    const size_t most = some < LEAST_SLOW ? LEAST_SLOW : some > MOST_SLOW ? MOST_SLOW : some;
    const size_t num = p->num < most ? p->num : most;
    const clock_t start = clock();

    if (find(&p->surfaces, p->queries, num, distances))
        report_peer(p, method, num, (double)(clock() - start) / CLOCKS_PER_SEC, distances);
}
#endif

#ifdef BENCH_OCCT
/* Loads the module that asks OCCT for the first time; it stays. */
static void measure_occt(const surface_peers *p, double *distances)
{
    static const char name[] = "host_nearest_occt";
    void *const module = dlopen(BENCH_OCCT, RTLD_NOW | RTLD_LOCAL);
    void *const address = module ? dlsym(module, name) : NULL;
    int (*find)(const host_nearest_surfaces *, const double *, size_t, double *) = NULL;

    if (!address) {
        fprintf(stderr, "clspline-bench: OCCT: left out, %s\n", dlerror());
        return;
    }
    memcpy(&find, &address, sizeof find);
    measure_slow(p, "OCCT, with edges", find, distances);
}
#endif

clsp_status surface_peers_measure(const surface_peers *p)
{
    double *const distances = malloc((p->num + 1) * sizeof *distances), build = 0;
    const clock_t start = clock();

    if (!distances) return bench_check(CLSP_ERROR_NO_MEMORY, p->name);
    if (host_nearest_find(&p->surfaces, SAMPLES, p->queries, p->num, distances, &build)) {
        const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC - build;
        report(p, "samples and tree, build", 1e3 * build, "ms");
        report_peer(p, "samples, tree, Newton", p->num, seconds, distances);
    }
#ifdef BENCH_SISL
    measure_slow(p, "SISL s1954", host_nearest_sisl, distances);
#endif
#ifdef BENCH_OCCT
    measure_occt(p, distances);
#endif
    free(distances);
    return CLSP_OK;
}
