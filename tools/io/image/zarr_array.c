#include "zarr_array.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_JSON = 1 << 22 }; /* bytes of a file of JSON */

/* ---- JSON ---- */

const char *zarr_shown(const char *text, char to[ZARR_SHOWN])
{
    size_t i = 0;
    for (; text[i] && i + 1 < ZARR_SHOWN; i++)
        to[i] = text[i] < ' ' || text[i] > '~' ? '?' : text[i];
    to[i] = 0;
    return to;
}

/* Reads a regular file of at most MOST_JSON bytes, which the caller frees; a 0 follows them. */
static char *read_text(int descriptor, size_t *count)
{
    struct stat status;
    if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size > MOST_JSON) {
        errno = EINVAL;
        return NULL;
    }
    const size_t size = (size_t)status.st_size;
    char *const text = calloc(size + 1, 1);
    for (*count = 0; text && *count < size;) {
        const ssize_t got = read(descriptor, text + *count, size - *count);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        *count += (size_t)got;
    }
    return text;
}

cJSON *zarr_json_read(int folder, const char *file, const char *name, bool *is_there,
                      io_message *message)
{
    size_t count = 0;
    const int descriptor = openat(folder, file, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    *is_there = descriptor >= 0 || errno != ENOENT;
    char *const text = descriptor >= 0 ? read_text(descriptor, &count) : NULL;
    const int reason = errno;
    if (descriptor >= 0) close(descriptor);
    cJSON *const made = text ? cJSON_ParseWithLength(text, count) : NULL;
    errno = reason;
    if (!text)
        io_fail(message, "%s/%s: cannot read: %s", name, file, strerror(errno));
    else if (!made)
        io_fail(message, "%s/%s: no JSON", name, file);
    else if (!cJSON_IsObject(made))
        io_fail(message, "%s/%s: no object of JSON", name, file);
    free(text);
    if (cJSON_IsObject(made)) return made;
    cJSON_Delete(made);
    return NULL;
}

/* ---- what an array is ---- */

static bool fail(const char *name, const char *why, io_message *message)
{
    return io_fail(message, "%s/.zarray: %s", name, why);
}

/* Takes a list of whole numbers from 1 to 2^53. Returns how many there are; 0: it is none. */
static uint32_t take_counts(const cJSON *list, uint64_t to[ZARR_MAX_AXES])
{
    static const double most = 9007199254740992;
    uint32_t num = 0;
    const cJSON *item;
    if (!cJSON_IsArray(list)) return 0;
    cJSON_ArrayForEach(item, list)
    {
        const double value = cJSON_GetNumberValue(item);
        if (num == ZARR_MAX_AXES || !(value >= 1 && value <= most) || value != floor(value))
            return 0;
        to[num++] = (uint64_t)value;
    }
    return num;
}

/* Takes shape and chunks. The bytes of a chunk, and the number of chunks, must be numbers. */
static bool take_shape(zarr_array *z, const cJSON *json, const char *name, io_message *message)
{
    z->num_axes = take_counts(cJSON_GetObjectItemCaseSensitive(json, "shape"), z->shape);
    if (z->num_axes == 0)
        return fail(name, "\"shape\" is no list of 1 to 8 lengths from 1 on", message);
    if (take_counts(cJSON_GetObjectItemCaseSensitive(json, "chunks"), z->chunk) != z->num_axes)
        return fail(name, "\"chunks\" is no list of as many lengths as \"shape\"", message);
    double bytes = (double)npy_type_bytes(z->form.type), num = 1;
    for (uint32_t i = 0; i < z->num_axes; i++) {
        bytes *= (double)z->chunk[i];
        num *= (double)zarr_num_chunks(z, i);
    }
    if (bytes > (double)(SIZE_MAX / 4) || num > (double)(UINT64_MAX / 4))
        return fail(name, "a shape or chunks that are too large", message);
    return true;
}

static bool take_type(zarr_array *z, const cJSON *json, const char *name, io_message *message)
{
    char shown[ZARR_SHOWN];
    const cJSON *const type = cJSON_GetObjectItemCaseSensitive(json, "dtype");
    if (!cJSON_IsString(type))
        return fail(name, "\"dtype\" names no type of numbers that is read", message);
    if (npy_take_type(&z->form, type->valuestring)) return true;
    return io_fail(message,
                   "%s/.zarray: numbers of type '%s' are not read (integers of 1 to 8 bytes, 'f2', "
                   "'f4' and 'f8' are)",
                   name, zarr_shown(type->valuestring, shown));
}

static bool take_packing(zarr_array *z, const cJSON *json, const char *name, io_message *message)
{
    char shown[ZARR_SHOWN];
    const cJSON *const packing = cJSON_GetObjectItemCaseSensitive(json, "compressor");
    const cJSON *const filters = cJSON_GetObjectItemCaseSensitive(json, "filters");
    if (filters && !cJSON_IsNull(filters) && cJSON_GetArraySize(filters) > 0)
        return fail(name, "chunks behind filters are not read", message);
    if (!packing || cJSON_IsNull(packing)) return true;
    const char *id = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(packing, "id"));
    if (!id) return fail(name, "\"compressor\" has no name", message);
    z->is_packed = strcmp(id, "zlib") == 0 || strcmp(id, "gzip") == 0;
    if (!z->is_packed)
        return io_fail(message,
                       "%s/.zarray: chunks packed by '%s' are not read (zlib, gzip, and those that "
                       "are not packed are)",
                       name, zarr_shown(id, shown));
    if (IO_HAS_ZLIB) return true;
    return fail(name, "clspline was built without zlib, which packed chunks need", message);
}

/* Takes the value of chunks that are not there: a number, NaN or an infinity by name, or none. */
static bool take_fill(zarr_array *z, const cJSON *json, const char *name, io_message *message)
{
    const cJSON *const fill = cJSON_GetObjectItemCaseSensitive(json, "fill_value");
    const char *const word = cJSON_GetStringValue(fill);
    if (!fill || cJSON_IsNull(fill)) return true;
    z->fill = fill->valuedouble;
    if (cJSON_IsNumber(fill)) return true;
    z->fill = (double)NAN;
    if (word && strcmp(word, "NaN") == 0) return true;
    z->fill = word && word[0] == '-' ? -HUGE_VAL : HUGE_VAL;
    if (word && (strcmp(word, "Infinity") == 0 || strcmp(word, "-Infinity") == 0)) return true;
    return fail(name, "\"fill_value\" is no number", message);
}

static bool take_names(zarr_array *z, const cJSON *json, const char *name, io_message *message)
{
    const cJSON *const mark = cJSON_GetObjectItemCaseSensitive(json, "dimension_separator");
    const char *const order = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, "order"));
    const char *const text = mark ? cJSON_GetStringValue(mark) : ".";
    if (!text || (strcmp(text, ".") != 0 && strcmp(text, "/") != 0))
        return fail(name, "\"dimension_separator\" is neither '.' nor '/'", message);
    z->separator = text[0];
    if (order && strcmp(order, "C") == 0) return true;
    return fail(name, "an \"order\" that is not read ('C' is)", message);
}

bool zarr_array_read(zarr_array *z, int folder, const char *name, io_message *message)
{
    bool is_there;
    cJSON *const json = zarr_json_read(folder, ".zarray", name, &is_there, message);
    if (!json) return false;
    *z = (zarr_array){.num_axes = 0};
    const cJSON *const format = cJSON_GetObjectItemCaseSensitive(json, "zarr_format");
    bool done = (cJSON_IsNumber(format) && format->valuedouble == 2) ||
                fail(name, "a version of Zarr that is not read (2 is)", message);
    done = done && take_type(z, json, name, message) && take_shape(z, json, name, message) &&
           take_packing(z, json, name, message) && take_fill(z, json, name, message) &&
           take_names(z, json, name, message);
    cJSON_Delete(json);
    return done;
}

/* ---- chunks ---- */

uint64_t zarr_chunk_bytes(const zarr_array *z)
{
    uint64_t bytes = npy_type_bytes(z->form.type);
    for (uint32_t i = 0; i < z->num_axes; i++)
        bytes *= z->chunk[i];
    return bytes;
}

uint64_t zarr_num_chunks(const zarr_array *z, uint32_t axis)
{
    return (z->shape[axis] - 1) / z->chunk[axis] + 1;
}

void zarr_chunk_name(const zarr_array *z, const uint64_t *index, char name[ZARR_NAME_BYTES])
{
    size_t length = 0;
    for (uint32_t i = 0; i < z->num_axes; i++) {
        if (i > 0) name[length++] = z->separator;
        length += (size_t)snprintf(name + length, ZARR_NAME_BYTES - length, "%llu",
                                   (unsigned long long)index[i]);
    }
}
