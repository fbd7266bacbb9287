#include "command.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Where complaints go; NULL: standard error. It is the program's as that one is. */
static FILE *complaints;

static FILE *stream_of_complaints(void)
{
    return complaints ? complaints : stderr;
}

void complain_to(FILE *stream)
{
    complaints = stream;
}

void complain(const char *format, ...)
{
    FILE *const to = stream_of_complaints();
    va_list args;
    fputs("clspline: ", to);
    va_start(args, format);
    vfprintf(to, format, args);
    va_end(args);
    fputc('\n', to);
}

int usage_error(const char *command, const char *format, ...)
{
    FILE *const to = stream_of_complaints();
    va_list args;
    fputs("clspline: ", to);
    va_start(args, format);
    vfprintf(to, format, args);
    va_end(args);
    fprintf(to, " (see clspline %s%s--help)\n", command ? command : "", command ? " " : "");
    return EXIT_USAGE;
}

/* What the user can do about a status, or NULL. */
static const char *advice(clsp_status status)
{
    switch (status) {
    case CLSP_ERROR_NO_DEVICE:
        return "'clspline devices' lists the devices that there are";
    case CLSP_ERROR_NO_FP64:
        return "use --precision f32, or --device with a device that has fp64 (see clspline "
               "devices)";
    case CLSP_ERROR_NO_MEMORY:
        return "use fewer --samples";
    default:
        return NULL;
    }
}

const char *status_text(clsp_status status)
{
    const char *text = clsp_status_str(status), *meaning = strstr(text, ": ");
    return strncmp(text, "CLSP_", 5) == 0 && meaning ? meaning + 2 : text;
}

void complain_status(const clsp_context *ctx, clsp_status status)
{
    char reason[2048];
    const char *help = advice(status);
    if (clsp_context_last_error(ctx, reason, sizeof(reason)) > 0)
        complain("%s", reason);
    else
        complain("%s", status_text(status));
    if (help) complain("%s", help);
}

static void print_warning(void *user, clsp_log_level level, const char *message)
{
    (void)user;
    if (level == CLSP_LOG_WARNING) complain("warning: %s", message);
}

static void print_note(void *user, clsp_log_level level, const char *message)
{
    print_warning(user, level, message);
    if (level == CLSP_LOG_INFO) complain("note: %s", message);
}

/* Whose turn it is to compile: contexts are opened in many places, which know nothing of others. */
static const compile_turns *turns;

void compile_in_turns(const compile_turns *others)
{
    turns = others;
}

void compile_done(void)
{
    if (turns) turns->done(turns->user);
}

bool open_context(clsp_context **ctx, const char *device, verbosity how_much)
{
    return open_context_beside(ctx, device, NULL, how_much);
}

bool open_context_beside(clsp_context **ctx, const char *device,
                         const clsp_graphics_context *graphics, verbosity how_much)
{
    clsp_context_opts opts = {.device = device, .graphics = graphics};
    if (turns) turns->wait(turns->user);
    if (how_much != VERBOSITY_QUIET)
        opts.log = how_much == VERBOSITY_VERBOSE ? print_note : print_warning;
    clsp_status status = clsp_context_create(ctx, NULL, &opts);
    if (status == CLSP_OK) return true;
    complain_status(NULL, status);
    return false;
}

const char *device_class_name(clsp_device_class device_class)
{
    switch (device_class) {
    case CLSP_CLASS_CPU:
        return "cpu";
    case CLSP_CLASS_INTEGRATED:
        return "integrated";
    case CLSP_CLASS_DISCRETE:
        return "discrete";
    default:
        return "accelerator";
    }
}
