/* Tags of an XML file, one after another, as far as VTK's files need them: no entities. */
#ifndef CLSPLINE_TOOLS_IO_XML_TAG_H
#define CLSPLINE_TOOLS_IO_XML_TAG_H

#include <stdbool.h>

#include "scanner.h"

enum { XML_MAX_NAME = 64, XML_MAX_VALUE = 128, XML_MAX_ATTRIBUTES = 16 };

typedef struct xml_tag {
    char name[XML_MAX_NAME];
    bool begins, ends; /* <name>, </name>; both: <name/> */
    int num;
    char names[XML_MAX_ATTRIBUTES][XML_MAX_NAME];
    char values[XML_MAX_ATTRIBUTES][XML_MAX_VALUE];
} xml_tag;

/* Reads the next tag, leaving out text, comments and declarations. False at the end of the file and
   on failure. Names and values are cut where they are too long. */
bool xml_tag_next(scanner *s, xml_tag *tag);

/* Returns the value of an attribute, "" where it is not given. */
const char *xml_tag_value(const xml_tag *tag, const char *name);

/* Reads a word of the text between tags into s->word. False at the next tag and at the end. */
bool xml_word(scanner *s);

#endif
