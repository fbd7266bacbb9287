#include "distance_stats.h"

#include <math.h>
#include <stdlib.h>

#include "array.h"
#include "color.h"
#include "json.h"

enum { BARS = 20, BAR_LENGTH = 40 };

static const char bar[BAR_LENGTH + 1] = "########################################";

bool distance_stats_add(distance_stats *s, const nearest_row *row)
{
    s->of_status[row->status]++;
    if (isnan(row->distance)) s->num_open++;
    if (!isfinite(row->distance)) return true;
    double *moved = array_reserve(s->distances, &s->capacity, s->num + 1, sizeof(*moved));
    if (!moved) return false;
    s->distances = moved;
    moved[s->num++] = row->distance;
    return true;
}

void distance_stats_clear(distance_stats *s)
{
    free(s->distances);
    *s = (distance_stats){.num = 0};
}

/* The least and the greatest distance, which are there. */
static void find_range(const distance_stats *s, double range[2])
{
    range[0] = range[1] = s->distances[0];
    for (size_t i = 1; i < s->num; i++) {
        range[0] = fmin(range[0], s->distances[i]);
        range[1] = fmax(range[1], s->distances[i]);
    }
}

/* ---- JSON ---- */

/* The mean, and the root of the mean of the squares, of which none overflows. */
static void find_means(const distance_stats *s, double most, double *mean, double *rms)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < s->num; i++) {
        const double x = most > 0 ? s->distances[i] / most : 0;
        sum += x;
        squares += x * x;
    }
    *mean = sum / (double)s->num * most;
    *rms = sqrt(squares / (double)s->num) * most;
}

static void add_distances(json_list *list, cJSON *o, distance_stats *s)
{
    static const char *const names[] = {"median", "p95", "p99"};
    static const double shares[] = {0.5, 0.95, 0.99};
    double range[2] = {NAN, NAN}, mean = NAN, rms = NAN;
    if (s->num > 0) {
        find_range(s, range);
        find_means(s, fmax(fabs(range[0]), fabs(range[1])), &mean, &rms);
    }
    json_add_real(list, o, "min", range[0]);
    json_add_real(list, o, "mean", mean);
    json_add_real(list, o, "rms", rms);
    for (int i = 0; i < 3; i++)
        json_add_real(list, o, names[i],
                      s->num > 0 ? color_percentile(s->distances, s->num, shares[i]) : (double)NAN);
    json_add_real(list, o, "max", range[1]);
}

bool distance_stats_print(distance_stats *s, double seconds)
{
    json_list list = {.count = 0};
    cJSON *o = json_object(&list);
    uint64_t num = 0;
    for (int i = 0; i < NEAREST_STATUSES; i++)
        num += s->of_status[i];
    json_add_count(&list, o, "points", num);
    for (int i = 0; i < NEAREST_STATUSES; i++)
        json_add_count(&list, o, nearest_status_name((nearest_status)i), s->of_status[i]);
    if (s->is_signed) json_add_count(&list, o, "open", s->num_open);
    add_distances(&list, o, s);
    json_add_real(&list, o, "points_per_second",
                  seconds > 0 ? round((double)num / seconds) : (double)NAN);
    return json_print_alone(&list, o);
}

/* ---- the histogram ---- */

static void print_bar(FILE *to, const char *name, size_t count, size_t all, size_t most)
{
    const int length = (int)((double)BAR_LENGTH * (double)count / (double)most + 0.5);
    fprintf(to, "%s %10lu %5.1f%% %.*s\n", name, (unsigned long)count,
            100 * (double)count / (double)all, length, bar);
}

/* Counts the distances of each bar; of the first and the last one those beyond the range. */
static void count_bars(const distance_stats *s, const double range[2], size_t counts[BARS + 2])
{
    const double length = range[1] - range[0];
    for (size_t i = 0; i < s->num; i++) {
        const double x = s->distances[i];
        const double place = length > 0 ? (x - range[0]) / length * BARS : 0;
        const size_t at = place < BARS ? (size_t)fmax(place, 0) : BARS - 1;
        counts[x < range[0] ? 0 : x > range[1] ? BARS + 1 : at + 1]++;
    }
}

void distance_stats_histogram(const distance_stats *s, const double *range, FILE *to)
{
    double own[2];
    size_t counts[BARS + 2] = {0}, most = 1;
    char name[64];
    if (s->num == 0) return;
    find_range(s, own);
    if (!range) range = own;
    count_bars(s, range, counts);
    for (int i = 0; i < BARS + 2; i++)
        if (counts[i] > most) most = counts[i];
    for (int i = 0; i < BARS + 2; i++) {
        const double begin = range[0] + (range[1] - range[0]) * (i - 1) / BARS;
        const double end = range[0] + (range[1] - range[0]) * i / BARS;
        if ((i == 0 || i > BARS) && counts[i] == 0) continue;
        if (i == 0)
            snprintf(name, sizeof(name), "%13s %-12.6g", "below", range[0]);
        else if (i > BARS)
            snprintf(name, sizeof(name), "%13s %-12.6g", "above", range[1]);
        else
            snprintf(name, sizeof(name), "%10.6g .. %-12.6g", begin, end);
        print_bar(to, name, counts[i], s->num, most);
    }
}
