#include "parts.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

/* Options that do not change what is written. */
#define WITHOUT_EFFECT "output part resume quiet verbose device report"

/* Adds to a text, as far as it goes, and to the hash of all that was added (FNV-1a). */
static void add(char *text, size_t size, uint64_t *hash, const char *more)
{
    const size_t length = strlen(text);
    snprintf(text + length, size - length, "%s", more);
    for (; *more; more++)
        *hash = (*hash ^ (unsigned char)*more) * 0x100000001b3u;
}

/* ---- inputs ---- */

/* Adds what tells an input from others: its bytes, when they were last written, and its number on
   the disk. */
static void add_input(char *text, size_t size, uint64_t *hash, const char *input)
{
    struct stat status;
    char more[160];
    if (stat(input, &status) != 0) return; /* reading it says why */
    snprintf(more, sizeof(more), ", %llu bytes of %lld.%09ld, file %llu",
             (unsigned long long)status.st_size, (long long)status.st_mtim.tv_sec,
             (long)status.st_mtim.tv_nsec, (unsigned long long)status.st_ino);
    add(text, size, hash, more);
}

/* Adds an input, and what is read with it: the other file of a pair of NIfTI. */
static void add_inputs(char *text, size_t size, uint64_t *hash, const char *input)
{
    static const char *const endings[] = {".hdr", ".img", ".hdr.gz", ".img.gz"};
    const size_t length = strlen(input);
    char other[4096];
    size_t stem = 0;
    add_input(text, size, hash, input);
    for (size_t i = 0; i < 4; i++) {
        const size_t end = strlen(endings[i]);
        if (length > end && strcasecmp(input + length - end, endings[i]) == 0) stem = length - end;
    }
    for (size_t i = 0; stem > 0 && i < 4; i++) {
        snprintf(other, sizeof(other), "%.*s%s", (int)stem, input, endings[i]);
        if (strcmp(other, input) != 0) add_input(text, size, hash, other);
    }
}

/* ---- jobs ---- */

part_record parts_record(const request *r)
{
    enum { ROOM = PART_TEXT_BYTES - 32 }; /* and the hash, which texts that are cut need */
    const uint32_t version = clsp_version();
    part_record record = {.number = r->part, .count = r->num_parts};
    option_walk walk = {.at = {r->command->options}};
    uint64_t hash = 0xcbf29ce484222325u;
    char text[ROOM] = "", head[80], job[PART_TEXT_BYTES];
    int number;
    snprintf(head, sizeof(head), "clspline %u.%u.%u %s", version >> 16, version >> 8 & 0xff,
             version & 0xff, r->command->name);
    add(text, ROOM, &hash, head);
    for (const option *o; (o = option_next(&walk)) != NULL;) {
        if (!o->name || !request_has(r, o->name)) continue;
        if (option_number_of(WITHOUT_EFFECT, o->name, false) >= 0) continue;
        option_find(r->command->options, o->name, strlen(o->name), 0, &number);
        add(text, ROOM, &hash, " --");
        add(text, ROOM, &hash, o->name);
        if (r->values[number]) add(text, ROOM, &hash, "=");
        if (r->values[number]) add(text, ROOM, &hash, r->values[number]);
    }
    for (size_t i = 0; i < r->num_inputs; i++)
        add_inputs(text, ROOM, &hash, r->inputs[i]);
    snprintf(job, sizeof(job), "%s #%016llx", text, (unsigned long long)hash);
    part_record_text(record.job, job);
    return record;
}

int parts_check(const request *r, bool *is_done)
{
    const part_record record = parts_record(r);
    const char *name = r->outputs[0];
    io_message message;
    *is_done = false;
    bool is_stream = strcmp(name, "-") == 0;
    for (size_t i = 0; i < r->num_inputs; i++)
        is_stream = is_stream || strcmp(r->inputs[i], "-") == 0;
    if (is_stream) return usage_error(r->command->name, "--part: parts are of files, not of '-'");
    switch (part_file_state(name, &record, &message)) {
    case PART_OTHER:
        complain("%s; 'rm %s.part*' begins anew", message.text, name);
        return EXIT_FAILED;
    case PART_DONE:
        *is_done = r->resume;
        if (r->resume && !r->quiet) {
            print_name(stderr, name);
            fprintf(stderr, ": part %u of %u is there\n", r->part, r->num_parts);
        }
        if (r->resume) return EXIT_OK;
        complain("%s: part %u of %u is there already; --resume leaves it as it is", name, r->part,
                 r->num_parts);
        return EXIT_FAILED;
    default:
        return EXIT_OK;
    }
}

bool parts_take(const request *r, uint64_t all, const char *things, parts_range *range)
{
    *range = (parts_range){0, all};
    if (r->num_parts == 0) return true;
    const uint64_t number = r->part - 1, each = all / r->num_parts, more = all % r->num_parts;
    range->first = number * each + (number < more ? number : more);
    range->count = each + (number < more);
    if (each > 0) return true;
    complain("%s: %u parts, but only %llu %s", r->outputs[0], r->num_parts, (unsigned long long)all,
             things);
    return false;
}

void parts_name_device(part_record *record, const clsp_context *ctx)
{
    clsp_device_info info;
    char text[PART_TEXT_BYTES];
    part_record_text(record->made, "no device");
    if (!ctx || clsp_context_device(ctx, &info) != CLSP_OK) return;
    snprintf(text, sizeof(text), "%s, %s, driver %s", info.name, info.platform, info.driver);
    part_record_text(record->made, text);
}
