#define _XOPEN_SOURCE 700

#include "watcher.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/inotify.h>
#endif

/* What tells one state of a file from another. */
typedef struct file_state {
    dev_t device;
    ino_t number;
    off_t size;
    struct timespec changed;
} file_state;

struct watcher {
    const char *const *paths; /* not owned */
    size_t num;
    file_state *states;
    int events, end[2]; /* of the system; a pipe whose end ends the thread */
    pthread_t thread;
    bool running;
    void (*changed)(void);
};

/* Looks at a file. False where it is not there. */
static bool look(const char *path, file_state *state)
{
    struct stat found;
    if (stat(path, &found) != 0) return false;
    memset(state, 0, sizeof(*state));
    state->device = found.st_dev;
    state->number = found.st_ino;
    state->size = found.st_size;
#ifdef __APPLE__
    state->changed = found.st_mtimespec;
#else
    state->changed = found.st_mtim;
#endif
    return true;
}

bool watcher_sees_change(watcher *w)
{
    bool sees = false;
    for (size_t i = 0; i < w->num; i++) {
        file_state now;
        if (!look(w->paths[i], &now) || memcmp(&now, &w->states[i], sizeof(now)) == 0) continue;
        w->states[i] = now;
        sees = true;
    }
    return sees;
}

#ifdef __linux__

/* Watches the folder of a file: editors put a new file into the place of the old one. */
static void watch_folder(const watcher *w, const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = strdup(slash ? path : ".");
    if (!folder) return;
    if (slash) folder[slash > path ? slash - path : 1] = 0;
    inotify_add_watch(w->events, folder, IN_CLOSE_WRITE | IN_MOVED_TO);
    free(folder);
}

static void *wait_for_changes(void *user)
{
    watcher *w = user;
    char events[4096];
    for (;;) {
        struct pollfd waited[2] = {{.fd = w->events, .events = POLLIN},
                                   {.fd = w->end[0], .events = POLLIN}};
        if (poll(waited, 2, -1) < 0 && errno != EINTR) return NULL;
        if (waited[1].revents) return NULL;
        if (waited[0].revents && read(w->events, events, sizeof(events)) > 0) w->changed();
    }
}

static bool start(watcher *w)
{
    w->events = inotify_init1(IN_CLOEXEC);
    if (w->events < 0 || pipe(w->end) != 0) return false;
    for (size_t i = 0; i < w->num; i++)
        watch_folder(w, w->paths[i]);
    w->running = pthread_create(&w->thread, NULL, wait_for_changes, w) == 0;
    return w->running;
}

#else

static bool start(watcher *w)
{
    (void)w;
    return false;
}

#endif

watcher *watcher_open(const char *const *paths, size_t num, void (*changed)(void))
{
    watcher *w = calloc(1, sizeof(*w));
    if (!w) return NULL;
    *w = (watcher){.paths = paths, .num = num, .events = -1, .end = {-1, -1}, .changed = changed};
    w->states = calloc(num + 1, sizeof(*w->states));
    if (w->states && start(w)) {
        watcher_sees_change(w);
        return w;
    }
    watcher_close(w);
    return NULL;
}

void watcher_close(watcher *w)
{
    if (!w) return;
    if (w->end[1] >= 0) close(w->end[1]); /* which wakes the thread */
    if (w->running) pthread_join(w->thread, NULL);
    if (w->end[0] >= 0) close(w->end[0]);
    if (w->events >= 0) close(w->events);
    free(w->states);
    free(w);
}
