/* Build logs that point at the true file and line. */
#ifndef CLSPI_BUILD_LOG_H
#define CLSPI_BUILD_LOG_H

/* Programs are several files in one text with #line marks between them (embed_cl.py). NVIDIA's
   compiler and Oclgrind pay the marks no heed and give lines of the whole text, as "<kernel>:76:"
   or "input.cl:76:". Returns the log with such places replaced by "file:line:", malloc'ed; NULL
   without memory. */
char *clspi_build_log_place(const char *source, const char *log);

#endif
