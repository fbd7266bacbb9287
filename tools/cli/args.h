/* Reading of command lines: --name VALUE, --name=VALUE, -x VALUE, -xVALUE, "--" and operands, in
   any order. */
#ifndef CLSPLINE_TOOLS_ARGS_H
#define CLSPLINE_TOOLS_ARGS_H

#include <stdbool.h>

/* An option that a command knows. Lists end with a NULL name. */
typedef struct args_option {
    const char *name; /* without the dashes */
    char letter;      /* 0: none */
    bool takes_value;
} args_option;

enum { /* what args_next finds, besides an option's place in the list */
       ARGS_OPERAND = -1,
       ARGS_END = -2,
       ARGS_UNKNOWN = -3,
       ARGS_NO_VALUE = -4, /* the option needs a value and has none */
       ARGS_EXTRA_VALUE = -5
};

typedef struct args {
    int argc, next;
    char **argv;
    bool only_operands; /* after "--" */
    const char *word;   /* the argument as the user gave it */
    const char *value;  /* of the option, or the operand */
} args;

/* Starts after argv[0]. */
args args_start(int argc, char **argv);

/* Finds the next argument. */
int args_next(args *a, const args_option *options);

/* The sentence for one of the three errors. */
const char *args_error(int found);

#endif
