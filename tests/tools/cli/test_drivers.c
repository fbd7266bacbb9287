/* What is said of devices that a user may not open. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "command.h"
#include "drivers.h"

/* Looks at the nodes of a folder as a user who is not root; 0 where a complaint names the first. */
static int look(const char *folder)
{
    char text[4096] = "";
    FILE *const heard = tmpfile();
    if (!heard || (geteuid() == 0 && setuid(65534) != 0)) return 2;
    complain_to(heard);
    drivers_complain("/dev/null/none", folder);
    rewind(heard);
    const size_t length = fread(text, 1, sizeof(text) - 1, heard);
    text[length] = 0;
    const char *const closed = strstr(text, "renderD128: this user may not open it");
    return closed && strstr(closed, "its group, ") && !strstr(text, "renderD129") &&
                   !strstr(text, "card0")
               ? 0
               : 1;
}

static void test_nodes(void **state)
{
    static const char *const names[] = {"renderD128", "renderD129", "card0"};
    static const mode_t modes[] = {0, 0666, 0};
    char folder[] = "/tmp/nodes-XXXXXX", path[3][64];
    int status = 1;
    (void)state;
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chmod(folder, 0755), 0);
    for (int i = 0; i < 3; i++) {
        snprintf(path[i], sizeof(path[i]), "%s/%s", folder, names[i]);
        FILE *const file = fopen(path[i], "w");
        assert_non_null(file);
        fclose(file);
        assert_int_equal(chmod(path[i], modes[i]), 0);
    }
    const pid_t child = fork();
    if (child == 0) _exit(look(folder));
    assert_int_equal(waitpid(child, &status, 0), child);
    for (int i = 0; i < 3; i++)
        unlink(path[i]);
    rmdir(folder);
    assert_int_equal(status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_nodes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
