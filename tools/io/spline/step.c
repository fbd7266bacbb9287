#include "step.h"

#include <stdlib.h>

#include "spline_scan.h"
#include "step_model.h"
#include "step_spline.h"
#include "step_trim.h"

typedef struct reader {
    step_file f;
    splines *content;
    shape_uses uses;
    step_spline read;
    step_trim trim;
} reader;

/* Whether all that refers to a spline which was read takes the whole of it. */
static bool is_whole(reader *r, size_t which)
{
    bool is_whole = !(r->f.instances[which].marks & STEP_IS_TRIMMED);
    for (size_t i = shape_uses_find(&r->uses, which); is_whole && i < r->uses.num; i++) {
        if (r->uses.items[i].spline != which) break;
        is_whole = step_trim_is_whole(&r->trim, r->uses.items[i].user, &r->read);
    }
    return is_whole;
}

static bool read_spline(reader *r, size_t which)
{
    const step_instance *const of = &r->f.instances[which];
    step_spline *const read = &r->read;
    if (!step_spline_read(read, of)) return false;
    const bool whole = is_whole(r, which);
    if (r->f.s->failed ||
        !spline_scan_weigh(r->f.s, &read->made, read->weights, read->num_weights, of->line))
        return false;
    if (!splines_add(r->content, &read->made)) return spline_scan_memory(r->f.s);
    r->content->num_trimmed += !whole;
    return true;
}

/* Reads the splines of the model in the order of the file. */
static bool read_splines(reader *r)
{
    const size_t before = r->content->num_splines;
    for (size_t i = 0; i < r->f.num; i++) {
        const step_instance *const of = &r->f.instances[i];
        const bool is_left = (of->marks & (STEP_IS_PART | STEP_IS_MODEL)) == STEP_IS_PART;
        if ((of->kind != STEP_CURVE && of->kind != STEP_SURFACE) || is_left) continue;
        if (!read_spline(r, i)) return false;
    }
    if (r->content->num_splines > before) return true;
    return scanner_fail(r->f.s, r->f.line, "the file holds no B-spline%s%s",
                        r->content->num_left_out > 0 ? ", but other shapes, such as " : "",
                        r->content->left_out);
}

bool step_read(splines *content, scanner *s)
{
    reader r = {.content = content};
    bool done = step_open(&r.f, s) && step_model_find(&r.f, content, &r.uses);
    r.read.f = &r.f;
    step_trim_begin(&r.trim, &r.f);
    done = done && read_splines(&r);
    step_trim_end(&r.trim);
    step_spline_clear(&r.read);
    step_close(&r.f);
    free(r.uses.items);
    return done;
}
