/* A call that interpolates, and by whom it is carried out. */
#ifndef CLSPI_IMAGE_CALL_H
#define CLSPI_IMAGE_CALL_H

#include "image_job.h"
#include "tiles.h"

/* A call whose places and images have been checked. Lines of its tiling are points, pieces are rows
   of a map, or lists. */
typedef struct clspi_image_call {
    clspi_image_job job;
    size_t points; /* of a piece of the job */
    size_t width;  /* of a row: all points of a list */
    clspi_tiling tiling;
    clspi_tiles tiles;       /* that the device makes alone */
    const clsp_input *given; /* displacements or coordinates; NULL: none */
    const char *what;        /* names them in messages */
    clsp_output values;      /* its first element is that of the first tile */
} clspi_image_call;

/* Takes over what a map says. */
clsp_status clspi_image_take_map(clspi_image_call *call, const clsp_image_map *map);

/* Counts the points of a map; those of a list are counted by clspi_image_take_map. */
clsp_status clspi_image_count_points(clspi_image_call *call);

/* Finds where displacements or coordinates along each direction begin, z, y, x, in host memory
   where those of all begin; NULL: there are none. */
void clspi_image_find_given(const clspi_image_call *call, const char *at, const char *given[3]);

/* Makes the call's tiles on the context's device, from and into memory of any kind. */
clsp_status clspi_image_eval_on_device(const clspi_image_call *call, const clsp_run *run);

/* Carries a call out, but for its tiles, as `run` says. */
clsp_status clspi_image_call_run(const clspi_image_call *call, const clsp_run *run);

/* Refuses values of the call's tiles that would overwrite the displacements or coordinates that
   they are made from. */
clsp_status clspi_image_check_overlap(const clspi_image_call *call);

/* Reports something that the address space does not hold. */
clsp_status clspi_image_too_many(const clsp_image_plan *plan, const char *what);

/* Returns how many vertices of a grid take as long as a point. */
size_t clspi_image_point_items(const clspi_image_call *call);

/* Counts the elements of the values of so many points. */
clsp_status clspi_image_values_need(const clspi_image_call *call, size_t points,
                                    clspi_memory_need *need);

/* Counts what the call is given for its points. */
clsp_status clspi_image_given_need(const clspi_image_call *call, clspi_memory_need *need);

#endif
