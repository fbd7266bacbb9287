#include "sources.h"

#include <stdlib.h>
#include <string.h>

char *clspi_source_join(const clspi_source *source)
{
    size_t length = 0;
    char *text, *end;

    for (const char *const *piece = source->pieces; *piece; piece++)
        length += strlen(*piece);
    text = end = malloc(length + 1);
    if (!text) return NULL;
    for (const char *const *piece = source->pieces; *piece; piece++) {
        const size_t size = strlen(*piece);
        memcpy(end, *piece, size);
        end += size;
    }
    *end = '\0';
    return text;
}
