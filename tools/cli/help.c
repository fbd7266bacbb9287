#include "help.h"

#include <stdio.h>
#include <string.h>

#include "json.h"

enum {
    WIDTH = 80,
    INDENT = 25, /* of what options do */
    DESCRIPTION = 1024
};

/* Prints words from a column on, in lines that begin at `indent`; a line feed in the text ends one.
 */
static void print_wrapped(const char *text, size_t column, size_t indent)
{
    while (*text) {
        const size_t length = strcspn(text, " \n");
        if (column > indent && column + 1 + length > WIDTH) {
            printf("\n%*s", (int)indent, "");
            column = indent;
        }
        column += (size_t)printf("%s%.*s", column > indent ? " " : "", (int)length, text);
        text += length;
        if (*text == '\n') {
            printf("\n%*s", text[1] == '\n' ? 0 : (int)indent, "");
            column = indent;
        }
        if (*text) text++;
    }
    putchar('\n');
}

/* ---- options ---- */

/* Writes what an option does, with its values in the place of '@'. */
static const char *describe(const option *o, char text[DESCRIPTION])
{
    char values[OPTION_TEXT_BYTES];
    const char *at = strchr(o->help, '@');
    if (!at) return o->help;
    snprintf(text, DESCRIPTION, "%.*s%s%s", (int)(at - o->help), o->help, option_values(o, values),
             at + 1);
    return text;
}

static void print_option(const option *o)
{
    char text[DESCRIPTION], head[64];
    const char letter[] = {'-', o->letter, ',', 0};
    snprintf(head, sizeof(head), "  %-3s --%s%s%s", o->letter ? letter : "", o->name,
             o->argument ? " "
             : o->glued  ? o->glued
                         : "",
             o->argument ? o->argument : "");
    printf("%-*s", INDENT, head);
    if (strlen(head) >= INDENT) printf("\n%*s", INDENT, "");
    print_wrapped(describe(o, text), INDENT, INDENT);
}

/* Tells whether another table has the same row. */
static bool has_same(const option *table, const option *o)
{
    char one[DESCRIPTION], two[DESCRIPTION];
    int number;
    const option *p = option_find(table, o->name, strlen(o->name), 0, &number);
    return p && p->letter == o->letter && strcmp(describe(o, one), describe(p, two)) == 0;
}

/* Tells whether all subcommands have the same row. */
static bool is_common(const subcommand *const *variants, const option *o)
{
    for (; *variants; variants++)
        if (!has_same((*variants)->options, o)) return false;
    return true;
}

/* Prints rows of a table that all variants have, in groups, or those that they have not. */
static void print_options(const subcommand *const *variants, const option *table, bool common)
{
    option_walk walk = {.at = {table}};
    const char *group = NULL;
    for (const option *o; (o = option_next(&walk)) != NULL;) {
        if (o->group) group = o->group;
        if (o->group || is_common(variants, o) != common) continue;
        if (common && group) printf("\n%s:\n", group);
        group = NULL;
        print_option(o);
    }
}

/* ---- texts ---- */

static void print_usage(const subcommand *c, const char *before)
{
    const char *rest = c->usage;
    for (char line[256]; rest; before = "      ") {
        const size_t length = strcspn(rest, "\n");
        snprintf(line, sizeof(line), "%.*s", (int)length, rest);
        printf("%s clspline %s %s\n", before, c->name, line);
        rest = rest[length] ? rest + length + 1 : NULL;
    }
}

void help_job(const subcommand *const *variants)
{
    const bool is_alone = !variants[1];
    for (size_t i = 0; variants[i]; i++)
        print_usage(variants[i], i == 0 ? "usage:" : "      ");
    for (size_t i = 0; variants[i]; i++) {
        putchar('\n');
        print_wrapped(variants[i]->about, 0, 0);
    }
    puts("\noptions:");
    print_options(variants, variants[0]->options, true);
    for (size_t i = 0; variants[i] && !is_alone; i++) {
        printf("\nof %s:\n", variants[i]->of);
        print_options(variants, variants[i]->options, false);
    }
    puts("\nexamples:");
    for (size_t i = 0; variants[i]; i++)
        for (size_t k = 0; variants[i]->examples[k]; k++)
            printf("  %s\n", variants[i]->examples[k]);
}

/* Tells whether a subcommand is the first of its name. */
static bool is_first(const subcommand *const *commands, size_t i)
{
    return i == 0 || strcmp(commands[i]->name, commands[i - 1]->name) != 0;
}

void help_screen(const subcommand *const *commands)
{
    puts("clspline: splines on any OpenCL device and on the host");
    for (size_t i = 0; commands[i]; i++)
        if (is_first(commands, i))
            printf("  %s\n      %s\n", commands[i]->examples[0], commands[i]->result);
    puts("More: clspline help, clspline help JOB, and clspline FILE, which tells what it has");
}

void help_jobs_of(const subcommand *const *commands, unsigned kind, const char *file)
{
    const char *quote = strpbrk(file, " \\\"$&()*;<>?[]`|") ? "'" : "";
    puts("\nwhat to do with it:");
    for (size_t i = 0; commands[i]; i++) {
        const subcommand *c = commands[i];
        const bool is_first_file = (c->kinds & kind) != 0;
        const bool is_second = c->second && !is_first_file && (kind & FILE_POINTS) != 0;
        if (strcmp(c->name, "info") == 0 || !(is_first_file || is_second)) continue;
        printf("  clspline %s %s%s", c->name, is_second ? "MODEL " : "", quote);
        print_name(stdout, file);
        printf("%s%s%s: %s\n", quote, c->second && is_first_file ? " POINTS" : "",
               strstr(c->usage, "-o ") ? " -o OUT" : "", c->summary);
    }
}

void help_overview(const subcommand *const *commands)
{
    static const char rest[] =
        "\n"
        "environment:\n"
        "  CLSPLINE_DEVICE      the device, unless --device is given: an index, 'gpu', 'cpu',\n"
        "                       'host', or parts of names as in 'pocl:' or 'nvidia:h200'\n"
        "  CLSPLINE_CACHE_DIR   folder of compiled programs (PoCL keeps its own) and measured\n"
        "                       speeds; empty: keep none\n"
        "  CLSPLINE_SPEEDS      file of the speeds that 'clspline tune' measures; empty: none\n"
        "  CLSPLINE_LIMITS      narrows the device, as in 'fp64=0,alloc=134217728'\n"
        "\n"
        "exit status: 0 done, 1 failed, 2 wrong usage, 3 points off the model (project)\n";
    puts("usage: clspline JOB ...\n\njobs:");
    for (size_t i = 0; commands[i]; i++)
        if (is_first(commands, i)) printf("  %-12s %s\n", commands[i]->name, commands[i]->summary);
    puts("  help         this text; 'clspline help JOB' has more\n"
         "  version      the version of the library, and of the headers if another\n"
         "  completions  what bash, zsh or fish is to complete command lines by\n"
         "\n'clspline FILE' tells what a file has and what can be done with it.\n"
         "\nexamples:");
    for (size_t i = 0; commands[i]; i++)
        if (is_first(commands, i)) printf("  %s\n", commands[i]->examples[0]);
    fputs(rest, stdout);
}

/* ---- tables ---- */

static void add_option(json_list *list, cJSON *options, const option *o, const char *group)
{
    char text[DESCRIPTION], values[OPTION_TEXT_BYTES];
    const char letter[] = {o->letter, 0};
    const bool has_values = o->must || o->words || o->low < o->high;
    cJSON *made = json_add_object(list, options, NULL);
    json_add_text(list, made, "name", o->name);
    json_add_text(list, made, "letter", letter);
    json_add_text(list, made, "argument", o->argument);
    json_add_text(list, made, "glued", o->glued);
    json_add_text(list, made, "values", has_values ? option_values(o, values) : NULL);
    json_add_text(list, made, "words", o->words);
    json_add_text(list, made, "help", describe(o, text));
    json_add_text(list, made, "group", group);
    json_add_text(list, made, "excludes", o->excludes);
    json_add_bool(list, made, "repeats", o->repeats);
    json_add_bool(list, made, "is_file", o->is_file);
}

static void print_tables(json_list *list, const subcommand *c)
{
    cJSON *made = json_object(list), *options = json_add_array(list, made, "options");
    cJSON *examples = json_add_array(list, made, "examples");
    option_walk walk = {.at = {c->options}};
    const char *group = "options";
    json_add_text(list, made, "name", c->name);
    json_add_text(list, made, "of", c->of);
    json_add_text(list, made, "usage", c->usage);
    json_add_text(list, made, "about", c->about);
    json_add_text(list, made, "summary", c->summary);
    json_add_text(list, made, "input", c->input);
    json_add_text(list, made, "endings", c->endings);
    for (const option *o; (o = option_next(&walk)) != NULL;) {
        if (o->group)
            group = o->group;
        else
            add_option(list, options, o, group);
    }
    for (const char *const *e = c->examples; *e; e++)
        json_add_text(list, examples, NULL, *e);
    json_list_print(list, made);
}

bool help_tables(const subcommand *const *commands)
{
    json_list list = {.count = 0};
    for (; *commands; commands++)
        print_tables(&list, *commands);
    return json_list_end(&list);
}
