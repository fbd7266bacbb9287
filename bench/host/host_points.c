#include "host_points.h"

#include <pthread.h>

/* Some rows of a job. */
typedef struct part {
    const host_points *job;
    size_t first, end;
} part;

static void rows_f32(const host_points *job, size_t first, size_t end)
{
    const size_t order = job->order, num = job->num;
    const float *const table = job->table;
    float *out = (float *)job->out + first * num * 3;

    for (size_t a = first; a < end; a++) {
        for (size_t b = 0; b < num; b++, out += 3) {
            const float *p = job->points;
            float x = 0.0F, y = 0.0F, z = 0.0F;
            for (size_t i = 0; i < order; i++) {
                for (size_t j = 0; j < order; j++, p += 3) {
                    const float w = table[a * order + i] * table[b * order + j];
                    x += w * p[0];
                    y += w * p[1];
                    z += w * p[2];
                }
            }
            out[0] = x;
            out[1] = y;
            out[2] = z;
        }
    }
}

static void rows_f64(const host_points *job, size_t first, size_t end)
{
    const size_t order = job->order, num = job->num;
    const double *const table = job->table;
    double *out = (double *)job->out + first * num * 3;

    for (size_t a = first; a < end; a++) {
        for (size_t b = 0; b < num; b++, out += 3) {
            const double *p = job->points;
            double x = 0.0, y = 0.0, z = 0.0;
            for (size_t i = 0; i < order; i++) {
                for (size_t j = 0; j < order; j++, p += 3) {
                    const double w = table[a * order + i] * table[b * order + j];
                    x += w * p[0];
                    y += w * p[1];
                    z += w * p[2];
                }
            }
            out[0] = x;
            out[1] = y;
            out[2] = z;
        }
    }
}

static void *work(void *user)
{
    const part *const p = user;

    if (p->job->is_double)
        rows_f64(p->job, p->first, p->end);
    else
        rows_f32(p->job, p->first, p->end);
    return NULL;
}

int host_points_run(const host_points *job)
{
    pthread_t threads[HOST_POINTS_THREADS];
    part parts[HOST_POINTS_THREADS];
    unsigned started = 0;
    int code = 0;

    for (; started < job->threads && code == 0; started++) {
        parts[started] =
            (part){job, job->num * started / job->threads, job->num * (started + 1) / job->threads};
        code = pthread_create(&threads[started], NULL, work, &parts[started]);
    }
    if (code) started--;
    for (unsigned i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    return code;
}
