#include "args.h"

#include <stddef.h>
#include <string.h>

args args_start(int argc, char **argv)
{
    return (args){.argc = argc, .argv = argv, .next = 1};
}

/* The option's place in the list, with the text glued to it ("=x" of --name=x, "x" of -ox). */
static int find_option(const args_option *options, const char *word, const char **glued)
{
    bool is_long = word[1] == '-';
    size_t length = is_long ? strcspn(word + 2, "=") : 1;
    for (int i = 0; options[i].name; i++) {
        bool match = is_long ? strlen(options[i].name) == length &&
                                   strncmp(options[i].name, word + 2, length) == 0
                             : options[i].letter == word[1];
        if (!match) continue;
        *glued = word + (is_long ? 2 : 1) + length;
        return i;
    }
    return ARGS_UNKNOWN;
}

static int read_option(args *a, const args_option *options)
{
    const char *glued;
    int found = find_option(options, a->word, &glued);
    if (found < 0) return found;
    if (!options[found].takes_value) return *glued ? ARGS_EXTRA_VALUE : found;
    if (*glued)
        a->value = *glued == '=' ? glued + 1 : glued;
    else if (a->next < a->argc)
        a->value = a->argv[a->next++];
    return a->value ? found : ARGS_NO_VALUE;
}

int args_next(args *a, const args_option *options)
{
    a->value = NULL;
    if (a->next >= a->argc) return ARGS_END;
    a->word = a->argv[a->next++];
    if (!a->only_operands && strcmp(a->word, "--") == 0) {
        a->only_operands = true;
        return args_next(a, options);
    }
    if (!a->only_operands && a->word[0] == '-' && a->word[1] != 0) return read_option(a, options);
    a->value = a->word;
    return ARGS_OPERAND;
}

const char *args_error(int found)
{
    switch (found) {
    case ARGS_UNKNOWN:
        return "unknown option";
    case ARGS_NO_VALUE:
        return "a value is missing after";
    default:
        return "no value is expected in";
    }
}
