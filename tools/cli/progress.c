#include "progress.h"

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
