#include "json_text.h"

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <stdexcept>

namespace cad {

void json_text::flush()
{
    if (fwrite(text.data(), 1, text.size(), to) != text.size() || fflush(to) != 0)
        throw std::runtime_error(std::string("cannot write: ") + strerror(errno));
    text.clear();
}

void json_text::separate()
{
    if (follows) text += ',';
    if (wants_line) text += '\n';
    wants_line = false;
    follows = true;
    if (text.size() > 1 << 16) flush();
}

void json_text::name(const char *key)
{
    add(key);
    text += ':';
    follows = false;
}

void json_text::open(const char *key, char mark, char closing)
{
    if (key) name(key);
    separate();
    text += mark;
    marks += closing;
    follows = false;
}

void json_text::end()
{
    text += marks.back();
    marks.pop_back();
    follows = true;
}

void json_text::plain(const std::string &value)
{
    separate();
    text += value;
}

void json_text::add(double value)
{
    char digits[32];
    if (!std::isfinite(value)) throw std::runtime_error("a number of the model is not finite");
    separate();
    text.append(digits, std::to_chars(digits, digits + sizeof(digits), value).ptr);
}

void json_text::add(const std::string &value)
{
    separate();
    text += '"';
    for (const char c : value) {
        if (c == '"' || c == '\\') text += '\\';
        if ((unsigned char)c >= ' ') text += c;
    }
    text += '"';
}

} // namespace cad
