#include "window_words.h"

#include <stdio.h>

static const char keys[] = "left drag    turn; a control point: move it\n"
                           "             (x, y or z held: along that axis)\n"
                           "middle drag  move        wheel, right drag  zoom\n"
                           "1 3 7        from the front, the right, above\n"
                           "             (with Ctrl from the other side)\n"
                           "5            perspective or none\n"
                           "Enter        the first view\n"
                           "S            next colours    B  their bar\n"
                           "W            lines between samples\n"
                           "E            edges of patches or cells\n"
                           "P            control points\n"
                           "V            zebra stripes\n"
                           "K [ ]        cut a solid, move the cut\n"
                           "+ -          finer, coarser\n"
                           "Z            time of a frame\n"
                           "Ctrl Z       undo            Ctrl S  save a copy\n"
                           "F12          save a picture  Up  read again\n"
                           "H            these keys      Q, Esc  quit";

static bool draw_speed(const session *s, const gl_frame *f)
{
    char text[SESSION_LINE];
    const view_mesh *m = &s->stage.model->mesh;
    snprintf(text, sizeof(text), "%.1f ms a frame, %zu triangles, vertices %s",
             1e3 * s->frame_seconds, m->num_indices / 3, stage_way(&s->stage));
    return stage_draw_text(&s->stage, f, text, false);
}

bool window_words_draw(const session *s, const gl_frame *f)
{
    bool done = true;
    if (s->shows_help)
        done = stage_draw_text(&s->stage, f, keys, false);
    else if (s->shows_speed)
        done = draw_speed(s, f);
    return done && (!s->has_note || stage_draw_text(&s->stage, f, s->note, true));
}
