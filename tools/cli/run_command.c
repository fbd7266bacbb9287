#include "run_command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "help.h"

int run_command(const subcommand *c, int argc, char **argv)
{
    request *r = calloc(1, c->request_bytes);
    const char **files = calloc(2 * (size_t)argc + 2, sizeof(*files)); /* as many as can be */
    int status = EXIT_FAILED;
    if (r && files) {
        if (c->defaults) memcpy(r, c->defaults, c->request_bytes);
        r->command = c;
        r->inputs = files;
        r->outputs = files + argc + 1;
        status = request_read(r, argc, argv);
        if (status == EXIT_OK && r->help)
            help_subcommand(c);
        else if (status == EXIT_OK)
            status = c->run(r);
    } else {
        complain("not enough memory");
    }
    free(files);
    free(r);
    return status;
}

int run_version(const char *program)
{
    const uint32_t version = clsp_version();
    printf("%s %u.%u.%u", program, version >> 16, version >> 8 & 0xff, version & 0xff);
    if (version != CLSP_VERSION_NUMBER) printf(" (built with headers of %s)", CLSP_VERSION_STRING);
    putchar('\n');
    return EXIT_OK;
}

int run_close(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout)) return status;
    complain("cannot write to standard output");
    return EXIT_FAILED;
}
