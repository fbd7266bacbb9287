/* What a device can do: queried once, narrowed by words, read by every later choice. */
#ifndef CLSPI_PROFILE_H
#define CLSPI_PROFILE_H

#include <stdbool.h>

#include "log.h"

/* Fills info from the device's queries. A query that fails leaves its field 0. */
void clspi_profile_query(clsp_device_info *info, cl_device_id device);

/* Applies the words of clsp_context_opts.limits; NULL or "" changes nothing. source: where they are
   from, for messages. CLSP_ERROR_ARGUMENT, with the word and those allowed in the log, for a word
   that is not one. */
clsp_status clspi_profile_narrow(clsp_device_info *info, const char *limits, const char *source,
                                 clspi_log *log);

/* Tells whether a class is among such words, which may be NULL. */
bool clspi_profile_has_class(const char *limits);

/* Tells whether a word stands in the device's list of extensions. */
bool clspi_has_extension(cl_device_id device, const char *word);

/* Tells whether text holds part, without regard to case. */
int clspi_contains(const char *text, const char *part, size_t part_length);

/* Tell whether a platform's name is PoCL's, NVIDIA's, and rusticl, Mesa's. */
int clspi_is_pocl(const char *platform);
int clspi_is_nvidia(const char *platform);
int clspi_is_rusticl(const char *platform);

/* Names a class: "cpu", "integrated", "discrete", "accelerator", "host". Static storage. */
const char *clspi_class_name(clsp_device_class device_class);

#endif
