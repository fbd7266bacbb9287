#include "progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { WIDTH = 30, TEXT = 40 };
static const double patience = 1.0, refresh = 0.1, each_line = 10; /* seconds */

double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void progress_start(progress_bar *bar, const char *stage, verbosity how_much)
{
    const bool is_terminal = isatty(STDERR_FILENO);
    *bar = (progress_bar){.stage = stage,
                          .started = seconds_now(),
                          .enabled = is_terminal ? how_much != VERBOSITY_QUIET
                                                 : how_much == VERBOSITY_VERBOSE,
                          .by_lines = !is_terminal};
}

void progress_count(progress_bar *bar, double num, const char *things)
{
    bar->num = num;
    bar->things = things;
}

/* Says how fast a stage goes, and how long it will take at that rate: ", 1.2e+06 points/s, 40 s
   left". */
static void tell_rate(const progress_bar *bar, double fraction, double seconds, char text[TEXT])
{
    const double left = seconds / fraction - seconds;
    size_t at = 0;
    text[0] = 0;
    if (!(fraction > 0)) return;
    if (bar->things)
        at =
            (size_t)snprintf(text, TEXT, ", %.2g %s/s", fraction * bar->num / seconds, bar->things);
    if (at >= TEXT) return;
    if (left < 120)
        snprintf(text + at, TEXT - at, ", %.0f s left", left);
    else if (left < 7200)
        snprintf(text + at, TEXT - at, ", %.0f min left", left / 60);
    else
        snprintf(text + at, TEXT - at, ", %.1f h left", left / 3600);
}

void progress_report(void *user, double fraction)
{
    progress_bar *bar = user;
    const double now = seconds_now(), seconds = now - bar->started;
    const double since = now - (bar->shown > 0 ? bar->shown : bar->started);
    const int filled = (int)(fraction * WIDTH + 0.5);
    char rate[TEXT];
    if (bar->things && fraction > 0) compile_done(); /* by what makes them */
    if (!bar->enabled || seconds < patience || since < (bar->by_lines ? each_line : refresh))
        return;
    tell_rate(bar, fraction, seconds, rate);
    if (bar->by_lines)
        fprintf(stderr, "%s: %.0f%%%s\n", bar->stage, 100 * fraction, rate);
    else
        fprintf(stderr, "\r%-10s [%.*s%.*s] %3.0f%%%-28.28s", bar->stage, filled,
                "##############################", WIDTH - filled, "                              ",
                100 * fraction, rate);
    fflush(stderr);
    bar->shown = now;
    bar->visible = !bar->by_lines;
}

void progress_end(progress_bar *bar)
{
    if (bar->visible) fprintf(stderr, "\r%*s\r", WIDTH + 47, "");
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
