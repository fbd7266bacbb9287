/* What the programs of the command have in common: a run of a subcommand, and its end. */
#ifndef CLSPLINE_TOOLS_RUN_COMMAND_H
#define CLSPLINE_TOOLS_RUN_COMMAND_H

#include "request.h"

/* Processes that make a file together, each a part of it. */
typedef struct run_group {
    uint32_t number, count; /* this one's part, from 1 on, of so many */
    /* Has all processes of the group agree: returns EXIT_OK, or the status that all of them end
       with. All of them call it as many times. */
    int (*agree)(void *user, int status);
    void *user;
} run_group;

/* Does what the arguments of a subcommand say, one of several of its name, which NULL ends. argv
   ends in NULL. As one of a group it makes its part, and the first process joins them; NULL: all
   that --part says. Returns the exit status. */
int run_command(const subcommand *const *variants, const subcommand *c, int argc, char **argv,
                const run_group *group);

/* Prints the version of the library that runs, and that of the headers of this program's build
   where it is another. */
int run_version(const char *program);

/* Ends a run: output that could not be written (a full disk behind a pipe or redirection) is a
   failure too. Returns the exit status. */
int run_close(int status);

#endif
