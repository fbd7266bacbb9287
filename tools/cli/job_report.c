#include "job_report.h"

#include <stdio.h>
#include <string.h>

#include "json.h"
#include "output.h"
#include "progress.h"

/* ---- shared calls ---- */

/* Returns the sums of a processor: that of its name, or the next one where there are several. */
static clsp_processor_report *find_sums(sharing_totals *t, const clsp_report *report, uint32_t i)
{
    uint32_t before = 0, at = 0;
    for (uint32_t k = 0; k < i; k++)
        before += strcmp(report->processors[k].name, report->processors[i].name) == 0;
    for (; at < t->num; at++)
        if (strcmp(t->processors[at].name, report->processors[i].name) == 0 && before-- == 0)
            return &t->processors[at];
    if (t->num == CLSP_MAX_PROCESSORS) return NULL;
    t->processors[at] = (clsp_processor_report){.tiles = 0};
    memcpy(t->processors[at].name, report->processors[i].name, sizeof(t->processors[at].name));
    t->num++;
    return &t->processors[at];
}

static void add_processors(sharing_totals *t, const clsp_report *report)
{
    t->calls++;
    t->calls_by[report->schedule]++;
    t->build_ms += report->build_ms;
    for (int i = 0; i < CLSP_NUM_SCHEDULES; i++)
        if (report->reason[i][0]) memcpy(t->reasons[i], report->reason[i], sizeof(t->reasons[i]));
    for (uint32_t i = 0; i < report->num_processors; i++) {
        const clsp_processor_report *p = &report->processors[i];
        clsp_processor_report *sums = find_sums(t, report, i);
        if (!sums) continue;
        if (p->workers > sums->workers) sums->workers = p->workers;
        sums->tiles += p->tiles;
        sums->chunks += p->chunks;
        sums->busy_ms += p->busy_ms;
        sums->move_ms += p->move_ms;
    }
}

void job_report_shared(const request *r, const char *what, const clsp_report *report)
{
    if (r->sharing.totals) add_processors(r->sharing.totals, report);
    if (r->sharing.report) sharing_print(stderr, what, report);
}

/* ---- JSON ---- */

static void add_names(json_list *list, cJSON *to, const char *name, const char **files, size_t num)
{
    cJSON *names = json_add_array(list, to, name);
    for (size_t i = 0; i < num; i++)
        json_add_text(list, names, NULL, files[i]);
}

static void add_device(json_list *list, cJSON *to, const clsp_context *ctx)
{
    clsp_device_info info;
    if (!ctx || clsp_context_device(ctx, &info) != CLSP_OK) return;
    cJSON *device = json_add_object(list, to, "device");
    json_add_text(list, device, "name", info.name);
    json_add_text(list, device, "platform", info.platform);
    json_add_text(list, device, "driver", info.driver);
    json_add_text(list, device, "class", device_class_name(info.device_class));
}

static void add_times(json_list *list, cJSON *to, const request *r, const job_summary *s)
{
    cJSON *seconds = json_add_object(list, to, "seconds");
    for (size_t i = 0; i < s->num_stages; i++)
        json_add_real(list, seconds, s->stages[i].name, s->stages[i].seconds);
    json_add_real(list, seconds, "all", seconds_now() - r->started);
    if (s->seconds > 0) json_add_real(list, to, "rate", (double)s->num / s->seconds);
}

static void add_schedules(json_list *list, cJSON *to, const sharing_totals *t)
{
    cJSON *schedules = json_add_array(list, to, "schedules");
    for (int i = CLSP_SCHEDULE_SVM; i < CLSP_NUM_SCHEDULES; i++) {
        cJSON *o = json_add_object(list, schedules, NULL);
        json_add_text(list, o, "name", clsp_schedule_name((clsp_schedule)i));
        json_add_count(list, o, "calls", t->calls_by[i]);
        if (t->reasons[i][0]) json_add_text(list, o, "why_not", t->reasons[i]);
    }
}

static void add_sums(json_list *list, cJSON *to, const sharing_totals *t)
{
    if (!t || t->calls == 0) return;
    json_add_count(list, to, "shared_calls", t->calls);
    json_add_real(list, to, "building_seconds", t->build_ms / 1000);
    add_schedules(list, to, t);
    cJSON *processors = json_add_array(list, to, "processors");
    for (uint32_t i = 0; i < t->num; i++) {
        const clsp_processor_report *p = &t->processors[i];
        cJSON *o = json_add_object(list, processors, NULL);
        json_add_text(list, o, "name", p->name);
        json_add_count(list, o, "workers", p->workers);
        json_add_count(list, o, "tiles", p->tiles);
        json_add_count(list, o, "chunks", p->chunks);
        json_add_real(list, o, "busy_seconds", p->busy_ms / 1000);
        json_add_real(list, o, "moving_seconds", p->move_ms / 1000);
    }
}

static char *make_text(const request *r, const job_summary *s)
{
    const uint32_t version = clsp_version();
    json_list list = {.count = 0};
    cJSON *o = json_object(&list);
    char text[40];
    snprintf(text, sizeof(text), "%u.%u.%u", version >> 16, version >> 8 & 0xff, version & 0xff);
    json_add_text(&list, o, "command", r->command->name);
    json_add_text(&list, o, "version", text);
    add_names(&list, o, "inputs", r->inputs, r->num_inputs);
    add_names(&list, o, "outputs", r->outputs, r->num_outputs);
    if (r->num_parts > 0) json_add_count(&list, o, "part", r->part);
    if (r->num_parts > 0) json_add_count(&list, o, "parts", r->num_parts);
    add_device(&list, o, s->ctx);
    json_add_text(&list, o, "of", s->things);
    json_add_count(&list, o, "num", s->num);
    add_times(&list, o, r, s);
    add_sums(&list, o, r->sharing.totals);
    return json_text(&list, o);
}

static bool write_file(const char *name, const char *text)
{
    io_message message;
    output out;
    bool done = output_open(&out, name, &message);
    if (done) {
        fprintf(out.file, "%s\n", text);
        done = output_close(&out, true);
    }
    if (!done) complain("%s", message.text);
    return done;
}

bool job_report_write(const request *r, const job_summary *s)
{
    if (!r->report_to) return true;
    char *text = make_text(r, s);
    bool done = text != NULL;
    if (!done)
        complain("not enough memory");
    else if (strcmp(r->report_to, "json") != 0)
        done = write_file(r->report_to, text);
    else
        fprintf(stderr, "%s\n", text);
    cJSON_free(text);
    return done;
}
