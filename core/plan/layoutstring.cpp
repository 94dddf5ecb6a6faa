// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/layoutstring.h"

#include "core/base/text.h"

#include <fmt/format.h>

#include <cctype>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <utility>

namespace pipeloom
{

namespace
{

constexpr int mostRepeats = 4096;
constexpr std::size_t mostLetters = 1U << 20U; ///< after repeating: far above any model

/// Recursive descent over the string; brackets do not nest deeper than `deepest`.
class LayoutReader
{
public:
    explicit LayoutReader(std::string_view text)
        : m_text(text)
    {
    }

    Expected<std::string> read()
    {
        std::string letters = sequence(0);
        if (!m_error && m_at < m_text.size())
            fail("a closing bracket has no opening one", "remove it");
        if (m_error)
            return *m_error;
        return letters;
    }

private:
    static constexpr int deepest = 8;

    /// Letters and bars up to the end or a closing bracket, repeats written out.
    std::string sequence(int depth)
    {
        std::string out;
        while (!m_error && m_at < m_text.size() && m_text[m_at] != ')') {
            const std::string item = next(depth);
            if (m_error)
                break;
            const int repeats = item.empty() ? 1 : count();
            if (out.size() + item.size() * static_cast<std::size_t>(repeats) > mostLetters) {
                fail("the layout has too many stages", "lower the counts");
                break;
            }
            for (int i = 0; i < repeats; ++i)
                out += item;
        }
        return out;
    }

    std::string next(int depth)
    {
        const char c = m_text[m_at];
        if (c == ',' || std::isspace(static_cast<unsigned char>(c)) != 0) {
            ++m_at;
            return {};
        }
        if (c == '(')
            return bracket(depth);
        if (c != 'E' && c != 't' && c != 'm' && c != 'L' && c != '|') {
            fail(fmt::format("'{}' is not a layout letter", printable(m_text.substr(m_at, 1))),
                 "use E, t, m, L, |, (...)*n and x*n");
            return {};
        }
        ++m_at;
        return std::string(1, c);
    }

    std::string bracket(int depth)
    {
        const std::size_t opened = m_at;
        if (depth == deepest) {
            fail(fmt::format("brackets nest deeper than {}", deepest), "write the inner ones out");
            return {};
        }
        ++m_at;
        std::string inner = sequence(depth + 1);
        if (!m_error && m_at == m_text.size()) {
            m_at = opened;
            fail("a bracket is not closed", "add )");
        }
        ++m_at;
        return inner;
    }

    /// "*n" behind a letter or bracket; 1 when there is none.
    int count()
    {
        if (m_at >= m_text.size() || m_text[m_at] != '*')
            return 1;
        const std::size_t star = m_at++;
        int value = 0;
        const std::size_t digits = m_at;
        while (m_at < m_text.size() && std::isdigit(static_cast<unsigned char>(m_text[m_at])) != 0 && value <= mostRepeats)
            value = value * 10 + (m_text[m_at++] - '0');
        if (m_at == digits || value < 1 || value > mostRepeats) {
            m_at = star;
            fail("'*' needs a count from 1 to 4,096", "write x*4");
        }
        return value;
    }

    void fail(std::string message, std::string hint)
    {
        if (!m_error)
            m_error = Error{ ErrorCode::Syntax, std::move(message), {}, fmt::format("character {}", m_at + 1), std::move(hint) };
    }

    std::string_view m_text;
    std::size_t m_at = 0;
    std::optional<Error> m_error;
};

} // namespace

Expected<std::vector<LayoutStage>> parseLayout(std::string_view text)
{
    const Expected<std::string> letters = LayoutReader(text).read();
    if (!letters)
        return letters.errors();
    std::vector<LayoutStage> stages(1);
    bool mtpSeen = false;
    for (const char letter : *letters) {
        if (letter == '|') {
            stages.emplace_back();
            continue;
        }
        LayoutStage &stage = stages.back();
        stage.anyBeforeEmbedding |= letter == 'E' && stage.layers + stage.mtpModules + stage.losses > 0;
        stage.anyAfterLoss |= letter != 'L' && stage.losses > 0;
        stage.layerAfterMtp |= letter == 't' && mtpSeen;
        mtpSeen |= letter == 'm';
        stage.embeddings += letter == 'E' ? 1 : 0;
        stage.layers += letter == 't' ? 1 : 0;
        stage.mtpModules += letter == 'm' ? 1 : 0;
        stage.losses += letter == 'L' ? 1 : 0;
    }
    if (stages.size() > static_cast<std::size_t>(std::numeric_limits<std::int16_t>::max()))
        return Error{
            ErrorCode::OutOfRange, fmt::format("the layout has {} stages, at most 32,767 are modelled", stages.size()), {}, {}, {}
        };
    return stages;
}

} // namespace pipeloom
