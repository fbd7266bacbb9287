/* The program clspline-mpi: a command line of `clspline` by all ranks of MPI, each of which makes a
   part of the file. Parts are those of --part, so that there is no second way to write: MPI says
   which part a rank makes, what it uses of its node, and whether all went well. */
#include <mpi.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "command_line.h"
#include "interrupts.h"
#include "node_share.h"
#include "node_turns.h"

/* Those that make files in parts. */
static const subcommand *const commands[] = {&command_eval_patches,
                                             &command_eval_splines,
                                             &command_eval_solid,
                                             &command_convert_cells,
                                             &command_project,
                                             &command_image,
                                             NULL};

/* The ranks, as each of them sees them. */
typedef struct ranks {
    int rank, count;
    FILE *complaints; /* of this rank, kept until it is known which one is to print them: */
    char *text;
    size_t length;
} ranks;

/* ---- what ranks say to each other ---- */

/* Waits without using the core, which the other ranks may still need. */
static void wait_for(MPI_Request pending)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    for (int done = 0;;) {
        MPI_Test(&pending, &done, MPI_STATUS_IGNORE);
        if (done) return;
        nanosleep(&pause, NULL);
    }
}

/* Gives the least, or by MPI_MAX the greatest, of all ranks' values. */
static int reduce(int value, MPI_Op how)
{
    MPI_Request pending;
    int result;
    MPI_Iallreduce(&value, &result, 1, MPI_INT, how, MPI_COMM_WORLD, &pending);
    wait_for(pending);
    return result;
}

/* Prints what this rank has to say, and forgets it. */
static void print_complaints(ranks *w)
{
    if (!w->complaints) return;
    fclose(w->complaints);
    if (w->text) fputs(w->text, stderr);
    free(w->text);
    complain_to(NULL);
    w->complaints = NULL;
    w->text = NULL;
}

/* Names the rank that has failed, where others have not. */
static void name_rank(const ranks *w)
{
    char host[MPI_MAX_PROCESSOR_NAME];
    int length;
    MPI_Get_processor_name(host, &length);
    complain(
        "that was rank %d of %d, on %.*s; the parts that are done stay, and --resume makes the "
        "others",
        w->rank, w->count, length, host);
}

/* For run_group: has the first rank that has failed, if any, complain for all. */
static int agree(void *user, int status)
{
    ranks *w = user;
    const bool failed = status == EXIT_FAILED || status == EXIT_USAGE;
    const int num_failed = reduce(failed, MPI_SUM);
    const int first = reduce(failed ? w->rank : w->count, MPI_MIN);
    if (num_failed == 0) return reduce(status, MPI_MAX);
    if (first == w->rank) print_complaints(w);
    if (first == w->rank && status == EXIT_FAILED && num_failed < w->count) name_rank(w);
    return reduce(first == w->rank ? status : EXIT_OK, MPI_MAX);
}

/* ---- runs ---- */

/* Tells whether ranks have other command lines, by a hash of them (FNV-1a). */
static bool are_other_lines(int argc, char **argv)
{
    uint32_t hash = 0x811c9dc5u;
    for (int i = 1; i < argc; i++)
        for (const char *c = argv[i];; c++) {
            hash = (hash ^ (unsigned char)*c) * 0x01000193u;
            if (!*c) break;
        }
    const int number = (int)(hash >> 1);
    return reduce(number, MPI_MIN) != reduce(number, MPI_MAX);
}

/* Tells whether processes were started together that do not know of each other. */
static bool is_other_mpi(int count)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const char *value = getenv(names[i]);
        if (value && count == 1 && atoi(value) > 1) return true;
    }
    return false;
}

/* Prints of each rank where it runs and what it takes there. */
static int list_ranks(const ranks *w, const node_share *share)
{
    enum { LINE = 512 };
    char host[MPI_MAX_PROCESSOR_NAME], line[LINE], *all = calloc((size_t)w->count, LINE);
    clsp_context *ctx = NULL;
    clsp_device_info info = {.name = "no device"};
    int length;
    MPI_Get_processor_name(host, &length);
    if (open_context(&ctx, NULL, VERBOSITY_QUIET)) clsp_context_device(ctx, &info);
    clsp_context_destroy(&ctx);
    snprintf(line, LINE, "rank %d on %.*s: cores %d, device %s%s%s, compute units %u", w->rank,
             length, host, share->cores, share->device, share->device[0] ? " " : "", info.name,
             (unsigned)info.compute_units);
    if (!all) MPI_Abort(MPI_COMM_WORLD, EXIT_FAILED);
    MPI_Gather(line, LINE, MPI_CHAR, all, LINE, MPI_CHAR, 0, MPI_COMM_WORLD);
    for (int i = 0; w->rank == 0 && i < w->count; i++)
        puts(all + (size_t)i * LINE);
    free(all);
    return EXIT_OK;
}

static int help(void)
{
    puts("usage: mpirun -n N clspline-mpi JOB ...\n"
         "\n"
         "Makes with N processes, on one machine or on several that share a disk, the file\n"
         "that 'clspline JOB ...' makes, byte for byte. Each process makes one part of\n"
         "it; the file has its name when all parts are there. A process takes the device\n"
         "of its number in its machine, unless --device or CLSPLINE_DEVICE name one.\n"
         "\n"
         "jobs, with the options of 'clspline help JOB':");
    for (size_t i = 0; commands[i]; i++)
        if (i == 0 || strcmp(commands[i]->name, commands[i - 1]->name) != 0)
            printf("  %-15s %s\n", commands[i]->name, commands[i]->summary);
    puts("\n"
         "options:\n"
         "  --ranks         of each rank its machine, cores and device, and nothing else\n"
         "  -h, --help      this text\n"
         "  -V, --version   version of the library, and of the headers if another\n"
         "\n"
         "example:\n"
         "  mpirun -n 4 clspline-mpi image scan.nii -o fine.npy --scale 2 --resume");
    return EXIT_OK;
}

static int run(ranks *w, int argc, char **argv)
{
    const run_group group = {
        .number = (uint32_t)w->rank + 1, .count = (uint32_t)w->count, .agree = agree, .user = w};
    node_share share;
    node_turns turns;
    int status = EXIT_OK;
    if (is_other_mpi(w->count)) {
        complain("mpirun is another MPI's than the one that clspline-mpi was built with");
        status = EXIT_FAILED;
    } else if (are_other_lines(argc, argv)) {
        complain("the ranks have different command lines");
        status = EXIT_USAGE;
    }
    if (status != EXIT_OK) return agree(w, status);
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) return help();
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0)
        return run_version("clspline-mpi");
    node_share_take(MPI_COMM_WORLD, &share);
    if (strcmp(argv[1], "--ranks") == 0) {
        status = list_ranks(w, &share);
    } else {
        node_turns_begin(&turns, share.node);
        status = command_line_run(commands, argc, argv, &group);
        node_turns_end(&turns);
    }
    node_share_release(&share);
    return status;
}

int main(int argc, char **argv)
{
    ranks w = {.text = NULL};
    int provided;
    interrupts_catch();
    setenv("HWLOC_COMPONENTS", "-opencl", 0); /* MPI would have OpenCL look for devices too early */
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &w.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &w.count);
    w.complaints = open_memstream(&w.text, &w.length);
    complain_to(w.complaints);
    if (w.rank > 0 && !freopen("/dev/null", "w", stdout)) fclose(stdout); /* the first one prints */
    const int status = run_close(run(&w, argc, argv));
    if (w.rank == 0) print_complaints(&w);
    MPI_Finalize();
    return status;
}
