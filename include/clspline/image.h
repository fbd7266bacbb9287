/* Interpolation of images and volumes by B-splines, the cubic one above all: at affine maps, at
   coordinates and along displacement fields.

   An image with samples s_k at the integers is the spline
       s(x) = sum_k c_k B^p(x - k),    s(k) = s_k,
   along each direction, with the central B-spline B^p of degree p (Unser, Splines: a perfect fit
   for signal and image processing, 1999). The step from samples to the coefficients c_k is the
   prefilter: the inverse of the sequence B^p(k), a recursive filter, or a convolution with taps
   that come near it. The images of a plan share size, channels, types, the order p, the modes by
   which they continue beyond their edges, and the prefilter; so coefficients are never evaluated in
   another mode than the one that they were made for.

   Directions are numbered as the axes of a C array: 0 is the slowest, the last one the fastest.
   Coordinates are indices: sample k lies at k. Modes and results are SciPy's (scipy.ndimage 1.10).

   Accuracy: coefficients by the recursive filter, the default, are within 2 eps scale of the exact
   ones for order 3 (volumes: 3 eps), with eps = 2^-23 (CLSP_F32) or 2^-52 (CLSP_F64) and scale the
   largest |coefficient|; more in docs/math.md, 18. Coordinates of affine maps are exact to 2^-29 of
   a sample in CLSP_F32, wherever in an image; given ones count as they are given.

   NaN and Inf among the samples spoil what is near them: by a FIR prefilter the coefficients within
   half its taps along each direction, by the recursive one those at most
   CLSP_IMAGE_NAN_REACH samples away, save with CLSP_IMAGE_LINES.

   Otherwise as Bezier patches (bezier.h): the order of calls, plans whose change failed, queues,
   threads, events. */
#ifndef CLSPLINE_IMAGE_H
#define CLSPLINE_IMAGE_H

#include <clspline/context.h>
#include <clspline/cooperate.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    CLSP_IMAGE_MAX_SIZE = 268435456, /* 2^28 samples in each direction */
    CLSP_IMAGE_MAX_CHANNELS = 16,
    CLSP_IMAGE_MAX_TAPS = 127,
    CLSP_IMAGE_PAD = 12,       /* coefficients before and behind the samples; see below */
    CLSP_IMAGE_NAN_REACH = 192 /* samples along each direction */
};

/* The order of interpolation, which is the degree of the B-splines. */
typedef enum clsp_image_order {
    CLSP_IMAGE_ORDER_DEFAULT = 0, /* cubic */
    CLSP_IMAGE_LINEAR = 1,        /* 1 to 5: the order itself */
    CLSP_IMAGE_QUADRATIC = 2,
    CLSP_IMAGE_CUBIC = 3,
    CLSP_IMAGE_QUARTIC = 4,
    CLSP_IMAGE_QUINTIC = 5,
    CLSP_IMAGE_NEAREST_SAMPLE = 6 /* order 0; halves go up */
} clsp_image_order;

/* How an image a b c d continues beyond its edges: SciPy's names and meanings. */
typedef enum clsp_image_mode {
    CLSP_IMAGE_MODE_DEFAULT = 0, /* constant */
    CLSP_IMAGE_MIRROR = 1,       /* d c b | a b c d | c b a: about the last sample */
    CLSP_IMAGE_REFLECT = 2,      /* d c b a | a b c d | d c b a: about the edge behind it */
    CLSP_IMAGE_GRID_WRAP = 3,    /* a b c d | a b c d | a b c d */
    CLSP_IMAGE_NEAREST = 4,      /* a a a a | a b c d | d d d d */
    CLSP_IMAGE_CONSTANT = 5, /* cval at coordinates outside of [0, size - 1]; within it as mirror */
    CLSP_IMAGE_GRID_CONSTANT = 6, /* k k k k | a b c d | k k k k, with k = cval */
    CLSP_IMAGE_WRAP = 7 /* coordinates have the period size - 1; samples are as of mirror */
} clsp_image_mode;

typedef enum clsp_image_prefilter {
    CLSP_IMAGE_PREFILTER_DEFAULT = 0, /* recursive */
    CLSP_IMAGE_RECURSIVE = 1,         /* exact to rounding */
    CLSP_IMAGE_LEAST_SQUARES = 2,     /* FIR: taps whose spectrum is nearest to the exact one, high
                                         frequencies counting less (docs/math.md, 18) */
    CLSP_IMAGE_TRUNCATED = 3, /* FIR: the exact filter's taps, cut off, with their sum made 1
                                 (Champagnat and Le Sant, Efficient cubic B-spline image
                                 interpolation on a GPU, 2012) */
    CLSP_IMAGE_NONE = 4       /* the samples are coefficients */
} clsp_image_prefilter;

/* By which kernels the prefilter works; results are the same within its bound. */
typedef enum clsp_image_kernels {
    CLSP_IMAGE_KERNELS_DEFAULT = 0, /* the fastest for device, prefilter and size */
    CLSP_IMAGE_PASSES = 1,          /* one pass over memory for each direction. Recursive: blocks of
                                       lines in registers, on CPUs of many lines side by side; FIR:
                                       an item makes one coefficient, on CPUs a vector of them */
    CLSP_IMAGE_TILES = 2,           /* recursive: the last two directions in one pass, tile by tile
                                       through local memory; of CLSP_F32 */
    CLSP_IMAGE_STAGED = 3,          /* FIR: passes through local memory, as Champagnat and Le Sant
                                       have them */
    CLSP_IMAGE_LINES = 4            /* recursive: an item filters a whole line, there and back (as
                                       Ruijters and Thevenaz, 2012): to be compared with */
} clsp_image_kernels;

/* Where coefficients are kept. Those in host memory are brought to devices by windows, as results
   need them, so that images may be larger than a device's memory; all results are the same bits. */
typedef enum clsp_image_storage {
    CLSP_IMAGE_STORAGE_DEFAULT = 0, /* on the device; in host memory where an image, its
                                       coefficients or what lies between them are more than the
                                       device's largest buffer (clsp_device_info.max_alloc_bytes) */
    CLSP_IMAGE_ON_DEVICE = 1,       /* images that do not fit are refused */
    CLSP_IMAGE_ON_HOST = 2
} clsp_image_storage;

/* By what values at maps are made of the coefficients (clsp_image_affine, values alone; all else is
   made from buffers). Points near the edges are made from buffers in any case. */
typedef enum clsp_image_fetch {
    CLSP_IMAGE_FETCH_DEFAULT = 0, /* buffers */
    CLSP_IMAGE_BUFFERS = 1,
    CLSP_IMAGE_TEXELS = 2, /* image objects, a fetch for each coefficient: accurate as buffers */
    CLSP_IMAGE_LERPS = 3   /* image objects and their units' linear interpolation: of order 3 an
                              image's values are 4 fetches and a volume's 8 (Sigg and Hadwiger, Fast
                              third-order texture filtering, 2005; Champagnat and Le Sant, 2012).
                              GPUs keep 8 bits of the fraction: a fetch is off by some 2^-9 of the
                              difference of neighbours. OpenCL says nothing of the accuracy;
                              docs/image.md has what was measured */
} clsp_image_fetch;

enum { /* clsp_image_map.attributes */
       CLSP_IMAGE_VALUE = 1,
       CLSP_IMAGE_GRADIENT = 2 /* by the input's coordinates, one number a direction */
};

/* What a plan computes. Zero is the default of every field but size. Those of directions that there
   are not are ignored. */
typedef struct clsp_image_desc {
    uint32_t directions;    /* 1: lines, 2: images (0 means this), 3: volumes */
    uint32_t size[3];       /* samples along each direction: 1..CLSP_IMAGE_MAX_SIZE */
    uint32_t channels;      /* 1 (0 means this) to CLSP_IMAGE_MAX_CHANNELS */
    uint32_t planar;        /* 1: memory has one channel behind the other, [channels][size]; 0:
                               interleaved,        [size][channels] */
    clsp_type precision;    /* of arithmetic and coordinates: CLSP_F32 (the default), CLSP_F64 */
    clsp_type samples;      /* CLSP_U8, _U16, _S16, _F16, _F32 or, in CLSP_F64, _F64; default: the
                               precision */
    clsp_type values;       /* of results, one of the same; default: that of samples. Integers: the
                               nearest, ties to even, saturated; NaN becomes 0 */
    clsp_type coefficients; /* the precision (the default) or, to save memory, CLSP_F16, which does
                               not hold those of samples in CLSP_U16 and _S16 */
    clsp_image_order order;
    clsp_image_mode mode[3];
    double cval; /* outside of the image, in the modes that have one, and at coordinates that are
                    not finite in all modes; may be NaN */
    clsp_image_prefilter prefilter; /* of orders 0 and 1: none is done */
    uint32_t taps; /* of a FIR prefilter: odd, 3..CLSP_IMAGE_MAX_TAPS. 0: as many as
                      make it exact to 2 eps of the samples' type; of 8 and 16 bits
                      to half a unit of the last place */
    clsp_image_kernels kernels;
    uint32_t clip; /* 1: values are clipped to the range of their channel's samples */
    clsp_image_storage storage;
    clsp_image_fetch fetch; /* other than from buffers: on devices with images, in CLSP_F32, of
                               order 3, images and volumes of one channel or planar, on the device,
                               with coefficients in CLSP_F32 */
    uint32_t reserved[6];
} clsp_image_desc;

/* Where results lie, and what they are. NULL in its place, or one whose matrix is the identity and
   all else 0: the image's own samples. */
typedef struct clsp_image_map {
    double matrix[3][4]; /* the point o of the output is the input's at coordinates
                                x_d = sum_k matrix[d][k] o_k + matrix[d][3],
                            as scipy.ndimage.affine_transform has them: row d counts for d below
                            directions, and so does column k. Finite; may be singular */
    uint32_t size[3];    /* of the output; 0: of the input */
    uint32_t attributes; /* CLSP_IMAGE_ bits; 0: the value. Both: the value, then the gradient. A
                            gradient needs values of a floating type */
    uint32_t reserved[8];
} clsp_image_map;

typedef struct clsp_image_plan clsp_image_plan;

/* Makes a plan: checks the description (copied) and compiles the kernels. The context must outlive
   the plan. Errors: CLSP_ERROR_ARGUMENT (NULL, a field out of its range, kernels that the prefilter
   does not have), CLSP_ERROR_NO_FP64, CLSP_ERROR_NO_MEMORY (also: sizes overflow),
   CLSP_ERROR_DEVICE_LOST, OpenCL's own. On error *plan is NULL. */
CLSP_API clsp_status clsp_image_plan_create(clsp_image_plan **plan, clsp_context *ctx,
                                            const clsp_image_desc *desc);

/* Releases the plan and writes NULL; *plan may be NULL. As clsp_bezier_plan_destroy. */
CLSP_API void clsp_image_plan_destroy(clsp_image_plan **plan);

/* Gives the plan's description, with every default in its place. Errors: CLSP_ERROR_ARGUMENT
   (NULL). */
CLSP_API clsp_status clsp_image_plan_desc(const clsp_image_plan *plan, clsp_image_desc *desc);

/* Loads num_images images, replacing those before, and makes their coefficients. num_images 0 is
   allowed; ranges are then empty. samples: in the type of the description, in shape
       interleaved  [num_images][size_0][size_1][size_2][channels]
       planar       [num_images][channels][size_0][size_1][size_2]
   (less the directions that there are not). They are read and not kept: later calls may write to
   the same memory. Errors: CLSP_ERROR_ARGUMENT (NULL, memory that cannot be),
   CLSP_ERROR_BUFFER_SIZE, CLSP_ERROR_NO_MEMORY, CLSP_ERROR_DEVICE_LOST, OpenCL's own. */
CLSP_API clsp_status clsp_image_set_samples(clsp_image_plan *plan, size_t num_images,
                                            clsp_input samples, const clsp_sync *sync);

/* Gives the coefficients of a range of images, in the description's type and in shape
   [count][channels][stored_0][stored_1][stored_2], whatever the layout. stored_d is size_d, and
   size_d + 2 CLSP_IMAGE_PAD in the modes nearest and grid-constant of orders above 1 with a
   prefilter: as SciPy does, these continue the image by CLSP_IMAGE_PAD samples at either end first,
   and the longer one is filtered by reflect and mirror. Errors: as clsp_image_affine. */
CLSP_API clsp_status clsp_image_coefficients(clsp_image_plan *plan, clsp_range images,
                                             clsp_output coefficients, const clsp_sync *sync);

/* Interpolates a range of the images loaded at an affine map of their coordinates. map: NULL for
   the identity. values: receives, in the description's type and in the shape of its layout, with
   the map's size,
       interleaved  [count][size_0][size_1][size_2][channels][components]
       planar       [count][channels][size_0][size_1][size_2][components]
   where components are what the attributes ask for: the value, and a number for each direction of
   the gradient. Gradients by nearest sample are 0, and so are those where there
   is cval. Errors: CLSP_ERROR_ARGUMENT
   (NULL, a range outside of the images, a map that is not finite or whose size or attributes cannot
   be, memory that cannot be), CLSP_ERROR_STATE (no samples), CLSP_ERROR_BUFFER_SIZE,
   CLSP_ERROR_NO_MEMORY, CLSP_ERROR_DEVICE_LOST, OpenCL's own. */
CLSP_API clsp_status clsp_image_affine(clsp_image_plan *plan, clsp_range images,
                                       const clsp_image_map *map, clsp_output values,
                                       const clsp_sync *sync);

/* What clsp_image_at interpolates at. */
typedef struct clsp_image_points {
    size_t num;
    clsp_input coordinates; /* in the plan's precision, [directions][num] as those of
                               scipy.ndimage.map_coordinates. What is not finite gives cval, and a
                               gradient of 0; beyond 2^30 it counts as 2^30 */
    uint32_t attributes;    /* as of clsp_image_map */
    uint32_t reserved[9];
} clsp_image_points;

/* Interpolates a range of images at coordinates, the same ones for each. values: receives
       interleaved  [count][num][channels][components]
       planar       [count][channels][num][components]
   Otherwise as clsp_image_affine. */
CLSP_API clsp_status clsp_image_at(clsp_image_plan *plan, clsp_range images,
                                   const clsp_image_points *points, clsp_output values,
                                   const clsp_sync *sync);

/* Interpolates a range of images along a displacement field: at the coordinates of the map, which
   may be NULL, plus what the field holds for the point. field: in the plan's precision,
   [directions][size_0][size_1][size_2] with the map's size; the same one for each image. Otherwise
   as clsp_image_affine; what is not finite is as of clsp_image_at, and displacements beyond 2^29
   count as that. */
CLSP_API clsp_status clsp_image_displace(clsp_image_plan *plan, clsp_range images,
                                         const clsp_image_map *map, clsp_input field,
                                         clsp_output values, const clsp_sync *sync);

/* ---- by several processors ---- */

/* As clsp_image_set_samples, with the prefilter shared by devices and the host's cores
   (cooperate.h, docs/cooperation.md): each direction is a job, and the report adds them up.
   samples: host memory or SVM that the host may use at once, aligned to its elements. Coefficients
   are then in host memory; where they fit, the next call that needs them on the device brings them
   there. Processors make the same coefficients within the bound above; with bit_equal they have the
   bits of clsp_image_set_samples. A device gets, with each chunk, the samples that this needs: a
   part of the image and a halo around it. Errors: as clsp_image_set_samples and
   clsp_image_affine_shared; report is written on success alone. */
CLSP_API clsp_status clsp_image_set_samples_shared(clsp_image_plan *plan, size_t num_images,
                                                   clsp_input samples,
                                                   const clsp_cooperate_opts *opts,
                                                   clsp_cooperate_report *report);

/* As clsp_image_affine, shared by devices and the host's cores (cooperate.h, docs/cooperation.md).
   values: host memory, best of clsp_shared_alloc, or SVM that the host may use at once. The call
   returns when all is there. Schedules: all but svm, for which dynamic steps in. Processors make
   the same results within twice the bound above; what is within 2^-28 of a place where values jump
   (nearest sample, gradients of order 1, cval beyond constant edges) may come from either side of
   it. With bit_equal the bits are those of clsp_image_affine. A joined device gets, with each
   chunk, those coefficients alone that the chunk's points need. report: may be NULL. Errors: as
   clsp_image_affine, and CLSP_ERROR_ARGUMENT also for a buffer, coarse-grain SVM and options that
   are out of their range. */
CLSP_API clsp_status clsp_image_affine_shared(clsp_image_plan *plan, clsp_range images,
                                              const clsp_image_map *map, clsp_output values,
                                              const clsp_cooperate_opts *opts,
                                              clsp_cooperate_report *report);

/* As clsp_image_at, shared in the same way. coordinates: host memory or such SVM. */
CLSP_API clsp_status clsp_image_at_shared(clsp_image_plan *plan, clsp_range images,
                                          const clsp_image_points *points, clsp_output values,
                                          const clsp_cooperate_opts *opts,
                                          clsp_cooperate_report *report);

/* What clsp_image_displace_shared interpolates along: the map and the field of
   clsp_image_displace, the field in host memory or such SVM. */
typedef struct clsp_image_field {
    const clsp_image_map *map; /* NULL: the identity */
    clsp_input displacements;
    uint32_t reserved[8];
} clsp_image_field;

/* As clsp_image_displace, shared in the same way. */
CLSP_API clsp_status clsp_image_displace_shared(clsp_image_plan *plan, clsp_range images,
                                                const clsp_image_field *field, clsp_output values,
                                                const clsp_cooperate_opts *opts,
                                                clsp_cooperate_report *report);

/* Makes the identity, for the caller to change. */
static inline clsp_image_map clsp_image_identity(void)
{
    clsp_image_map map = {
        {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}, {0, 0, 0}, 0, {0, 0, 0, 0, 0, 0, 0, 0}};
    return map;
}

#ifdef __cplusplus
}
#endif

#endif
