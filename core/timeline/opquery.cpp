// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/timeline/opquery.h"

#include "core/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace pipeloom
{

namespace
{

using Numbers = OpQuery::Numbers;

const std::vector<std::string> keys{ "kind", "mb", "rank", "stage", "chunk", "step", "phase", "plan" };
const std::vector<std::string> kindNames{ "F", "B", "Bi", "W", "FB" };
const std::vector<std::string> phaseNames{ "warm-up", "steady", "cool-down" };

constexpr std::uint8_t bit(unsigned index) { return static_cast<std::uint8_t>(1U << index); }
constexpr std::uint8_t bit(OpKind kind) { return bit(static_cast<unsigned>(kind)); }

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool isSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

bool same(std::string_view a, std::string_view b)
{
    return std::ranges::equal(a, b, [](char x, char y) { return lower(x) == lower(y); });
}

Error refused(ErrorCode code, std::string message, std::string hint)
{
    return { .code = code, .message = std::move(message), .file = {}, .where = {}, .hint = std::move(hint) };
}

std::optional<std::size_t> indexOf(std::string_view wanted, const std::vector<std::string> &names)
{
    const auto found = std::ranges::find_if(names, [&](const std::string &name) { return same(wanted, name); });
    return found == names.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - names.begin()));
}

std::optional<int> number(std::string_view text)
{
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < 0)
        return std::nullopt;
    return value;
}

/// "3" or "0-3".
Expected<Numbers> numbers(std::string_view key, std::string_view value)
{
    const std::size_t dash = value.find('-');
    const std::optional<int> first = number(value.substr(0, dash));
    const std::optional<int> last = dash == std::string_view::npos ? first : number(value.substr(dash + 1));
    if (!first || !last)
        return refused(ErrorCode::WrongType, fmt::format("'{}' is no number for {}", printable(value, 20), key),
                       fmt::format("use {0}:3, {0}:3,5 or {0}:0-3", key));
    if (*first > *last)
        return refused(ErrorCode::OutOfRange, fmt::format("{}:{} ends before it begins", key, printable(value, 20)),
                       fmt::format("use {}:{}-{}", key, *last, *first));
    return Numbers{ *first, *last };
}

std::vector<Numbers> &numbersOf(OpQuery &query, std::string_view key)
{
    if (key == "mb")
        return query.microbatches;
    if (key == "rank")
        return query.ranks;
    if (key == "stage")
        return query.stages;
    return key == "chunk" ? query.chunks : query.steps;
}

/// Adds one value of one key; the error when it is none of the key's.
std::optional<Error> addValue(OpQuery &query, const std::string &key, std::string_view value)
{
    if (value.empty())
        return refused(ErrorCode::Syntax, fmt::format("{}: has no value", key),
                       key == "kind"        ? "use kind:" + joinOr(kindNames)
                           : key == "phase" ? "use phase:" + joinOr(phaseNames)
                           : key == "plan"  ? "use plan:A or plan:B"
                                            : fmt::format("use {0}:3, {0}:3,5 or {0}:0-3", key));
    if (key == "kind") {
        const std::optional<std::size_t> index = indexOf(value, kindNames);
        if (!index)
            return refused(ErrorCode::UnknownName, fmt::format("unknown kind '{}'", printable(value, 20)),
                           knownNames(value, kindNames));
        // The halves of backwards are drawn alike, so that "B" means both.
        const auto kind = static_cast<OpKind>(*index);
        query.kinds = static_cast<std::uint8_t>(query.kinds | bit(kind) | (kind == OpKind::B ? bit(OpKind::Bi) : 0U));
    } else if (key == "phase") {
        const std::optional<std::size_t> index = indexOf(value, phaseNames);
        if (!index)
            return refused(ErrorCode::UnknownName, fmt::format("unknown phase '{}'", printable(value, 20)),
                           knownNames(value, phaseNames));
        query.phases = static_cast<std::uint8_t>(query.phases | bit(static_cast<unsigned>(*index)));
    } else if (key == "plan") {
        const char letter = value.size() == 1 ? static_cast<char>(lower(value[0]) - 'a' + 'A') : '?';
        if (letter < 'A' || letter > 'Z')
            return refused(ErrorCode::UnknownName, fmt::format("unknown plan '{}'", printable(value, 20)),
                           "use the letter of a plan, as in plan:B");
        query.plans.emplace_back(1, letter);
    } else {
        const Expected<Numbers> read = numbers(key, value);
        if (!read)
            return read.error();
        numbersOf(query, key).push_back(*read);
    }
    return std::nullopt;
}

Error withoutColon(std::string_view word)
{
    const std::string shown = printable(word, 20);
    std::string hint = "use " + joinOr(keys) + ", as in kind:B mb:3";
    if (const auto kind = indexOf(word, kindNames))
        hint = fmt::format("did you mean kind:{}?", kindNames[*kind]);
    else if (const auto phase = indexOf(word, phaseNames))
        hint = fmt::format("did you mean phase:{}?", phaseNames[*phase]);
    else if (number(word))
        hint = fmt::format("did you mean mb:{}?", shown);
    return refused(ErrorCode::Syntax, fmt::format("'{}' names no key", shown), hint);
}

std::optional<Error> addWord(OpQuery &query, std::string_view word)
{
    const std::size_t colon = word.find(':');
    if (colon == std::string_view::npos)
        return withoutColon(word);
    const std::string_view name = word.substr(0, colon);
    const std::optional<std::size_t> key = indexOf(name, keys);
    if (!key) {
        const std::string near = closestName(name, keys);
        return refused(ErrorCode::UnknownName, fmt::format("unknown key '{}'", printable(name, 20)),
                       near.empty() ? "use " + joinOr(keys) : fmt::format("did you mean {}?", near));
    }
    std::string_view rest = word.substr(colon + 1);
    for (;;) {
        const std::size_t comma = rest.find(',');
        if (std::optional<Error> error = addValue(query, keys[*key], rest.substr(0, comma)))
            return error;
        if (comma == std::string_view::npos)
            return std::nullopt;
        rest.remove_prefix(comma + 1);
    }
}

bool holds(const std::vector<Numbers> &condition, int value)
{
    return condition.empty()
        || std::ranges::any_of(condition, [&](const Numbers &n) { return value >= n.first && value <= n.last; });
}

bool halfMatches(const OpQuery &query, int microbatch, int stage, int chunk)
{
    return holds(query.microbatches, microbatch) && holds(query.stages, stage) && holds(query.chunks, chunk);
}

bool matches(const OpQuery &query, const Op &op)
{
    if (query.kinds != 0 && (query.kinds & bit(op.kind)) == 0)
        return false;
    if (!halfMatches(query, op.microbatch, op.stage, op.chunk)
        && (op.kind != OpKind::FB || !halfMatches(query, op.microbatchB, op.stageB, op.chunkB)))
        return false;
    return holds(query.steps, op.step);
}

/// Where a rank's steady state begins and ends.
std::pair<std::size_t, std::size_t> steadyState(const Schedule &schedule, std::size_t begin, std::size_t end)
{
    std::size_t first = begin;
    while (first < end && schedule.ops[first].kind == OpKind::F)
        ++first;
    std::size_t last = end;
    while (last > first && schedule.ops[last - 1].kind != OpKind::F && schedule.ops[last - 1].kind != OpKind::FB)
        --last;
    return { first, last };
}

} // namespace

bool OpQuery::takesPlan(std::string_view letter) const
{
    return plans.empty() || std::ranges::any_of(plans, [&](const std::string &plan) { return plan == letter; });
}

Expected<OpQuery> parseOpQuery(std::string_view text)
{
    OpQuery query;
    bool any = false;
    while (!text.empty()) {
        if (isSpace(text.front())) {
            text.remove_prefix(1);
            continue;
        }
        const auto end = static_cast<std::size_t>(std::ranges::find_if(text, isSpace) - text.begin());
        if (std::optional<Error> error = addWord(query, text.substr(0, end)))
            return *error;
        any = true;
        text.remove_prefix(end);
    }
    if (!any)
        return refused(ErrorCode::Syntax, "nothing to search for", "use " + joinOr(keys) + ", as in kind:B mb:3");
    return query;
}

OpMatches matchingOps(const OpQuery &query, const Schedule &schedule)
{
    OpMatches found;
    found.begin.push_back(0);
    for (int r = 0; r < schedule.ranks; ++r) {
        if (holds(query.ranks, r)) {
            const auto rank = static_cast<std::size_t>(r);
            const std::size_t begin = schedule.begin[rank], end = schedule.begin[rank + 1];
            const auto [steady, coolDown] =
                query.phases != 0 ? steadyState(schedule, begin, end) : std::pair<std::size_t, std::size_t>{};
            for (std::size_t i = begin; i < end; ++i) {
                if (query.phases != 0) {
                    const OrderPhase phase = i < steady ? OrderPhase::WarmUp
                        : i < coolDown                  ? OrderPhase::Steady
                                                        : OrderPhase::CoolDown;
                    if ((query.phases & bit(static_cast<unsigned>(phase))) == 0)
                        continue;
                }
                if (matches(query, schedule.ops[i]))
                    found.ops.push_back(static_cast<std::uint32_t>(i));
            }
        }
        found.begin.push_back(found.ops.size());
    }
    return found;
}

} // namespace pipeloom
