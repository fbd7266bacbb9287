/* Sharing work between processors, as the command line asks for it: the words, further devices, and
   the report. */
#ifndef CLSPLINE_TOOLS_SHARING_H
#define CLSPLINE_TOOLS_SHARING_H

#include <clspline/clspline.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "command.h"

enum { SHARING_MAX_JOINED = CLSP_MAX_PROCESSORS - 2 }; /* beside the first device and the host */

/* What was asked for. Zero: nothing. */
typedef struct sharing_request {
    bool cooperate, report;
    clsp_share opts;
    uint32_t num_workers; /* of the context; 0: not given */
    const char *joined[SHARING_MAX_JOINED];
    size_t num_joined;
} sharing_request;

/* What --help says of the options, where results are evaluated. */
#define SHARING_HELP_EVALUATION                                                                    \
    "      --cooperate HOW    evaluate by the device and the host's cores together: auto, svm,\n"  \
    "                         dynamic, static, static=RATIO (the host's part, 0 to 1),\n"          \
    "                         device or host; what cannot run gives way to the next of these\n"    \
    "      --workers N        with --cooperate, how many of the host's cores, 0 to 1024\n"         \
    "      --join DEVICE      with --cooperate, one more device; may be given several times\n"     \
    "      --report           with --cooperate, each evaluation's schedule, why not another,\n"    \
    "                         and what each processor did, on standard error\n"

/* Reads the values of --cooperate, --workers and --join of a command. EXIT_OK, or EXIT_USAGE with a
   complaint. */
int sharing_read_schedule(sharing_request *r, const char *command, const char *text);
int sharing_read_workers(sharing_request *r, const char *command, const char *text);
int sharing_read_joined(sharing_request *r, const char *command, const char *text);

/* The options in the order in which they stand in a row among a command's own. */
enum { SHARING_COOPERATE, SHARING_WORKERS, SHARING_JOIN, SHARING_REPORT };

/* Takes one of them with its value. EXIT_OK, or EXIT_USAGE with a complaint. */
int sharing_take(sharing_request *r, const char *command, int option, const char *text);

/* Checks what was taken, when all was. EXIT_OK, or EXIT_USAGE with a complaint. */
int sharing_check(const sharing_request *r, const char *command);

/* A context and those whose devices joined it. */
typedef struct sharing_contexts {
    clsp_context *ctx;
    clsp_context *joined[SHARING_MAX_JOINED];
} sharing_contexts;

/* Opens the device that the user named (NULL: the default one) and those to join. Complains on
   failure; what was opened until then is closed by sharing_close. */
bool sharing_open(sharing_contexts *c, const sharing_request *r, const char *device,
                  verbosity how_much);
void sharing_close(sharing_contexts *c);

/* What one call did, in lines that begin with `what`. */
void sharing_print(FILE *file, const char *what, const clsp_report *report);

#endif
