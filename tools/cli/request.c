#include "request.h"

#include <string.h>
#include <strings.h>

#include "input_kind.h"
#include "output.h"
#include "part_file.h"

#define DEVICES "gpu cpu integrated discrete accelerator host"

/* ---- rows ---- */

const option request_device[] = {
    {"device", 'd', "DEVICE",
     "which device: an index of 'clspline devices', 'gpu', 'cpu', 'integrated', 'discrete', "
     "'accelerator', 'host', or parts of names as in 'pocl:' or 'nvidia:h200'; default "
     "$CLSPLINE_DEVICE, else the first GPU, else the host",
     OPTION_TEXT(request, device), .words = DEVICES},
    {.name = NULL}};

const option request_only[] = {
    {"only", 0, "LIST",
     "of CAD files only these faces: names of faces, bodies or parts, as for files with * and ?, "
     "and colours, as #rrggbb, with commas between",
     OPTION_TEXT(request, only)},
    {.name = NULL}};

const option request_workers[] = {
    {"workers", 0, "N",
     "how many of the host's cores take part, @; default those that no device needs",
     OPTION_COUNT(request, sharing.num_workers, 0, CLSP_MAX_WORKERS), .needs = "cooperate"},
    {"join", 0, "DEVICE", "one more device; may be given several times",
     .read = sharing_read_joined, .place = offsetof(request, sharing), .words = DEVICES,
     .needs = "cooperate", .repeats = true},
    {.name = NULL}};

/* Takes --report, in words, and --report=json or a file's name. */
static bool read_report(void *place, const option *o, const char *text)
{
    request *r = place;
    const char *dot = text ? strrchr(text, '.') : NULL;
    (void)o;
    if (!text) return r->sharing.report = true;
    r->report_to = text;
    return strcmp(text, "json") == 0 || (dot && strcmp(dot, ".json") == 0);
}

#define OPTION_REPORT(text, shown)                                                                 \
    "report", 0, NULL, text, .read = read_report, .glued = shown,                                  \
                             .must = "json, or a file that ends in .json"

const option request_report[] = {
    {OPTION_REPORT("tell of the run as JSON: its seconds, rate and device, on standard error or "
                   "into FILE.json",
                   "=json")},
    {.name = NULL}};

const option request_sharing[] = {
    {.group = "sharing the work"},
    {"cooperate", 0, "HOW",
     "the device and the host's cores work together: @; RATIO is the host's part; what "
     "cannot run gives way to the next of these",
     .read = sharing_read_schedule, .place = offsetof(request, sharing),
     .words = "auto svm dynamic static device host",
     .must = "auto, svm, dynamic, static, static=RATIO (0 to 1), device or host"},
    {.rows = request_workers},
    {OPTION_REPORT("tell what each processor did: of each job its schedule, why not another, tiles "
                   "and times, on standard error; =json or =FILE.json: seconds, rate and "
                   "processors of the run as JSON",
                   "[=json]")},
    {.name = NULL}};

/* Reads K/N. */
static bool read_part(void *place, const option *o, const char *text)
{
    request *r = place;
    const char *rest = text;
    char word[OPTION_WORD_BYTES];
    double number, count;
    (void)o;
    if (!option_split(&rest, "/", word) || !rest) return false;
    if (!option_number(rest, 1, PART_MAX_COUNT, &count) || !option_number(word, 1, count, &number))
        return false;
    r->part = (uint32_t)number;
    r->num_parts = (uint32_t)count;
    return number == r->part && count == r->num_parts;
}

const option request_parts[] = {
    {.group = "in parts"},
    {"part", 0, "K/N",
     "make part K of N alone, K from 1 on, in OUT.part; 'clspline join OUT' makes OUT of all",
     .read = read_part, .must = "K/N, such as 1/4"},
    {"resume", 0, NULL, "leave a part that is there as it is", OPTION_FLAG(request, resume),
     .needs = "part"},
    {.name = NULL}};

const option request_json[] = {
    {"json", 0, NULL, "print JSON", OPTION_FLAG(request, json)},
    {.name = NULL},
};

const option request_messages[] = {
    {.group = "messages"},
    {"quiet", 'q', NULL, "no times, no progress, no warnings", OPTION_FLAG(request, quiet),
     .excludes = "verbose"},
    {"verbose", 'v', NULL, "what was read, and what the library chose",
     OPTION_FLAG(request, verbose), .excludes = "quiet"},
    {.name = NULL},
};

const option request_help[] = {
    {"help", 'h', NULL, "this text", OPTION_FLAG(request, help)},
    {.name = NULL},
};

/* ---- values ---- */

/* Tells whether a name is one that systems give to standard output, which cannot be replaced as a
   file is. */
static bool is_stdout(const char *name)
{
    return strcmp(name, "/dev/stdout") == 0 || strcmp(name, "/dev/fd/1") == 0 ||
           strcmp(name, "/proc/self/fd/1") == 0;
}

bool request_read_output(void *place, const option *o, const char *text)
{
    request *r = place;
    (void)o;
    r->outputs[r->num_outputs++] = is_stdout(text) ? "-" : text;
    return true;
}

/* Returns the word of a format for an ending that is a longer spelling of it. */
static const char *short_ending(const char *ending)
{
    return strcasecmp(ending, "tiff") == 0   ? "tif"
           : strcasecmp(ending, "jpeg") == 0 ? "jpg"
                                             : ending;
}

bool request_read_format(void *place, const option *o, const char *text)
{
    request *r = place;
    r->format = option_number_of(o->words, short_ending(text), true) + 1;
    return r->format > 0;
}

bool request_read_precision(void *place, const option *o, const char *text)
{
    const int number = option_number_of(o->words, text, false);
    ((request *)place)->precision = number == 0 ? MESH_F32 : MESH_F64;
    return number >= 0;
}

/* ---- what was given ---- */

/* Finds an option of the request's table by its name. */
static const option *find(const request *r, const char *name, int *number)
{
    return option_find(r->command->options, name, strlen(name), 0, number);
}

bool request_has(const request *r, const char *name)
{
    int number;
    return find(r, name, &number) && (r->given >> number & 1) != 0;
}

verbosity request_verbosity(const request *r)
{
    return r->quiet ? VERBOSITY_QUIET : r->verbose ? VERBOSITY_VERBOSE : VERBOSITY_NORMAL;
}

int request_format(const request *r, const char *path)
{
    int number;
    const option *o = find(r, "format", &number);
    const char *dot = strchr(path, '.');
    if (strcmp(path, "-") == 0) return r->format;
    for (; o && dot; dot = strchr(dot + 1, '.')) { /* of a.nii.gz, "nii.gz" comes first */
        number = option_number_of(o->words, short_ending(dot + 1), true);
        if (number >= 0) return number + 1;
    }
    return 0;
}

bool request_makes(const request *r, const char *formats)
{
    int number;
    const option *o = find(r, "format", &number);
    char word[OPTION_WORD_BYTES];
    for (const char *rest = formats; rest && option_split(&rest, " ", word);)
        for (size_t i = 0; i < r->num_outputs; i++)
            if (request_format(r, r->outputs[i]) == option_number_of(o->words, word, false) + 1)
                return true;
    return false;
}

/* ---- the command line ---- */

static int take_operand(request *r, const char *word)
{
    if (!r->command->input) return usage_error(r->command->name, "unexpected argument '%s'", word);
    r->inputs[r->num_inputs++] = word;
    return EXIT_OK;
}

/* Gives an option its value, NULL where it has none. */
static int give(request *r, const option *o, int number, const char *value)
{
    char values[OPTION_TEXT_BYTES];
    r->given |= (uint64_t)1 << number;
    r->values[number] = value;
    if (o->read((char *)r + o->place, o, value)) return EXIT_OK;
    return usage_error(r->command->name, "--%s must be %s, not '%s'", o->name,
                       option_values(o, values), value ? value : "");
}

/* Gives an option the value behind '=' or, of letters, behind its own; or the next argument. */
static int give_next(request *r, const option *o, int number, const char *glued, char **argv,
                     int *at)
{
    const char *value = *glued == '=' ? glued + 1 : *glued ? glued : argv[++*at];
    if (value) return give(r, o, number, value);
    return usage_error(r->command->name, "a value is missing after '%s'", argv[*at - 1]);
}

/* Complains of an option that the subcommand has not, but may have for other files. */
static int complain_option(const request *r, const char *word, const char *name, size_t length,
                           char letter)
{
    const subcommand *c = r->command;
    int number;
    for (const subcommand *const *v = r->variants; *v; v++)
        if (option_find((*v)->options, name, length, letter, &number))
            return usage_error(c->name, "'%s' is of %s, not of %s", word, (*v)->of, c->of);
    if (name && length == 4 && strncmp(name, "part", length) == 0)
        return usage_error(c->name, "'%s': what 'clspline %s' writes cannot be made in parts", word,
                           c->name);
    return usage_error(c->name, "unknown option '%s'", word);
}

/* Takes an option by its name, or the begin of it. */
static int take_name(request *r, char **argv, int *at)
{
    const char *word = argv[*at], *name = word + 2, *command = r->command->name;
    const size_t length = strcspn(name, "=");
    const option *another;
    int number;
    const option *o = option_find_begin(r->command->options, name, length, &number, &another);
    if (!o || length == 0) return complain_option(r, word, name, length, 0);
    if (another)
        return usage_error(command, "'%s' may be --%s or --%s", word, another->name, o->name);
    if (o->argument) return give_next(r, o, number, name + length, argv, at);
    if (!o->glued && name[length])
        return usage_error(command, "no value is expected in '%s'", word);
    return give(r, o, number, name[length] ? name + length + 1 : NULL);
}

/* Takes options by their letters, the last of which may have a value. */
static int take_letters(request *r, char **argv, int *at)
{
    const char *word = argv[*at];
    int number, status = EXIT_OK;
    for (const char *letter = word + 1; *letter && status == EXIT_OK; letter++) {
        const option *o = option_find(r->command->options, NULL, 0, *letter, &number);
        if (!o) return complain_option(r, word, NULL, 0, *letter);
        if (o->argument) return give_next(r, o, number, letter + 1, argv, at);
        status = give(r, o, number, NULL);
    }
    return status;
}

/* ---- what is allowed together ---- */

/* Tells whether none of the options is there of which another one needs one, and the command has
   some of them: `lacking` becomes the first of these. */
static bool lacks_needed(const request *r, const char *needs, char lacking[OPTION_WORD_BYTES])
{
    int number;
    char word[OPTION_WORD_BYTES];
    lacking[0] = 0;
    for (const char *rest = needs; rest && option_split(&rest, " ", word);) {
        if (request_has(r, word)) return false;
        if (!lacking[0] && find(r, word, &number)) memcpy(lacking, word, sizeof(word));
    }
    return lacking[0] != 0;
}

static int check_needs(const request *r, const option *o)
{
    char word[OPTION_WORD_BYTES];
    if (lacks_needed(r, o->needs, word))
        return usage_error(r->command->name, "--%s needs --%s", o->name, word);
    for (const char *rest = o->excludes; rest && option_split(&rest, " ", word);)
        if (request_has(r, word))
            return usage_error(r->command->name, "--%s and --%s exclude each other", o->name, word);
    return EXIT_OK;
}

static size_t count_dashes(const char **names, size_t count)
{
    size_t dashes = 0;
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], "-") == 0) dashes++;
    return dashes;
}

/* Tells whether a name stands for one of the files, standard input and output left out. */
static bool is_among(const char *name, const char **names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, "-") != 0 && strcmp(names[i], "-") != 0 && output_is_same(name, names[i]))
            return true;
    return false;
}

/* Refuses a report in another file's place, and words where no work is shared, of which they tell.
 */
static int check_report(const request *r)
{
    int number;
    const char *name = r->command->name, *to = r->report_to;
    if (to && (is_among(to, r->inputs, r->num_inputs) || is_among(to, r->outputs, r->num_outputs)))
        return usage_error(name, "--report: '%s' is an input or an output too", to);
    if (!r->sharing.report || r->sharing.cooperate) return EXIT_OK;
    if (find(r, "cooperate", &number))
        return usage_error(name, "--report needs --cooperate; --report=json does not");
    return usage_error(name, "--report must be json, or a file that ends in .json");
}

/* Refuses devices that would have nothing to do. */
static int check_joined(const request *r)
{
    const clsp_schedule schedule = r->sharing.opts.schedule;
    if (r->sharing.num_joined > SHARING_MAX_JOINED)
        return usage_error(r->command->name, "--join can be given %d times at most",
                           SHARING_MAX_JOINED);
    if (r->sharing.num_joined == 0 || schedule < CLSP_SCHEDULE_DEVICE) return EXIT_OK;
    return usage_error(r->command->name, "--join is of --cooperate auto, svm, dynamic or static");
}

static int check_inputs(const request *r)
{
    const subcommand *c = r->command;
    const size_t needed = c->input ? 1 + (c->second != NULL) : 0;
    if (r->num_inputs < needed)
        return usage_error(c->name, "no %s given", r->num_inputs == 0 ? c->input : c->second);
    if (c->one_input && r->num_inputs > needed)
        return usage_error(c->name, "one %s at a time", c->input);
    for (size_t i = 1; c->of && i < r->num_inputs - (c->second != NULL); i++) {
        const unsigned kind = input_kind(r->inputs[i]);
        if (kind && !(kind & c->kinds))
            return usage_error(c->name, "'%s' has %s, and '%s' %s: one kind at a time",
                               r->inputs[i], input_kind_name(kind), r->inputs[0], c->of);
    }
    if (count_dashes(r->inputs, r->num_inputs) > 1)
        return usage_error(c->name, "standard input can be read once only");
    return EXIT_OK;
}

/* Tells whether a name ends as files do that the Python package writes, by libraries there. */
static bool is_python(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && (strcasecmp(dot, ".vtkhdf") == 0 || strcasecmp(dot, ".zarr") == 0);
}

/* Refuses an output of no format, and one that is written twice, or over an input. */
static int check_output(const request *r, size_t i, const option *format)
{
    const char *path = r->outputs[i], *name = r->command->name;
    char endings[OPTION_TEXT_BYTES];
    if (request_format(r, path) == 0 && is_python(path))
        return usage_error(name, "'%s' is written in Python, by clspline.write", path);
    if (request_format(r, path) == 0)
        return usage_error(name, "'%s' does not end in %s", path,
                           option_join(format->words, ".", " or ", endings));
    if (is_among(path, r->inputs, r->num_inputs))
        return usage_error(name, "'%s' is %s input too", path,
                           r->command->one_input ? "the" : "an");
    if (is_among(path, r->outputs, i))
        return usage_error(name, "'%s' is given as output twice", path);
    return EXIT_OK;
}

static int check_outputs(const request *r)
{
    const subcommand *c = r->command;
    int number, status = EXIT_OK;
    const option *format = find(r, "format", &number);
    const size_t dashes = count_dashes(r->outputs, r->num_outputs);
    if (!format) return EXIT_OK;
    if (r->num_outputs == 0 && !(c->instead && request_has(r, c->instead)))
        return usage_error(c->name, "no output given: use -o OUT");
    if (r->num_outputs > 1 && !find(r, "output", &number)->repeats)
        return usage_error(c->name, "--output can be given once only");
    if (dashes > 1) return usage_error(c->name, "standard output can be written once only");
    if (dashes == 1 && r->format == 0) return usage_error(c->name, "-o - needs --format");
    if (dashes == 0 && r->format > 0)
        return usage_error(c->name, "--format is for -o -; files have it by their ending");
    for (size_t i = 0; status == EXIT_OK && i < r->num_outputs; i++)
        status = check_output(r, i, format);
    return status;
}

/* Refuses an option that does nothing for the outputs that there are. */
static int check_formats(const request *r, const option *o)
{
    char endings[OPTION_TEXT_BYTES];
    int number;
    if (!find(r, "format", &number) || !o->formats || request_makes(r, o->formats) ||
        (o->is_camera && r->has_camera))
        return EXIT_OK;
    const bool pictures = strcmp(o->formats, "png") == 0;
    return usage_error(r->command->name, "--%s needs %s%s%s", o->name,
                       pictures ? "a picture (" : "an output in ",
                       option_join(o->formats, ".", " or ", endings), pictures ? ")" : "");
}

/* Applies a check to all options that were given. */
static int check_given(const request *r, int (*check_one)(const request *r, const option *o))
{
    option_walk walk = {.at = {r->command->options}};
    int status = EXIT_OK;
    for (const option *o; status == EXIT_OK && (o = option_next(&walk)) != NULL;)
        if (o->name && request_has(r, o->name)) status = check_one(r, o);
    return status;
}

static int check(request *r)
{
    int status = check_inputs(r);
    if (status == EXIT_OK) status = check_joined(r);
    if (status == EXIT_OK) status = check_given(r, check_needs);
    if (status == EXIT_OK) status = check_report(r);
    if (status == EXIT_OK) status = check_outputs(r);
    if (status == EXIT_OK && r->command->check) status = r->command->check(r);
    return status == EXIT_OK ? check_given(r, check_formats) : status;
}

/* Tells whether a letter stands for an option that has a value. */
static bool has_value(const subcommand *const *variants, char letter)
{
    int number;
    for (; *variants; variants++) {
        const option *o = option_find((*variants)->options, NULL, 0, letter, &number);
        if (o && o->argument) return true;
    }
    return false;
}

/* Tells whether an argument is an option whose value is the next one. */
static bool takes_next(const subcommand *const *variants, const char *word)
{
    const option *another;
    int number;
    if (word[1] != '-') {
        while (*++word && !has_value(variants, *word)) {
        }
        return *word && !word[1];
    }
    for (; *variants; variants++) {
        const option *o =
            option_find_begin((*variants)->options, word + 2, strlen(word + 2), &number, &another);
        if (o && o->argument) return true;
    }
    return false;
}

const char *request_first_input(const subcommand *const *variants, int argc, char **argv)
{
    for (int i = 0; i < argc; i++) {
        if (strcmp(argv[i], "--") == 0) return argv[i + 1];
        if (argv[i][0] != '-' || argv[i][1] == 0) return argv[i];
        i += takes_next(variants, argv[i]);
    }
    return NULL;
}

int request_read(request *r, int argc, char **argv)
{
    bool only_operands = false;
    r->argc = argc;
    r->argv = argv;
    for (int i = 0; i < argc; i++) {
        const bool is_option = !only_operands && argv[i][0] == '-' && argv[i][1] != 0;
        int status = EXIT_OK;
        if (!is_option)
            status = take_operand(r, argv[i]);
        else if (strcmp(argv[i], "--") == 0)
            only_operands = true;
        else
            status = argv[i][1] == '-' ? take_name(r, argv, &i) : take_letters(r, argv, &i);
        if (status != EXIT_OK || r->help) return status;
    }
    return check(r);
}
