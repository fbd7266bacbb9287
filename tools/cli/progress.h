/* Progress on stderr, as a bar or a line, and the clock. */
#ifndef CLSPLINE_TOOLS_PROGRESS_H
#define CLSPLINE_TOOLS_PROGRESS_H

#include <pthread.h>
#include <stdbool.h>

#include "command.h"
#include "output.h"

/* Seconds on a clock that only runs forward. */
double seconds_now(void);

/* How far one stage of the work is, with its rate and the time that is left: a bar that shows
   itself when stderr is a terminal and the stage has taken more than a second; elsewhere, for who
   wants all to be told, a line every ten seconds. */
typedef struct progress_bar {
    const char *stage;  /* "evaluating" */
    const char *things; /* that are made, and how many; NULL: none that count */
    double num;
    double started, shown;
    bool enabled, by_lines, visible;
} progress_bar;

/* Starts a stage. */
void progress_start(progress_bar *bar, const char *stage, verbosity how_much);

/* Says what the stage makes, for its rate: so many "points". */
void progress_count(progress_bar *bar, double num, const char *things);

/* For io_progress: user is the bar. */
void progress_report(void *user, double fraction);

/* Clears the line. */
void progress_end(progress_bar *bar);

/* What is shown of a stage of which no share is known: a line, on a terminal and after a second,
   that says what is done and for how many seconds. A thread of its own writes it. */
typedef struct progress_note {
    char text[64];
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool running, ended; /* the thread is there; it is to end */
} progress_note;

/* Starts a stage, "making the plan of 12 cells"; with `quiet` nothing is ever shown. The note must
   stay where it is until it ends. */
void progress_note_start(progress_note *note, bool quiet, const char *format, ...) IO_PRINTF(3, 4);

/* Ends it, and clears the line. */
void progress_note_end(progress_note *note);

#endif
