#include "distance_stats.h"

#include <math.h>
#include <stdlib.h>

#include "array.h"
#include "cad_model.h"
#include "color.h"
#include "command.h"
#include "json.h"

enum { BARS = 20, BAR_LENGTH = 40 };

static const char bar[BAR_LENGTH + 1] = "########################################";

static bool add_of_face(distance_stats *s, const nearest_row *row)
{
    face_distance *moved =
        array_reserve(s->of_faces, &s->face_capacity, s->num_of_faces + 1, sizeof(*moved));
    if (!moved) return false;
    s->of_faces = moved;
    moved[s->num_of_faces++] = (face_distance){(uint32_t)row->patch, row->distance};
    return true;
}

bool distance_stats_add(distance_stats *s, const nearest_row *row)
{
    if (s->by_face && row->patch >= 0 && !add_of_face(s, row)) return false;
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
    free(s->of_faces);
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

/* Finds least, mean, root mean square and greatest distance; NaN where there are none. */
static void find_summary(const distance_stats *s, double summary[4])
{
    double range[2];
    for (int i = 0; i < 4; i++)
        summary[i] = NAN;
    if (s->num == 0) return;
    find_range(s, range);
    find_means(s, fmax(fabs(range[0]), fabs(range[1])), &summary[1], &summary[2]);
    summary[0] = range[0];
    summary[3] = range[1];
}

/* ---- faces ---- */

/* What takes the distances of a face, and the face of a CAD file, or NULL. */
typedef void (*face_taker)(void *user, size_t number, const cad_face *face, distance_stats *s);

static int compare_faces(const void *a, const void *b)
{
    const uint32_t p = ((const face_distance *)a)->face, q = ((const face_distance *)b)->face;
    return (p > q) - (p < q);
}

/* Marks the numbers of splines that there are: [*num], which the caller frees. NULL when memory
   runs out. */
static bool *list_numbers(const splines *content, size_t *num)
{
    *num = 0;
    for (size_t i = 0; i < content->num_batches; i++)
        for (size_t k = 0; k < content->batches[i].num_splines; k++)
            if (content->batches[i].numbers[k] >= *num) *num = content->batches[i].numbers[k] + 1;
    bool *there = calloc(*num + 1, sizeof(*there));
    for (size_t i = 0; there && i < content->num_batches; i++)
        for (size_t k = 0; k < content->batches[i].num_splines; k++)
            there[content->batches[i].numbers[k]] = true;
    return there;
}

/* Gives the distances of all faces in turn. False with a complaint. */
static bool each_face(distance_stats *s, const splines *content, face_taker take, void *user)
{
    const cad_model *cad = content->cad;
    size_t num, at = 0;
    bool *there = list_numbers(content, &num);
    double *distances = malloc((s->num_of_faces + 1) * sizeof(*distances));
    const bool done = there && distances;
    if (!done) complain("not enough memory for the distances of faces");
    if (done && s->num_of_faces > 0)
        qsort(s->of_faces, s->num_of_faces, sizeof(*s->of_faces), compare_faces);
    for (size_t f = 0; done && f < num; f++) {
        distance_stats one = {.distances = distances, .is_signed = s->is_signed};
        for (; at < s->num_of_faces && s->of_faces[at].face == f; at++)
            if (isnan(s->of_faces[at].distance))
                one.num_open++;
            else
                distances[one.num++] = s->of_faces[at].distance;
        if (there[f])
            take(user, f,
                 cad && f < cad->num_faces && cad->faces[f].is_there ? &cad->faces[f] : NULL, &one);
    }
    free(there);
    free(distances);
    return done;
}

static void print_face(void *user, size_t number, const cad_face *face, distance_stats *s)
{
    FILE *to = user;
    double summary[4];
    find_summary(s, summary);
    fprintf(to, "%6lu %10lu", (unsigned long)number, (unsigned long)(s->num + s->num_open));
    for (int i = 0; i < 4; i++) {
        if (s->num > 0)
            fprintf(to, " %12.6g", summary[i]);
        else
            fprintf(to, " %12s", "-");
    }
    if (face) fprintf(to, "  %s%s", face->kind, face->name[0] ? ", " : "");
    if (face) print_name(to, face->name);
    fputc('\n', to);
}

bool distance_stats_faces(distance_stats *s, const splines *content, FILE *to)
{
    fprintf(to, "%6s %10s %12s %12s %12s %12s%s\n", "face", "points", "min", "mean", "rms", "max",
            content->cad ? "  kind, name" : "");
    return each_face(s, content, print_face, to);
}

/* ---- JSON ---- */

static void add_distances(json_list *list, cJSON *o, distance_stats *s)
{
    static const char *const names[] = {"median", "p95", "p99"};
    static const double shares[] = {0.5, 0.95, 0.99};
    double summary[4];
    find_summary(s, summary);
    json_add_real(list, o, "min", summary[0]);
    json_add_real(list, o, "mean", summary[1]);
    json_add_real(list, o, "rms", summary[2]);
    for (int i = 0; i < 3; i++)
        json_add_real(list, o, names[i],
                      s->num > 0 ? color_percentile(s->distances, s->num, shares[i]) : (double)NAN);
    json_add_real(list, o, "max", summary[3]);
}

/* A list that faces are added to. */
typedef struct face_list {
    json_list *list;
    cJSON *to;
} face_list;

static void add_face(void *user, size_t number, const cad_face *face, distance_stats *s)
{
    const face_list *faces = user;
    cJSON *o = json_add_object(faces->list, faces->to, NULL);
    json_add_count(faces->list, o, "face", number);
    json_add_text(faces->list, o, "kind", face ? face->kind : NULL);
    json_add_text(faces->list, o, "name", face && face->name[0] ? face->name : NULL);
    json_add_count(faces->list, o, "points", s->num + s->num_open);
    if (s->is_signed) json_add_count(faces->list, o, "open", s->num_open);
    add_distances(faces->list, o, s);
}

bool distance_stats_print(distance_stats *s, const splines *content, double seconds)
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
    face_list faces = {&list, s->by_face ? json_add_array(&list, o, "faces") : NULL};
    if (s->by_face && !each_face(s, content, add_face, &faces)) {
        cJSON_Delete(o);
        return false;
    }
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
