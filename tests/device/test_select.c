/* The choice of a device by words. */
#include "../support.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile.h"
#include "select.h"

static clsp_device_info *infos;
static size_t count;
static clspi_log messages;

static int set_up(void **state)
{
    (void)state;
    unsetenv("CLSPLINE_DEVICE");
    if (clspi_log_init(&messages, NULL, NULL) != CLSP_OK) return 1;
    return clspi_devices(&infos, &count, &(clspi_wish){.words = ""}, &messages) == CLSP_OK &&
                   count > 0
               ? 0
               : 1;
}

static int tear_down(void **state)
{
    (void)state;
    free(infos);
    clspi_log_release(&messages);
    return 0;
}

static clsp_status pick(const char *words, clsp_device_info *chosen)
{
    memset(chosen, 0, sizeof *chosen);
    return clspi_select(chosen, &(clspi_wish){.words = words}, &messages);
}

static void assert_picks(const char *words, cl_device_id wanted)
{
    clsp_device_info chosen;

    assert_int_equal(pick(words, &chosen), CLSP_OK);
    assert_ptr_equal(chosen.id, wanted);
}

static void assert_picks_none(const char *words)
{
    clsp_device_info chosen;

    assert_int_equal(pick(words, &chosen), CLSP_ERROR_NO_DEVICE);
    assert_null(chosen.id);
    assert_non_null(strstr(messages.last, words));
    assert_null(strstr(messages.last, "CLSPLINE_DEVICE"));
    assert_non_null(strstr(messages.last, "cpu, gpu, integrated, discrete, accelerator"));
    for (size_t i = 0; i < count; i++) { /* what there is, so that the user can choose */
        assert_non_null(strstr(messages.last, infos[i].platform));
        assert_non_null(strstr(messages.last, infos[i].name));
    }
}

static void test_index(void **state)
{
    char words[32];

    (void)state;
    for (size_t i = 0; i < count; i++) {
        snprintf(words, sizeof words, "%zu", i);
        assert_picks(words, infos[i].id);
    }
    snprintf(words, sizeof words, "%zu", count);
    assert_picks_none(words);
    assert_picks_none("999999999");
    assert_picks_none("99999999999999999999");
}

static void test_class(void **state)
{
    static const char *const words[] = {"cpu", "integrated", "discrete", "accelerator",
                                        "gpu", "CPU",        "Gpu"};

    (void)state;
    for (size_t w = 0; w < sizeof words / sizeof words[0]; w++) {
        clsp_device_info chosen;
        int there = 0;
        for (size_t i = 0; i < count; i++) {
            const char *const name = clspi_class_name(infos[i].device_class);
            there |= clspi_contains(words[w], name, strlen(name));
            there |= (words[w][0] | 32) == 'g' && (infos[i].device_class == CLSP_CLASS_INTEGRATED ||
                                                   infos[i].device_class == CLSP_CLASS_DISCRETE);
        }
        assert_int_equal(pick(words[w], &chosen), there ? CLSP_OK : CLSP_ERROR_NO_DEVICE);
        if (!there) continue;
        const char *const got = clspi_class_name(chosen.device_class);
        if ((words[w][0] | 32) != 'g') assert_true(clspi_contains(words[w], got, strlen(got)));
    }
}

static void swap_case(char *text)
{
    for (; *text; text++)
        *text = (char)(islower((unsigned char)*text) ? toupper((unsigned char)*text)
                                                     : tolower((unsigned char)*text));
}

static void test_names(void **state)
{
    char words[300];
    clsp_device_info chosen;

    (void)state;
    for (size_t i = 0; i < count; i++) {
        snprintf(words, sizeof words, "%s:%s", infos[i].platform, infos[i].name);
        swap_case(words);
        assert_int_equal(pick(words, &chosen), CLSP_OK);
        assert_string_equal(chosen.name, infos[i].name);
        assert_string_equal(chosen.platform, infos[i].platform);
        if (infos[i].device_class == CLSP_CLASS_HOST) continue; /* its names alone are no words */
        snprintf(words, sizeof words, ":%.8s", infos[i].name);
        assert_int_equal(pick(words, &chosen), CLSP_OK);
        snprintf(words, sizeof words, "%.8s:", infos[i].platform);
        assert_int_equal(pick(words, &chosen), CLSP_OK);
        assert_true(clspi_contains(chosen.platform, words, strcspn(words, ":")));
        snprintf(words, sizeof words, "%.8s", infos[i].platform);
        assert_int_equal(pick(words, &chosen), CLSP_OK);
        if (!strcmp(infos[i].platform, "Portable Computing Language")) {
            assert_int_equal(pick("pocl:", &chosen), CLSP_OK);
            assert_string_equal(chosen.platform, infos[i].platform);
            assert_int_equal(pick("PoCL", &chosen), CLSP_OK);
        }
    }
    assert_int_equal(pick(":", &chosen), CLSP_OK);
    assert_picks_none("no such device");
    assert_picks_none("no such platform:");
    assert_picks_none(":no such device");
}

static void test_environment(void **state)
{
    clsp_device_info best, chosen;

    (void)state;
    assert_int_equal(pick(NULL, &best), CLSP_OK);
    assert_picks("", best.id);
    for (size_t i = 0; i < count; i++)
        assert_true(best.device_class != CLSP_CLASS_CPU ||
                    infos[i].device_class == CLSP_CLASS_CPU ||
                    infos[i].device_class == CLSP_CLASS_ACCELERATOR);
    setenv("CLSPLINE_DEVICE", "", 1);
    assert_picks(NULL, best.id);
    setenv("CLSPLINE_DEVICE", "0", 1);
    assert_picks(NULL, infos[0].id);
    assert_picks("", infos[0].id);
    setenv("CLSPLINE_DEVICE", "nowhere", 1);
    assert_int_equal(pick(NULL, &chosen), CLSP_ERROR_NO_DEVICE);
    assert_non_null(strstr(messages.last, "CLSPLINE_DEVICE: no device fits 'nowhere'"));
    assert_picks("0", infos[0].id); /* the option goes before the variable */
    unsetenv("CLSPLINE_DEVICE");
}

static void test_list(void **state)
{
    clsp_device_info few[2];
    size_t listed = 0;

    (void)state;
    assert_int_equal(clsp_device_list(NULL, 0, &listed), CLSP_OK);
    assert_int_equal(listed, count);
    memset(few, 0, sizeof few);
    assert_int_equal(clsp_device_list(few, 1, &listed), CLSP_OK);
    assert_int_equal(listed, count);
    assert_ptr_equal(few[0].id, infos[0].id);
    assert_string_equal(few[1].platform, "");
    assert_int_equal(clsp_device_list(NULL, 1, &listed), CLSP_ERROR_ARGUMENT);
    assert_int_equal(clsp_device_list(few, 1, NULL), CLSP_ERROR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_index), cmocka_unit_test(test_class),
        cmocka_unit_test(test_names), cmocka_unit_test(test_environment),
        cmocka_unit_test(test_list),
    };

    if (support_no_device()) return 77;
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
