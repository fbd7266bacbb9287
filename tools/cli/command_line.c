#include "command_line.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "completions.h"
#include "help.h"
#include "input.h"
#include "input_kind.h"

enum { VARIANTS = 4, NAMES = 256 };

/* Finds the subcommands of a name, in a list that NULL ends; *variants stays empty where there is
   none. */
static void find_variants(const subcommand *const *commands, const char *name,
                          const subcommand *variants[VARIANTS + 1])
{
    size_t num = 0;
    for (; *commands; commands++)
        if (strcmp((*commands)->name, name) == 0 && num < VARIANTS) variants[num++] = *commands;
    variants[num] = NULL;
}

/* Writes the names of the jobs that take files of a kind, or with 0 of all. */
static const char *list_jobs(const subcommand *const *commands, unsigned kind, const char *last,
                             char text[OPTION_TEXT_BYTES])
{
    char names[NAMES] = "";
    for (size_t i = 0; commands[i]; i++) {
        const char *name = commands[i]->name;
        const bool takes = !kind || (commands[i]->kinds & kind) != 0 ||
                           (commands[i]->second && (kind & FILE_POINTS) != 0);
        const bool again = i > 0 && strcmp(name, commands[i - 1]->name) == 0;
        if (takes && (kind || !again) && strlen(names) + strlen(name) + 2 < NAMES)
            strcat(strcat(names, names[0] ? " " : ""), name);
    }
    return option_join(names, "", last, text);
}

/* Tells whether a file has an ending of those that a subcommand reads. */
static bool has_ending(const subcommand *c, const char *path)
{
    char word[OPTION_WORD_BYTES];
    for (const char *rest = c->endings; rest && option_split(&rest, " ", word);)
        if (input_ends_in(path, word)) return true;
    return false;
}

/* Chooses the subcommand that takes the first file; NULL with a complaint where none does. */
static const subcommand *choose(const subcommand *const *commands,
                                const subcommand *const *variants, int argc, char **argv)
{
    char text[OPTION_TEXT_BYTES];
    const char *first = request_first_input(variants, argc, argv);
    const bool is_alone = !variants[1];
    if (!first || !variants[0]->kinds || (is_alone && strcmp(first, "-") == 0)) return variants[0];
    const unsigned kind = input_kind(first);
    for (size_t i = 0; kind && variants[i]; i++)
        if (variants[i]->kinds & kind) return variants[i];
    for (size_t i = 0; !kind && variants[i]; i++)
        if (has_ending(variants[i], first)) return variants[i];
    if (!kind) return variants[0];
    usage_error(variants[0]->name, "'%s' has %s, which is for %s", first, input_kind_name(kind),
                list_jobs(commands, kind, " and ", text));
    return NULL;
}

/* Tells what a file has, and what can be done with it. */
static int show_file(const subcommand *const *commands, char **argv)
{
    const subcommand *info[VARIANTS + 1];
    char *arguments[] = {argv[1], NULL};
    find_variants(commands, "info", info);
    const unsigned kind = input_kind(argv[1]);
    const int status = run_command(info, info[0], 1, arguments, NULL);
    if (status == EXIT_OK) help_jobs_of(commands, kind, argv[1]);
    return status;
}

/* Answers `help`, or `help JOB`. */
static int answer_help(const subcommand *const *commands, const char *job)
{
    const subcommand *variants[VARIANTS + 1];
    char text[OPTION_TEXT_BYTES];
    if (!job) {
        help_overview(commands);
        return EXIT_OK;
    }
    find_variants(commands, job, variants);
    if (!variants[0])
        return usage_error(NULL, "no job '%s'; there are %s", job,
                           list_jobs(commands, 0, " and ", text));
    help_job(variants);
    return EXIT_OK;
}

static int complain_word(const subcommand *const *commands, const char *word)
{
    char text[OPTION_TEXT_BYTES];
    if (word[0] == '-') return usage_error(NULL, "unknown option '%s'", word);
    return usage_error(NULL, "'%s' is no job and no file; jobs are %s", word,
                       list_jobs(commands, 0, " and ", text));
}

static bool is_either(const char *word, const char *a, const char *b, const char *c)
{
    return strcmp(word, a) == 0 || strcmp(word, b) == 0 || strcmp(word, c) == 0;
}

int command_line_run(const subcommand *const *commands, int argc, char **argv,
                     const run_group *group)
{
    const subcommand *variants[VARIANTS + 1];
    const char *word = argc > 1 ? argv[1] : "";
    if (argc < 2) {
        help_screen(commands);
        return EXIT_OK;
    }
    if (is_either(word, "help", "--help", "-h")) return answer_help(commands, argv[2]);
    if (is_either(word, "version", "--version", "-V")) return run_version("clspline");
    if (strcmp(word, "completions") == 0) return completions_print(argv[2]);
    if (strcmp(word, "--complete") == 0) return completions_answer(commands, argc - 2, argv + 2);
    if (strcmp(word, "--dump-options") == 0) return help_tables(commands) ? EXIT_OK : EXIT_FAILED;
    find_variants(commands, word, variants);
    if (variants[0]) {
        const subcommand *c = choose(commands, variants, argc - 2, argv + 2);
        return c ? run_command(variants, c, argc - 2, argv + 2, group) : EXIT_USAGE;
    }
    if (argc == 2 && !group && access(word, F_OK) == 0) return show_file(commands, argv);
    return complain_word(commands, word);
}
