// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Only .cpp files include this header: nlohmann_json stays out of every interface.

#include "core/base/expected.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pipeloom
{

/// Keeps the order of keys, so that errors come in the order of the file and what is written back looks like what was read.
using Json = nlohmann::ordered_json;

/// What a document may hold before it is refused.
struct JsonLimits
{
    std::size_t depth = 32; ///< nested lists and objects
    std::size_t values = 200'000;
};

/// Parses one JSON document. Refuses duplicate keys, NaN and infinities, numbers beyond a double, zero bytes, text after the
/// document, and whatever exceeds the limits, always with ErrorCode::Syntax; the error names line and column. Safe on any bytes.
[[nodiscard]] Expected<Json> parseJson(std::string_view text, const std::string &file, const JsonLimits &limits = {});

/// "/plan/ep" for ("/plan", "ep"), with ~ and / escaped.
[[nodiscard]] std::string pointer(std::string_view base, std::string_view key);

/// A value as an error message quotes it: short, one line.
[[nodiscard]] std::string quoted(const Json &value);

/// Where findings of one document go. Errors beyond a hundred are counted, not kept.
class JsonReport
{
public:
    JsonReport(std::string file, bool strict)
        : m_file(std::move(file))
        , m_strict(strict)
    {
    }

    void error(ErrorCode code, std::string where, std::string message, std::string hint = {});
    /// An unknown key: an error under strict, else a warning.
    void unknownKey(const std::string &where, std::string_view key, std::span<const std::string> known);
    void warning(ErrorCode code, std::string where, std::string message, std::string hint = {});
    /// Takes over the errors of another attempt, put under `where` when they name no place of their own.
    void add(const Errors &errors, const std::string &where);

    [[nodiscard]] bool failed() const { return !m_errors.empty(); }
    /// Number of errors so far: a part is fine when it did not grow.
    [[nodiscard]] std::size_t errorCount() const { return m_errors.size() + m_dropped; }
    [[nodiscard]] Errors takeErrors();
    [[nodiscard]] Errors takeWarnings() { return std::move(m_warnings); }
    [[nodiscard]] const std::string &file() const { return m_file; }
    [[nodiscard]] bool strict() const { return m_strict; }

private:
    std::string m_file;
    bool m_strict = false;
    Errors m_errors, m_warnings;
    std::size_t m_dropped = 0;
};

/// Reads one object key by key. Each reader leaves its target alone when the key is missing (unless required), reports a wrong
/// value, and remembers the key; finish() then reports the keys nobody asked for.
class ObjectReader
{
public:
    enum Presence
    {
        Optional,
        Required,
    };

    /// `value` must outlive the reader. A value that is not an object is reported here; then every key is missing and none is
    /// required.
    ObjectReader(JsonReport &report, const Json &value, std::string where);

    [[nodiscard]] bool valid() const { return m_object != nullptr; }
    [[nodiscard]] bool has(std::string_view key) const;
    /// The value of a key that the caller reads by itself, or nullptr.
    [[nodiscard]] const Json *find(std::string_view key, Presence presence = Optional);

    template<class Integer>
    bool integer(std::string_view key, Integer &target, std::int64_t least, std::int64_t most, Presence presence = Optional)
    {
        if (const auto number = readInteger(key, least, most, presence))
            return target = static_cast<Integer>(*number), true;
        return false;
    }
    /// null is nullopt.
    bool integer(std::string_view key, std::optional<int> &target, std::int64_t least, std::int64_t most);
    /// Any 64-bit seed.
    bool seed(std::string_view key, std::uint64_t &target);
    bool number(std::string_view key, double &target, double least, double most, Presence presence = Optional);
    bool boolean(std::string_view key, bool &target);
    bool text(std::string_view key, std::string &target, Presence presence = Optional);
    /// One of `names`: its index goes to target.
    bool choice(std::string_view key, std::size_t &target, std::span<const std::string> names, Presence presence = Optional);
    /// Marks a key as known without reading it.
    void ignore(std::string_view key) { static_cast<void>(find(key)); }

    [[nodiscard]] std::string at(std::string_view key) const { return pointer(m_where, key); }
    [[nodiscard]] const std::string &where() const { return m_where; }
    [[nodiscard]] JsonReport &report() { return m_report; }
    void error(ErrorCode code, std::string_view key, std::string message, std::string hint = {})
    {
        m_report.error(code, at(key), std::move(message), std::move(hint));
    }
    /// Reports unknown keys with the nearest known one.
    void finish();

private:
    std::optional<std::int64_t> readInteger(std::string_view key, std::int64_t least, std::int64_t most, Presence presence);

    JsonReport &m_report;
    const Json *m_object = nullptr;
    std::string m_where;
    std::vector<std::string> m_known;
};

/// The whole number in `value`, or an error at `where`: 61.7, text, and numbers outside [least, most] are refused; 61.0 is 61.
[[nodiscard]] std::optional<std::int64_t> wholeNumber(JsonReport &report, const Json &value, const std::string &where,
                                                      std::int64_t least, std::int64_t most);

} // namespace pipeloom
