/* Memory of the caller's, as calls take it (clsp_input and clsp_output), checked and made ready. */
#ifndef CLSPI_MEMORY_H
#define CLSPI_MEMORY_H

#include "base_plan.h"

/* A buffer, or host memory. SVM is seen through a buffer made over it. */
typedef struct clspi_memory {
    clsp_type type;
    size_t element;          /* bytes */
    cl_mem buffer;           /* NULL: host memory, or none where nothing is read or written */
    size_t offset;           /* of buffer: elements before the first that is meant */
    char *host;              /* at the first element that is meant */
    bool is_svm;             /* buffer is ours */
    bool is_staged;          /* host is of graphics: it may be mapped by a driver */
    clsp_graphics *graphics; /* whose buffer it is, to be acquired and released; NULL: nobody's */
} clspi_memory;

/* What a call asks of a memory. */
typedef struct clspi_memory_need {
    const char *what; /* names it in messages */
    clsp_type type;
    size_t count; /* elements that are read or written */
} clspi_memory_need;

/* Check what the caller gave and open it; clspi_memory_close must follow in every case. Errors:
   CLSP_ERROR_ARGUMENT, CLSP_ERROR_BUFFER_SIZE, OpenCL's own. */
clsp_status clspi_input_open(clspi_memory *memory, const clspi_plan *plan, const clsp_input *input,
                             const clspi_memory_need *need);
clsp_status clspi_output_open(clspi_memory *memory, const clspi_plan *plan,
                              const clsp_output *output, const clspi_memory_need *need);

/* Puts host memory in the place of a staged buffer of graphics; what else an output is stays. type:
   of its elements, as the call takes them. Errors: CLSP_ERROR_ARGUMENT (of another context). */
clsp_status clspi_output_unstage(const clspi_plan *plan, clsp_output *output, const char *what,
                                 clsp_type type);

/* Tells whether an output is host memory, or a staged buffer of graphics, and nothing else. */
bool clspi_output_is_host(const clsp_output *output);

/* Takes memory that is a buffer of graphics from there, before the commands that write it, and
   gives it back behind them: status is what came of these, and what is returned of all. Other
   memory stays as it is. */
clsp_status clspi_memory_acquire(const clspi_memory *memory, clspi_series *series);
clsp_status clspi_memory_release(const clspi_memory *memory, clspi_series *series,
                                 clsp_status status);

/* Tells whether an input is given: one of nothing has neither memory nor size. A NULL pointer to
   elements is given, and an error when it is opened. */
bool clspi_input_is_there(const clsp_input *input);

/* Releases what was made; commands that use it still run. */
void clspi_memory_close(clspi_memory *memory);

/* Checks the memory of a shared call: the host's, or SVM that the host may write while devices do,
   which *output then says to be the host's. *out: where it begins. */
clsp_status clspi_shared_output(const clspi_plan *plan, clsp_output *output,
                                const clspi_memory_need *need, char **out);

/* Checks memory that a shared call reads in the same way. *in: where it begins. */
clsp_status clspi_shared_input(const clspi_plan *plan, const clsp_input *input,
                               const clspi_memory_need *need, const char **in);

/* Copies what a call reads where it is not aligned to its elements. *copy, NULL where there is
   none, is the caller's to free. */
clsp_status clspi_align_input(const clspi_plan *plan, const clspi_memory_need *need,
                              const char **in, void **copy);

#endif
