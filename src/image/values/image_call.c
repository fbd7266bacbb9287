#include "image_call.h"

#include "check.h"

enum {
    POINT_ITEMS =
        4 /* a point takes as long as some vertices, of three directions four times more */
};

clsp_status clspi_image_too_many(const clsp_image_plan *plan, const char *what)
{
    return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_NO_MEMORY,
                      "image: the %s are more than the address space", what);
}

clsp_status clspi_image_take_map(clspi_image_call *call, const clsp_image_map *map)
{
    clspi_image_job *const job = &call->job;

    CLSPI_CHECK(clspi_image_map_resolve(job->plan, map, &job->map));
    job->places = CLSPI_IMAGE_ON_MAP;
    job->stride = 1;
    if (map && clspi_input_is_there(&map->at.params)) {
        job->places = CLSPI_IMAGE_AT_POINTS;
        if (!map->at.planar) job->stride = job->plan->desc.directions;
        call->given = &map->at.params;
        call->what = "coordinates";
        call->width = call->points = map->at.num;
    } else if (map && clspi_input_is_there(&map->displacements)) {
        job->places = CLSPI_IMAGE_DISPLACED;
        call->given = &map->displacements;
        call->what = "displacements";
    }
    return CLSP_OK;
}

clsp_status clspi_image_count_points(clspi_image_call *call)
{
    const uint32_t *const size = call->job.map.size;

    if (call->job.places == CLSPI_IMAGE_AT_POINTS) return CLSP_OK;
    call->width = call->points = size[2];
    return clspi_size_mul(&call->points, size[1]) && clspi_size_mul(&call->points, size[0])
               ? CLSP_OK
               : clspi_image_too_many(call->job.plan, "values");
}

void clspi_image_find_given(const clspi_image_call *call, const char *at, const char *given[3])
{
    const clsp_image_desc *const d = &call->job.plan->desc;
    const size_t next = (call->job.stride > 1 ? 1 : call->points) * clsp_type_bytes(d->precision);
    const uint32_t missing = 3 - d->directions;

    for (uint32_t k = 0; k < 3; k++)
        given[k] = at && k >= missing ? at + (k - missing) * next : NULL;
}

clsp_status clspi_image_values_need(const clspi_image_call *call, size_t points,
                                    clspi_memory_need *need)
{
    const clsp_image_plan *const plan = call->job.plan;

    *need = (clspi_memory_need){"values", plan->desc.values, points};
    return clspi_size_mul(&need->count, call->job.point) ? CLSP_OK
                                                         : clspi_image_too_many(plan, "values");
}

clsp_status clspi_image_given_need(const clspi_image_call *call, clspi_memory_need *need)
{
    const clsp_image_plan *const plan = call->job.plan;

    *need = (clspi_memory_need){call->what, plan->desc.precision, call->points};
    return clspi_size_mul(&need->count, plan->desc.directions)
               ? CLSP_OK
               : clspi_image_too_many(plan, call->what);
}

size_t clspi_image_point_items(const clspi_image_call *call)
{
    return call->job.plan->desc.directions > 2 ? 4 * POINT_ITEMS : POINT_ITEMS;
}

/* A part of host memory, SVM or a buffer. */
typedef struct place {
    cl_mem buffer;   /* NULL: host memory or SVM */
    uintptr_t begin; /* of a buffer: counted from its begin */
    size_t bytes;
} place;

/* Finds where elements are; those that do not fit the address space are nowhere. */
static place place_of(const clsp_input *m, const clspi_memory_need *need)
{
    const void *const at = m->host ? m->host : m->svm;
    place p = {.buffer = m->buffer, .begin = (uintptr_t)at, .bytes = clsp_type_bytes(need->type)};
    size_t before = p.bytes;

    if (!clspi_size_mul(&p.bytes, need->count) || !clspi_size_mul(&before, m->offset)) p.bytes = 0;
    p.begin += before;
    return p;
}

clsp_status clspi_image_check_overlap(const clspi_image_call *call)
{
    const clsp_image_plan *const plan = call->job.plan;
    clsp_output written = call->values;
    clspi_memory_need given, values;

    if (!call->given) return CLSP_OK;
    CLSPI_CHECK(clspi_output_unstage(&plan->base, &written, "values", plan->desc.values));
    const clsp_input out = {.buffer = written.buffer,
                            .host = written.host,
                            .svm = written.svm,
                            .offset = written.offset};
    CLSPI_CHECK(clspi_image_given_need(call, &given));
    CLSPI_CHECK(clspi_image_values_need(call, call->tiles.lines.count, &values));
    const place from = place_of(call->given, &given), to = place_of(&out, &values);
    const size_t apart = from.begin > to.begin ? from.begin - to.begin : to.begin - from.begin;
    if (from.buffer != to.buffer || from.bytes == 0 || to.bytes == 0) return CLSP_OK;
    if (apart >= (from.begin < to.begin ? from.bytes : to.bytes)) return CLSP_OK;
    return clspi_fail(&call->job.plan->base.ctx->log, CLSP_ERROR_ARGUMENT,
                      "image: the values would overwrite the %s", call->what);
}
