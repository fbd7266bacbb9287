// Writes JSON into a stream: numbers by the fewest digits that give the same double again.
#ifndef CLSPLINE_TOOLS_CAD_JSON_TEXT_H
#define CLSPLINE_TOOLS_CAD_JSON_TEXT_H

#include <cstdio>
#include <string>
#include <type_traits>

namespace cad {

class json_text {
  public:
    explicit json_text(FILE *to) : to(to)
    {
    }

    // Open an object or a list, in an object by its key, and close what was opened last.
    void object(const char *key = nullptr)
    {
        open(key, '{', '}');
    }
    void list(const char *key = nullptr)
    {
        open(key, '[', ']');
    }
    void end();

    // Add a value: true or false, a whole number, a real one, which throws where it is not finite,
    // or UTF-8.
    void add(double value);
    void add(const std::string &value);
    void add(const char *value)
    {
        add(std::string(value));
    }
    template <class whole, std::enable_if_t<std::is_integral_v<whole>, int> = 0>
    void add(whole value)
    {
        plain(std::is_same_v<whole, bool> ? (value ? "true" : "false") : std::to_string(value));
    }
    template <class list_of> void add_all(const list_of &values)
    {
        for (const auto &value : values)
            add(value);
    }

    // Adds a value by its key.
    template <class type> void put(const char *key, const type &value)
    {
        name(key);
        add(value);
    }
    template <class list_of> void put_all(const char *key, const list_of &values)
    {
        list(key);
        add_all(values);
        end();
    }

    void line()
    {
        wants_line = true;
    } // what follows begins a line

    // Writes what has gathered. Throws where that fails; to be called at the end.
    void flush();

  private:
    FILE *to;
    std::string text, marks; // that will close what is open
    bool follows = false, wants_line = false;

    void separate();
    void plain(const std::string &value);
    void name(const char *key);
    void open(const char *key, char mark, char closing);
};

} // namespace cad

#endif
