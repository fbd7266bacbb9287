/* Peers of the benchmark in processes of their own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "python_process.h"

/* Says its word, and reads until the other end is closed. */
static const char script[] = "#!/bin/sh\necho \"$2 is here\"\ncat >/dev/null\n";

/* The first one ends when it is stopped, although the second one was started after it. */
static void test_two(void **state)
{
    char path[] = "/tmp/clspline-peer-XXXXXX";
    const int file = mkstemp(path);
    python_process one, other;

    (void)state;
    assert_true(file >= 0);
    assert_int_equal(write(file, script, sizeof script - 1), sizeof script - 1);
    assert_int_equal(fchmod(file, 0700), 0);
    close(file);
    assert_int_equal(setenv("CLSPLINE_BENCH_PYTHON", path, 1), 0);
    alarm(20); /* the test ends by a signal where it would hang */
    assert_true(python_start(&one, "a.py", "one"));
    assert_true(python_start(&other, "b.py", "other"));
    assert_string_equal(one.about, "one is here");
    python_stop(&one);
    python_stop(&other);
    assert_false(python_start(&one, "/no such script", "three\n"));
    assert_int_equal(one.process, 0);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_two)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
