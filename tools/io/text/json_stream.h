/* Reader of JSON for who knows what to expect. Objects and lists are opened and walked in the order
   of the text, so that one of any length costs no memory; the values in them are read by cJSON, one
   at a time. It takes numbers such as 01 and 1. too, which RFC 8259 has not.

   A container is opened, then asked for its next member until there is none:

       if (!json_open(s, '{', "a shape")) return false;
       for (size_t n = 0; json_next_key(s, &n);) ..   reads or skips the value of the key in s->word
       return !s->failed;

   The scanner counts lines, and its messages are those of this reader too. s->word_line is the line
   where the value begins that was read last. */
#ifndef CLSPLINE_TOOLS_IO_JSON_STREAM_H
#define CLSPLINE_TOOLS_IO_JSON_STREAM_H

#include <cJSON.h>

#include "scanner.h"

/* Opens an object, '{', or an array, '['. `what` names it in messages ("a shape"). */
bool json_open(scanner *s, char kind, const char *what);

/* Goes on to the next member of an object and reads its key into s->word, cut where it is longer
   than that. *count: 0 at first, then the members so far. False behind the last one and on failure
   (s->failed). */
bool json_next_key(scanner *s, size_t *count);

/* Goes on to the next item of an array, likewise. */
bool json_next_item(scanner *s, size_t *count);

/* Reads a value with all that is in it, which the caller gives to cJSON_Delete. NULL with a message
   for what is none. */
cJSON *json_value(scanner *s, const char *what);

/* Reads a number within the scanner's bounds, or a whole one 0..max. */
bool json_read_real(scanner *s, const char *what, double *value);
bool json_read_count(scanner *s, const char *what, uint32_t max, uint32_t *value);

/* Takes the number that a value is, within the scanner's bounds. */
bool json_real_of(scanner *s, const cJSON *value, const char *what, double *real);

/* Reads a string into s->word, cut where it is longer than that. */
bool json_read_word(scanner *s, const char *what);

/* Reads over a value of any kind. */
bool json_skip(scanner *s);

/* Whether nothing follows but white space; fails where something does. */
bool json_end(scanner *s);

#endif
