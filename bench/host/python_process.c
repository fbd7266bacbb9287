#include "python_process.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

bool python_read(const python_process *p, char line[PYTHON_TEXT_MAX])
{
    if (!fgets(line, PYTHON_TEXT_MAX, p->from)) return false;
    line[strcspn(line, "\n")] = '\0';
    return true;
}

bool python_expect(const python_process *p, const char *wanted)
{
    char line[PYTHON_TEXT_MAX];

    return fflush(p->to) == 0 && python_read(p, line) && strcmp(line, wanted) == 0;
}

/* Makes a pipe whose ends no program keeps that is started later: a script reads until the last
   copy of the other end is closed. */
static bool make_pipe(int ends[2])
{
    return pipe(ends) == 0 && fcntl(ends[0], F_SETFD, FD_CLOEXEC) == 0 &&
           fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0;
}

/* Becomes the script, with its input and output. */
static void become(const char *const command[4], int in, int out)
{
    dup2(in, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    execlp(command[0], command[0], command[1], command[2], (char *)NULL);
    _exit(127);
}

/* Starts one Python; false where it has not what the script needs. */
static bool start(python_process *p, const char *const command[4])
{
    int in[2], out[2];
    const char *const word = command[2];

    if (!make_pipe(in) || !make_pipe(out)) return false;
    p->process = fork();
    if (p->process == 0) become(command, in[0], out[1]);
    close(in[0]);
    close(out[1]);
    p->to = fdopen(in[1], "w");
    p->from = fdopen(out[0], "r");
    if (p->process > 0 && p->to && p->from && python_read(p, p->about) &&
        strncmp(p->about, word, strlen(word)) == 0)
        return true;
    python_stop(p);
    return false;
}

bool python_start(python_process *p, const char *script, const char *word)
{
    const char *const given = getenv("CLSPLINE_BENCH_PYTHON");
    const char *const pythons[] = {given ? given : "python3", "/usr/bin/python3"};
    char path[4096];

    memset(p, 0, sizeof *p);
    signal(SIGPIPE, SIG_IGN);
    snprintf(p->about, sizeof p->about, "no %s", pythons[0]);
    snprintf(path, sizeof path, "%s/%s", BENCH_SCRIPTS, script);
    for (size_t i = 0; i < (given ? 1 : 2); i++) {
        const char *const command[] = {pythons[i], path, word, NULL};
        if (start(p, command)) return true;
    }
    return false;
}

void python_stop(python_process *p)
{
    if (p->to) fclose(p->to);
    if (p->from) fclose(p->from);
    if (p->process > 0) waitpid(p->process, NULL, 0);
    p->to = p->from = NULL;
    p->process = 0;
}
