// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/selfcheckrows.h"

#include "core/memory/paper.h"
#include "core/reference/papercorrections.h"

#include <fmt/format.h>

#include <array>

namespace pipeloom
{

namespace
{

constexpr const char *source = "arXiv:2502.07846, as in the paper; `pipeloom paper` has the corrections";

/// Half a unit of the last printed digit.
double printed(double value, int decimals)
{
    double half = 0.5;
    for (int i = 0; i < decimals; ++i)
        half /= 10;
    return half / value;
}

Expected<PaperMemory> paperCase(int microBatch)
{
    Scenario scenario = paperScenario();
    scenario.plan.microBatch = microBatch;
    return paperMemory(scenario.model, scenario.plan);
}

struct PublishedActivations
{
    int microBatch;
    double total, full; ///< GiB
};

constexpr std::array publishedActivations{ PublishedActivations{ 1, 22.977, 0.219 }, PublishedActivations{ 2, 45.954, 0.438 },
                                           PublishedActivations{ 4, 91.907, 0.876 } };

} // namespace

void addPaperRows(SelfCheckRows &rows)
{
    const Expected<PaperMemory> paper = paperCase(1);
    const PaperMemory m = paper ? *paper : PaperMemory{};
    const auto add = [&rows](std::string id, std::string quantity, const char *unit, double published, double ours,
                             double tolerance) {
        rows.push_back(
            { "paper." + std::move(id), std::move(quantity), unit, published, ours, tolerance, Provenance::Counted, source });
    };
    add("parameters", "V3 at PP16, TP2, EP8: parameters on one device", "parameters", 6'250'364'928,
        static_cast<double>(m.parameters.total()), 0);
    add("weights", "  weights, BF16", "GiB", 11.64, m.zero[0].parameters / bytesPerGiB, printed(11.64, 2));
    static constexpr std::array<std::pair<const char *, double>, 4> zero{
        { { "none", 81.50 }, { "os", 40.45 }, { "os+g", 19.92 }, { "os+g+params", 9.66 } }
    };
    for (std::size_t i = 0; i < zero.size(); ++i) {
        add(fmt::format("zero.{}", zero[i].first), fmt::format("  states, ZeRO {}", zero[i].first), "GiB", zero[i].second,
            m.zero[i].total() / bytesPerGiB, printed(zero[i].second, 2));
    }
    for (const PublishedActivations &c : publishedActivations) {
        const Expected<PaperMemory> other = paperCase(c.microBatch);
        const PaperActivations a = other ? other->activations : PaperActivations{};
        add(fmt::format("activations.b{}", c.microBatch),
            fmt::format("  activations of one microbatch of {}, 4 layers", c.microBatch), "GiB", c.total, a.total() / bytesPerGiB,
            printed(c.total, 3));
        add(fmt::format("activations.full.b{}", c.microBatch), "    under full recompute", "GiB", c.full,
            a.fullBytes() / bytesPerGiB, printed(c.full, 3));
    }
}

} // namespace pipeloom
