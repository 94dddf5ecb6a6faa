// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/schedule/schedulecsv.h"

#include "core/base/text.h"
#include "core/schedule/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>

namespace pipeloom
{

namespace
{

constexpr int mostStages = 32'767;
constexpr int mostRanks = 32'767;
constexpr int mostChunks = 255;
constexpr int mostMicrobatches = 1'000'000;

/// Stage, action and microbatch of one half of a cell.
struct Action
{
    int stage = 0;
    std::string_view verb;
    std::optional<int> microbatch;
};

/// A number at the front of the text, which it is cut from.
std::optional<int> takeNumber(std::string_view &text)
{
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || text.front() == '-')
        return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return value;
}

std::optional<Action> parseAction(std::string_view text)
{
    Action out;
    const std::optional<int> stage = takeNumber(text);
    if (!stage)
        return std::nullopt;
    out.stage = *stage;
    const std::size_t digits = text.find_first_of("0123456789");
    out.verb = text.substr(0, digits);
    if (digits != std::string_view::npos) {
        text.remove_prefix(digits);
        out.microbatch = takeNumber(text);
        if (!out.microbatch || !text.empty())
            return std::nullopt;
    }
    return out;
}

std::optional<OpKind> kindOf(std::string_view verb)
{
    static constexpr std::array<std::pair<std::string_view, OpKind>, 4> kinds{
        { { "F", OpKind::F }, { "B", OpKind::B }, { "I", OpKind::Bi }, { "W", OpKind::W } }
    };
    const auto *const found = std::ranges::find(kinds, verb, &std::pair<std::string_view, OpKind>::first);
    return found == kinds.end() ? std::nullopt : std::optional(found->second);
}

bool isCommunication(const Action &action)
{
    static constexpr std::array<std::string_view, 4> ofMicrobatch{ "SEND_F", "RECV_F", "SEND_B", "RECV_B" };
    static constexpr std::array<std::string_view, 3> ofStage{ "UNSHARD", "RESHARD", "REDUCE_GRAD" };
    return action.microbatch ? std::ranges::find(ofMicrobatch, action.verb) != ofMicrobatch.end()
                             : std::ranges::find(ofStage, action.verb) != ofStage.end();
}

std::string_view trimmed(std::string_view text)
{
    const std::size_t first = text.find_first_not_of(" \t\r\"");
    if (first == std::string_view::npos)
        return {};
    return text.substr(first, text.find_last_not_of(" \t\r\"") - first + 1);
}

/// A forward or backward as it is counted: where it stands, for the message.
struct Counted
{
    std::int16_t stage = 0;
    std::int32_t microbatch = 0;
    OpKind kind = OpKind::F;
    int rank = 0;
    int cell = 0;

    [[nodiscard]] auto key() const { return std::tuple(stage, microbatch, static_cast<int>(kind)); }
};

std::string nameOf(int stage, OpKind kind, int microbatch)
{
    return fmt::format("{} of microbatch {} on stage {}", name(kind), microbatch, stage);
}

class Reader
{
public:
    Reader(std::string_view text, const std::string &file)
        : m_text(text)
        , m_file(file)
    {
    }

    Expected<CustomOrder> read()
    {
        if (m_text.starts_with("\xef\xbb\xbf"))
            m_text.remove_prefix(3);
        while (!m_text.empty() && (m_text.back() == '\n' || m_text.back() == '\r'))
            m_text.remove_suffix(1);
        if (m_text.empty())
            return fail(ErrorCode::Syntax, "the file holds no order", {}, "write a line for each rank, with cells such as 0F0");
        Schedule &schedule = m_out.schedule;
        schedule.kind = ScheduleKind::Custom;
        schedule.begin.push_back(0);
        while (!m_done) {
            if (!readLine())
                return *std::move(m_error);
        }
        schedule.ranks = m_rank;
        schedule.stages = m_lastStage + 1;
        schedule.microbatches = m_lastMicrobatch + 1;
        if (!checkComplete())
            return *std::move(m_error);
        return std::move(m_out);
    }

private:
    Error fail(ErrorCode code, std::string message, std::string where, std::string hint) const
    {
        return { code, std::move(message), m_file, std::move(where), std::move(hint) };
    }
    bool refuse(std::string message, std::string hint)
    {
        m_error = fail(ErrorCode::OutOfRange, std::move(message), place(m_rank, m_cell), std::move(hint));
        return false;
    }
    static std::string place(int rank, int cell) { return fmt::format("line {}, cell {}", rank + 1, cell + 1); }

    bool readLine()
    {
        const std::size_t end = m_text.find('\n');
        std::string_view line = m_text.substr(0, end);
        m_done = end == std::string_view::npos;
        m_text.remove_prefix(m_done ? m_text.size() : end + 1);
        if (m_rank >= mostRanks)
            return refuse("there are more ranks than can be simulated", fmt::format("stay below {} lines", mostRanks));
        m_stages.clear();
        const std::size_t before = m_out.schedule.ops.size();
        for (m_cell = 0;; ++m_cell) {
            const std::size_t comma = line.find(',');
            if (!readCell(trimmed(line.substr(0, comma))))
                return false;
            if (comma == std::string_view::npos)
                break;
            line.remove_prefix(comma + 1);
        }
        m_cell = 0;
        if (m_out.schedule.ops.size() == before)
            return refuse("the rank runs nothing", "give every rank a line with its ops, and no other lines");
        m_out.schedule.begin.push_back(m_out.schedule.ops.size());
        ++m_rank;
        return true;
    }

    bool readCell(std::string_view cell)
    {
        if (cell.empty())
            return true;
        if (m_out.schedule.ops.size() >= static_cast<std::size_t>(mostOps))
            return refuse("the order is too long", fmt::format("stay below {} ops", mostOps));
        static constexpr std::string_view pairEnd = ")OVERLAP_F_B";
        if (cell.front() == '(' && cell.ends_with(pairEnd)) {
            const std::string_view inner = cell.substr(1, cell.size() - 1 - pairEnd.size());
            const std::size_t semicolon = inner.find(';');
            const std::optional<Op> forward = readOp(inner.substr(0, semicolon));
            const std::optional<Op> backward =
                semicolon == std::string_view::npos ? std::nullopt : readOp(inner.substr(semicolon + 1));
            if (!forward || !backward || forward->kind != OpKind::F || backward->kind != OpKind::B)
                return m_error ? false : unknown(cell);
            Op pair = *forward;
            pair.kind = OpKind::FB;
            pair.chunkB = backward->chunk;
            pair.stageB = backward->stage;
            pair.microbatchB = backward->microbatch;
            m_out.schedule.ops.push_back(pair);
            return true;
        }
        const std::optional<Action> action = parseAction(cell);
        if (action && isCommunication(*action)) {
            ++m_out.skipped;
            return true;
        }
        const std::optional<Op> op = readOp(cell);
        if (!op)
            return m_error ? false : unknown(cell);
        m_out.schedule.ops.push_back(*op);
        return true;
    }

    bool unknown(std::string_view cell)
    {
        return refuse(fmt::format("\"{}\" is no action of a schedule", printable(std::string(cell.substr(0, 40)))),
                      "write stage, action and microbatch: 0F3, 0B3, 0I3, 0W3 or (0F3;1B2)OVERLAP_F_B");
    }

    /// An op of one half of a cell; nothing, with or without an error, when it is none.
    std::optional<Op> readOp(std::string_view text)
    {
        const std::optional<Action> action = parseAction(trimmed(text));
        const std::optional<OpKind> kind = action ? kindOf(action->verb) : std::nullopt;
        if (!kind || !action->microbatch)
            return std::nullopt;
        if (action->stage >= mostStages || *action->microbatch >= mostMicrobatches) {
            refuse("the stage or microbatch is too large",
                   fmt::format("stages count from 0 and stay below {}, microbatches below {}", mostStages, mostMicrobatches));
            return std::nullopt;
        }
        auto chunk = std::ranges::find(m_stages, action->stage);
        if (chunk == m_stages.end()) {
            if (m_stages.size() >= mostChunks) {
                refuse("the rank runs too many stages", fmt::format("stay below {} stages a rank", mostChunks));
                return std::nullopt;
            }
            m_stages.push_back(action->stage);
            chunk = std::prev(m_stages.end());
            m_out.schedule.chunks = std::max(m_out.schedule.chunks, static_cast<int>(m_stages.size()));
        }
        m_lastStage = std::max(m_lastStage, action->stage);
        m_lastMicrobatch = std::max(m_lastMicrobatch, *action->microbatch);
        Op op;
        op.kind = *kind;
        op.chunk = static_cast<std::uint8_t>(chunk - m_stages.begin());
        op.stage = static_cast<std::int16_t>(action->stage);
        op.microbatch = *action->microbatch;
        m_counted.push_back({ op.stage, op.microbatch, op.kind, m_rank, m_cell });
        return op;
    }

    bool refuseAt(const Counted &op, std::string message, std::string hint)
    {
        m_error = fail(ErrorCode::OutOfRange, std::move(message), place(op.rank, op.cell), std::move(hint));
        return false;
    }

    bool missing(int stage, OpKind kind, int microbatch)
    {
        m_error = fail(ErrorCode::OutOfRange, nameOf(stage, kind, microbatch) + " is missing", {},
                       fmt::format("every stage from 0 to {} runs every microbatch from 0 to {}", m_lastStage, m_lastMicrobatch));
        return false;
    }

    /// One F of each stage and microbatch, and one B, or Bi and W, on the rank of the F.
    bool checkComplete()
    {
        std::ranges::stable_sort(m_counted, {}, &Counted::key);
        std::size_t at = 0;
        for (int stage = 0; stage <= m_lastStage; ++stage) {
            for (int microbatch = 0; microbatch <= m_lastMicrobatch; ++microbatch) {
                std::array<const Counted *, 4> found{};
                for (; at < m_counted.size() && m_counted[at].stage == stage && m_counted[at].microbatch == microbatch; ++at) {
                    const Counted &op = m_counted[at];
                    const Counted *&slot = found[static_cast<std::size_t>(op.kind)];
                    if (slot)
                        return refuseAt(op, nameOf(stage, op.kind, microbatch) + " stands twice in the order",
                                        fmt::format("it is already in {}", place(slot->rank, slot->cell)));
                    slot = &op;
                }
                if (!checkMicrobatch(found, stage, microbatch))
                    return false;
            }
        }
        return true;
    }

    bool checkMicrobatch(const std::array<const Counted *, 4> &found, int stage, int microbatch)
    {
        const Counted *forward = found[static_cast<std::size_t>(OpKind::F)];
        const Counted *full = found[static_cast<std::size_t>(OpKind::B)];
        const Counted *input = found[static_cast<std::size_t>(OpKind::Bi)];
        const Counted *weight = found[static_cast<std::size_t>(OpKind::W)];
        if (!forward)
            return missing(stage, OpKind::F, microbatch);
        if (full && (input || weight))
            return refuseAt(*(input ? input : weight), nameOf(stage, OpKind::B, microbatch) + " runs whole and in halves",
                            "use B, or I and W");
        if (!full && !input)
            return missing(stage, weight ? OpKind::Bi : OpKind::B, microbatch);
        if (input && !weight)
            return missing(stage, OpKind::W, microbatch);
        for (const Counted *backward : { full, input, weight }) {
            if (backward && backward->rank != forward->rank)
                return refuseAt(*backward,
                                fmt::format("{} runs on rank {}, its forward on rank {}",
                                            nameOf(stage, backward->kind, microbatch), backward->rank, forward->rank),
                                "a microbatch's backward runs where its forward ran");
        }
        return true;
    }

    std::string_view m_text;
    const std::string &m_file;
    CustomOrder m_out;
    std::optional<Error> m_error;
    std::vector<int> m_stages; ///< of the current rank, by chunk
    std::vector<Counted> m_counted;
    int m_rank = 0;
    int m_cell = 0;
    int m_lastStage = 0;
    int m_lastMicrobatch = 0;
    bool m_done = false;
};

std::string cell(const Op &op)
{
    switch (op.kind) {
    case OpKind::F:
        return fmt::format("{}F{}", op.stage, op.microbatch);
    case OpKind::B:
        return fmt::format("{}B{}", op.stage, op.microbatch);
    case OpKind::Bi:
        return fmt::format("{}I{}", op.stage, op.microbatch);
    case OpKind::W:
        return fmt::format("{}W{}", op.stage, op.microbatch);
    case OpKind::FB:
        return fmt::format("({}F{};{}B{})OVERLAP_F_B", op.stage, op.microbatch, op.stageB, op.microbatchB);
    }
    return {};
}

} // namespace

Expected<CustomOrder> parseScheduleCsv(std::string_view text, const std::string &file) { return Reader(text, file).read(); }

std::string scheduleCsv(const Schedule &schedule)
{
    std::string out;
    for (int r = 0; r < schedule.ranks; ++r) {
        bool first = true;
        for (const Op &op : schedule.rank(r)) {
            if (!first)
                out += ',';
            first = false;
            out += cell(op);
        }
        out += '\n';
    }
    return out;
}

} // namespace pipeloom
