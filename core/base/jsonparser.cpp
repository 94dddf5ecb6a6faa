// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/jsonreader.h"

#include "core/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <unordered_set>

namespace pipeloom
{

namespace
{

/// "line 14, column 15" of a byte in a text, both from 1.
std::string lineAndColumn(std::string_view text, std::size_t offset)
{
    offset = std::min(offset, text.size());
    const std::string_view before = text.substr(0, offset);
    const auto line = std::ranges::count(before, '\n') + 1;
    const std::size_t start = before.rfind('\n');
    const std::size_t column = start == std::string_view::npos ? offset + 1 : offset - start;
    return fmt::format("line {}, column {}", line, column);
}

/// Where the word or sign begins whose last byte was the `count`th one read.
std::size_t wordStart(std::string_view text, std::size_t count)
{
    const auto inWord = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '+' || c == '-';
    };
    if (count == 0 || count > text.size())
        return text.size();
    std::size_t at = count - 1;
    while (at > 0 && inWord(text[at]) && inWord(text[at - 1]))
        --at;
    return at;
}

/// The part of a library message that says what was wrong, without its prefix and place.
std::string reasonOf(std::string_view message)
{
    if (const std::size_t at = message.find(" - "); at != std::string_view::npos)
        message.remove_prefix(at + 3);
    else if (const std::size_t colon = message.find("] "); colon != std::string_view::npos)
        message.remove_prefix(colon + 2);
    return printable(message, 160);
}

/// Builds the document event by event, so that duplicate keys, depth and size are seen before memory is spent on them.
class Builder final : public nlohmann::json_sax<Json>
{
public:
    Builder(std::string_view text, const std::string &file, const JsonLimits &limits)
        : m_text(text)
        , m_file(file)
        , m_limits(limits)
    {
    }

    bool null() override { return put(nullptr); }
    bool boolean(bool value) override { return put(value); }
    bool number_integer(number_integer_t value) override { return put(value); }
    bool number_unsigned(number_unsigned_t value) override { return put(value); }
    bool number_float(number_float_t value, const string_t &) override { return put(value); }
    bool string(string_t &value) override { return put(std::move(value)); }
    bool binary(binary_t &) override { return false; }
    bool start_object(std::size_t) override { return open(Json::object()); }
    bool start_array(std::size_t) override { return open(Json::array()); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }

    bool key(string_t &value) override
    {
        Level &level = m_levels.back();
        if (!level.keys.insert(value).second)
            return fail({ .code = ErrorCode::Syntax,
                          .message = fmt::format("the key {} stands twice in one object", printable(value)),
                          .file = m_file,
                          .where = pointer(path(), value),
                          .hint = "remove one of them" });
        level.key = value;
        return true;
    }

    bool parse_error(std::size_t position, const std::string &, const nlohmann::detail::exception &exception) override
    {
        constexpr int numberOverflow = 406;
        const bool overflow = exception.id == numberOverflow;
        const std::string where = lineAndColumn(m_text, wordStart(m_text, position));
        if (m_text.find_first_not_of(" \t\r\n") == std::string_view::npos)
            return fail({ ErrorCode::Syntax, "the file is empty", m_file, {}, {} });
        return fail({ .code = ErrorCode::Syntax,
                      .message = overflow ? "a number is too large" : "not valid JSON: " + reasonOf(exception.what()),
                      .file = m_file,
                      .where = where,
                      .hint = {} });
    }

    [[nodiscard]] Expected<Json> result(bool parsed)
    {
        if (m_error)
            return *m_error;
        if (!parsed)
            return Error{ ErrorCode::Syntax, "not valid JSON", m_file, {}, {} };
        return std::move(m_root);
    }

private:
    struct Level
    {
        Json *value = nullptr;
        std::string key; ///< object: the key whose value comes next
        std::unordered_set<std::string> keys;
    };

    bool fail(Error error)
    {
        if (!m_error)
            m_error = std::move(error);
        return false;
    }

    [[nodiscard]] std::string path() const
    {
        std::string out;
        for (std::size_t i = 0; i + 1 < m_levels.size(); ++i) {
            const Level &level = m_levels[i];
            out = pointer(out, level.value->is_object() ? level.key : std::to_string(level.value->size() - 1));
        }
        return out;
    }

    /// Stores a value in the open list or object; nullptr when there are too many.
    Json *store(Json &&value)
    {
        if (++m_count > m_limits.values) {
            fail({ ErrorCode::Syntax, fmt::format("the document holds more than {} values", m_limits.values), m_file, {}, {} });
            return nullptr;
        }
        if (m_levels.empty())
            return &(m_root = std::move(value));
        Level &level = m_levels.back();
        if (level.value->is_array()) {
            level.value->push_back(std::move(value));
            return &level.value->back();
        }
        // The key is known to be new: append without the linear search of operator[].
        auto &entries = level.value->get_ref<Json::object_t &>();
        entries.push_back(Json::object_t::value_type(level.key, std::move(value)));
        return &entries.back().second;
    }

    bool put(Json value) { return store(std::move(value)) != nullptr; }

    bool open(Json container)
    {
        if (m_levels.size() >= m_limits.depth)
            return fail({ ErrorCode::Syntax,
                          fmt::format("the document is nested deeper than {} levels", m_limits.depth),
                          m_file,
                          path(),
                          {} });
        Json *value = store(std::move(container));
        if (!value)
            return false;
        m_levels.push_back({ value, {}, {} });
        return true;
    }

    bool close()
    {
        m_levels.pop_back();
        return true;
    }

    std::string_view m_text;
    const std::string &m_file;
    JsonLimits m_limits;
    Json m_root;
    std::vector<Level> m_levels; ///< a container does not move while it is open: only its innermost one grows
    std::size_t m_count = 0;
    std::optional<Error> m_error;
};

} // namespace

Expected<Json> parseJson(std::string_view text, const std::string &file, const JsonLimits &limits)
{
    // The library takes a zero byte for the end of the text and would not look at what follows.
    if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos)
        return Error{ ErrorCode::Syntax, fmt::format("holds a zero byte at offset {}", zero), file, lineAndColumn(text, zero),
                      "save it as UTF-8 text" };
    Builder builder(text, file, limits);
    bool parsed = false;
    try {
        parsed = Json::sax_parse(text.begin(), text.end(), &builder);
    } catch (const std::exception &exception) {
        return Error{ ErrorCode::Syntax, "not valid JSON: " + reasonOf(exception.what()), file, {}, {} };
    }
    return builder.result(parsed);
}

std::string pointer(std::string_view base, std::string_view key)
{
    std::string out(base);
    out += '/';
    for (const char c : printable(key, 100)) {
        if (c == '~')
            out += "~0";
        else if (c == '/')
            out += "~1";
        else
            out += c;
    }
    return out;
}

std::string quoted(const Json &value)
{
    switch (value.type()) {
    case Json::value_t::object:
        return "an object";
    case Json::value_t::array:
        return fmt::format("a list of {}", value.size());
    case Json::value_t::string:
        return fmt::format("the text \"{}\"", printable(value.get_ref<const std::string &>()));
    default:
        return value.dump();
    }
}

} // namespace pipeloom
