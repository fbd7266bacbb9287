#include "input.h"

#include <string.h>
#include <strings.h>
#include <sys/stat.h>

bool input_open(input *in, const char *path, io_message *message)
{
    struct stat status;
    *in = (input){.name = path};
    if (strcmp(path, "-") == 0) {
        *in = (input){stdin, "standard input"};
        return true;
    }
    in->file = fopen(path, "rb");
    if (!in->file) return io_fail_errno(message, path, "cannot open");
    if (fstat(fileno(in->file), &status) != 0 || !S_ISDIR(status.st_mode)) return true;
    input_close(in);
    return io_fail(message, "%s: a folder; one of Zarr is read in Python, by clspline.read", path);
}

void input_close(input *in)
{
    if (in->file && in->file != stdin) fclose(in->file);
    in->file = NULL;
}

bool input_ends_in(const char *path, const char *ending)
{
    const size_t length = strlen(path), end = strlen(ending);
    return length > end && path[length - end - 1] == '.' &&
           strcasecmp(path + length - end, ending) == 0;
}
