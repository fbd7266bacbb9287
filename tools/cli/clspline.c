/* The command `clspline`: works with splines from files on any OpenCL device. It uses the library's
   public interface only. */
#include "command.h"

#include "command_line.h"
#include "interrupts.h"

static const subcommand *const commands[] = {
    &command_bezier,  &command_bspline_eval, &command_bspline_bezier, &command_image,
    &command_project, &command_solid,        &command_view,           &command_join,
    &command_info,    &command_tune,         &command_devices,        NULL};

int main(int argc, char **argv)
{
    interrupts_catch();
    return run_close(command_line_run(commands, argc, argv, NULL));
}
