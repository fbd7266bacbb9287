#include "run_command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "help.h"
#include "parts.h"
#include "progress.h"

/* ---- groups ---- */

/* Gives a request the part that its process makes, as if --part said it. */
static void give_part(request *r, const run_group *group)
{
    int number;
    if (!option_find(r->command->options, "part", strlen("part"), 0, &number)) return;
    r->part = group->number;
    r->num_parts = group->count;
    r->given |= (uint64_t)1 << number;
}

/* Refuses parts other than that of the process, and has one process of a group say what is done. */
static int check_part(request *r, const run_group *group)
{
    if (r->part != group->number || r->num_parts != group->count)
        return usage_error(r->command->name, "--part: which part is made follows from the process");
    if (group->number == 1) return EXIT_OK;
    r->quiet = true;
    r->verbose = r->sharing.report = false;
    r->report_to = NULL;
    return EXIT_OK;
}

static int agree(const run_group *group, int status)
{
    return group ? group->agree(group->user, status) : status;
}

/* Joins the parts of all processes, which have left their records. Other machines may see them
   later: NFS looks at a folder anew after a minute at most. */
static int join_parts(const request *r, const run_group *group)
{
    enum { PATIENCE = 90 }; /* seconds */
    io_message message;
    uint32_t count;
    if (group->number > 1) return EXIT_OK;
    for (int i = 0; i < PATIENCE && part_file_count(r->outputs[0], group->count) < group->count;
         i++)
        sleep(1);
    if (part_file_join(r->outputs[0], false, &count, &message)) return EXIT_OK;
    complain("%s", message.text);
    return EXIT_FAILED;
}

/* ---- runs ---- */

/* Runs the subcommand of a request that was read. */
static int run_request(request *r, const run_group *group, int status)
{
    bool is_done = false;
    if (status == EXIT_OK && group) status = check_part(r, group);
    if (status == EXIT_OK && r->num_parts > 0) status = parts_check(r, &is_done);
    status = agree(group, status);
    if (status != EXIT_OK) return status;
    if (!is_done) status = r->command->run(r);
    compile_done();
    status = agree(group, status);
    if (!group || status == EXIT_FAILED) return status;
    const int joined = agree(group, join_parts(r, group));
    return joined == EXIT_OK ? status : joined;
}

int run_command(const subcommand *const *variants, const subcommand *c, int argc, char **argv,
                const run_group *group)
{
    request *r = calloc(1, c->request_bytes);
    sharing_totals totals = {.calls = 0};
    const char **files = calloc(2 * (size_t)argc + 2, sizeof(*files)); /* as many as can be */
    int status = EXIT_FAILED;
    if (r && files) {
        if (c->defaults) memcpy(r, c->defaults, c->request_bytes);
        r->command = c;
        r->variants = variants;
        r->started = seconds_now();
        r->sharing.totals = &totals;
        r->inputs = files;
        r->outputs = files + argc + 1;
        if (group) give_part(r, group);
        status = request_read(r, argc, argv);
        if (status == EXIT_OK && r->help)
            help_job(variants);
        else
            status = run_request(r, group, status);
    } else {
        complain("not enough memory");
        status = agree(group, status);
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
