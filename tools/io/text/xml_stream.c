#include "xml_stream.h"

#include <expat.h>
#include <string.h>

enum { MAX_DEPTH = 64, MAX_TAG = 1 << 20 /* bytes, also of a comment */ };

typedef struct xml_stream {
    XML_Parser parser;
    scanner *s;
    const xml_events *events;
    void *user;
    uint64_t first_line;
    uint64_t fed, quiet; /* bytes that expat has got, in all and since it told something */
    uint64_t behind;     /* where the tag ends that has begun */
    int depth;
    bool stopped;
} xml_stream;

/* ---- what expat tells ---- */

/* Counts lines of the file to where expat is. An expat that counts in 64 bits everywhere calls its
   other names deprecated. */
static uint64_t current_line(const xml_stream *x)
{
#if IO_EXPAT_COUNTS_64
    return x->first_line + XML_GetCurrentLineNumber64(x->parser) - 1;
#else
    return x->first_line + XML_GetCurrentLineNumber(x->parser) - 1;
#endif
}

/* Counts bytes to behind the tag where expat is. */
static uint64_t current_end(const xml_stream *x)
{
#if IO_EXPAT_COUNTS_64
    return (uint64_t)XML_GetCurrentByteIndex64(x->parser) + XML_GetCurrentByteCount64(x->parser);
#else
    return (uint64_t)XML_GetCurrentByteIndex(x->parser) +
           (uint64_t)XML_GetCurrentByteCount(x->parser);
#endif
}

static void set_line(xml_stream *x)
{
    x->quiet = 0;
    x->s->line = x->s->word_line = current_line(x);
}

static void stop(xml_stream *x)
{
    x->stopped = true;
    XML_StopParser(x->parser, XML_TRUE);
}

static void take_begin(void *user, const XML_Char *name, const XML_Char **attributes)
{
    xml_stream *x = user;
    if (x->stopped) return;
    set_line(x);
    x->behind = current_end(x);
    if (++x->depth > MAX_DEPTH) {
        scanner_fail(x->s, x->s->line, "more than %d tags within each other", MAX_DEPTH);
        stop(x);
    } else if (!x->events->begin(x->user, name, (const char *const *)attributes)) {
        stop(x);
    }
}

static void take_end(void *user, const XML_Char *name)
{
    xml_stream *x = user;
    if (x->stopped) return; /* of a tag that ends itself */
    set_line(x);
    x->depth--;
    if (!x->events->end(x->user, name)) stop(x);
}

static void take_text(void *user, const XML_Char *text, int count)
{
    xml_stream *x = user;
    if (x->stopped) return;
    set_line(x);
    if (!x->events->text(x->user, text, (size_t)count)) stop(x);
}

static void take_comment(void *user, const XML_Char *text)
{
    (void)text;
    ((xml_stream *)user)->quiet = 0;
}

static void take_instruction(void *user, const XML_Char *target, const XML_Char *text)
{
    (void)target;
    take_comment(user, text);
}

static void refuse_doctype(void *user, const XML_Char *name, const XML_Char *system,
                           const XML_Char *public, int has_subset)
{
    xml_stream *x = user;
    (void)name;
    (void)system;
    (void)public;
    (void)has_subset;
    set_line(x);
    scanner_fail(x->s, x->s->line, "a DOCTYPE, which is not read");
    stop(x);
}

/* ---- the file ---- */

static bool fail_parse(xml_stream *x)
{
    if (x->s->failed) return false;
    return scanner_fail(x->s, current_line(x), "XML: %s",
                        XML_ErrorString(XML_GetErrorCode(x->parser)));
}

static bool feed(xml_stream *x)
{
    const unsigned char *from;
    size_t left;
    scanner *s = x->s;
    while (!x->stopped && (left = scanner_buffered(s, &from)) > 0) {
        s->next += left;
        x->fed += left;
        x->quiet += left;
        if (XML_Parse(x->parser, (const char *)from, (int)left, XML_FALSE) == XML_STATUS_ERROR)
            return fail_parse(x);
        if (x->quiet > MAX_TAG)
            return scanner_fail(s, s->line, "a tag or comment of more than %d bytes", MAX_TAG);
    }
    if (s->failed) return false;
    if (!x->stopped)
        return XML_Parse(x->parser, "", 0, XML_TRUE) != XML_STATUS_ERROR || fail_parse(x);
    if (x->fed - x->behind > s->next) /* an expat that waits for more although it was told not to */
        return scanner_fail(s, s->line, "the tag was told of too late");
    s->next -= (size_t)(x->fed - x->behind);
    return true;
}

bool xml_stream_read(scanner *s, const xml_events *events, void *user)
{
    xml_stream x = {.s = s, .events = events, .user = user, .first_line = s->line};
    x.parser = XML_ParserCreate(NULL);
    if (!x.parser) return scanner_fail(s, s->line, "not enough memory");
    XML_SetUserData(x.parser, &x);
    XML_SetElementHandler(x.parser, take_begin, take_end);
    XML_SetCharacterDataHandler(x.parser, take_text);
    XML_SetCommentHandler(x.parser, take_comment);
    XML_SetProcessingInstructionHandler(x.parser, take_instruction);
    XML_SetStartDoctypeDeclHandler(x.parser, refuse_doctype);
#if IO_HAS_REPARSE_DEFERRAL
    XML_SetReparseDeferralEnabled(x.parser,
                                  XML_FALSE); /* a tag is told as soon as it is complete */
#endif
    const bool done = feed(&x);
    XML_ParserFree(x.parser);
    return done;
}

const char *xml_attribute(const char *const *attributes, const char *name)
{
    for (; *attributes; attributes += 2)
        if (strcmp(attributes[0], name) == 0) return attributes[1];
    return "";
}
