#include "slice_note.h"

#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "json.h"
#include "output.h"

static const char *const names[] = {"x", "y", "z"};

static void add_channel(json_list *list, cJSON *fields, const char *name, uint32_t components)
{
    cJSON *field = json_add_object(list, fields, NULL);
    json_add_text(list, field, "name", name);
    json_add_count(list, field, "components", components);
}

char *slice_note_make(const solid_model *m, const slice_frame *f)
{
    json_list list = {.count = 0};
    double origin[3];
    cJSON *object = json_object(&list);
    slice_frame_middle(f, 0, origin);
    json_add_text(&list, object, "columns_along", names[f->across[0]]);
    json_add_text(&list, object, "rows_against", names[f->across[1]]);
    json_add_text(&list, object, "slices_along", names[f->axis]);
    json_add_count(&list, object, "columns", f->columns);
    json_add_count(&list, object, "rows", f->rows);
    json_add_count(&list, object, "slices", f->planes);
    json_add_reals(&list, object, "origin", origin, 3);
    json_add_real(&list, object, "pixel", f->pixel);
    if (f->planes > 1) json_add_real(&list, object, "step", f->step);
    json_add_text(&list, object, "unit", length_unit_name(m->r->unit));
    cJSON *fields = json_add_array(&list, object, "channels");
    const solid_array *data = solid_model_shown(m);
    if (data) add_channel(&list, fields, data->name, data->components);
    for (size_t i = 0; i < m->num_fields; i++)
        if (!m->r->array || strcmp(m->r->array, m->fields[i].name) == 0)
            add_channel(&list, fields, m->fields[i].name, m->fields[i].components);
    char *text = list.failed ? NULL : cJSON_PrintUnformatted(object);
    cJSON_Delete(object);
    if (!text) solid_model_memory(m);
    return text;
}

void slice_note_place(const solid_request *r, const slice_frame *f, const char *note,
                      image_array *image)
{
    enum { METRES = 1, MILLIMETRES = 2, MICRONS = 3, SCANNER = 1 };
    double origin[3];
    image_place *p = &image->place;
    /* NIfTI's units; others are given in metres */
    p->units = r->unit == LENGTH_MM ? MILLIMETRES : r->unit == LENGTH_UM ? MICRONS : METRES;
    const double length = p->units == METRES ? length_unit_metres(r->unit) : 1;
    const double step[3] = {f->pixel, -f->pixel, f->step};
    const uint32_t along[3] = {f->across[0], f->across[1], f->axis};
    slice_frame_middle(f, 0, origin);
    for (int k = 0; k < 3; k++) {
        p->spacing[k] = length * (k < 2 ? f->pixel : f->step);
        p->sform.to_world[along[k]][k] = length * step[k];
        p->sform.to_world[k][3] = length * origin[k];
    }
    if (f->planes == 1) {
        p->spacing[2] = 0;
        p->sform.to_world[f->axis][2] = length * f->pixel;
    }
    p->sform.code = SCANNER;
    p->note = note;
}

bool slice_note_write(const char *path, const char *note)
{
    output out = {.lock = -1};
    io_message message = {""};
    char *name = malloc(strlen(path) + sizeof(".json"));
    bool done = name != NULL;
    if (done) {
        strcpy(name, path);
        strcat(name, ".json");
        done = output_open(&out, name, &message);
        done = output_close(&out, done && fprintf(out.file, "%s\n", note) > 0) && done;
    }
    if (!done) complain("%s", message.text[0] ? message.text : "not enough memory");
    free(name);
    return done;
}

bool slice_note_outside(const solid_model *m, const slice_frame *f,
                        const solid_slice_counts *counts)
{
    const char *const axis = names[f->axis];
    char which[64];
    const bool is_all = counts->outside == f->planes;
    if (counts->outside == 0 || (!is_all && m->r->base.quiet)) return true;
    if (f->planes > 1)
        snprintf(which, sizeof(which), "%zu of %zu slices have", counts->outside, f->planes);
    else
        snprintf(which, sizeof(which), "the slice %s=%.9g has", axis, f->first);
    complain("%s%s: %s no pixel in the solid, which is from %s=%.6g to %s=%.6g",
             is_all ? "" : "note: ", m->r->base.inputs[0], which, axis, f->begin, axis, f->end);
    return !is_all;
}

void slice_note_print(FILE *to, const slice_frame *f)
{
    double origin[3];
    slice_frame_middle(f, 0, origin);
    fprintf(to, "%zu slice%s of %zu x %zu pixels of %g", f->planes, f->planes > 1 ? "s" : "",
            f->columns, f->rows, f->pixel);
    fprintf(to, ", the first one's middle at (%g, %g, %g), columns along %s, rows against %s",
            origin[0], origin[1], origin[2], names[f->across[0]], names[f->across[1]]);
    if (f->planes > 1) fprintf(to, ", slices %g apart along %s", f->step, names[f->axis]);
    fprintf(to, "\n");
}
