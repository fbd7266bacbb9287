/* OME-Zarr from folders and into them: what is written has the form that Zarr and OME-NGFF say, and
   no folder, however damaged, ends in anything but an image or a message with its name. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "folder_output.h"
#include "image_file.h"
#include "image_stored.h"
#include "leftovers.h"
#include "temporary.h"

enum { MOST_TEXT = 4096 };

/* ---- folders ---- */

static char folder[512]; /* the one that a test works in */

static int setup(void **state)
{
    if (temporary_setup(state) != 0) return -1;
    return mkdir(temporary_path("z"), 0777);
}

static int teardown(void **state)
{
    if (!leftover_remove_folder(AT_FDCWD, temporary_path("z"))) return -1;
    return temporary_teardown(state);
}

/* Begins a new folder, which is not there yet. */
static void new_folder(void)
{
    static int num;
    char name[32];
    snprintf(name, sizeof(name), "z/%d.zarr", num++);
    snprintf(folder, sizeof(folder), "%s", temporary_path(name));
}

static void make_folder(const char *name)
{
    char path[1024];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    assert_int_equal(mkdir(path, 0777), 0);
}

static void put(const char *name, const void *bytes, size_t count)
{
    char path[1024];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *const file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

static void take_away(const char *name)
{
    char path[1024];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    assert_int_equal(remove(path), 0);
}

static size_t get(const char *name, char text[MOST_TEXT])
{
    char path[1024];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *const file = fopen(path, "rb");
    assert_non_null(file);
    const size_t count = fread(text, 1, MOST_TEXT - 1, file);
    fclose(file);
    text[count] = 0;
    return count;
}

static void put_text(const char *name, const char *text)
{
    put(name, text, strlen(text));
}

/* ---- images ---- */

static image_array make_image(uint32_t directions, const size_t *size, uint32_t channels,
                              image_type type)
{
    image_array a = {.directions = directions, .channels = channels, .type = type};
    memcpy(a.size, size, directions * sizeof(*size));
    assert_true(image_array_make(&a));
    for (size_t i = 0; i < image_array_count(&a); i++) {
        const uint32_t noise = (uint32_t)(i + 1) * 2654435761u >> 8;
        image_array_set(&a, i, (double)(noise & 0xffff) / (type == IMAGE_F64 ? 7 : 1));
    }
    return a;
}

static void assert_same(const image_array *a, const image_array *b)
{
    size_t bytes;
    assert_int_equal(a->directions, b->directions);
    assert_int_equal(a->channels, b->channels);
    assert_int_equal(a->frames, b->frames);
    assert_int_equal(a->type, b->type);
    for (uint32_t i = 0; i < a->directions; i++)
        assert_int_equal(a->size[i], b->size[i]);
    assert_true(image_array_bytes(a, &bytes));
    assert_memory_equal(a->values, b->values, bytes);
}

/* ---- what is written ---- */

static void check_round_trip(image_array *a)
{
    image_array back;
    io_message message = {""};
    new_folder();
    if (!image_file_write(a, folder, IMAGE_ZARR, &message)) fail_msg("%s", message.text);
    if (!image_file_read(&back, folder, a->directions, &message)) fail_msg("%s", message.text);
    assert_same(a, &back);
    image_array_clear(&back);
    image_array_clear(a);
}

/* Less than a chunk, whole chunks, and some that go on behind the image. */
static void test_round_trips(void **state)
{
    static const size_t volumes[][3] = {{1, 2, 3}, {64, 128, 5}, {70, 131, 140}};
    static const size_t images[][2] = {{1, 1}, {513, 40}, {520, 1025}};
    (void)state;
    for (size_t i = 0; i < 3; i++)
        for (int type = IMAGE_U8; type <= IMAGE_F64; type++)
            for (uint32_t channels = 1; channels <= 4; channels += 3) {
                if (i == 2 && image_type_is_wide((image_type)type)) continue; /* which take long */
                image_array a = make_image(3, volumes[i], channels, (image_type)type);
                image_array b = make_image(2, images[i], channels, (image_type)type);
                check_round_trip(&a);
                check_round_trip(&b);
            }
}

/* Images in a row, with channels. */
static void test_frames(void **state)
{
    static const size_t size[] = {3, 66, 5, 4};
    (void)state;
    image_array a = make_image(3, size, 2, IMAGE_U16), b = make_image(3, size, 1, IMAGE_F32);
    a.directions = 2; /* three of them */
    a.frames = 3;
    a.size[0] = 66;
    a.size[1] = 5;
    check_round_trip(&a);
    b.directions = 2;
    b.frames = 66;
    b.size[0] = 3;
    b.size[1] = 5;
    check_round_trip(&b);
}

static const char array_text[] = "{\n"
                                 "    \"chunks\": [1, 1, 2, 3],\n"
                                 "    \"compressor\": null,\n"
                                 "    \"dimension_separator\": \"/\",\n"
                                 "    \"dtype\": \"<u2\",\n"
                                 "    \"fill_value\": 0,\n"
                                 "    \"filters\": null,\n"
                                 "    \"order\": \"C\",\n"
                                 "    \"shape\": [2, 1, 2, 3],\n"
                                 "    \"zarr_format\": 2\n"
                                 "}\n";
static const char image_text[] =
    "{\n"
    "    \"multiscales\": [\n"
    "        {\n"
    "            \"axes\": [\n"
    "                {\"name\": \"c\", \"type\": \"channel\"},\n"
    "                {\"name\": \"z\", \"type\": \"space\", \"unit\": \"micrometer\"},\n"
    "                {\"name\": \"y\", \"type\": \"space\", \"unit\": \"micrometer\"},\n"
    "                {\"name\": \"x\", \"type\": \"space\", \"unit\": \"micrometer\"}\n"
    "            ],\n"
    "            \"datasets\": [\n"
    "                {\n"
    "                    \"coordinateTransformations\": [{\"scale\": [1, 2, 0.25, 0.5], "
    "\"type\": \"scale\"}],\n"
    "                    \"path\": \"0\"\n"
    "                }\n"
    "            ],\n"
    "            \"name\": \"image\",\n"
    "            \"version\": \"0.4\"\n"
    "        }\n"
    "    ]\n"
    "}\n";

/* What is in the files of a volume, and its lengths. */
static void test_form(void **state)
{
    static const size_t size[] = {1, 2, 3};
    static const uint16_t values[12] = {1, 256, 2, 512, 3, 768, 4, 1024, 5, 1280, 6, 1536};
    char text[MOST_TEXT];
    image_array a = make_image(3, size, 2, IMAGE_U16), back;
    io_message message = {""};
    (void)state;
    memcpy(a.values, values, sizeof(values));
    a.place = (image_place){.spacing = {0.5, 0.25, 2}, .units = 3};
    new_folder();
    assert_true(image_file_write(&a, folder, IMAGE_ZARR, &message));
    get(".zgroup", text);
    assert_string_equal(text, "{\n    \"zarr_format\": 2\n}\n");
    get(".zattrs", text);
    assert_string_equal(text, image_text);
    get("0/.zarray", text);
    assert_string_equal(text, array_text);
    assert_int_equal(get("0/0/0/0/0", text), 12);
    assert_memory_equal(text, "\1\0\2\0\3\0\4\0\5\0\6\0", 12);
    assert_int_equal(get("0/1/0/0/0", text), 12);
    assert_memory_equal(text, "\0\1\0\2\0\3\0\4\0\5\0\6", 12);
    assert_true(image_file_read(&back, folder, 3, &message));
    assert_same(&a, &back);
    for (int i = 0; i < 3; i++)
        assert_true(back.place.spacing[i] == a.place.spacing[i]);
    assert_int_equal(back.place.units, 3);
    image_array_clear(&back);
    assert_true(image_file_read(&back, folder, 0, &message)); /* of one slice: an image */
    assert_true(back.directions == 2 && back.size[0] == 2 && back.size[1] == 3);
    image_array_clear(&back);
    image_array_clear(&a);
}

/* ---- what is read ---- */

/* Writes a .zarray of an array of 2 x 3 with chunks of 2 x 2, and more of its keys. */
static void put_array(const char *name, const char *more)
{
    char text[MOST_TEXT];
    snprintf(text, sizeof(text),
             "{\"zarr_format\": 2, \"shape\": [2, 3], \"chunks\": [2, 2], \"order\": \"C\", %s}",
             more);
    put_text(name, text);
}

static void check_values(image_type type, const double *expected)
{
    image_array a;
    io_message message = {""};
    if (!image_file_read(&a, folder, 0, &message)) fail_msg("%s", message.text);
    assert_int_equal(a.type, type);
    assert_true(a.directions == 2 && a.size[0] == 2 && a.size[1] == 3 && a.channels == 1);
    for (size_t i = 0; i < 6; i++) {
        const double value = image_array_get(&a, i);
        assert_true(value == expected[i] || (isnan(value) && isnan(expected[i])));
    }
    image_array_clear(&a);
}

/* Types, byte orders, names of chunks, and chunks that are not there. */
static void test_arrays(void **state)
{
    const double nan = (double)NAN;
    (void)state;
    new_folder();
    assert_int_equal(mkdir(folder, 0777), 0);
    put_array(".zarray", "\"dtype\": \">i2\", \"fill_value\": -7");
    check_values(IMAGE_S16, (const double[]){-7, -7, -7, -7, -7, -7});
    put("0.0", "\0\1\0\2\377\376\1\0", 8);
    check_values(IMAGE_S16, (const double[]){1, 2, -7, -2, 256, -7});
    put("0.1", "\0\5\0\0\0\6\0\0", 8);
    check_values(IMAGE_S16, (const double[]){1, 2, 5, -2, 256, 6});
    put_array(".zarray", "\"dtype\": \"<u2\", \"fill_value\": null, \"filters\": []");
    check_values(IMAGE_U16, (const double[]){256, 512, 1280, 65279, 1, 1536});
    put_array(".zarray", "\"dtype\": \"|u1\", \"dimension_separator\": \"/\", \"fill_value\": 9");
    make_folder("0");
    put("0/1", "\1\2\3\4", 4);
    check_values(IMAGE_U8, (const double[]){9, 9, 1, 9, 9, 3});
    put_array(".zarray", "\"dtype\": \"<f4\", \"fill_value\": \"NaN\"");
    take_away("0.0");
    put("0.1", "\0\0\200\77\0\0\0\0\0\0\0\100\0\0\0\0", 16);
    check_values(IMAGE_F32, (const double[]){nan, nan, 1, nan, nan, 2});
    put_array(".zarray", "\"dtype\": \"<i4\", \"fill_value\": \"-Infinity\"");
    check_values(IMAGE_S32,
                 (const double[]){-0x1p31, -0x1p31, 0x3f800000, -0x1p31, -0x1p31, 0x40000000});
    put_array(".zarray", "\"dtype\": \">u8\", \"fill_value\": 18446744073709551615");
    put("0.1", "\200\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0\3", 32);
    check_values(IMAGE_U64, (const double[]){0x1p64, 0x1p64, 0x1p63, 0x1p64, 0x1p64, 2});
}

/* 0 to 5 as zlib and gzip pack them, in one chunk. */
static void test_packed(void **state)
{
    static const unsigned char zlib[] = {0x78, 0xda, 0x63, 0x60, 0x64, 0x62, 0x66,
                                         0x61, 0x05, 0x00, 0x00, 0x29, 0x00, 0x10};
    static const unsigned char gzip[] = {0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02,
                                         0x03, 0x63, 0x60, 0x64, 0x62, 0x66, 0x61, 0x05, 0x00,
                                         0x4a, 0xcf, 0xeb, 0x30, 0x06, 0x00, 0x00, 0x00};
    static const char text[] = "{\"zarr_format\": 2, \"shape\": [2, 3], \"chunks\": [2, %d], "
                               "\"order\": \"C\", \"dtype\": \"|u1\", "
                               "\"compressor\": {\"id\": \"%s\", \"level\": 9}}";
    static const double expected[] = {0, 1, 2, 3, 4, 5};
    char made[MOST_TEXT];
    image_array a;
    io_message message = {""};
    (void)state;
    new_folder();
    assert_int_equal(mkdir(folder, 0777), 0);
    snprintf(made, sizeof(made), text, 3, "zlib");
    put_text(".zarray", made);
    put("0.0", zlib, sizeof(zlib));
    if (!image_file_read(&a, folder, 0, &message)) {
        assert_non_null(strstr(message.text, "clspline was built without zlib"));
        return;
    }
    image_array_clear(&a);
    check_values(IMAGE_U8, expected);
    for (size_t i = 0; i < sizeof(zlib); i++) {
        put("0.0", zlib, i);
        assert_false(image_file_read(&a, folder, 0, &message));
        assert_non_null(strstr(message.text, ".zarr: chunk 0.0: "));
    }
    put("0.0", "hello, hello", 12);
    assert_false(image_file_read(&a, folder, 0, &message));
    assert_non_null(strstr(message.text, ": chunk 0.0: its packed data are damaged"));
    put("0.0", gzip, sizeof(gzip));
    snprintf(made, sizeof(made), text, 3, "gzip");
    put_text(".zarray", made);
    check_values(IMAGE_U8, expected);
    for (int side = 2; side <= 4; side += 2) { /* chunks that have other sizes */
        snprintf(made, sizeof(made), text, side, "gzip");
        put_text(".zarray", made);
        assert_false(image_file_read(&a, folder, 0, &message));
        assert_non_null(strstr(message.text, side == 2 ? ": chunk 0.0: has more numbers than"
                                                       : ": chunk 0.0: has fewer numbers than"));
    }
}

/* Boxes from one large chunk, which is read in pieces, and from many, are those of memory. */
static void test_boxes(void **state)
{
    static const size_t size[] = {150, 300, 500};
    static const char text[] = "{\"zarr_format\": 2, \"shape\": [150, 300, 500], \"chunks\": %s, "
                               "\"order\": \"C\", \"dtype\": \"|u1\"}";
    char made[MOST_TEXT];
    image_array a = make_image(3, size, 1, IMAGE_U8), stored[2];
    io_message message = {""};
    unsigned char *from_memory = malloc(image_array_count(&a)),
                  *from_file = malloc(image_array_count(&a));
    (void)state;
    assert_true(from_memory && from_file);
    new_folder();
    assert_true(image_file_write(&a, folder, IMAGE_ZARR, &message));
    assert_true(image_file_open(&stored[0], folder, 0, &message));
    new_folder();
    assert_int_equal(mkdir(folder, 0777), 0);
    snprintf(made, sizeof(made), text, "[150, 300, 500]");
    put_text(".zarray", made);
    put("0.0.0", a.values, image_array_count(&a));
    assert_true(image_file_open(&stored[1], folder, 3, &message));
    for (uint32_t i = 0; i < 40; i++) {
        image_box box = {.frame = 0};
        size_t num = 1;
        for (uint32_t k = 0; k < 3; k++) {
            const size_t one = (i * 7919 + k * 104729) * 2654435761u % size[k];
            const size_t other = (i * 31 + k * 17) * 2246822519u % size[k];
            box.begin[k] = i == 0 ? 0 : one < other ? one : other;
            box.size[k] = i == 0 ? size[k] : (one < other ? other - one : one - other) + 1;
            num *= box.size[k];
        }
        assert_true(image_stored_take(&a, &box, from_memory, "a", &message));
        for (int k = 0; k < 2; k++) {
            memset(from_file, 0xa5, num);
            assert_true(image_stored_take(&stored[k], &box, from_file, "a", &message));
            assert_memory_equal(from_memory, from_file, num);
        }
    }
    image_array_clear(&stored[0]);
    image_array_clear(&stored[1]);
    image_array_clear(&a);
    free(from_memory);
    free(from_file);
}

/* ---- axes ---- */

/* Writes an image of some axes and the shape of its array, with chunks of one number. */
static void put_image(const char *axes, const char *shape, const char *chunks, const char *path)
{
    char text[MOST_TEXT];
    new_folder();
    assert_int_equal(mkdir(folder, 0777), 0);
    make_folder("a");
    snprintf(text, sizeof(text),
             "{\"multiscales\": [{%s%s\"datasets\": [{\"path\": \"%s\", "
             "\"coordinateTransformations\": [{\"type\": \"scale\", \"scale\": "
             "[7, 6, 5, 4, 3]}]}, {\"path\": \"b\"}]}]}",
             axes, *axes ? ", " : "", path);
    put_text(".zattrs", text);
    snprintf(text, sizeof(text),
             "{\"zarr_format\": 2, \"shape\": %s, \"chunks\": %s, \"order\": \"C\", "
             "\"dtype\": \"|u1\", \"fill_value\": 5}",
             shape, chunks);
    put_text("a/.zarray", text);
}

static image_array read_image(void)
{
    image_array a;
    io_message message = {""};
    if (!image_file_read(&a, folder, 0, &message)) fail_msg("%s", message.text);
    return a;
}

static void test_axes(void **state)
{
    (void)state;
    put_image("", "[2, 3, 4, 5, 6]", "[1, 1, 1, 1, 1]", "a"); /* as before version 0.3 */
    image_array a = read_image();
    assert_true(a.frames == 2 && a.channels == 3 && a.directions == 3);
    assert_true(a.size[0] == 4 && a.size[1] == 5 && a.size[2] == 6);
    assert_true(a.place.units == 0);
    image_array_clear(&a);
    put_image("\"axes\": [\"t\", \"c\", \"y\", \"x\"]", "[1, 2, 1, 6]", "[1, 2, 1, 6]", "a");
    a = read_image();
    assert_true(a.frames == 0 && a.channels == 2 && a.directions == 2 && a.size[0] == 1);
    image_array_clear(&a);
    put_image("\"axes\": [{\"name\": \"y\", \"type\": \"space\", \"unit\": \"micrometer\"}, "
              "{\"name\": \"x\", \"type\": \"space\", \"unit\": \"nanometer\"}, "
              "{\"name\": \"colour\", \"type\": \"channel\"}]",
              "[2, 2, 3]", "[1, 2, 3]", "a");
    put("a/1.0.0", "\1\2\3\4\5\6", 6); /* channels are fastest */
    a = read_image();
    assert_true(a.channels == 3 && a.size[0] == 2 && a.size[1] == 2);
    assert_true(image_array_get(&a, 5) == 5 && image_array_get(&a, 6) == 1);
    assert_true(image_array_get(&a, 8) == 3 && image_array_get(&a, 11) == 6);
    assert_int_equal(a.place.units, IMAGE_MILLIMETERS);
    assert_true(fabs(a.place.spacing[0] - 6e-6) < 1e-18 && fabs(a.place.spacing[1] - 7e-3) < 1e-15);
    image_array_clear(&a);
}

/* ---- what is refused ---- */

static void refused(const char *why)
{
    image_array a;
    io_message message = {""};
    if (image_file_read(&a, folder, 0, &message)) fail_msg("read, not refused by '%s'", why);
    assert_true(strncmp(message.text, folder, strlen(folder)) == 0);
    if (strcmp(message.text + strlen(folder), why) != 0)
        fail_msg("'%s', not '%s'", message.text, why);
    assert_true(!a.values && !a.zarr);
}

static void test_refused_arrays(void **state)
{
    static const struct {
        const char *text, *why;
    } all[] = {
        {"", "no JSON"},
        {"{\"zarr_format\": 2", "no JSON"},
        {"[2]", "no object of JSON"},
        {"{}", "a version of Zarr that is not read (2 is)"},
        {"{\"zarr_format\": 3}", "a version of Zarr that is not read (2 is)"},
        {"{\"zarr_format\": 2}", "\"dtype\" names no type of numbers that is read"},
        {"{\"zarr_format\": 2, \"dtype\": \"<c8\\n\"}",
         "numbers of type '<c8?' are not read (integers of 1 to 8 bytes, 'f2', 'f4' and 'f8' are)"},
        {"{\"zarr_format\": 2, \"dtype\": \"|u1\", \"shape\": [0, 3]}",
         "\"shape\" is no list of 1 to 8 lengths from 1 on"},
        {"{\"zarr_format\": 2, \"dtype\": \"|u1\", \"shape\": [1.5]}",
         "\"shape\" is no list of 1 to 8 lengths from 1 on"},
        {"{\"zarr_format\": 2, \"dtype\": \"|u1\", \"shape\": [1e300]}",
         "\"shape\" is no list of 1 to 8 lengths from 1 on"},
        {"{\"zarr_format\": 2, \"dtype\": \"|u1\", \"shape\": [1,1,1,1,1,1,1,1,1]}",
         "\"shape\" is no list of 1 to 8 lengths from 1 on"},
        {"{\"zarr_format\": 2, \"dtype\": \"|u1\", \"shape\": [2, 3], \"chunks\": [2]}",
         "\"chunks\" is no list of as many lengths as \"shape\""},
        {"{\"zarr_format\": 2, \"dtype\": \"|u1\", \"shape\": [2, 3], \"chunks\": [2, -1]}",
         "\"chunks\" is no list of as many lengths as \"shape\""},
        {"{\"zarr_format\": 2, \"dtype\": \"|u1\", \"shape\": [1e15, 1e15], \"chunks\": [1, 1]}",
         "a shape or chunks that are too large"},
        {"{\"zarr_format\": 2, \"dtype\": \"|u1\", \"shape\": [1, 1], \"chunks\": [1e15, 1e15]}",
         "a shape or chunks that are too large"}};
    (void)state;
    new_folder();
    assert_int_equal(mkdir(folder, 0777), 0);
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        char why[256];
        put_text(".zarray", all[i].text);
        snprintf(why, sizeof(why), "/.zarray: %s", all[i].why);
        refused(why);
    }
    static const char *const more[][2] = {
        {"\"compressor\": {\"id\": \"blosc\"}",
         "chunks packed by 'blosc' are not read (zlib, gzip, and those that are not packed are)"},
        {"\"compressor\": {}", "\"compressor\" has no name"},
        {"\"compressor\": 5", "\"compressor\" has no name"},
        {"\"filters\": [{\"id\": \"delta\"}]", "chunks behind filters are not read"},
        {"\"fill_value\": \"AAAA\"", "\"fill_value\" is no number"},
        {"\"fill_value\": [1]", "\"fill_value\" is no number"},
        {"\"dimension_separator\": \"..\"", "\"dimension_separator\" is neither '.' nor '/'"},
        {"\"dimension_separator\": 1", "\"dimension_separator\" is neither '.' nor '/'"}};
    for (size_t i = 0; i < sizeof(more) / sizeof(more[0]); i++) {
        char why[256], text[256];
        snprintf(text, sizeof(text), "\"dtype\": \"|u1\", %s", more[i][0]);
        put_array(".zarray", text);
        snprintf(why, sizeof(why), "/.zarray: %s", more[i][1]);
        refused(why);
    }
    put_text(".zarray", "{\"zarr_format\": 2, \"shape\": [2, 3], \"chunks\": [2, 2], "
                        "\"dtype\": \"|u1\", \"order\": \"F\"}");
    refused("/.zarray: an \"order\" that is not read ('C' is)");
}

/* Paths that lead out of the folder, and images that are not what their attributes say. */
static void test_refused_images(void **state)
{
    static const char *const paths[] = {"",       "/",     "..",      "../a", "a/..",
                                        "a/../a", "a//a",  "./a",     "/etc", "a/",
                                        ".",      "a/./a", "a/../..", "/a",   "a\\n"};
    (void)state;
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        put_image("", "[1, 1, 1, 5, 6]", "[1, 1, 1, 5, 6]", paths[i]);
        refused(": the path of its array does not lead to a folder in it");
    }
    put_image("", "[1, 1, 1, 5, 6]", "[1, 1, 1, 5, 6]", "b");
    refused("/b: cannot open: No such file or directory");
    put_image("", "[1, 5, 1, 5, 6]", "[1, 1, 1, 5, 6]", "a");
    refused("/a: 5 channels, of which up to 4 are read");
    put_image("\"axes\": [\"y\", \"x\"]", "[1, 5, 6]", "[1, 5, 6]", "a");
    refused("/a: not as many axes as .zattrs tells of them");
    put_image("\"axes\": [\"q\", \"y\", \"x\"]", "[2, 5, 6]", "[1, 5, 6]", "a");
    refused("/a: axes other than x, y, z, channels and time");
    put_image("\"axes\": [\"c\", \"c\", \"x\"]", "[2, 2, 6]", "[1, 2, 6]", "a");
    refused("/a: axes other than x, y, z, channels and time");
    put_image("\"axes\": [\"t\", \"c\"]", "[2, 2]", "[1, 2]", "a");
    refused("/a: an array without an axis in space");
    put_image("\"axes\": [1,2,3,4,5,6,7,8,9]", "[2, 2]", "[1, 2]", "a");
    refused(": its .zattrs has too many axes");
    put_image("", "[2, 3, 4, 5, 6, 7]", "[2, 3, 4, 5, 6, 7]", "a");
    refused("/a: no image with 1 to 3 directions and 1 to 4 channels");
    put_image("", "[1e5, 1, 1e4, 1e4, 1e5]", "[1, 1, 64, 64, 64]", "a"); /* and not one chunk */
    refused(": an array of 1000000000000000000 bytes, of which chunks have 0");
    put_text(".zattrs", "{\"multiscales\": [{\"datasets\": []}]}");
    refused(": its .zattrs names no array under \"multiscales\" and \"datasets\"");
    put_text(".zattrs", "{\"multiscales\": {\"datasets\": {\"path\": [1]}}}");
    refused(": its .zattrs names no array under \"multiscales\" and \"datasets\"");
    put_text(".zattrs", "{\"plate\": {}");
    refused("/.zattrs: no JSON");
    new_folder();
    assert_int_equal(mkdir(folder, 0777), 0);
    refused(": a folder that is no OME-Zarr image");
    put_text("zarr.json", "{}");
    refused(": a version of Zarr that is not read (2 is, with .zarray and .zattrs)");
}

/* Chunks of other sizes, and what is no file. */
static void test_refused_chunks(void **state)
{
    char path[600];
    (void)state;
    new_folder();
    assert_int_equal(mkdir(folder, 0777), 0);
    put_array(".zarray", "\"dtype\": \"|u1\"");
    put("0.1", "abc", 3);
    refused(": chunk 0.1: has not the bytes of its numbers");
    put("0.1", "abcde", 5);
    refused(": chunk 0.1: has not the bytes of its numbers");
    put("0.1", "abcd", 4);
    make_folder("0.0");
    refused(": chunk 0.0: is no regular file");
    snprintf(path, sizeof(path), "%s/0.0", folder);
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(mkfifo(path, 0666), 0); /* which would have its reader wait */
    refused(": chunk 0.0: is no regular file");
    snprintf(path, sizeof(path), "%s/.zarray", folder);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(path, 0666), 0);
    refused("/.zarray: cannot read: Invalid argument");
}

/* Damages a file of a folder, byte by byte. */
static void damage(const char *name)
{
    static const char others[] = {0, '9', '[', '"', -1};
    char text[MOST_TEXT];
    const size_t count = get(name, text);
    size_t bytes;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k <= sizeof(others); k++) {
            const char good = text[i];
            image_array a;
            io_message message = {""};
            if (k < sizeof(others)) text[i] = others[k];
            put(name, text, k < sizeof(others) ? count : i);
            text[i] = good;
            if (image_file_read(&a, folder, 0, &message)) {
                assert_true(image_array_bytes(&a, &bytes) && bytes > 0 && a.values);
                image_array_clear(&a);
                continue;
            }
            assert_true(!a.values && strncmp(message.text, folder, strlen(folder)) == 0);
            assert_null(strchr(message.text, '\n'));
        }
    put(name, text, count);
}

static void test_damage(void **state)
{
    static const size_t size[] = {2, 3};
    image_array a = make_image(2, size, 3, IMAGE_U8);
    io_message message = {""};
    (void)state;
    new_folder();
    assert_true(image_file_write(&a, folder, IMAGE_ZARR, &message));
    damage(".zattrs");
    damage("0/.zarray");
    damage("0/1/0/0");
    image_array_clear(&a);
}

/* ---- folders that are there ---- */

static void test_folders(void **state)
{
    static const size_t size[] = {2, 3};
    image_array a = make_image(2, size, 1, IMAGE_U8);
    io_message message = {""};
    char other[600];
    (void)state;
    new_folder();
    assert_int_equal(mkdir(folder, 0777), 0); /* an empty one is replaced */
    assert_true(image_file_write(&a, folder, IMAGE_ZARR, &message));
    assert_false(image_file_write(&a, folder, IMAGE_ZARR, &message));
    assert_non_null(strstr(message.text, ".zarr: is there already, and a folder replaces nothing"));
    image_array back = read_image();
    assert_same(&a, &back);
    image_array_clear(&back);
    a.directions = 1;
    assert_false(image_file_write(&a, folder, IMAGE_ZARR, &message));
    assert_non_null(strstr(message.text, "OME-Zarr has two or three directions, this image has"));
    a.directions = 2;
    assert_false(image_file_write(&a, "/nowhere/a.zarr", IMAGE_ZARR, &message));
    assert_string_equal(message.text, "/nowhere/a.zarr: cannot write: No such file or directory");
    new_folder();
    assert_int_equal(symlink("elsewhere", folder), 0);
    assert_false(image_file_write(&a, folder, IMAGE_ZARR, &message));
    snprintf(other, sizeof(other), "%s", temporary_path("z/.clspline-7-0.tmp"));
    assert_int_equal(mkdir(other, 0777), 0); /* of a run that was killed */
    strcat(other, "/0");
    assert_int_equal(mkdir(other, 0777), 0);
    assert_int_equal(symlink("/", strcat(other, "/link")), 0);
    new_folder();
    assert_true(image_file_write(&a, folder, IMAGE_ZARR, &message));
    assert_int_equal(access(temporary_path("z/.clspline-7-0.tmp"), F_OK), -1);
    image_array_clear(&a);
}

/* A folder that is being written is no leftover to another run, and is gone at a signal. */
static void test_pending(void **state)
{
    io_message message = {""};
    folder_output out, other;
    (void)state;
    new_folder();
    assert_true(folder_output_open(&out, folder, &message));
    const int file = openat(out.descriptor, "a", O_WRONLY | O_CREAT, 0666);
    assert_true(file >= 0);
    close(file);
    leftovers_remove(temporary_path("z"));
    assert_int_equal(faccessat(out.descriptor, "a", F_OK, 0), 0);
    assert_true(folder_output_close(&out, true));
    assert_int_equal(access(folder, F_OK), 0);
    new_folder();
    assert_true(folder_output_open(&other, folder, &message));
    assert_false(folder_output_close(&other, false));
    assert_int_equal(access(folder, F_OK), -1);
    assert_true(folder_output_open(&other, folder, &message));
    char name[600];
    snprintf(name, sizeof(name), "%s", other.temporary);
    folder_output_end(); /* for good */
    assert_int_equal(access(name, F_OK), -1);
    close(other.descriptor);
    free(other.temporary);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trips),    cmocka_unit_test(test_frames),
        cmocka_unit_test(test_form),           cmocka_unit_test(test_arrays),
        cmocka_unit_test(test_packed),         cmocka_unit_test(test_boxes),
        cmocka_unit_test(test_axes),           cmocka_unit_test(test_refused_arrays),
        cmocka_unit_test(test_refused_images), cmocka_unit_test(test_refused_chunks),
        cmocka_unit_test(test_damage),         cmocka_unit_test(test_folders),
        cmocka_unit_test(test_pending),
    };
    return cmocka_run_group_tests_name("zarr", tests, setup, teardown);
}
