// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/jsonreader.h"

#include "core/base/counted.h"
#include "core/base/format.h"
#include "core/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pipeloom
{

namespace
{

constexpr std::size_t mostKept = 100;

} // namespace

void JsonReport::error(ErrorCode code, std::string where, std::string message, std::string hint)
{
    if (m_errors.size() >= mostKept) {
        ++m_dropped;
        return;
    }
    m_errors.push_back({ code, std::move(message), m_file, std::move(where), std::move(hint) });
}

void JsonReport::warning(ErrorCode code, std::string where, std::string message, std::string hint)
{
    if (m_warnings.size() < mostKept)
        m_warnings.push_back({ code, std::move(message), m_file, std::move(where), std::move(hint) });
}

void JsonReport::unknownKey(const std::string &where, std::string_view key, std::span<const std::string> known)
{
    const std::string near = closestName(key, known);
    std::string hint;
    if (!near.empty())
        hint = fmt::format("did you mean {}?", near);
    else if (!known.empty())
        hint = "known here: " + joinOr(known);
    if (m_strict)
        error(ErrorCode::UnknownName, pointer(where, key), "unknown key", std::move(hint));
    else
        warning(ErrorCode::UnknownName, pointer(where, key), "unknown key, ignored", std::move(hint));
}

void JsonReport::add(const Errors &errors, const std::string &where)
{
    for (const Error &found : errors) {
        if (m_errors.size() >= mostKept) {
            ++m_dropped;
            continue;
        }
        m_errors.push_back(found);
        if (m_errors.back().file.empty())
            m_errors.back().file = m_file;
        if (m_errors.back().where.empty())
            m_errors.back().where = where;
    }
}

Errors JsonReport::takeErrors()
{
    if (m_dropped > 0)
        m_errors.push_back({ ErrorCode::Syntax,
                             fmt::format("{} not shown", formatCounted(static_cast<std::int64_t>(m_dropped), "more error")),
                             m_file,
                             {},
                             {} });
    m_dropped = 0;
    return std::move(m_errors);
}

ObjectReader::ObjectReader(JsonReport &report, const Json &value, std::string where)
    : m_report(report)
    , m_where(std::move(where))
{
    if (value.is_object())
        m_object = &value;
    else
        m_report.error(ErrorCode::WrongType, m_where, fmt::format("expects an object, found {}", quoted(value)));
}

bool ObjectReader::has(std::string_view key) const { return m_object && m_object->contains(key); }

const Json *ObjectReader::find(std::string_view key, Presence presence)
{
    if (std::ranges::find(m_known, key) == m_known.end())
        m_known.emplace_back(key);
    if (!m_object)
        return nullptr;
    const auto found = m_object->find(key);
    if (found != m_object->end())
        return &*found;
    if (presence == Required)
        m_report.error(ErrorCode::WrongType, at(key), "is missing and has no default", "add it");
    return nullptr;
}

std::optional<std::int64_t> wholeNumber(JsonReport &report, const Json &value, const std::string &where, std::int64_t least,
                                        std::int64_t most)
{
    const auto outside = [&](std::string_view shown) {
        report.error(ErrorCode::OutOfRange, where,
                     fmt::format("{} is outside {} to {}", shown, formatCount(least), formatCount(most)));
        return std::nullopt;
    };
    if (value.is_number_unsigned() && value.get<std::uint64_t>() > static_cast<std::uint64_t>(most))
        return outside(value.dump());
    if (value.is_number_integer()) {
        const auto number = value.get<std::int64_t>();
        if (number < least || number > most)
            return outside(value.dump());
        return number;
    }
    if (!value.is_number()) {
        report.error(ErrorCode::WrongType, where, fmt::format("expects a whole number, found {}", quoted(value)));
        return std::nullopt;
    }
    const auto number = value.get<double>();
    if (number != std::floor(number)) {
        report.error(ErrorCode::WrongType, where, fmt::format("expects a whole number, found {}", value.dump()),
                     fmt::format("use {:.0f} or {:.0f}", std::floor(number), std::ceil(number)));
        return std::nullopt;
    }
    // Whole doubles below 2^53 convert exactly; beyond them the range has long been left.
    constexpr double exact = 9007199254740992.0;
    if (std::abs(number) > exact || number < static_cast<double>(least) || number > static_cast<double>(most))
        return outside(value.dump());
    return static_cast<std::int64_t>(number);
}

std::optional<std::int64_t> ObjectReader::readInteger(std::string_view key, std::int64_t least, std::int64_t most,
                                                      Presence presence)
{
    const Json *value = find(key, presence);
    return value ? wholeNumber(m_report, *value, at(key), least, most) : std::nullopt;
}

bool ObjectReader::integer(std::string_view key, std::optional<int> &target, std::int64_t least, std::int64_t most)
{
    const Json *value = find(key);
    if (!value)
        return false;
    if (value->is_null()) {
        target.reset();
        return true;
    }
    const auto number = wholeNumber(m_report, *value, at(key), least, most);
    if (number)
        target = static_cast<int>(*number);
    return number.has_value();
}

bool ObjectReader::seed(std::string_view key, std::uint64_t &target)
{
    const Json *value = find(key);
    if (!value)
        return false;
    if (!value->is_number_unsigned()) {
        error(ErrorCode::WrongType, key, fmt::format("expects a whole number from 0, found {}", quoted(*value)));
        return false;
    }
    target = value->get<std::uint64_t>();
    return true;
}

bool ObjectReader::number(std::string_view key, double &target, double least, double most, Presence presence)
{
    const Json *value = find(key, presence);
    if (!value)
        return false;
    if (!value->is_number()) {
        error(ErrorCode::WrongType, key, fmt::format("expects a number, found {}", quoted(*value)));
        return false;
    }
    const auto number = value->get<double>();
    // Written so that a NaN fails too.
    if (!(number >= least && number <= most)) {
        error(ErrorCode::OutOfRange, key, fmt::format("{} is outside {:g} to {:g}", value->dump(), least, most));
        return false;
    }
    target = number;
    return true;
}

bool ObjectReader::boolean(std::string_view key, bool &target)
{
    const Json *value = find(key);
    if (!value)
        return false;
    if (!value->is_boolean()) {
        error(ErrorCode::WrongType, key, fmt::format("expects true or false, found {}", quoted(*value)));
        return false;
    }
    target = value->get<bool>();
    return true;
}

bool ObjectReader::text(std::string_view key, std::string &target, Presence presence)
{
    const Json *value = find(key, presence);
    if (!value)
        return false;
    if (!value->is_string()) {
        error(ErrorCode::WrongType, key, fmt::format("expects a text, found {}", quoted(*value)));
        return false;
    }
    target = value->get<std::string>();
    return true;
}

bool ObjectReader::choice(std::string_view key, std::size_t &target, std::span<const std::string> names, Presence presence)
{
    std::string name;
    if (!text(key, name, presence))
        return false;
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) {
        error(ErrorCode::UnknownName, key, fmt::format("\"{}\" is not known", printable(name)), knownNames(name, names));
        return false;
    }
    target = static_cast<std::size_t>(found - names.begin());
    return true;
}

void ObjectReader::finish()
{
    if (!m_object)
        return;
    for (const auto &item : m_object->items())
        if (std::ranges::find(m_known, item.key()) == m_known.end())
            m_report.unknownKey(m_where, item.key(), m_known);
}

} // namespace pipeloom
