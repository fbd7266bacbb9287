/* The words in the window: the keys, what has happened, how fast frames are. */
#ifndef CLSPLINE_TOOLS_WINDOW_WORDS_H
#define CLSPLINE_TOOLS_WINDOW_WORDS_H

#include "session.h"

/* Draws them over a frame. Complains on failure. */
bool window_words_draw(const session *s, const gl_frame *f);

#endif
