#include "xml_tag.h"

#include <string.h>

static bool is_space(int c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static void skip_spaces(scanner *s)
{
    while (is_space(scanner_peek(s)))
        scanner_take(s);
}

/* Takes characters up to one of those that end it, and returns that, which is not taken. What
   controls a terminal becomes a question mark. */
static int take_until(scanner *s, const char *ends, char *to, size_t room)
{
    size_t length = 0;
    int c = scanner_peek(s);
    while (c != SCANNER_END && !strchr(ends, c)) {
        if (length + 1 < room) to[length++] = c < ' ' || c == 127 ? '?' : (char)c;
        scanner_take(s);
        c = scanner_peek(s);
    }
    if (room > 0) to[length] = 0;
    return c;
}

/* Leaves out a comment, whose "<!" is taken, or another declaration. */
static void skip_declaration(scanner *s)
{
    char last[3] = {0};
    for (int n = 0; n < 2 && scanner_peek(s) == '-'; n++)
        last[n] = (char)scanner_take(s);
    const bool is_comment = last[0] == '-' && last[1] == '-';
    last[0] = last[1] = 0;
    for (int c = scanner_take(s); c != SCANNER_END; c = scanner_take(s)) {
        if (c == '>' && (!is_comment || (last[0] == '-' && last[1] == '-'))) return;
        last[0] = last[1];
        last[1] = (char)c;
    }
}

/* Reads the attributes of a tag and its end. */
static bool read_attributes(scanner *s, xml_tag *tag)
{
    char name[XML_MAX_NAME], value[XML_MAX_VALUE];
    for (;;) {
        skip_spaces(s);
        int c = scanner_peek(s);
        if (c == '/' || c == '?') {
            tag->ends = true;
            scanner_take(s);
            continue;
        }
        if (c == '>') return scanner_take(s) == '>';
        take_until(s, "= \t\r\n/>?", name, sizeof(name));
        skip_spaces(s);
        if (scanner_peek(s) != '=')
            return !s->failed && scanner_fail(s, s->line, "'=' was expected in a tag");
        scanner_take(s);
        skip_spaces(s);
        const int quote = scanner_take(s);
        if (quote != '"' && quote != '\'')
            return !s->failed && scanner_fail(s, s->line, "a quoted value was expected in a tag");
        const char ends[2] = {(char)quote, 0};
        if (take_until(s, ends, value, sizeof(value)) == SCANNER_END)
            return !s->failed && scanner_fail(s, s->line, "the file ends within a tag");
        scanner_take(s);
        if (tag->num == XML_MAX_ATTRIBUTES) continue;
        strcpy(tag->names[tag->num], name);
        strcpy(tag->values[tag->num++], value);
    }
}

bool xml_tag_next(scanner *s, xml_tag *tag)
{
    for (;;) {
        if (take_until(s, "<", NULL, 0) == SCANNER_END) return false;
        scanner_take(s);
        const int c = scanner_peek(s);
        if (c == '!') {
            scanner_take(s);
            skip_declaration(s);
            continue;
        }
        s->word_line = s->line;
        *tag = (xml_tag){.begins = c != '/', .ends = c == '/'};
        if (c == '/' || c == '?') scanner_take(s);
        take_until(s, " \t\r\n/>?", tag->name, sizeof(tag->name));
        if (!read_attributes(s, tag)) return false;
        if (c != '?') return true;
    }
}

const char *xml_tag_value(const xml_tag *tag, const char *name)
{
    for (int i = 0; i < tag->num; i++)
        if (strcmp(tag->names[i], name) == 0) return tag->values[i];
    return "";
}

bool xml_word(scanner *s)
{
    skip_spaces(s);
    s->word_line = s->line;
    take_until(s, " \t\r\n\v\f<", s->word, SCANNER_MAX_WORD);
    return !s->failed && s->word[0] != 0;
}
