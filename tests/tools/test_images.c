/* Images and volumes from files and into them: every format gives back what was written, and no
   file, however damaged, ends in anything but an image or a message with its name. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image_file.h"
#include "temporary.h"

enum { MOST_BYTES = 1 << 16 };

static const char *const endings[] = {
    [IMAGE_PNG] = "png",         [IMAGE_TIFF] = "tif", [IMAGE_NIFTI] = "nii",
    [IMAGE_NIFTI_GZ] = "nii.gz", [IMAGE_NPY] = "npy",  [IMAGE_JPEG] = "jpg"};

/* Makes an image of values that differ, the largest and the least of the type among them. */
static image_array make_image(uint32_t directions, const size_t *size, uint32_t channels,
                              image_type type)
{
    image_array a = {.directions = directions, .channels = channels, .type = type};
    size_t bytes = 0;
    memcpy(a.size, size, directions * sizeof(*size));
    assert_true(image_array_make(&a) && image_array_bytes(&a, &bytes));
    for (size_t i = 0; i < bytes / image_type_bytes(type); i++) {
        const uint32_t noise = (uint32_t)(i + 1) * 2654435761u >> 7;
        const uint64_t wide = (uint64_t)(i + 1) * 0x9e3779b97f4a7c15u;
        if (type == IMAGE_U8) ((uint8_t *)a.values)[i] = (uint8_t)noise;
        if (type == IMAGE_U16) ((uint16_t *)a.values)[i] = (uint16_t)noise;
        if (type == IMAGE_S16) ((int16_t *)a.values)[i] = (int16_t)(noise & 0xffff);
        if (image_type_is_wide(type))
            memcpy((char *)a.values + i * image_type_bytes(type), &wide, image_type_bytes(type));
        if (type == IMAGE_F32) ((float *)a.values)[i] = i % 7 == 3 ? NAN : (float)noise / 97 - 100;
        if (type == IMAGE_F64) ((double *)a.values)[i] = i % 7 == 3 ? -INFINITY : noise / 97.0;
    }
    return a;
}

static void assert_same(const image_array *a, const image_array *b)
{
    size_t bytes;
    assert_int_equal(a->directions, b->directions);
    assert_int_equal(a->channels, b->channels);
    assert_int_equal(a->type, b->type);
    for (uint32_t i = 0; i < a->directions; i++)
        assert_int_equal(a->size[i], b->size[i]);
    assert_true(image_array_bytes(a, &bytes));
    assert_memory_equal(a->values, b->values, bytes);
}

static bool is_built(image_format format)
{
    return image_format_is_built(format, "", NULL);
}

/* Writes an image and reads it back; returns whether the format takes it. */
static bool check_round_trip(const image_array *a, image_format format)
{
    char name[32];
    io_message message = {""};
    image_array back;
    snprintf(name, sizeof(name), "image.%s", endings[format]);
    const char *path = temporary_path(name);
    if (!image_file_suits(a, format, path, &message)) {
        assert_true(strncmp(message.text, path, strlen(path)) == 0);
        assert_false(image_file_write(a, path, format, &message));
        return false;
    }
    if (!image_file_write(a, path, format, &message)) fail_msg("%s", message.text);
    if (!image_file_read(&back, path, format == IMAGE_NPY ? a->directions : 0, &message))
        fail_msg("%s", message.text);
    assert_same(a, &back);
    image_array_clear(&back);
    return true;
}

static void test_round_trips(void **state)
{
    static const size_t sizes[][3] = {{5, 7, 6}, {1, 1, 1}, {3, 1, 2}, {2, 40, 33}};
    size_t num_taken = 0, num_refused = 0;
    (void)state;
    for (size_t s = 0; s < 4; s++)
        for (uint32_t directions = 1; directions <= 3; directions++)
            for (uint32_t channels = 1; channels <= 4; channels++)
                for (int type = IMAGE_U8; type <= IMAGE_F64; type++) {
                    image_array a = make_image(directions, sizes[s], channels, (image_type)type);
                    for (int format = IMAGE_PNG; format <= IMAGE_NPY; format++) {
                        /* which tell neither one row from an image, nor one page from a volume */
                        const bool is_flat = directions > 1 && sizes[s][0] == 1;
                        if (format != IMAGE_NPY && (directions == 1 || is_flat)) continue;
                        if (check_round_trip(&a, (image_format)format))
                            num_taken++;
                        else
                            num_refused++;
                    }
                    image_array_clear(&a);
                }
    printf("%lu written, %lu refused\n", (unsigned long)num_taken, (unsigned long)num_refused);
    assert_true(num_taken >= 4 * 60 + 3 * 8);
}

/* A volume keeps where it is. */
static void test_place(void **state)
{
    static const size_t size[] = {3, 4, 5};
    (void)state;
    if (!is_built(IMAGE_NIFTI)) skip();
    image_array a = make_image(3, size, 1, IMAGE_S16), back;
    io_message message = {""};
    a.place = (image_place){.spacing = {0.5, 2, 3},
                            .sform = {{{0.5, 0, 0, -7}, {0, 0, 3, 8}, {0, -2, 0, 9}}, 2},
                            .qform = {{{0.5, 0, 0, 1}, {0, 2, 0, 2}, {0, 0, -3, 3}}, 1},
                            .hand = -1,
                            .units = IMAGE_MILLIMETERS};
    const char *path = temporary_path("place.nii.gz");
    assert_true(image_file_write(&a, path, IMAGE_NIFTI_GZ, &message));
    assert_true(image_file_read(&back, path, 0, &message));
    for (int i = 0; i < 3; i++) {
        assert_true(a.place.spacing[i] == back.place.spacing[i]);
        for (int k = 0; k < 4; k++) {
            assert_true(a.place.sform.to_world[i][k] == back.place.sform.to_world[i][k]);
            assert_true(a.place.qform.to_world[i][k] == back.place.qform.to_world[i][k]);
        }
    }
    assert_int_equal(a.place.sform.code, back.place.sform.code);
    assert_int_equal(a.place.qform.code, back.place.qform.code);
    assert_int_equal(a.place.units, back.place.units);
    image_array_clear(&a);
    image_array_clear(&back);
}

/* ---- TIFF ---- */

static uint64_t number_at(const unsigned char *bytes, size_t count)
{
    const uint16_t one = 1;
    uint64_t value = 0;
    for (size_t i = 0; i < count; i++)
        value |= (uint64_t)bytes[i] << 8 * (*(const unsigned char *)&one ? i : count - 1 - i);
    return value;
}

/* Finds a tag in the directory at a place, and checks its number of values; returns where they are.
 */
static uint64_t find_tag(const image_bytes *head, uint64_t at, bool is_big, uint32_t tag,
                         uint64_t count, size_t bytes)
{
    const size_t entry = is_big ? 20 : 12, offset = is_big ? 8 : 4;
    const uint64_t num = number_at(head->bytes + at, is_big ? 8 : 2);
    for (uint64_t i = 0; i < num; i++) {
        const unsigned char *e = head->bytes + at + (is_big ? 8 : 2) + i * entry;
        if (i > 0) assert_true(number_at(e, 2) > number_at(e - entry, 2)); /* in order */
        if (number_at(e, 2) != tag) continue;
        assert_int_equal(number_at(e + 4, offset), count);
        if (count * bytes <= offset) return (uint64_t)(e + 4 + offset - head->bytes);
        return number_at(e + 4 + offset, offset);
    }
    fail_msg("no tag %u", tag);
    return 0;
}

/* Walks through the pages of a head: strips follow each other up to the end of all values. */
static void check_head(const image_array *a, bool is_big, size_t rows)
{
    image_bytes head = {.bytes = NULL};
    io_message message = {""};
    size_t bytes, pages = 0;
    assert_true(image_file_head(a, IMAGE_TIFF, &head, "a.tif", &message));
    assert_true(image_array_bytes(a, &bytes));
    assert_int_equal(number_at(head.bytes + 2, 2), is_big ? 43 : 42);
    const size_t offset = is_big ? 8 : 4, height = a->size[a->directions - 2];
    const size_t num = (height - 1) / rows + 1,
                 row = bytes / height / (a->directions == 3 ? a->size[0] : 1);
    uint64_t at = number_at(head.bytes + (is_big ? 8 : 4), offset), next = head.count;
    for (; at > 0; pages++) {
        assert_true(at < head.count && at % 2 == 0);
        const uint64_t places = find_tag(&head, at, is_big, 273, num, offset);
        const uint64_t sizes = find_tag(&head, at, is_big, 279, num, 4);
        for (size_t i = 0; i < num; i++) {
            assert_true(number_at(head.bytes + places + i * offset, offset) == next);
            const uint64_t size = number_at(head.bytes + sizes + i * 4, 4);
            assert_true(size == (i + 1 < num ? rows : height - (num - 1) * rows) * row);
            next += size;
        }
        const uint64_t entries = number_at(head.bytes + at, is_big ? 8 : 2);
        at = number_at(head.bytes + at + (is_big ? 8 : 2) + entries * (is_big ? 20 : 12), offset);
    }
    assert_int_equal(pages, a->directions == 3 ? a->size[0] : 1);
    assert_true(next == head.count + bytes);
    free(head.bytes);
}

/* Heads of small and of large files, for which there need be no values. */
static void test_tiff_heads(void **state)
{
    (void)state;
    image_array a = {.directions = 2, .channels = 3, .type = IMAGE_U8, .size = {700, 301}};
    if (!is_built(IMAGE_TIFF)) skip();
    check_head(&a, false, 72);
    a = (image_array){.directions = 3, .channels = 1, .type = IMAGE_U16, .size = {5, 7, 9}};
    check_head(&a, false, 7);
    a = (image_array){.directions = 2, .channels = 1, .type = IMAGE_F64, .size = {3, 20000}};
    check_head(&a, false, 1);
    a = (image_array){.directions = 3, .channels = 1, .type = IMAGE_U8, .size = {2048, 2048, 2048}};
    check_head(&a, true, 32);
    a.size[0] = 1023; /* the last ones whose head fits too */
    check_head(&a, false, 32);
    a.size[0] = 1024;
    check_head(&a, true, 32);
}

/* Lengths of pixels, which a TIFF has as fractions of 32 bits. */
static void test_tiff_lengths(void **state)
{
    static const double lengths[] = {25.4 / 300, 0.1, 1.0 / 3, 3.14159265358979, 1e-7, 123456, 0.7};
    static const size_t size[] = {1, 1};
    (void)state;
    if (!is_built(IMAGE_TIFF)) skip();
    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++)
        for (int is_inch = 0; is_inch < 2; is_inch++) {
            image_array a = make_image(2, size, 1, IMAGE_U8), back;
            io_message message = {""};
            a.place = (image_place){.spacing = {lengths[i], 2 * lengths[i]},
                                    .units = IMAGE_MILLIMETERS,
                                    .is_per_inch = is_inch};
            assert_true(image_file_write(&a, temporary_path("a.tif"), IMAGE_TIFF, &message));
            assert_true(image_file_read(&back, temporary_path("a.tif"), 0, &message));
            for (int k = 0; k < 2; k++) /* libtiff gives them as floats */
                assert_true(fabs(back.place.spacing[k] / a.place.spacing[k] - 1) < 2e-7);
            assert_int_equal(back.place.is_per_inch, is_inch);
            image_array_clear(&back);
            image_array_clear(&a);
        }
}

/* ---- damage ---- */

static size_t read_bytes(const char *path, unsigned char *bytes)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t count = fread(bytes, 1, MOST_BYTES, file);
    fclose(file);
    assert_true(count < MOST_BYTES);
    return count;
}

/* Reads a file of these bytes: an image, or a message that has the name and is one line. */
static bool try_bytes(const char *name, const unsigned char *bytes, size_t count)
{
    image_array a;
    io_message message = {""};
    size_t total;
    const char *path = temporary_file(name, bytes, count);
    if (image_file_read(&a, path, 0, &message)) {
        assert_true(a.directions >= 1 && a.directions <= 3 && a.channels >= 1 && a.channels <= 4);
        assert_true(image_array_bytes(&a, &total) && total > 0 && a.values);
        image_array_clear(&a);
        return true;
    }
    assert_null(a.values);
    assert_true(strncmp(message.text, path, strlen(path)) == 0 && !strchr(message.text, '\n'));
    return false;
}

static void check_damage(image_format format, uint32_t channels, image_type type, const char *name)
{
    static const size_t size[] = {3, 4};
    static const unsigned char others[] = {0, 1, 0x80, 0xff};
    static unsigned char bytes[MOST_BYTES];
    image_array a = make_image(2, size, channels, type);
    io_message message = {""};
    assert_true(image_file_write(&a, temporary_path(name), format, &message));
    const size_t count = read_bytes(temporary_path(name), bytes);
    image_array_clear(&a);
    assert_true(try_bytes(name, bytes, count));
    for (size_t i = 0; i < count; i++) {
        const unsigned char good = bytes[i];
        if (format == IMAGE_NPY || format == IMAGE_NIFTI) assert_false(try_bytes(name, bytes, i));
        try_bytes(name, bytes, i);
        for (size_t k = 0; k < sizeof(others); k++) {
            bytes[i] = others[k];
            try_bytes(name, bytes, count);
        }
        bytes[i] = good;
    }
}

static void test_damage(void **state)
{
    (void)state;
    if (is_built(IMAGE_PNG)) check_damage(IMAGE_PNG, 1, IMAGE_U8, "a.png");
    if (is_built(IMAGE_PNG)) check_damage(IMAGE_PNG, 4, IMAGE_U16, "b.png");
    check_damage(IMAGE_NPY, 3, IMAGE_F32, "c.npy");
    if (is_built(IMAGE_JPEG)) check_damage(IMAGE_JPEG, 3, IMAGE_U8, "g.jpg");
    if (is_built(IMAGE_TIFF)) check_damage(IMAGE_TIFF, 2, IMAGE_F32, "d.tif");
    if (is_built(IMAGE_NIFTI)) check_damage(IMAGE_NIFTI, 1, IMAGE_S16, "e.nii");
    if (is_built(IMAGE_NIFTI)) check_damage(IMAGE_NIFTI_GZ, 1, IMAGE_F64, "f.nii.gz");
}

static void refused(const char *name, const void *bytes, size_t count, const char *why)
{
    image_array a;
    io_message message = {""};
    const char *path = temporary_file(name, bytes, count);
    assert_false(image_file_read(&a, path, 0, &message));
    assert_true(strncmp(message.text, path, strlen(path)) == 0);
    assert_string_equal(message.text + strlen(path), why);
}

/* Reads an array of the shape (2, 3) from numbers behind a header, and checks its values. */
static void check_npy(const char *type, bool fortran, const unsigned char *numbers, size_t count,
                      image_type kind, const double *expected)
{
    unsigned char bytes[256];
    char text[118 + 1];
    image_array a;
    io_message message = {""};
    const int used =
        snprintf(text, sizeof(text), "{'descr': '%s', 'fortran_order': %s, 'shape': (2, 3), }",
                 type, fortran ? "True" : "False");
    memset(text + used, ' ', sizeof(text) - 1 - (size_t)used);
    memcpy(bytes, "\x93NUMPY\x01\x00\x76\x00", 10);
    memcpy(bytes + 10, text, sizeof(text) - 1);
    memcpy(bytes + 128, numbers, count);
    if (!image_file_read(&a, temporary_file("a.npy", bytes, 128 + count), 0, &message))
        fail_msg("%s", message.text);
    assert_int_equal(a.type, kind);
    assert_true(a.directions == 2 && a.channels == 1 && a.size[0] == 2 && a.size[1] == 3);
    for (size_t i = 0; i < 6; i++)
        assert_true(image_array_get(&a, i) == expected[i]);
    image_array_clear(&a);
}

/* Arrays of NumPy in both orders, both byte orders and types that images do not have. */
static void test_npy_forms(void **state)
{
    static const unsigned char small[6] = {0, 1, 2, 3, 4, 255},
                               pairs[12] = {0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 255, 254},
                               half[12] = {0, 60, 0, 64, 0, 192, 0, 0, 0, 0, 1, 0},
                               words[24] = {1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 128,
                                            0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0},
                               longs[48] = {[0] = 1, [8] = 2, [17] = 1, [39] = 128, [46] = 1};
    (void)state;
    check_npy("|u1", true, small, 6, IMAGE_U8, (const double[6]){0, 2, 4, 1, 3, 255});
    check_npy("|i1", false, small, 6, IMAGE_S16, (const double[6]){0, 1, 2, 3, 4, -1});
    check_npy(">u2", false, pairs, 12, IMAGE_U16, (const double[6]){1, 2, 3, 4, 5, 65534});
    check_npy(">i2", true, pairs, 12, IMAGE_S16, (const double[6]){1, 3, 5, 2, 4, -2});
    check_npy("<f2", false, half, 12, IMAGE_F32, (const double[6]){1, 2, -2, 0, 0, 0x1p-24});
    check_npy("<u4", false, words, 24, IMAGE_U32,
              (const double[6]){1, 2, 2147483648., 0, 256, 65536});
    check_npy("<u8", false, longs, 48, IMAGE_U64, (const double[6]){1, 2, 256, 0, 0x1p63, 0x1p48});
    check_npy("<i8", false, longs, 48, IMAGE_S64, (const double[6]){1, 2, 256, 0, -0x1p63, 0x1p48});
}

/* A file that claims more than it can hold takes no memory for it. */
static void test_claims(void **state)
{
    static unsigned char bytes[MOST_BYTES];
    static const size_t size[] = {4, 5};
    io_message message = {""};
    (void)state;
    refused("empty.png", "", 0, ": the file is empty");
    refused("text.png", "hello", 5, ": no image of a known format (PNG, TIFF, NIfTI, JPEG, .npy)");
    image_array a = make_image(2, size, 1, IMAGE_U8);
    if (is_built(IMAGE_NIFTI)) {
        assert_true(image_file_write(&a, temporary_path("a.nii"), IMAGE_NIFTI, &message));
        const size_t count = read_bytes(temporary_path("a.nii"), bytes);
        const int16_t dims[] = {3, 32767, 32767, 32767};
        memcpy(bytes + 40, dims, sizeof(dims));
        refused("a.nii", bytes, count, ": the file ends within its image");
    }
    static const char npy[] =
        "\x93NUMPY\x01\x00\x60\x00{'descr': '<f8', 'fortran_order': False, 'shape': (1000000, "
        "1000000, 1000), }                  \n";
    refused("a.npy", npy, sizeof(npy) - 1, ": the file ends before its array");
    image_array_clear(&a);
}

/* What is there stays where the new image cannot be written. */
static void test_refused_writes(void **state)
{
    static const size_t size[] = {2, 3, 4};
    io_message message = {""};
    (void)state;
    image_array volume = make_image(3, size, 1, IMAGE_U8),
                reals = make_image(2, size, 1, IMAGE_F32);
    const char *path = temporary_file("kept.png", "kept", 4);
    const int num_files = temporary_count();
    assert_false(image_file_write(&volume, path, IMAGE_PNG, &message));
    assert_non_null(
        strstr(message.text, "kept.png: a PNG has two directions, this image has three"));
    assert_false(image_file_write(&reals, path, IMAGE_PNG, &message));
    assert_non_null(strstr(message.text, "kept.png: a PNG has u8 or u16, this image has f32"));
    assert_int_equal(temporary_count(), num_files);
    unsigned char bytes[MOST_BYTES];
    assert_int_equal(read_bytes(path, bytes), 4);
    assert_false(image_file_write(&reals, "/nowhere/a.npy", IMAGE_NPY, &message));
    assert_string_equal(message.text, "/nowhere/a.npy: cannot write: No such file or directory");
    if (is_built(IMAGE_TIFF)) {
        assert_false(image_file_write(&reals, "/dev/full", IMAGE_TIFF, &message));
        assert_string_equal(message.text, "/dev/full: cannot write: not a regular file");
    }
    image_array_clear(&volume);
    image_array_clear(&reals);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trips), cmocka_unit_test(test_place),
        cmocka_unit_test(test_tiff_heads),  cmocka_unit_test(test_tiff_lengths),
        cmocka_unit_test(test_damage),      cmocka_unit_test(test_npy_forms),
        cmocka_unit_test(test_claims),      cmocka_unit_test(test_refused_writes),
    };
    return cmocka_run_group_tests_name("images", tests, temporary_setup, temporary_teardown);
}
