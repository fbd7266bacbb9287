/* Lines that the host makes in memory of any kind. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "native.h"
#include "work_lines.h"

enum { OUT = 0, INPUTS = 1, MEMORIES = INPUTS + CLSPI_WORK_INPUTS };

/* Memory of a call. */
typedef struct place {
    clspi_memory memory;
    size_t bytes;
    cl_map_flags flags; /* how a buffer is mapped */
    char *mapped;       /* NULL: it is not */
    uint32_t buffer;    /* number of its buffer among those of a command */
} place;

typedef struct places {
    uint32_t num;
    place at[MEMORIES];
} places;

/* ---- memory ---- */

static clsp_status open_input(const clspi_work_lines *l, uint32_t i, place *p)
{
    const clspi_work_input *const in = &l->work->in[i];
    const clspi_memory_need need = clspi_lines_need(l, i);

    p->bytes = clspi_input_bytes(in, need.count);
    p->flags = in->written ? CL_MAP_WRITE_INVALIDATE_REGION : CL_MAP_READ;
    return in->written ? clspi_output_open(&p->memory, l->work->plan, in->written, &need)
                       : clspi_input_open(&p->memory, l->work->plan, in->input, &need);
}

/* Opens all memory; places_close must follow in every case. */
static clsp_status places_open(places *all, const clspi_work_lines *l)
{
    const clspi_work_output *const out = &l->work->out;
    const clspi_memory_need need = {out->what, out->type, l->tiles.lines.count * out->per_line};
    place *const p = &all->at[OUT];

    all->num = INPUTS;
    *p = (place){.bytes = need.count * clsp_type_bytes(need.type),
                 .flags =
                     out->has_gaps ? CL_MAP_READ | CL_MAP_WRITE : CL_MAP_WRITE_INVALIDATE_REGION};
    CLSPI_CHECK(clspi_output_open(&p->memory, l->work->plan, &l->output, &need));
    for (uint32_t i = 0; i < l->work->num_in; i++) {
        all->at[all->num] = (place){.bytes = 0};
        CLSPI_CHECK(open_input(l, i, &all->at[all->num++]));
    }
    return CLSP_OK;
}

static void places_close(places *all)
{
    for (uint32_t k = 0; k < all->num; k++)
        clspi_memory_close(&all->at[k].memory);
}

/* Tells whether memory is to be reached: a buffer, of which something is read or written. */
static bool is_reached(const place *p)
{
    return p->memory.buffer && p->bytes > 0;
}

static size_t offset_of(const place *p)
{
    return p->memory.offset * p->memory.element;
}

/* ---- at once ---- */

/* Makes lines in memory that is there. What buffers hold is not checked. */
static clsp_status make_there(clspi_work_lines *l, const places *all)
{
    const clspi_work *const work = l->work;
    const char *of_host[CLSPI_WORK_INPUTS];

    l->out = all->at[OUT].mapped ? all->at[OUT].mapped : all->at[OUT].memory.host;
    for (uint32_t i = 0; i < work->num_in; i++) {
        const place *const p = &all->at[INPUTS + i];
        CLSPI_CHECK(clspi_lines_take(l, i, p->mapped ? p->mapped : p->memory.host));
        of_host[i] = p->mapped ? NULL : l->in[i];
    }
    if (work->makers->check) CLSPI_CHECK(work->makers->check(work, l->tiles.lines, of_host));
    CLSPI_CHECK(clspi_lines_prepare(l));
    return clspi_lines_end(l, clspi_lines_on_host(l));
}

/* Maps buffers, which waits for what is before, as is waited where there are none. */
static clsp_status map_all(places *all, clspi_series *series)
{
    bool waits = false;

    for (uint32_t k = 0; k < all->num; k++) {
        place *const p = &all->at[k];
        if (!is_reached(p)) continue;
        CLSPI_CHECK(clspi_series_map(series, p->memory.buffer, p->flags, offset_of(p), p->bytes,
                                     &p->mapped));
        waits = true;
    }
    return waits ? CLSP_OK : clspi_series_await(series);
}

/* Makes lines while buffers are mapped. */
static clsp_status make_mapped(clspi_work_lines *l, places *all, clspi_series *series)
{
    clsp_status status = map_all(all, series);

    if (status == CLSP_OK) status = make_there(l, all);
    for (uint32_t k = 0; k < all->num; k++) {
        const place *const p = &all->at[k];
        const clsp_status unmapped =
            p->mapped ? clspi_series_unmap(series, p->memory.buffer, p->mapped) : CLSP_OK;
        if (status == CLSP_OK) status = unmapped;
    }
    return status;
}

static clsp_status make_at_once(clspi_work_lines *l, places *all, const clsp_run *run)
{
    const clspi_memory *const out = &all->at[OUT].memory;
    clspi_call call;

    CLSPI_CHECK(clspi_call_begin(&call, l->work->plan, run));
    clsp_status status = clspi_memory_acquire(out, &call.series);
    if (status == CLSP_OK)
        status = clspi_memory_release(out, &call.series, make_mapped(l, all, &call.series));
    return clspi_call_finish(&call, status);
}

/* ---- as a command ---- */

/* Lines on their way, with all that they are made of. */
typedef struct later_lines {
    clspi_work_lines lines;
    clspi_work work;
    clspi_work_input in[CLSPI_WORK_INPUTS];
    places all;
    max_align_t user[];
} later_lines;

/* Numbers the buffers of a command, each once; the last is none of the others. Returns how many
   there are, more than a command takes where not all are taken. */
static uint32_t number_buffers(places *all, cl_mem buffers[CLSPI_NATIVE_BUFFERS])
{
    uint32_t num = 0;

    for (uint32_t k = 0; k < all->num; k++) {
        place *const p = &all->at[k];
        if (!is_reached(p)) continue;
        for (p->buffer = 0; p->buffer < num && buffers[p->buffer] != p->memory.buffer;)
            p->buffer++;
        if (p->buffer == CLSPI_NATIVE_BUFFERS) return CLSPI_NATIVE_BUFFERS + 1;
        buffers[p->buffer] = p->memory.buffer;
        if (p->buffer == num) num++;
    }
    return num;
}

/* Tells whether lines can be a command, by their memory: buffers that such work on, and where
   nothing is written to the caller's memory, what the plan holds. */
static bool can_be_later(const clspi_work_lines *l, const places *all)
{
    bool can = clspi_runs_native(l->work->plan->ctx);

    for (uint32_t k = 0; k < all->num && can; k++) {
        const place *const p = &all->at[k];
        can = p->bytes == 0 ||
              (p->memory.buffer && clspi_native_takes(l->work->plan->ctx, p->memory.buffer));
    }
    return can;
}

static void make_later(void *user, void *const *memory)
{
    later_lines *const later = user;
    clspi_work_lines *const l = &later->lines;
    const place *const at = later->all.at;
    clsp_status status = CLSP_OK;

    l->out = is_reached(&at[OUT]) ? (char *)memory[at[OUT].buffer] + offset_of(&at[OUT])
                                  : at[OUT].memory.host;
    for (uint32_t i = 0; i < later->work.num_in && status == CLSP_OK; i++) {
        const place *const p = &at[INPUTS + i];
        status =
            clspi_lines_take(l, i, is_reached(p) ? (char *)memory[p->buffer] + offset_of(p) : NULL);
    }
    if (status == CLSP_OK) status = clspi_lines_on_host(l);
    status = clspi_lines_end(l, status);
    atomic_fetch_add(&later->work.plan->failed_later, status != CLSP_OK);
}

/* Keeps all that lines are made of; NULL without memory. */
static later_lines *keep(const clspi_work_lines *l, const places *all)
{
    const clspi_work *const work = l->work;
    later_lines *const later = malloc(sizeof *later + work->user_bytes);

    if (!later) return NULL;
    later->lines = *l;
    later->work = *work;
    later->all = *all;
    if (work->user_bytes > 0) later->work.user = memcpy(later->user, work->user, work->user_bytes);
    for (uint32_t i = 0; i < work->num_in; i++)
        later->in[i] = work->in[i];
    later->work.in = later->in;
    later->lines.work = &later->work;
    return later;
}

/* Enqueues a command, and keeps its event: what the plan holds stays until then. */
static clsp_status enqueue(clspi_series *series, const clspi_work_lines *l, const places *all,
                           clspi_native *native)
{
    clspi_plan *const plan = l->work->plan;

    native->user = keep(l, all);
    if (!native->user)
        return clspi_fail(&plan->ctx->log, CLSP_ERROR_NO_MEMORY, "%s: no memory for a command",
                          plan->family);
    series->want_event = true;
    CLSPI_CHECK(clspi_native_enqueue(series, native));
    CLSPI_CHECK(clspi_cl(&plan->ctx->log, clRetainEvent(series->last), "clRetainEvent"));
    if (plan->later) clReleaseEvent(plan->later);
    plan->later = series->last;
    return CLSP_OK;
}

static clsp_status make_as_command(clspi_work_lines *l, const places *all, clspi_native *native,
                                   const clsp_run *run)
{
    const clspi_work *const work = l->work;
    clspi_plan *const plan = work->plan;
    const clspi_memory *const out = &all->at[OUT].memory;
    clspi_call call;

    if (work->makers->check) CLSPI_CHECK(work->makers->check(work, l->tiles.lines, l->in));
    CLSPI_CHECK(clspi_lines_prepare(l));
    CLSPI_CHECK(clspi_call_begin(&call, plan, run));
    clsp_status status = clspi_memory_acquire(out, &call.series);
    if (status == CLSP_OK)
        status = clspi_memory_release(out, &call.series, enqueue(&call.series, l, all, native));
    return clspi_call_end(&call, status);
}

clsp_status clspi_lines_anywhere(clspi_work_lines *l, const clsp_run *run)
{
    clspi_native native = {.fn = make_later, .release = free};
    places all = {.num = 0};
    clsp_status status = places_open(&all, l);

    if (status == CLSP_OK) {
        native.num = number_buffers(&all, native.buffers);
        status = native.num > 0 && native.num <= CLSPI_NATIVE_BUFFERS && can_be_later(l, &all)
                     ? make_as_command(l, &all, &native, run)
                     : make_at_once(l, &all, run);
    }
    places_close(&all);
    return status;
}
