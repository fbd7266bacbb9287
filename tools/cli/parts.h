/* Files that several runs of the command make, each a part. */
#ifndef CLSPLINE_TOOLS_PARTS_H
#define CLSPLINE_TOOLS_PARTS_H

#include "part_file.h"
#include "request.h"

/* Describes the part that a request asks for, all but its bytes and the device. */
part_record parts_record(const request *r);

/* Complains of files that cannot be had in parts, and where there are parts of another job, or this
   part without --resume. EXIT_OK: it is to be made, or *is_done. */
int parts_check(const request *r, bool *is_done);

/* A part of things that stand in a row. */
typedef struct parts_range {
    uint64_t first, count;
} parts_range;

/* Gives the part of a request, of so many things; *range is all of them where no part is asked for.
   False with a complaint where there are more parts than things, which it names: "patches". */
bool parts_take(const request *r, uint64_t all, const char *things, parts_range *range);

/* Names the device that makes a part. */
void parts_name_device(part_record *record, const clsp_context *ctx);

#endif
