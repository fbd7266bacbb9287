/* A progress bar on stderr, and the clock. */
#ifndef CLSPLINE_TOOLS_PROGRESS_H
#define CLSPLINE_TOOLS_PROGRESS_H

#include <stdbool.h>

#include "output.h"

/* Seconds on a clock that only runs forward. */
double seconds_now(void);

/* One bar for one stage of the work. It shows itself only when stderr is a terminal and the stage
   has taken more than a second. */
typedef struct progress_bar {
    const char *stage; /* "evaluating" */
    double started, shown;
    bool enabled, visible;
} progress_bar;

/* Starts a stage; with `quiet` nothing is ever shown. */
void progress_start(progress_bar *bar, const char *stage, bool quiet);

/* For io_progress: user is the bar. */
void progress_report(void *user, double fraction);

/* Clears the line. */
void progress_end(progress_bar *bar);

#endif
