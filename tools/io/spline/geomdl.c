#include "geomdl.h"

#include <string.h>

#include "cad_json.h"
#include "geomdl_item.h"
#include "json_stream.h"
#include "spline_scan.h"

/* Reads what a spline has beside itself: of faces of CAD files all, else it is left out. */
static bool read_other(scanner *s, splines *content, bool *is_trimmed)
{
    const bool is_cad = content->cad && content->cad->is_open;
    if (is_cad && cad_json_is_face(s->word)) return cad_json_face(s, content->cad);
    if (strcmp(s->word, "trims") == 0) *is_trimmed = true;
    return json_skip(s);
}

/* Reads a spline, whose directions must be those given, or any where these are 0. */
static bool read_item(scanner *s, splines *content, uint32_t *directions)
{
    geomdl_item t = {.is_curve = false};
    bool done = json_open(s, '{', "a spline, an object"), taken, is_trimmed = false;
    t.line = s->word_line;
    for (size_t n = 0; done && json_next_key(s, &n);)
        done = geomdl_item_member(s, &t, &taken) && (taken || read_other(s, content, &is_trimmed));
    done = done && !s->failed && geomdl_item_end(s, &t);
    if (done && *directions == 0) *directions = t.made.type.directions;
    if (done && *directions != t.made.type.directions)
        done = scanner_fail(s, t.line, "a %s is not of the file's type", spline_form(&t.made.type));
    if (done && content->cad && content->cad->is_open)
        done = cad_json_end_face(s, content, &t.made.type, &is_trimmed);
    if (done && !splines_add(content, &t.made)) done = spline_scan_memory(s);
    if (done && is_trimmed) content->num_trimmed++;
    geomdl_item_clear(&t);
    return done;
}

static bool read_data(scanner *s, splines *content, uint32_t *directions)
{
    if (!json_open(s, '[', "the list of splines")) return false;
    for (size_t n = 0; json_next_item(s, &n);)
        if (!read_item(s, content, directions)) return false;
    return !s->failed;
}

/* Reads the type of all splines of the file, which must be that of those before, if any. */
static bool read_shape_type(scanner *s, uint32_t *directions)
{
    static const char *const names[] = {"curve", "surface", "volume"};
    char text[SCANNER_SHOWN + 4];
    if (!json_read_word(s, "the type of the shape")) return false;
    for (uint32_t i = 0; i < 3; i++) {
        if (strcmp(s->word, names[i]) != 0) continue;
        if (*directions != 0 && *directions != i + 1)
            return scanner_fail(s, s->word_line, "the type is \"%s\", the data are not", names[i]);
        *directions = i + 1;
        return true;
    }
    return scanner_fail(s, s->word_line,
                        "the type of the shape is \"%s\", not curve, surface or volume",
                        scanner_shown(s, text));
}

static bool read_shape(scanner *s, splines *content)
{
    uint32_t directions = 0;
    if (!json_open(s, '{', "the shape, an object")) return false;
    for (size_t n = 0; json_next_key(s, &n);) {
        bool done = strcmp(s->word, "type") == 0   ? read_shape_type(s, &directions)
                    : strcmp(s->word, "data") == 0 ? read_data(s, content, &directions)
                                                   : json_skip(s);
        if (!done) return false;
    }
    return !s->failed;
}

bool geomdl_read(splines *content, scanner *s)
{
    const size_t before = content->num_splines;
    if (!json_open(s, '{', "a JSON object")) return false;
    for (size_t n = 0; json_next_key(s, &n);) {
        bool taken = false;
        if (!cad_json_member(s, content, &taken)) return false;
        if (taken) continue;
        if (!(strcmp(s->word, "shape") == 0 ? read_shape(s, content) : json_skip(s))) return false;
    }
    if (s->failed || !json_end(s) || !cad_json_end(s, content)) return false;
    if (content->num_splines > before) return true;
    return scanner_fail(s, s->line, "the file holds no spline: there are no data of a \"shape\"");
}
