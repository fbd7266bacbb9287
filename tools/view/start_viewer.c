/* `clspline view`: starts clspline-view, so that the command itself needs no window system. */
#define _XOPEN_SOURCE 700

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "view_request.h"

#define PROGRAM "clspline-view"

/* Writes the path of the program beside this one. False where the system does not tell. */
static bool find_beside(char path[4096])
{
    const ssize_t length = readlink("/proc/self/exe", path, 4096 - sizeof(PROGRAM));
    if (length <= 0) return false;
    path[length] = 0;
    char *name = strrchr(path, '/');
    if (!name) return false;
    strcpy(name + 1, PROGRAM);
    return true;
}

int view_run(request *r)
{
    char path[4096];
    char **argv = calloc((size_t)r->argc + 2, sizeof(*argv));
    int status = EXIT_FAILED;
    if (!argv) {
        complain("not enough memory");
        return status;
    }
    argv[0] = PROGRAM;
    memcpy(argv + 1, r->argv, (size_t)r->argc * sizeof(*argv));
    fflush(NULL);
    if (find_beside(path)) execv(path, argv);
    execvp(PROGRAM, argv);
    if (errno == ENOENT)
        complain("view needs " PROGRAM
                 ", which is neither beside clspline nor on PATH; it is built "
                 "with GLFW and EGL. 'clspline eval IN -o OUT.png' draws pictures without it");
    else
        complain("cannot start " PROGRAM ": %s", strerror(errno));
    free(argv);
    return status;
}
