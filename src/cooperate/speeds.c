#include "speeds.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "level.h"
#include "trusted_file.h"

/* A machine has some 40 lines a processor. */
enum { LINE_MAX_BYTES = 2048, LINES_MAX = 8192, FILE_MAX_BYTES = 4 << 20, RECORDS_MAX = 512 };

static const uint64_t ps_max = UINT64_C(1000000000000000); /* 1000 s */

/* ---- learning ---- */

double clspi_speed_predict(const clspi_speed *speed, size_t tiles)
{
    if (!(speed->tile_ms > 0)) return 0;
    return speed->fixed_ms + speed->tile_ms * (double)tiles;
}

/* Sets a speed by one job alone. */
static void start_from(clspi_speed *speed, size_t tiles, double ms, double fixed_ms)
{
    speed->fixed_ms = fixed_ms < ms / 2 ? fixed_ms : ms / 2;
    speed->tile_ms = (ms - speed->fixed_ms) / (double)tiles;
}

void clspi_speed_learn(clspi_speed *speed, size_t tiles, double ms, double fixed_ms)
{
    const double expected = clspi_speed_predict(speed, tiles);

    if (tiles == 0) return;
    if (!(ms > 1e-6)) ms = 1e-6;
    if (speed->samples < 2 || !(expected > 0) || (speed->samples == 2 && ms < expected)) {
        start_from(speed, tiles, ms, fixed_ms);
    } else if (speed->samples > 2) {
        /* a machine that is busy for a while makes calls slower, nothing makes them faster */
        const double share = ms < expected ? 0.5 : 0.2;
        const double change = 1 + share * (ms / expected - 1);
        speed->tile_ms *= change;
        speed->fixed_ms *= change;
    }
    if (speed->samples < UINT32_MAX) speed->samples++;
    speed->age = 0;
}

/* ---- records ---- */

static void free_records(clspi_speeds *speeds)
{
    while (speeds->records) {
        clspi_record *const record = speeds->records;
        speeds->records = record->next;
        free(record->key);
        free(record);
    }
}

void clspi_speeds_forget(clspi_speeds *speeds)
{
    free_records(speeds);
}

void clspi_speeds_release(clspi_speeds *speeds)
{
    free_records(speeds);
    for (size_t i = 0; i < speeds->num_lines; i++)
        free(speeds->lines[i].name);
    free(speeds->lines);
    memset(speeds, 0, sizeof *speeds);
}

/* Makes a record of which nothing is known; NULL without memory. */
static clspi_record *new_record(const char *key, size_t tile_size, uint32_t workers, bool shared)
{
    clspi_record *const record = calloc(1, sizeof *record);

    if (!record) return NULL;
    record->key = malloc(strlen(key) + 1);
    if (!record->key) {
        free(record);
        return NULL;
    }
    strcpy(record->key, key);
    record->tile_size = tile_size;
    record->workers = workers;
    record->shared = shared;
    return record;
}

clspi_record *clspi_speeds_record(clspi_speeds *speeds, const char *key, size_t tile_size,
                                  uint32_t workers, bool shared)
{
    clspi_record **at = &speeds->records, *record;
    size_t num = 0;

    for (; *at; at = &(*at)->next, num++)
        if ((*at)->tile_size == tile_size && (*at)->workers == workers && (*at)->shared == shared &&
            strcmp((*at)->key, key) == 0)
            break;
    record = *at;
    if (record) { /* to the head */
        *at = record->next;
    } else {
        if (num >= RECORDS_MAX) free_records(speeds);
        record = new_record(key, tile_size, workers, shared);
        if (!record) return NULL;
    }
    record->next = speeds->records;
    speeds->records = record;
    return record;
}

/* ---- lines ---- */

/* Computes FNV-1a of 64 bits: it finds damage. */
uint64_t clspi_speeds_checksum(const char *text)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return hash;
}

/* Replaces control characters by blanks: names come from drivers, and nothing in them may end a
   field. */
static void clean(char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)text[i] < ' ') text[i] = ' ';
}

void clspi_speeds_owner(char owner[CLSPI_OWNER_MAX], const clsp_device_info *device)
{
    const size_t platform = strlen(device->platform), name = strlen(device->name);

    snprintf(owner, CLSPI_OWNER_MAX, "%s\t%s\t%s", device->platform, device->name, device->driver);
    clean(owner, platform);
    clean(owner + platform + 1, name);
    clean(owner + platform + name + 2, strlen(device->driver));
}

void clspi_speeds_host(char owner[CLSPI_OWNER_MAX], uint32_t cores)
{
    struct utsname names;

    if (uname(&names) != 0) strcpy(names.nodename, "?");
    clean(names.nodename, strlen(names.nodename));
    snprintf(owner, CLSPI_OWNER_MAX, "host\t%.128s\t%u cores, %s", names.nodename, cores,
             clspi_level_name(clspi_level()));
}

/* Tells whether a line's name is of an owner and a key; key NULL: any. */
static bool is_name(const char *name, const char *owner, const char *key)
{
    const size_t length = strlen(owner);

    return strncmp(name, owner, length) == 0 && name[length] == '\t' &&
           (!key || strcmp(name + length + 1, key) == 0);
}

const clspi_speed_line *clspi_speeds_find(const clspi_speeds *speeds, const char *owner,
                                          const char *key)
{
    for (size_t i = 0; i < speeds->num_lines; i++)
        if (is_name(speeds->lines[i].name, owner, key)) return &speeds->lines[i];
    return NULL;
}

/* Finds the line of a name, or adds one; NULL without memory. */
static clspi_speed_line *add_line(clspi_speeds *speeds, const char *name)
{
    clspi_speed_line *line;

    for (size_t i = 0; i < speeds->num_lines; i++)
        if (strcmp(speeds->lines[i].name, name) == 0) return &speeds->lines[i];
    if (speeds->num_lines == speeds->max_lines) {
        const size_t more = speeds->max_lines * 2 + 16;
        clspi_speed_line *const grown = realloc(speeds->lines, more * sizeof *grown);
        if (!grown) return NULL;
        speeds->lines = grown;
        speeds->max_lines = more;
    }
    line = &speeds->lines[speeds->num_lines];
    line->name = malloc(strlen(name) + 1);
    if (!line->name) return NULL;
    strcpy(line->name, name);
    speeds->num_lines++;
    return line;
}

bool clspi_speeds_set(clspi_speeds *speeds, const char *owner, const char *key, uint64_t slope_ps,
                      uint64_t fixed_ps)
{
    char name[LINE_MAX_BYTES];
    clspi_speed_line *line;

    if (snprintf(name, sizeof name, "%s\t%s", owner, key) >= (int)sizeof name) return false;
    line = add_line(speeds, name);
    if (!line) return false;
    line->slope_ps = slope_ps;
    line->fixed_ps = fixed_ps;
    return true;
}

/* Reads a number of digits alone; false for anything else. */
static bool parse_number(const char *text, int base, uint64_t *number)
{
    char *end;

    if (strspn(text, base == 16 ? "0123456789abcdef" : "0123456789") != strlen(text) || !*text)
        return false;
    errno = 0;
    *number = strtoull(text, &end, base);
    return errno == 0 && *end == '\0';
}

/* Cuts the last field off a line and returns it; NULL when there is one field. */
static char *cut_last(char *text)
{
    char *const tab = strrchr(text, '\t');

    if (!tab) return NULL;
    *tab = '\0';
    return tab + 1;
}

static size_t count_tabs(const char *text)
{
    size_t count = 0;

    for (; *text; text++)
        count += *text == '\t';
    return count;
}

/* Reads a line; returns NULL, or what is wrong with it. */
static const char *parse_line(clspi_speeds *speeds, char *text)
{
    char *const tab = strchr(text, '\t');
    uint64_t sum, slope, fixed;

    if (!tab) return "it has no fields";
    *tab = '\0';
    char *const rest = tab + 1;
    if (!parse_number(text, 16, &sum) || sum != clspi_speeds_checksum(rest))
        return "its checksum is wrong";
    const char *const last = cut_last(rest), *const before = last ? cut_last(rest) : NULL;
    if (!before || count_tabs(rest) != 3) return "it has not seven fields";
    if (!parse_number(last, 10, &fixed) || !parse_number(before, 10, &slope) || slope == 0 ||
        slope > ps_max || fixed > ps_max)
        return "it has no time above zero";
    if (speeds->num_lines >= LINES_MAX) return "there are too many lines";
    clspi_speed_line *const line = add_line(speeds, rest);
    if (!line) return "there is no memory for it";
    line->slope_ps = slope;
    line->fixed_ps = fixed;
    return NULL;
}

/* ---- the file ---- */

char *clspi_speeds_path(const char *named_file, const char *cache_dir, bool *named)
{
    static const char in_folder[] = "/speeds";
    const char *const file = named_file ? named_file : getenv("CLSPLINE_SPEEDS");
    const char *const first = file ? file : cache_dir;
    const char *const second = file ? "" : in_folder;
    char *path;

    *named = file != NULL;
    if (!first || !*first) return NULL;
    path = malloc(strlen(first) + sizeof in_folder);
    if (path) sprintf(path, "%s%s", first, second);
    return path;
}

static void read_lines(clspi_speeds *speeds, FILE *file, const char *path, clspi_log *log)
{
    char text[LINE_MAX_BYTES];

    for (unsigned number = 1; fgets(text, sizeof text, file); number++) {
        const size_t length = strcspn(text, "\n");
        const char *why = text[length] ? NULL : "it does not end";
        text[length] = '\0';
        if (!why) why = parse_line(speeds, text);
        if (why)
            clspi_message(log, CLSP_LOG_WARNING, "cooperate: %s, line %u is left out: %s", path,
                          number, why);
    }
}

/* Tells whether any line is of one of the owners. */
static bool any_of(const clspi_speeds *speeds, const char *const *owners, size_t num_owners)
{
    for (size_t i = 0; i < speeds->num_lines; i++)
        for (size_t k = 0; k < num_owners; k++)
            if (is_name(speeds->lines[i].name, owners[k], NULL)) return true;
    return false;
}

void clspi_speeds_read(clspi_speeds *speeds, const char *path, bool named,
                       const char *const *owners, size_t num_owners, clspi_log *log)
{
    if (speeds->read) return;
    speeds->read = true;
    if (!path) return;
    const clspi_trusted_file opened = clspi_trusted_open(path, FILE_MAX_BYTES);
    speeds->is_refused = opened.state == CLSPI_FILE_REFUSED;
    if (speeds->is_refused || (opened.state == CLSPI_FILE_MISSING && named))
        clspi_message(log, CLSP_LOG_WARNING, "cooperate: no speeds from %s: %s%s", path, opened.why,
                      speeds->is_refused ? "; none are stored there" : "");
    if (!opened.file) return;
    read_lines(speeds, opened.file, path, log);
    fclose(opened.file);
    if (speeds->num_lines > 0 && !any_of(speeds, owners, num_owners))
        clspi_message(log, CLSP_LOG_WARNING, "cooperate: the speeds in %s are of other processors",
                      path);
}

static bool write_lines(FILE *file, const void *user)
{
    const clspi_speeds *const speeds = user;
    char text[LINE_MAX_BYTES + 64];
    bool written = true;

    for (size_t i = 0; i < speeds->num_lines && written; i++) {
        const clspi_speed_line *const line = &speeds->lines[i];
        snprintf(text, sizeof text, "%s\t%" PRIu64 "\t%" PRIu64, line->name, line->slope_ps,
                 line->fixed_ps);
        written = fprintf(file, "%016" PRIx64 "\t%s\n", clspi_speeds_checksum(text), text) > 0;
    }
    return written;
}

void clspi_speeds_write(const clspi_speeds *speeds, const char *path, clspi_log *log)
{
    if (speeds->is_refused) return;
    const char *const why = clspi_trusted_replace(path, write_lines, speeds);
    if (why) clspi_message(log, CLSP_LOG_WARNING, "cooperate: cannot write %s: %s", path, why);
}
