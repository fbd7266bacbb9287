#include "image_info.h"

#include <stdio.h>

#include "command.h"
#include "image_file.h"

/* Returns the name of a unit of lengths. */
static const char *unit_name(const image_place *p)
{
    static const char *const names[] = {NULL, "meter", "millimeter", "micrometer"};
    return p->units > 0 && p->units < 4 ? names[p->units] : NULL;
}

static void print_lengths(const image_array *a)
{
    const char *unit = unit_name(&a->place);
    printf("  %-12s ", "spacing");
    for (uint32_t k = 0; k < a->directions; k++)
        if (a->place.spacing[k] > 0)
            printf("%s%.7g", k > 0 ? " x " : "", a->place.spacing[k]);
        else
            fputs(" x unknown", stdout);
    printf("%s%s\n", unit ? " " : "", unit ? unit : "");
}

static void print_text(const char *path, const image_array *a)
{
    printf("%s\n  %-12s ", path, a->directions == 3 ? "volume" : "image");
    for (uint32_t i = a->directions; i-- > 0;)
        printf("%lu%s", (unsigned long)a->size[i], i > 0 ? " x " : "");
    printf(", %u channel%s of %s\n", a->channels, a->channels > 1 ? "s" : "",
           image_type_name(a->type));
    if (a->frames > 1) printf("  %-12s %lu\n", "frames", (unsigned long)a->frames);
    if (a->place.spacing[0] > 0) print_lengths(a);
}

static void print_json(const char *path, const image_array *a, json_list *list)
{
    double size[IMAGE_MAX_DIRECTIONS];
    for (uint32_t k = 0; k < a->directions; k++)
        size[k] = (double)a->size[a->directions - 1 - k];
    cJSON *o = json_object(list);
    json_add_text(list, o, "file", path);
    json_add_reals(list, o, "size", size, a->directions);
    json_add_count(list, o, "channels", a->channels);
    json_add_text(list, o, "type", image_type_name(a->type));
    json_add_count(list, o, "frames", a->frames > 1 ? a->frames : 1);
    if (a->place.spacing[0] > 0)
        json_add_reals(list, o, "spacing", a->place.spacing, a->directions);
    else
        json_add_text(list, o, "spacing", NULL);
    json_add_text(list, o, "unit", unit_name(&a->place));
    json_list_print(list, o);
}

bool image_info_show(const char *path, json_list *list)
{
    io_message message;
    image_array a;
    if (!image_file_open(&a, path, 0, &message)) {
        complain("%s", message.text);
        return false;
    }
    if (list)
        print_json(path, &a, list);
    else
        print_text(path, &a);
    image_array_clear(&a);
    return true;
}
