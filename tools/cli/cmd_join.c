/* `clspline join`: one file of the parts that several runs have made. */
#include <stdio.h>

#include "part_file.h"
#include "plain_requests.h"

int join_run(request *base)
{
    const join_request *r = (const join_request *)base;
    io_message message;
    int status = EXIT_OK;
    for (size_t i = 0; i < base->num_inputs; i++) {
        uint32_t count;
        if (part_file_join(base->inputs[i], r->mixed, &count, &message)) {
            if (base->quiet) continue;
            print_name(stderr, base->inputs[i]);
            fprintf(stderr, ": %u parts joined\n", count);
            continue;
        }
        complain("%s", message.text);
        status = EXIT_FAILED;
    }
    return status;
}
