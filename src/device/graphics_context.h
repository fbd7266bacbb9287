/* What a context has in common with the caller's graphics: a device, and a cl_context that knows an
   OpenGL context. Both may be missing, each for a reason in words. */
#ifndef CLSPI_GRAPHICS_CONTEXT_H
#define CLSPI_GRAPHICS_CONTEXT_H

#include <stdbool.h>

#include <clspline/graphics.h>

#include "log.h"

enum { CLSPI_GRAPHICS_REASON = 256, CLSPI_UUID_TEXT = 33 };

typedef struct clspi_graphics_link {
    char no_device[CLSPI_GRAPHICS_REASON]; /* why the device is not that of graphics; "": it is, as
                                         far as is known */
    char no_gl[CLSPI_GRAPHICS_REASON]; /* why the cl_context knows no OpenGL context; "": it does */
} clspi_graphics_link;

/* Checks what the caller says of its graphics, which may be NULL. */
clsp_status clspi_graphics_check(const clsp_graphics_context *graphics);

/* Tells whether a device has this UUID; NULL, the host, has none. */
bool clspi_has_uuid(cl_device_id device, const uint8_t *uuid);

/* Writes the 32 hexadecimal digits of a UUID. Returns text. */
const char *clspi_uuid_text(char text[CLSPI_UUID_TEXT], const uint8_t *uuid);

/* Makes a cl_context on a device: with the OpenGL context that the caller names, where the device
   and the driver let it, else without. graphics may be NULL. */
clsp_status clspi_graphics_create_context(cl_context *context, clspi_graphics_link *link,
                                          cl_device_id device,
                                          const clsp_graphics_context *graphics, clspi_log *log);

/* Says that a context of the host shares nothing with graphics. */
void clspi_graphics_none(clspi_graphics_link *link);

/* Looks at a cl_context of the caller's. */
void clspi_graphics_adopt_context(clspi_graphics_link *link, cl_context context,
                                  cl_device_id device, const clsp_graphics_context *graphics);

/* A function of OpenCL, to be cast to its type. */
typedef void (*clspi_any_fn)(void);

/* Gives an extension's function; NULL where the driver has none. */
clspi_any_fn clspi_extension_function(cl_device_id device, const char *name);

/* Gives a function of the OpenCL loader that older ones lack; NULL in these. */
clspi_any_fn clspi_loader_function(const char *name);

#endif
