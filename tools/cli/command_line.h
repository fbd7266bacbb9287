/* The command line of a program that has subcommands. */
#ifndef CLSPLINE_TOOLS_COMMAND_LINE_H
#define CLSPLINE_TOOLS_COMMAND_LINE_H

#include "run_command.h"

/* Runs the subcommand that the arguments begin with, of a list that ends in NULL, or answers --help
   and --version. The group may be NULL. Returns the exit status. */
int command_line_run(const subcommand *const *commands, int argc, char **argv,
                     const run_group *group);

#endif
