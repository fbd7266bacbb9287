/* The disk cache of programs: no damage, no folder and no neighbour may do more than make it
   compile. */
#include "../support.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cache.h"
#include "check.h"
#include "kernel_arguments.h"
#include "sources.h"

static char folder[SUPPORT_PATH_MAX]; /* of the running test */

static int set_up(void **state)
{
    (void)state;
    support_make_folder(folder);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    support_remove_folder(folder);
    return 0;
}

/* ---- messages ---- */

typedef struct seen {
    unsigned warnings, hits, compiles;
    char warning[512]; /* the last one */
} seen;

static void count_messages(void *user, clsp_log_level level, const char *message)
{
    seen *const s = user;

    s->warnings += level == CLSP_LOG_WARNING;
    if (level == CLSP_LOG_WARNING) snprintf(s->warning, sizeof s->warning, "%s", message);
    s->hits += strstr(message, "taken from the cache") != NULL;
    s->compiles += strstr(message, ": compiled in") != NULL;
}

/* ---- the cache by itself ---- */

static clsp_device_info some_device(const char *driver)
{
    clsp_device_info info = {.name = "device", .platform = "platform", .version = "OpenCL 1.2"};

    snprintf(info.driver, sizeof info.driver, "%s", driver);
    return info;
}

static const unsigned char binary[] = "any bytes that a driver may have given, 0 \0 among them";

static void test_store_and_load(void **state)
{
    const clsp_device_info device = some_device("1.0"), updated = some_device("1.1");
    const clspi_cache_key key = {&device, "kernel void k() {}", "-DX=1"};
    const clspi_cache_key others[] = {
        {&updated, key.source, key.options},
        {&device, "kernel void l() {}", key.options},
        {&device, key.source, "-DX=2"},
        {&device, key.source, ""},
    };
    unsigned char *loaded;
    size_t size;
    char path[SUPPORT_PATH_MAX];
    clspi_log log;

    (void)state;
    clspi_log_init(&log, NULL, NULL);
    assert_false(clspi_cache_load(folder, &key, &loaded, &size, &log));
    clspi_cache_store(folder, &key, binary, sizeof binary, &log);
    assert_true(clspi_cache_load(folder, &key, &loaded, &size, &log));
    assert_int_equal(size, sizeof binary);
    assert_memory_equal(loaded, binary, sizeof binary);
    free(loaded);
    for (size_t i = 0; i < CLSPI_COUNT(others); i++)
        assert_false(clspi_cache_load(folder, &others[i], &loaded, &size, &log));

    clspi_cache_store(folder, &others[0], binary, 5, &log);
    assert_true(clspi_cache_load(folder, &others[0], &loaded, &size, &log));
    assert_int_equal(size, 5);
    free(loaded);
    assert_true(clspi_cache_load(folder, &key, &loaded, &size, &log));
    assert_int_equal(size, sizeof binary);
    free(loaded);
    assert_true(support_file_in(folder, 1, path)); /* two entries, and nothing left aside */
    assert_false(support_file_in(folder, 2, path));
    clspi_log_release(&log);
}

static size_t read_file(const char *path, unsigned char *bytes, size_t most)
{
    FILE *const file = fopen(path, "rb");
    size_t size;

    assert_non_null(file);
    size = fread(bytes, 1, most, file);
    fclose(file);
    return size;
}

static void write_file(const char *path, const unsigned char *bytes, size_t size)
{
    FILE *const file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* Changes one byte, or the length. */
static size_t damage(unsigned char *bytes, size_t size, uint64_t *seed)
{
    const size_t at = (size_t)(support_random(seed) % size);

    switch (support_random(seed) % 4) {
    case 0:
        return at;
    case 1:
        bytes[size] = (unsigned char)support_random(seed);
        return size + 1;
    default:
        bytes[at] ^= (unsigned char)(1 + support_random(seed) % 255);
        return size;
    }
}

static void test_damage(void **state)
{
    const clsp_device_info device = some_device("1.0");
    const clspi_cache_key key = {&device, "kernel void k() {}", ""};
    unsigned char whole[1024], bytes[1024], *loaded;
    char path[SUPPORT_PATH_MAX];
    uint64_t seed = 7;
    size_t size, ignored;
    clspi_log log;

    (void)state;
    clspi_log_init(&log, NULL, NULL);
    clspi_cache_store(folder, &key, binary, sizeof binary, &log);
    assert_true(support_file_in(folder, 0, path));
    size = read_file(path, whole, sizeof whole - 1);
    assert_true(size > sizeof binary && size < sizeof whole - 1);
    for (int i = 0; i < 1000; i++) {
        memcpy(bytes, whole, size);
        const size_t damaged = damage(bytes, size, &seed);
        write_file(path, bytes, damaged);
        assert_false(clspi_cache_load(folder, &key, &loaded, &ignored, &log));
        assert_null(loaded);
    }
    write_file(path, whole, size);
    assert_true(clspi_cache_load(folder, &key, &loaded, &ignored, &log));
    free(loaded);
    clspi_log_release(&log);
}

/* ---- whose files are read ---- */

/* An entry of the cache, and what is said of it. */
typedef struct one_entry {
    clsp_device_info device;
    clspi_cache_key key;
    clspi_log log;
    seen said;
    char path[SUPPORT_PATH_MAX];
} one_entry;

static void store_entry(one_entry *e)
{
    clspi_cache_store(folder, &e->key, binary, sizeof binary, &e->log);
}

static void make_entry(one_entry *e)
{
    *e = (one_entry){.device = some_device("1.0"), .key = {&e->device, "kernel void k() {}", ""}};
    clspi_log_init(&e->log, count_messages, &e->said);
    store_entry(e);
    assert_true(support_file_in(folder, 0, e->path));
}

/* Loads the entry; gives the warnings. */
static unsigned load_entry(one_entry *e, bool expected)
{
    unsigned char *loaded;
    size_t size;

    e->said = (seen){0};
    alarm(60); /* a file may have no end */
    assert_int_equal(clspi_cache_load(folder, &e->key, &loaded, &size, &e->log), expected);
    alarm(0);
    free(loaded);
    return e->said.warnings;
}

/* The entry is refused, replaced, and read again. */
static void check_replaced(one_entry *e)
{
    assert_int_equal(load_entry(e, false), 1);
    store_entry(e);
    assert_int_equal(load_entry(e, true), 0);
}

static void test_untrusted_files(void **state)
{
    static const mode_t modes[] = {0620, 0602, 0666};
    char other[SUPPORT_PATH_MAX + 16];
    one_entry e;

    (void)state;
    make_entry(&e);
    for (size_t i = 0; i < CLSPI_COUNT(modes); i++) {
        assert_int_equal(chmod(e.path, modes[i]), 0);
        check_replaced(&e);
    }
    snprintf(other, sizeof other, "%s/other", folder);
    assert_int_equal(rename(e.path, other), 0);
    assert_int_equal(symlink(other, e.path), 0);
    check_replaced(&e);
    assert_int_equal(remove(e.path), 0);
    assert_int_equal(mkfifo(e.path, 0600), 0);
    check_replaced(&e);
    assert_int_equal(truncate(e.path, 300 << 20), 0);
    check_replaced(&e);
    if (chown(e.path, 4711, (gid_t)-1) == 0) /* the superuser alone can give files away */
        check_replaced(&e);
    assert_int_equal(remove(e.path), 0);
    assert_int_equal(load_entry(&e, false), 0); /* none there: nothing to warn of */
    clspi_log_release(&e.log);
}

/* The entry stays as it is while others may write beside it. */
static void test_untrusted_folder_of_files(void **state)
{
    static const mode_t modes[] = {0770, 0707, 01777};
    one_entry e;

    (void)state;
    make_entry(&e);
    for (size_t i = 0; i < CLSPI_COUNT(modes); i++) {
        assert_int_equal(chmod(folder, modes[i]), 0);
        assert_int_equal(load_entry(&e, false), 1);
        store_entry(&e);
        assert_int_equal(e.said.warnings, 2);
    }
    assert_int_equal(chmod(folder, 0755), 0);
    assert_int_equal(load_entry(&e, true), 0);
    clspi_log_release(&e.log);
}

/* ---- folders ---- */

/* Opens the cache as wanted; whether there is one. expected: the folder that it must be, or NULL.
 */
static bool opens(const char *wanted, const char *expected, unsigned *warnings)
{
    clspi_log log;
    seen s = {0};
    char *dir;

    clspi_log_init(&log, count_messages, &s);
    clspi_cache_open(&dir, wanted, &log);
    clspi_log_release(&log);
    *warnings = s.warnings;
    if (dir && expected) assert_string_equal(dir, expected);
    const bool opened = dir != NULL;
    free(dir);
    return opened;
}

/* A folder is not used, since it is none. */
static void expect_no_folder(const char *path)
{
    clspi_log log;
    seen s = {0};
    char *dir;

    clspi_log_init(&log, count_messages, &s);
    clspi_cache_open(&dir, path, &log);
    clspi_log_release(&log);
    assert_null(dir);
    assert_int_equal(s.warnings, 1);
    if (!strstr(s.warning, " is not used: it is not a folder, or lies in none"))
        fail_msg("%s", s.warning);
}

static void test_folders(void **state)
{
    char path[2 * SUPPORT_PATH_MAX];
    unsigned warnings;
    struct stat info;

    (void)state;
    snprintf(path, sizeof path, "%s/a/b/c", folder);
    assert_true(opens(path, path, &warnings));
    assert_int_equal(warnings, 0);
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0700);
    assert_true(opens(path, path, &warnings));
    assert_false(opens("", NULL, &warnings)); /* switched off: nothing to warn of */
    assert_int_equal(warnings, 0);
    expect_no_folder("/dev/null");
    expect_no_folder("/dev/null/below");
    snprintf(path, sizeof path, "%s/file", folder);
    write_file(path, binary, sizeof binary);
    expect_no_folder(path);
}

static void test_read_only_folder(void **state)
{
    unsigned warnings;

    (void)state;
    if (geteuid() == 0) skip_because("the superuser may write everywhere");
    assert_int_equal(chmod(folder, 0500), 0);
    const bool opened = opens(folder, NULL, &warnings);
    chmod(folder, 0700);
    assert_false(opened);
    assert_int_equal(warnings, 1);
}

/* A folder in which others may write, or of another user, is not used. */
static void test_untrusted_folders(void **state)
{
    static const mode_t modes[] = {0777, 01777, 0770, 0702};
    unsigned warnings;

    (void)state;
    for (size_t i = 0; i < CLSPI_COUNT(modes); i++) {
        assert_int_equal(chmod(folder, modes[i]), 0);
        assert_false(opens(folder, NULL, &warnings));
        assert_int_equal(warnings, 1);
    }
    assert_int_equal(chmod(folder, 0755), 0);
    assert_true(opens(folder, folder, &warnings));
    assert_int_equal(warnings, 0);
    if (chown(folder, 4711, (gid_t)-1) != 0) return;
    assert_false(opens(folder, NULL, &warnings));
    assert_int_equal(warnings, 1);
}

static void test_environment(void **state)
{
    char path[2 * SUPPORT_PATH_MAX];
    unsigned warnings;

    (void)state;
    setenv("CLSPLINE_CACHE_DIR", folder, 1);
    assert_true(opens(NULL, folder, &warnings));
    setenv("CLSPLINE_CACHE_DIR", "", 1);
    assert_false(opens(NULL, NULL, &warnings));
    unsetenv("CLSPLINE_CACHE_DIR");

    setenv("XDG_CACHE_HOME", folder, 1);
    snprintf(path, sizeof path, "%s/clspline", folder);
    assert_true(opens(NULL, path, &warnings));
    setenv("HOME", folder, 1);
    snprintf(path, sizeof path, "%s/.cache/clspline", folder);
    setenv("XDG_CACHE_HOME", "relative", 1); /* to be ignored, says the XDG specification */
    assert_true(opens(NULL, path, &warnings));
    unsetenv("XDG_CACHE_HOME");
    assert_true(opens(NULL, path, &warnings));
    setenv("HOME", "", 1);
    assert_false(opens(NULL, NULL, &warnings));
    unsetenv("HOME");
    assert_false(opens(NULL, NULL, &warnings));
    assert_int_equal(warnings, 0);
}

/* A folder that vanishes after it was opened: a warning, no more. */
static void test_vanished_folder(void **state)
{
    const clsp_device_info device = some_device("1.0");
    const clspi_cache_key key = {&device, "kernel void k() {}", ""};
    unsigned char *loaded;
    size_t size;
    clspi_log log;
    seen s = {0};

    (void)state;
    clspi_log_init(&log, count_messages, &s);
    clspi_cache_store("/dev/null/below", &key, binary, sizeof binary, &log);
    assert_int_equal(s.warnings, 1);
    assert_false(clspi_cache_load("/dev/null/below", &key, &loaded, &size, &log));
    assert_int_equal(s.warnings, 1);
    clspi_log_release(&log);
}

/* ---- with a device ---- */

/* Opens a context that keeps its programs' binaries, whatever the device. */
static clsp_context *open_cached(const char *dir, seen *s)
{
    const clsp_context_opts opts = {.cache_dir = dir, .log = count_messages, .log_user = s};
    clsp_context *ctx;

    assert_ok(NULL, clsp_context_create(&ctx, NULL, &opts));
    assert_string_equal(ctx->cache_dir, dir);
    ctx->keeps_binaries = true;
    return ctx;
}

/* Builds one program in a new context. */
static seen build_once(const char *dir)
{
    seen s = {0};
    clsp_context *ctx = open_cached(dir, &s);
    cl_program program;

    assert_ok(ctx, clspi_program_get(ctx, "bernstein", "-DCLSP_REAL=32", &program, NULL));
    clsp_context_destroy(&ctx);
    return s;
}

static bool keeps_binaries(void)
{
    char path[SUPPORT_PATH_MAX];
    const seen s = build_once(folder);

    assert_int_equal(s.compiles, 1);
    return support_file_in(folder, 0, path);
}

static void test_rebuild_after_damage(void **state)
{
    static unsigned char bytes[1 << 22];
    char path[SUPPORT_PATH_MAX];
    size_t size;
    seen s;

    (void)state;
    if (!keeps_binaries()) skip_because("the device gives no program binaries");
    s = build_once(folder);
    assert_int_equal(s.hits, 1);
    assert_true(support_file_in(folder, 0, path));
    size = read_file(path, bytes, sizeof bytes);
    for (size_t i = 1; i < 4; i++) {
        bytes[size * i / 4] ^= 0x10;
        write_file(path, bytes, size);
        s = build_once(folder);
        assert_int_equal(s.hits, 0);
        assert_int_equal(s.compiles, 1);
        s = build_once(folder); /* which has written it anew */
        assert_int_equal(s.hits, 1);
    }
    write_file(path, bytes, 0);
    s = build_once(folder);
    assert_int_equal(s.compiles, 1);
}

/* A whole file with what the driver will not take. */
static void test_refused_binary(void **state)
{
    static const char options[] = "-cl-std=CL1.2 -DCLSP_REAL=32";
    clspi_cache_key key = {NULL, NULL, options};
    char *source = NULL;
    seen s = {0};
    clsp_context *ctx;
    clspi_log log;

    (void)state;
    ctx = open_cached(folder, &s);
    clsp_device_info device = ctx->device;
    clsp_context_destroy(&ctx);
    if (strstr(device.platform, "rusticl"))
        skip_because("rusticl ends the process on a binary that is not one");
    for (size_t i = 0; i < clspi_num_sources; i++)
        if (strcmp(clspi_sources[i].name, "bernstein") == 0)
            source = clspi_source_join(&clspi_sources[i]);
    assert_non_null(source);
    key.source = source;
    key.device = &device;
    clspi_log_init(&log, NULL, NULL);
    clspi_cache_store(folder, &key, binary, sizeof binary, &log);
    clspi_log_release(&log);
    free(source);
    s = build_once(folder);
    assert_int_equal(s.warnings, 1);
    assert_int_equal(s.hits, 0);
    assert_int_equal(s.compiles, 1);
}

/* Two programs where the test is full, else one: to give their binaries, CPU devices compile all
   that is in them. */
static int child(const char *dir)
{
    seen s = {0};
    clsp_context *ctx = open_cached(dir, &s);
    const int last = ctx->device.fp64 && support_full() ? 64 : 32;
    clspi_kernel kernel;
    clsp_status status = CLSP_OK;

    for (int real = 32; real <= last && status == CLSP_OK; real += 32) {
        const clspi_options options = clspi_options_of(ctx, real == 64 ? CLSP_F64 : CLSP_F32);
        status = clspi_kernel_create(&kernel, ctx, "bernstein", &clspi_bernstein_table_signature,
                                     &options);
        clspi_kernel_release(&kernel);
    }
    clsp_context_destroy(&ctx);
    return status == CLSP_OK && s.warnings == 0 ? 0 : 1;
}

/* Eight processes, three where the test is not full, fill one empty cache at once; one more
   finds it whole. */
static void test_processes(void **state)
{
    static const char *const no_change[] = {NULL};
    const char *const args[] = {"child", folder, NULL};
    const size_t num = support_full() ? 8 : 3;
    int processes[8];

    (void)state;
    for (size_t i = 0; i < num; i++)
        processes[i] = support_start(args, no_change);
    for (size_t i = 0; i < num; i++)
        assert_int_equal(support_wait(processes[i]), 0);
    assert_int_equal(support_wait(support_start(args, no_change)), 0);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_store_and_load),
        IN_FOLDER(test_damage),
        IN_FOLDER(test_untrusted_files),
        IN_FOLDER(test_untrusted_folder_of_files),
        IN_FOLDER(test_untrusted_folders),
        IN_FOLDER(test_folders),
        IN_FOLDER(test_read_only_folder),
        IN_FOLDER(test_vanished_folder),
        IN_FOLDER(test_rebuild_after_damage),
        IN_FOLDER(test_refused_binary),
        IN_FOLDER(test_processes),
        IN_FOLDER(test_environment), /* the last one: it takes HOME away */
    };

    if (argc == 3 && strcmp(argv[1], "child") == 0) return child(argv[2]);
    support_remember_self(argv[0]);
    if (support_no_device()) return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
