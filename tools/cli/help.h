/* What the command tells of itself: help texts, what it can do, and its tables of options. */
#ifndef CLSPLINE_TOOLS_HELP_H
#define CLSPLINE_TOOLS_HELP_H

#include "request.h"

/* Prints what the command can do, for who types no arguments: of each subcommand an example, and
   what comes out of it. The list of subcommands ends in NULL, here and below. */
void help_screen(const subcommand *const *commands);

/* Prints the text of `clspline --help`. */
void help_overview(const subcommand *const *commands);

/* Prints the tables of options as JSON, of which the manual page is made. False with a complaint
 * when memory runs out. */
bool help_tables(const subcommand *const *commands);

/* Prints the text of `clspline help JOB`: of the subcommands of one name, which NULL ends, what all
   of them have, and then what is of each alone. */
void help_job(const subcommand *const *variants);

/* Prints what can be done with a file of a kind, a bit of file_kind. */
void help_jobs_of(const subcommand *const *commands, unsigned kind, const char *file);

#endif
