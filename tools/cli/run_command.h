/* What the programs of the command have in common: a run of a subcommand, and its end. */
#ifndef CLSPLINE_TOOLS_RUN_COMMAND_H
#define CLSPLINE_TOOLS_RUN_COMMAND_H

#include "request.h"

/* Does what a subcommand's arguments say. argv ends in NULL. Returns the exit status. */
int run_command(const subcommand *c, int argc, char **argv);

/* Prints the version of the library that runs, and that of the headers of this program's build
   where it is another. */
int run_version(const char *program);

/* Ends a run: output that could not be written (a full disk behind a pipe or redirection) is a
   failure too. Returns the exit status. */
int run_close(int status);

#endif
