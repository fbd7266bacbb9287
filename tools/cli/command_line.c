#include "command_line.h"

#include <stdio.h>
#include <string.h>

#include "help.h"

/* Finds the subcommand whose name argv begins with, and how many words that has. NULL where there
   is none; *words is 1 where a name of two words begins so. */
static const subcommand *find_subcommand(const subcommand *const *commands, char **argv, int *words)
{
    *words = 0;
    for (size_t i = 0; commands[i]; i++) {
        const char *name = commands[i]->name, *action = strchr(name, ' ');
        const size_t length = strcspn(name, " ");
        if (strlen(argv[0]) != length || strncmp(argv[0], name, length) != 0) continue;
        *words = action ? 2 : 1;
        if (!action || (argv[1] && strcmp(argv[1], action + 1) == 0)) return commands[i];
        *words = 1;
    }
    return NULL;
}

/* Answers to a name of two words whose second one is --help, or none that there is. */
static int answer_action(const subcommand *const *commands, const char *name, const char *action)
{
    char actions[OPTION_TEXT_BYTES] = "", text[OPTION_TEXT_BYTES];
    size_t num = 0;
    const size_t length = strlen(name);
    const bool helps = action && (strcmp(action, "--help") == 0 || strcmp(action, "-h") == 0);
    for (size_t i = 0; commands[i]; i++) {
        if (strncmp(commands[i]->name, name, length) != 0 || commands[i]->name[length] != ' ')
            continue;
        strncat(actions, commands[i]->name + length, sizeof(actions) - strlen(actions) - 1);
        if (helps && num++ > 0) putchar('\n');
        if (helps) help_subcommand(commands[i]);
    }
    if (helps) return EXIT_OK;
    option_join(actions, "", " and ", text);
    if (!action) return usage_error(name, "no action given, there are %s", text);
    return usage_error(name, "unknown action '%s', there are %s", action, text);
}

static int complain_command(const subcommand *const *commands, const char *word)
{
    char names[OPTION_TEXT_BYTES] = "", text[OPTION_TEXT_BYTES];
    if (word[0] == '-') return usage_error(NULL, "unknown option '%s'", word);
    for (size_t i = 0; commands[i]; i++) {
        const size_t length = strcspn(commands[i]->name, " ");
        if (i > 0 && strncmp(commands[i]->name, commands[i - 1]->name, length + 1) == 0) continue;
        snprintf(names + strlen(names), sizeof(names) - strlen(names), " %.*s", (int)length,
                 commands[i]->name);
    }
    return usage_error(NULL, "unknown command '%s', there are %s", word,
                       option_join(names, "", " and ", text));
}

int command_line_run(const subcommand *const *commands, int argc, char **argv,
                     const run_group *group)
{
    const char *word = argv[1];
    int words;
    const subcommand *c = argc > 1 ? find_subcommand(commands, argv + 1, &words) : NULL;
    if (argc < 2) {
        help_screen(commands);
        return EXIT_OK;
    }
    if (c) return run_command(c, argc - 1 - words, argv + 1 + words, group);
    if (words > 0) return answer_action(commands, word, argv[2]);
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) return run_version("clspline");
    if (strcmp(word, "--dump-options") == 0) return help_tables(commands) ? EXIT_OK : EXIT_FAILED;
    if (strcmp(word, "--help") != 0 && strcmp(word, "-h") != 0)
        return complain_command(commands, word);
    help_overview(commands);
    return EXIT_OK;
}
