#include "plain_requests.h"

/* ---- info ---- */

static const option info_options[] = {{.rows = request_only},
                                      {.rows = request_device},
                                      {.rows = request_json},
                                      {.rows = request_help},
                                      {.name = NULL}};

static const char *const info_examples[] = {
    "clspline info teapot.bv curves.g2 solid.vtu scan.nii.gz",
    "clspline info --json *.bv | python3 -m json.tool", NULL};

const subcommand command_info = {
    .name = "info",
    .summary = "tell what files hold: patches, splines, cells, images or points",
    .usage = "FILE ... [--only LIST] [--device DEVICE] [--json]",
    .about =
        "Tells what BezierView files hold: patches by kind and degree, polyhedra, the box around "
        "the control points, and the box and area of the surface, from 65 points along each "
        "direction of a patch. FILE may be -, for standard input. Of .g2, .json and CAD "
        "files it tells the B-splines by kind, degree and knots, the box around their control "
        "points, the unit of length, how many are trimmed, bodies, area and volume. Of VTK, VTU, "
        "MEDIT, MFEM and Gmsh files it tells the cells by kind, creases, data and the box around "
        "the points, of images their size, type and spacing, and of points (CSV, .xyz, .npy, PLY) "
        "how many there are and the box around them.",
    .options = info_options,
    .examples = info_examples,
    .result = "what the files hold: kinds, sizes and boxes",
    .input = "input file",
    .kinds = FILE_PATCHES | FILE_SPLINES | FILE_CELLS | FILE_IMAGE | FILE_POINTS,
    .endings =
        "bv g2 json igs iges step stp brep vtk vtu mesh meshb msh csv xyz ply npy png jpg jpeg tif "
        "tiff nii nii.gz hdr img",
    .request_bytes = sizeof(request),
    .run = info_run};

/* ---- join ---- */

static const option join_options[] = {
    {"mixed", 0, NULL, "join parts that different devices have made, whose bits may differ",
     OPTION_FLAG(join_request, mixed)},
    {"quiet", 'q', NULL, "say nothing of what was joined", OPTION_FLAG(request, quiet)},
    {.rows = request_help},
    {.name = NULL}};

static const char *const join_examples[] = {
    "clspline join large.npy", "clspline image scan.nii -o large.npy --scale 2 --part 1/2", NULL};

const subcommand command_join = {
    .name = "join",
    .summary = "make one file of the parts that --part has made",
    .usage = "OUT ... [--mixed]",
    .about =
        "Makes OUT of OUT.part when all parts are there that runs with --part K/N have made, by "
        "one "
        "process after the other, at once, or on several machines that share a disk. What is "
        "missing, and what was made with other options, by another version or on another device, "
        "is named, and nothing is changed then. OUT has the bytes that one run without --part "
        "writes.",
    .options = join_options,
    .examples = join_examples,
    .result = "one file of all parts",
    .input = "output file",
    .request_bytes = sizeof(join_request),
    .run = join_run};

/* ---- tune ---- */

static const option tune_options[] = {
    {.rows = request_device},
    {.rows = request_workers},
    {"speeds", 0, "FILE",
     "where to store them; default $CLSPLINE_SPEEDS, else the file 'speeds' in the cache folder, "
     "~/.cache/clspline unless $CLSPLINE_CACHE_DIR or $XDG_CACHE_HOME names another",
     OPTION_TEXT(tune_request, speeds), .is_file = true},
    {"quick", 0, NULL, "grids of up to 10^5 points only", OPTION_FLAG(tune_request, quick)},
    {.rows = request_json},
    {.rows = request_help},
    {.name = NULL}};

static const char *const tune_examples[] = {
    "clspline tune", "clspline tune --device gpu --join pocl: --workers 4", NULL};

const subcommand command_tune = {
    .name = "tune",
    .summary = "measure the processors, for evaluations shared between them",
    .usage = "[--device DEVICE] [--join DEVICE ...] [--workers N] [--speeds FILE] [--quick]",
    .about =
        "Measures how fast the device, the devices that join it and the host's cores evaluate "
        "Bezier surfaces of the usual sizes, stores that for later evaluations shared between them "
        "('clspline eval --cooperate') and prints it. Nothing needs it: without stored speeds, "
        "the first evaluation of a kind measures a few tiles. Takes about a minute.",
    .options = tune_options,
    .examples = tune_examples,
    .result = "how fast each processor is, stored for evaluations shared by --cooperate",
    .request_bytes = sizeof(tune_request),
    .run = tune_run};

/* ---- devices ---- */

static int check_devices(request *r)
{
    if (!r->device || request_has(r, "kernels")) return EXIT_OK;
    return usage_error(r->command->name, "--device needs --kernels");
}

static const option devices_options[] = {
    {"kernels", 0, NULL,
     "list the kernels, as compiled for one device; takes minutes where none is cached",
     OPTION_FLAG(devices_request, kernels), .excludes = "verbose"},
    {.rows = request_device},
    {"verbose", 'v', NULL,
     "in a wide table, also SVM, work-groups and drivers; and which drivers cannot be used",
     OPTION_FLAG(request, verbose), .excludes = "kernels json"},
    {.rows = request_json},
    {.rows = request_help},
    {.name = NULL}};

static const char *const devices_examples[] = {"clspline devices",
                                               "clspline devices --json | python3 -m json.tool",
                                               "clspline devices --kernels --device gpu", NULL};

const subcommand command_devices = {
    .name = "devices",
    .summary = "list the devices, or the kernels as compiled for one of them",
    .usage = "[--verbose | --json]\n--kernels [--device DEVICE] [--json]",
    .about = "Lists the OpenCL devices in the order in which an index names them, and the host as "
             "the last. With --kernels, compiles every kernel for one device and lists what its "
             "compiler made of them, one after the other; on a terminal a bar shows how many "
             "programs are done.",
    .options = devices_options,
    .examples = devices_examples,
    .result = "the devices, numbered as --device takes them",
    .request_bytes = sizeof(devices_request),
    .check = check_devices,
    .run = devices_run};
