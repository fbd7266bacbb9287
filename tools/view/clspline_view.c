/* The program clspline-view: what `clspline view` starts. */
#include <string.h>

#include "interrupts.h"
#include "run_command.h"
#include "view_picture.h"
#include "window.h"

int view_run(request *base)
{
    const view_request *r = (const view_request *)base;
    return (base->num_outputs > 0 ? view_picture(r) : window_run(r)) ? EXIT_OK : EXIT_FAILED;
}

int main(int argc, char **argv)
{
    interrupts_catch();
    if (argc == 2 && (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0))
        return run_close(run_version("clspline-view"));
    const subcommand *const variants[] = {&command_view, NULL};
    return run_close(
        run_command(variants, variants[0], argc > 0 ? argc - 1 : 0, argv + (argc > 0), NULL));
}
