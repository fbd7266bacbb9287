#include "parts.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Options that do not change what is written. */
#define WITHOUT_EFFECT "output part resume quiet verbose device report"

/* Adds to a text, as far as it goes; hash: of all that was added (FNV-1a). */
static void add(char *text, size_t size, uint64_t *hash, const char *more)
{
    const size_t length = strlen(text);
    snprintf(text + length, size - length, "%s", more);
    for (; *more; more++)
        *hash = (*hash ^ (unsigned char)*more) * 0x100000001b3u;
}

/* Adds what tells inputs from others: their bytes, and when they were last written. */
static void add_input(char *text, size_t size, uint64_t *hash, const char *input)
{
    struct stat status = {0};
    char more[120];
    if (stat(input, &status) != 0) return; /* reading it says why */
    snprintf(more, sizeof(more), ", %lu bytes of %lu.%09lu", (unsigned long)status.st_size,
             (unsigned long)status.st_mtim.tv_sec, (unsigned long)status.st_mtim.tv_nsec);
    add(text, size, hash, more);
}

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
        add_input(text, ROOM, &hash, r->inputs[i]);
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
        complain("%s; 'rm -r %s.part*' begins anew", message.text, name);
        return EXIT_FAILED;
    case PART_DONE:
        *is_done = r->resume;
        if (r->resume && !r->quiet)
            fprintf(stderr, "%s: part %u of %u is there\n", name, r->part, r->num_parts);
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
