/* Waiting for files to change, without looking at them again and again. */
#ifndef CLSPLINE_TOOLS_WATCHER_H
#define CLSPLINE_TOOLS_WATCHER_H

#include <stdbool.h>
#include <stddef.h>

typedef struct watcher watcher;

/* Has a thread call `changed` whenever something in the folders of these files has been written or
   renamed. NULL where the system cannot tell, or memory ran out: files are then not watched. */
watcher *watcher_open(const char *const *paths, size_t num, void (*changed)(void));

/* Tells whether one of the files is another than when this was last asked: by its time and size.
   A file that is not there is not another one yet. */
bool watcher_sees_change(watcher *w);

/* Ends the thread; w may be NULL. */
void watcher_close(watcher *w);

#endif
