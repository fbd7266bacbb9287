/* Build logs that point at the true file and line. */
#ifndef CLSPI_BUILD_LOG_H
#define CLSPI_BUILD_LOG_H

/* Returns the log with the true "file:line:" in place of lines of the whole text, malloc'ed; NULL
   without memory. Programs are several files in one text with #line marks between them
   (embed_cl.py); NVIDIA's compiler and Oclgrind pay the marks no heed and give "<kernel>:76:" or
   "input.cl:76:". */
char *clspi_build_log_place(const char *source, const char *log);

#endif
