#include "sharing.h"

#include <stdlib.h>
#include <string.h>

#include "command.h"

/* ---- words ---- */

/* The host's part of a static split; 0 is a part too, which the library has another word for. */
static bool read_ratio(clsp_share *opts, const char *text)
{
    char *end;
    const size_t decimal = strspn(text, ".0123456789"); /* strtod knows more than decimals */
    const double ratio = strtod(text, &end);
    if (end == text || *end != 0 || text[decimal] != 0 || ratio > 1) return false;
    opts->static_ratio = ratio > 0 ? ratio : -1;
    return true;
}

int sharing_read_schedule(sharing_request *r, const char *command, const char *text)
{
    static const char with_ratio[] = "static=";
    for (int i = 0; i < CLSP_NUM_SCHEDULES; i++) {
        if (strcmp(text, clsp_schedule_name((clsp_schedule)i)) != 0) continue;
        r->cooperate = true;
        r->opts.schedule = (clsp_schedule)i;
        r->opts.static_ratio = 0;
        return EXIT_OK;
    }
    if (strncmp(text, with_ratio, sizeof(with_ratio) - 1) != 0)
        return usage_error(command,
                           "--cooperate must be auto, svm, dynamic, static, static=RATIO, device "
                           "or host, not '%s'",
                           text);
    if (!read_ratio(&r->opts, text + sizeof(with_ratio) - 1))
        return usage_error(command, "the host's part in --cooperate must be 0 to 1, not '%s'",
                           text + sizeof(with_ratio) - 1);
    r->cooperate = true;
    r->opts.schedule = CLSP_SCHEDULE_STATIC;
    return EXIT_OK;
}

int sharing_read_workers(sharing_request *r, const char *command, const char *text)
{
    const unsigned long num = strtoul(text, NULL, 10);
    if (text[0] == 0 || strlen(text) > 8 || text[strspn(text, "0123456789")] != 0 ||
        num > CLSP_MAX_WORKERS)
        return usage_error(command, "--workers must be 0 to %d, not '%s'", CLSP_MAX_WORKERS, text);
    r->num_workers = num > 0 ? (uint32_t)num : CLSP_NO_WORKERS;
    return EXIT_OK;
}

int sharing_read_joined(sharing_request *r, const char *command, const char *text)
{
    if (r->num_joined == SHARING_MAX_JOINED)
        return usage_error(command, "--join can be given %d times at most", SHARING_MAX_JOINED);
    r->joined[r->num_joined++] = text;
    return EXIT_OK;
}

int sharing_take(sharing_request *r, const char *command, int option, const char *text)
{
    switch (option) {
    case SHARING_COOPERATE:
        return sharing_read_schedule(r, command, text);
    case SHARING_WORKERS:
        return sharing_read_workers(r, command, text);
    case SHARING_JOIN:
        return sharing_read_joined(r, command, text);
    default:
        r->report = true;
        return EXIT_OK;
    }
}

int sharing_check(const sharing_request *r, const char *command)
{
    if (r->cooperate || (!r->report && r->num_workers == 0 && r->num_joined == 0)) return EXIT_OK;
    return usage_error(command, "--report, --workers and --join need --cooperate");
}

/* ---- contexts ---- */

bool sharing_open(sharing_contexts *c, const sharing_request *r, const char *device,
                  verbosity how_much)
{
    clsp_status status = CLSP_OK;
    if (!open_context(&c->ctx, device, how_much)) return false;
    for (size_t i = 0; i < r->num_joined && status == CLSP_OK; i++) {
        if (!open_context(&c->joined[i], r->joined[i], how_much)) return false;
        status = clsp_context_join(c->ctx, c->joined[i]);
    }
    if (status == CLSP_OK && r->num_workers > 0)
        status = clsp_context_set_workers(c->ctx, r->num_workers);
    if (status != CLSP_OK) complain_status(c->ctx, status);
    return status == CLSP_OK;
}

void sharing_close(sharing_contexts *c)
{
    clsp_context_destroy(&c->ctx); /* the joined ones outlive it */
    for (size_t i = 0; i < SHARING_MAX_JOINED; i++)
        clsp_context_destroy(&c->joined[i]);
}

/* ---- the report ---- */

static void print_processor(FILE *file, const clsp_processor_report *p, uint64_t num_tiles)
{
    const double share = num_tiles > 0 ? 100.0 * (double)p->tiles / (double)num_tiles : 0;
    fprintf(file, "  %s", p->name);
    if (p->workers > 1) fprintf(file, ", %lu workers", (unsigned long)p->workers);
    fprintf(file, ": %llu tiles (%.0f%%) in %llu chunks, busy %.3f ms, moving %.3f ms",
            (unsigned long long)p->tiles, share, (unsigned long long)p->chunks, p->busy_ms,
            p->move_ms);
    if (p->status != CLSP_OK) fprintf(file, "; dropped out: %s", status_text(p->status));
    fputc('\n', file);
}

void sharing_print(FILE *file, const char *what, const clsp_report *report)
{
    const char *name = clsp_schedule_name(report->schedule);
    fprintf(file, "%s: by %s, %llu tiles in %.3f ms (preparing %.3f ms, measuring %.3f ms)\n", what,
            name ? name : "none", (unsigned long long)report->num_tiles, report->wall_ms,
            report->prepare_ms, report->probe_ms);
    for (int i = CLSP_SCHEDULE_SVM; i < CLSP_NUM_SCHEDULES && i < (int)report->schedule; i++)
        if (report->reason[i][0])
            fprintf(file, "  not %s: %s\n", clsp_schedule_name((clsp_schedule)i),
                    report->reason[i]);
    for (uint32_t i = 0; i < report->num_processors; i++)
        print_processor(file, &report->processors[i], report->num_tiles);
}
