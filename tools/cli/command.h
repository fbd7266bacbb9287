/* What the subcommands of `clspline` share: exit codes, complaints, and help on a device that
   cannot be had. */
#ifndef CLSPLINE_TOOLS_COMMAND_H
#define CLSPLINE_TOOLS_COMMAND_H

#include <clspline/clspline.h>

#include <stdbool.h>
#include <stdio.h>

#include "message.h"

enum {
    EXIT_OK = 0,
    EXIT_FAILED = 1,
    EXIT_USAGE = 2,
    EXIT_OFF = 3 /* done, but points are not on the curves */
};

/* Prints "clspline: ..." as one line on stderr, or where complain_to says. Control characters,
   which names from the command line may have, are shown as '?', here and below. */
void complain(const char *format, ...) IO_PRINTF(1, 2);

/* Has complaints go to a stream, which must outlive them; NULL: to stderr again. */
void complain_to(FILE *stream);

/* Complains of wrong usage, points to --help and returns EXIT_USAGE. command may be NULL. */
int usage_error(const char *command, const char *format, ...) IO_PRINTF(2, 3);

/* Prints a name that was given, for reports. */
void print_name(FILE *to, const char *name);

/* Says what a status means, without the library's name for it. Static storage. */
const char *status_text(clsp_status status);

/* Complains of a library call that failed: the library's last error (of ctx, or with NULL of the
   thread), or what the status means where it gave no reason, and, where there is one, what can be
   done. */
void complain_status(const clsp_context *ctx, clsp_status status);

/* How much of what the library says is printed. */
typedef enum verbosity {
    VERBOSITY_QUIET,  /* nothing */
    VERBOSITY_NORMAL, /* warnings */
    VERBOSITY_VERBOSE /* and what was chosen */
} verbosity;

/* Processes that take turns in compiling programs: one fills the cache, and the others wait for it
   before they open a context, and find there what they need. */
typedef struct compile_turns {
    void (*wait)(void *user); /* until it is this process's turn */
    void (*done)(void *user); /* the programs are there, which others wait for */
    void *user;
} compile_turns;

/* Has this process take turns with others. turns must outlive all contexts; NULL: with none. */
void compile_in_turns(const compile_turns *turns);

/* Says that the programs are there. To be called once there are results, and at the end. */
void compile_done(void);

/* Makes a context on the device the user named, or with NULL on the default one. Complains on
   failure. */
bool open_context(clsp_context **ctx, const char *device, verbosity how_much);

/* Makes one that shares buffers with graphics. */
bool open_context_beside(clsp_context **ctx, const char *device,
                         const clsp_graphics_context *graphics, verbosity how_much);

/* The name of a device class, such as "discrete". */
const char *device_class_name(clsp_device_class device_class);

/* The subcommands: request.h says what they are. Those of one job stand side by side. */
extern const struct subcommand command_info, command_eval_patches, command_eval_splines;
extern const struct subcommand command_eval_solid, command_convert_splines, command_convert_cells;
extern const struct subcommand command_convert_image, command_project, command_locate;
extern const struct subcommand command_probe, command_slice, command_image, command_view;
extern const struct subcommand command_join, command_devices, command_tune;

#endif
