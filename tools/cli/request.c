#include "request.h"

#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "output.h"

bool request_number(const char *text, double low, double high, double *value)
{
    char *end;
    size_t decimal = strspn(text, "+-.0123456789eE"); /* strtod knows more than decimals */
    *value = strtod(text, &end);
    return end != text && *end == 0 && text[decimal] == 0 && *value >= low && *value <= high;
}

bool request_count(const char *text, uint32_t low, uint32_t high, uint32_t *value)
{
    const unsigned long read = strtoul(text, NULL, 10);
    if (text[0] == 0 || strlen(text) > 8 || text[strspn(text, "0123456789")] != 0 || read < low ||
        read > high)
        return false;
    *value = (uint32_t)read;
    return true;
}

bool request_word(const char **text, const char *separators, char word[REQUEST_WORD])
{
    const size_t length = strcspn(*text, separators);
    if (length == 0 || length >= REQUEST_WORD) return false;
    memcpy(word, *text, length);
    word[length] = 0;
    *text = (*text)[length] ? *text + length + 1 : NULL;
    return true;
}

size_t request_numbers(const char *text, double bound, double *numbers, size_t most)
{
    char word[REQUEST_WORD];
    for (size_t num = 0; num < most; num++) {
        if (!request_word(&text, ",", word) || !request_number(word, -bound, bound, &numbers[num]))
            return 0;
        if (!text) return num + 1;
    }
    return 0;
}

int request_precision(mesh_precision *precision, const char *command, const char *text)
{
    if (strcmp(text, "f32") != 0 && strcmp(text, "f64") != 0)
        return usage_error(command, "--precision must be f32 or f64, not '%s'", text);
    *precision = text[1] == '3' ? MESH_F32 : MESH_F64;
    return EXIT_OK;
}

size_t request_dashes(const char **names, size_t count)
{
    size_t dashes = 0;
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], "-") == 0) dashes++;
    return dashes;
}

int request_check_format(const char *command, size_t num_dashes, bool has_format)
{
    if (num_dashes > 1) return usage_error(command, "standard output can be written once only");
    if (num_dashes == 1 && !has_format) return usage_error(command, "-o - needs --format");
    if (num_dashes == 0 && has_format)
        return usage_error(command, "--format is for -o -; files have it by their ending");
    return EXIT_OK;
}

bool request_is_among(const char *name, const char **names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, "-") != 0 && strcmp(names[i], "-") != 0 && output_is_same(name, names[i]))
            return true;
    return false;
}
