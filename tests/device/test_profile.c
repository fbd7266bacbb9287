/* What is believed of a device, and how limits narrow it. */
#include "../support.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "context_internal.h"
#include "level.h"
#include "profile.h"

static const clsp_device_info rich = {
    .device_class = CLSP_CLASS_CPU,
    .opencl_version = 300,
    .svm = 15,
    .fp64 = 1,
    .fp16 = 1,
    .fma = 1,
    .images = 1,
    .local_is_real = 1,
    .native = 1,
    .max_work_group = 4096,
    .local_bytes = 65536,
    .max_alloc_bytes = UINT64_C(1) << 40,
    .image_2d_max = {8192, 8192},
};
static const clsp_device_info poor = {
    .device_class = CLSP_CLASS_DISCRETE,
    .opencl_version = 120,
    .max_work_group = 64,
    .local_bytes = 1024,
    .max_alloc_bytes = 4096,
};

static clsp_device_info narrowed(const clsp_device_info *start, const char *limits)
{
    clsp_device_info info = *start;

    assert_ok(NULL, clspi_profile_narrow(&info, limits, "limits", NULL));
    return info;
}

static void test_words(void **state)
{
    (void)state;
    assert_int_equal(narrowed(&rich, "fp64=0").fp64, 0);
    assert_int_equal(narrowed(&rich, "fp16=0").fp16, 0);
    assert_int_equal(narrowed(&rich, "fma=0").fma, 0);
    assert_int_equal(narrowed(&rich, "svm=0").svm, 0);
    assert_int_equal(narrowed(&rich, "svm=2").svm, CLSP_SVM_FINE_BUFFER);
    assert_int_equal(narrowed(&rich, "native=0").native, 0);
    assert_int_equal(narrowed(&poor, "native=1").native, 0);
    assert_int_equal(narrowed(&rich, "images=0").images, 0);
    assert_int_equal(narrowed(&rich, "images=0").image_2d_max[1], 0);
    assert_int_equal(narrowed(&rich, "images=1").image_2d_max[1], 8192);
    assert_int_equal(narrowed(&rich, "work_group=7").max_work_group, 7);
    assert_int_equal(narrowed(&rich, "local=0").local_bytes, 0);
    assert_int_equal(narrowed(&rich, "alloc=100").max_alloc_bytes, 100);
    assert_int_equal(narrowed(&rich, "opencl=120").opencl_version, 120);
    assert_int_equal(narrowed(&rich, "local_is_real=0").local_is_real, 0);
    assert_int_equal(narrowed(&poor, "local_is_real=1").local_is_real, 1);
    assert_int_equal(narrowed(&rich, "class=integrated").device_class, CLSP_CLASS_INTEGRATED);
    assert_int_equal(narrowed(&poor, "class=cpu").device_class, CLSP_CLASS_CPU);
    assert_string_equal(narrowed(&rich, "vendor=AMD,fp64=0").vendor, "AMD");
}

static void test_several_words(void **state)
{
    const clsp_device_info info = narrowed(&rich, "fp64=0,work_group=64,class=discrete,");

    (void)state;
    assert_int_equal(info.fp64, 0);
    assert_int_equal(info.max_work_group, 64);
    assert_int_equal(info.device_class, CLSP_CLASS_DISCRETE);
    assert_int_equal(info.fp16, 1);
    const clsp_device_info blanks = narrowed(&rich, "fp64=0, work_group=64,   fma=0, ");
    assert_int_equal(blanks.fp64, 0);
    assert_int_equal(blanks.max_work_group, 64);
    assert_int_equal(blanks.fma, 0);
    const clsp_device_info same = narrowed(&rich, ""), none = narrowed(&rich, NULL);
    assert_memory_equal(&same, &rich, sizeof rich);
    assert_memory_equal(&none, &rich, sizeof rich);
}

static void test_only_narrows(void **state)
{
    const clsp_device_info info =
        narrowed(&poor, "fp64=1,fp16=1,fma=1,images=1,svm=15,work_group=4096,local=65536,"
                        "alloc=18446744073709551615,opencl=300");

    (void)state;
    assert_memory_equal(&info, &poor, sizeof poor);
}

static void test_words_twice(void **state)
{
    static const char *const bad[] = {"alloc=9,alloc=10", "fp64=0,fma=0, fp64=0",
                                      "class=cpu,vendor=a,class=cpu"};
    static const char *const said[] = {"here: 'alloc' stands there twice",
                                       "here: 'fp64' stands there twice",
                                       "here: 'class' stands there twice"};
    char text[1024];

    (void)state;
    for (size_t i = 0; i < CLSPI_COUNT(bad); i++) {
        clsp_device_info info = rich;
        assert_status(NULL, clspi_profile_narrow(&info, bad[i], "here", NULL), CLSP_ERROR_ARGUMENT);
        clsp_context_last_error(NULL, text, sizeof text);
        assert_string_equal(text, said[i]);
    }
}

static void test_bad_words(void **state)
{
    static const char *const bad[] = {
        "fp64",
        "fp64=",
        "fp64=x",
        "fp64=-1",
        "fp64=0x",
        "fp64= 0",
        " fp64=0",
        "=0",
        "=",
        ",",
        "fp65=0",
        "fp6=0",
        "FP64=0",
        "work_group=0",
        "alloc=0",
        "opencl=99",
        "local_is_real=2",
        "class=",
        "class=tpu",
        "class=cpux",
        "class=cp",
        "fp64=0,,fma=0",
        "fp64=0;fma=0",
        "work_group=1e3",
        "alloc=999999999999999999999999999",
        "alloc=18446744073709551616",
        "fp64=2",
        "fp16=2",
        "fma=2",
        "images=2",
        "svm=16",
        "native=2",
        "opencl=999",
        "opencl=125",
        "level=",
        "level=v",
        "level=v2",
        "level=base2",
        "level=4",
    };
    static const char *const allowed[] = {
        "fp64=0",        "fp16=0",       "fma=0",       "images=0",         "svm=0",
        "local_is_real", "work_group=N", "local=BYTES", "alloc=BYTES",      "opencl=120",
        "class=cpu|",    "vendor=NAME",  "native=0",    "level=base|v3|v4",
    };
    char text[1024];

    (void)state;
    for (size_t i = 0; i < CLSPI_COUNT(bad); i++) {
        clsp_device_info info = rich;
        assert_status(NULL, clspi_profile_narrow(&info, bad[i], "here", NULL), CLSP_ERROR_ARGUMENT);
        clsp_context_last_error(NULL, text, sizeof text);
        assert_true(strncmp(text, "here: '", 7) == 0);
        for (size_t k = 0; k < CLSPI_COUNT(allowed); k++)
            assert_non_null(strstr(text, allowed[k]));
    }
}

/* Returns the level that a process takes of its environment. */
static clspi_level_number level_with(const char *limits)
{
    int status = 0;
    const pid_t child = fork();

    if (child == 0) {
        if (setenv("CLSPLINE_LIMITS", limits, 1) != 0) _exit(0);
        _exit((int)clspi_level());
    }
    assert_true(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status));
    return (clspi_level_number)WEXITSTATUS(status);
}

/* Returns the level of a build of all levels or of some, where one is named. */
static clspi_level_number built(clspi_level_number most, clspi_level_number highest)
{
    const clspi_level_number level = most < highest ? most : highest;

#ifdef CLSPI_HAS_V3
    return level;
#else
    return level == CLSPI_LEVEL_V3 ? CLSPI_LEVEL_BASE : level;
#endif
}

/* The first test: no process has found its level. A level is at most the processor's, and the words
   of a context may name it or one above. */
static void test_levels(void **state)
{
    static const struct {
        const char *limits;
        clspi_level_number most;
    } cases[] = {{"level=base", CLSPI_LEVEL_BASE},
                 {"fp64=0, level=base", CLSPI_LEVEL_BASE},
                 {"level=v3,fp64=0", CLSPI_LEVEL_V3},
                 {"level=v4", CLSPI_LEVEL_V4},
                 {"vendor=level=base,level=v3", CLSPI_LEVEL_V3},
                 {"fp64=0", CLSPI_LEVEL_V4}};
    static const char *const words[] = {"level=base", "level=v3", "level=v4"};
    const clspi_level_number highest = level_with("");

    (void)state;
    assert_in_range(highest, CLSPI_LEVEL_BASE, CLSPI_LEVEL_V4);
    for (size_t i = 0; i < CLSPI_COUNT(cases); i++)
        assert_int_equal(level_with(cases[i].limits), built(cases[i].most, highest));
    for (size_t i = 0; i < CLSPI_COUNT(words); i++) {
        clsp_device_info info = rich;
        assert_int_equal(clspi_profile_narrow(&info, words[i], "here", NULL),
                         i + 1 < (size_t)clspi_level() ? CLSP_ERROR_ARGUMENT : CLSP_OK);
        assert_memory_equal(&info, &rich, sizeof rich);
    }
}

static void test_query(void **state)
{
    const clsp_device_info info = support_device();

    (void)state;
    assert_non_null(info.id);
    assert_true(info.name[0] && info.platform[0] && info.driver[0] && info.version[0]);
    assert_true(info.device_class >= CLSP_CLASS_CPU && info.device_class <= CLSP_CLASS_ACCELERATOR);
    assert_true(info.opencl_version >= 120);
    assert_true(info.compute_units >= 1);
    assert_true(info.max_work_group >= 1);
    assert_true(info.max_alloc_bytes >= 1 << 20);
    assert_true(info.global_bytes >= info.max_alloc_bytes / 2);
    assert_true(info.device_class != CLSP_CLASS_CPU || !info.local_is_real);
    assert_true(info.address_bits == 32 || info.address_bits == 64);
    assert_string_not_equal(clspi_class_name(info.device_class), "unknown");
    assert_string_equal(clspi_class_name((clsp_device_class)0), "unknown");
}

/* A context believes its limits, from the option or else from the variable, and takes kernel shapes
   by class. */
static void test_context_limits(void **state)
{
    static const struct {
        const char *limits;
        size_t scratch;
    } cases[] = {{"class=cpu,vendor=none", 1 << 20},
                 {"class=discrete,vendor=none", 8 << 20},
                 {"class=integrated,vendor=none", 1 << 20},
                 {"class=accelerator,vendor=none", 1 << 20}};
    clsp_context *ctx;
    char text[1024];

    (void)state;
    for (size_t i = 0; i < CLSPI_COUNT(cases); i++) {
        const clsp_context_opts opts = {.limits = cases[i].limits};
        assert_ok(NULL, clsp_context_create(&ctx, NULL, &opts));
        assert_int_equal(ctx->tuning.scratch_bytes, cases[i].scratch);
        clsp_context_destroy(&ctx);
    }
    setenv("CLSPLINE_LIMITS", "fp64=0,work_group=3", 1);
    clsp_device_info info = support_device();
    assert_int_equal(info.fp64, 0);
    assert_int_equal(info.max_work_group, 3);
    const clsp_context_opts opts = {.limits = "work_group=2"};
    assert_ok(NULL, clsp_context_create(&ctx, NULL, &opts));
    assert_int_equal(ctx->device.max_work_group, 2);
    clsp_context_destroy(&ctx);
    setenv("CLSPLINE_LIMITS", "fp64=0, fp65=0", 1);
    assert_status(NULL, clsp_context_create(&ctx, NULL, NULL), CLSP_ERROR_ARGUMENT);
    clsp_context_last_error(NULL, text, sizeof text);
    assert_true(strncmp(text, "CLSPLINE_LIMITS: 'fp65=0' ", 26) == 0);
    unsetenv("CLSPLINE_LIMITS");
}

static void test_contains(void **state)
{
    (void)state;
    assert_true(clspi_contains("Portable Computing", "COMP", 4));
    assert_true(clspi_contains("abc", "c", 1));
    assert_true(clspi_contains("abc", "", 0));
    assert_true(clspi_contains("", "", 0));
    assert_false(clspi_contains("", "a", 1));
    assert_false(clspi_contains("abc", "abcd", 4));
    assert_true(clspi_contains("abc", "abcd", 3));
    assert_true(clspi_contains("aab", "ab", 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),          cmocka_unit_test(test_several_words),
        cmocka_unit_test(test_only_narrows),   cmocka_unit_test(test_bad_words),
        cmocka_unit_test(test_words_twice),    cmocka_unit_test(test_query),
        cmocka_unit_test(test_context_limits), cmocka_unit_test(test_contains),
    };
    /* before devices are listed, for which a process finds its level */
    const struct CMUnitTest first[] = {cmocka_unit_test(test_levels)};
    const int failed = cmocka_run_group_tests(first, NULL, NULL);

    if (support_no_device()) return failed ? failed : 77;
    return failed + cmocka_run_group_tests(tests, NULL, NULL);
}
