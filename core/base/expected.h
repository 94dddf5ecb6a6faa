// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace pipeloom
{

/// Why an operation at the border of the program (file, JSON, command line) was refused.
enum class ErrorCode
{
    Unreadable, ///< the file is missing, a directory, not permitted or too large
    Unwritable, ///< the target cannot be written; what stood there before is untouched
    Syntax, ///< not the announced format at all
    Schema, ///< a newer or unknown schema version
    UnknownName, ///< a preset, schedule, field or subcommand that does not exist
    WrongType, ///< the field holds another JSON type than it takes
    OutOfRange, ///< negative, huge, NaN or otherwise impossible
    Unsupported, ///< understood, but not modelled
};

/// One boundary error: what is wrong, where, and what to do about it.
struct Error
{
    ErrorCode code = ErrorCode::Syntax;
    std::string message; ///< one sentence, no file name in it
    std::string file; ///< path as the user gave it; empty when there is no file
    std::string where; ///< JSON pointer ("/plan/ep") or "line 14, column 15"; may be empty
    std::string hint; ///< the remedy, one clause; may be empty

    /// `v3.loom.json: /plan/ep: 48 does not divide 256 routed experts; use 32 or 64`
    [[nodiscard]] std::string text() const;
    bool operator==(const Error &) const = default;
};

/// All errors of one attempt, in the order they were found.
using Errors = std::vector<Error>;

/// Every error on a line of its own.
[[nodiscard]] std::string text(const Errors &errors);

/// A value, or the errors that prevented it (never an empty list).
template<class T>
class [[nodiscard]] Expected
{
public:
    Expected(T value) : m_content(std::move(value)) {}
    Expected(Error error) : m_content(Errors{std::move(error)}) {}
    Expected(Errors errors) : m_content(std::move(errors)) {}

    [[nodiscard]] bool hasValue() const { return m_content.index() == 0; }
    explicit operator bool() const { return hasValue(); }

    /// Precondition of the four accessors of the value: hasValue().
    T &value() & { return std::get<0>(m_content); }
    const T &value() const & { return std::get<0>(m_content); }
    T &&value() && { return std::get<0>(std::move(m_content)); }
    T *operator->() { return &std::get<0>(m_content); }
    const T *operator->() const { return &std::get<0>(m_content); }
    T &operator*() { return std::get<0>(m_content); }
    const T &operator*() const { return std::get<0>(m_content); }

    /// Precondition: !hasValue().
    [[nodiscard]] const Errors &errors() const { return std::get<1>(m_content); }
    [[nodiscard]] const Error &error() const { return std::get<1>(m_content).front(); }

private:
    std::variant<T, Errors> m_content;
};

} // namespace pipeloom
