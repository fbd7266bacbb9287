/* The command `clspline`: works with splines from files on any OpenCL device. It uses the library's
   public interface only. */
#include "command.h"

#include "command_line.h"
#include "interrupts.h"

static const subcommand *const commands[] = {&command_info,
                                             &command_eval_patches,
                                             &command_eval_splines,
                                             &command_eval_solid,
                                             &command_convert_splines,
                                             &command_convert_cells,
                                             &command_convert_image,
                                             &command_project,
                                             &command_locate,
                                             &command_probe,
                                             &command_slice,
                                             &command_image,
                                             &command_view,
                                             &command_join,
                                             &command_devices,
                                             &command_tune,
                                             NULL};

int main(int argc, char **argv)
{
    interrupts_catch();
    return run_close(command_line_run(commands, argc, argv, NULL));
}
