#include "json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "utf8.h"

/* Returns a copy in UTF-8, which the caller frees; NULL when memory runs out. */
static char *make_utf8(const char *text)
{
    static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */
    char *made = malloc(strlen(text) * (sizeof(replacement) - 1) + 1), *to = made;
    while (made && *text) {
        const size_t length = utf8_length(text);
        const size_t written = length > 0 ? length : sizeof(replacement) - 1;
        memcpy(to, length > 0 ? text : replacement, written);
        to += written;
        text += length > 0 ? length : 1;
    }
    if (made) *to = 0;
    return made;
}

/* Adds what was made, and returns it; NULL where it was not, or cannot be added. */
static cJSON *add(json_list *list, cJSON *to, const char *name, cJSON *made)
{
    if (made && to &&
        (name ? cJSON_AddItemToObject(to, name, made) : cJSON_AddItemToArray(to, made)))
        return made;
    list->failed = true;
    cJSON_Delete(made);
    return NULL;
}

cJSON *json_object(json_list *list)
{
    cJSON *made = cJSON_CreateObject();
    if (!made) list->failed = true;
    return made;
}

void json_add_text(json_list *list, cJSON *to, const char *name, const char *text)
{
    char *copy = text ? make_utf8(text) : NULL;
    add(list, to, name, copy ? cJSON_CreateString(copy) : text ? NULL : cJSON_CreateNull());
    free(copy);
}

void json_add_count(json_list *list, cJSON *to, const char *name, uint64_t count)
{
    char text[24]; /* cJSON's own numbers are doubles */
    snprintf(text, sizeof(text), "%llu", (unsigned long long)count);
    add(list, to, name, cJSON_CreateRaw(text));
}

void json_add_real(json_list *list, cJSON *to, const char *name, double value)
{
    add(list, to, name, cJSON_CreateNumber(value));
}

void json_add_reals(json_list *list, cJSON *to, const char *name, const double *values, size_t num)
{
    add(list, to, name, cJSON_CreateDoubleArray(values, (int)num));
}

void json_add_bool(json_list *list, cJSON *to, const char *name, bool value)
{
    add(list, to, name, cJSON_CreateBool(value));
}

cJSON *json_add_array(json_list *list, cJSON *to, const char *name)
{
    return add(list, to, name, cJSON_CreateArray());
}

cJSON *json_add_object(json_list *list, cJSON *to, const char *name)
{
    return add(list, to, name, cJSON_CreateObject());
}

char *json_text(json_list *list, cJSON *object)
{
    char *text = list->failed ? NULL : cJSON_PrintUnformatted(object);
    if (!text) list->failed = true;
    cJSON_Delete(object);
    return text;
}

void json_list_print(json_list *list, cJSON *object)
{
    char *text = json_text(list, object);
    if (text) printf("%s%s", list->count++ == 0 ? "[\n" : ",\n", text);
    cJSON_free(text);
}

bool json_print_alone(json_list *list, cJSON *object)
{
    char *text = list->failed ? NULL : cJSON_PrintUnformatted(object);
    if (text)
        puts(text);
    else
        complain("not enough memory");
    cJSON_free(text);
    cJSON_Delete(object);
    return text != NULL;
}

bool json_list_end(json_list *list)
{
    puts(list->count == 0 ? "[]" : "\n]");
    if (list->failed) complain("not enough memory");
    return !list->failed;
}
