#include "solid_info.h"

#include <stdio.h>

#include "command.h"
#include "info_box.h"
#include "solid_file.h"

/* The kinds of cells that there are once they are read. */
static const struct {
    int kind;
    const char *name;
} kinds[] = {{SOLID_TETRAHEDRON, "tetrahedra"},
             {SOLID_HEXAHEDRON, "hexahedra"},
             {SOLID_WEDGE, "wedges"},
             {SOLID_PYRAMID, "pyramids"},
             {SOLID_POLYHEDRON, "polyhedra"}};

enum { NUM_KINDS = sizeof(kinds) / sizeof(kinds[0]) };

static size_t count_kind(const solid_cells *c, int kind)
{
    size_t num = 0;
    for (size_t i = 0; i < c->num_cells; i++)
        num += c->kinds[i] == kind;
    return num;
}

static info_box find_box(const solid_cells *c)
{
    info_box b = info_box_none(3);
    for (size_t i = 0; i < c->num_points; i++)
        info_box_grow(&b, c->points + 3 * i);
    return b;
}

/* ---- text ---- */

static void print_count(const char *name, size_t num, const char *of)
{
    if (num > 0) printf("  %-12s %lu%s\n", name, (unsigned long)num, of);
}

static void print_arrays(const solid_array *arrays, size_t num, const char *of)
{
    for (size_t i = 0; i < num; i++)
        printf("  %-12s %s, %u number%s of %s\n", "data", arrays[i].name, arrays[i].components,
               arrays[i].components > 1 ? "s" : "", of);
}

static void print_text(const char *path, const solid_cells *c)
{
    const info_box b = find_box(c);
    printf("%s\n", path);
    print_count("points", c->num_points, "");
    for (size_t i = 0; i < NUM_KINDS; i++) {
        const size_t num = count_kind(c, kinds[i].kind);
        if (num > 0) printf("  %-12s %lu %s\n", "cells", (unsigned long)num, kinds[i].name);
    }
    print_count("creases", c->num_creases, " edges");
    print_count("lines", c->num_lines, " edges");
    print_count("corners", c->num_corners, "");
    print_count("left out", c->num_isolated, " points that no cell has");
    print_arrays(c->arrays, c->num_arrays, "each point");
    print_arrays(c->cell_arrays, c->num_cell_arrays, "each cell");
    info_box_print(&b, "box");
}

/* ---- JSON ---- */

static void add_arrays(json_list *list, cJSON *to, const char *name, const solid_array *arrays,
                       size_t num)
{
    cJSON *all = json_add_array(list, to, name);
    for (size_t i = 0; i < num; i++) {
        cJSON *one = json_add_object(list, all, NULL);
        json_add_text(list, one, "name", arrays[i].name);
        json_add_count(list, one, "components", arrays[i].components);
    }
}

static void print_json(const char *path, const solid_cells *c, json_list *list)
{
    const info_box b = find_box(c);
    cJSON *o = json_object(list);
    json_add_text(list, o, "file", path);
    json_add_count(list, o, "points", c->num_points);
    cJSON *cells = json_add_object(list, o, "cells");
    for (size_t i = 0; i < NUM_KINDS; i++)
        json_add_count(list, cells, kinds[i].name, count_kind(c, kinds[i].kind));
    json_add_count(list, o, "creases", c->num_creases);
    json_add_count(list, o, "lines", c->num_lines);
    json_add_count(list, o, "corners", c->num_corners);
    json_add_count(list, o, "left_out", c->num_isolated);
    add_arrays(list, o, "point_data", c->arrays, c->num_arrays);
    add_arrays(list, o, "cell_data", c->cell_arrays, c->num_cell_arrays);
    info_box_json(&b, list, o, "box");
    json_list_print(list, o);
}

bool solid_info_show(const char *path, json_list *list)
{
    io_message message;
    solid_cells cells;
    if (!solid_file_open(&cells, path, NULL, &message)) {
        complain("%s", message.text);
        return false;
    }
    if (list)
        print_json(path, &cells, list);
    else
        print_text(path, &cells);
    solid_cells_clear(&cells);
    return true;
}
