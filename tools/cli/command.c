#include "command.h"

#include <stdarg.h>
#include <CL/cl.h>
#include <stdio.h>
#include <string.h>

#include "drivers.h"

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

/* Prints a text with a '?' for each control character, of UTF-8's C1 set too; `kept` are not
   replaced. */
static void print_safely(FILE *to, const char *text, const char *kept)
{
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        const bool is_c1 = c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0;
        const bool is_control = is_c1 || *c < ' ' || *c == 0x7f;
        fputc(is_control && !strchr(kept, *c) ? '?' : *c, to);
        if (is_c1) c++;
    }
}

void print_name(FILE *to, const char *name)
{
    print_safely(to, name, "");
}

/* Prints the text of a complaint, cut where it is longer than any message of a file. */
static void print_complaint(FILE *to, const char *format, va_list args)
{
    io_message message;
    vsnprintf(message.text, sizeof(message.text), format, args);
    fputs("clspline: ", to);
    print_safely(to, message.text, "");
}

void complain(const char *format, ...)
{
    FILE *const to = stream_of_complaints();
    va_list args;
    va_start(args, format);
    print_complaint(to, format, args);
    va_end(args);
    fputc('\n', to);
}

/* Complains in words of the library's, which have several lines where a compiler speaks. */
static void complain_lines(const char *before, const char *text)
{
    FILE *const to = stream_of_complaints();
    fprintf(to, "clspline: %s", before);
    print_safely(to, text, "\n\t");
    fputc('\n', to);
}

int usage_error(const char *command, const char *format, ...)
{
    FILE *const to = stream_of_complaints();
    va_list args;
    va_start(args, format);
    print_complaint(to, format, args);
    va_end(args);
    fprintf(to, " (see clspline help%s%s)\n", command ? " " : "", command ? command : "");
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
    size_t devices = 2;
    if (status == CLSP_ERROR_NO_DEVICE) clsp_device_list(NULL, 0, &devices);
    const char *help = devices > 1 ? advice(status) : NULL;
    const bool has_reason = clsp_context_last_error(ctx, reason, sizeof(reason)) > 0;
    if (has_reason && status == CL_BUILD_PROGRAM_FAILURE)
        complain_lines("", reason);
    else
        complain("%s", has_reason ? reason : status_text(status));
    if (help) complain("%s", help);
    if (devices == 1) drivers_complain(NULL, NULL); /* the host alone */
}

static void print_warning(void *user, clsp_log_level level, const char *message)
{
    (void)user;
    if (level == CLSP_LOG_WARNING) complain_lines("warning: ", message);
}

static void print_note(void *user, clsp_log_level level, const char *message)
{
    print_warning(user, level, message);
    if (level == CLSP_LOG_INFO) complain_lines("note: ", message);
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
    case CLSP_CLASS_HOST:
        return "host";
    default:
        return "accelerator";
    }
}
