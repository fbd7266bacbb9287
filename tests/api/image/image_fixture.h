/* What the tests of images share: an image with its plan and its oracle, and the calls as doubles.
 */
#ifndef IMAGE_FIXTURE_H
#define IMAGE_FIXTURE_H

#include "support.h"

#include <stdbool.h>

#include <clspline/clspline.h>

#include "bezier_fixture.h"
#include "memory_fixture.h"
#include "image_ref.h"

/* Images of a plan, and the oracle's of each channel of each. */
typedef struct images {
    clsp_context *ctx;
    clsp_image_desc d; /* with defaults in place */
    clsp_image_plan *plan;
    size_t num, samples; /* images; samples of a channel */
    void *memory;        /* as they were loaded */
    ref_image *oracle;   /* [num][channels] */
    long double scale;   /* the largest |coefficient| of all */
} images;

/* Makes a plan, loads random samples, representable in their type, and, where it is asked for,
   makes the oracle's coefficients. */
images images_make(clsp_context *ctx, const clsp_image_desc *desc, size_t num, bool with_oracle,
                   uint64_t seed);
void images_free(images *im);

/* Loads the samples again, from a buffer. */
void images_load_from_buffer(const images *im);

/* The orders as numbers, of which 0 takes the nearest sample. */
enum { ORDERS = 8 };
unsigned order_number(const clsp_image_desc *d);
clsp_image_order order_of(unsigned number);

/* The machine epsilon of a type; of integers half a unit. */
double unit_of(clsp_type type);

/* A map that is a list of points, with the coordinates of each direction by themselves. */
clsp_image_map list_of(size_t num, clsp_input coordinates, uint32_t attributes);

/* A map with displacements. */
clsp_image_map displaced_by(clsp_image_map map, clsp_input displacements);

/* Interpolates all tiles of a call by the context's device, or on the calling thread. run may be
 * NULL.
 */
clsp_status eval_by(clsp_schedule schedule, const images *im, clsp_range range,
                    const clsp_image_map *map, clsp_output out, const clsp_run *run);

/* Interpolates all images. */
clsp_status eval_all(const images *im, const clsp_image_map *map, clsp_output out);

/* Runs a group of tests with the default device and, where this is a CPU, for which the host makes
   images, again by its kernels in the shapes of GPUs. Returns how many have failed. */
typedef int (*run_fn)(void);
int run_in_shapes(run_fn run);

/* Makes a context of the shape that the tests are run in. */
clsp_context *shape_context(void);

/* Tells whether the device has double precision. */
bool has_doubles(clsp_context *ctx);

/* Tells whether kernels that a description asks for are refused by a device whose local memory or
   groups are small; others take them. */
bool kernels_are_refused(clsp_context *ctx, const clsp_image_desc *d);

/* Components of a value, and elements of a call's output for so many points. */
size_t components_of(const images *im, uint32_t attributes);
size_t output_size(const images *im, size_t points, uint32_t attributes);

/* Where component k of point p of a channel of an image is in an output of so many points. */
size_t output_at(const images *im, size_t points, uint32_t attributes, const size_t at[4]);

#endif
