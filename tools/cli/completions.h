/* Completions of command lines: a shell's script asks the command what may come next, which its
   tables of options tell. */
#ifndef CLSPLINE_TOOLS_COMPLETIONS_H
#define CLSPLINE_TOOLS_COMPLETIONS_H

#include "request.h"

/* Prints the script of a shell: bash, zsh or fish. Returns the exit status. */
int completions_print(const char *shell);

/* Prints what the last of some words can become, a line each, with a tab and what it does behind
   it; ":files" and endings stand for files. The list of subcommands ends in NULL. */
int completions_answer(const subcommand *const *commands, int num, char **words);

#endif
