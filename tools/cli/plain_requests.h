/* The command lines of `clspline info`, `tune` and `devices`. */
#ifndef CLSPLINE_TOOLS_PLAIN_REQUESTS_H
#define CLSPLINE_TOOLS_PLAIN_REQUESTS_H

#include "request.h"

typedef struct devices_request {
    request base;
    bool kernels;
} devices_request;

typedef struct tune_request {
    request base;
    const char *speeds; /* file; NULL: the default one */
    bool quick;
} tune_request;

typedef struct join_request {
    request base;
    bool mixed; /* parts by different devices, too */
} join_request;

/* Do what a devices_request, a request, a join_request or a tune_request
   asks for. Return the exit status. */
int devices_run(request *r);
int info_run(request *r);
int join_run(request *r);
int tune_run(request *r);

#endif
