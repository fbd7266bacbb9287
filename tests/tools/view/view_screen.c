#include "view_screen.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <clspline/context.h>

#include "view_request.h"

/* clspline-view's own entry, which these tests do not call. */
int view_run(request *r)
{
    (void)r;
    return EXIT_FAILED;
}

bool view_screen_open(offscreen *screen)
{
    clsp_context *ctx;
    io_message message;

    if (clsp_context_create(&ctx, NULL, NULL) != CLSP_OK) {
        print_message("no OpenCL device\n");
        return false;
    }
    clsp_context_destroy(&ctx);
    if (!offscreen_open(screen, &message)) {
        print_message("%s\n", message.text);
        return false;
    }
    return true;
}
