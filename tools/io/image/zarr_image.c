#include "zarr_image.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image_formats.h"
#include "zarr_chunks.h"

enum { PATH_BYTES = 4096 };

/* ---- axes ---- */

/* What an axis is. */
typedef enum axis_kind { AXIS_SPACE, AXIS_CHANNEL, AXIS_TIME, AXIS_OTHER } axis_kind;

typedef struct axis {
    axis_kind kind;
    double scale, origin;
    double millimeters; /* of its unit; 0: that is not known */
} axis;

typedef struct axes {
    uint32_t num; /* 0: nothing is said of them */
    bool has_scale;
    axis all[ZARR_MAX_AXES];
} axes;

static const char *text_of(const cJSON *object, const char *key)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));
    return text ? text : "";
}

static double unit_millimeters(const char *unit)
{
    static const struct {
        const char *name;
        double length;
    } known[] = {{"meter", 1000},       {"centimeter", 10},  {"millimeter", 1},
                 {"micrometer", 0.001}, {"nanometer", 1e-6}, {"inch", 25.4}};
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (strcmp(unit, known[i].name) == 0) return known[i].length;
    return 0;
}

/* Reads one axis: an object, or a name alone as before version 0.4. */
static axis read_axis(const cJSON *json)
{
    const char *name = cJSON_IsString(json) ? json->valuestring : text_of(json, "name");
    const char *type = text_of(json, "type");
    axis one = {AXIS_OTHER, 1, 0, unit_millimeters(text_of(json, "unit"))};
    if (strcmp(type, "space") == 0 || (!*type && strlen(name) == 1 && strchr("xyz", name[0])))
        one.kind = AXIS_SPACE;
    else if (strcmp(type, "channel") == 0 || (!*type && strcmp(name, "c") == 0))
        one.kind = AXIS_CHANNEL;
    else if (strcmp(type, "time") == 0 || (!*type && strcmp(name, "t") == 0))
        one.kind = AXIS_TIME;
    return one;
}

/* Scales and moves axes as a list of transformations does, one after the other. */
static void transform(axes *found, const cJSON *object)
{
    const cJSON *one;
    cJSON_ArrayForEach(one, cJSON_GetObjectItemCaseSensitive(object, "coordinateTransformations"))
    {
        const char *const type = text_of(one, "type");
        const bool scales = strcmp(type, "scale") == 0, moves = strcmp(type, "translation") == 0;
        const cJSON *const list = cJSON_GetObjectItemCaseSensitive(one, type);
        for (uint32_t i = 0; i < found->num && (int)i < cJSON_GetArraySize(list); i++) {
            const double value = cJSON_GetNumberValue(cJSON_GetArrayItem(list, (int)i));
            const bool is_factor = scales && value > 0 && isfinite(value);
            found->has_scale |= is_factor;
            if (is_factor) found->all[i].scale *= value;
            if (is_factor) found->all[i].origin *= value;
            if (moves && isfinite(value)) found->all[i].origin += value;
        }
    }
}

static bool read_axes(axes *found, const cJSON *multiscale, const cJSON *dataset)
{
    const cJSON *one, *const list = cJSON_GetObjectItemCaseSensitive(multiscale, "axes");
    found->num = 0;
    cJSON_ArrayForEach(one, list)
    {
        if (found->num == ZARR_MAX_AXES) return false;
        found->all[found->num++] = read_axis(one);
    }
    transform(found, dataset);
    transform(found, multiscale);
    return true;
}

/* ---- the array of an image ---- */

/* Where an image is. */
typedef struct place {
    char path[PATH_BYTES]; /* of its array's folder, for messages */
    int folder;
    axes axes;
    bool says_more; /* than of the axes and arrays of one image */
    io_message *message;
} place;

static bool fail(const place *p, const char *why)
{
    return io_fail(p->message, "%s: %s", p->path, why);
}

/* Tells whether a path leads to a folder within the one that it starts from. One of more lines than
   one, which no message could show, does not. */
static bool is_inside(const char *path)
{
    for (const char *c = path; *c; c++)
        if (*c > 0 && *c < ' ') return false;
    while (path) {
        const size_t length = strcspn(path, "/");
        if (length == 0 || (length == 1 && path[0] == '.')) return false;
        if (length == 2 && path[0] == '.' && path[1] == '.') return false;
        path = path[length] ? path + length + 1 : NULL;
    }
    return true;
}

/* Goes on to a folder within the one that there is. */
static bool enter(place *p, const char *path)
{
    const size_t length = strlen(p->path);
    if (!is_inside(path) || strlen(path) + length + 2 > PATH_BYTES)
        return fail(p, "the path of its array does not lead to a folder in it");
    snprintf(p->path + length, PATH_BYTES - length, "/%s", path);
    const int inner = openat(p->folder, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (inner < 0) return io_fail_errno(p->message, p->path, "cannot open");
    close(p->folder);
    p->folder = inner;
    return true;
}

/* Finds the array of the first resolution, by the attributes of a group. */
static bool enter_first(place *p, const cJSON *attributes)
{
    const cJSON *const all = cJSON_GetObjectItemCaseSensitive(attributes, "multiscales");
    const cJSON *const multiscale = cJSON_GetArrayItem(all, 0);
    const cJSON *const dataset =
        cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(multiscale, "datasets"), 0);
    const cJSON *const path = cJSON_GetObjectItemCaseSensitive(dataset, "path");
    if (!cJSON_IsString(path))
        return fail(p, "its .zattrs names no array under \"multiscales\" and \"datasets\"");
    if (!read_axes(&p->axes, multiscale, dataset)) return fail(p, "its .zattrs has too many axes");
    p->says_more = cJSON_GetArraySize(attributes) > 1 || cJSON_GetArraySize(all) > 1;
    return enter(p, path->valuestring);
}

/* Opens the folder of the image's array. */
static bool open_place(place *p, const char *path)
{
    bool is_there;
    snprintf(p->path, PATH_BYTES, "%s", path);
    p->folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (p->folder < 0) return io_fail_errno(p->message, path, "cannot open");
    if (faccessat(p->folder, ".zarray", F_OK, 0) == 0) return true;
    cJSON *const attributes = zarr_json_read(p->folder, ".zattrs", path, &is_there, p->message);
    const bool done = attributes && enter_first(p, attributes);
    cJSON_Delete(attributes);
    if (is_there) return done;
    if (faccessat(p->folder, "zarr.json", F_OK, 0) == 0)
        return fail(p, "a version of Zarr that is not read (2 is, with .zarray and .zattrs)");
    return fail(p, "a folder that is no OME-Zarr image");
}

/* ---- how an array is an image ---- */

/* Axes of which nothing is said: those before version 0.3 of five, else those of .npy. */
static bool guess_axes(place *p, image_array *a, zarr_image *z, uint32_t directions)
{
    static const axis_kind five[] = {AXIS_TIME, AXIS_CHANNEL, AXIS_SPACE, AXIS_SPACE, AXIS_SPACE};
    const uint32_t num = z->array.num_axes;
    p->axes.num = num;
    for (uint32_t i = 0; i < num; i++)
        p->axes.all[i] = (axis){num == 5 ? five[i] : AXIS_SPACE, 1, 0, 0};
    if (num == 5) return true;
    if (!image_npy_divide(a, z->array.shape, num, directions))
        return fail(p, "no image with 1 to 3 directions and 1 to 4 channels");
    if (a->directions < num) p->axes.all[num - 1].kind = AXIS_CHANNEL;
    return true;
}

/* Gives an axis of one sample to nothing: a depth of one slice, as of images that are stored as
   volumes, unless three directions are asked for. */
static bool is_passed_over(const place *p, const zarr_image *z, uint32_t i, uint32_t directions)
{
    uint32_t num = 0;
    for (uint32_t k = i; k < p->axes.num; k++)
        num += p->axes.all[k].kind == AXIS_SPACE;
    if (z->array.shape[i] != 1) return false;
    return p->axes.all[i].kind == AXIS_OTHER ||
           (p->axes.all[i].kind == AXIS_SPACE && num == 3 && directions < 3);
}

/* Gives each axis its place in the image. */
static bool take_axes(const place *p, image_array *a, zarr_image *z, uint32_t directions)
{
    z->frames = z->channels = -1;
    a->directions = 0;
    for (uint32_t i = 0; i < z->array.num_axes; i++) {
        const axis_kind kind = p->axes.all[i].kind;
        if (is_passed_over(p, z, i, directions)) continue;
        if (kind == AXIS_SPACE && a->directions < IMAGE_MAX_DIRECTIONS)
            z->directions[a->directions++] = (int)i;
        else if (kind == AXIS_CHANNEL && z->channels < 0)
            z->channels = (int)i;
        else if (kind == AXIS_TIME && z->frames < 0)
            z->frames = (int)i;
        else
            return fail(p, "axes other than x, y, z, channels and time");
    }
    return a->directions > 0 || fail(p, "an array without an axis in space");
}

static bool take_sizes(const place *p, image_array *a, const zarr_image *z)
{
    const uint64_t *const shape = z->array.shape;
    const uint64_t channels = z->channels >= 0 ? shape[z->channels] : 1;
    size_t bytes;
    if (channels > IMAGE_MAX_CHANNELS)
        return io_fail(p->message, "%s: %llu channels, of which up to 4 are read", p->path,
                       (unsigned long long)channels);
    a->channels = (uint32_t)channels;
    a->alpha = IMAGE_ALPHA_NONE;
    a->type = image_npy_type(z->array.form.type);
    a->frames = z->frames >= 0 && shape[z->frames] > 1 ? (size_t)shape[z->frames] : 0;
    for (uint32_t i = 0; i < a->directions; i++)
        a->size[i] = (size_t)shape[z->directions[i]];
    return image_array_bytes(a, &bytes) || fail(p, "an array that is too large");
}

/* Takes the lengths of samples, in the unit of x, or in millimeters where that is none of NIfTI's.
 */
static void take_place(const place *p, image_array *a, const zarr_image *z)
{
    const axis *const x = &p->axes.all[z->directions[a->directions - 1]];
    double unit = 1;
    for (int k = 1; k <= 3 && a->place.units == 0; k++)
        if (image_unit_millimeters(k) == x->millimeters) a->place.units = k;
    if (x->millimeters > 0 && a->place.units == 0) a->place.units = IMAGE_MILLIMETERS;
    if (a->place.units > 0) unit = image_unit_millimeters(a->place.units);
    for (uint32_t i = 0; (a->place.units > 0 || p->axes.has_scale) && i < a->directions; i++) {
        const axis *const one = &p->axes.all[z->directions[a->directions - 1 - i]];
        const double own = one->millimeters > 0 ? one->millimeters : x->millimeters;
        const double length = a->place.units > 0 && own != unit ? own / unit : 1;
        a->place.spacing[i] = one->scale * length;
        a->place.origin[i] = one->origin * length;
    }
}

static bool open_image(place *p, image_array *a, zarr_image *z, uint32_t directions)
{
    if (!zarr_array_read(&z->array, p->folder, p->path, p->message)) return false;
    if (p->axes.num == 0 && !guess_axes(p, a, z, directions)) return false;
    if (p->axes.num != z->array.num_axes)
        return fail(p, "not as many axes as .zattrs tells of them");
    if (!take_axes(p, a, z, directions) || !take_sizes(p, a, z)) return false;
    take_place(p, a, z);
    const axis *const time = z->frames >= 0 ? &p->axes.all[z->frames] : NULL;
    if (p->says_more || (time && (time->scale != 1 || time->origin != 0)))
        a->left_out = IMAGE_LEFT_OUT_ATTRIBUTES;
    return true;
}

bool zarr_image_suits(const char *path)
{
    struct stat status;
    return strcmp(path, "-") != 0 && stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

bool zarr_image_open(image_array *a, const char *path, uint32_t directions, io_message *message)
{
    place p = {.folder = -1, .message = message};
    a->zarr = calloc(1, sizeof(*a->zarr));
    if (!a->zarr) return io_fail(message, "%s: not enough memory for this file", path);
    if (open_place(&p, path) && open_image(&p, a, a->zarr, directions)) {
        a->descriptor = p.folder;
        a->is_stored = true;
        return true;
    }
    if (p.folder >= 0) close(p.folder);
    free(a->zarr);
    a->zarr = NULL;
    return false;
}

/* ---- values ---- */

bool zarr_image_take(const image_array *a, const image_box *box, void *to, const char *name,
                     io_message *message)
{
    const zarr_image *const z = a->zarr;
    zarr_chunks c = {.array = &z->array,
                     .folder = a->descriptor,
                     .type = image_npy_type(z->array.form.type),
                     .to = to,
                     .name = name,
                     .message = message};
    for (uint32_t i = 0; i < z->array.num_axes; i++)
        c.size[i] = 1; /* of axes that are passed over */
    if (z->frames >= 0) c.begin[z->frames] = box->frame;
    if (z->channels >= 0) c.size[z->channels] = z->array.shape[z->channels];
    if (z->channels >= 0) c.step[z->channels] = 1;
    size_t step = z->channels >= 0 ? (size_t)c.size[z->channels] : 1;
    for (uint32_t i = a->directions; i-- > 0; step *= box->size[i]) {
        c.begin[z->directions[i]] = box->begin[i];
        c.size[z->directions[i]] = box->size[i];
        c.step[z->directions[i]] = step;
    }
    return zarr_chunks_take(&c);
}

bool zarr_image_has_values(const image_array *a, const char *name, io_message *message)
{
    enum { HARMLESS = 1 << 28, MOST_UNPACKED = 1 << 14 };
    size_t bytes;
    if (!image_array_bytes(a, &bytes)) return false;
    if (bytes <= HARMLESS) return true;
    const uint64_t stored =
        zarr_chunks_stored(&a->zarr->array, a->descriptor, bytes / MOST_UNPACKED);
    return stored >= bytes / MOST_UNPACKED ||
           io_fail(message, "%s: an array of %llu bytes, of which chunks have %llu", name,
                   (unsigned long long)bytes, (unsigned long long)stored);
}
