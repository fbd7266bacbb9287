#include "cad_info.h"

#include <stdio.h>
#include <string.h>

/* Bodies of all kinds together. */
typedef struct survey {
    size_t solids, closed, trimmed;
    double area, volume; /* of the mesh; the volume of closed bodies */
} survey;

static survey take(const cad_model *m)
{
    survey s = {.solids = 0};
    for (size_t i = 0; i < m->num_bodies; i++) {
        double area, volume;
        cad_model_measure(m, (uint32_t)i, &area, &volume);
        s.solids += strcmp(m->bodies[i].kind, "solid") == 0;
        s.closed += m->bodies[i].is_closed;
        s.area += area;
        if (m->bodies[i].is_closed) s.volume += volume;
    }
    for (size_t i = 0; i < m->num_faces; i++)
        s.trimmed += m->faces[i].is_trimmed;
    return s;
}

/* Counts the faces of the kind of a face; 0 where it is not there, or an earlier one is of it. */
static size_t count_kind(const cad_model *m, size_t face)
{
    size_t count = 0;
    for (size_t i = 0; m->faces[face].is_there && i < m->num_faces; i++) {
        if (strcmp(m->faces[i].kind, m->faces[face].kind) != 0) continue;
        if (i < face) return 0;
        count++;
    }
    return count;
}

void cad_info_print(const cad_model *m)
{
    const survey s = take(m);
    const char *mark = ": ";
    printf("  %-12s %lu solids, %lu other bodies, %lu closed\n", "bodies", (unsigned long)s.solids,
           (unsigned long)(m->num_bodies - s.solids), (unsigned long)s.closed);
    printf("  %-12s %u of %u faces of the file", "faces", m->faces_read, m->faces_in_file);
    if (m->num_left_out > 0) printf(", %lu left out", (unsigned long)m->num_left_out);
    for (size_t i = 0; i < m->num_faces; i++) {
        const size_t count = count_kind(m, i);
        if (count > 0) printf("%s%lu %s", mark, (unsigned long)count, m->faces[i].kind);
        if (count > 0) mark = ", ";
    }
    printf("\n  %-12s %s\n", "file's unit", m->file_unit[0] ? m->file_unit : "not told");
    if (m->triangles.num > 0)
        printf("  %-12s area %.7g mm2, volume %.7g mm3, of a mesh\n", "measures", s.area, s.volume);
    if (m->note[0]) printf("  %-12s %s\n", "left out", m->note);
}

void cad_info_json(const cad_model *m, json_list *list, cJSON *to)
{
    const survey s = take(m);
    cJSON *o = json_add_object(list, to, "cad");
    json_add_count(list, o, "solids", s.solids);
    json_add_count(list, o, "bodies", m->num_bodies);
    json_add_count(list, o, "closed", s.closed);
    json_add_count(list, o, "faces_in_file", m->faces_in_file);
    json_add_count(list, o, "faces_read", m->faces_read);
    cJSON *kinds = json_add_object(list, o, "kinds");
    for (size_t i = 0; i < m->num_faces; i++) {
        const size_t count = count_kind(m, i);
        if (count > 0) json_add_count(list, kinds, m->faces[i].kind, count);
    }
    json_add_text(list, o, "file_unit", m->file_unit[0] ? m->file_unit : NULL);
    json_add_real(list, o, "area", s.area);
    json_add_real(list, o, "volume", s.volume);
}
