#include "sharing.h"

#include <string.h>

#include "command.h"
#include "request.h"

/* ---- words ---- */

/* Reads the host's part of a static split; 0 is a part too, which the library has another word for.
 */
static bool read_ratio(clsp_share *opts, const char *text)
{
    double ratio;
    if (!option_number(text, 0, 1, &ratio)) return false;
    opts->static_ratio = ratio > 0 ? ratio : -1;
    return true;
}

bool sharing_read_schedule(void *place, const option *o, const char *text)
{
    static const char with_ratio[] = "static=";
    sharing_request *s = place;
    const size_t length = sizeof(with_ratio) - 1;
    (void)o;
    s->cooperate = true;
    s->opts.schedule = CLSP_SCHEDULE_STATIC;
    if (strncmp(text, with_ratio, length) == 0) return read_ratio(&s->opts, text + length);
    s->opts.static_ratio = 0;
    for (int i = 0; i < CLSP_NUM_SCHEDULES; i++) {
        s->opts.schedule = (clsp_schedule)i;
        if (strcmp(text, clsp_schedule_name(s->opts.schedule)) == 0) return true;
    }
    return false;
}

bool sharing_read_joined(void *place, const option *o, const char *text)
{
    sharing_request *s = place;
    (void)o;
    if (s->num_joined < SHARING_MAX_JOINED) s->joined[s->num_joined] = text;
    s->num_joined++;
    return true;
}

/* ---- contexts ---- */

bool sharing_open(sharing_contexts *c, const request *r)
{
    const sharing_request *s = &r->sharing;
    const verbosity how_much = request_verbosity(r);
    clsp_status status = CLSP_OK;
    if (!open_context(&c->ctx, r->device, how_much)) return false;
    for (size_t i = 0; i < s->num_joined && status == CLSP_OK; i++) {
        if (!open_context(&c->joined[i], s->joined[i], how_much)) return false;
        status = clsp_context_join(c->ctx, c->joined[i]);
    }
    if (status == CLSP_OK && request_has(r, "workers"))
        status =
            clsp_context_set_workers(c->ctx, s->num_workers > 0 ? s->num_workers : CLSP_NO_WORKERS);
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
    fprintf(file,
            "%s: by %s, %llu tiles in %.3f ms (building programs %.3f ms, preparing "
            "%.3f ms, measuring %.3f ms)\n",
            what, name ? name : "none", (unsigned long long)report->num_tiles, report->wall_ms,
            report->build_ms, report->prepare_ms, report->probe_ms);
    for (int i = CLSP_SCHEDULE_SVM; i < CLSP_NUM_SCHEDULES && i < (int)report->schedule; i++)
        if (report->reason[i][0])
            fprintf(file, "  not %s: %s\n", clsp_schedule_name((clsp_schedule)i),
                    report->reason[i]);
    for (uint32_t i = 0; i < report->num_processors; i++)
        print_processor(file, &report->processors[i], report->num_tiles);
}
