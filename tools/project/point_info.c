#include "point_info.h"

#include <stdio.h>

#include "command.h"
#include "info_box.h"
#include "point_file.h"

/* Points of a file and what is around them. */
typedef struct point_survey {
    uint64_t num;
    info_box box;
} point_survey;

/* Takes a file for one of points of so many coordinates. False with a message where it is none. */
static bool survey(point_survey *s, const char *path, uint32_t dim, io_message *message)
{
    enum { MOST = 512 };
    double points[MOST * INFO_MAX_DIM];
    point_file file;
    *s = (point_survey){.box = info_box_none(dim)};
    if (!point_file_open(&file, path, dim, NULL, message)) return false;
    for (size_t got; (got = point_file_read(&file, points, MOST)) > 0; s->num += got)
        for (size_t i = 0; i < got; i++)
            info_box_grow(&s->box, points + i * dim);
    point_file_close(&file);
    return !file.failed;
}

/* Tries all numbers of coordinates, those of space first, whose message is kept. */
static bool survey_any(point_survey *s, const char *path, io_message *message)
{
    static const uint32_t dims[] = {3, 2, 1, 4};
    io_message other;
    for (size_t i = 0; i < sizeof(dims) / sizeof(dims[0]); i++) {
        if (survey(s, path, dims[i], i == 0 ? message : &other)) return true;
        rewind(stdin); /* which may be the file */
    }
    return false;
}

bool point_info_show(const char *path, json_list *list)
{
    io_message message;
    point_survey s;
    if (!survey_any(&s, path, &message)) {
        complain("%s", message.text);
        return false;
    }
    if (!list) {
        printf("%s\n  %-12s %llu of %u coordinates\n", path, "points", (unsigned long long)s.num,
               s.box.dim);
        if (s.num > 0) info_box_print(&s.box, "box");
        return true;
    }
    cJSON *o = json_object(list);
    json_add_text(list, o, "file", path);
    json_add_count(list, o, "points", s.num);
    json_add_count(list, o, "dim", s.box.dim);
    if (s.num > 0) info_box_json(&s.box, list, o, "box");
    json_list_print(list, o);
    return true;
}
