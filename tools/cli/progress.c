#include "progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { WIDTH = 40 };
static const double patience = 1.0, refresh = 0.1; /* seconds */

double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void progress_start(progress_bar *bar, const char *stage, bool quiet)
{
    *bar = (progress_bar){
        .stage = stage, .started = seconds_now(), .enabled = !quiet && isatty(STDERR_FILENO)};
}

void progress_report(void *user, double fraction)
{
    progress_bar *bar = user;
    double now = seconds_now();
    if (!bar->enabled || now - bar->started < patience || now - bar->shown < refresh) return;
    int filled = (int)(fraction * WIDTH + 0.5);
    fprintf(stderr, "\r%-12s [%.*s%.*s] %3.0f%%", bar->stage, filled,
            "########################################", WIDTH - filled,
            "                                        ", 100 * fraction);
    fflush(stderr);
    bar->shown = now;
    bar->visible = true;
}

void progress_end(progress_bar *bar)
{
    if (bar->visible) fprintf(stderr, "\r%*s\r", WIDTH + 24, "");
    bar->visible = false;
}

/* ---- notes ---- */

/* Waits so many seconds, or until the stage has ended. The lock is held. Returns whether it has. */
static bool wait_for_end(progress_note *note, double seconds)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += (long)(seconds * 1e9) % 1000000000;
    until.tv_sec += (time_t)seconds + until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    int status = 0;
    while (!note->ended && status == 0)
        status = pthread_cond_timedwait(&note->changed, &note->lock, &until);
    return note->ended;
}

/* Shows the line until the stage ends. */
static void *show_note(void *user)
{
    progress_note *note = user;
    const double start = seconds_now();
    int length = 0;
    pthread_mutex_lock(&note->lock);
    while (!wait_for_end(note, patience)) {
        length = fprintf(stderr, "\r%s ... %.0f s", note->text, seconds_now() - start);
        fflush(stderr);
    }
    pthread_mutex_unlock(&note->lock);
    if (length > 0) fprintf(stderr, "\r%*s\r", length, "");
    return NULL;
}

void progress_note_start(progress_note *note, bool quiet, const char *format, ...)
{
    va_list args;
    *note = (progress_note){.running = false};
    if (quiet || !isatty(STDERR_FILENO)) return;
    va_start(args, format);
    vsnprintf(note->text, sizeof(note->text), format, args);
    va_end(args);
    pthread_mutex_init(&note->lock, NULL);
    pthread_cond_init(&note->changed, NULL);
    note->running = pthread_create(&note->thread, NULL, show_note, note) == 0;
}

void progress_note_end(progress_note *note)
{
    if (!note->running) return;
    pthread_mutex_lock(&note->lock);
    note->ended = true;
    pthread_cond_signal(&note->changed);
    pthread_mutex_unlock(&note->lock);
    pthread_join(note->thread, NULL);
    pthread_mutex_destroy(&note->lock);
    pthread_cond_destroy(&note->changed);
    note->running = false;
}
