#include "completions.h"

#include <stdio.h>
#include <string.h>

/* ---- scripts ---- */

static const char bash_script[] =
    "_clspline() {\n"
    "    local word=${COMP_WORDS[COMP_CWORD]} line ending found\n"
    "    mapfile -t found < <(\"$1\" --complete \"${COMP_WORDS[@]:1:COMP_CWORD}\" 2>/dev/null)\n"
    "    # Readline takes quotes away by itself where it has a part in this.\n"
    "    local plain=${word#[\\\"\\']}\n"
    "    plain=${plain//\\\\/}\n"
    "    COMPREPLY=()\n"
    "    for line in \"${found[@]}\"; do\n"
    "        case $line in\n"
    "        :files)\n"
    "            mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- \"$plain\")\n"
    "            ;;\n"
    "        :files*)\n"
    "            for ending in ${line#:files}; do\n"
    "                mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < \\\n"
    "                    <(compgen -f -X \"!*.$ending\" -- \"$plain\")\n"
    "            done\n"
    "            mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -d -- \"$plain\")\n"
    "            ;;\n"
    "        *) COMPREPLY+=(\"${line%%$'\\t'*}\") ;;\n"
    "        esac\n"
    "    done\n"
    "}\n"
    "complete -o filenames -F _clspline clspline\n";

static const char zsh_script[] =
    "_clspline() {\n"
    "    local -a found lines\n"
    "    local line\n"
    "    lines=(\"${(@f)$(\"$words[1]\" --complete \"${(@Q)words[2,CURRENT]}\" 2>/dev/null)}\")\n"
    "    for line in $lines; do\n"
    "        case $line in\n"
    "        (:files) _files ;;\n"
    "        (:files*) _files -g \"*.(${(j:|:)${=line#:files}})\" ;;\n"
    "        (*) found+=(\"${${line%%$'\\t'*}//:/\\\\:}:${line#*$'\\t'}\") ;;\n"
    "        esac\n"
    "    done\n"
    "    (( ! $#found )) || _describe clspline found\n"
    "}\n"
    "compdef _clspline clspline\n";

static const char fish_script[] = "function __clspline_complete\n"
                                  "    set -l words (commandline -opc)[2..-1] (commandline -ct)\n"
                                  "    for line in (clspline --complete $words 2>/dev/null)\n"
                                  "        set -l endings (string split ' ' -- $line)\n"
                                  "        if test \"$endings[1]\" != :files\n"
                                  "            printf '%s\\n' $line\n"
                                  "        else if set -q endings[2]\n"
                                  "            for ending in $endings[2..-1]\n"
                                  "                __fish_complete_suffix .$ending\n"
                                  "            end\n"
                                  "        else\n"
                                  "            __fish_complete_path (commandline -ct)\n"
                                  "        end\n"
                                  "    end\n"
                                  "end\n"
                                  "complete -c clspline -f -k -a '(__clspline_complete)'\n";

int completions_print(const char *shell)
{
    static const struct {
        const char *shell, *script;
    } all[] = {{"bash", bash_script}, {"zsh", zsh_script}, {"fish", fish_script}};
    for (size_t i = 0; shell && i < sizeof(all) / sizeof(all[0]); i++)
        if (strcmp(shell, all[i].shell) == 0) return fputs(all[i].script, stdout), EXIT_OK;
    return usage_error(NULL, "completions are of bash, zsh or fish");
}

/* ---- answers ---- */

/* Prints a word that begins with what is there. what: what it does, up to its first part's end; may
   be NULL. */
static void offer(const char *begin, const char *dashes, const char *word, size_t length,
                  const char *what)
{
    char text[OPTION_WORD_BYTES + 2];
    snprintf(text, sizeof(text), "%s%.*s", dashes, (int)length, word);
    if (strncmp(text, begin, strlen(begin)) != 0) return;
    printf("%s\t%.*s\n", text, what ? (int)strcspn(what, ";:(@") : 0, what ? what : "");
}

static void offer_words(const char *begin, const char *words)
{
    for (; *words; words += strspn(words, " ")) {
        const size_t length = strcspn(words, " ");
        offer(begin, "", words, length, NULL);
        words += length;
    }
}

/* Offers the names of all jobs, which are offered once. */
static void offer_jobs(const subcommand *const *commands, const char *begin)
{
    for (size_t i = 0; commands[i]; i++)
        if (i == 0 || strcmp(commands[i]->name, commands[i - 1]->name) != 0)
            offer(begin, "", commands[i]->name, strlen(commands[i]->name), commands[i]->summary);
}

/* Finds an option as it is typed; of several subcommands of a job the first that has it. */
static const option *find(const subcommand *const *commands, const char *job, const char *word)
{
    const bool is_long = word[0] == '-' && word[1] == '-';
    int number;
    for (; *commands; commands++) {
        const option *o = strcmp((*commands)->name, job) != 0 || word[0] != '-'
                              ? NULL
                              : option_find((*commands)->options, is_long ? word + 2 : NULL,
                                            strlen(word) - (is_long ? 2 : 0), word[1], &number);
        if (o) return o;
    }
    return NULL;
}

/* Offers the options of a job's subcommands, each once. */
static void offer_options(const subcommand *const *commands, const char *job, const char *begin)
{
    int number;
    for (const subcommand *const *c = commands; *c; c++) {
        option_walk walk = {.at = {(*c)->options}};
        if (strcmp((*c)->name, job) != 0) continue;
        for (const option *o; (o = option_next(&walk)) != NULL;) {
            const subcommand *const *first = commands;
            while (o->name &&
                   (strcmp((*first)->name, job) != 0 ||
                    !option_find((*first)->options, o->name, strlen(o->name), 0, &number)))
                first++;
            if (o->name && first == c) offer(begin, "--", o->name, strlen(o->name), o->help);
        }
    }
}

/* Offers the files that a job reads. */
static void offer_files(const subcommand *const *commands, const char *job)
{
    const char *before = ":files";
    for (; *commands; commands++)
        if (strcmp((*commands)->name, job) == 0 && (*commands)->input) {
            printf("%s %s", before, (*commands)->endings ? (*commands)->endings : "");
            before = "";
        }
    if (!*before) putchar('\n');
}

int completions_answer(const subcommand *const *commands, int num, char **words)
{
    const char *job = num > 1 ? words[0] : "", *begin = num > 0 ? words[num - 1] : "";
    const option *o = num > 2 ? find(commands, job, words[num - 2]) : NULL;
    if (num < 2) {
        offer_jobs(commands, begin);
        offer_words(begin, "help version completions");
        puts(":files");
    } else if (strcmp(job, "help") == 0) {
        offer_jobs(commands, begin);
    } else if (strcmp(job, "completions") == 0) {
        offer_words(begin, "bash zsh fish");
    } else if (o && o->argument) {
        if (o->is_file) puts(":files");
        if (o->words) offer_words(begin, o->words);
    } else if (begin[0] == '-' && begin[1]) {
        offer_options(commands, job, begin);
    } else {
        offer_files(commands, job);
    }
    return EXIT_OK;
}
