#include "numpy_process.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Reads a line without its end; false where there is none. */
static bool read_line(FILE *from, char line[NUMPY_TEXT_MAX])
{
    if (!fgets(line, NUMPY_TEXT_MAX, from)) return false;
    line[strcspn(line, "\n")] = '\0';
    return true;
}

static bool expect(numpy_process *numpy, const char *wanted)
{
    char line[NUMPY_TEXT_MAX];

    return fflush(numpy->to) == 0 && read_line(numpy->from, line) && strcmp(line, wanted) == 0;
}

/* Becomes the script, with its input and output. */
static void become(const char *python, const int in[2], const int out[2])
{
    dup2(in[0], STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    close(in[0]);
    close(in[1]);
    close(out[0]);
    close(out[1]);
    execlp(python, python, BENCH_SCRIPTS "/numpy_surfaces.py", (char *)NULL);
    _exit(127);
}

/* Starts one Python; false where it has no NumPy. */
static bool start(numpy_process *numpy, const char *python)
{
    int in[2], out[2];

    if (pipe(in) != 0 || pipe(out) != 0) return false;
    numpy->process = fork();
    if (numpy->process == 0) become(python, in, out);
    close(in[0]);
    close(out[1]);
    numpy->to = fdopen(in[1], "w");
    numpy->from = fdopen(out[0], "r");
    if (numpy->process > 0 && numpy->to && numpy->from && read_line(numpy->from, numpy->about) &&
        strncmp(numpy->about, "numpy ", 6) == 0)
        return true;
    numpy_stop(numpy);
    return false;
}

bool numpy_start(numpy_process *numpy)
{
    const char *const given = getenv("CLSPLINE_BENCH_PYTHON");
    const char *const pythons[] = {given ? given : "python3", "/usr/bin/python3"};

    memset(numpy, 0, sizeof *numpy);
    signal(SIGPIPE, SIG_IGN);
    snprintf(numpy->about, sizeof numpy->about, "no %s", pythons[0]);
    for (size_t i = 0; i < (given ? 1 : 2); i++)
        if (start(numpy, pythons[i])) return true;
    return false;
}

void numpy_stop(numpy_process *numpy)
{
    if (numpy->to) fclose(numpy->to);
    if (numpy->from) fclose(numpy->from);
    if (numpy->process > 0) waitpid(numpy->process, NULL, 0);
    numpy->to = numpy->from = NULL;
    numpy->process = 0;
}

bool numpy_load(numpy_process *numpy, size_t order, size_t samples, size_t patches, bool is_double,
                bool has_normals, const double *points)
{
    const size_t count = patches * order * order * 3;

    return fprintf(numpy->to, "case %zu %zu %zu %s %d\n", order, samples, patches,
                   is_double ? "f64" : "f32", has_normals) > 0 &&
           fwrite(points, sizeof *points, count, numpy->to) == count && expect(numpy, "ready");
}

bool numpy_run(numpy_process *numpy)
{
    return fputs("run\n", numpy->to) >= 0 && expect(numpy, "done");
}

bool numpy_point(numpy_process *numpy, size_t patch, size_t a, size_t b, double point[3])
{
    char line[NUMPY_TEXT_MAX];

    if (fprintf(numpy->to, "point %zu %zu %zu\n", patch, a, b) < 0 || fflush(numpy->to) != 0 ||
        !read_line(numpy->from, line))
        return false;
    return sscanf(line, "%lf %lf %lf", &point[0], &point[1], &point[2]) == 3;
}
