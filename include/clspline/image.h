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

   Accuracy: coefficients by the recursive filter, the default, are within 3 eps scale of the exact
   ones for order 3 (volumes: 4 eps), with eps = 2^-23 (CLSP_F32) or 2^-52 (CLSP_F64) and scale the
   largest |coefficient|, by FIR prefilters with default taps within 10 eps: more than the most that
   was found. Were all roundings at their worst at once it would be 7 eps for lines, 26 for images
   and 82 for volumes; more in docs/math.md, 18. Coordinates of affine maps are within 2^-28 of a
   sample in CLSP_F32, wherever in an image; given ones count as they are given.

   NaN and Inf among the samples spoil what is near them: by a FIR prefilter the coefficients within
   half its taps along each direction, by the recursive one those at most
   CLSP_IMAGE_NAN_REACH samples away, save with CLSP_IMAGE_LINES.

   What holds for plans of every family - the order of calls, queues, events, threads, errors - is
   in plan.h. */
#ifndef CLSPLINE_IMAGE_H
#define CLSPLINE_IMAGE_H

#include <clspline/plan.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    CLSP_IMAGE_MAX_SIZE = 268435456, /* 2^28 samples in each direction */
    CLSP_IMAGE_MAX_CHANNELS = 16,
    CLSP_IMAGE_MAX_TAPS = 127,
    CLSP_IMAGE_PAD = 12,       /* coefficients before and behind the samples; see below */
    CLSP_IMAGE_NAN_REACH = 288 /* samples along each direction */
};

/* The order of interpolation, which is the degree of the B-splines. */
typedef enum clsp_image_order {
    CLSP_IMAGE_ORDER_DEFAULT = 0, /* cubic */
    CLSP_IMAGE_LINEAR = 1,        /* 1 to 7: the order itself */
    CLSP_IMAGE_QUADRATIC = 2,
    CLSP_IMAGE_CUBIC = 3,
    CLSP_IMAGE_QUARTIC = 4,
    CLSP_IMAGE_QUINTIC = 5,
    CLSP_IMAGE_SEXTIC = 6,
    CLSP_IMAGE_SEPTIC = 7,
    CLSP_IMAGE_NEAREST_SAMPLE = 16 /* order 0; halves go up, in the modes mirror and reflect when
                                      the coordinate has been folded into the image */
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
    CLSP_IMAGE_KERNELS_DEFAULT = 0, /* the fastest for device, prefilter and size; for CPUs none:
                                       the host filters */
    CLSP_IMAGE_PASSES = 1,          /* one pass over memory for each direction. Recursive: blocks of
                                       lines in registers; FIR: an item makes one coefficient */
    CLSP_IMAGE_TILES = 2,           /* the last two directions in one pass, tile by tile through
                                       local memory; recursive of CLSP_F32, FIR of up to 33 taps */
    CLSP_IMAGE_STAGED = 3,          /* FIR: passes through local memory, as Champagnat and Le Sant
                                       have them */
    CLSP_IMAGE_LINES = 4            /* recursive: an item filters a whole line, there and back (as
                                       Ruijters and Thevenaz, 2012): to be compared with */
} clsp_image_kernels;

/* Where halves go of values of an integer type. */
typedef enum clsp_image_rounding {
    CLSP_IMAGE_ROUNDING_DEFAULT = 0, /* to even */
    CLSP_IMAGE_ROUND_EVEN = 1,
    CLSP_IMAGE_ROUND_UP = 2 /* up, and down below 0: SciPy's */
} clsp_image_rounding;

/* Where coefficients are kept. Those in host memory are brought to devices by windows, as results
   need them, so that images may be larger than a device's memory; all results are the same bits. */
typedef enum clsp_image_storage {
    CLSP_IMAGE_STORAGE_DEFAULT = 0, /* on the device; in host memory where an image, its
                                       coefficients or what lies between them are more than the
                                       device's largest buffer (clsp_device_info.max_alloc_bytes),
                                       or where the host filters (clsp_image_set_samples) */
    CLSP_IMAGE_ON_DEVICE = 1,       /* images that do not fit are refused */
    CLSP_IMAGE_ON_HOST = 2
} clsp_image_storage;

/* By what the context's device makes values at maps of the coefficients (clsp_image_eval, values
   alone; all else is made from buffers). Points near the edges are made from buffers in any case,
   and so is what several processors share; with bit_equal, or by the schedule device, such values
   are the context's device's alone. */
typedef enum clsp_image_fetch {
    CLSP_IMAGE_FETCH_DEFAULT = 0, /* buffers */
    CLSP_IMAGE_BUFFERS = 1,
    CLSP_IMAGE_TEXELS = 2, /* image objects, a fetch for each coefficient: accurate as buffers */
    CLSP_IMAGE_LERPS = 3   /* image objects and their units' linear interpolation: of order 3 an
                              image's values are 4 fetches and a volume's 8 (Sigg and Hadwiger, Fast
                              third-order texture filtering, 2005; Champagnat and Le Sant, 2012).
                              GPUs keep 8 bits of the fraction: a fetch is off by some 2^-9 of the
                              difference of neighbours. OpenCL says nothing of the accuracy;
                              docs/notes/image_kernels.md has what was measured */
} clsp_image_fetch;

enum { /* clsp_image_map.attributes */
       CLSP_IMAGE_VALUE = 1,
       CLSP_IMAGE_GRADIENT = 2 /* by the input's coordinates, one number a direction */
};

/* Where the samples of a plan lie among those of a whole: they are `size` of them from `begin` on
   along each direction, so that an image may be made part by part, by whomever, and none has the
   whole. whole 0: they are the whole along that direction. Modes act at the whole's ends, and
   coordinates are the whole's. What a part makes has the bits that a plan of the whole makes on a
   device of the same name and driver, or it is NaN (0 in integers): where it needs samples that the
   part lacks. clsp_image_need tells which samples results need. */
typedef struct clsp_image_part {
    uint32_t begin[3], whole[3];
} clsp_image_part;

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
                               nearest, halves as `rounding` says, saturated; NaN becomes 0 */
    clsp_type coefficients; /* the precision (the default) or, to save memory, CLSP_F16, which does
                               not hold those of samples in CLSP_U16 and _S16 */
    clsp_image_order order;
    clsp_image_mode mode[3];
    double cval; /* outside of the image, in the modes that have one, and at coordinates that are
                    not finite in all modes; may be NaN */
    clsp_image_prefilter prefilter; /* of orders 0 and 1: none is done */
    uint32_t taps; /* of a FIR prefilter: odd, 3..CLSP_IMAGE_MAX_TAPS. 0: of 8 and 16 bits so many
                      that they change no value by more than half a unit, whatever the image (and
                      cval within the samples' range); of other samples as many as change no
                      frequency by more than eps of their type, the sum made 1 aside */
    clsp_image_kernels kernels;
    uint32_t clip; /* 1: values are clipped to the range of their channel's samples */
    clsp_image_storage storage;
    clsp_image_fetch fetch; /* other than from buffers: on devices with images, in CLSP_F32, of
                               order 3, images and volumes of one channel or planar, on the device,
                               with coefficients in CLSP_F32 */
    clsp_image_rounding rounding; /* of values of an integer type; others have none */
    clsp_image_part part; /* has begin + size at most whole, neither clip, for which the range of
                             all samples counts, nor CLSP_IMAGE_LINES, which filters whole lines */
    uint64_t reserved[CLSP_RESERVED - 3];
} clsp_image_desc;

/* Where results lie, and what they are. NULL in its place, or all 0: the image's own samples. Else
   the input's coordinates of the output's points are those of a matrix, of a matrix plus a
   displacement for each point, or they are given one by one. */
typedef struct clsp_image_map {
    double matrix[3][4]; /* the point o of the output is the input's at coordinates
                                x_d = sum_k matrix[d][k] o_k + matrix[d][3],
                            as scipy.ndimage.affine_transform has them, the last number added to
                            the sum of the products: row d counts for d below directions, and so
                            does column k. Finite; may be singular. All 0: the identity */
    uint32_t size[3];    /* of the output; 0: of the input, whose part.begin is then added to
                            origin */
    uint32_t attributes; /* CLSP_IMAGE_ bits; 0: the value. Both: the value, then the gradient. A
                            gradient needs values of a floating type */
    clsp_input displacements; /* none, or what is added to the coordinates of the matrix: in the
                                 plan's precision, [directions][size_0][size_1][size_2] with the
                                 output's size; the same field for each image. One that is not
                                 finite gives cval, and a gradient of 0; beyond 2^29 it counts as
                                 that */
    clsp_points at;           /* with params: the coordinates, planar as those of
                                 scipy.ndimage.map_coordinates or not; the same ones for each image,
                                 so there is no item. The output is then a list of at.num points,
                                 and matrix, size and displacements are 0. What is not finite gives
                                 cval, and a gradient of 0; beyond 2^30 it counts as 2^30. An empty
                                 list has params, too: without them all fields are 0 */
    uint64_t origin[3]; /* a whole number added to o before all else: the output is those points
                           of a larger one that begin with it, and has their bits, in CLSP_F32
                           where the larger one's coordinates stay below 2^29. With size at
                           most CLSP_IMAGE_MAX_SIZE. Displacements are those of the output */
    uint32_t areas;     /* 1: samples are areas, as of scipy.ndimage.zoom with grid_mode, and the
                           matrix counts from their outer edge:
                               x_d + 1/2 = sum_k matrix[d][k] (o_k + 1/2) + matrix[d][3],
                           where factors alone keep the edges, and the sample that is meant at
                           coordinate 0 is not outside by rounding */
    uint32_t reserved[1];
} clsp_image_map;

typedef struct clsp_image_plan clsp_image_plan;

/* Makes a plan: checks the description and compiles the kernels; for a device that is a CPU these
   are compiled when they are first needed. Errors: CLSP_ERROR_ARGUMENT also for kernels that the
   prefilter does not have. On error *plan is NULL. */
CLSP_API clsp_status clsp_image_plan_create(clsp_image_plan **plan, clsp_context *ctx,
                                            const clsp_image_desc *desc);

/* Releases the plan. */
CLSP_API void clsp_image_plan_destroy(clsp_image_plan **plan);

/* Gives the plan's description, with every default in its place. */
CLSP_API clsp_status clsp_image_plan_desc(const clsp_image_plan *plan, clsp_image_desc *desc);

/* Loads num_images images, replacing those before, and makes their coefficients. num_images 0 is
   allowed; ranges are then empty. samples: in the type of the description, in shape
       interleaved  [num_images][size_0][size_1][size_2][channels]
       planar       [num_images][channels][size_0][size_1][size_2]
   (less the directions that there are not). They are read and not kept: later calls may write to
   the same memory. For a device that is a CPU the host filters, whatever the storage and the memory
   are, unless kernels are asked for, and coefficients are then where those of shared loads are.
   From a buffer, or SVM, it does so behind what the queue holds (plan.h, CPUs), and the call waits
   for that only where other numbers of images were loaded before. Where what is enqueued fails, as
   when an event in its list does, coefficients are undefined until samples are loaded again.

   Shared, each direction of the prefilter is a job, and the report adds them up; a direction needs
   the whole of the one before, so there are no tiles of the call (CLSP_ERROR_ARGUMENT). Samples are
   in host memory or SVM that the host may use at once, aligned to their elements. Coefficients are
   then in host memory; where they fit, the next call that needs them on the device brings them
   there. A discrete GPU makes and keeps them by itself where they fit and the host takes no part:
   by schedule device, and by the default one with bit_equal or without workers. Processors make the
   same coefficients within the bound above, those of a CPU the host alone. A device gets, with each
   chunk, the samples that this needs: a part of the image and a halo around it. */
CLSP_API clsp_status clsp_image_set_samples(clsp_image_plan *plan, size_t num_images,
                                            clsp_input samples, const clsp_run *run);

/* Gives the coefficients of a range of images, in the description's type and in shape
   [count][channels][stored_0][stored_1][stored_2], whatever the layout. stored_d is size_d, and
   CLSP_IMAGE_PAD more at either end in the modes nearest and grid-constant of orders above 1 with a
   prefilter: as SciPy does, these continue the image by CLSP_IMAGE_PAD samples at either end first,
   and the longer one is filtered by reflect and mirror. A part has them at an end of the whole
   alone. run: not shared. */
CLSP_API clsp_status clsp_image_coefficients(clsp_image_plan *plan, clsp_range images,
                                             clsp_output coefficients, const clsp_run *run);

/* Interpolates a range of the images loaded at the places of a map; NULL: at their own samples.
   There values are the samples to rounding, not to the bit, and a NaN spoils what is near it: a
   plan keeps coefficients and no samples. Finite ones come back as they are by orders 0 and 1.
   values: receives, in the description's type and in the shape of its layout, with the map's size,
       interleaved  [count][size_0][size_1][size_2][channels][components]
       planar       [count][channels][size_0][size_1][size_2][components]
   where components are what the attributes ask for: the value, and a number for each direction of
   the gradient; of a list of coordinates [num] stands in place of the sizes. Gradients by nearest
   sample are 0, and so are those where there is cval.

   Shared: all schedules but svm, for which dynamic steps in; displacements and coordinates are in
   host memory or SVM that the host may use at once. Processors make the same results within twice
   the bound above; what is within 2^-28 of a place where values jump (nearest sample, gradients of
   order 1, cval beyond constant edges) may come from either side of it. A joined device gets, with
   each chunk, those coefficients alone that the chunk's points need, and from the second call with
   the same samples on all of them once, where they fit. Errors: CLSP_ERROR_ARGUMENT
   also for a map that is not finite or whose size or attributes cannot be, for coordinates beside
   anything else, and for displacements and coordinates that the values would overwrite. Where
   coefficients are in host memory, the call waits for displacements and coordinates that are not,
   and copies them there. */
CLSP_API clsp_status clsp_image_eval(clsp_image_plan *plan, clsp_range images,
                                     const clsp_image_map *map, clsp_output values,
                                     const clsp_run *run);

/* Tells which samples values at a map need, NULL: those at the plan's own samples: gives, in *part,
   the description of a plan that makes them, the plan's own with other size and part. They are what
   the coefficients need that values are made of: with a prefilter the samples around each, and with
   the recursive one the rest of the blocks that its kernels on this device filter as a whole, some
   14 to 300 more on either side along each direction; docs/notes/image_taps.md has a table. The
   plan may be of any part of the whole, and needs no samples. Displacements and coordinates are in
   host memory. A map that jumps across the seam of modes grid-wrap and wrap needs the whole along
   such a direction, as does the prefilter of grid-wrap near the ends; one that needs none gets some
   all the same. */
CLSP_API clsp_status clsp_image_need(const clsp_image_plan *plan, const clsp_image_map *map,
                                     clsp_image_desc *part);

/* Makes the identity, for the caller to change. */
static inline clsp_image_map clsp_image_identity(void)
{
    const clsp_input none = {CLSP_TYPE_DEFAULT, NULL, NULL, NULL, 0, 0, {0, 0, 0, 0}};
    clsp_image_map map = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}, {0, 0, 0}, 0, none,
                          {0, none, none, 0, {0, 0, 0, 0}},           {0, 0, 0}, 0, {0}};
    return map;
}

#ifdef __cplusplus
}
#endif

#endif
