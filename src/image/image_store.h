/* Where the coefficients of a plan are: on its device, in host memory, or both. */
#ifndef CLSPI_IMAGE_STORE_H
#define CLSPI_IMAGE_STORE_H

#include "image_filter.h"
#include "image_layout.h"

#include "memory.h"

typedef struct clsp_image_plan clsp_image_plan;

typedef struct clspi_image_store {
    uint64_t load;         /* counts loads, so that what was made of others is known */
    uint64_t shared_calls; /* for values, since the last load */
    bool on_device;        /* the plan's buffer has them, and the ranges of planes */
    char *host;            /* [num_images][channels][plane] of their type; NULL: not there */
    char *range;           /* [num_images][channels][2] reals; NULL: not there, or not needed */
    char *reals; /* the coefficients as the host reads them (image_reals.h); NULL: as in `host` */

    /* What loads on the host go on using, so that its pages stay: the memory that `host` is in,
       where a line of a cache begins, planes of reals that passes hand over, and what each worker
       filters lines with. */
    char *host_memory;
    size_t host_bytes; /* of `host` */
    char *scratch[CLSPI_SCRATCHES];
    void *line_memory[CLSPI_HOST_WORKERS];
} clspi_image_store;

/* Host memory on the way to a buffer. */
typedef struct clspi_image_staging {
    char *at;
    size_t bytes;
} clspi_image_staging;

/* Makes it hold so many bytes. */
clsp_status clspi_image_stage(const clsp_image_plan *plan, clspi_image_staging *staging,
                              size_t bytes);

/* Reports that there is no host memory for something. */
clsp_status clspi_image_no_memory(const clsp_image_plan *plan, const char *what);

/* Tells whether so many images can be on the plan's device, and are to be. */
bool clspi_image_fits_device(const clsp_image_plan *plan, size_t num_images);

/* Counts the samples of so many images, which the address space must hold, and says their type. */
clsp_status clspi_image_samples_need(const clsp_image_plan *plan, size_t num_images,
                                     clspi_memory_need *need);

/* Checks that there are samples, and that a range is one of the images loaded. A call that only
   asks for its tiling needs none, and may ask for any range then. */
clsp_status clspi_image_check_range(const clsp_image_plan *plan, clsp_range images,
                                    const clsp_run *run);

/* Says whether loading samples has failed. */
void clspi_image_set_broken(clsp_image_plan *plan, bool is_broken);

/* Releases what there was of images loaded before. */
void clspi_image_store_forget(clsp_image_plan *plan);

/* Forgets it, and makes room in host memory for so many images, in the same memory where that fits:
   commands of the host's may be on their way that work on it. Reals that are still there then are
   to be made again. */
clsp_status clspi_image_store_renew(clsp_image_plan *plan, size_t num_images);

/* Makes room in host memory for the coefficients of so many images, and for ranges. Waits for
   commands that work on what there was, if it does not fit. */
clsp_status clspi_image_store_reserve(clsp_image_plan *plan, size_t num_images);

/* Brings coefficients to the device, or to host memory, where they are not there. Those that do not
   fit the device stay where they are. */
clsp_status clspi_image_to_device(clsp_image_plan *plan);
clsp_status clspi_image_to_host(clsp_image_plan *plan);

/* Brings ranges that are in host memory to a plan's device; range: the owner's. */
clsp_status clspi_image_range_to_device(clsp_image_plan *plan, const char *range, size_t planes);

/* What an input has, in host memory: where it is, mapped of a buffer or of SVM, or a copy of what
   is not aligned to its elements. */
typedef struct clspi_host_input {
    const char *at;
    void *copy;
    char *mapped; /* NULL: it is not */
    clspi_memory memory;
    clspi_series series; /* of mapping */
} clspi_host_input;

/* Gives it, when all that the call waits for is done; clspi_host_input_close must follow in every
   case. */
clsp_status clspi_host_input_open(clspi_host_input *in, clsp_image_plan *plan,
                                  const clsp_input *input, const clspi_memory_need *need,
                                  const clsp_run *run);
void clspi_host_input_close(clspi_host_input *in);

#endif
