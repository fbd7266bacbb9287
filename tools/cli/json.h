/* JSON on standard output, by cJSON: a list of objects, each made and printed after the other. */
#ifndef CLSPLINE_TOOLS_JSON_H
#define CLSPLINE_TOOLS_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cJSON.h>

typedef struct json_list {
    size_t count; /* objects printed */
    bool failed;  /* memory ran out */
} json_list;

/* Creates an object, to be filled and then given to json_list_print. The functions below take NULL
   where one of them has failed. */
cJSON *json_object(json_list *list);

/* Add a member to an object, or with a NULL name an item to an array. Bytes of a text that are not
   UTF-8 become U+FFFD; a NULL text is null. */
void json_add_text(json_list *list, cJSON *to, const char *name, const char *text);
void json_add_count(json_list *list, cJSON *to, const char *name, uint64_t count);
void json_add_real(json_list *list, cJSON *to, const char *name, double value);
void json_add_reals(json_list *list, cJSON *to, const char *name, const double *values, size_t num);
void json_add_bool(json_list *list, cJSON *to, const char *name, bool value);
cJSON *json_add_array(json_list *list, cJSON *to, const char *name);
cJSON *json_add_object(json_list *list, cJSON *to, const char *name);

/* Returns an object as text in one line, which the caller frees by cJSON_free, and releases it;
   NULL where memory has run out. */
char *json_text(json_list *list, cJSON *object);

/* Prints an object in a line of the list, and releases it. */
void json_list_print(json_list *list, cJSON *object);

/* Prints an object by itself, without a list, and releases it. False with a complaint where memory
   ran out. */
bool json_print_alone(json_list *list, cJSON *object);

/* Ends the list, which may be empty. False with a complaint where memory ran out. */
bool json_list_end(json_list *list);

#endif
