/* The command `clspline`: works with splines from files on any OpenCL device. It uses the library's
   public interface only. */
#include "command.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "output.h"

static const char help[] =
    "usage: clspline COMMAND ...\n"
    "\n"
    "commands:\n"
    "  bezier    evaluate the Bezier patches of a BezierView file into a mesh or picture\n"
    "  bspline   evaluate the B-splines of a .g2 or JSON file into a mesh or picture\n"
    "  image     turn, scale and move an image or a volume\n"
    "  project   find the nearest points of curves to points, and their parameters\n"
    "  solid     evaluate the Catmull-Clark solid of a mesh of cells, or cut it\n"
    "  info      tell what files hold: patches or splines, degrees, box, area\n"
    "  tune      measure the processors, for evaluations shared between them\n"
    "  devices   list the OpenCL devices, or the kernels as compiled for one of them\n"
    "\n"
    "options:\n"
    "  -h, --help      this text; 'clspline COMMAND --help' has more\n"
    "  -V, --version   version of the library, and of the headers if another\n"
    "\n"
    "examples:\n"
    "  clspline bezier teapot.bv -o teapot.png\n"
    "  clspline bezier teapot.bv -o teapot.ply -o teapot.png --samples 64 --device gpu\n"
    "  clspline bspline eval surface.json -o surface.png\n"
    "  clspline project curves.g2 points.csv -o nearest.csv\n"
    "  clspline image photo.png -o turned.png --rotate 10\n"
    "  clspline solid rod.vtk -o rod.vtu\n"
    "  clspline devices\n"
    "\n"
    "environment:\n"
    "  CLSPLINE_DEVICE      the device, unless --device is given: an index, 'cpu', 'gpu',\n"
    "                       or parts of names as in 'pocl:' or 'nvidia:h200'\n"
    "  CLSPLINE_CACHE_DIR   folder of compiled programs (PoCL keeps its own) and measured\n"
    "                       speeds; empty: keep none\n"
    "  CLSPLINE_SPEEDS      file of the speeds that 'clspline tune' measures; empty: none\n"
    "  CLSPLINE_LIMITS      narrows the device, as in 'fp64=0,alloc=134217728'\n"
    "\n"
    "exit status: 0 done, 1 failed, 2 wrong usage, 3 points off their curves (project)\n";

/* Leaves no temporary file behind, then dies of the signal as if it had not been caught. */
static void on_interrupt(int number)
{
    output_remove_temporary();
    signal(number, SIG_DFL);
    raise(number);
}

/* Catches the signals that end a program from outside; one that is ignored, as by nohup, stays so.
 */
static void catch_signals(void)
{
    static const int signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGALRM, SIGTERM, SIGXCPU};
    struct sigaction action = {.sa_handler = on_interrupt}, before;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
    action.sa_handler =
        SIG_IGN; /* a file above the limit is then an error of write, with a message */
    sigaction(SIGXFSZ, &action, NULL);
}

/* Output that could not be written (a full disk behind a pipe or redirection) is a failure too. */
static int close_stdout(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout)) return status;
    complain("cannot write to standard output");
    return EXIT_FAILED;
}

/* Prints the version of the library that runs, and that of the headers of this program's build
   where it is another. */
static int show_version(void)
{
    const uint32_t version = clsp_version();
    printf("clspline %u.%u.%u", version >> 16, version >> 8 & 0xff, version & 0xff);
    if (version != CLSP_VERSION_NUMBER) printf(" (built with headers of %s)", CLSP_VERSION_STRING);
    putchar('\n');
    return EXIT_OK;
}

static int run(int argc, char **argv)
{
    if (argc < 2) return usage_error(NULL, "no command given");
    const char *word = argv[1];
    if (strcmp(word, "bezier") == 0) return command_bezier(argc - 1, argv + 1);
    if (strcmp(word, "bspline") == 0) return command_bspline(argc - 1, argv + 1);
    if (strcmp(word, "project") == 0) return command_project(argc - 1, argv + 1);
    if (strcmp(word, "image") == 0) return command_image(argc - 1, argv + 1);
    if (strcmp(word, "solid") == 0) return command_solid(argc - 1, argv + 1);
    if (strcmp(word, "info") == 0) return command_info(argc - 1, argv + 1);
    if (strcmp(word, "tune") == 0) return command_tune(argc - 1, argv + 1);
    if (strcmp(word, "devices") == 0) return command_devices(argc - 1, argv + 1);
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) return show_version();
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        fputs(help, stdout);
        return EXIT_OK;
    }
    if (word[0] == '-') return usage_error(NULL, "unknown option '%s'", word);
    return usage_error(NULL,
                       "unknown command '%s', there are bezier, bspline, image, project, solid, "
                       "info, tune and devices",
                       word);
}

int main(int argc, char **argv)
{
    catch_signals();
    return close_stdout(run(argc, argv));
}
