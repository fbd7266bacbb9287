/* Reader of XML by expat: tags and text as they come, in pieces of the file, so that a file of any
   length costs no memory. Entities are decoded; a DOCTYPE, which could define others, is refused.
   All names, values and text are UTF-8. */
#ifndef CLSPLINE_TOOLS_IO_XML_STREAM_H
#define CLSPLINE_TOOLS_IO_XML_STREAM_H

#include "scanner.h"

/* What is told of the file. Each function returns whether to go on. The scanner then has failed, or
   it stands behind the tag that has begun: what follows may be no XML. */
typedef struct xml_events {
    bool (*begin)(void *user, const char *name, const char *const *attributes);
    bool (*end)(void *user, const char *name);
    bool (*text)(void *user, const char *text, size_t count); /* a part of what is between tags */
} xml_events;

/* Reads the file to its end, or as far as the functions wish. s->line and s->word_line are those of
   what they are told. False with a message for what is not XML. */
bool xml_stream_read(scanner *s, const xml_events *events, void *user);

/* Returns the value of an attribute, "" where it is not given. */
const char *xml_attribute(const char *const *attributes, const char *name);

#endif
