#define _XOPEN_SOURCE 700

#include "cad_process.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROGRAM "clspline-cad"

extern char **environ;

enum { PATH_BYTES = 4096, CANNOT_START = 127 };

/* Where what a run says goes. */
typedef struct cad_run {
    const char *name; /* of the file, for messages */
    FILE *output, *errors;
    int status; /* as waitpid has it */
} cad_run;

/* Writes the path of the program: what CLSPLINE_CAD names, the one beside this program, or the name
   alone, to be sought in PATH. */
static void find_program(char path[PATH_BYTES])
{
    const char *named = getenv("CLSPLINE_CAD");
    if (named && strlen(named) < PATH_BYTES) {
        strcpy(path, named);
        return;
    }
    const ssize_t length = readlink("/proc/self/exe", path, PATH_BYTES - sizeof(PROGRAM));
    path[length > 0 ? length : 0] = 0;
    char *slash = strrchr(path, '/');
    strcpy(slash ? slash + 1 : path, PROGRAM);
    if (access(path, X_OK) != 0) strcpy(path, PROGRAM);
}

/* Starts the program and waits for its end. Returns 0, or an error number where it cannot start. */
static int run_program(cad_run *run, const char *path, bool has_mesh, double deflection)
{
    char program[PATH_BYTES], number[32];
    char *argv[] = {PROGRAM, (char *)path, NULL, NULL, NULL};
    posix_spawn_file_actions_t actions;
    pid_t child;
    find_program(program);
    snprintf(number, sizeof(number), "%.17g", deflection);
    if (!has_mesh) argv[2] = "--no-mesh";
    if (has_mesh && deflection > 0) argv[2] = "--deflection";
    if (has_mesh && deflection > 0) argv[3] = number;
    int failure = posix_spawn_file_actions_init(&actions);
    if (failure) return failure;
    posix_spawn_file_actions_adddup2(&actions, fileno(run->output), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, fileno(run->errors), STDERR_FILENO);
    failure = posix_spawnp(&child, program, &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failure) return failure;
    while (waitpid(child, &run->status, 0) < 0)
        if (errno != EINTR) return errno;
    return 0;
}

static bool fail_start(const cad_run *run, int failure, io_message *message)
{
    if (failure != ENOENT)
        return io_fail(message, "%s: cannot start " PROGRAM ": %s", run->name, strerror(failure));
    return io_fail(message,
                   "%s: STEP, IGES and BREP files need " PROGRAM
                   ", which is neither beside clspline "
                   "nor on PATH; it is built where Open CASCADE is (Debian: "
                   "libocct-data-exchange-dev and libocct-ocaf-dev)",
                   run->name);
}

/* Tells why a program that was ended by a signal gives no model. */
static bool fail_signal(const cad_run *run, io_message *message)
{
    const int number = WTERMSIG(run->status);
    if (number == SIGXCPU)
        return io_fail(message, "%s: " PROGRAM " has used up its time, 10 minutes", run->name);
    return io_fail(message,
                   "%s: " PROGRAM " was ended by signal %d (%s): a damaged file, or one too "
                   "large?",
                   run->name, number, strsignal(number));
}

/* Fails with what the program said last, which begins with the file's name. */
static bool fail_said(const cad_run *run, io_message *message)
{
    char line[1024], last[1024] = "";
    rewind(run->errors);
    while (fgets(line, sizeof(line), run->errors))
        if (line[0] != '\n') strcpy(last, line);
    last[strcspn(last, "\n")] = 0;
    if (last[0]) return io_fail(message, "%s", last);
    return io_fail(message, "%s: " PROGRAM " gives no model, status %d", run->name,
                   WEXITSTATUS(run->status));
}

/* Whether the program gave a model, whole or in part; else with a message. */
static bool judge(const cad_run *run, io_message *message)
{
    enum { WHOLE = 0, PARTLY = 4 };
    if (WIFSIGNALED(run->status)) return fail_signal(run, message);
    const int status = WEXITSTATUS(run->status);
    if (status == CANNOT_START) return fail_start(run, ENOENT, message);
    return status == WHOLE || status == PARTLY || fail_said(run, message);
}

FILE *cad_process_open(const char *path, bool has_mesh, double deflection, io_message *message)
{
    const bool is_stdin = strcmp(path, "-") == 0;
    cad_run run = {
        .name = is_stdin ? "standard input" : path, .output = tmpfile(), .errors = tmpfile()};
    bool done = run.output && run.errors;
    if (!done) io_fail_errno(message, run.name, "no temporary file");
    if (done) {
        const int failure = run_program(&run, is_stdin ? "/dev/stdin" : path, has_mesh, deflection);
        done = failure ? fail_start(&run, failure, message) : judge(&run, message);
    }
    if (run.errors) fclose(run.errors);
    if (done) rewind(run.output);
    if (!done && run.output) fclose(run.output);
    return done ? run.output : NULL;
}
